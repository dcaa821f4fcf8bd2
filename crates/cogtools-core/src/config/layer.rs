//! The places of a configuration, each read into a document of its own.

use std::path::{Path, PathBuf};

use super::origin::Origin;
use super::{ConfigErrors, package};
use crate::source::GlobalModules;
use crate::suggest::did_you_mean;
use crate::text::{Span, Text, TextError};
use crate::yaml::{self, Data, Entry, Node};
use crate::{Code, Diagnostic, Project};

/// Where to look beyond the project. Nothing, by default.
#[derive(Clone, Debug, Default)]
pub struct ConfigPaths {
    /// The machine's file; see [`ConfigPaths::system_file`].
    pub system: Option<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The environment variables whose names begin with `COGTOOLS_`.
    pub variables: Vec<(String, String)>,
    /// Those of them that the project may have set itself, by an `.env` that its
    /// host has read: they are not the user's word.
    pub shipped: Vec<String>,
    /// Where npm puts packages for everybody.
    pub packages: GlobalModules,
}

/// One place's document.
pub(super) struct Layer {
    pub(super) origin: Origin,
    /// Whether whoever runs us has written it, and not whoever wrote the project.
    pub(super) own: bool,
    pub(super) text: Text,
    pub(super) document: Node,
    /// The folder that its paths are relative to, in full and as its user knows it.
    pub(super) folder: (PathBuf, PathBuf),
}

/// The keys that a variable can set, each in one word.
const VARIABLES: [(&str, &[&str]); 6] = [
    ("COGTOOLS_TOOL_SOURCES", &["tool_sources"]),
    ("COGTOOLS_ENV_PRIORITY", &["env_priority"]),
    ("COGTOOLS_BUDGET", &["budget"]),
    ("COGTOOLS_TOOLS", &["filter", "tools"]),
    ("COGTOOLS_EXCLUDE", &["filter", "exclude"]),
    ("COGTOOLS_TOOLSETS", &["filter", "toolsets"]),
];

impl ConfigPaths {
    /// How the names of variables begin.
    pub const PREFIX: &'static str = "COGTOOLS_";
    /// The name of the configuration in a folder of Gemini's.
    pub const FILE: &'static str = "cogtoolrc.yaml";

    /// The names of the variables that set something.
    pub const VARIABLES: [&'static str; VARIABLES.len()] = {
        let mut names = [""; VARIABLES.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = VARIABLES[at].0;
            at += 1;
        }
        names
    };

    /// The machine's file on this system, beside Gemini CLI's own settings.
    pub fn system_file() -> PathBuf {
        let folder = if cfg!(target_os = "macos") {
            "/Library/Application Support/GeminiCli"
        } else if cfg!(windows) {
            r"C:\ProgramData\gemini-cli"
        } else {
            "/etc/gemini-cli"
        };
        Path::new(folder).join(Self::FILE)
    }

    /// The user's own file.
    pub fn home_file(&self) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        Some(home.join(".gemini").join(Self::FILE))
    }
}

/// All layers of `project`, in the order in which later ones win.
pub(super) fn layers(project: &Project, places: &ConfigPaths) -> Result<Vec<Layer>, ConfigErrors> {
    let mut layers = Vec::new();
    if let Some(path) = &places.system {
        layers.extend(file(path, path, Origin::System)?);
    }
    if let Some(path) = places.home_file() {
        layers.extend(file(&path, &path, Origin::Home)?);
    }
    layers.extend(package(project)?);
    let (path, display_path) = project.resolve(Path::new(Project::CONFIG));
    layers.extend(file(&path, &display_path, Origin::Project)?);
    for (name, value) in &places.variables {
        let mut layer = variable(project, name, value)?;
        layer.own &= !places.shipped.contains(name);
        layers.push(layer);
    }
    Ok(layers)
}

fn file(
    path: &Path,
    display_path: &Path,
    origin: fn(PathBuf) -> Origin,
) -> Result<Option<Layer>, ConfigErrors> {
    let text = match Text::read(path, display_path) {
        Ok(text) => text,
        Err(TextError::Absent(_)) => return Ok(None),
        Err(error) => return Err(error.diagnostic(Code::InvalidConfig).into()),
    };
    let document = parse(&text)?;
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    let origin = origin(display_path.to_path_buf());
    Ok(Some(Layer {
        own: origin.is_own(),
        origin,
        document,
        folder: (folder(path), folder(display_path)),
        text,
    }))
}

fn parse(text: &Text) -> Result<Node, ConfigErrors> {
    yaml::parse(text).map_err(|error| error.diagnostic(Code::InvalidConfig, text).into())
}

/// What the project's `package.json` says under `cogtools`, without the key
/// `tools`, which is for those who install the package.
fn package(project: &Project) -> Result<Option<Layer>, ConfigErrors> {
    let Some((text, value)) = project
        .package()
        .map_err(|diagnostic| ConfigErrors::from(*diagnostic))?
    else {
        return Ok(None);
    };
    let (path, display_path) = project.resolve(Path::new(""));
    Ok(Some(Layer {
        origin: Origin::Package(text.display_path().to_path_buf()),
        own: false,
        document: package::document(&text, value),
        folder: (path, display_path),
        text,
    }))
}

/// A variable as a document of its own: its value is YAML.
fn variable(project: &Project, name: &str, value: &str) -> Result<Layer, ConfigErrors> {
    let found = VARIABLES.iter().find(|(known, _)| *known == name);
    let Some((_, keys)) = found else {
        let message = format!("the environment variable `{name}` sets nothing");
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        let meant = did_you_mean(name, ConfigPaths::VARIABLES);
        let meant = meant.unwrap_or_else(|| "see cogtoolrc(5) for the variables there are".into());
        return Err(diagnostic.hint(meant).into());
    };
    let display_path = PathBuf::from(format!("${name}"));
    let failed = |error: TextError| error.diagnostic(Code::InvalidConfig);
    let text = Text::new(display_path, value.as_bytes().to_vec()).map_err(failed)?;
    // Names are easier to write without quotes and brackets.
    let names = keys.len() > 1 && !value.trim_start().starts_with('[');
    let node = if names {
        string_node(&text)
    } else {
        parse(&text)?
    };
    let document = nest(keys, node);
    Ok(Layer {
        origin: Origin::Variable(name.to_owned()),
        own: true,
        document,
        folder: project.resolve(Path::new("")),
        text,
    })
}

/// A variable's value as the string that it is.
fn string_node(text: &Text) -> Node {
    let end = text.as_str().len();
    let data = Data::Text {
        text: text.as_str().to_owned(),
        block: None,
    };
    Node {
        data,
        span: Span { start: 0, end },
    }
}

/// A document of its own: `text` as the value of the key that `keys` lead to.
pub(super) fn from_text(
    text: Text,
    keys: &[&str],
    origin: Origin,
    project: &Project,
) -> Result<Layer, ConfigErrors> {
    Ok(Layer {
        document: nest(keys, parse(&text)?),
        folder: project.resolve(Path::new("")),
        own: origin.is_own(),
        origin,
        text,
    })
}

/// `node` as the value of the key that `keys` lead to.
fn nest(keys: &[&str], node: Node) -> Node {
    keys.iter().rev().fold(node, |value, key| {
        let span = value.span;
        let key = (*key).to_owned();
        let entry = Entry { key, span, value };
        Node {
            data: Data::Map(vec![entry]),
            span,
        }
    })
}
