//! `set` and `unset`: changes of one key in one file.

use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{self, Node};
use cogtools_core::{Code, Config, ConfigErrors, Diagnostic, Project};
use cogtools_program::dirs::config_paths;
use cogtools_program::project::{config, project};
use cogtools_program::{Failure, Io};

use crate::command::Layer;
use crate::edit::{self, EditError};
use crate::error::ConfigFileError;
use crate::file::File;
use crate::key::Key;
use crate::show;

/// The name of the command line's value in errors.
const VALUE: &str = "VALUE";

/// A change of a file that has not been made yet.
pub(crate) struct Change {
    file: File,
    edited: String,
}

/// Sets a key in a file.
pub(crate) fn set(key: &Key, value: String, layer: Layer, io: &Io<'_>) -> Result<(), Failure> {
    plan_set(key, value, layer, io)?.write()
}

/// Removes a key from a file.
pub(crate) fn unset(key: &Key, layer: Layer, io: &Io<'_>) -> Result<(), Failure> {
    plan_unset(key, layer, io)?.write()
}

impl Change {
    /// The file, for messages.
    pub(crate) fn file(&self) -> String {
        self.file.text().display_path().display().to_string()
    }

    /// The lines that are removed and added, each after its sign.
    pub(crate) fn preview(&self) -> String {
        let (before, after) = (self.file.text().as_str(), self.edited.as_str());
        let diff = similar::TextDiff::from_lines(before, after);
        let lines = diff.iter_all_changes();
        lines
            .filter(|line| line.tag() != similar::ChangeTag::Equal)
            .map(|line| format!("{} {}\n", line.tag(), line.value().trim_end()))
            .collect()
    }

    /// Makes the change.
    pub(crate) fn write(self) -> Result<(), Failure> {
        Ok(self.file.write(&self.edited)?)
    }
}

/// The change that sets a key in a file.
pub(crate) fn plan_set(
    key: &Key,
    value: String,
    layer: Layer,
    io: &Io<'_>,
) -> Result<Change, Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let text =
        Text::new(VALUE, value.into_bytes()).map_err(|error| error.diagnostic(Code::Usage))?;
    let value = yaml::parse(&text)
        .map_err(|error| error.diagnostic(Code::Usage, &text))?
        .to_json();
    Config::check(&project, text, &key.segments(), file.origin()).map_err(|error| {
        let mut diagnostics = error.diagnostics();
        for diagnostic in &mut diagnostics {
            diagnostic.code = Code::Usage;
        }
        Failure::from(diagnostics)
    })?;
    let root = parse(&file)?;
    let edited = edit::set(file.text().as_str(), &root, &key.segments(), &value)
        .map_err(|error| edit_diagnostic(&file, key, error))?;
    check(file, &project, edited)
}

/// The change that removes a key from a file.
pub(crate) fn plan_unset(key: &Key, layer: Layer, io: &Io<'_>) -> Result<Change, Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let root = parse(&file)?;
    match edit::unset(file.text().as_str(), &root, &key.segments()) {
        Some(Ok(edited)) => check(file, &project, edited),
        Some(Err(error)) => Err(edit_diagnostic(&file, key, error).into()),
        None => Err(not_set(&file, key, io, &project).into()),
    }
}

/// The file to change.
fn file(layer: Layer, io: &Io<'_>, project: &Project) -> Result<File, Failure> {
    let file = match layer {
        Layer::Home => {
            let path = config_paths(io)
                .home_file()
                .ok_or(ConfigFileError::NoHome)?;
            File::home(&path)
        }
        Layer::Project => File::project(project),
    };
    Ok(file?)
}

fn parse(file: &File) -> Result<Node, Failure> {
    yaml::parse(file.text())
        .map_err(|error| error.diagnostic(Code::InvalidConfig, file.text()).into())
}

/// The change to the new text, if it is a valid configuration.
fn check(file: File, project: &Project, edited: String) -> Result<Change, Failure> {
    let text = Text::new(file.text().display_path(), edited.as_bytes().to_vec())
        .map_err(|error| error.diagnostic(Code::InvalidConfig))?;
    Config::check(project, text, &[], file.origin()).map_err(ConfigErrors::diagnostics)?;
    Ok(Change { file, edited })
}

/// The diagnostic for an edit that would change something else too.
fn edit_diagnostic(file: &File, key: &Key, error: EditError) -> Diagnostic {
    let span = Span {
        start: error.at,
        end: error.at,
    };
    let name = key.name();
    let message = format!("`{name}` cannot be changed without changing the text around it");
    Diagnostic::new(Code::Usage, message)
        .at(file.text().location(span))
        .hint("nothing was written; edit the file by hand")
}

/// The diagnostic for a key that is not set in the file, with where it is set instead.
fn not_set(file: &File, key: &Key, io: &Io<'_>, project: &Project) -> Diagnostic {
    let (name, path) = (key.name(), file.text().display_path().display());
    let message = format!("`{name}` is not set in `{path}`");
    let diagnostic = Diagnostic::new(Code::Usage, message);
    let settings = config(project, io).map_or_else(|_| Vec::new(), |config| config.settings);
    match settings.iter().find(|setting| setting.key == name) {
        Some(setting) if setting.line.is_some() => {
            diagnostic.hint(format!("it is set at {}", show::location(setting)))
        }
        Some(setting) => diagnostic.hint(format!("it comes from {}", setting.origin)),
        None => diagnostic.hint("cogtools config list --show-origin shows where each key is set"),
    }
}
