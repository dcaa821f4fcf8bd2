//! The changes that a run will make, planned before it makes any.
//!
//! A plan can be shown as a diff or applied; both describe the same bytes.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use cogtools_core::file::WritePath;
use cogtools_core::text;
use serde_json::{Value, json};

/// The action on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Leave it unchanged.
    Keep(PathBuf),
    /// Write it.
    Write(Change),
}

/// New content for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path to display, relative to the project.
    pub file: PathBuf,
    /// The path to write.
    pub target: WritePath,
    /// The current content; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new content.
    pub after: String,
    /// True if a new file is made executable.
    pub executable: bool,
}

/// The steps of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One step per file.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The files to write.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.steps.iter().filter_map(|step| match step {
            Step::Keep(_) => None,
            Step::Write(change) => Some(change),
        })
    }

    /// The plan as a unified diff that `git apply` accepts; empty if there is nothing
    /// to do.
    pub fn diff(&self) -> String {
        self.changes().map(Change::diff).collect()
    }

    /// The plan as a JSON object, ending with a line feed; with diffs if `dry_run`.
    pub fn json(&self, dry_run: bool) -> String {
        let files = self.steps.iter().map(|step| {
            let (action, file) = step.action();
            let mut object = json!({"file": file.display().to_string(), "action": action});
            if let (true, Step::Write(change)) = (dry_run, step) {
                object["diff"] = change.diff().into();
            }
            object
        });
        let files: Vec<Value> = files.collect();
        format!("{:#}\n", json!({"written": !dry_run, "files": files}))
    }

    /// The plan as lines, each with an action and a file.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let (action, file) = step.action();
            let _ = writeln!(text, "{action} {}", file.display());
        }
        text
    }
}

impl Step {
    fn action(&self) -> (&'static str, &Path) {
        match self {
            Self::Keep(file) => ("unchanged", file),
            Self::Write(change) => (change.action(), &change.file),
        }
    }
}

impl Change {
    /// A change of `file` from `before` to `after`. A relative `file` is in `project`;
    /// an absolute one belongs to the user.
    pub fn new(project: &Path, file: PathBuf, before: Option<String>, after: String) -> Self {
        let target = if file.is_absolute() {
            WritePath::of_user(&file)
        } else {
            WritePath::in_project(project, &file)
        };
        Self {
            file,
            target,
            before,
            after,
            executable: false,
        }
    }

    const fn action(&self) -> &'static str {
        match self.before {
            None => "created",
            Some(_) => "updated",
        }
    }

    fn diff(&self) -> String {
        let name = slashed(&self.file);
        let mode = if self.executable { "100755" } else { "100644" };
        let mut text = format!("diff --git a/{name} b/{name}\n");
        let old = if self.before.is_some() {
            format!("a/{name}")
        } else {
            let _ = writeln!(text, "new file mode {mode}");
            "/dev/null".to_owned()
        };
        let before = self.before.as_deref().unwrap_or("");
        let diff = text::compare(before, &self.after);
        let mut diff = diff.unified_diff();
        let _ = write!(text, "{}", diff.header(&old, &format!("b/{name}")));
        text
    }
}

/// `path` with slashes and without a root, the form of diffs on every system.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .filter(|part| !matches!(part, Component::RootDir | Component::Prefix(_)))
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}
