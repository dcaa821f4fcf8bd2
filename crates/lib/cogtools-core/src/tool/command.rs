//! A call of a tool that is a command: a program with arguments, a script, or a
//! provider's program.
//!
//! The program gets the arguments of the call as JSON on standard input, only the
//! variables that the tool declares, and the project's root as the working
//! directory. Its standard output is the result.

use std::borrow::Cow;
use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::containment::{Boundary, Escape, loads_modules as is_module_loader, searched_program};
use crate::environment::{Vars, mask, secret_texts};
use crate::process::{Captured, Exit, Output, Process};
use crate::sandbox::{Run, Unmade};
use crate::tool::call::{RunError, ToolCall, ToolOutput};
use crate::tool::progress_line::{line_progress, reported};
use crate::tool::{Author, Output as Shape};
use crate::{Code, Diagnostic, Fixture, Hint};

/// The search for the program that a command names.
///
/// A name is searched on PATH. A path that begins with `./` or `../` is relative to
/// the tool's folder, so that a tool can ship its program. The current directory is
/// never searched.
#[derive(Clone, Debug)]
pub(super) struct ProgramSearch {
    /// The absolute entries of PATH.
    path: OsString,
    /// The tool's folder, absolute.
    folder: PathBuf,
}

/// One call of a tool that is a command.
pub(crate) struct CommandCall<'c> {
    call: &'c ToolCall<'c>,
    /// The text on standard input.
    pub(super) input: Vec<u8>,
    /// True if the program runs in the tool's folder, not in the project's root.
    pub(super) is_in_folder: bool,
}

impl<'c> CommandCall<'c> {
    /// The command of `call`.
    pub(crate) fn new(call: &'c ToolCall<'c>) -> Self {
        // Serializing a map of JSON values cannot fail. A shell's `read` needs a line.
        let mut input = serde_json::to_vec(&call.arguments).unwrap_or_default();
        input.push(b'\n');
        Self {
            call,
            input,
            is_in_folder: false,
        }
    }

    /// Runs `program` in the project, in its `sandbox`; its standard output is the result.
    pub(super) fn run(
        self,
        program: PathBuf,
        args: Vec<String>,
        mut variables: Vars,
        sandbox: Option<Run>,
    ) -> Result<ToolOutput, RunError> {
        if let Some(boundary) = self.boundary() {
            let checked = boundary.check_program(&program);
            checked.map_err(|escape| self.escape(&escape))?;
        }
        let mut cx = Cow::Borrowed(self.call.cx);
        if let Some(folder) = self.fixture().and_then(|it| it.folder.clone()) {
            cx.to_mut().root = folder;
        }
        let folder = if self.is_in_folder {
            self.folder()
        } else {
            cx.root.clone()
        };
        let process = Process::new(&program, &folder).args(args);
        let mut unmade = Unmade::default();
        let process = match sandbox {
            None => process.confinement(self.call.cx.confinement()),
            Some(run) => {
                run.add_to(&mut variables);
                let own = self.own_files();
                let policy = run.policy(Some(&program), &own, &variables, &cx);
                let policy = policy.map_err(|error| Box::new(error.diagnostic(self.name())))?;
                unmade = run.unmade(self.call.cx);
                run.apply(process, Some(policy), self.call.cx)
            }
        };
        let call = self.call;
        let result = self.end(process.variables(variables), program);
        unmade.check(call.name(), call.cx)?;
        result
    }

    /// Returns the sandbox of the call, if it has one: in the private copy of a package, it does.
    pub(super) fn sandbox(&self) -> Result<Option<Run>, RunError> {
        let sandbox = self.call.tool.sandbox.clone();
        let run = sandbox.map(|sandbox| Run::new(sandbox, self.call.cx));
        let run = run.transpose().map(Option::flatten);
        run.map_err(|error| Box::new(error.diagnostic(self.name())))
    }

    /// Returns the folders with the files of the tool, or of its package.
    fn own_files(&self) -> Vec<PathBuf> {
        let package = self.boundary().into_iter().flat_map(Boundary::folders);
        std::iter::once(self.folder()).chain(package).collect()
    }

    /// Runs `process`, which is `program`, and returns its result.
    pub(crate) fn end(
        mut self,
        process: Process,
        program: PathBuf,
    ) -> Result<ToolOutput, RunError> {
        let process = match self.call.tool.output {
            Shape::File(_) | Shape::Content => process.stdout_limit(ToolOutput::MAX_BLOCK_BYTES),
            _ => process,
        };
        let output = self.output(process, program)?;
        if !output.exit.is_success() {
            return Err(self.failed(&output));
        }
        let Shape::File(media) = self.call.tool.output else {
            return result(output).map_err(|error| self.diagnostic(&error));
        };
        if output.stdout.left_out > 0 {
            return Err(self.diagnostic(&CommandError::TooLarge(ToolOutput::MAX_BLOCK_BYTES)));
        }
        let file = ToolOutput::of_file(self.name(), media, &output.stdout.bytes);
        let file = file.map_err(|diagnostic| Box::new(diagnostic.with_subject(self.name())))?;
        Ok(ToolOutput {
            stderr: String::from_utf8_lossy(&output.stderr.bytes).into_owned(),
            ..file
        })
    }

    /// Runs `process`, which is `program`, until it exits, whatever its status.
    pub(crate) fn output(
        &mut self,
        process: Process,
        program: PathBuf,
    ) -> Result<Output, RunError> {
        let secrets = self.secrets();
        let mut output = process
            .input(std::mem::take(&mut self.input))
            .timeout(self.call.tool.timeout)
            .stderr_lines(line_progress(self.call.cx, &secrets))
            .run(&self.call.cx.cancel)
            .map_err(|error| self.diagnostic(&CommandError::Start(program, error)))?;
        output.stdout.drop_begun(&secrets);
        output.stderr.drop_ended(&secrets);
        let is_file = matches!(self.call.tool.output, Shape::File(_)) && output.exit.is_success();
        for (bytes, is_file) in [
            (&mut output.stdout.bytes, is_file),
            (&mut output.stderr.bytes, false),
        ] {
            if let Cow::Owned(masked) = mask(&String::from_utf8_lossy(bytes), &secrets) {
                if is_file {
                    return Err(self.diagnostic(&CommandError::Secret));
                }
                *bytes = masked.into_bytes();
            }
        }
        Ok(output)
    }

    /// Returns the texts of variables that the tool declares, which its output may not have.
    fn secrets(&self) -> Vec<String> {
        if self.call.tool.env.is_empty() {
            return Vec::new();
        }
        let variables = self.declared_variables().unwrap_or_default();
        secret_texts(self.call.tool.env.iter().filter_map(|name| {
            let value = variables.get(OsStr::new(name))?;
            Some((name.as_str(), value.to_str()?))
        }))
    }

    /// Makes the error of a run that failed.
    pub(crate) fn failed(&self, output: &Output) -> RunError {
        CommandError::of(output.exit, self.call.tool.timeout)
            .diagnostic_with_output(self.name(), output)
    }

    /// Returns the variables that the tool may see.
    pub(super) fn variables(&self) -> Result<Vars, RunError> {
        let mut variables = self.declared_variables()?;
        if let Some(boundary) = self.boundary()
            && let Some(path) = variables.get_mut(OsStr::new("PATH"))
        {
            *path = boundary.search_path(path);
        }
        if let Some(programs) = self.fixture().and_then(|it| it.programs.as_ref()) {
            let path = variables.entry("PATH".into()).or_default();
            let all = std::iter::once(programs.clone()).chain(env::split_paths(path));
            *path = env::join_paths(all).unwrap_or_default();
        }
        Ok(variables)
    }

    fn declared_variables(&self) -> Result<Vars, RunError> {
        let is_users = self.call.tool.provenance.author == Author::User;
        let variables = self.call.cx.env_of(is_users, &self.call.tool.env);
        variables.map_err(|error| match error.diagnostic() {
            diagnostic if diagnostic.subject.is_empty() => self.call.failed(diagnostic),
            // An error in a `.env` file already names the file.
            diagnostic => Box::new(diagnostic),
        })
    }

    /// Returns the search for programs.
    pub(super) fn search(&self, variables: &Vars) -> ProgramSearch {
        ProgramSearch::new(self.folder(), variables)
    }

    /// The tool's folder.
    pub(super) fn folder(&self) -> PathBuf {
        let file = self.call.tool.text.path();
        let folder = file.parent().unwrap_or(Path::new(""));
        self.call.cx.root.join(folder)
    }

    /// Checks the elements of `command` that are literal or without text of the user, of a tool of
    /// a package: what its author wrote must name files of the package, and what the arguments
    /// of the call contribute is the user's. Returns them with the paths of the private copy.
    pub(super) fn contain(
        &self,
        command: Vec<String>,
        is_literal: impl Fn(usize) -> bool,
    ) -> Result<Vec<String>, RunError> {
        let Some(boundary) = self.boundary() else {
            return Ok(command);
        };
        let user = user_texts(self.call);
        let is_users = |element: &String| user.iter().any(|text| element.contains(text.as_str()));
        let loads_modules = command.iter().any(|word| is_module_loader(word));
        let program = searched_program(&command);
        let elements = command.into_iter().enumerate();
        let contained = elements.map(|(index, element)| {
            if Some(index) == program || !is_literal(index) && is_users(&element) {
                return Ok(element);
            }
            // A path of the package's author, as that of a program is.
            if is_literal(index)
                && let Some(own) = boundary.own_file(&element, &self.folder())
            {
                return Ok(own.display().to_string());
            }
            boundary.check_argument(&element, &self.folder(), loads_modules)?;
            Ok(boundary.relocate(element))
        });
        let contained: Result<Vec<String>, Escape> = contained.collect();
        contained.map_err(|escape| self.escape(&escape))
    }

    /// Checks the words of the first line of a script.
    pub(super) fn check_words(&self, words: &[String]) -> Result<(), RunError> {
        let checked = self.boundary().map_or(Ok(()), |boundary| {
            boundary.check_arguments(words, &self.folder())
        });
        checked.map_err(|escape| self.escape(&escape))
    }

    /// Makes the diagnostic for a program or a file that the package may not run.
    pub(super) fn escape(&self, escape: &Escape) -> RunError {
        self.call.failed(escape.diagnostic())
    }

    fn fixture(&self) -> Option<&Fixture> {
        self.call.cx.call.fixture.as_deref()
    }

    fn boundary(&self) -> Option<&Boundary> {
        self.call.tool.boundary.as_deref()
    }

    /// The name of the tool.
    pub(crate) fn name(&self) -> &str {
        self.call.name()
    }

    /// Makes the diagnostic for `error` in this call.
    pub(super) fn diagnostic(&self, error: &CommandError) -> RunError {
        error.diagnostic(self.name())
    }
}

/// Makes the result of a program that succeeded.
fn result(output: Output) -> Result<ToolOutput, CommandError> {
    let Captured { bytes, left_out } = output.stdout;
    let total = bytes.len() as u64 + left_out;
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            // Truncation may split a character; that is not the program's fault.
            if left_out == 0 || error.utf8_error().error_len().is_some() {
                return Err(CommandError::Encoding(valid));
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    let left_out = total - text.len() as u64;
    if left_out > 0 {
        text.push_str(&cut_notice(left_out));
    }
    Ok(ToolOutput {
        text,
        truncated_bytes: left_out,
        stderr: String::from_utf8_lossy(&output.stderr.bytes).into_owned(),
        ..ToolOutput::default()
    })
}

/// Makes the last line of a truncated result.
pub(crate) fn cut_notice(left_out: u64) -> String {
    let limit = Process::STDOUT_LIMIT;
    format!("\n[truncated: {left_out} bytes are left out; a result has at most {limit}]\n")
}

/// Collects the texts that the arguments of a call contribute to its command line. A text that the
/// tool's own schema names, such as a default or a choice, is its author's.
fn user_texts(call: &ToolCall<'_>) -> Vec<String> {
    let mut authored = Vec::new();
    collect(&call.tool.schema.to_json_schema(), &mut authored);
    let authored: HashSet<String> = authored.into_iter().collect();
    let mut texts = Vec::new();
    let values = call.arguments.values();
    values.for_each(|value| collect(value, &mut texts));
    texts.retain(|text| !text.is_empty() && !authored.contains(text));
    texts
}

/// Adds the strings and numbers in `value` to `texts`.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(entries) => entries.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl ProgramSearch {
    /// The search for a tool in `folder` that sees `variables`.
    pub(super) fn new(folder: PathBuf, variables: &Vars) -> Self {
        let path = variables.get(OsStr::new("PATH"));
        let entries = path.into_iter().flat_map(env::split_paths);
        let path = env::join_paths(entries.filter(|entry| entry.is_absolute()));
        Self {
            path: path.unwrap_or_default(),
            folder,
        }
    }

    /// The file of the program `name`.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, CommandError> {
        let path = Path::new(name);
        let mut parts = path.components();
        let first = parts.next().ok_or(CommandError::NoProgram)?;
        let absent = |path: &Path| CommandError::NoSuchFile(path.to_path_buf());
        if path.is_absolute() {
            return self.file(path).ok_or_else(|| absent(path));
        }
        if matches!(first, Component::CurDir | Component::ParentDir) {
            let parts = path.components();
            let relative: PathBuf = parts.filter(|it| *it != Component::CurDir).collect();
            return self
                .file(&self.folder.join(relative))
                .ok_or_else(|| absent(path));
        }
        if parts.next().is_some() || name.ends_with(['/', '\\']) {
            return Err(CommandError::Unclear(name.to_owned()));
        }
        self.search(name)
            .ok_or_else(|| CommandError::NotFound(name.to_owned()))
    }

    /// The program of that name on PATH.
    pub(super) fn search(&self, name: &str) -> Option<PathBuf> {
        which::which_in(name, Some(&self.path), &self.folder).ok()
    }

    /// The executable file at `path`, or with an extension of PATHEXT where the system
    /// has that. A file that is not executable is returned, too, so that the error
    /// comes from the system.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let found = which::which_in(path, Some(&self.path), &self.folder).ok();
        found.or_else(|| path.is_file().then(|| path.to_path_buf()))
    }
}

/// Why a call that runs a program failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The first element of `exec`, or the first line of a script, is empty.
    #[error("the command names no program")]
    NoProgram,
    /// A map of commands has none for this platform.
    #[error("the tool has no command for {}", std::env::consts::OS)]
    Platform,
    /// No directory of PATH has the program.
    #[error("the program `{0}` was not found")]
    NotFound(String),
    /// A path that is neither absolute nor begins with a dot.
    #[error("`{0}` is neither a program's name nor a path that begins with `./`")]
    Unclear(String),
    /// A file that does not exist.
    #[error("the program `{0}` does not exist")]
    NoSuchFile(PathBuf),
    /// An element that cannot be passed to a program.
    #[error("element {0} of the command contains a NUL character, which no program accepts")]
    Nul(usize),
    /// A loop in which a template ends a statement of its surroundings.
    #[error("the templates under `for` make no list of arguments")]
    Loop,
    /// An item of an array that has no text.
    #[error("item {1} of `{0}` is or contains an object, which cannot be an argument of a program")]
    Object(String, usize),
    /// The system cannot start it.
    #[error("the program `{0}` cannot be started: {1}")]
    Start(PathBuf, io::Error),
    /// The script's file cannot be written.
    #[error("the script cannot be written to a temporary file: {0}")]
    Script(io::Error),
    /// The program that runs agents printed something else than its report.
    #[error("the report of the agent cannot be read")]
    Report,
    /// It printed more than this many bytes.
    #[error("the result is larger than {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// It exceeded its timeout.
    #[error("the tool timed out after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It failed or was killed.
    #[error("the program {}", .0.describe())]
    Failed(Exit),
    /// A file that it printed has a secret, which cannot be masked there.
    #[error("the file that the program printed contains the value of a variable under `env`")]
    Secret,
    /// Its output is not text.
    #[error("the program's output is not UTF-8 from byte {0} on")]
    Encoding(usize),
}

/// The number of bytes from the end of a program's output that are shown.
const STDERR_TAIL: usize = 8 << 10;

impl CommandError {
    /// Makes the error for a run that failed.
    pub(super) const fn of(end: Exit, timeout: Duration) -> Self {
        match end {
            Exit::TimedOut => Self::TimedOut(timeout),
            end => Self::Failed(end),
        }
    }

    /// Makes the diagnostic for the tool `name`.
    pub(super) fn diagnostic(&self, name: &str) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string()).with_subject(name);
        diagnostic.hints.extend(self.hint().map(Hint::from));
        Box::new(diagnostic)
    }

    /// Makes the diagnostic for the tool `name` with the end of the program's standard error or,
    /// if that is empty, of its standard output.
    pub(super) fn diagnostic_with_output(&self, name: &str, output: &Output) -> Box<Diagnostic> {
        let mut diagnostic = self.diagnostic(name);
        let stderr = tail(&output.stderr.bytes);
        let lines = stderr.lines().filter(|line| reported(line).is_none());
        let stderr = lines.collect::<Vec<_>>().join("\n");
        diagnostic.details = if stderr.trim().is_empty() {
            tail(&output.stdout.bytes)
        } else {
            stderr
        };
        diagnostic
    }

    fn code(&self) -> Code {
        match self {
            Self::Start(_, error) if is_exhausted(error) => Code::IoFailed,
            Self::NoProgram
            | Self::Platform
            | Self::Loop
            | Self::NotFound(_)
            | Self::Unclear(_)
            | Self::NoSuchFile(_)
            | Self::Start(..) => Code::InvalidTool,
            Self::Nul(_)
            | Self::Object(..)
            | Self::Failed(_)
            | Self::Encoding(_)
            | Self::Secret
            | Self::Report
            | Self::TooLarge(_) => Code::ToolFailed,
            Self::Script(_) => Code::IoFailed,
            Self::TimedOut(_) => Code::Timeout,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Report => "its answer may be too long: ask it for less".to_owned(),
            Self::NoProgram => "name a program, as in `exec: [echo, hello]`".to_owned(),
            Self::Loop => "end each statement in the argument that it begins in".to_owned(),
            Self::Platform => format!("add `{}: [PROGRAM, …]` under `exec`", env::consts::OS),
            Self::NotFound(name) => format!(
                "install `{name}`, or add its directory to PATH; write `./{name}` for a file next to the tool"
            ),
            Self::Unclear(path) => {
                format!("write `./{path}` for a file below the tool's folder")
            }
            Self::NoSuchFile(_) => {
                "a path that begins with `./` or `../` is relative to the tool's folder".to_owned()
            }
            Self::Nul(_) => "send text without the character U+0000".to_owned(),
            Self::Object(..) => {
                "send text or numbers; the program can read objects from standard input".to_owned()
            }
            Self::Start(path, error) => return start_hint(path, error),
            Self::Secret => "the tool's author has to keep it out of the file".to_owned(),
            Self::Script(_) => "free space in the directory that TMPDIR names, or in the system's".to_owned(),
            Self::TimedOut(_) => "send less, or give the tool more time with `timeout`".to_owned(),
            Self::TooLarge(_) | Self::Failed(Exit::OutputLimit) => "ask the tool for less".to_owned(),
            Self::Failed(exit) => return exit.exceeded_limit().map(limit_hint),
            Self::Encoding(_) => {
                "a result is text, unless `output` says what it is, as in `output: {type: image/png}`"
                    .to_owned()
            }
        })
    }
}

/// Returns true if the system lacks what every program needs, so that the tool is not to blame.
fn is_exhausted(error: &io::Error) -> bool {
    // ENFILE and EMFILE have no `ErrorKind`.
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory)
        || cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn start_hint(path: &Path, error: &io::Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("make it executable: chmod +x {}", path.display())
        }
        ErrorKind::NotFound => "the interpreter in its first line does not exist".to_owned(),
        ErrorKind::ArgumentListTooLong => {
            "send less; a tool can read arguments of any size from standard input".to_owned()
        }
        // EAGAIN: the system counts all processes of the user.
        ErrorKind::WouldBlock => limit_hint("processes"),
        // ENOEXEC has no `ErrorKind`.
        _ if cfg!(unix) && error.raw_os_error() == Some(8) => {
            "begin the script with a line such as `#!/bin/sh`".to_owned()
        }
        _ => return None,
    })
}

/// Returns the hint to a limit of the configuration.
fn limit_hint(limit: &str) -> String {
    format!("it may use more if your own configuration sets {limit}; see cogtoolrc(5)")
}

/// Returns the end of `bytes` as text; if truncated, it begins with a whole line.
fn tail(bytes: &[u8]) -> String {
    let start = bytes.len().saturating_sub(STDERR_TAIL);
    let decoded = String::from_utf8_lossy(&bytes[start..]);
    let text = decoded.trim_end();
    if start == 0 {
        return text.to_owned();
    }
    let lines = text.split_once('\n').map_or(text, |(_, rest)| rest);
    let left_out = bytes.trim_ascii_end().len().saturating_sub(lines.len());
    format!("[{left_out} bytes before this are left out]\n{lines}")
}
