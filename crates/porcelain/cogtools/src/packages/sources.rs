//! The packages of a project, and the key of its configuration that makes their tools known.

use cogtools_core::source::{GlobalModules, Package, Packages};
use cogtools_core::{Code, Config, Diagnostic, Origin, Project, Setting, Source};
use cogtools_edit::{ConfigChange, ConfigFile, ConfigFileError};
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

/// Whether `config` already has packages as a source. A failure if the list of sources is in a
/// file that is not edited here.
pub(crate) fn has_packages(config: &Config) -> Result<bool, Failure> {
    let mut sources = config.sources.iter();
    if sources.any(|source| matches!(source, Source::Packages(_))) {
        return Ok(true);
    }
    let mut settings = config.settings.iter();
    let setting = settings.find(|setting| setting.key == KEY[0]);
    let is_elsewhere = |origin: &Origin| {
        let is_edited = matches!(origin, Origin::Project(_) | Origin::BuiltIn);
        let is_users = matches!(origin, Origin::System(_) | Origin::Home(_));
        !is_edited && !is_users
    };
    let mut origins = setting.into_iter().flat_map(Setting::origins);
    match origins.find(|(origin, _)| is_elsewhere(origin)) {
        Some((origin, _)) => {
            let message = format!("`tool_sources` is set in {origin}, without `node_modules`");
            Err(Diagnostic::new(Code::InvalidConfig, message)
                .hint("add `node_modules` to that list, then run this again")
                .into())
        }
        None => Ok(false),
    }
}

/// Lists the packages of `project` among its sources.
pub(crate) fn list_packages(project: &Project) -> Result<(), Failure> {
    let file = ConfigFile::project(project).map_err(failure)?;
    let mut items = match file.value(KEY).map_err(failure)? {
        Some(Value::Array(items)) => items,
        _ => default_items(),
    };
    items.push(MODULES.into());
    let change = file.plan_set(project, KEY, &items.into());
    change.and_then(ConfigChange::write).map_err(failure)
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
    let change = if items == default_items() {
        file.plan_unset(project, KEY).map_err(failure)?
    } else {
        let change = file.plan_set(project, KEY, &items.into());
        Some(change.map_err(failure)?)
    };
    match change {
        Some(change) => change.write().map(|()| true).map_err(failure),
        None => Ok(false),
    }
}

fn default_items() -> Vec<Value> {
    vec![json!({"local": "./tools"})]
}

fn failure(error: ConfigFileError) -> Failure {
    let diagnostics: Vec<Diagnostic> = error.diagnostics();
    diagnostics.into()
}
