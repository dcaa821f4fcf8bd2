//! Installed packages with tools that the project does not use.

use std::path::Path;

use cogtools_core::source::{GlobalModules, Packages};
use cogtools_core::{Config, Project, Source};

use crate::call::quote;
use crate::dirs;
use crate::io::Io;

/// Packages that a project depends on, with tools, while none of its sources is
/// `node_modules`.
#[derive(Debug)]
pub struct UnusedPackages {
    /// Their names.
    pub names: Vec<String>,
    /// What to do to use them.
    pub fix: String,
}

/// Finds the unused packages of `project`. Only packages that it names itself are opened, and
/// nothing in them runs.
pub fn unused(project: &Project, config: &Config, io: &Io<'_>) -> Option<UnusedPackages> {
    let is_packages = |source: &Source| matches!(source, Source::Packages(_));
    if config.sources.iter().any(is_packages) {
        return None;
    }
    let (root, display_path) = project.resolve(Path::new(""));
    // Global packages are not the project's to offer.
    let none = GlobalModules::default();
    let (found, _) = Packages::new(root, display_path, none, dirs::owners(io)).packages();
    let names: Vec<String> = found.into_iter().map(|package| package.name).collect();
    (!names.is_empty()).then(|| UnusedPackages {
        names,
        fix: fix(project, config),
    })
}

/// The command that adds `node_modules` to the sources, if they are folders of the project.
fn fix(project: &Project, config: &Config) -> String {
    let own = config.clone().without_user_folders();
    let folders: Option<Vec<String>> = own
        .sources
        .iter()
        .map(|source| plain(&source.folder()?.path_below(project.root())?))
        .collect();
    match folders {
        Some(folders) if !folders.is_empty() => {
            let list: String = folders
                .iter()
                .map(|folder| format!("{{local: ./{folder}}}, "))
                .collect();
            let value = quote(&format!("[{list}node_modules]"));
            format!("cogtools config set tool_sources {value}")
        }
        _ => format!(
            "add `- node_modules` to `tool_sources` in {}",
            Project::CONFIG
        ),
    }
}

/// `path` as text that needs no quotes in YAML.
fn plain(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect();
    let text = parts?.join("/");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    (!text.is_empty() && text.chars().all(is_plain)).then_some(text)
}
