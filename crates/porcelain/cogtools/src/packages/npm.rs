//! Runs npm: without the scripts of packages, and without what a project could put in its way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::process::Output;
use cogtools_core::source::neutral_directory;
use cogtools_core::trust::Verdict;
use cogtools_core::{Cancel, Code, Diagnostic, Hint, Project, hint};
use cogtools_program::project::{project, trust};
use cogtools_program::{Failure, Io, SystemProgram};

/// How long npm may take: registries are slow, packages large.
const TIMEOUT: Duration = Duration::from_mins(10);
/// How many bytes of its output are read.
const MAX_OUTPUT_BYTES: usize = 16 << 20;
/// Options of every run: npm neither runs scripts of packages nor sends a list of them, and
/// prints nothing but data and errors.
const OPTIONS: [&str; 7] = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
    "--loglevel=error",
    "--location=project",
];

/// npm, as found on PATH.
pub(crate) struct Npm {
    program: SystemProgram,
    directory: PathBuf,
    prefix: Option<PathBuf>,
    cancel: Cancel,
}

impl Npm {
    /// npm for the packages of `project`, whose settings and lists of packages decide what it
    /// does: a failure unless the user trusts it.
    pub(crate) fn in_project(project: &Project, io: &Io<'_>) -> Result<Self, Failure> {
        let root = project.root();
        if !is_trusted(root, io)? {
            let hint = Hint::run(
                "only the user can trust it, after a review: ",
                hint::Command::TrustProject(None),
                "",
            );
            let message =
                "the project is not trusted: its .npmrc and package.json tell npm what to do";
            return Err(Diagnostic::new(Code::Denied, message).hint(hint).into());
        }
        Self::find(root.to_path_buf(), Some(root.to_path_buf()), io)
    }

    /// npm for a search: with the settings of the project if it is trusted, otherwise with
    /// those of the user only.
    pub(crate) fn for_search(io: &Io<'_>) -> Result<Self, Failure> {
        let project = project(io);
        if is_trusted(project.root(), io)? {
            return Self::find(project.root().to_path_buf(), None, io);
        }
        Self::find(neutral_directory(&io.vars), None, io)
    }

    fn find(directory: PathBuf, prefix: Option<PathBuf>, io: &Io<'_>) -> Result<Self, Failure> {
        let program = SystemProgram::find("npm", project(io).root(), io).ok_or_else(|| {
            Diagnostic::new(Code::IoFailed, "`npm` is not on PATH")
                .hint("install Node.js, which contains npm; programs of the project do not count")
        })?;
        Ok(Self {
            program,
            directory,
            prefix,
            cancel: io.signals.begin(),
        })
    }

    /// Runs `npm COMMAND -- NAMES` and returns its standard output.
    pub(crate) fn run(&self, command: &[&str], names: &[&str]) -> Result<Vec<u8>, Failure> {
        let (first, rest) = command.split_first().unwrap_or((&"", &[]));
        let mut args: Vec<OsString> = vec![first.into()];
        if let Some(prefix) = &self.prefix {
            args.extend(["--prefix".into(), prefix.into()]);
        }
        let options = OPTIONS.iter().chain(rest).chain(&["--"]).chain(names);
        args.extend(options.map(Into::into));
        let process = self
            .program
            .process(&self.directory)
            .args(args)
            .timeout(TIMEOUT)
            .stdout_limit(MAX_OUTPUT_BYTES);
        let output = process.run(&self.cancel).map_err(|error| {
            let message = format!(
                "`{}` cannot be started: {error}",
                self.program.file.display()
            );
            Diagnostic::new(Code::IoFailed, message).hint("check that npm works: npm --version")
        })?;
        if output.exit.is_success() {
            return Ok(output.stdout.bytes);
        }
        Err(failed(first, &output).into())
    }
}

/// The error for a run of npm that failed, with what it has written.
fn failed(command: &str, output: &Output) -> Diagnostic {
    let message = format!("npm {command} {}", output.exit.describe());
    let mut diagnostic = Diagnostic::new(Code::ToolFailed, message).with_subject("npm");
    String::from_utf8_lossy(&output.stderr.bytes)
        .trim_end()
        .clone_into(&mut diagnostic.details);
    diagnostic.hint("what npm has written says why")
}

fn is_trusted(root: &Path, io: &Io<'_>) -> Result<bool, Failure> {
    let verdict = trust(io).project_verdict(root);
    let verdict = verdict.map_err(|error| error.diagnostic())?;
    Ok(verdict == Verdict::Approved)
}
