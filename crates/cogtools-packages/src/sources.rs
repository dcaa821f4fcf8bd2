//! The packages of a project, and the key of its configuration that makes their tools known.

use cogtools_core::source::{GlobalModules, Package, Packages};
use cogtools_core::{Config, Diagnostic, Origin, Project, Source};
use cogtools_edit::{ConfigFile, ConfigFileError};
use cogtools_program::{Failure, Io, dirs};
use serde_json::{Value, json};

/// The key of the configuration, and the source that all packages of a project are.
const KEY: &[&str] = &["tool_sources"];
const MODULES: &str = "node_modules";

/// The packages with tools that the project has installed, without the global ones.
pub(crate) fn installed(project: &Project, io: &Io<'_>) -> Vec<Package> {
    let owners = dirs::config_paths(io).owners;
    let (root, display_path) = (project.root(), project.display_path());
    let packages = Packages::new(
        root.to_path_buf(),
        display_path.to_path_buf(),
        GlobalModules::default(),
        owners,
    );
    packages.packages().0
}

/// Lists the packages of `project` among its sources. Returns whether that was a change.
pub(crate) fn list_packages(project: &Project, config: &Config) -> Result<bool, Failure> {
    let mut sources = config.sources.iter();
    if sources.any(|source| matches!(source, Source::Packages(_))) {
        return Ok(false);
    }
    let file = ConfigFile::project(project).map_err(failure)?;
    let mut items = match file.value(KEY).map_err(failure)? {
        Some(Value::Array(items)) => items,
        _ => manifest_items(config),
    };
    items.push(MODULES.into());
    file.set(project, KEY, &items.into()).map_err(failure)?;
    Ok(true)
}

/// Removes the packages of `project` from its sources. Returns whether that was a change.
pub(crate) fn unlist_packages(project: &Project) -> Result<bool, Failure> {
    let file = ConfigFile::project(project).map_err(failure)?;
    let Some(Value::Array(mut items)) = file.value(KEY).map_err(failure)? else {
        return Ok(false);
    };
    let before = items.len();
    items.retain(|item| item != MODULES);
    if items.len() == before {
        return Ok(false);
    }
    if items == default_items() {
        file.unset(project, KEY).map_err(failure)?;
    } else {
        file.set(project, KEY, &items.into()).map_err(failure)?;
    }
    Ok(true)
}

/// The sources in `package.json`, which `.cogtoolrc.yaml` would replace, or else the default.
fn manifest_items(config: &Config) -> Vec<Value> {
    let mut settings = config.settings.iter();
    let setting = settings.find(|setting| setting.key == KEY[0]);
    let is_manifest = |origin: &Origin| matches!(origin, Origin::Package(_));
    match setting.filter(|setting| is_manifest(&setting.origin)) {
        Some(setting) => setting.value.as_array().cloned().unwrap_or_default(),
        None => default_items(),
    }
}

fn default_items() -> Vec<Value> {
    vec![json!({"local": "./tools"})]
}

fn failure(error: ConfigFileError) -> Failure {
    let diagnostics: Vec<Diagnostic> = error.diagnostics();
    diagnostics.into()
}
