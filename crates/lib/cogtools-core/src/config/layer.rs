//! The layers of a configuration, each parsed into its own document.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::origin::Origin;
use super::{ConfigErrors, package};
use crate::file::ReadScope;
use crate::owner::{ForeignOwner, Owners};
use crate::process::SandboxMode;
use crate::source::{EDITOR_VARIABLES, GlobalModules};
use crate::suggest::did_you_mean;
use crate::text::{Span, Text, TextError};
use crate::yaml::{self, Data, Entry, Node};
use crate::{Code, Diagnostic, Project};

/// Where to look outside the project. Nothing, by default.
#[derive(Clone, Debug, Default)]
pub struct ConfigPaths {
    /// The system's file; see [`ConfigPaths::system_file`].
    pub system: Option<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The environment variables whose names begin with `COGTOOLS_`.
    pub variables: Vec<(String, String)>,
    /// The variables that the project may have set itself, through an `.env` that its
    /// host has read. They do not count as the user's.
    pub dotenv_variables: Vec<String>,
    /// The working directory, from which a project's `.env` is searched.
    pub directory: Option<PathBuf>,
    /// Whose projects are used.
    pub owners: Owners,
    /// Where npm installs global packages.
    pub packages: GlobalModules,
}

/// One layer's document.
pub(super) struct Layer {
    pub(super) origin: Origin,
    /// Whether the user has written it, rather than the author of the project.
    pub(super) is_user: bool,
    pub(super) text: Text,
    pub(super) document: Node,
    /// The folder that its paths are relative to: the full path and the display path.
    pub(super) folder: (PathBuf, PathBuf),
    /// The line of the whole document, for a value of another file.
    pub(super) line: Option<usize>,
}

/// The variables, each with the path of the key that it sets.
const VARIABLES: [(&str, &[&str]); 11] = [
    ("COGTOOLS_TOOL_SOURCES", &["tool_sources"]),
    ("COGTOOLS_INHERIT", &["inherit"]),
    ("COGTOOLS_ENV_PRIORITY", &["env_priority"]),
    (SandboxMode::VARIABLE, &["sandbox"]),
    ("COGTOOLS_BUDGET", &["budget"]),
    ("COGTOOLS_TOOLS", &["filter", "tools"]),
    ("COGTOOLS_EXCLUDE", &["filter", "exclude"]),
    ("COGTOOLS_TOOLSETS", &["filter", "toolsets"]),
    ("COGTOOLS_MODEL", &["ask", "model"]),
    ("COGTOOLS_PROVIDER", &["ask", "provider"]),
    ("COGTOOLS_BASE_URL", &["ask", "base_url"]),
];

impl ConfigPaths {
    /// The prefix of the variables' names.
    pub const PREFIX: &'static str = "COGTOOLS_";
    /// The name of the configuration file in a `.gemini` folder.
    pub const FILE: &'static str = "cogtoolrc.yaml";

    /// The names of the variables that set a key.
    pub const VARIABLES: [&'static str; VARIABLES.len()] = {
        let mut names = [""; VARIABLES.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = VARIABLES[at].0;
            at += 1;
        }
        names
    };

    /// The system's file on this platform, next to Gemini CLI's own settings.
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

    /// Variables of these names set no key: a warning for each.
    pub fn unknown_variables(&self) -> Vec<Diagnostic> {
        let names = self.variables.iter().map(|(name, _)| name);
        let unknown = names
            .filter(|name| keys_of(name).is_none())
            // These belong to the editor in which a terminal is.
            .filter(|name| *name != "COGTOOLS_LOG")
            .filter(|name| !EDITOR_VARIABLES.contains(&name.as_str()));
        unknown
            .map(|name| {
                let message = format!("the environment variable `{name}` sets nothing");
                let hint = did_you_mean(name, Self::VARIABLES)
                    .unwrap_or_else(|| "see cogtoolrc(5) for all variables".into());
                Diagnostic::new(Code::InvalidConfig, message).hint(hint)
            })
            .collect()
    }

    /// The user's file.
    pub fn home_file(&self) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        Some(home.join(".gemini").join(Self::FILE))
    }
}

/// The path of the key that the variable `name` sets, if it sets one.
pub(super) fn keys_of(name: &str) -> Option<&'static [&'static str]> {
    let found = VARIABLES.iter().find(|(known, _)| *known == name);
    found.map(|(_, keys)| *keys)
}

/// The layer in the file at `path`, if it exists.
pub(super) fn file(
    path: &Path,
    display_path: &Path,
    scope: &ReadScope,
    origin: fn(PathBuf) -> Origin,
) -> Result<Option<Layer>, ConfigErrors> {
    let accept = |_: &Metadata| Ok(());
    accepted_file(path, display_path, scope, origin, accept)
}

/// The same, if `accept` has nothing against the opened file.
pub(super) fn accepted_file(
    path: &Path,
    display_path: &Path,
    scope: &ReadScope,
    origin: fn(PathBuf) -> Origin,
    accept: impl FnOnce(&Metadata) -> Result<(), ForeignOwner>,
) -> Result<Option<Layer>, ConfigErrors> {
    let (text, meta) = match Text::read_with_meta(path, display_path, scope) {
        Ok(read) => read,
        Err(TextError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.diagnostic(Code::InvalidConfig).into()),
    };
    accept(&meta).map_err(|foreign| foreign.diagnostic("it is not used"))?;
    let document = parse(&text)?;
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    let origin = origin(display_path.to_path_buf());
    Ok(Some(Layer {
        is_user: origin.is_user(),
        origin,
        document,
        folder: (folder(path), folder(display_path)),
        text,
        line: None,
    }))
}

fn parse(text: &Text) -> Result<Node, ConfigErrors> {
    yaml::parse(text).map_err(|error| error.diagnostic(Code::InvalidConfig, text).into())
}

/// The key `cogtools` of the project's `package.json`, without `tools`, which is
/// for the package's users.
pub(super) fn package(project: &Project, owners: &Owners) -> Result<Option<Layer>, ConfigErrors> {
    let Some((text, value)) = project
        .package(owners)
        .map_err(|diagnostic| ConfigErrors::from(*diagnostic))?
    else {
        return Ok(None);
    };
    let (path, display_path) = project.resolve(Path::new(""));
    Ok(Some(Layer {
        origin: Origin::Package(text.display_path().to_path_buf()),
        is_user: false,
        document: package::document(&text, value),
        folder: (path, display_path),
        text,
        line: None,
    }))
}

/// Parses a variable into a document: its value is YAML.
pub(super) fn variable(
    project: &Project,
    name: &str,
    keys: &[&str],
    value: &str,
) -> Result<Layer, ConfigErrors> {
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
        is_user: true,
        document,
        folder: project.resolve(Path::new("")),
        text,
        line: None,
    })
}

/// A variable's value as a string node.
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

/// A document with `text` as the value at the path `keys`.
pub(super) fn from_text(
    text: Text,
    keys: &[&str],
    origin: Origin,
    project: &Project,
) -> Result<Layer, ConfigErrors> {
    Ok(Layer {
        document: nest(keys, parse(&text)?),
        folder: project.resolve(Path::new("")),
        is_user: origin.is_user(),
        origin,
        text,
        line: None,
    })
}

/// Nests `node` below the path `keys`.
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
