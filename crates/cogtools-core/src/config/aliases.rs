//! `capability_aliases`: other names of capabilities.

use std::collections::BTreeMap;

use super::Config;
use super::reader::Reader;
use crate::yaml::Entry;

/// The key.
pub(super) const KEY: &str = "capability_aliases";

impl Reader<'_> {
    /// Reads the map from other names to capabilities. It replaces that of earlier layers.
    pub(super) fn capability_aliases(&mut self, entry: &Entry, config: &mut Config) {
        let mut aliases = BTreeMap::new();
        for alias in self.map(KEY, entry) {
            match alias.value.text().filter(|name| name.contains('.')) {
                Some(name) => {
                    aliases.insert(alias.key.clone(), name.to_owned());
                }
                None => self.reject_value(KEY, "a capability, such as `search.web`", &alias.value),
            }
        }
        config.capability_aliases = aliases;
        config.set(self.setting(entry.key.clone(), entry));
    }
}
