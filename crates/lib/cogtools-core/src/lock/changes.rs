//! The differences between a lock and what is declared now.

use std::collections::BTreeMap;

use super::{Pin, Snapshot};
use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::tool::Values;
use crate::{Code, Diagnostic, Lock};

/// A difference between a lock and what is declared.
#[derive(Debug)]
pub struct Change {
    /// The difference, in words.
    pub diagnostic: Diagnostic,
    /// The description that is new, if others have written it.
    pub description: Option<String>,
}

impl Lock {
    /// Every difference between the pins and what is declared `now`.
    pub fn drift(&self, now: &Snapshot) -> Vec<Diagnostic> {
        let unavailable = now.unavailable.iter().map(SourceError::diagnostic);
        let is_pinned = |(source, name): &&(String, String)| {
            let tools = self.sources.get(source);
            tools.is_some_and(|tools| tools.contains_key(name))
        };
        let unlisted = now.unlisted.iter().filter(is_pinned).map(|(_, name)| {
            let message = "`cogtools.lock` pins it, but values of its enums are not known";
            Diagnostic::new(Code::Locked, message).with_subject(name)
        });
        let changes = self.changes(now).into_iter();
        let changes = changes.map(|change| change.diagnostic);
        let mut diagnostics: Vec<Diagnostic> = unavailable.chain(unlisted).chain(changes).collect();
        if let Some(last) = diagnostics.last_mut() {
            let before = "review what has changed; to accept it, run ";
            last.hints.push(Hint::run(before, Command::Lock, ""));
        }
        diagnostics
    }

    /// The differences between the pins and what the available sources declare `now`.
    pub fn changes(&self, now: &Snapshot) -> Vec<Change> {
        let unavailable: Vec<String> = now.unavailable.iter().map(SourceError::source).collect();
        let nothing = BTreeMap::new();
        let mut all = Vec::new();
        for (source, pinned) in &self.sources {
            if unavailable.contains(source) {
                continue;
            }
            let declared = now.lock.sources.get(source);
            if declared.is_none() && now.unlisted.iter().all(|(it, _)| it != source) {
                let message =
                    "`cogtools.lock` pins this source, but it no longer declares anything";
                all.push(Change {
                    diagnostic: Diagnostic::new(Code::Locked, message).with_subject(source),
                    description: None,
                });
                continue;
            }
            changes(source, pinned, declared.unwrap_or(&nothing), now, &mut all);
        }
        for (source, declared) in &now.lock.sources {
            if !self.sources.contains_key(source) {
                changes(source, &nothing, declared, now, &mut all);
            }
        }
        all
    }

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
            let more = values.iter().filter(|it| !old.contains(it));
            let more = more.map(|it| format!(" +{it}"));
            let less = old.iter().filter(|it| !values.contains(it));
            let less = less.map(|it| format!(" -{it}"));
            let changes: String = more.chain(less).collect();
            (!changes.is_empty()).then(|| format!("{}:{changes}", key.0))
        });
        lines.collect()
    }
}

/// Adds to `all` the differences between the pins of `source` and its declarations.
fn changes(
    source: &str,
    pinned: &BTreeMap<String, Pin>,
    declared: &BTreeMap<String, Pin>,
    now: &Snapshot,
    all: &mut Vec<Change>,
) {
    let mut add = |name: &String, message: String| {
        let description =
            |pins: &BTreeMap<String, Pin>| pins.get(name)?.parts.get("description").cloned();
        let is_new = description(declared).is_some_and(|it| description(pinned) != Some(it));
        let key = (source.to_owned(), name.clone());
        all.push(Change {
            diagnostic: Diagnostic::new(Code::Locked, message).with_subject(name),
            description: now.descriptions.get(&key).filter(|_| is_new).cloned(),
        });
    };
    for (name, pin) in pinned {
        match declared.get(name) {
            Some(other) if pin.matches(other) => {}
            Some(other) => {
                let parts = pin.difference(other);
                let message = format!(
                    "the tool from `{source}` differs from the one pinned in `cogtools.lock`: {parts}"
                );
                add(name, message);
            }
            // It keeps its pin.
            None if now.unlisted.contains(&(source.to_owned(), name.clone())) => {}
            None => add(
                name,
                format!("`cogtools.lock` pins it, but `{source}` no longer declares it"),
            ),
        }
    }
    for name in declared.keys().filter(|name| !pinned.contains_key(*name)) {
        add(
            name,
            format!("`{source}` declares it, but `cogtools.lock` does not pin it"),
        );
    }
}
