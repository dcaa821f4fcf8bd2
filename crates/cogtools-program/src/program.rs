//! A program as a value, and how one run of it goes.

use std::ffi::OsString;
use std::path::{Component, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};

use crate::failure::Failure;
use crate::io::Io;
use crate::man::Variable;
use crate::report::{Format, Reporter, Severity};
use crate::terminal::Stream;
use crate::usage;

/// Whether a program takes data on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// It never looks at standard input.
    Ignored,
    /// It reads standard input. It is then read to its end before any exit, also
    /// after a failure: Gemini CLI has no handler for a call that closes its
    /// input early, and goes down with it.
    Read,
}

/// The codes that every program fails with.
const COMMON: [Code; 3] = [Code::Usage, Code::Internal, Code::IoFailed];

/// One program: what a binary, the porcelain and the tests run.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The binary's name, such as `cogtools-call`.
    pub name: &'static str,
    /// Its command line, without what every program has.
    pub command: fn() -> Command,
    /// What it does. Data goes to `io`'s standard output; failures are returned.
    pub run: fn(&ArgMatches, &mut Io<'_>) -> Result<(), Failure>,
    /// Whether it takes data on standard input.
    pub stdin: Stdin,
    /// The codes it fails with, in order of exit status, without those that all fail with.
    pub codes: &'static [Code],
    /// The environment variables that it reads, without those that all read.
    pub variables: &'static [Variable],
    /// Further sections of its man page, title and text, in the form that [`crate::man`]
    /// describes.
    pub manual: &'static [(&'static str, &'static str)],
}

impl Program {
    /// The whole command line: the program's own and what every program has.
    pub fn command(&self) -> Command {
        (self.command)()
            .name(self.name)
            .version(env!("CARGO_PKG_VERSION"))
            .disable_help_subcommand(true)
            .arg(
                Arg::new("directory")
                    .short('C')
                    .value_name("DIR")
                    .value_parser(value_parser!(OsString))
                    .help("Run as if started in DIR"),
            )
            .arg(
                Arg::new("error-format")
                    .long("error-format")
                    .value_name("FORMAT")
                    .value_parser(["human", "json"])
                    .default_value("human")
                    .help(
                        "How to print failures on stderr: as text, or as one JSON object per line",
                    ),
            )
    }

    /// Every code that it fails with, in order of exit status.
    pub fn codes(&self) -> Vec<Code> {
        let is_listed = |code: &Code| COMMON.contains(code) || self.codes.contains(code);
        Code::ALL.into_iter().filter(is_listed).collect()
    }

    /// One run with `args` (without the program's own name): parses, runs,
    /// prints failures to `io`'s standard error and returns the exit status.
    pub fn launch(&self, args: &[OsString], io: &mut Io<'_>) -> u8 {
        if self.stdin == Stdin::Read {
            io.stdin.start();
        }
        let line = std::iter::once(OsString::from(self.name)).chain(args.iter().cloned());
        let result = match self.command().try_get_matches_from(line) {
            Ok(matches) => self.run_parsed(&matches, io),
            Err(error) if error.use_stderr() => {
                io.reporter = Reporter::new(
                    self.name,
                    usage::requested_format(args),
                    io.colour(Stream::Stderr),
                );
                Err(usage::diagnostic(&error, &mut self.command()).into())
            }
            Err(answer) => {
                return self.finish(io.print(answer.render().to_string().as_bytes()), io);
            }
        };
        if self.stdin == Stdin::Read {
            io.stdin.drain();
        }
        self.finish(result, io)
    }

    fn run_parsed(&self, matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
        let format = match matches
            .get_one::<String>("error-format")
            .map(String::as_str)
        {
            Some("json") => Format::Json,
            _ => Format::Human,
        };
        io.reporter = Reporter::new(self.name, format, io.colour(Stream::Stderr));
        if let Some(directory) = matches.get_one::<OsString>("directory") {
            let cwd = io.cwd.join(directory);
            if !cwd.is_dir() {
                let message = format!("`{}` is not a directory", directory.display());
                let diagnostic = Diagnostic::new(Code::Usage, message).with_subject("-C");
                return Err(diagnostic.hint("name a directory that exists").into());
            }
            io.cwd = normalize(cwd);
        }
        (self.run)(matches, io)
    }

    fn finish(&self, result: Result<(), Failure>, io: &mut Io<'_>) -> u8 {
        // Who was asked to end by a signal ends by it, whatever was done until then.
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

/// The directory without `..`, as a process that had changed to it would know it:
/// whoever looks upward from there must not come by where it was named from.
fn normalize(directory: PathBuf) -> PathBuf {
    let up = directory
        .components()
        .any(|part| part == Component::ParentDir);
    let found = match up {
        true if cfg!(unix) => directory.canonicalize().ok(),
        true => std::path::absolute(&directory).ok(),
        false => None,
    };
    found.unwrap_or(directory)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Terminals;

    const PROGRAM: Program = Program {
        name: "cogtools-example",
        command: || Command::new("cogtools-example").arg(Arg::new("code")),
        run: |matches, _| {
            let code = match matches.get_one::<String>("code").map(String::as_str) {
                Some("listed") => Code::Timeout,
                Some("common") => Code::IoFailed,
                _ => Code::Denied,
            };
            Err(Diagnostic::new(code, "it failed").into())
        },
        stdin: Stdin::Ignored,
        codes: &[Code::Timeout, Code::ToolFailed],
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
    fn codes_are_in_order_of_status() {
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
    fn a_code_that_is_not_listed_is_a_defect() {
        status("other");
    }
}
