//! `capability_aliases`: other names of capabilities.

use std::collections::BTreeMap;

use super::Config;
use super::reader::Reader;
use crate::tool::capability;
use crate::yaml::Entry;

impl Reader<'_> {
    /// Reads the map from other names to capabilities. It replaces that of earlier layers.
    pub(super) fn capability_aliases(&mut self, entry: &Entry, config: &mut Config) {
        let mut aliases = BTreeMap::new();
        for alias in self.map("capability_aliases", entry) {
            if let Some(name) = alias.value.text().filter(|name| capability::is_valid(name)) {
                aliases.insert(alias.key.clone(), name.to_owned());
            } else {
                let expected = "a capability, such as `search.web`";
                self.reject_value("capability_aliases", expected, &alias.value);
            }
        }
        config.capability_aliases = aliases;
        config.set(self.setting(entry.key.clone(), entry));
    }
}
