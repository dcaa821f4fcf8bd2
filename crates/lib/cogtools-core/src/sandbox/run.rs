//! A sandbox for one run of a program: its temporary folder, and what it may reach.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::path::Roots;
use super::{Sandbox, SandboxError, folders};
use crate::environment::Vars;
use crate::process::{Confinement, Gap, Limits, Policy, Process, SandboxMode};
use crate::{Code, Context, Diagnostic};

/// A sandbox for one run of a program.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    sandbox: Sandbox,
    /// The program's own temporary folder, removed after the run.
    folder: Arc<TempDir>,
    /// The same without links.
    real: PathBuf,
    required: bool,
}

/// Why a program cannot be run in its sandbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The sandbox is required, and this system lacks something.
    #[error("its sandbox is required, and this system does not enforce {}", list(.0))]
    Unavailable(Vec<Gap>),
    /// A path cannot be used.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The temporary folder cannot be made.
    #[error("its temporary folder cannot be made: {0}")]
    Folder(io::Error),
}

/// The variables that name the folder for temporary files.
const VARIABLES: &[&str] = if cfg!(windows) {
    &["TEMP", "TMP"]
} else {
    &["TMPDIR"]
};

impl Run {
    /// A run in `sandbox`; `None` if sandboxes are off.
    pub(crate) fn new(sandbox: Sandbox, cx: &Context) -> Result<Option<Self>, RunError> {
        let required = match cx.sandbox {
            SandboxMode::Off => return Ok(None),
            SandboxMode::BestEffort => false,
            SandboxMode::Required => true,
        };
        let policy = Policy {
            network: sandbox.net == Some(true),
            ..Policy::default()
        };
        let gaps = policy.gaps(&cx.confinement().support().gaps);
        if !gaps.is_empty() {
            if required {
                return Err(RunError::Unavailable(gaps));
            }
            cx.warnings.add(warning(&gaps));
        }
        let mut builder = tempfile::Builder::new();
        let folder = builder
            .prefix("cogtools-")
            .tempdir_in(cx.environment.temp_dir())
            .map_err(RunError::Folder)?;
        Ok(Some(Self {
            real: folder.path().canonicalize().map_err(RunError::Folder)?,
            folder: Arc::new(folder),
            sandbox,
            required,
        }))
    }

    /// Its temporary folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Names the temporary folder in `variables`.
    pub(crate) fn add_to(&self, variables: &mut Vars) {
        for name in VARIABLES {
            variables.insert(name.into(), self.folder.path().into());
        }
    }

    /// What `program` may reach, which sees `variables`, and to which the files in `own` belong.
    pub(crate) fn policy(
        &self,
        program: Option<&Path>,
        own: &[PathBuf],
        variables: &Vars,
        cx: &Context,
    ) -> Result<Policy, RunError> {
        let home = cx.environment.user_vars(["HOME"]);
        let home = home.get(OsStr::new("HOME")).map(Path::new);
        let roots = Roots {
            project: &cx.root,
            home,
        };
        let mut read = match &self.sandbox.read {
            None => vec![cx.root.clone()],
            Some(paths) => {
                let paths = paths.iter().map(|path| path.resolve(roots));
                let paths: Result<Vec<Option<PathBuf>>, SandboxError> = paths.collect();
                paths?.into_iter().flatten().collect()
            }
        };
        read.extend(own.iter().cloned());
        read.extend(program.iter().flat_map(|it| folders::of_program(it, home)));
        read.extend(folders::of_programs(home, variables));
        let write = self.sandbox.write.iter();
        let write: Result<Vec<Option<PathBuf>>, SandboxError> =
            write.map(|path| path.resolve_or_create(roots)).collect();
        let mut write: Vec<PathBuf> = write?.into_iter().flatten().collect();
        write.push(self.real.clone());
        Ok(Policy {
            read: distinct(read),
            write: distinct(write),
            network: self.sandbox.net == Some(true),
            required: self.required,
        })
    }

    /// `process` with the confinement to `policy`, if there is one, and to the limits.
    pub(crate) fn apply(&self, process: Process, policy: Option<Policy>, cx: &Context) -> Process {
        let least = |limit: u64, own: Option<u64>| own.map_or(limit, |own| own.min(limit));
        let limits = Limits {
            memory: least(cx.limits.memory, self.sandbox.memory),
            processes: least(cx.limits.processes, self.sandbox.processes),
            ..cx.limits
        };
        let confinement: Confinement = cx.confinement().with_limits(limits);
        let confinement = match policy {
            Some(policy) => confinement.with_policy(policy),
            None => confinement,
        };
        process
            .confinement(confinement)
            .with_folder(Arc::clone(&self.folder))
    }
}

impl RunError {
    /// The diagnostic for `name`, a tool or a provider.
    pub(crate) fn diagnostic(&self, name: &str) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string()).with_subject(name);
        match self {
            Self::Unavailable(_) => diagnostic(Code::SandboxUnavailable)
                .hint("cogtools doctor says what is missing")
                .hint("to run it with less, set `sandbox: best-effort` in your own configuration, or --sandbox=best-effort"),
            Self::Sandbox(error) => error.diagnostic(name),
            Self::Folder(_) => diagnostic(Code::IoFailed)
                .hint("free space in the directory that TMPDIR names, or in the system's"),
        }
    }
}

/// The warning that some sandboxes are not enforced.
fn warning(gaps: &[Gap]) -> Diagnostic {
    let message = format!(
        "this system does not enforce all of `sandbox`: {} unprotected",
        match gaps {
            [Gap::Network] => "the network is".to_owned(),
            _ => format!("{} are", list(gaps)),
        }
    );
    Diagnostic::new(Code::SandboxUnavailable, message)
        .hint("cogtools doctor says what is missing; with --sandbox=required nothing runs")
}

/// The names of `gaps`, as in "files and the network".
fn list(gaps: &[Gap]) -> String {
    let names: Vec<&str> = gaps.iter().map(|gap| gap.name()).collect();
    names.join(" and ")
}

/// `paths` without links and duplicates, in order.
fn distinct(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut real: Vec<PathBuf> = paths
        .into_iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    real.sort_unstable();
    real.dedup();
    real
}
