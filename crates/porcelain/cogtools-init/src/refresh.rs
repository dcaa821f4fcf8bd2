//! `--docs-refresh`: a script of package.json or a hook of git that renews the table of tools, and
//! skills.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use cogtools_core::process::Exit;
use cogtools_core::{Code, Diagnostic};
use cogtools_edit::{Change, Edit, Step};
use cogtools_program::{Io, SystemProgram};
use serde_json::{Map, json};

/// The script or hook that renews the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Refresh {
    // A script in package.json.
    #[value(name = "npm-script")]
    Script,
    // A pre-commit hook.
    #[value(name = "git-hook")]
    Hook,
}

const PACKAGE: &str = "package.json";
const REPOSITORY: &str = ".git";
const HOOK: [&str; 3] = [REPOSITORY, "hooks", "pre-commit"];
/// The time limit of git for its configuration.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Refresh {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The name in a question.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Script => "with npm run cogtools-docs: a script in package.json",
            Self::Hook => "before each commit: a pre-commit hook of git",
        }
    }

    /// The ways that the files of the project at `root` permit.
    pub(crate) fn possible(root: &Path) -> Vec<Self> {
        let is_possible = |one: &Self| match one {
            Self::Script => root.join(PACKAGE).is_file(),
            Self::Hook => {
                let hook: PathBuf = HOOK.iter().collect();
                is_folder(&root.join(REPOSITORY)) && root.join(hook).symlink_metadata().is_err()
            }
        };
        let mut all = vec![Self::Script, Self::Hook];
        all.retain(is_possible);
        all
    }

    /// The step that adds it to the project at `root`, which may have skills.
    pub(crate) fn step(
        self,
        root: &Path,
        has_skills: bool,
        io: &Io<'_>,
    ) -> Result<Step, Vec<Diagnostic>> {
        match self {
            Self::Script => script(root, has_skills),
            Self::Hook => hook(root, io).map_err(|diagnostic| vec![*diagnostic]),
        }
    }
}

fn script(root: &Path, has_skills: bool) -> Result<Step, Vec<Diagnostic>> {
    if root.join(PACKAGE).symlink_metadata().is_err() {
        let diagnostic = Diagnostic::new(Code::IoFailed, "does not exist")
            .with_subject(PACKAGE)
            .hint("create it with `npm init -y`, or leave out --docs-refresh npm-script");
        return Err(vec![diagnostic]);
    }
    let command = if has_skills {
        "cogtools docs && cogtools skill"
    } else {
        "cogtools docs"
    };
    let mut wanted = Map::new();
    wanted.insert("scripts".to_owned(), json!({"cogtools-docs": command}));
    let edit = Edit::merge(PathBuf::from(PACKAGE), wanted);
    edit.plan(root)
        .map_err(cogtools_edit::EditError::diagnostics)
}

/// The hook. No folder on its path is a link: what git runs must be in the repository itself.
fn hook(root: &Path, io: &Io<'_>) -> Result<Step, Box<Diagnostic>> {
    let file: PathBuf = HOOK.iter().collect();
    let refused = |message: &str, hint: &str| {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        let subject = file.display().to_string();
        Box::new(diagnostic.with_subject(subject).hint(hint))
    };
    if !is_folder(&root.join(REPOSITORY)) {
        return Err(refused(
            "this directory is not the top of a git repository with hooks of its own",
            "run `git init`, or add `cogtools docs --check` to the hook of the repository",
        ));
    }
    let folder = root.join(REPOSITORY).join(HOOK[1]);
    if folder.symlink_metadata().is_ok() && !is_folder(&folder) {
        return Err(refused(
            "the folder of hooks is a link or a file",
            "add `cogtools docs --check` to the hook yourself",
        ));
    }
    if let Some(path) = hooks_path(root, io)? {
        let message = format!("git runs other hooks: core.hooksPath is set to `{path}`");
        return Err(refused(
            &message,
            "add `cogtools docs --check` to the hook there",
        ));
    }
    let text = include_str!("../starter/pre-commit");
    let path = root.join(&file);
    match path.symlink_metadata() {
        Err(_) => {
            let change = Change::new(root, file.clone(), None, text.to_owned());
            Ok(Step::Write(Change {
                executable: true,
                ..change
            }))
        }
        Ok(meta) if meta.is_file() && fs::read(&path).is_ok_and(|it| it == text.as_bytes()) => {
            Ok(Step::Keep(file))
        }
        Ok(_) => Err(refused(
            "the repository has this hook already",
            "add `cogtools docs --check` to it",
        )),
    }
}

/// The value of `core.hooksPath`, as git reads it.
fn hooks_path(root: &Path, io: &Io<'_>) -> Result<Option<String>, Box<Diagnostic>> {
    let failed = |message: String| {
        let hint = "leave out --docs-refresh git-hook, or check that git works: git --version";
        Box::new(Diagnostic::new(Code::IoFailed, message).hint(hint))
    };
    let git = SystemProgram::find("git", root, io)
        .ok_or_else(|| failed("`git` is not on PATH".to_owned()))?;
    let output = git
        .process(root)
        .args(["config", "--get", "core.hooksPath"])
        .timeout(TIMEOUT)
        .run(&io.signals.begin())
        .map_err(|error| failed(format!("`git` cannot be started: {error}")))?;
    match output.exit {
        Exit::Status(status) if status.success() => {
            let path = String::from_utf8_lossy(&output.stdout.bytes);
            Ok(Some(path.trim_end().to_owned()))
        }
        // Git's own status of a key without a value.
        Exit::Status(status) if status.code() == Some(1) => Ok(None),
        exit => Err(failed(format!("`git config` {}", exit.describe()))),
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}
