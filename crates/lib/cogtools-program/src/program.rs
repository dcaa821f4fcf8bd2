//! A program as a value, and how it is run.

use std::ffi::OsString;
use std::path::{Component, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, ColorChoice, Command, Id};
use cogtools_core::{Code, Diagnostic, Hint};

use crate::args::{args_of, parse};
use crate::failure::Failure;
use crate::io::Io;
use crate::man::Variable;
use crate::report::{Format, Reporter, Severity};
use crate::terminal::Stream;

/// The use of standard input by a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// It never reads standard input.
    Ignored,
    /// It reads standard input. Every run then reads it to its end before it exits, even after a
    /// failure: Gemini CLI does not handle a call that closes its input early, and crashes.
    Read,
}

/// The codes that every program may fail with.
const COMMON: [Code; 3] = [Code::Usage, Code::Internal, Code::IoFailed];

/// The options that every program has.
#[derive(Args)]
#[group(skip)]
struct CommonArgs {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    directory: Option<OsString>,
    #[arg(id = "error-format", long, value_name = "FORMAT", value_parser = ["human", "json"])]
    #[arg(default_value = "human", global = true)]
    #[arg(help = "How to print failures on stderr: as text, or as one JSON object per line")]
    error_format: String,
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    #[arg(help = "Colour the output: auto is on a terminal, unless NO_COLOR is set")]
    color: ColorChoice,
    /// Print no warnings on stderr, only errors
    #[arg(long, global = true)]
    quiet: bool,
}

/// One program: what a binary, the porcelain and the tests run.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The binary's name, such as `cogtools-call`.
    pub name: &'static str,
    /// Its command line, without the options that every program has.
    pub command: fn() -> Command,
    /// The program itself. Data goes to `io`'s standard output; failures are returned.
    pub run: fn(&ArgMatches, &mut Io<'_>) -> Result<(), Failure>,
    /// Its use of standard input.
    pub stdin: Stdin,
    /// The codes that it may fail with, in groups, except the common ones.
    pub codes: &'static [&'static [Code]],
    /// The environment variables that it reads, except the common ones.
    pub variables: &'static [Variable],
    /// Further sections of its man page, title and text, in the form that [`crate::man`]
    /// describes.
    pub manual: &'static [(&'static str, &'static str)],
}

impl Program {
    /// The codes of a program that loads the tools of a project.
    pub const PROJECT_CODES: &[Code] = &[Code::Denied, Code::InvalidTool, Code::InvalidConfig];

    /// The codes of a program that loads the tools of sources, which may be programs.
    pub const SOURCE_CODES: &[Code] = &[
        Code::ToolFailed,
        Code::Denied,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Timeout,
    ];

    /// The codes of a program that calls tools, besides [`Self::SOURCE_CODES`].
    pub const CALL_CODES: &[Code] = &[
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::TemplateFailed,
        Code::SandboxUnavailable,
    ];

    /// The codes of a program that runs JavaScript.
    pub const JS_CODES: &[Code] = &[
        Code::JsRuntime,
        Code::JsSyntax,
        Code::JsForbidden,
        Code::JsMemory,
        Code::JsResult,
        Code::JsTimeout,
    ];

    /// The codes of a program that asks models.
    pub const MODEL_CODES: &[Code] = &[
        Code::ModelFailed,
        Code::StaleRecording,
        Code::ModelRefused,
        Code::BudgetSpent,
        Code::Unavailable,
    ];

    /// The codes of a program that reads and writes sessions.
    pub const SESSION_CODES: &[Code] = &[
        Code::InvalidSession,
        Code::SessionInUse,
        Code::SessionNotFound,
    ];

    /// The whole command line, with the options that every program has.
    pub fn command(&self) -> Command {
        let mut command = (self.command)();
        if command.get_version().is_none() {
            command = command.version(env!("CARGO_PKG_VERSION"));
        }
        // `cogtools-ask` has an option `--quiet` of its own, which leaves out more.
        let own = command.get_arguments().map(|arg| arg.get_id().clone());
        let own: Vec<Id> = own.collect();
        let common = args_of::<CommonArgs>().into_iter();
        let common = common.filter(|arg| !own.contains(arg.get_id()));
        let command = command.name(self.name).args(common);
        command.disable_help_subcommand(true)
    }

    /// Every code that it may fail with, in order of exit status.
    pub fn codes(&self) -> Vec<Code> {
        let is_listed = |code: &Code| COMMON.contains(code) || self.codes.concat().contains(code);
        Code::ALL.into_iter().filter(is_listed).collect()
    }

    /// Runs the program with `args` (without the program's name), prints failures on `io`'s
    /// standard error and returns the exit status.
    pub fn launch(&self, args: &[OsString], io: &mut Io<'_>) -> u8 {
        if self.stdin == Stdin::Read {
            io.stdin.start();
        }
        let mut line = vec![OsString::from(self.name)];
        match args.split_first() {
            // `help COMMAND` is `COMMAND --help`, without a command in every list.
            Some((first, rest)) if first == "help" && self.command().has_subcommands() => {
                line.extend_from_slice(rest);
                line.push("--help".into());
            }
            _ => line.extend_from_slice(args),
        }
        let result = match self.command().try_get_matches_from(line) {
            Ok(matches) => self.run_parsed(&matches, io),
            Err(error) if error.use_stderr() => {
                let colour = io.colour(Stream::Stderr);
                io.reporter = Reporter::new(self.name, requested_format(args), colour);
                Err(usage_diagnostic(&error, &self.command()).into())
            }
            Err(help) => {
                let help = help.render().to_string();
                return self.finish(io.print(help.as_bytes()), io);
            }
        };
        if self.stdin == Stdin::Read {
            io.stdin.drain();
        }
        self.finish(result, io)
    }

    /// The error for a command line without a subcommand, for programs that accept it in other
    /// circumstances.
    pub fn missing_subcommand(&self) -> Failure {
        let command = self.command().subcommand_required(true);
        let mut command = command.arg_required_else_help(false);
        match command.try_get_matches_from_mut([self.name]) {
            Err(error) => usage_diagnostic(&error, &command).into(),
            Ok(_) => Failure::Reported(Code::Usage.status()),
        }
    }

    fn run_parsed(&self, matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
        let common: CommonArgs = parse(matches)?;
        let format = match common.error_format.as_str() {
            "json" => Format::Json,
            _ => Format::Human,
        };
        io.context.colour = common.color;
        io.context.is_quiet = common.quiet;
        io.reporter = Reporter::new(self.name, format, io.colour(Stream::Stderr));
        if let Some(directory) = common.directory {
            let cwd = io.cwd.join(&directory);
            if !cwd.is_dir() {
                let message = format!("`{}` is not a directory", directory.display());
                let diagnostic = Diagnostic::new(Code::Usage, message).with_subject("-C");
                return Err(diagnostic.hint("name a directory that exists").into());
            }
            io.cwd = normalize(cwd);
            let reporter = io.reporter.clone();
            io.reporter = reporter.in_directory(&directory.to_string_lossy());
        }
        (self.run)(matches, io)
    }

    fn finish(&self, result: Result<(), Failure>, io: &mut Io<'_>) -> u8 {
        for warning in io.context.take_warnings() {
            io.report(Severity::Warning, &warning);
        }
        // A signal that asked the process to end determines its status, whatever the result.
        if let Some(status) = io.signals.status() {
            return status;
        }
        match result {
            Ok(()) => 0,
            Err(Failure::Exec(next)) => {
                io.next = Some(next);
                0
            }
            Err(failure) => {
                for diagnostic in failure.diagnostics() {
                    debug_assert!(
                        self.codes().contains(&diagnostic.code),
                        "{} does not list {}",
                        self.name,
                        diagnostic.code.name()
                    );
                    io.report(Severity::Error, diagnostic);
                }
                failure.status()
            }
        }
    }
}

/// The directory without `..`, as a process that had changed to it would see it. Otherwise a
/// search upward from it would pass through the directories that `..` leaves.
fn normalize(directory: PathBuf) -> PathBuf {
    let mut parts = directory.components();
    let normalized = match parts.any(|part| part == Component::ParentDir) {
        true if cfg!(unix) => directory.canonicalize().ok(),
        true => std::path::absolute(&directory).ok(),
        false => None,
    };
    normalized.unwrap_or(directory)
}

/// The diagnostic for a command line that clap rejected, with the usage of `command`, or of its
/// subcommand.
fn usage_diagnostic(error: &clap::Error, command: &Command) -> Diagnostic {
    let text = error.render().to_string();
    let mut message = Vec::new();
    let mut hints = Vec::new();
    if let Some(hint) = slip_hint(error, command.get_name()) {
        hints.push(Hint::from(hint));
    }
    let explained = !hints.is_empty();
    // Clap exposes its tips only as rendered text. Its usage depends on what was typed, so it
    // is left out.
    let (without_usage, typed) = text.split_once("\n\nUsage: ").unwrap_or((&text, ""));
    let lines = without_usage.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            if !explained {
                hints.push(Hint::from(tip));
            }
        } else if !line.starts_with("For more information") {
            message.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    // The first words of its usage are the subcommands that were typed.
    let mut command = command.clone();
    command.build();
    for word in typed.split_whitespace().skip(1) {
        let Some(inner) = command.find_subcommand(word).cloned() else {
            break;
        };
        command = inner;
    }
    let usage = command.render_usage().to_string();
    let first_line = usage.lines().next().unwrap_or_default();
    hints.push(first_line.replacen("Usage", "usage", 1).into());
    hints.push("--help explains every option".into());
    let mut diagnostic = Diagnostic::new(Code::Usage, message.join(" "));
    diagnostic.hints = hints;
    diagnostic
}

/// The hint for an option that other programs have, instead of the tips of clap.
fn slip_hint(error: &clap::Error, program: &str) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.trim_start_matches('-').split('=').next()?;
    match (program, name) {
        ("cogtools-new", "kind" | "type" | "implementation" | "lang" | "language") => {
            Some("--template names the kind of implementation".to_owned())
        }
        ("cogtools-init", host) if !option.starts_with('-') => {
            Some(format!("--host names a host: cogtools init --host {host}"))
        }
        ("cogtools-mcp", "port" | "listen" | "address" | "host") => {
            Some("--http ADDRESS:PORT serves over HTTP".to_owned())
        }
        // Any option of `run` that it lacks is meant for the tool.
        ("cogtools-run", name) if option.starts_with("--") => Some(format!(
            "the parameters of a tool are words without dashes: {name}=VALUE"
        )),
        _ => None,
    }
}

/// The error format that `args` request, for when they cannot be parsed as a whole.
fn requested_format(args: &[OsString]) -> Format {
    let json = args.iter().enumerate().any(|(index, arg)| {
        arg == "--error-format=json"
            || (arg == "--error-format" && args.get(index + 1).is_some_and(|next| next == "json"))
    });
    if json { Format::Json } else { Format::Human }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Terminals;

    const PROGRAM: Program = Program {
        name: "cogtools-example",
        command: || Command::new("cogtools-example").arg(clap::Arg::new("code")),
        run: |matches, _| {
            let code = match matches.get_one::<String>("code").map(String::as_str) {
                Some("listed") => Code::Timeout,
                Some("common") => Code::IoFailed,
                _ => Code::Denied,
            };
            Err(Diagnostic::new(code, "it failed").into())
        },
        stdin: Stdin::Ignored,
        codes: &[&[Code::Timeout, Code::ToolFailed]],
        variables: &[],
        manual: &[],
    };

    fn status(arg: &str) -> u8 {
        let terminals = Terminals {
            stdout: false,
            stderr: false,
        };
        PROGRAM
            .run_captured(Path::new("."), terminals, &[arg])
            .status
    }

    #[test]
    fn codes_are_ordered_by_status() {
        let all = [
            Code::ToolFailed,
            Code::Usage,
            Code::Internal,
            Code::IoFailed,
            Code::Timeout,
        ];
        assert_eq!(PROGRAM.codes(), all);
    }

    #[test]
    fn listed_and_common_codes_are_failures() {
        assert_eq!((status("listed"), status("common")), (124, 74));
    }

    #[test]
    #[should_panic(expected = "cogtools-example does not list DENIED")]
    fn an_unlisted_code_panics_in_debug_builds() {
        status("other");
    }
}
