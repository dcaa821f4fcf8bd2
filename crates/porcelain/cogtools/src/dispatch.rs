//! `cogtools NAME`: continues as the program of that name, which is built in or searched for.
//! `cogtools help` shows manuals, and `cogtools` alone the tools of the project.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::{Command as Process, Stdio};

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::hint::Command;
use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::project::{cached_registry, project, registry};
use cogtools_program::terminal::{pad, sanitize};
use cogtools_program::{Failure, Io, Next, Program, Stdin, SystemProgram, man, render_hint};

use crate::locate::{ProgramPath, Untrusted};
use crate::manual::TOPICS;
use crate::{GROUPS, PREFIX, built_in, list};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools",
    command: CogtoolsArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::UnknownProgram, Code::Denied, Code::InvalidConfig]],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "PROGRAMS",
        "cogtools alone lists the tools of the project, and the next steps.\n\ncogtools NAME runs the program cogtools-NAME with the rest of the command line. The programs that are part of cogtools run in its own process and are never searched for. Any other program is searched for in the directory of cogtools itself, in node_modules/.bin from the current directory upward, and on PATH, in this order, and replaces cogtools: any executable named cogtools-something in one of these places is a subcommand. Those of a project, in its node_modules/.bin or where PATH leads into it, are found only if the project is trusted (see `cogtools-trust(1)`).\n\nA link to cogtools that is named cogtools-NAME is that program.\n\ncogtools help NAME shows the manual page of a program, or its --help if man is not installed, and cogtools help NAME COMMAND the page of one of its commands; cogtools help --all lists every program found. cogtools version is the same as --version.",
    ),
    (
        "ENVIRONMENT",
        "PATH\n  Where to search for programs and man.",
    ),
    (
        "EXAMPLES",
        "    cogtools init\n\n    cogtools help call\n\n    cogtools discover --yaml",
    ),
];

/// The version, with the commit of its source if `cargo xtask` built it.
const VERSION: &str = match option_env!("COGTOOLS_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// YAML files become tools for AI agents
#[derive(Parser)]
#[command(
    version = VERSION,
    long_about = "One YAML file is one tool for an AI agent. cogtools finds the tools of the \
        current project, declares them to hosts such as Gemini CLI, validates calls and runs them.",
    override_usage = "cogtools [OPTIONS] <PROGRAM> [ARGS]...\n       \
        cogtools help [--all | PROGRAM [COMMAND]...]",
    after_help = overview()
)]
struct CogtoolsArgs {
    /// Print the directory of the programs that are part of cogtools
    #[arg(long)]
    exec_path: bool,
    #[command(subcommand)]
    program: Option<Words>,
}

#[derive(Subcommand)]
enum Words {
    /// The name of a program, and its arguments.
    #[command(external_subcommand)]
    All(Vec<OsString>),
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: CogtoolsArgs = args::parse(matches)?;
    if args.exec_path {
        let path = ProgramPath::new(io)?;
        return io.show(&format!("{}\n", path.exec_dir().display()));
    }
    let words = args.program.map(|Words::All(words)| words);
    let Some((name, rest)) = words.as_deref().and_then(<[_]>::split_first) else {
        return welcome(io);
    };
    match name.to_string_lossy().as_ref() {
        "help" => help(rest, &ProgramPath::new(io)?, io),
        "version" => Err(own("--version")),
        name => exec(name, rest.to_vec(), io),
    }
}

/// Continues as `cogtools` with `option`.
fn own(option: &str) -> Failure {
    Failure::Exec(Next::Program(&PROGRAM, vec![option.into()]))
}

/// Continues as the program `name`. Built-in programs are never searched for.
fn exec(name: &str, args: Vec<OsString>, io: &Io<'_>) -> Result<(), Failure> {
    if let Some(program) = built_in(name) {
        return Err(Failure::Exec(Next::Program(program, args)));
    }
    let program_path = ProgramPath::new(io)?;
    let Some(file) = program_path.find(name) else {
        return Err(match program_path.find_untrusted(name) {
            Some(untrusted) => denied(name, &untrusted, io).into(),
            None => unknown(name, &args, &program_path, io).into(),
        });
    };
    let mut process = Process::new(file);
    process.args(args).current_dir(&io.cwd);
    Err(Failure::Exec(process.into()))
}

/// The error for a program of a project that the user does not trust.
fn denied(name: &str, untrusted: &Untrusted, io: &Io<'_>) -> Diagnostic {
    let file = untrusted.file.display();
    let message = format!("`{file}` belongs to a project that is not trusted");
    let elsewhere = (project(io).root() != untrusted.project).then(|| untrusted.project.clone());
    Diagnostic::new(Code::Denied, message)
        .with_subject(name)
        .hint(Hint::run(
            "only the user can trust it, after a review: ",
            Command::TrustProject(elsewhere),
            "",
        ))
}

/// The built-in programs by their purposes, for the end of `--help`.
fn overview() -> String {
    let mut text = String::new();
    for (purpose, programs) in GROUPS {
        let _ = writeln!(text, "{purpose}:");
        for program in *programs {
            let name = program.name.trim_start_matches(PREFIX);
            let _ = writeln!(text, "  {name:<11} {}", about(program));
        }
        text.push('\n');
    }
    text.push_str(
        "`cogtools help NAME` shows the manual of a program, or of tool, cogtoolrc, errors;\n\
         `cogtools help --all` lists every program found.",
    );
    text
}

fn about(program: &Program) -> String {
    let about = program.command().get_about().map(ToString::to_string);
    about.unwrap_or_default()
}

/// `cogtools help [--all | NAME [COMMAND]...]`.
fn help(words: &[OsString], program_path: &ProgramPath, io: &mut Io<'_>) -> Result<(), Failure> {
    let names: Vec<String> = words
        .iter()
        .map(|word| word.display().to_string())
        .collect();
    let is_option = |name: &String| name.starts_with('-');
    match names.as_slice() {
        [] => {
            let text = PROGRAM.command().render_long_help().to_string();
            io.print(text.as_bytes())
        }
        [all] if all == "--all" || all == "-a" => {
            let mut text = String::new();
            for (name, path) in program_path.all() {
                let about =
                    built_in(&name).map_or_else(String::new, |it| format!("  {}", about(it)));
                let (name, path) = (sanitize(&name), path.display().to_string());
                let _ = writeln!(text, "{} {}{about}", pad(&name, 12), sanitize(&path));
            }
            io.print(text.as_bytes())
        }
        [name, commands @ ..] if !names.iter().any(is_option) => {
            show_manual(name, commands, program_path, io)
        }
        _ => {
            let diagnostic = Diagnostic::new(Code::Usage, "help takes names, or --all");
            let usage = "usage: cogtools help [--all | PROGRAM [COMMAND]...]";
            Err(diagnostic.hint(usage).into())
        }
    }
}

/// Continues as `man` for the page of `name`, or else prints `--help` of the program or of
/// one of its `commands`.
fn show_manual(
    name: &str,
    commands: &[String],
    program_path: &ProgramPath,
    io: &Io<'_>,
) -> Result<(), Failure> {
    let topic = TOPICS
        .iter()
        .find(|topic| topic.name == name || topic.page == name);
    // The page of `cogtools` also describes `help` and `version`.
    let is_own = [PROGRAM.name, "help", "version"].contains(&name);
    let (page, section) = match topic {
        Some(topic) => (topic.page.to_owned(), topic.section),
        None if is_own => (PROGRAM.name.to_owned(), 1),
        // Each command of a program has a page of its own.
        None => {
            let words = std::iter::once(name).chain(commands.iter().map(String::as_str));
            let page: Vec<&str> = words.collect();
            (format!("{PREFIX}{}", page.join("-")), 1)
        }
    };
    let man = SystemProgram::find("man", project(io).root(), io);
    let is_page = commands.is_empty() || topic.is_none() && !is_own;
    if is_page
        && let Some(man) = man
        && let Some(page) = locate_page(&man, &page, section, program_path)
    {
        let mut process = man.command();
        process.args(page).current_dir(&io.cwd);
        return Err(Failure::Exec(process.into()));
    }
    if topic.is_some() {
        let message = format!("the manual page {page}({section}) is not installed");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        let hint = "`cargo xtask install` installs the manual pages";
        return Err(diagnostic.hint(hint).into());
    }
    if is_own {
        return Err(own("--help"));
    }
    let mut args: Vec<OsString> = commands.iter().map(OsString::from).collect();
    args.push("--help".into());
    exec(name, args, io)
}

/// The arguments for `man` to show the page: its file in the installation of cogtools, or its
/// name if `man` finds it.
fn locate_page(
    man: &SystemProgram,
    page: &str,
    section: u8,
    program_path: &ProgramPath,
) -> Option<Vec<String>> {
    let file = program_path
        .exec_dir()
        .parent()?
        .join("share")
        .join("man")
        .join(format!("man{section}"))
        .join(format!("{page}.{section}"));
    if file.is_file() {
        return Some(vec![file.to_str()?.to_owned()]);
    }
    let args = vec![section.to_string(), page.to_owned()];
    let mut probe = man.command();
    let status = probe
        .arg("-w")
        .args(&args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then_some(args)
}

/// The error for `cogtools NAME ARGS`, where no program has that name.
fn unknown(name: &str, args: &[OsString], program_path: &ProgramPath, io: &Io<'_>) -> Diagnostic {
    let message = format!("there is no program `{name}`");
    let mut diagnostic = Diagnostic::new(Code::UnknownProgram, message);
    // Nothing is started to find out.
    let lenient = RegistryArgs {
        lenient: true,
        ..RegistryArgs::default()
    };
    if cached_registry(&lenient, io).is_ok_and(|registry| registry.locate(name).is_ok()) {
        let words = args.iter().map(|arg| arg.display().to_string()).collect();
        let command = Command::Run(name.to_owned(), words);
        let hint = Hint::run("a tool has this name: ", command, " calls it");
        return diagnostic.hint(hint);
    }
    let answers = answers(name);
    if answers.is_empty() {
        let programs = program_path.all();
        diagnostic = diagnostic.meant(name, programs.keys().map(String::as_str));
    }
    diagnostic.hints.extend(answers);
    diagnostic.hint(Hint::run("", Command::HelpAll, " lists every program"))
}

/// Programs to run instead of a word that other tools use.
fn answers(word: &str) -> Vec<Hint> {
    let run = |command, after| Hint::run("", command, after);
    match word {
        "check" | "validate" | "verify" => vec![
            run(Command::Lint, " checks the tool files"),
            run(Command::Test, " checks what the tools answer"),
            run(Command::Doctor, " checks the installation"),
        ],
        "show" | "ls" | "tools" => vec![run(Command::List, " lists the tools")],
        "create" => vec![run(Command::New, " creates a tool")],
        "serve" | "server" | "start" => vec!["cogtools mcp serves the tools to hosts".into()],
        "install" => vec!["cogtools add installs a package with tools".into()],
        "delete" | "rm" => vec![
            "a tool is its file: delete tools/NAME.yaml".into(),
            "cogtools remove removes a package with tools".into(),
        ],
        "update" | "upgrade" => vec![
            "update cogtools as it was installed: by npm, by cargo, or by the installer".into(),
        ],
        "uninstall" => {
            vec!["remove cogtools as it was installed: by npm, by cargo, or its files".into()]
        }
        "setup" => vec![run(Command::Init, " sets up the project")],
        _ => Vec::new(),
    }
}

/// Lists the tools, followed by the next steps.
fn welcome(io: &mut Io<'_>) -> Result<(), Failure> {
    let is_empty = registry(&RegistryArgs::default(), io, None)?.is_empty();
    if is_empty {
        let place = if project(io).is_marked {
            "this project has no tools yet"
        } else {
            "this folder is not in a project, and has no tools"
        };
        let steps = [
            (Command::Init, "set the project up, with an example"),
            (Command::New, "create a tool"),
            (Command::Help("cogtools"), "read about all programs"),
        ];
        return io.show(&format!("{place}\n\n{}", next(steps)));
    }
    let list = &list::PROGRAM;
    let matches = list.command().try_get_matches_from([list.name]);
    let matches = matches.map_err(|error| Diagnostic::new(Code::Internal, error.to_string()))?;
    (list.run)(&matches, io)?;
    let words = vec!["KEY=VALUE".to_owned()];
    let steps = [
        (Command::Run("NAME".to_owned(), words), "call a tool"),
        (Command::New, "create a tool"),
        (Command::Help("cogtools"), "read about all programs"),
    ];
    io.show(&format!("\n{}", next(steps)))
}

/// The commands, one per line, each with its purpose.
fn next(steps: [(Command, &str); 3]) -> String {
    let line = |(command, purpose): (Command, &str)| {
        let command = render_hint(&Hint::run("", command, "")).into_owned();
        format!("  {command:<31}{purpose}\n")
    };
    let lines: String = steps.into_iter().map(line).collect();
    format!("Next:\n{lines}")
}
