//! The values of enums that a lock pins.

use std::collections::BTreeMap;

use crate::Lock;
use crate::tool::Values;

impl Lock {
    /// Keeps the pins that tools whose values are not known, by source and name, have in `earlier`.
    pub(super) fn keep(&mut self, earlier: &Self, unlisted: &[(String, String)]) {
        for (source, name) in unlisted {
            let pins = earlier.sources.get(source);
            if let Some(pin) = pins.and_then(|pins| pins.get(name)) {
                let tools = self.sources.entry(source.clone()).or_default();
                tools.entry(name.clone()).or_insert_with(|| pin.clone());
            }
        }
    }

    /// The pinned values of the enums of the tool `name`, by their commands.
    pub(crate) fn values(&self, name: &str) -> Values {
        let pins = self.sources.values().filter_map(|tools| tools.get(name));
        pins.flat_map(|pin| pin.values.clone()).collect()
    }

    /// Lists the values that `now` has gained and lost, a line for each command.
    pub fn changed_values(&self, now: &Self) -> Vec<String> {
        let pins = |lock: &Self| {
            let tools = lock.sources.values().flatten();
            let pins = tools.flat_map(|(name, pin)| {
                let values = pin.values.clone().into_iter();
                values.map(|(command, values)| ((name.clone(), command), values))
            });
            pins.collect::<BTreeMap<_, _>>()
        };
        let (before, now) = (pins(self), pins(now));
        let none = Vec::new();
        let lines = now.iter().filter_map(|(key, values)| {
            let old = before.get(key).unwrap_or(&none);
            let more = values
                .iter()
                .filter(|it| !old.contains(it))
                .map(|it| format!(" +{it}"));
            let less = old
                .iter()
                .filter(|it| !values.contains(it))
                .map(|it| format!(" -{it}"));
            let changes: String = more.chain(less).collect();
            (!changes.is_empty()).then(|| format!("{}:{changes}", key.0))
        });
        lines.collect()
    }
}
