//! One item of `tool_sources`.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::error::ConfigError;
use super::reader::Reader;
use crate::Name;
use crate::file::ReadScope;
use crate::invisible;
use crate::sandbox::{Sandbox, SandboxError};
use crate::source::{Folder, Provider, Settings, Source};
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};

/// The kinds of sources.
const KINDS: [&str; 6] = [
    "local",
    "node_modules",
    "command",
    "mcp",
    "builtin",
    "editor",
];
/// The keys of a source that is a program.
const COMMAND: [&str; 10] = [
    "discover", "call", "name", "prefix", "env", "cwd", "timeout", "wait", "cache", "sandbox",
];

impl Reader<'_> {
    pub(super) fn sources(&mut self, entry: &Entry) -> Vec<Source> {
        let Some(items) = entry.value.items() else {
            self.report(&ConfigError::Sources(entry.value.kind()), entry.value.span);
            return Vec::new();
        };
        let mut sources: Vec<Source> = Vec::new();
        for item in items {
            let Some(source) = self.source(item) else {
                continue;
            };
            // Approvals are recorded by name.
            let name = provider_name(&source);
            if name.is_some() && sources.iter().any(|other| provider_name(other) == name) {
                let name = name.unwrap_or_default().to_owned();
                self.report(&ConfigError::DuplicateProvider(name), item.span);
            } else {
                sources.push(source);
            }
        }
        sources
    }

    fn source(&mut self, item: &Node) -> Option<Source> {
        let (kind, span, value) = match &item.data {
            Data::Map(entries) if entries.len() == 1 => (
                entries[0].key.as_str(),
                entries[0].span,
                Some(&entries[0].value),
            ),
            Data::Text { text, .. } => (text.as_str(), item.span, None),
            _ => {
                self.report(&ConfigError::Source(item.kind()), item.span);
                return None;
            }
        };
        match (kind, value) {
            ("local", Some(value)) => return self.local(value),
            ("command", Some(_)) => return self.command(item),
            ("mcp", Some(_)) => return self.server(item),
            ("node_modules", None) => {
                return Some(Source::Packages(self.base.packages.clone()));
            }
            ("builtin", None) => return Some(Source::BuiltIn),
            ("editor", None) => return Some(Source::Editor),
            (_, None) => self.report(&ConfigError::Source("a string"), span),
            (kind, Some(_)) => {
                let suggestion = did_you_mean(kind, KINDS);
                self.report(&ConfigError::Kind(kind.to_owned(), suggestion), span);
            }
        }
        None
    }

    /// A source that is a folder of tool files.
    fn local(&mut self, value: &Node) -> Option<Source> {
        let Some(path) = value.text().filter(|path| !path.trim().is_empty()) else {
            let found = value.text().map_or(value.kind(), |_| "an empty path");
            self.report(&ConfigError::Local(found), value.span);
            return None;
        };
        let (path, display_path, of_user) = match self.resolve(path) {
            Ok(resolved) => resolved,
            Err(error) => {
                self.report(&error, value.span);
                return None;
            }
        };
        let scope = ReadScope::source(&self.base.root, &path, self.layer.is_user);
        let folder = Folder::new(path, display_path, true, scope);
        Some(Source::Folder(if of_user {
            folder.of_user()
        } else {
            folder
        }))
    }

    /// The full path and the display path of what this layer calls `path`, and whether it is the
    /// user's.
    pub(super) fn resolve(&self, path: &str) -> Result<(PathBuf, PathBuf, bool), ConfigError> {
        let path = expand_home(path, self.base.home)?;
        let (folder, display_path) = &self.layer.folder;
        let parts = path.components();
        let tidy: PathBuf = parts.filter(|part| part.as_os_str() != ".").collect();
        let path = folder.join(&tidy);
        // A variable of the user may name folders of the project.
        let of_user = self.layer.is_user && !is_inside(&path, &self.base.root);
        Ok((path, display_path.join(&tidy), of_user))
    }

    /// A source that is another program.
    fn command(&mut self, item: &Node) -> Option<Source> {
        let [entry] = item.entries()? else {
            return None;
        };
        let mut settings = Settings {
            name: String::new(),
            discover: Vec::new(),
            call: Vec::new(),
            prefix: String::new(),
            env: Vec::new(),
            timeout: None,
            wait: None,
            idle: None,
            cache: None,
            user_configured: self.layer.is_user,
            in_project: false,
            sandbox: None,
            sandbox_digest: None,
            server: None,
        };
        for entry in self.map("command", entry) {
            let value = &entry.value;
            match entry.key.as_str() {
                "discover" => settings.discover = self.line("discover", value),
                "call" => settings.call = self.line("call", value),
                "name" => settings.name = self.text_value("name", value),
                "prefix" => settings.prefix = self.prefix(value),
                "cwd" => settings.in_project = self.cwd(value),
                "env" => settings.env = self.strings("env", value),
                "timeout" => settings.timeout = self.seconds("timeout", value),
                "wait" => settings.wait = self.seconds("wait", value),
                "cache" => settings.cache = self.seconds("cache", value),
                "sandbox" => {
                    let sandbox = self.sandbox(value);
                    settings.set_sandbox(Some(sandbox));
                }
                _ => self.report_unknown_key(entry, &COMMAND),
            }
        }
        for (key, line) in [("discover", &settings.discover), ("call", &settings.call)] {
            if entry.value.get(key).is_none() || line.is_empty() && self.has_no_errors() {
                self.report(&ConfigError::Missing("command", key), entry.span);
                return None;
            }
        }
        if settings.name.is_empty() {
            let program = Path::new(settings.discover.first()?);
            let stem = program.file_stem()?.to_string_lossy();
            settings.name = stem.replace(is_invalid_in_name, "_");
        }
        Some(Source::Provider(Provider::new(settings)))
    }

    /// A program and its arguments: a list, or a string that is split like a shell
    /// command.
    pub(super) fn line(&mut self, key: &str, node: &Node) -> Vec<String> {
        match node.text() {
            Some(text) => shlex::split(text).unwrap_or_else(|| {
                self.reject_value(key, "a command whose quotes are closed", node);
                Vec::new()
            }),
            None => self.strings(key, node),
        }
    }

    pub(super) fn text_value(&mut self, key: &str, node: &Node) -> String {
        let is_valid = |text: &&str| !text.is_empty() && !text.contains(is_invalid_in_name);
        node.text().filter(is_valid).map_or_else(
            || {
                self.reject_value(key, "a string without colons", node);
                String::new()
            },
            str::to_owned,
        )
    }

    /// The beginning of the names of a provider's tools.
    pub(super) fn prefix(&mut self, node: &Node) -> String {
        let is_valid = |text: &&str| !text.is_empty() && Name::new(&format!("{text}x")).is_ok();
        node.text().filter(is_valid).map_or_else(
            || {
                let expected =
                    "the beginning of a tool name (letters from a to z, digits, `_` and `-`)";
                self.reject_value("prefix", expected, node);
                String::new()
            },
            str::to_owned,
        )
    }

    /// Whether a provider starts in the project, although the user has configured it.
    pub(super) fn cwd(&mut self, node: &Node) -> bool {
        if node.text() != Some("project") {
            self.reject_value("cwd", "`project`", node);
        } else if !self.layer.origin.is_user() {
            self.report(&ConfigError::Cwd, node.span);
        }
        true
    }

    /// What the programs of a provider may reach.
    pub(super) fn sandbox(&mut self, node: &Node) -> Sandbox {
        Sandbox::read(node, |error, span| self.report_sandbox(error, span))
    }

    pub(super) fn report_sandbox(&mut self, error: &SandboxError, span: Span) {
        let error = ConfigError::Sandbox(error.to_string(), error.hint());
        self.report(&error, span);
    }

    pub(super) fn seconds(&mut self, key: &str, node: &Node) -> Option<Duration> {
        let number = match &node.data {
            Data::Number(number) => number.as_f64(),
            _ => None,
        };
        let duration = number
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if duration.is_none() {
            self.reject_value(key, "a number of seconds greater than 0", node);
        }
        duration
    }
}

/// `path` with the user's `home` for a `~` at its beginning.
fn expand_home(path: &str, home: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let Some(rest) = path.strip_prefix('~') else {
        return Ok(PathBuf::from(path));
    };
    let home = home.ok_or(ConfigError::NoHome)?;
    if rest.is_empty() {
        return Ok(home.to_path_buf());
    }
    match rest.strip_prefix(std::path::is_separator) {
        Some(rest) => Ok(home.join(rest.trim_start_matches(std::path::is_separator))),
        None => Err(ConfigError::OtherHome(path.to_owned())),
    }
}

/// Whether `path` is in the folder `root`, as written.
fn is_inside(path: &Path, root: &Path) -> bool {
    let below = path.strip_prefix(root).ok();
    let up = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    below.is_some_and(|below| !up(below))
}

fn provider_name(source: &Source) -> Option<&str> {
    let provider = source.provider()?;
    Some(&provider.settings().name)
}

/// Characters that a provider's name must not contain: users approve by name, so it
/// must look like what it is.
pub(super) fn is_invalid_in_name(c: char) -> bool {
    c == ':' || c.is_control() || invisible::name(c).is_some()
}
