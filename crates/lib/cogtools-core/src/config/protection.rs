//! The keys that protect the user, and how the values of the user and of the project
//! combine: to the stricter one.
//!
//! The layers of the system and the user are one authority, those of the project the
//! other. Within each, a later layer replaces an earlier one.

use serde_json::{Value, json};

use super::origin::Setting;
use crate::process::SandboxMode;

/// How two values combine.
#[derive(Clone, Copy)]
enum Rule {
    /// The one that is later in this list, which goes from loose to strict.
    Stricter(&'static [&'static str]),
    /// The smaller number.
    Minimum,
    /// The items of both lists.
    Union,
    /// Both lists apply, one after the other; an empty one selects everything.
    Both,
    /// It is on if one of them turns it on.
    Either,
}

/// Every key that protects. A `*` is any one segment.
const PROTECTING: &[(&str, Rule)] = &[
    ("env_priority", Rule::Stricter(&["project", "process"])),
    ("sandbox", Rule::Stricter(&SandboxMode::NAMES)),
    ("filter.tools", Rule::Both),
    ("filter.exclude", Rule::Union),
    ("filter.toolsets", Rule::Both),
    ("budget", Rule::Minimum),
    ("hosts.*.tools", Rule::Both),
    ("hosts.*.exclude", Rule::Union),
    ("hosts.*.toolsets", Rule::Both),
    ("hosts.*.budget", Rule::Minimum),
    ("locked", Rule::Either),
    ("ask.ask", Rule::Union),
    ("ask.deny", Rule::Union),
    ("ask.budget.*", Rule::Minimum),
];

/// Whether the project may only add to the user's value of `key`.
pub(super) fn is_protecting(key: &str) -> bool {
    rule(key).is_some()
}

fn rule(key: &str) -> Option<Rule> {
    let matches = |pattern: &str| {
        let (mut parts, mut segments) = (pattern.split('.'), key.split('.'));
        let mut equal = parts.by_ref().zip(segments.by_ref());
        equal.all(|(part, segment)| part == "*" || part == segment)
            && pattern.split('.').count() == key.split('.').count()
    };
    let found = PROTECTING.iter().find(|(pattern, _)| matches(pattern));
    found.map(|(_, rule)| *rule)
}

/// The effective settings: those of the user, and the `additions` of the project, all of
/// which protect.
pub(super) fn combine(user: &[Setting], additions: &[Setting]) -> Vec<Setting> {
    let is_set = |key: &str| user.iter().any(|setting| setting.key == key);
    let new = additions.iter().filter(|setting| !is_set(&setting.key));
    user.iter()
        .chain(new)
        .map(|setting| {
            let key = &setting.key;
            let Some(rule) = rule(key) else {
                return setting.clone();
            };
            match (find(user, key), find(additions, key)) {
                (Some(user), Some(addition)) => rule.combine(user, addition),
                _ => setting.clone(),
            }
        })
        .collect()
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
            Self::Both => match (items(&user), items(&addition)) {
                ([], _) => addition,
                (_, []) => user,
                (one, other) if one == other => user,
                (one, other) => {
                    let both = json!([one, other]);
                    user.with(addition, both)
                }
            },
        }
    }
}

/// The items of both lists.
pub(super) fn unite(one: Setting, addition: Setting) -> Setting {
    let mut united = items(&one).to_vec();
    let new = |item: &&Value| !united.contains(item);
    let new: Vec<Value> = items(&addition).iter().filter(new).cloned().collect();
    if united.is_empty() || new.is_empty() {
        return if united.is_empty() { addition } else { one };
    }
    united.extend(new);
    one.with(addition, united.into())
}

/// The setting with the higher rank; of equal ones, the user's, unless it is built in.
fn stricter<R: Ord>(user: Setting, addition: Setting, rank: impl Fn(&Setting) -> R) -> Setting {
    match rank(&addition).cmp(&rank(&user)) {
        std::cmp::Ordering::Less => user,
        std::cmp::Ordering::Equal if !user.is_built_in() => user,
        _ => addition,
    }
}

/// The items of a list.
fn items(setting: &Setting) -> &[Value] {
    setting.value.as_array().map_or(&[], Vec::as_slice)
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
    use crate::config::Origin;

    fn setting(key: &str, value: Value, own: bool) -> Setting {
        let origin = if own {
            Origin::Home("HOME".into())
        } else {
            Origin::Project("PROJECT".into())
        };
        Setting::new(key.to_owned(), value, origin, None, own)
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
        for key in ["tool_sources", "lint.rules.budget", "filter", "hosts.mcp"] {
            assert!(!is_protecting(key), "{key}");
        }
    }
}
