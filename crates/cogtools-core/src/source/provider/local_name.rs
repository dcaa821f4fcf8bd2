//! The names of foreign tools here: MCP allows dots, slashes and 128 characters, hosts do not.

use std::collections::HashSet;

use serde_json::Value;

use crate::{Name, digest};

/// How many digits of a hash make a name unique.
const DIGITS: usize = 8;
/// What is left of a name before its hash.
const STEM: usize = Name::MAX_LENGTH - DIGITS - 1;

/// The names that the tools of one provider have here, each next to the one that the provider
/// knows it by.
pub(super) struct LocalNames<'p> {
    prefix: &'p str,
    /// Names that need no change: they stay.
    taken: HashSet<String>,
}

impl<'p> LocalNames<'p> {
    /// Those of a provider that declares the tools `names`.
    pub(super) fn new<'n>(prefix: &'p str, names: impl Iterator<Item = &'n str>) -> Self {
        let names = names.map(|name| format!("{prefix}{name}"));
        Self {
            prefix,
            taken: names.filter(|name| Name::new(name).is_ok()).collect(),
        }
    }

    /// The name of `tool`: its own with the prefix, if hosts accept that. Else with `_` in the
    /// place of other characters, and with a hash if it is too long or taken. A prefix that leaves
    /// no room changes nothing.
    pub(super) fn of(&mut self, tool: &str) -> String {
        let name = format!("{}{tool}", self.prefix);
        if Name::new(&name).is_ok() || self.prefix.len() >= STEM {
            return name;
        }
        let portable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let mut local: String = name
            .chars()
            .map(|c| if portable(c) { c } else { '_' })
            .collect();
        if local.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            local.insert(0, '_');
        }
        if Name::new(&local).is_err() || !self.taken.insert(local.clone()) {
            let hash = digest::value(&Value::from(tool)).to_string();
            local.truncate(STEM);
            local = format!("{local}_{}", &hash[..DIGITS]);
            self.taken.insert(local.clone());
        }
        local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prefix: &str, pairs: &[(&str, &str)]) {
        let mut names = LocalNames::new(prefix, pairs.iter().map(|(tool, _)| *tool));
        for (tool, expected) in pairs {
            let local = names.of(tool);
            assert_eq!(local, *expected);
            assert!(Name::new(&local).is_ok(), "{local}");
            assert!(local.starts_with(prefix) || prefix.is_empty());
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
    }

    #[test]
    fn names_that_would_be_the_same_stay_apart() {
        check(
            "",
            &[
                ("a.b", "a_b_12734df7"),
                ("a_b", "a_b"),
                ("a/c", "a_c"),
                ("a:c", "a_c_6866917b"),
            ],
        );
    }
}
