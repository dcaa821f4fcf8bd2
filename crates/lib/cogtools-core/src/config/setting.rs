//! The values that layers set, and how they combine.
//!
//! The layers of the system and the user are one authority, the project's are the other. Within
//! each, a later layer replaces an earlier one, and the project replaces the user. Keys that
//! protect the user combine to the stricter value instead.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Config;
use super::layer::{Base, Layer, Origin, Place};
use super::options::{ConfigFile, Options};
use crate::file::ReadScope;
use crate::process::{Limits, SandboxMode};
use crate::yaml::{Data, Entry, Node};
use crate::{Location, size};

/// One setting of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key, as a dotted path: `filter.tools`.
    pub key: String,
    /// Its value as JSON, as written.
    pub value: Value,
    /// The layer that sets it.
    pub origin: Origin,
    /// The line of that file, from 1, if known.
    pub line: Option<usize>,
    /// The place where the project has added to it.
    addition: Option<(Origin, Option<usize>)>,
    /// The meaning of paths in it, and its author.
    place: Arc<Place>,
    /// The key in the file.
    pub(super) location: Option<Location>,
}

/// The way a key is combined, or the layers that may set it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The value that is later in this list, which goes from loose to strict.
    Stricter(&'static [&'static str]),
    /// The smaller number.
    Minimum,
    /// The smallest number of all layers; only the user can raise a default.
    Limit,
    /// The items of both lists.
    Union,
    /// Both lists apply, one after the other; an empty one selects everything.
    Both,
    /// True if one of them is.
    Either,
    /// Only the user's layers may set it.
    Users,
    /// Only the files of the user and the system may set it.
    OwnFiles,
}

/// Every key that protects, or that not every layer may set. A `*` is any one segment.
const RULES: &[(&str, Rule)] = &[
    ("inherit", Rule::Users),
    ("env_priority", Rule::Stricter(&["project", "process"])),
    ("locked", Rule::Either),
    ("filter.tools", Rule::Both),
    ("filter.exclude", Rule::Union),
    ("filter.toolsets", Rule::Both),
    ("budget", Rule::Minimum),
    ("hosts.*.tools", Rule::Both),
    ("hosts.*.exclude", Rule::Union),
    ("hosts.*.toolsets", Rule::Both),
    ("hosts.*.budget", Rule::Minimum),
    ("limits.*", Rule::Limit),
    ("sandbox", Rule::Stricter(&SandboxMode::NAMES)),
    ("safe_directories", Rule::OwnFiles),
    ("ask.allow", Rule::Users),
    ("ask.ask", Rule::Union),
    ("ask.deny", Rule::Union),
    ("ask.budget.*", Rule::Minimum),
    ("ask.prices", Rule::Users),
    ("ask.provider", Rule::Users),
    ("ask.base_url", Rule::Users),
];
/// Maps whose keys are names, with dots in them.
const NAMES: [&str; 4] = ["capability_aliases", "skill", "ask.aliases", SERVERS];
/// The key of the MCP servers, whose names both authorities add up.
pub(super) const SERVERS: &str = "mcpServers";
/// Lists whose items all layers of one authority add up.
const ADDED_UP: [&str; 3] = ["ask.allow", "ask.ask", "ask.deny"];

/// The settings of both authorities.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// The user's settings, and the project's settings that replace them.
    pub(super) all: Vec<Setting>,
    /// The project's settings that protect.
    pub(super) additions: Vec<Setting>,
    /// The user's settings alone, of `prompt` and `ask.aliases`.
    pub(super) users: Vec<Setting>,
}

impl Setting {
    /// Makes the setting of `entry`, whose path is `key`.
    pub(super) fn new(key: String, entry: &Entry, layer: &Layer) -> Self {
        let location = layer.text.location(entry.span);
        let is_variable = matches!(layer.origin, Origin::Variable(_));
        Self {
            key,
            value: entry.value.to_json(),
            origin: layer.origin.clone(),
            line: layer.line.or((!is_variable).then_some(location.line)),
            addition: None,
            place: layer.place.clone(),
            location: Some(location),
        }
    }

    pub(super) fn built_in(key: &str, value: Value) -> Self {
        let place = Place {
            is_user: true,
            ..Place::default()
        };
        Self {
            key: key.to_owned(),
            value,
            origin: Origin::BuiltIn,
            line: None,
            addition: None,
            place: Arc::new(place),
            location: None,
        }
    }

    /// Everywhere it is set, each with the line, if known.
    pub fn origins(&self) -> impl Iterator<Item = (&Origin, Option<usize>)> {
        let addition = self.addition.iter().map(|(origin, line)| (origin, *line));
        std::iter::once((&self.origin, self.line)).chain(addition)
    }

    /// The value that this one and `addition` make together.
    pub(super) fn with(self, addition: Self, value: Value) -> Self {
        Self {
            value,
            addition: Some((addition.origin, addition.line)),
            ..self
        }
    }

    pub(super) fn is_built_in(&self) -> bool {
        self.origin == Origin::BuiltIn
    }

    pub(super) fn is_below(&self, key: &str) -> bool {
        let rest = self.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// True if the user has set it, rather than the author of the project.
    pub(super) fn is_users(&self) -> bool {
        self.place.is_user
    }

    /// The items of a list.
    fn items(&self) -> &[Value] {
        self.value.as_array().map_or(&[], Vec::as_slice)
    }

    /// A number, or a size in bytes.
    fn number(&self) -> Option<u64> {
        let size = self.value.as_str().and_then(size::parse);
        size.or_else(|| self.value.as_u64())
    }
}

/// The keys that a document sets, as dotted paths.
pub(super) fn leaves(document: &Node) -> Vec<(String, &Entry)> {
    let mut found = Vec::new();
    let mut open: Vec<(String, &Entry)> = Vec::new();
    let push = |open: &mut Vec<_>, prefix: &str, node| {
        let entries = Node::entries(node).unwrap_or_default();
        let keyed = entries
            .iter()
            .map(|entry| (format!("{prefix}{}", entry.key), entry));
        open.extend(keyed.rev());
    };
    push(&mut open, "", document);
    while let Some((key, entry)) = open.pop() {
        match &entry.value.data {
            Data::Map(_) if NAMES.contains(&key.as_str()) => {
                found.push((key, entry));
            }
            Data::Map(_) => push(&mut open, &format!("{key}."), &entry.value),
            Data::Null => {}
            _ => found.push((key, entry)),
        }
    }
    found
}

/// Returns true if a layer with this origin may set `key`.
pub(super) fn may_set(key: &str, layer: &Layer) -> bool {
    match rule(key) {
        Some(Rule::Users) => layer.place.is_user,
        Some(Rule::OwnFiles) => layer.origin.is_own_file(),
        _ => true,
    }
}

/// Returns true if only the user may set `key`.
pub(super) fn is_users_only(key: &str) -> bool {
    matches!(rule(key), Some(Rule::Users | Rule::OwnFiles))
}

/// Returns true if the project may only add to the user's value of `key`.
fn is_protecting(key: &str) -> bool {
    !is_users_only(key) && rule(key).is_some_and(|rule| rule != Rule::Limit)
}

fn rule(key: &str) -> Option<Rule> {
    let matches = |pattern: &str| {
        let (mut parts, mut segments) = (pattern.split('.'), key.split('.'));
        let mut equal = parts.by_ref().zip(segments.by_ref());
        equal.all(|(part, segment)| part == "*" || part == segment)
            && pattern.split('.').count() == key.split('.').count()
    };
    let found = RULES.iter().find(|(pattern, _)| matches(pattern));
    found.map(|(_, rule)| *rule)
}

impl Config {
    /// Prefers the user's aliases of models to aliases of the project, which is not trusted.
    pub fn prefer_users_aliases(&mut self) {
        let users = &self.users.ask.aliases;
        self.options.ask.aliases.extend(users.clone());
        self.options.ask.users_aliases = Some(users.clone());
    }

    /// The model that the project has chosen, and not the user.
    pub fn model_of_project(&self) -> Option<&str> {
        let mut settings = self.settings.iter();
        let chosen = settings.find(|it| it.key == "ask.model" && !it.is_users());
        chosen.and(self.ask.model.as_deref())
    }
}

impl Settings {
    /// Adds a setting of a further layer.
    pub(super) fn add(&mut self, mut setting: Setting) {
        let key = setting.key.clone();
        let is_kept = ["prompt", "ask.aliases"].map(|key| setting.is_below(key));
        if setting.is_users() && is_kept.contains(&true) {
            self.users.retain(|other| other.key != key);
            self.users.push(setting.clone());
        }
        let settings = if !setting.is_users() && is_protecting(&key) {
            &mut self.additions
        } else {
            &mut self.all
        };
        let at = settings.iter().position(|other| other.key == key);
        let earlier = at.map(|at| &settings[at]);
        match (rule(&key), earlier) {
            (Some(Rule::Limit), _) => {
                let before = earlier.map_or_else(|| default_limit(&key), Setting::number);
                let raises = setting.is_users() && earlier.is_none();
                if !raises && setting.number() >= before {
                    return;
                }
            }
            (Some(Rule::Either), Some(earlier))
                if earlier.value == true && setting.value != true =>
            {
                return;
            }
            (_, Some(earlier)) if key == SERVERS && earlier.is_users() && !setting.is_users() => {
                let of = |setting: &Setting| setting.value.as_object().cloned();
                let all = of(&setting).into_iter().chain(of(earlier)).flatten();
                let all: Map<String, Value> = all.collect();
                setting = earlier.clone().with(setting, all.into());
            }
            (_, Some(earlier)) if ADDED_UP.contains(&key.as_str()) => {
                setting = unite(earlier.clone(), setting);
            }
            _ => {}
        }
        if let Some(at) = at {
            settings.remove(at);
        }
        settings.push(setting);
    }

    /// Combines the user's settings with the additions of the project.
    pub(super) fn combine(&mut self) {
        let (user, additions) = (&self.all, &self.additions);
        let is_set = |key: &str| user.iter().any(|setting| setting.key == key);
        let new = additions.iter().filter(|setting| !is_set(&setting.key));
        let all = user.iter().chain(new).map(|setting| {
            let key = &setting.key;
            match (rule(key), find(user, key), find(additions, key)) {
                (Some(rule), Some(user), Some(addition)) => rule.combine(user, addition),
                _ => setting.clone(),
            }
        });
        self.all = all.collect();
    }

    /// The effective setting `key`.
    pub(super) fn get(&self, key: &str) -> Option<&Setting> {
        self.all.iter().find(|setting| setting.key == key)
    }
}

/// The options that `settings` make together. Keys of lists that both authorities set are not
/// among them.
pub(super) fn options(settings: &[Setting], base: &Base<'_>) -> Options {
    let apart = ["tool_sources", SERVERS, "filter", "hosts", "lint"];
    let mut root = Value::Object(Map::new());
    for setting in settings {
        if !apart.iter().any(|key| setting.is_below(key)) {
            let segments = setting.key.split('.');
            *segments.fold(&mut root, |value, segment| &mut value[segment]) = setting.value.clone();
        }
    }
    let mut options: Options = serde_json::from_value(root).unwrap_or_default();
    for (key, file) in options.files_mut() {
        let setting = settings.iter().find(|setting| setting.key == key);
        let path = file.path.to_string_lossy().into_owned();
        let resolved = setting.and_then(|setting| setting.place.resolve(&path, base).ok());
        if let Some((path, display_path, is_users)) = resolved {
            *file = ConfigFile {
                path,
                display_path,
                scope: if is_users {
                    ReadScope::User
                } else {
                    ReadScope::project(&base.root)
                },
                is_users,
            };
        }
    }
    options
}

fn default_limit(key: &str) -> Option<u64> {
    let limits = Limits::DEFAULT;
    Some(match key {
        "limits.memory" => limits.memory,
        "limits.processes" => limits.processes,
        "limits.cpu" => limits.cpu,
        "limits.files" => limits.files,
        "limits.file_size" => limits.file_size,
        _ => return None,
    })
}

/// The setting `key`. The general budget is the one of each host that has none itself.
fn find(settings: &[Setting], key: &str) -> Option<Setting> {
    let named = |key: &str| settings.iter().find(|setting| setting.key == key);
    let general = key.rsplit('.').next().filter(|last| *last == "budget");
    let mut found = named(key).or_else(|| named(general?))?.clone();
    key.clone_into(&mut found.key);
    Some(found)
}

impl Rule {
    fn combine(self, user: Setting, addition: Setting) -> Setting {
        match self {
            Self::Stricter(order) => {
                let rank = |setting: &Setting| {
                    let value = setting.value.as_str();
                    order.iter().position(|known| Some(*known) == value)
                };
                stricter(user, addition, |one| rank(one).unwrap_or(0))
            }
            Self::Minimum => stricter(user, addition, |one| {
                // The bits of positive doubles are in the order of their values.
                std::cmp::Reverse(one.value.as_f64().map_or(u64::MAX, f64::to_bits))
            }),
            Self::Either => stricter(user, addition, |one| one.value == true),
            Self::Union => unite(user, addition),
            Self::Both => match (user.items(), addition.items()) {
                ([], _) => addition,
                (_, []) => user,
                (one, other) if one == other => user,
                (one, other) => {
                    let both = json!([one, other]);
                    user.with(addition, both)
                }
            },
            Self::Limit | Self::Users | Self::OwnFiles => user,
        }
    }
}

/// The items of both lists.
pub(super) fn unite(one: Setting, addition: Setting) -> Setting {
    let mut united = one.items().to_vec();
    let new = |item: &&Value| !united.contains(item);
    let new: Vec<Value> = addition.items().iter().filter(new).cloned().collect();
    if united.is_empty() || new.is_empty() {
        return if united.is_empty() { addition } else { one };
    }
    united.extend(new);
    one.with(addition, united.into())
}

/// The list of the user, followed by the one of the project.
pub(super) fn join(user: Setting, project: Setting) -> Setting {
    let mut items: Vec<Value> = Vec::new();
    for item in user.items().iter().chain(project.items()) {
        if !items.contains(item) {
            items.push(item.clone());
        }
    }
    user.with(project, items.into())
}

/// The setting with the higher rank; of equal ones, the user's, unless it is built in.
fn stricter<R: Ord>(user: Setting, addition: Setting, rank: impl Fn(&Setting) -> R) -> Setting {
    match rank(&addition).cmp(&rank(&user)) {
        std::cmp::Ordering::Less => user,
        std::cmp::Ordering::Equal if !user.is_built_in() => user,
        _ => addition,
    }
}

/// The lists of patterns that apply one after the other; none if there is no pattern.
pub(super) fn lists(value: &Value) -> Vec<Vec<&str>> {
    match value.as_array().map_or(&[][..], Vec::as_slice) {
        [] => Vec::new(),
        all @ [Value::Array(_), ..] => all.iter().map(texts).collect(),
        _ => vec![texts(value)],
    }
}

/// The items of a list of strings.
pub(super) fn texts(list: &Value) -> Vec<&str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: Value, own: bool) -> Setting {
        let origin = if own {
            Origin::Home("HOME".into())
        } else {
            Origin::Project("PROJECT".into())
        };
        let mut setting = Setting::built_in(key, value);
        let is_user = origin.is_user();
        (setting.origin, setting.place) = (
            origin,
            Arc::new(Place {
                is_user,
                ..Place::default()
            }),
        );
        setting
    }

    fn combine(user: &[Setting], additions: &[Setting]) -> Vec<Setting> {
        let mut settings = Settings {
            all: user.to_vec(),
            additions: additions.to_vec(),
            ..Settings::default()
        };
        settings.combine();
        settings.all
    }

    /// The effective value of a key and the number of its origins.
    #[track_caller]
    fn check(key: &str, [user, project, expected]: [Value; 3], origins: usize) {
        let user = [setting(key, user, true)];
        let project = [setting(key, project, false)];
        let combined = combine(&user, &project);
        assert_eq!(combined.len(), 1);
        assert_eq!(combined[0].value, expected, "{key}");
        assert_eq!(combined[0].origins().count(), origins, "{key}");
    }

    #[test]
    fn the_stricter_value_counts() {
        let (project, process) = (json!("project"), json!("process"));
        let key = "env_priority";
        check(key, [process.clone(), project.clone(), process.clone()], 1);
        check(key, [project, process.clone(), process], 1);
        let [off, best, required] = SandboxMode::NAMES.map(|name| json!(name));
        check("sandbox", [best.clone(), off.clone(), best.clone()], 1);
        check("sandbox", [off, best.clone(), best.clone()], 1);
        check("sandbox", [best, required.clone(), required], 1);
        for key in ["budget", "hosts.mcp.budget"] {
            check(key, [json!(5), json!(9), json!(5)], 1);
            check(key, [json!(9), json!(0), json!(0)], 1);
        }
        check("locked", [json!(true), json!(false), json!(true)], 1);
        check("locked", [json!(false), json!(true), json!(true)], 1);
    }

    #[test]
    fn lists_are_added_up() {
        for key in ["filter.exclude", "hosts.mcp.exclude"] {
            check(key, [json!(["a"]), json!([]), json!(["a"])], 1);
            check(key, [json!(["a"]), json!(["b", "a"]), json!(["a", "b"])], 2);
            check(key, [json!([]), json!(["b"]), json!(["b"])], 1);
        }
        for key in ["filter.tools", "filter.toolsets", "hosts.mcp.tools"] {
            check(key, [json!(["a"]), json!([]), json!(["a"])], 1);
            check(key, [json!([]), json!(["b"]), json!(["b"])], 1);
            check(key, [json!(["a"]), json!(["*"]), json!([["a"], ["*"]])], 2);
        }
    }

    #[test]
    fn a_budget_of_one_authority_for_a_host_meets_the_general_one_of_the_other() {
        let user = [setting("budget", json!(5), true)];
        let project = [setting("hosts.mcp.budget", json!(9), false)];
        let values = |all: Vec<Setting>| -> Vec<(String, Value)> {
            let all = all.into_iter();
            all.map(|one| (one.key, one.value)).collect()
        };
        let found = values(combine(&user, &project));
        let expected = [("budget", json!(5)), ("hosts.mcp.budget", json!(5))];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
    }

    #[test]
    fn other_keys_do_not_protect() {
        for key in [
            "tool_sources",
            "lint.rules.budget",
            "filter",
            "hosts.mcp",
            "ask.allow",
        ] {
            assert!(!is_protecting(key), "{key}");
        }
    }
}
