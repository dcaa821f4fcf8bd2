//! `set` and `unset`: one file, one key.

use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{self, Node};
use cogtools_core::{Code, Config, ConfigErrors, Diagnostic, Project};
use cogtools_program::dirs::config_paths;
use cogtools_program::project::{config, project};
use cogtools_program::{Failure, Io};

use crate::command::Layer;
use crate::edit::{self, Refused};
use crate::file::File;
use crate::key::Key;
use crate::refusal::Refusal;
use crate::show;

/// What an error calls the value on the command line.
const VALUE: &str = "VALUE";

/// Sets a key in a file.
pub(crate) fn set(key: &Key, value: String, layer: Layer, io: &Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let text = Text::new(VALUE, value.into_bytes());
    let text = text.map_err(|error| error.diagnostic(Code::Usage))?;
    let value = yaml::parse(&text).map_err(|error| error.diagnostic(Code::Usage, &text))?;
    let value = value.to_json();
    Config::check(&project, text, &key.segments(), file.origin()).map_err(|error| {
        let mut diagnostics = error.diagnostics();
        for diagnostic in &mut diagnostics {
            diagnostic.code = Code::Usage;
        }
        Failure::from(diagnostics)
    })?;
    let root = parse(&file)?;
    let edited = edit::set(file.text().as_str(), &root, &key.segments(), &value);
    let edited = edited.map_err(|refused| by_hand(&file, key, refused))?;
    write(&file, &project, &edited)
}

/// Takes a key away from a file.
pub(crate) fn unset(key: &Key, layer: Layer, io: &Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let file = file(layer, io, &project)?;
    let root = parse(&file)?;
    match edit::unset(file.text().as_str(), &root, &key.segments()) {
        Some(Ok(edited)) => write(&file, &project, &edited),
        Some(Err(refused)) => Err(by_hand(&file, key, refused).into()),
        None => Err(not_there(&file, key, io, &project).into()),
    }
}

/// The file to change.
fn file(layer: Layer, io: &Io<'_>, project: &Project) -> Result<File, Failure> {
    let file = match layer {
        Layer::Home => {
            let path = config_paths(io).home_file().ok_or(Refusal::NoHome)?;
            File::home(&path)
        }
        Layer::Project => File::project(project),
    };
    Ok(file?)
}

fn parse(file: &File) -> Result<Node, Failure> {
    let parsed = yaml::parse(file.text());
    parsed.map_err(|error| error.diagnostic(Code::InvalidConfig, file.text()).into())
}

/// Writes the new text, if it is a configuration.
fn write(file: &File, project: &Project, edited: &str) -> Result<(), Failure> {
    let text = Text::new(file.text().display_path(), edited.as_bytes().to_vec());
    let text = text.map_err(|error| error.diagnostic(Code::InvalidConfig))?;
    Config::check(project, text, &[], file.origin()).map_err(ConfigErrors::diagnostics)?;
    file.write(edited)?;
    Ok(())
}

/// An edit that cannot be made without touching something else.
fn by_hand(file: &File, key: &Key, refused: Refused) -> Diagnostic {
    let span = Span {
        start: refused.at,
        end: refused.at,
    };
    let name = key.name();
    let message = format!("`{name}` cannot be changed here without changing what is around it");
    Diagnostic::new(Code::Usage, message)
        .at(file.text().location(span))
        .hint("nothing was written; edit the file by hand")
}

/// A key that is not set in the file, and where it is set instead.
fn not_there(file: &File, key: &Key, io: &Io<'_>, project: &Project) -> Diagnostic {
    let (name, shown) = (key.name(), file.text().display_path().display());
    let message = format!("`{name}` is not set in `{shown}`");
    let diagnostic = Diagnostic::new(Code::Usage, message);
    let settings = config(project, io).map_or_else(|_| Vec::new(), |config| config.settings);
    match settings.iter().find(|setting| setting.key == name) {
        Some(setting) if setting.line.is_some() => {
            diagnostic.hint(format!("it is set at {}", show::place(setting)))
        }
        Some(setting) => diagnostic.hint(format!("it comes from {}", setting.origin)),
        None => diagnostic.hint("cogtools config list --show-origin shows what is set where"),
    }
}
