//! The user's `tool_sources`, which add to the project's, and `inherit`, which turns
//! that off.
//!
//! The user's come first: a host allows tools by name, so a repository must not be able
//! to put another tool behind the name of one that the user has written.

use serde_json::Value;

use super::Config;
use super::error::ConfigError;
use super::origin::{Origin, Setting};
use super::reader::Reader;
use crate::source::Source;
use crate::yaml::{Data, Entry};

/// The key of the list.
pub(super) const SOURCES: &str = "tool_sources";
/// The key that decides whether the user's list adds to the project's.
pub(super) const KEY: &str = "inherit";

/// The list of the user's or the system's file.
#[derive(Clone, Debug)]
pub(super) struct UserSources {
    sources: Vec<Source>,
    setting: Setting,
}

impl Reader<'_> {
    /// Reads the sources of this layer. A variable of the user replaces all others for
    /// one run.
    pub(super) fn tool_sources(&mut self, entry: &Entry, config: &mut Config) {
        let sources = self.sources(entry);
        let setting = self.setting(SOURCES.to_owned(), entry);
        if matches!(self.layer.origin, Origin::System(_) | Origin::Home(_)) {
            config.user_sources = Some(UserSources { sources, setting });
            return;
        }
        if self.layer.is_user {
            config.user_sources = None;
        }
        config.sources = sources;
        config.set(setting);
    }

    /// Reads whether the user's sources add to the project's, which a project does not
    /// decide: without them, the names of the user's tools would be free to take.
    pub(super) fn inherit(&mut self, entry: &Entry, config: &mut Config) {
        if !self.layer.is_user {
            return self.report(&ConfigError::UsersOnly(KEY), entry.span);
        }
        let Data::Bool(inherit) = entry.value.data else {
            return self.reject_value(KEY, "`true` or `false`", &entry.value);
        };
        config.inherit = inherit;
        config.set(self.setting(entry.key.clone(), entry));
    }
}

impl Config {
    /// Combines the user's sources with those of the project.
    pub(super) fn inherit_sources(&mut self) {
        let Some(user) = self.user_sources.take() else {
            return;
        };
        let at = self.settings.iter().position(|one| one.key == SOURCES);
        let project = at.map(|at| self.settings.remove(at));
        let is_built_in = project.as_ref().is_none_or(Setting::is_built_in);
        let setting = match project {
            Some(project) if self.inherit => user.setting.joined(project),
            Some(project) if !is_built_in => project,
            _ => user.setting,
        };
        self.settings.push(setting);
        if self.inherit {
            let project = std::mem::take(&mut self.sources);
            self.sources = join(user.sources, project);
        } else if is_built_in {
            self.sources = user.sources;
        }
    }
}

impl Setting {
    /// The list of the user, followed by the one of the project.
    fn joined(self, project: Self) -> Self {
        let mut items: Vec<Value> = Vec::new();
        for item in [&self.value, &project.value]
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
        {
            if !items.contains(item) {
                items.push(item.clone());
            }
        }
        self.with(project, items.into())
    }
}

/// The sources of the user, then those of the project. Those that the user names and the
/// project contains come last, because the project's author decides what is in them.
fn join(user: Vec<Source>, project: Vec<Source>) -> Vec<Source> {
    let (mut all, contained): (Vec<_>, Vec<_>) = user.into_iter().partition(Source::is_users);
    for source in project.into_iter().chain(contained) {
        if !all.iter().any(|other| other.is_same(&source)) {
            all.push(source);
        }
    }
    all
}
