//! The names of foreign tools here: MCP allows dots, slashes and 128 characters, hosts do not.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{Name, digest};

/// How many digits of a hash make a name unique.
const DIGITS: usize = 8;
/// What is left of a name before its hash.
const STEM: usize = Name::MAX_LENGTH - DIGITS - 1;

/// The names that the tools of one provider have here, each next to the one that the provider
/// knows it by. They do not depend on the order in which it declares the tools.
pub(super) struct LocalNames<'p> {
    prefix: &'p str,
    /// How many tools have each name, before any has a hash.
    counts: HashMap<String, usize>,
}

impl<'p> LocalNames<'p> {
    /// Those of a provider that declares the tools `names`.
    pub(super) fn new<'n>(prefix: &'p str, names: impl Iterator<Item = &'n str>) -> Self {
        let names: HashSet<&str> = names.collect();
        let mut counts = HashMap::new();
        for name in names {
            *counts
                .entry(portable(&format!("{prefix}{name}")))
                .or_default() += 1;
        }
        Self { prefix, counts }
    }

    /// The name of `tool`: its own with the prefix, if hosts accept that. Else with `_` in the
    /// place of other characters, and with a hash if it is too long or if another tool would have
    /// it, too.
    pub(super) fn of(&self, tool: &str) -> String {
        let name = format!("{}{tool}", self.prefix);
        if Name::new(&name).is_ok() {
            return name;
        }
        let mut local = portable(&name);
        let is_shared = self.counts.get(&local).is_some_and(|count| *count > 1);
        if is_shared || Name::new(&local).is_err() {
            let hash = digest::value(&Value::from(tool)).to_string();
            local.truncate(STEM);
            local = format!("{local}_{}", &hash[..DIGITS]);
        }
        local
    }
}

/// `name` with characters that every host accepts.
fn portable(name: &str) -> String {
    let is_portable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let letters = name.chars().map(|c| if is_portable(c) { c } else { '_' });
    let begins = name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let lead = begins.then_some('_');
    lead.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prefix: &str, pairs: &[(&str, &str)]) {
        let names = LocalNames::new(prefix, pairs.iter().map(|(tool, _)| *tool));
        for (tool, expected) in pairs {
            let local = names.of(tool);
            assert_eq!(local, *expected);
            assert!(Name::new(&local).is_ok(), "{local}");
        }
        let names = LocalNames::new(prefix, pairs.iter().rev().map(|(tool, _)| *tool));
        for (tool, expected) in pairs.iter().rev() {
            assert_eq!(names.of(tool), *expected);
        }
    }

    #[test]
    fn hosts_accept_every_name() {
        let long = "kubernetes_cluster_deployments_scale_to_replicas_now";
        check(
            "",
            &[
                ("plain-name_1", "plain-name_1"),
                ("issues.list", "issues_list"),
                ("repos/get file", "repos_get_file"),
                ("3d_view", "_3d_view"),
                ("größe", "gr__e"),
                (long, "kubernetes_cluster_deployments_scale_t_1f390a3d"),
                ("find_tool", "find_tool_17d8feab"),
            ],
        );
        check("gh_", &[("issues.list", "gh_issues_list"), ("3d", "gh_3d")]);
        // A prefix that leaves no room.
        check(
            "kubernetes_production_cluster_europe_west_",
            &[
                ("list", "kubernetes_production_cluster_europe_west_list"),
                (
                    "scale_up",
                    "kubernetes_production_cluster_europe_w_275e9034",
                ),
            ],
        );
    }

    #[test]
    fn names_that_would_be_the_same_stay_apart() {
        check(
            "",
            &[
                ("a.b", "a_b_12734df7"),
                ("a_b", "a_b"),
                ("a/c", "a_c_1ce0bc53"),
                ("a:c", "a_c_6866917b"),
            ],
        );
    }
}
