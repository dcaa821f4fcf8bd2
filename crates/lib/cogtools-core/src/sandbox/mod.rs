//! Bounds of a program, as its tool or its source declares them: `sandbox`.
//!
//! A sandbox has only what it names. A tool of the project without one is not confined; a package
//! or a provider always has one, if only an empty one.

mod denial;
mod launcher;
mod run;
mod secrets;
mod support;

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use cogtools_hosts::HostRule;
pub use denial::Denial;
pub(crate) use launcher::Launcher;
pub(crate) use run::{Run, RunError, Unmade};

use crate::file::{self, Existing, Mode, WriteError, WritePath};
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Actual, Code, Context, Diagnostic, pluralize, size};

/// Bounds of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Paths that it may read besides the system, its own files and `write`; the project, if there is
    /// none.
    pub read: Option<Vec<SandboxPath>>,
    /// Paths that it may change, besides a temporary folder of its own.
    pub write: Vec<SandboxPath>,
    /// The network that it may use, if it says so.
    pub net: Option<Net>,
    /// Bytes of memory that the program and its descendants can use together.
    pub memory: Option<u64>,
    /// Processes and threads in addition to those that exist.
    pub processes: Option<u64>,
    /// Seconds of processors that the program and its descendants can use together.
    pub cpu: Option<u64>,
    /// True for `workspace`: files that are run later are only readable.
    pub is_workspace: bool,
    /// A right of the program that it launches which no sandbox limits, for people.
    pub beyond: Option<&'static str>,
}

/// The network that a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Net {
    /// None.
    Nothing,
    /// These hosts, by a proxy.
    Hosts(Vec<HostRule>),
    /// All of it.
    Everything,
}

impl Sandbox {
    /// The keys.
    pub const KEYS: [&'static str; 6] = ["read", "write", "net", "memory", "processes", "cpu"];
    /// The least memory: with less, no program starts.
    pub const MIN_MEMORY: u64 = 1 << 20;

    /// The word for [`Sandbox::workspace`].
    pub const WORKSPACE: &'static str = "workspace";

    /// The sandbox of a tool that works on the project: it reads and writes the project, but neither
    /// its secrets nor what is run later, and has no network.
    pub fn workspace() -> Self {
        Self {
            write: vec![SandboxPath(".".to_owned())],
            is_workspace: true,
            ..Self::default()
        }
    }

    /// Adds the network unless it says otherwise: most MCP servers are there to reach a service.
    #[must_use]
    pub(crate) fn with_network(mut self) -> Self {
        self.net.get_or_insert(Net::Everything);
        self
    }

    /// Adds the project to `read` if all of its paths are outside of the project.
    #[must_use]
    pub(crate) fn with_project(mut self) -> Self {
        if let Some(read) = &mut self.read
            && !read.is_empty()
            && !read.iter().any(|path| path.is_inside() || path.0 == "/")
        {
            read.insert(0, SandboxPath(".".to_owned()));
        }
        self
    }

    /// Returns true if it may use all of the network.
    pub fn has_network(&self) -> bool {
        self.net == Some(Net::Everything)
    }

    /// The hosts that it may reach, if not all.
    pub fn hosts(&self) -> &[HostRule] {
        match &self.net {
            Some(Net::Hosts(hosts)) => hosts,
            _ => &[],
        }
    }

    /// The paths that are not below the project's root.
    pub fn outside(&self) -> impl Iterator<Item = &SandboxPath> {
        let read = self.read.iter().flatten();
        read.chain(&self.write).filter(|path| !path.is_inside())
    }

    /// Returns true if it permits changing the file at `path`, which has no links.
    pub(crate) fn may_write(&self, path: &Path, cx: &Context) -> bool {
        let roots = Roots::of(cx);
        self.write.iter().any(|allowed| {
            let allowed = allowed.resolve(&roots).ok().flatten();
            allowed.is_some_and(|allowed| path.starts_with(allowed))
        })
    }

    /// Describes what it permits and limits, for people: one line for each.
    pub fn describe(&self) -> Vec<String> {
        let list = |paths: &[SandboxPath]| {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            paths.join(" ")
        };
        let read = match &self.read {
            None => "read the project".to_owned(),
            Some(paths) if paths.is_empty() => "read nothing of the project".to_owned(),
            Some(paths) => format!("read {}", list(paths)),
        };
        let write = match self.write.as_slice() {
            _ if self.is_workspace => {
                "write the project without `.git` and what is run later".to_owned()
            }
            [] => "write nothing".to_owned(),
            paths => format!("write {}", list(paths)),
        };
        let network = match &self.net {
            Some(Net::Everything) => "use the network".to_owned(),
            Some(Net::Hosts(hosts)) => {
                let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
                format!("reach {}", hosts.join(" "))
            }
            Some(Net::Nothing) | None => "not use the network".to_owned(),
        };
        let mut lines = vec![read, write, network];
        let memory = self.memory.map(size::show);
        lines.extend(memory.map(|size| format!("use {size} of memory")));
        let processes = self.processes.map(|it| format!("add {it} processes"));
        lines.extend(processes);
        lines.extend(self.cpu.map(|it| format!("use {it} s of CPU time")));
        lines.extend(self.beyond.map(str::to_owned));
        lines
    }

    /// Describes the files with secrets that it names below `root`, for people: one text for each.
    pub fn describe_secrets(&self, root: &Path) -> impl Iterator<Item = String> {
        let named = self.read.iter().flatten().chain(&self.write);
        let files = named.filter(|path| file::is_secret(Path::new(&path.0)));
        files.map(|path| {
            let text = secrets::text_of(root, &root.join(&path.0)).unwrap_or_default();
            let is_variable = |line: &&str| !line.starts_with('#') && line.contains('=');
            let count = text.lines().map(str::trim).filter(is_variable).count();
            let variables = pluralize(count, "variable");
            format!("see the secrets in {path} ({variables})")
        })
    }

    /// Its canonical form, for digests.
    pub fn to_json(&self) -> Value {
        let texts = |paths: &[SandboxPath]| -> Vec<String> {
            paths.iter().map(ToString::to_string).collect()
        };
        if self.is_workspace {
            // Other sandboxes keep their digests, as those without `cpu` do.
            return json!(Self::WORKSPACE);
        }
        let mut json = json!({
            "read": self.read.as_deref().map(texts),
            "write": texts(&self.write),
            "net": self.net.as_ref().map(Net::to_json),
            "memory": self.memory,
            "processes": self.processes,
        });
        if let Some(cpu) = self.cpu {
            json["cpu"] = json!(cpu);
        }
        json
    }
}

/// A mistake in a sandbox, or in a path in it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Not a map.
    #[error("`sandbox` takes a map or `workspace`, not {0}")]
    NotAMap(&'static str),
    /// A key that a sandbox does not have.
    #[error("unknown key `{0}`")]
    UnknownKey(String, Option<String>),
    /// Not a list of paths.
    #[error("`{0}` takes a list of paths, not {1}")]
    Paths(&'static str, Actual),
    /// A path that cannot be in a sandbox.
    #[error("`{0}` is not a path that a sandbox can name")]
    Path(String),
    /// Neither true nor false, nor a list of hosts.
    #[error("`net` takes true, false or a list of hosts, not {0}")]
    Net(Actual),
    /// Not a host.
    #[error("`{0}` is not a host that `net` can name")]
    Host(String),
    /// Not a size.
    #[error("`memory` takes a size of at least 1 MiB, not {0}")]
    Size(Actual),
    /// Not a number: the key.
    #[error("`{0}` takes a whole number of at least 1, not {1}")]
    Count(&'static str, Actual),
    /// A path below the project's root that a link leads elsewhere.
    #[error("`{0}` in `sandbox` is a link that leaves the project")]
    Leaves(String),
    /// A file or a folder that cannot be made.
    #[error("`{0}` in `sandbox` cannot be made: {1}")]
    Create(String, WriteError),
    /// A sandbox of something that starts no program.
    #[error("`sandbox` is for programs: `exec` and `script`")]
    NoProgram,
    /// A sandbox of a server that is not started here.
    #[error("`sandbox` is for a server that is started, and this one has a URL")]
    Remote,
}

impl SandboxError {
    /// Returns the hint for it.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownKey(_, Some(meant)) => meant.clone(),
            Self::UnknownKey(_, None) => {
                "its keys are read, write, net, memory, processes and cpu".into()
            }
            Self::NotAMap(_) => "write `sandbox: workspace`, or `sandbox: {write: [out], net: true}`".into(),
            // YAML reads a mere `~` as null.
            Self::Paths(key, Actual::Other("nothing")) => {
                format!("write `{key}: [out]`, and `~/` for the home directory")
            }
            Self::Paths(key, _) => format!("write `{key}: [out]`"),
            Self::Path(_) => {
                "write a path below the project's root, `~/…` for one in the home directory, or an absolute one".into()
            }
            Self::Net(_) => "write `net: [api.example.com]`, or `net: true` or `net: false` without quotes".into(),
            Self::Host(text) => host_hint(text),
            Self::Size(_) => "write `memory: 256 MiB`".into(),
            Self::Count(key, _) => format!("write `{key}: 16`"),
            Self::Leaves(_) => "name what the link leads to, by its absolute path or with `~/`".into(),
            Self::Create(..) => "make it yourself, or name another one".into(),
            Self::NoProgram => "remove it: nothing else reaches files or the network".into(),
            Self::Remote => "remove it".into(),
        }
    }

    /// The diagnostic for the tool `name`, whose call found the error.
    pub(crate) fn diagnostic(&self, name: &str) -> Diagnostic {
        let code = match self {
            Self::Create(..) => Code::IoFailed,
            _ => Code::InvalidTool,
        };
        let diagnostic = Diagnostic::new(code, self.to_string()).with_subject(name);
        diagnostic.hint(self.hint())
    }
}

/// Something that a sandbox does not stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limitation {
    /// Deed that a program can still do.
    pub what: &'static str,
    /// Where, and what helps.
    pub note: &'static str,
}

/// All of it.
pub const LIMITATIONS: [Limitation; 4] = [
    Limitation {
        what: "see names of your files and other processes, and change permissions, owners and times",
        note: "where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected",
    },
    Limitation {
        what: "signal your other processes, or empty files that it may not write",
        note: "before Linux 6.12, or 6.2; a warning says so before 6.2",
    },
    Limitation {
        what: "send what it may read to anyone, and use services such as Docker or the session bus",
        note: "with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets",
    },
    Limitation {
        what: "write what you run later, such as a makefile or `.git/hooks`",
        note: "below the paths under `write`; with `workspace`, below the top of the project",
    },
];

impl Sandbox {
    /// Reads `node`; every error goes to `report`, with its location.
    pub(crate) fn read(node: &Node, mut report: impl FnMut(&SandboxError, Span)) -> Self {
        if node.text() == Some(Self::WORKSPACE) {
            return Self::workspace();
        }
        let mut sandbox = Self::default();
        let Some(entries) = node.entries() else {
            report(&SandboxError::NotAMap(node.kind()), node.span);
            return sandbox;
        };
        for entry in entries {
            if let Err((error, span)) = sandbox.set(entry) {
                report(&error, span);
            }
        }
        sandbox
    }

    fn set(&mut self, entry: &Entry) -> Result<(), (SandboxError, Span)> {
        let node = &entry.value;
        let at_value = |error| (error, node.span);
        match entry.key.as_str() {
            "read" => self.read = Some(paths("read", node)?),
            "write" => self.write = paths("write", node)?,
            "net" => self.net = Some(Net::read(node)?),
            "memory" => {
                let bytes = size::parse(&text(node));
                let bytes = bytes.filter(|bytes| *bytes >= Self::MIN_MEMORY);
                let error = || at_value(SandboxError::Size(actual(node)));
                self.memory = Some(bytes.ok_or_else(error)?);
            }
            "processes" => self.processes = Some(count("processes", node)?),
            "cpu" => self.cpu = Some(count("cpu", node)?),
            key => {
                let meant = did_you_mean(key, Self::KEYS);
                return Err((SandboxError::UnknownKey(key.to_owned(), meant), entry.span));
            }
        }
        Ok(())
    }
}

/// The value of `key`, a whole number of at least 1.
fn count(key: &'static str, node: &Node) -> Result<u64, (SandboxError, Span)> {
    let count = node.to_json().as_u64().filter(|count| *count > 0);
    count.ok_or_else(|| (SandboxError::Count(key, actual(node)), node.span))
}

impl Net {
    /// The greatest number of hosts.
    const MAX_HOSTS: usize = 64;

    fn read(node: &Node) -> Result<Self, (SandboxError, Span)> {
        let error = || (SandboxError::Net(actual(node)), node.span);
        if let Data::Bool(all) = node.data {
            return Ok(if all { Self::Everything } else { Self::Nothing });
        }
        let items = node.items().filter(|items| items.len() <= Self::MAX_HOSTS);
        let hosts = items.ok_or_else(error)?.iter().map(|item| {
            let other = || (SandboxError::Net(actual(item)), item.span);
            let text = item.text().ok_or_else(other)?;
            HostRule::parse(text).ok_or_else(|| (SandboxError::Host(text.to_owned()), item.span))
        });
        let hosts = hosts.collect::<Result<Vec<HostRule>, _>>()?;
        Ok(match hosts.as_slice() {
            [] => Self::Nothing,
            _ => Self::Hosts(hosts),
        })
    }

    /// Its canonical form, for digests.
    fn to_json(&self) -> Value {
        match self {
            Self::Nothing => false.into(),
            Self::Hosts(hosts) => hosts.iter().map(ToString::to_string).collect(),
            Self::Everything => true.into(),
        }
    }
}

/// Says how a host is written: a URL has one.
fn host_hint(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match HostRule::parse(host) {
        Some(host) if host.to_string() != text => format!("write `{host}`"),
        _ => "write HOST or *.HOST, with :PORT if that is not 80 or 443".to_owned(),
    }
}

fn paths(key: &'static str, node: &Node) -> Result<Vec<SandboxPath>, (SandboxError, Span)> {
    let Some(items) = node.items() else {
        return Err((SandboxError::Paths(key, actual(node)), node.span));
    };
    let path = |item: &Node| match item.text() {
        Some(text) => SandboxPath::parse(text).map_err(|error| (error, item.span)),
        None => Err((SandboxError::Paths(key, actual(item)), item.span)),
    };
    items.iter().map(path).collect()
}

/// The text of a size, which may be a plain number.
fn text(node: &Node) -> String {
    let value = node.to_json();
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

fn actual(node: &Node) -> Actual {
    match node.text() {
        Some(text) => Actual::String(text.to_owned()),
        None => Actual::of(node),
    }
}

/// A path, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxPath(String);

/// The extensions of files that programs keep data in.
const DATA: [&str; 12] = [
    "csv", "db", "duckdb", "json", "jsonl", "log", "md", "sqlite", "sqlite3", "txt", "yaml", "yml",
];

/// Returns true if nothing but a file has a path that is written so.
fn is_file_name(path: &str) -> bool {
    let extension = Path::new(path).extension();
    !path.ends_with('/') && extension.is_some_and(|it| DATA.iter().any(|data| it == *data))
}

/// Where the paths begin.
#[derive(Debug)]
pub(crate) struct Roots<'r> {
    /// The project's root.
    project: &'r Path,
    /// The home directory that the user has set, if any.
    home: Option<PathBuf>,
}

impl<'r> Roots<'r> {
    pub(crate) fn of(cx: &'r Context) -> Self {
        let mut variables = cx.environment.user_vars(["HOME"]);
        Self {
            project: &cx.root,
            home: variables.remove(OsStr::new("HOME")).map(PathBuf::from),
        }
    }
}

impl SandboxPath {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, SandboxError> {
        let below = text.strip_prefix("~/").unwrap_or(text);
        let is_other = text.starts_with('~') && text != "~" && below == text;
        if text.trim().is_empty() || text.contains('\0') || is_other {
            return Err(SandboxError::Path(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns true if it is below the project's root, as it is written.
    pub fn is_inside(&self) -> bool {
        !self.0.starts_with('~') && file::descends(Path::new(&self.0))
    }

    /// Resolves it to a path without links, if that exists. A path below the project's
    /// root must stay there.
    fn resolve(&self, roots: &Roots<'_>) -> Result<Option<PathBuf>, SandboxError> {
        let Some(path) = self.full(roots) else {
            return Ok(None);
        };
        // Something that is not there may still be a link.
        let Ok(real) = path.canonicalize() else {
            return Ok(None);
        };
        let project = roots.project.canonicalize();
        let project = project.as_deref().unwrap_or(roots.project);
        if self.is_inside() && !real.starts_with(project) {
            return Err(SandboxError::Leaves(self.0.clone()));
        }
        Ok(Some(real))
    }

    /// Resolves a path that will be written: if nothing is there, an empty file or a folder is made,
    /// in the project or in the home directory.
    fn resolve_or_create(&self, roots: &Roots<'_>) -> Result<Option<PathBuf>, SandboxError> {
        let of_home = self.0.strip_prefix("~/").zip(roots.home.as_deref());
        let (root, below) = match of_home {
            Some((below, home)) => (home, below),
            None if self.is_inside() => (roots.project, self.0.as_str()),
            None => return self.resolve(roots),
        };
        if root.join(below).symlink_metadata().is_err() {
            let path = WritePath::in_project(root, Path::new(below));
            let made = if is_file_name(below) {
                file::open_append(&path, Existing::OrCreate(Mode::Data)).map(drop)
            } else {
                file::create_folder(&path)
            };
            made.map_err(|error| match error {
                WriteError::Link { .. } => SandboxError::Leaves(self.0.clone()),
                error => SandboxError::Create(self.0.clone(), error),
            })?;
        }
        self.resolve(roots)
    }

    fn full(&self, roots: &Roots<'_>) -> Option<PathBuf> {
        let text = self.0.as_str();
        if text == "~" {
            return roots.home.clone();
        }
        match text.strip_prefix("~/") {
            Some(below) => roots.home.as_ref().map(|home| home.join(below)),
            None => Some(roots.project.join(text)),
        }
    }
}

impl Display for SandboxPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_below_the_root_or_say_so() {
        for (text, expected) in [
            ("out", Some(true)),
            (".", Some(true)),
            ("./a/b", Some(true)),
            ("~", Some(false)),
            ("~/.npm", Some(false)),
            ("/var/tmp", Some(false)),
            ("", None),
            (" ", None),
            ("..", Some(false)),
            ("a/../b", Some(false)),
            ("~other", None),
            ("a\0b", None),
        ] {
            let parsed = SandboxPath::parse(text).ok();
            assert_eq!(parsed.map(|path| path.is_inside()), expected, "{text:?}");
        }
    }

    #[test]
    fn secrets_that_are_named_are_counted() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::write(root.path().join(".env"), "# A=0\nA=1\nB=2\n\nexport C=3\n")
            .expect("a file");
        let sandbox = Sandbox {
            read: Some(vec![
                SandboxPath(".env".to_owned()),
                SandboxPath("docs".to_owned()),
            ]),
            ..Sandbox::default()
        };
        let described: Vec<String> = sandbox.describe_secrets(root.path()).collect();
        assert_eq!(described, ["see the secrets in .env (3 variables)"]);
    }
}
