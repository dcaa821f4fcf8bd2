//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::{all, required};
use cogtools_program::{Failure, Io, Program, Stdin};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::address::Address;
use crate::client::{Client, reported};
use crate::manual::MANUAL;
use crate::programs::{Killed, Programs};
use crate::request::{Decision, Resume, RunRequest};
use crate::serve::Worker;
use crate::submit::RunName;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-restate",
    command,
    run,
    stdin: Stdin::Ignored,
    // Those of the programs that a worker starts, too.
    codes: &[&Code::ALL],
    variables: &[],
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Run flows durably on Restate")
        .long_about(
            "Run flows on Restate, a server that keeps a journal of each run: a run whose worker \
             is killed goes on with another one, and what is in the journal is not done again.",
        )
        .arg_required_else_help(true)
        .subcommand(serve_command())
        .subcommand(run_command())
        .subcommand(resume_command())
        .subcommand(
            Command::new("waiting")
                .about("Print the nodes of a run that wait for a person, as JSON")
                .arg(run_arg())
                .arg(ingress_arg()),
        )
}

fn serve_command() -> Command {
    let address =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    Command::new("serve")
        .about("Run a worker for the flows of this project")
        .arg(
            address("listen", "ADDRESS")
                .default_value("127.0.0.1:9080")
                .value_parser(value_parser!(SocketAddr))
                .help("The address to listen at; several workers can share it"),
        )
        .arg(
            Arg::new("jobs")
                .long("jobs")
                .value_name("NUMBER")
                .default_value("8")
                .value_parser(value_parser!(u16).range(1..=1024))
                .help("How many nodes run here at the same time"),
        )
        .arg(address("register", "URL").help(
            "Register the worker with the Restate whose administration is at http://HOST:PORT",
        ))
        .arg(
            address("url", "URL")
                .requires("register")
                .help("The URL at which Restate reaches the worker; by default, where it listens"),
        )
        .arg(
            address("identity-key", "KEY")
                .help("Accept only requests that Restate has signed with this key"),
        )
        .arg(cogtools_arg())
}

fn run_command() -> Command {
    Command::new("run")
        .about("Run a flow of this project, and print its output as JSON")
        .arg(
            Arg::new("flow")
                .value_name("FLOW")
                .required(true)
                .help("The name of a tool that is a flow"),
        )
        .arg(
            Arg::new("arguments")
                .value_name("KEY=VALUE")
                .num_args(0..)
                .help("Its arguments; KEY:=JSON passes any value"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("RUN")
                .required(true)
                .help("The name of the run; with that of an earlier one, its output is printed"),
        )
        .arg(
            Arg::new("detach")
                .long("detach")
                .action(ArgAction::SetTrue)
                .help("Do not wait for the output"),
        )
        .arg(ingress_arg())
        .arg(cogtools_arg())
}

fn resume_command() -> Command {
    let how = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    Command::new("resume")
        .about("Let a node go on that waits")
        .arg(run_arg())
        .arg(
            Arg::new("node")
                .value_name("NODE")
                .required(true)
                .help("The node"),
        )
        .arg(how("answer", "The answer to its question").value_name("TEXT"))
        .arg(
            how("repeat", "Run it again, although it may have had an effect")
                .action(ArgAction::SetTrue),
        )
        .arg(how("result", "Do not run it again: this is its result").value_name("JSON"))
        .group(
            ArgGroup::new("how")
                .args(["answer", "repeat", "result"])
                .required(true),
        )
        .arg(ingress_arg())
}

fn run_arg() -> Arg {
    Arg::new("run")
        .value_name("RUN")
        .required(true)
        .help("The name of the run")
}

fn ingress_arg() -> Arg {
    Arg::new("ingress")
        .long("ingress")
        .value_name("URL")
        .default_value("http://127.0.0.1:8080")
        .help("The ingress of Restate, at http://HOST:PORT")
}

fn cogtools_arg() -> Arg {
    Arg::new("cogtools")
        .long("cogtools")
        .value_name("PROGRAM")
        .value_parser(value_parser!(PathBuf))
        .help("The program cogtools; by default, the one next to this program, or on PATH")
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let runtime = Runtime::new().map_err(|error| {
        let message = format!("cannot start threads: {error}");
        Failure::from(Diagnostic::new(Code::Internal, message))
    })?;
    match matches.subcommand() {
        Some(("serve", matches)) => {
            let worker = worker(matches, io)?;
            runtime.block_on(worker.serve(io))
        }
        Some(("run", matches)) => runtime.block_on(run_flow(matches, io)),
        Some(("resume", matches)) => runtime.block_on(resume(matches)),
        Some(("waiting", matches)) => runtime.block_on(waiting(matches, io)),
        _ => Err(PROGRAM.missing_subcommand()),
    }
}

fn worker(matches: &ArgMatches, io: &Io<'_>) -> Result<Worker, Failure> {
    let register = matches.get_one::<String>("register");
    Ok(Worker {
        programs: programs(matches, required::<u16>(matches, "jobs")?, io),
        listen: required(matches, "listen")?,
        identity_key: matches.get_one("identity-key").cloned(),
        register: register.map(|url| url.parse()).transpose()?,
        url: matches.get_one("url").cloned(),
    })
}

fn programs(matches: &ArgMatches, jobs: u16, io: &Io<'_>) -> Programs {
    let sibling = || {
        let path = io.program.parent()?.join("cogtools");
        path.is_file().then_some(path)
    };
    let given = matches
        .get_one::<PathBuf>("cogtools")
        .map(|path| io.cwd.join(path));
    Programs {
        cogtools: given.or_else(sibling).unwrap_or_else(|| "cogtools".into()),
        directory: io.cwd.clone(),
        jobs: Arc::new(Semaphore::new(jobs.into())),
    }
}

fn client(matches: &ArgMatches) -> Result<Client, Failure> {
    let url: String = required(matches, "ingress")?;
    Ok(Client(url.parse::<Address>()?))
}

async fn run_flow(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let client = client(matches)?;
    let name = RunName::new(&required::<String>(matches, "name")?)?;
    let flow: String = required(matches, "flow")?;
    let words: Vec<String> = all(matches, "arguments");
    let shown = programs(matches, 1, io).show(&flow, &words).await;
    let killed = |error: Killed| Diagnostic::new(Code::Internal, error.to_string());
    let shown = shown
        .map_err(killed)?
        .map_err(|problem| reported(&problem.text()))?;
    let request = RunRequest {
        flow,
        digest: shown.digest,
        lock: shown.lock,
        arguments: shown.arguments,
    };
    let started = client.start(name, &request).await?;
    if matches.get_flag("detach") {
        return Ok(());
    }
    let output = client.output(&started).await?;
    io.show_json(&format!("{output}\n"))
}

async fn resume(matches: &ArgMatches) -> Result<(), Failure> {
    let name = RunName::new(&required::<String>(matches, "run")?)?;
    let with = match (
        matches.get_one::<String>("answer"),
        matches.get_one::<String>("result"),
    ) {
        (Some(text), _) => Decision::Answer(text.clone()),
        (None, Some(json)) => Decision::Result(serde_json::from_str(json).map_err(|error| {
            let message = format!("the result is JSON: {error}");
            Diagnostic::new(Code::Usage, message).with_subject("--result")
        })?),
        (None, None) => Decision::Repeat,
    };
    let node = required(matches, "node")?;
    client(matches)?.resume(&name, &Resume { node, with }).await
}

async fn waiting(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let name = RunName::new(&required::<String>(matches, "run")?)?;
    let waiting = client(matches)?.waiting(&name).await?;
    io.show_json(&format!("{}\n", serde_json::json!(waiting)))
}
