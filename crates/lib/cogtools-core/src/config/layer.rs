//! The layers of a configuration, in order of increasing precedence, each parsed into its own
//! document.

use std::fmt::{self, Display, Formatter};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::environment::{EnvPriority, Environment, Vars};
use crate::file::{ReadScope, descends};
use crate::owner::{ForeignOwner, Owners};
use crate::process::SandboxMode;
use crate::source::{EDITOR_VARIABLES, GlobalModules, Packages};
use crate::text::{self, Span, Text, TextError};
use crate::yaml::{self, Data, Entry, Node};
use crate::{Code, Diagnostic, Project};

/// The variables in a project's `.env` that set a key: they only choose among the tools.
///
/// Hosts load the file into the environment, so that these variables count there anyway;
/// here they count for every caller. They are the project's, like its other files, and
/// add to the filters of the user: a file in a clone can hide tools and cannot add any.
/// All others could name programs or loosen a setting, and set nothing.
const CHOOSING: [&str; 3] = ["COGTOOLS_TOOLS", "COGTOOLS_EXCLUDE", "COGTOOLS_TOOLSETS"];
/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// The key for the users of the package, which the project ignores.
const EXPORTED_TOOLS: &str = "tools";

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

/// The origins of a setting, in order of increasing precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
    BuiltIn,
    /// The system's file, for all users.
    System(PathBuf),
    /// The user's file.
    Home(PathBuf),
    /// The project's file in the folder of Gemini CLI's settings.
    HostFolder(PathBuf),
    /// The key `cogtools` of the project's `package.json`.
    Package(PathBuf),
    /// The project's `.cogtoolrc.yaml`.
    Project(PathBuf),
    /// A variable in the project's `.env`.
    DotEnv(PathBuf),
    /// An environment variable.
    Variable(String),
}

/// One layer's document.
pub(super) struct Layer {
    pub(super) origin: Origin,
    pub(super) text: Text,
    pub(super) document: Node,
    /// The author, and the folder of paths.
    pub(super) place: Arc<Place>,
    /// The line of the whole document, for a value of another file.
    pub(super) line: Option<usize>,
}

/// The meaning of paths in a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// The folder that they are relative to: the full path and the display path.
    pub(super) folder: (PathBuf, PathBuf),
    /// True if the user has written the layer, rather than the author of the project.
    pub(super) is_user: bool,
}

/// The part of paths that is the same for every layer.
#[derive(Clone, Debug)]
pub(super) struct Base<'p> {
    /// The project's root.
    pub(super) root: PathBuf,
    /// The user's home directory.
    pub(super) home: Option<&'p Path>,
    /// The source for `node_modules`.
    pub(super) packages: Packages,
}

/// An error in a path.
#[derive(Debug, thiserror::Error)]
pub(super) enum PathError {
    #[error("`~` is the home directory, and HOME is not set")]
    NoHome,
    #[error("`{0}` is not a path: only `~` itself is expanded, to the home directory")]
    OtherHome(String),
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
    /// Returns true if a project's `.env` may set the variable `name`.
    pub fn may_be_in_dotenv(name: &str) -> bool {
        CHOOSING.contains(&name)
    }

    /// The prefix of the variables' names.
    pub const PREFIX: &'static str = "COGTOOLS_";
    /// The name of the configuration file in a `.gemini` folder.
    pub const FILE: &'static str = "cogtoolrc.yaml";

    /// Returns the names of the variables that set a key.
    pub fn variable_names() -> impl Iterator<Item = &'static str> {
        VARIABLES.iter().map(|(name, _)| *name)
    }

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
        let unknown = names.filter(|name| Self::is_unknown_variable(name));
        unknown
            .map(|name| {
                let message = format!("the environment variable `{name}` sets nothing");
                let otherwise = "see cogtoolrc(5) for all variables";
                let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
                diagnostic.meant_or(name, Self::variable_names(), otherwise)
            })
            .collect()
    }

    /// Returns true if `name` is a variable of cogtools that sets nothing.
    pub fn is_unknown_variable(name: &str) -> bool {
        name.starts_with("COGTOOLS_")
            && keys_of(name).is_none()
            && name != "COGTOOLS_LOG"
            // These belong to the editor in which a terminal is.
            && !EDITOR_VARIABLES.contains(&name)
    }

    /// The user's file.
    pub fn home_file(&self) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        Some(home.join(".gemini").join(Self::FILE))
    }
}

/// The path of the key that the variable `name` sets, if it sets one.
fn keys_of(name: &str) -> Option<&'static [&'static str]> {
    let found = VARIABLES.iter().find(|(known, _)| *known == name);
    found.map(|(_, keys)| *keys)
}

/// Reads the layer in the file at `path`, if it exists and `accept` has nothing against it.
fn file(
    (path, display_path): (&Path, &Path),
    scope: &ReadScope,
    origin: fn(PathBuf) -> Origin,
    accept: impl FnOnce(&Metadata) -> Result<(), ForeignOwner>,
) -> Result<Option<Layer>, Vec<Diagnostic>> {
    let (text, meta) = match Text::read_with_meta(path, display_path, scope) {
        Ok(read) => read,
        Err(TextError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(vec![error.diagnostic(Code::InvalidConfig)]),
    };
    accept(&meta).map_err(|foreign| vec![foreign.diagnostic("it is not used")])?;
    let document = parse(&text)?;
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    let folder = (folder(path), folder(display_path));
    let origin = origin(display_path.to_path_buf());
    Ok(Some(Layer::new(origin, text, document, folder)))
}

fn parse(text: &Text) -> Result<Node, Vec<Diagnostic>> {
    yaml::parse(text).map_err(|error| vec![error.diagnostic(Code::InvalidConfig, text)])
}

/// Reads the key `cogtools` of the project's `package.json`, without `tools`, which is
/// for the package's users.
fn package(project: &Project, owners: &Owners) -> Result<Option<Layer>, Vec<Diagnostic>> {
    let package = project.package(owners);
    let Some((text, value)) = package.map_err(|diagnostic| vec![*diagnostic])? else {
        return Ok(None);
    };
    let origin = Origin::Package(text.display_path().to_path_buf());
    let document = package_document(&text, value);
    let folder = project.resolve(Path::new(""));
    Ok(Some(Layer::new(origin, text, document, folder)))
}

/// Parses a variable into a document: its value is YAML, and names may be a list with commas.
fn variable(project: &Project, name: &str, value: &str) -> Result<Layer, Vec<Diagnostic>> {
    let keys = keys_of(name).unwrap_or_default();
    let failed = |error: TextError| vec![error.diagnostic(Code::InvalidConfig)];
    let text = Text::new(format!("${name}"), value.as_bytes().to_vec()).map_err(failed)?;
    let node = match keys {
        // Names are easier to write without quotes and brackets.
        [_, _] if value.trim_start().starts_with('[') => parse(&text)?,
        ["filter", _] => names(text.as_str()),
        [_, _] => text_node(text.as_str(), 0),
        _ => parse(&text)?,
    };
    let origin = Origin::Variable(name.to_owned());
    let folder = project.resolve(Path::new(""));
    Ok(Layer::new(origin, text, nest(keys, node), folder))
}

/// Splits a list with commas into its names.
fn names(text: &str) -> Node {
    let mut start = 0;
    let parts = text.split_inclusive(',').map(|part| {
        let begin = start + (part.len() - part.trim_start().len());
        start += part.len();
        text_node(part.trim_end_matches(',').trim(), begin)
    });
    let items = parts.filter(|node| node.text() != Some("")).collect();
    Node::new(Data::List(items), Span::new(0, text.len()))
}

fn text_node(text: &str, start: usize) -> Node {
    Node::from_json(text.into(), Span::new(start, start + text.len()))
}

impl Origin {
    /// Returns true if the user has written it, rather than the author of the project: only
    /// then may it name programs to run.
    pub const fn is_user(&self) -> bool {
        !matches!(
            self,
            Self::HostFolder(_) | Self::Package(_) | Self::Project(_) | Self::DotEnv(_)
        )
    }

    /// Returns true if it is a file of the user or the system.
    pub(super) const fn is_own_file(&self) -> bool {
        matches!(self, Self::System(_) | Self::Home(_))
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::System(path)
            | Self::Home(path)
            | Self::HostFolder(path)
            | Self::Package(path)
            | Self::Project(path)
            | Self::DotEnv(path) => path.display().fmt(f),
            Self::Variable(name) => write!(f, "${name}"),
        }
    }
}

impl Layer {
    fn new(origin: Origin, text: Text, document: Node, folder: (PathBuf, PathBuf)) -> Self {
        let is_user = origin.is_user();
        Self {
            origin,
            text,
            document,
            place: Arc::new(Place { folder, is_user }),
            line: None,
        }
    }

    /// Makes a document with `text` as the value at the path `keys`.
    pub(super) fn from_text(
        text: Text,
        keys: &[&str],
        origin: Origin,
        project: &Project,
    ) -> Result<Self, Vec<Diagnostic>> {
        let document = nest(keys, parse(&text)?);
        let folder = project.resolve(Path::new(""));
        Ok(Self::new(origin, text, document, folder))
    }

    /// Makes the layer one of the project's author.
    fn of_project(self) -> Self {
        let place = Place {
            is_user: false,
            ..(*self.place).clone()
        };
        Self {
            place: Arc::new(place),
            ..self
        }
    }
}

impl Place {
    /// Resolves `path` to the full path and the display path; true if it is the user's.
    pub(super) fn resolve(
        &self,
        path: &str,
        base: &Base<'_>,
    ) -> Result<(PathBuf, PathBuf, bool), PathError> {
        let path = expand_home(path, base.home)?;
        let (folder, display_path) = &self.folder;
        let parts = path.components();
        let tidy: PathBuf = parts.filter(|part| part.as_os_str() != ".").collect();
        let path = folder.join(&tidy);
        // A variable of the user may name folders of the project.
        let of_user = self.is_user && !path.strip_prefix(&base.root).is_ok_and(descends);
        Ok((path, display_path.join(&tidy), of_user))
    }
}

impl PathError {
    /// The hint for the user.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::NoHome => "set HOME, or write the whole path".into(),
            Self::OtherHome(path) => format!("write `./{path}` for a folder of that name"),
        }
    }
}

impl<'p> Base<'p> {
    pub(super) fn new(
        project: &Project,
        home: Option<&'p Path>,
        global: GlobalModules,
        owners: Owners,
    ) -> Self {
        let (root, display_path) = project.resolve(Path::new(""));
        Self {
            packages: Packages::new(root.clone(), display_path, global, owners),
            root,
            home,
        }
    }
}

/// Replaces a `~` at the beginning of `path` with the user's `home`.
fn expand_home(path: &str, home: Option<&Path>) -> Result<PathBuf, PathError> {
    let Some(rest) = path.strip_prefix('~') else {
        return Ok(PathBuf::from(path));
    };
    let home = home.ok_or(PathError::NoHome)?;
    if rest.is_empty() {
        return Ok(home.to_path_buf());
    }
    match rest.strip_prefix(std::path::is_separator) {
        Some(rest) => Ok(home.join(rest.trim_start_matches(std::path::is_separator))),
        None => Err(PathError::OtherHome(path.to_owned())),
    }
}

/// Nests `node` below the path `keys`.
fn nest(keys: &[&str], node: Node) -> Node {
    keys.iter().rev().fold(node, |value, key| {
        let span = value.span;
        let key = (*key).to_owned();
        let entry = Entry { key, span, value };
        Node::new(Data::Map(vec![entry]), span)
    })
}

/// All layers of `project`, in order of increasing precedence. Errors go to `report`, with true for
/// a layer of the user or the system.
pub(super) fn layers(
    project: &Project,
    paths: &ConfigPaths,
    report: &mut dyn FnMut(Vec<Diagnostic>, bool),
) -> Vec<Layer> {
    let of_user = |path: &Path, origin: fn(PathBuf) -> Origin| {
        file((path, path), &ReadScope::User, origin, |_| Ok(()))
    };
    let mut found = Vec::new();
    if let Some(path) = &paths.system {
        found.push((of_user(path, Origin::System), true));
    }
    if let Some(path) = paths.home_file() {
        found.push((of_user(&path, Origin::Home), true));
    }
    // What another user has put into a shared folder is not its project.
    if project.foreign_marker().is_none() {
        let own = Path::new(Project::CONFIG);
        found.push((host_folder(project, paths), false));
        found.push((package(project, &paths.owners), false));
        found.push((of_project(project, paths, own, Origin::Project), false));
    }
    if let Some(directory) = &paths.directory {
        let of_dotenv = dotenv_layers(project, directory, &paths.owners).into_iter();
        found.extend(of_dotenv.map(|layer| (layer.map(Some), false)));
    }
    for (name, value) in &paths.variables {
        if keys_of(name).is_some() {
            let is_user = !paths.dotenv_variables.contains(name);
            let layer = variable(project, name, value);
            let layer = layer.map(|it| if is_user { it } else { it.of_project() });
            found.push((layer.map(Some), is_user));
        }
    }
    let mut layers = Vec::new();
    for (layer, is_user) in found {
        match layer {
            Ok(layer) => layers.extend(layer),
            Err(errors) => report(errors, is_user),
        }
    }
    layers
}

impl ConfigPaths {
    /// Returns true if some layer of `project` mentions `key`, which is cheaper to see than its
    /// value. A file that cannot be read may contain anything.
    pub fn may_set(&self, project: &Project, key: &str) -> bool {
        let mentions =
            |file: PathBuf| match text::bytes(&file, &file, MAX_MANIFEST_BYTES, &ReadScope::User) {
                Ok(bytes) => bytes.windows(key.len()).any(|part| part == key.as_bytes()),
                Err(TextError::NotFound(_)) => false,
                Err(_) => true,
            };
        self.files(project).into_iter().any(mentions)
    }

    /// The files in which `project` is configured, whether they exist or not. The `.env` is not
    /// one of them.
    pub fn files(&self, project: &Project) -> Vec<PathBuf> {
        let (manifest, _) = project.resolve(Path::new("package.json"));
        let (own, _) = project.resolve(Path::new(Project::CONFIG));
        let (host, _) = project.resolve(&Path::new(".gemini").join(Self::FILE));
        let of_user = self.system.clone().into_iter().chain(self.home_file());
        of_user.chain([own, host, manifest]).collect()
    }
}

/// The project's file in the folder of Gemini CLI's settings, unless it is the user's.
fn host_folder(project: &Project, paths: &ConfigPaths) -> Result<Option<Layer>, Vec<Diagnostic>> {
    let name = Path::new(".gemini").join(ConfigPaths::FILE);
    let (path, _) = project.resolve(&name);
    // Whatever else is behind a link that leads elsewhere does not matter.
    if !path.exists() && !path.is_symlink() {
        return Ok(None);
    }
    let is_users =
        |users: PathBuf| users == path || users.canonicalize().ok() == path.canonicalize().ok();
    if paths.home_file().is_some_and(is_users) {
        return Ok(None);
    }
    of_project(project, paths, &name, Origin::HostFolder)
}

/// The file `name` of the project, if it belongs to one of the owners.
fn of_project(
    project: &Project,
    paths: &ConfigPaths,
    name: &Path,
    origin: fn(PathBuf) -> Origin,
) -> Result<Option<Layer>, Vec<Diagnostic>> {
    let (path, display_path) = project.resolve(name);
    let scope = project.read_scope();
    file((&path, &display_path), &scope, origin, |meta| {
        paths.owners.check_opened(&path, meta, project.root())
    })
}

/// The layers in the `.env` of `project` for a caller in `directory`. A file that cannot
/// be read has none: the call of a tool that needs it reports the error.
fn dotenv_layers(
    project: &Project,
    directory: &Path,
    owners: &Owners,
) -> Vec<Result<Layer, Vec<Diagnostic>>> {
    let environment = Environment::new(Vars::new())
        .with_owners(owners.clone())
        .with_dotenv(
            directory,
            project.root(),
            project.display_path(),
            EnvPriority::Project,
        );
    let file = environment.file().ok().flatten();
    let Some(file) = file else {
        return Vec::new();
    };
    // As everywhere, an empty variable counts as unset.
    let variables = CHOOSING.into_iter().filter_map(|name| file.get(name));
    let set = variables.filter(|variable| !variable.value.is_empty());
    set.map(|set| {
        let layer = variable(project, &set.name, &set.value)?.of_project();
        Ok(Layer {
            origin: Origin::DotEnv(file.display_path().to_path_buf()),
            line: Some(set.line),
            ..layer
        })
    })
    .collect()
}

/// Converts `value`, the value of the key in `text`, to a document. JSON is YAML, apart from tabs,
/// and YAML has places; what YAML reads differently has the place of the whole text.
fn package_document(text: &Text, value: Value) -> Node {
    let spaces = text.as_str().replace('\t', " ").into_bytes();
    let spaces = Text::new(text.display_path(), spaces).ok();
    let root = spaces.and_then(|text| yaml::parse(&text).ok());
    let located = root.as_ref().and_then(|root| root.get("cogtools"));
    let located = located.filter(|node| node.to_json() == value).cloned();
    let start = Span::new(0, 0);
    let mut node = located.unwrap_or_else(|| Node::from_json(value, start));
    if let Data::Map(entries) = &mut node.data {
        entries.retain(|entry| entry.key != EXPORTED_TOOLS);
    }
    node
}
