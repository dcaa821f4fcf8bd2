//! A sandbox for one run of a program: its temporary folder, and what it may reach.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, io};

use super::{Roots, Sandbox, SandboxError, secrets, support};
use crate::environment::Vars;
use crate::hint::{Command, Hint};
use crate::process::{
    Confinement, Gap, Limits, Namespaces, Policy, Process, SandboxMode, TempFolder,
};
use crate::{Code, Context, Diagnostic, containment, quoted};

/// A sandbox for one run of a program.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    sandbox: Sandbox,
    /// The program's own temporary folder, removed after the run.
    folder: Arc<TempFolder>,
    /// Its path without links.
    real: PathBuf,
    /// The namespaces that the system permits.
    namespaces: Namespaces,
    required: bool,
}

/// Why a program cannot be run in its sandbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The sandbox is required, and this system lacks something.
    #[error("its sandbox is required, and this system does not enforce {}", list(.0))]
    Unavailable(Vec<Gap>),
    /// The network has hosts, and this system has no network for one program.
    #[error("its sandbox names hosts under `net`, and this user has no namespaces for that here")]
    Hosts,
    /// Not all secrets of the project would be left out.
    #[error("its sandbox reads the project, which has too many files to find all that are secret")]
    TooLarge,
    /// A path cannot be used.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The temporary folder cannot be made.
    #[error("its temporary folder cannot be made: {0}")]
    Folder(io::Error),
}

/// Names below the project's root that you, or programs of yours, run or read as settings later.
/// `workspace` does not write them.
pub(super) const RUN_LATER: [&str; 46] = [
    ".agents",
    ".antigravity",
    ".cargo",
    ".circleci",
    ".claude",
    ".cogtoolrc.yaml",
    ".cursor",
    ".devcontainer",
    ".emacs.d",
    ".envrc",
    ".gemini",
    ".git",
    ".gitattributes",
    ".github",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".husky",
    ".idea",
    ".mcp.json",
    ".npmrc",
    ".pre-commit-config.yaml",
    ".tool-versions",
    ".venv",
    ".vscode",
    ".yarn",
    ".yarnrc.yml",
    "Cargo.toml",
    "GNUmakefile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "Makefile",
    "Rakefile",
    "build.gradle",
    "build.rs",
    "cogtools.lock",
    "conftest.py",
    "justfile",
    "makefile",
    "mise.toml",
    "node_modules",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "tools",
    "venv",
];

/// The variables that name the folder for temporary files.
const VARIABLES: &[&str] = if cfg!(windows) {
    &["TEMP", "TMP"]
} else {
    &["TMPDIR"]
};

/// Names at the top of a project that a program may not make, though no wall stops it.
#[derive(Debug, Default)]
pub(crate) struct Unmade(Vec<&'static str>);

impl Unmade {
    /// Checks that none is there now, after a run of the tool `name`.
    ///
    /// # Errors
    /// `DENIED`. The project is not trusted any more: what the tool has made may itself be a tool.
    pub(crate) fn check(&self, name: &str, cx: &Context) -> Result<(), Box<Diagnostic>> {
        let is_there = |made: &&&str| cx.root.join(made).symlink_metadata().is_ok();
        let made = quoted(self.0.iter().filter(is_there));
        if made.is_empty() {
            return Ok(());
        }
        let message =
            format!("it has made {made}, which is run later; its sandbox does not permit that");
        let diagnostic = Diagnostic::new(Code::Denied, message).with_subject(name);
        let revoked = cx.trust.update(|record| record.distrust_project(&cx.root));
        Err(Box::new(diagnostic.hint(if matches!(revoked, Ok(true)) {
            let command = Command::TrustProject(None);
            Hint::run("the project is no longer trusted; review it: ", command, "")
        } else {
            Hint::from("remove it unless you know what it does")
        })))
    }
}

impl Run {
    /// A run in `sandbox`; `None` if sandboxes are off.
    pub(crate) fn new(sandbox: Sandbox, cx: &Context) -> Result<Option<Self>, RunError> {
        let required = match cx.sandbox {
            SandboxMode::Off => return Ok(None),
            SandboxMode::BestEffort => false,
            SandboxMode::Required => true,
        };
        let support = support::of_system(cx);
        if !sandbox.hosts().is_empty() && support.namespaces == Namespaces::None {
            return Err(RunError::Hosts);
        }
        let policy = Policy {
            network: sandbox.has_network(),
            ..Policy::default()
        };
        let gaps = policy.gaps(&support.gaps);
        if !gaps.is_empty() {
            if required {
                return Err(RunError::Unavailable(gaps));
            }
            let confinement = cx.confinement();
            let is_installed = confinement.program().is_some_and(Path::is_file);
            cx.warnings.add(warning(&gaps, is_installed));
        }
        let folder = TempFolder::new(&cx.environment.temp_dir()).map_err(RunError::Folder)?;
        Ok(Some(Self {
            real: folder.path().canonicalize().map_err(RunError::Folder)?,
            folder: Arc::new(folder),
            sandbox,
            namespaces: support.namespaces,
            required,
        }))
    }

    /// Its temporary folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the names that are run later and are not there, if the program may write the project.
    pub(crate) fn unmade(&self, cx: &Context) -> Unmade {
        let names = RUN_LATER.iter().filter(|_| self.sandbox.is_workspace);
        let is_absent = |name: &&str| cx.root.join(name).symlink_metadata().is_err();
        Unmade(names.copied().filter(|name| is_absent(name)).collect())
    }

    /// Names the temporary folder in `variables`.
    pub(crate) fn add_to(&self, variables: &mut Vars) {
        for name in VARIABLES {
            variables.insert(name.into(), self.folder.path().into());
        }
    }

    /// Returns the policy for `program`, which sees `variables`; the files in `own` belong to it.
    pub(crate) fn policy(
        &self,
        program: Option<&Path>,
        own: &[PathBuf],
        variables: &Vars,
        cx: &Context,
    ) -> Result<Policy, RunError> {
        let roots = &Roots::of(cx);
        let home = roots.home.as_deref();
        let root = cx.root.canonicalize();
        let root = root.as_deref().unwrap_or(&cx.root);
        let mut read = match &self.sandbox.read {
            None => vec![cx.root.clone()],
            Some(paths) => {
                let paths = paths.iter();
                let paths = paths.filter_map(|path| path.resolve(roots).transpose());
                paths.collect::<Result<_, _>>()?
            }
        };
        let write = self.sandbox.write.iter();
        let write = write.filter_map(|path| path.resolve_or_create(roots).transpose());
        let mut write: Vec<PathBuf> = write.collect::<Result<_, _>>()?;
        // A secret that the sandbox names is not denied.
        let mut deny = secrets::in_project(root, read.iter().chain(&write))
            .map_err(|secrets::TooLarge| RunError::TooLarge)?;
        deny.retain(|secret| !read.contains(secret) && !write.contains(secret));
        let keep = if self.sandbox.is_workspace {
            let below = own.iter().chain(&cx.tool_folders).cloned();
            let later = RUN_LATER.iter().map(|name| root.join(name));
            let real = later.chain(below).filter_map(|it| it.canonicalize().ok());
            real.filter(|it| it.starts_with(root) && it != root)
                .collect()
        } else {
            Vec::new()
        };
        read.extend(own.iter().cloned());
        read.extend(program.iter().flat_map(|it| of_program(it, home)));
        read.extend(of_programs(home, variables));
        write.push(self.real.clone());
        let hosts = self.sandbox.hosts();
        Ok(Policy {
            read: distinct(read),
            write: distinct(write),
            deny,
            keep: distinct(keep),
            namespaces: self.namespaces,
            network: self.sandbox.has_network(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            required: self.required,
            trace: cx.list.trace.clone(),
        })
    }

    /// `process` with the confinement to `policy`, if there is one, and to the limits.
    pub(crate) fn apply(&self, process: Process, policy: Option<Policy>, cx: &Context) -> Process {
        let least = |limit: u64, own: Option<u64>| own.map_or(limit, |own| own.min(limit));
        let limits = Limits {
            memory: least(cx.limits.memory, self.sandbox.memory),
            processes: least(cx.limits.processes, self.sandbox.processes),
            cpu: least(cx.limits.cpu, self.sandbox.cpu),
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
            Self::Hosts => diagnostic(Code::SandboxUnavailable)
                .hint("cogtools doctor says what is missing")
                .hint("`net: true` permits all hosts, also without namespaces"),
            Self::TooLarge => diagnostic(Code::SandboxUnavailable)
                .hint("name the folders that it needs, as in `sandbox: {read: [src]}`"),
            Self::Sandbox(error) => error.diagnostic(name),
            Self::Folder(_) => diagnostic(Code::IoFailed)
                .hint("free space in the directory that TMPDIR names, or in the system's"),
        }
    }
}

/// The warning that some sandboxes are not enforced; `is_installed` is true if the program is there
/// that enforces them.
fn warning(gaps: &[Gap], is_installed: bool) -> Diagnostic {
    let gaps = match gaps {
        [Gap::Network] => "the network is".to_owned(),
        _ => format!("{} are", list(gaps)),
    };
    let (reason, hint) = if is_installed {
        (
            "this system does not enforce all of `sandbox`",
            "cogtools doctor says what is missing",
        )
    } else {
        (
            "`cogtools-confine` is not installed, which enforces `sandbox`",
            "put all programs of cogtools into one directory",
        )
    };
    let message = format!("{reason}: {gaps} unprotected");
    let hint = format!("{hint}; with --sandbox=required nothing runs");
    Diagnostic::new(Code::SandboxUnavailable, message).hint(hint)
}

/// The names of `gaps`, as in "files and the network".
fn list(gaps: &[Gap]) -> String {
    let names: Vec<&str> = gaps.iter().map(|gap| gap.name()).collect();
    names.join(" and ")
}

/// `paths` without links and duplicates, in order.
fn distinct(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let real = paths
        .into_iter()
        .filter_map(|path| path.canonicalize().ok());
    let mut real: Vec<PathBuf> = real.collect();
    real.sort_unstable();
    real.dedup();
    real
}

/// Folders below the home directory in which version managers keep programs, and nothing else.
const INSTALLED: [&str; 16] = [
    ".asdf",
    ".bun/bin",
    ".deno/bin",
    ".fnm",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/uv",
    ".nvm/versions",
    ".pyenv",
    ".rbenv",
    ".rustup/settings.toml",
    ".rustup/toolchains",
    ".sdkman/candidates",
    ".volta",
    "go/bin",
];
/// Entries beside a folder `bin` that are code, never settings.
const BESIDE_BIN: [&str; 4] = ["lib", "lib64", "libexec", "pyvenv.cfg"];
/// Maximum number of entries of PATH.
const MAX_ENTRIES: usize = 64;
/// Maximum number of interpreters of interpreters, as in the kernel.
const MAX_INTERPRETERS: usize = 5;

/// The folders that every program may read because of the programs in it, for a user with this
/// home directory, and these variables: without links.
pub(super) fn of_programs(home: Option<&Path>, vars: &Vars) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let path = vars.get(OsStr::new("PATH"));
    let entries = path.into_iter().flat_map(env::split_paths);
    for entry in entries.filter(|it| it.is_absolute()).take(MAX_ENTRIES) {
        add_folder(&entry, home, &mut found);
    }
    let installed = INSTALLED.iter().filter_map(|name| Some(home?.join(name)));
    found.extend(installed.filter_map(|path| path.canonicalize().ok()));
    found
}

/// The file of a program, with the interpreters that run it, and what belongs to each.
pub(super) fn of_program(file: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut file = file.to_path_buf();
    for _ in 0..MAX_INTERPRETERS {
        let Ok(real) = file.canonicalize() else {
            break;
        };
        for path in [&file, &real] {
            if let Some(folder) = path.parent() {
                add_folder(folder, home, &mut found);
            }
        }
        found.push(real);
        let Some(line) = containment::read_first_line(&file) else {
            break;
        };
        file = PathBuf::from(line.program);
    }
    found
}

/// Adds a folder of programs, and what belongs to it.
fn add_folder(folder: &Path, home: Option<&Path>, found: &mut Vec<PathBuf>) {
    // As written, and where a link leads.
    let real = folder.canonicalize();
    for folder in std::iter::once(folder).chain(real.as_deref().ok()) {
        let name = folder.file_name();
        let parent = folder.parent().filter(|it| !contains_home(it, home));
        if !contains_home(folder, home) {
            found.extend(folder.canonicalize().ok());
        }
        let Some(parent) = parent else {
            continue;
        };
        if name == Some(OsStr::new("shims")) {
            found.extend(parent.canonicalize().ok());
        } else if name == Some(OsStr::new("bin")) {
            let beside = BESIDE_BIN.iter().map(|name| parent.join(name));
            found.extend(beside.filter_map(|path| path.canonicalize().ok()));
        }
    }
}

/// Returns true if everything of the user would be in `folder`.
fn contains_home(folder: &Path, home: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_root = folder.parent().is_none();
    is_root || home.is_some_and(|home| real(home).starts_with(real(folder)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn programs_come_with_their_code_and_the_home_directory_does_not() {
        let scratch = tempfile::tempdir().expect("a folder");
        let home = scratch.path().canonicalize().expect("a path");
        for folder in [
            "bin",
            "lib",
            "tool/bin",
            "tool/lib",
            "tool/share",
            "m/shims",
        ] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
        }
        let vars = |entries: &[&str]| -> Vars {
            let path = env::join_paths(entries.iter().map(|it| home.join(it))).expect("a PATH");
            [("PATH".into(), path)].into()
        };
        for (entries, expected) in [
            (&["tool/bin"][..], &["tool/bin", "tool/lib"][..]),
            (&["m/shims"], &["m/shims", "m"]),
            (&["bin"], &["bin"]),
            (&[""], &[]),
        ] {
            let mut found = of_programs(Some(&home), &vars(entries));
            found.dedup();
            let mut distinct: Vec<PathBuf> = Vec::new();
            for path in found {
                if !distinct.contains(&path) {
                    distinct.push(path);
                }
            }
            let expected: Vec<PathBuf> = expected.iter().map(|it| home.join(it)).collect();
            assert_eq!(distinct, expected, "{entries:?}");
        }
    }
}
