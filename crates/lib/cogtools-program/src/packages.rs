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
    /// The command that makes them sources; without it, the user has to edit the
    /// configuration.
    pub command: Option<String>,
}

impl UnusedPackages {
    /// The remedy without the command.
    pub fn advice() -> String {
        format!(
            "add `- node_modules` to `tool_sources` in {}",
            Project::CONFIG
        )
    }
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
        command: command(project, config),
    })
}

/// The command that adds `node_modules` to the sources, if they are folders of the project.
fn command(project: &Project, config: &Config) -> Option<String> {
    let own = config.clone().without_user_folders();
    let folders = own.sources.iter();
    let folders = folders.map(|it| plain(&it.folder()?.path_below(project.root())?));
    let folders: Option<Vec<String>> = folders.collect();
    let folders = folders.filter(|folders| !folders.is_empty())?;
    let local = |folder: &String| format!("{{local: ./{folder}}}");
    let mut list: Vec<String> = folders.iter().map(local).collect();
    list.push("node_modules".to_owned());
    let value = quote(&format!("[{}]", list.join(", ")));
    Some(format!("cogtools config set tool_sources {value}"))
}

/// `path` as text that needs no quotes in YAML.
fn plain(path: &Path) -> Option<String> {
    let parts = path.components().map(|part| part.as_os_str().to_str());
    let text = parts.collect::<Option<Vec<&str>>>()?.join("/");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    (!text.is_empty() && text.chars().all(is_plain)).then_some(text)
}
