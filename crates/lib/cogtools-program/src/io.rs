//! The view of a program on its process: streams, environment, working directory; and the part of
//! it that a server keeps for work without streams of its own.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use clap::ColorChoice;
use cogtools_core::environment::{LoadedFiles, is_secret_name};
use cogtools_core::http::Requests;
use cogtools_core::resident::Sessions;
use cogtools_core::{Cancel, Code, Diagnostic, Hint, Warnings};

use crate::failure::{Failure, Next};
use crate::input::Input;
use crate::process::SignalWatch;
use crate::report::{Reporter, Severity};
use crate::terminal::{Stream, sanitize_json, sanitize_lines};

/// The environment variables of a run.
pub type Vars = BTreeMap<OsString, OsString>;

/// Which of the output streams are terminals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminals {
    /// Standard output is a terminal.
    pub stdout: bool,
    /// Standard error is a terminal.
    pub stderr: bool,
}

impl Terminals {
    const fn is_terminal(self, stream: Stream) -> bool {
        match stream {
            Stream::Stdout => self.stdout,
            Stream::Stderr => self.stderr,
        }
    }
}

/// Everything that a program may access.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: Input,
    /// Standard output: data.
    pub stdout: &'a mut dyn Write,
    /// Standard error: messages for people and models; empty on success.
    pub stderr: &'a mut dyn Write,
    /// Which outputs are terminals.
    pub terminals: Terminals,
    /// The environment.
    pub vars: Vars,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The file of the running program, absolute; the other programs are in the same directory.
    pub program: PathBuf,
    /// The program that the process continues as when this one ends.
    pub next: Option<Next>,
    /// Formats messages for `stderr`.
    pub reporter: Reporter,
    /// Handles termination signals, once sources may run programs.
    pub signals: SignalWatch,
    /// Findings about the context that are printed or needed again later.
    pub context: IoContext,
}

/// Abilities of a process that has an HTTP client and speaks MCP.
#[derive(Clone, Debug)]
pub struct Services {
    /// Makes the requests of tools.
    pub requests: Arc<dyn Requests>,
    /// Opens sessions with MCP servers when they are needed.
    pub sessions: fn(&Io<'_>) -> Arc<dyn Sessions>,
}

/// Findings of a run about its context.
#[derive(Debug, Default)]
pub struct IoContext {
    /// The user's home directory.
    pub(crate) home: OnceLock<Option<PathBuf>>,
    /// The files from which a host may have loaded variables before it started this program.
    pub(crate) loaded: OnceLock<LoadedFiles>,
    /// The abilities that only some processes link.
    pub(crate) services: Option<Services>,
    /// The sessions with MCP servers, if they stay open between calls.
    pub(crate) sessions: Option<Arc<dyn Sessions>>,
    /// Warnings for the end of the run, each once.
    pub(crate) warnings: Warnings,
    /// `--color`.
    pub(crate) colour: ColorChoice,
    /// `--quiet`.
    pub(crate) is_quiet: bool,
    /// The file that standard output is, if it is one with a known path.
    pub(crate) stdout_path: Option<PathBuf>,
    /// State that the runs in this process share, if it serves several at once.
    pub shared: Option<Arc<dyn Any + Send + Sync>>,
}

impl IoContext {
    /// Adds a warning for the end of the run.
    pub(crate) fn warn(&self, warning: Diagnostic) {
        self.warnings.add(warning);
    }

    /// The warnings, to add others.
    pub(crate) fn warnings(&self) -> Warnings {
        self.warnings.clone()
    }

    /// Takes all warnings.
    pub fn take_warnings(&self) -> Vec<Diagnostic> {
        self.warnings.take()
    }

    /// Makes the requests of tools within this process, if it can.
    pub(crate) fn requests(&self) -> Option<Arc<dyn Requests>> {
        let services = self.services.as_ref();
        services.map(|services| Arc::clone(&services.requests))
    }
}

impl Io<'_> {
    /// Keeps each session with an MCP server open until the program ends, if this process can: the
    /// next call finds the state that the last one has left.
    pub fn keep_sessions(&mut self) {
        let services = self.context.services.as_ref();
        let open = services.map(|services| services.sessions);
        self.context.sessions = open.map(|open| open(self));
    }

    /// Writes `data` to standard output and flushes it.
    pub fn print(&mut self, data: &[u8]) -> Result<(), Failure> {
        let written = self.stdout.write_all(data);
        let flushed = written.and_then(|()| self.stdout.flush());
        flushed.map_err(|error| Failure::output(&error))
    }

    /// Prints text that other programs read, such as a file or a diff: byte for byte,
    /// except on a terminal, where it is sanitized.
    pub fn show(&mut self, text: &str) -> Result<(), Failure> {
        if self.terminals.stdout {
            self.print(sanitize_lines(text).as_bytes())
        } else {
            self.print(text.as_bytes())
        }
    }

    /// Prints JSON: byte for byte, except on a terminal, where unsafe characters are written as
    /// JSON escapes.
    pub fn show_json(&mut self, text: &str) -> Result<(), Failure> {
        if self.terminals.stdout {
            self.print(sanitize_json(text).as_bytes())
        } else {
            self.print(text.as_bytes())
        }
    }

    /// Returns true if a person can be asked: standard input and both outputs are terminals.
    pub const fn is_person(&self) -> bool {
        self.stdin.is_terminal() && self.terminals.stdout && self.terminals.stderr
    }

    /// Asks `question` on standard error, so that standard output stays data, and returns the
    /// answer without blanks around it and in lower case; `None` at the end of the input. Only
    /// text that is typed after the question answers it.
    ///
    /// # Errors
    /// `IO_FAILED` with `hint` if the terminal cannot be read.
    pub fn ask(&mut self, question: &str, hint: &str) -> Result<Option<String>, Failure> {
        self.stdin.discard_typed();
        let _ = self.stderr.write_all(sanitize_lines(question).as_bytes());
        let _ = self.stderr.flush();
        let answer = self.line().map_err(|diagnostic| diagnostic.hint(hint))?;
        Ok(answer.map(|answer| answer.trim().to_lowercase()))
    }

    /// Reads a line that answers a question, without its line end; `None` at the end of the input,
    /// or after a signal: the program ends without the answer.
    ///
    /// # Errors
    /// `IO_FAILED` if the terminal cannot be read.
    pub fn line(&mut self) -> Result<Option<String>, Box<Diagnostic>> {
        let (signals, stdin) = (&self.signals, &mut self.stdin);
        stdin.line(|| signals.is_interrupted()).map_err(|error| {
            let message = format!("the answer cannot be read: {error}");
            Box::new(Diagnostic::new(Code::IoFailed, message))
        })
    }

    /// Prints `diagnostic` on standard error. An error of writing it is ignored, because it could
    /// not be reported anywhere; `--quiet` leaves out warnings.
    pub fn report(&mut self, severity: Severity, diagnostic: &Diagnostic) {
        if self.context.is_quiet && severity == Severity::Warning {
            return;
        }
        let text = self.reporter.render(severity, diagnostic);
        let _ = self.stderr.write_all(text.as_bytes());
        let _ = self.stderr.flush();
    }

    /// Prints warnings on standard error. For people, those about many tools of a source are one,
    /// with the hint `each`, how to see them all; for programs, nothing is lost.
    pub fn warn(&mut self, diagnostics: &[Diagnostic], each: &Hint) {
        for diagnostic in &self.summarize(diagnostics, each) {
            self.report(Severity::Warning, diagnostic);
        }
    }

    /// Returns `diagnostics` as people read them, with the hint `each` for what was cut.
    pub fn summarize(&self, diagnostics: &[Diagnostic], each: &Hint) -> Vec<Diagnostic> {
        if self.reporter.is_human() {
            Diagnostic::summarize(diagnostics, each)
        } else {
            diagnostics.to_vec()
        }
    }

    /// Prints lines on standard error that a person at the terminal answers or decides about:
    /// whatever the form of diagnostics is.
    pub fn say(&mut self, text: &str) {
        let text = sanitize_lines(text.trim_end_matches('\n'));
        let _ = self.stderr.write_all(format!("{text}\n").as_bytes());
    }

    /// Prints lines that belong to a diagnostic, such as a diff, on standard error.
    pub fn quote_lines(&mut self, text: &str) {
        let text = self.reporter.quote_lines(text);
        let _ = self.stderr.write_all(text.as_bytes());
    }

    /// Prints a line for `--verbose` on standard error.
    pub fn note(&mut self, message: &str) {
        self.note_with(message, "");
    }

    /// Like [`Self::note`], followed by the output of another program.
    pub fn note_with(&mut self, message: &str, details: &str) {
        let text = self.reporter.note(message, details);
        let _ = self.stderr.write_all(text.as_bytes());
    }

    /// The value of an environment variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        let value = self.vars.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// Returns true if the terminal can move its cursor, as `TERM` says.
    pub fn moves_cursor(&self) -> bool {
        let name = self.var("TERM");
        name.map_or(cfg!(windows), |name| name != "dumb")
    }

    /// Returns true if output on `stream` is coloured, as `--color` says: with `auto`, if it is a
    /// terminal that is not `dumb` and `NO_COLOR` (<https://no-color.org>) is not set, or if `FORCE_COLOR` or
    /// `CLICOLOR_FORCE` asks for it.
    pub fn colour(&self, stream: Stream) -> bool {
        let forces = |name| self.var(name).is_some_and(|value| value != "0");
        match self.context.colour {
            ColorChoice::Always => return true,
            ColorChoice::Never => return false,
            ColorChoice::Auto => {}
        }
        self.var("NO_COLOR").is_none()
            && (self.terminals.is_terminal(stream)
                && self.var("TERM").is_none_or(|name| name != "dumb")
                || forces("FORCE_COLOR")
                || forces("CLICOLOR_FORCE"))
    }

    /// The variables whose values must not be logged, with these values.
    pub fn secrets(&self) -> Vec<(String, String)> {
        let text = |text: &OsString| text.to_str().map(str::to_owned);
        let vars = self.vars.iter();
        let vars = vars.filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        vars.filter(|(name, _)| is_secret_name(name)).collect()
    }
}

/// The directory and the environment of an [`Io`] without its streams, which belong to a client.
#[derive(Clone)]
pub struct DetachedIo {
    /// The environment.
    pub vars: Vars,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The file of the running program, absolute.
    pub program: PathBuf,
    reporter: Reporter,
    services: Option<Services>,
    sessions: Option<Arc<dyn Sessions>>,
    /// Cancels what is at work.
    pub cancel: Cancel,
}

impl DetachedIo {
    /// The directory and the environment of `io`. Programs that it starts end with `cancel`.
    pub fn new(io: &Io<'_>, cancel: Cancel) -> Self {
        Self {
            vars: io.vars.clone(),
            cwd: io.cwd.clone(),
            program: io.program.clone(),
            reporter: io.reporter.clone(),
            services: io.context.services.clone(),
            sessions: None,
            cancel,
        }
    }

    /// Returns these streams for calls that use `sessions`.
    #[must_use]
    pub fn with_sessions(self, sessions: Arc<dyn Sessions>) -> Self {
        Self {
            sessions: Some(sessions),
            ..self
        }
    }

    /// Returns these streams in another working directory, which is absolute.
    #[must_use]
    pub fn in_folder(&self, cwd: PathBuf) -> Self {
        Self {
            cwd,
            ..self.clone()
        }
    }

    /// Runs `work` with empty input, and output that goes nowhere.
    pub fn run<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        let (mut stdout, mut stderr) = (std::io::sink(), std::io::sink());
        self.run_with(Input::empty(), [&mut stdout, &mut stderr], |io| work(io))
    }

    /// Runs `work` with this input, and this standard output and standard error.
    pub fn run_with<T>(
        &self,
        stdin: Input,
        [stdout, stderr]: [&mut dyn Write; 2],
        work: impl FnOnce(&mut Io<'_>) -> T,
    ) -> T {
        work(&mut Io {
            stdin,
            stdout,
            stderr,
            terminals: Terminals::default(),
            vars: self.vars.clone(),
            cwd: self.cwd.clone(),
            program: self.program.clone(),
            next: None,
            reporter: self.reporter.clone(),
            signals: SignalWatch::with_token(self.cancel.clone()),
            context: IoContext {
                services: self.services.clone(),
                sessions: self.sessions.clone(),
                ..IoContext::default()
            },
        })
    }
}
