//! Files of the project that no program reads, because of their name or because they are
//! links to nothing.

use std::path::{Path, PathBuf};

use cogtools_core::text::Text;
use cogtools_core::{Folder, Project};
use cogtools_program::call::quote;

use crate::remedy::Remedy;
use crate::tools::is_dangling;

/// A file that is not read.
#[derive(Debug)]
pub(crate) struct StrayFile {
    /// Its path, as shown.
    pub(crate) display_path: PathBuf,
    /// True if it is in place of the configuration, not of a tool.
    pub(crate) is_configuration: bool,
    kind: StrayKind,
}

/// Why a file is not read.
#[derive(Debug, PartialEq, Eq)]
enum StrayKind {
    /// A tool whose extension is `yml`.
    Tool { is_taken: bool },
    /// A configuration with another name.
    Configuration { is_taken: bool },
    /// A link to nothing.
    Link,
}

/// Names that users give the configuration by mistake.
const CONFIGURATIONS: [&str; 3] = [".cogtoolrc.yml", "cogtoolrc.yaml", "cogtoolrc.yml"];

/// The text by which a file is probably a tool.
const TOOL_KEY: &str = "\nimplementation:";

/// The number of unread files that are looked at in a folder.
const MAX_FILES: usize = 1000;

/// The stray files of `project`, whose tools are in `folders`.
pub(crate) fn find<'f>(
    project: &Project,
    folders: impl Iterator<Item = &'f Folder>,
) -> Vec<StrayFile> {
    let mut found = configurations(project);
    for folder in folders.flat_map(Folder::toolsets) {
        let entries = std::fs::read_dir(folder.path()).into_iter().flatten();
        let mut names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .take(MAX_FILES)
            .collect();
        names.sort_unstable();
        for name in names {
            let path = folder.path().join(&name);
            if let Some(kind) = classify(&path, &folder) {
                let display_path = folder.display_path().join(&name);
                found.push(StrayFile {
                    display_path,
                    is_configuration: false,
                    kind,
                });
            }
        }
    }
    found
}

fn configurations(project: &Project) -> Vec<StrayFile> {
    let mut found = Vec::new();
    let (path, _) = project.resolve(Path::new(Project::CONFIG));
    let is_taken = path.symlink_metadata().is_ok();
    let stray = |display_path, kind| StrayFile {
        display_path,
        is_configuration: true,
        kind,
    };
    for name in CONFIGURATIONS {
        let (path, display_path) = project.resolve(Path::new(name));
        if path.is_file() {
            found.push(stray(display_path, StrayKind::Configuration { is_taken }));
        }
    }
    found
}

fn classify(path: &Path, folder: &Folder) -> Option<StrayKind> {
    let extension = path.extension();
    // Links in place of tools are reported with the tools.
    if extension.is_none_or(|extension| extension != "yaml") && is_dangling(path) {
        return Some(StrayKind::Link);
    }
    if extension? != "yml" {
        return None;
    }
    let text = Text::read(path, path, folder.scope()).ok()?;
    let text = format!("\n{}", text.as_str());
    let is_taken = path.with_extension("yaml").symlink_metadata().is_ok();
    text.contains(TOOL_KEY)
        .then_some(StrayKind::Tool { is_taken })
}

impl StrayFile {
    /// The message of the finding.
    pub(crate) fn message(&self) -> String {
        let file = self.display_path.display();
        match self.kind {
            StrayKind::Tool { .. } => {
                format!("{file} is not read: the names of tool files end in `.yaml`")
            }
            StrayKind::Configuration { .. } => {
                format!(
                    "{file} is not read: the configuration is `{}`",
                    Project::CONFIG
                )
            }
            StrayKind::Link => format!("{file} is a link to a file that does not exist"),
        }
    }

    /// The remedy of the finding.
    pub(crate) fn remedy(&self) -> Remedy {
        let file = self.display_path.display().to_string();
        let (right, is_taken) = match self.kind {
            StrayKind::Tool { is_taken } => (self.display_path.with_extension("yaml"), is_taken),
            StrayKind::Configuration { is_taken } => {
                (self.display_path.with_file_name(Project::CONFIG), is_taken)
            }
            StrayKind::Link => return Remedy::Command(format!("rm {}", quote(&file))),
        };
        let right = right.display().to_string();
        if is_taken {
            Remedy::Advice(format!(
                "move what you need from {file} to {right}, and remove it"
            ))
        } else {
            Remedy::Command(format!("mv {} {}", quote(&file), quote(&right)))
        }
    }
}
