//! `set` and `unset`: changes of one key in one file.

use std::path::Path;

use cogtools_core::text::Text;
use cogtools_core::yaml;
use cogtools_core::{Code, Config, Diagnostic, Level, Location, Project, RuleLevel};
use cogtools_edit::{ConfigChange, ConfigFile, ConfigFileError};
use cogtools_lint::Levels;
use cogtools_program::dirs::config_paths;
use cogtools_program::project::{config, project};
use cogtools_program::{Failure, Io};
use serde_json::Value;

use super::key::Key;
use super::{Layer, location};

/// The name of the command line's value in errors.
const VALUE: &str = "VALUE";

/// Makes a change.
pub(crate) fn write(change: ConfigChange) -> Result<(), Failure> {
    let written = change.write();
    written.map_err(|error| Failure::from(error.diagnostics()))
}

/// The change that sets a key in a file.
pub(crate) fn plan_set(
    key: &Key,
    value: String,
    layer: Layer,
    io: &Io<'_>,
) -> Result<ConfigChange, Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let text =
        Text::new(VALUE, value.into_bytes()).map_err(|error| error.diagnostic(Code::Usage))?;
    let value = yaml::parse(&text)
        .map_err(|error| error.diagnostic(Code::Usage, &text))?
        .to_json();
    Config::check(&project, text, &key.segments(), file.origin()).map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            diagnostic.code = Code::Usage;
        }
        Failure::from(diagnostics)
    })?;
    check_rule(key, &value).map_err(Failure::from)?;
    file.plan_set(&project, &key.segments(), &value)
        .map_err(|error| Failure::from(error.diagnostics()))
}

/// Checks a level of a rule: `cogtools lint` fails if there is no such rule.
fn check_rule(key: &Key, value: &Value) -> Result<(), Vec<Diagnostic>> {
    let level = value.as_str().and_then(Level::parse);
    let (["lint", "rules", rule], Some(level)) = (&*key.segments(), level) else {
        return Ok(());
    };
    let one = RuleLevel {
        rule: (*rule).to_owned(),
        level,
        location: Location::new(Path::new(VALUE), "", 1, 1, 1),
    };
    let checked = Levels::new(&[one]).map(drop);
    checked.map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            diagnostic.code = Code::Usage;
            // The mistake is in the key.
            diagnostic.location = None;
        }
        diagnostics
    })
}

/// The change that removes a key from a file.
pub(crate) fn plan_unset(key: &Key, layer: Layer, io: &Io<'_>) -> Result<ConfigChange, Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let path = file.text().display_path().to_path_buf();
    let planned = file.plan_unset(&project, &key.segments());
    let change = planned.map_err(|error| Failure::from(error.diagnostics()))?;
    change.ok_or_else(|| not_set(&path, key, io, &project).into())
}

/// The file to change. A file of another user is not: it would become the user's own, with all
/// that it says.
fn file(layer: Layer, io: &Io<'_>, project: &Project) -> Result<ConfigFile, Failure> {
    if let (Layer::Project, Some(marker)) = (layer, project.foreign_marker()) {
        return Err(marker.diagnostic("it is not changed").into());
    }
    let file = match layer {
        Layer::Home => {
            let path = config_paths(io).home_file().ok_or(ConfigFileError::NoHome);
            path.and_then(|path| ConfigFile::home(&path))
        }
        Layer::Project => ConfigFile::project(project),
    };
    file.map_err(|error| Failure::from(error.diagnostics()))
}

/// The diagnostic for a key that is not set in the file, with where it is set instead.
fn not_set(path: &Path, key: &Key, io: &Io<'_>, project: &Project) -> Diagnostic {
    let (name, path) = (key.name(), path.display());
    let message = format!("`{name}` is not set in `{path}`");
    let diagnostic = Diagnostic::new(Code::Usage, message);
    let settings = config(project, io).map_or_else(|_| Vec::new(), |config| config.settings);
    match settings.iter().find(|setting| setting.key == name) {
        Some(setting) if setting.line.is_some() => {
            diagnostic.hint(format!("it is set at {}", location(setting)))
        }
        Some(setting) => diagnostic.hint(format!("it comes from {}", setting.origin)),
        None => diagnostic.hint("cogtools config list --show-origin shows where each key is set"),
    }
}
