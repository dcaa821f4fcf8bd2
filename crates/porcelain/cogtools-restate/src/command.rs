//! The command line.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args, CommandFactory as _, Parser, Subcommand};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::parse;
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
    command: RestateArgs::command,
    run,
    stdin: Stdin::Ignored,
    // Those of the programs that a worker starts, too.
    codes: &[&Code::ALL],
    variables: &[],
    manual: MANUAL,
};

/// Run flows durably on Restate
#[derive(Parser)]
#[command(
    name = "cogtools-restate",
    arg_required_else_help = true,
    long_about = "Run flows on Restate, a server that keeps a journal of each run: a run whose \
        worker is killed goes on with another one, and what is in the journal is not done again."
)]
struct RestateArgs {
    #[command(subcommand)]
    command: Option<RestateCommand>,
}

#[derive(Subcommand)]
enum RestateCommand {
    /// Run a worker for the flows of this project
    Serve {
        #[command(flatten)]
        worker: Worker,
        #[command(flatten)]
        programs: ProgramArg,
    },
    /// Run a flow of this project, and print its output as JSON
    Run {
        /// The name of a tool that is a flow
        #[arg(value_name = "FLOW")]
        flow: String,
        /// Its arguments; KEY:=JSON passes any value
        #[arg(value_name = "KEY=VALUE")]
        arguments: Vec<String>,
        /// The name of the run, or of an earlier one whose output is wanted
        #[arg(long, value_name = "RUN")]
        name: String,
        /// Do not wait for the output
        #[arg(long)]
        detach: bool,
        #[command(flatten)]
        ingress: IngressArg,
        #[command(flatten)]
        programs: ProgramArg,
    },
    /// Let a node go on that waits
    Resume {
        #[command(flatten)]
        run: RunArg,
        /// The node
        #[arg(value_name = "NODE")]
        node: String,
        #[command(flatten)]
        how: DecisionArgs,
        #[command(flatten)]
        ingress: IngressArg,
    },
    /// Print the nodes of a run that wait for a person, as JSON
    Waiting {
        #[command(flatten)]
        run: RunArg,
        #[command(flatten)]
        ingress: IngressArg,
    },
}

#[derive(Args)]
#[group(skip)]
struct RunArg {
    /// The name of the run
    #[arg(value_name = "RUN")]
    run: String,
}

/// The decision about a node that waits.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct DecisionArgs {
    /// The answer to its question
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// Run it again, although it may have had an effect
    #[arg(long)]
    repeat: bool,
    /// Do not run it again: this is its result
    #[arg(long, value_name = "JSON")]
    result: Option<String>,
}

#[derive(Args)]
#[group(skip)]
struct IngressArg {
    /// The ingress of Restate, at http://HOST:PORT
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    ingress: String,
}

#[derive(Args)]
#[group(skip)]
struct ProgramArg {
    /// The program cogtools; by default, the one next to this program, or on PATH
    #[arg(long, value_name = "PROGRAM")]
    cogtools: Option<PathBuf>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let runtime = Runtime::new().map_err(|error| {
        let message = format!("cannot start threads: {error}");
        Failure::from(Diagnostic::new(Code::Internal, message))
    })?;
    let arguments: RestateArgs = parse(matches)?;
    let command = arguments.command;
    runtime.block_on(async {
        match command.ok_or_else(|| PROGRAM.missing_subcommand())? {
            RestateCommand::Serve { worker, programs } => {
                let programs = programs.programs(worker.jobs, io);
                worker.serve(programs, io).await
            }
            RestateCommand::Run {
                flow,
                arguments,
                name,
                detach,
                ingress,
                programs,
            } => {
                let client = ingress.client()?;
                let name = RunName::new(&name)?;
                let shown = programs.programs(1, io).show(&flow, &arguments).await;
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
                if detach {
                    return Ok(());
                }
                let output = client.output(&started).await?;
                io.show_json(&format!("{output}\n"))
            }
            RestateCommand::Resume {
                run,
                node,
                how,
                ingress,
            } => {
                let name = RunName::new(&run.run)?;
                let with = how.decision()?;
                ingress
                    .client()?
                    .resume(&name, &Resume { node, with })
                    .await
            }
            RestateCommand::Waiting { run, ingress } => {
                let name = RunName::new(&run.run)?;
                let waiting = ingress.client()?.waiting(&name).await?;
                io.show_json(&format!("{}\n", serde_json::json!(waiting)))
            }
        }
    })
}

impl DecisionArgs {
    fn decision(self) -> Result<Decision, Failure> {
        Ok(match (self.answer, self.result) {
            (Some(text), _) => Decision::Answer(text),
            (None, Some(json)) => {
                Decision::Result(serde_json::from_str(&json).map_err(|error| {
                    let message = format!("the result is JSON: {error}");
                    Diagnostic::new(Code::Usage, message).with_subject("--result")
                })?)
            }
            (None, None) => Decision::Repeat,
        })
    }
}

impl IngressArg {
    fn client(&self) -> Result<Client, Failure> {
        Ok(Client(self.ingress.parse::<Address>()?))
    }
}

impl ProgramArg {
    fn programs(&self, jobs: u16, io: &Io<'_>) -> Programs {
        let sibling = || {
            let path = io.program.parent()?.join("cogtools");
            path.is_file().then_some(path)
        };
        let given = self.cogtools.as_ref().map(|path| io.cwd.join(path));
        Programs {
            cogtools: given.or_else(sibling).unwrap_or_else(|| "cogtools".into()),
            directory: io.cwd.clone(),
            jobs: Arc::new(Semaphore::new(jobs.into())),
        }
    }
}
