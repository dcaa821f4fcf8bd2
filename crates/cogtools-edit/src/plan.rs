//! What a run will do to which files, before it does anything.
//!
//! A plan can be shown as a diff or applied; both speak of the same bytes.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use cogtools_core::file::WritePath;
use serde_json::{Value, json};
use similar::TextDiff;

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is as it should be.
    Keep(PathBuf),
    /// It is written.
    Write(Change),
}

/// New content for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file as the user knows it, relative to the project.
    pub file: PathBuf,
    /// Where it is written.
    pub target: WritePath,
    /// What it says; `None` when there is no such file.
    pub before: Option<String>,
    /// What it will say.
    pub after: String,
    /// Whether a new file is a program.
    pub executable: bool,
}

/// All that a run will do, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One step a file.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The files that are written.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.steps.iter().filter_map(|step| match step {
            Step::Keep(_) => None,
            Step::Write(change) => Some(change),
        })
    }

    /// The plan as a unified diff that `git apply` understands; empty when there
    /// is nothing to do.
    pub fn diff(&self) -> String {
        self.changes().map(Change::diff).collect()
    }

    /// The plan as a JSON object, ending with a line feed; of a `dry` run with what
    /// would change.
    pub fn json(&self, dry: bool) -> String {
        let files = self.steps.iter().map(|step| {
            let (word, file) = step.word();
            let mut object = json!({"file": file.display().to_string(), "action": word});
            if let (true, Step::Write(change)) = (dry, step) {
                object["diff"] = change.diff().into();
            }
            object
        });
        let files: Vec<Value> = files.collect();
        format!("{:#}\n", json!({"written": !dry, "files": files}))
    }

    /// The plan as lines of one word and one file.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let (word, file) = step.word();
            let _ = writeln!(text, "{word} {}", file.display());
        }
        text
    }
}

impl Step {
    fn word(&self) -> (&'static str, &Path) {
        match self {
            Self::Keep(file) => ("unchanged", file),
            Self::Write(change) => (change.word(), &change.file),
        }
    }
}

impl Change {
    /// That `file`, relative to `project` or the user's own, says `after` instead of
    /// `before`.
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

    const fn word(&self) -> &'static str {
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
        let diff = TextDiff::from_lines(before, &self.after);
        let mut diff = diff.unified_diff();
        let _ = write!(text, "{}", diff.header(&old, &format!("b/{name}")));
        text
    }
}

/// `path` with slashes and from the root, as diffs have it on every system.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .filter(|part| !matches!(part, Component::RootDir | Component::Prefix(_)))
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}
