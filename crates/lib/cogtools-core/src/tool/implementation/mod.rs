//! The kinds of implementation that a tool file can have.
//!
//! Each kind has its own file with the key, the reader and the handler. A new kind
//! needs such a file and a line in the table.

mod agent;
mod command;
mod contained;
mod element;
mod error;
mod exec;
mod flow;
mod js;
mod locate;
mod own_program;
mod progress;
mod script;
mod template;
mod template_file;

use std::sync::Arc;

pub(crate) use command::{CommandCall, cut_notice};

use super::handler::Handler;
use super::reader::Reader;
use super::{DefinitionError, Key};
use crate::Expected;
use crate::suggest::did_you_mean;
use crate::yaml::{Data, Entry};

/// A kind of implementation.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its key in the map under `implementation`; none for a string.
    key: Option<&'static str>,
    /// Reads the entry with that key, or the string; errors go to the reader.
    read: fn(&Entry, &mut Reader<'_>) -> Option<Arc<dyn Handler>>,
}

/// All kinds of implementation.
const KINDS: [Kind; 7] = [
    template::KIND,
    template_file::KIND,
    js::KIND,
    exec::KIND,
    script::KIND,
    agent::KIND,
    flow::KIND,
];

impl Kind {
    /// The keys of an implementation that is a map; it must have exactly one.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        KINDS.into_iter().filter_map(|kind| kind.key)
    }
}

/// Reads the value of `implementation`.
pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let node = &entry.value;
    match &node.data {
        Data::Text { text, .. } if !text.trim().is_empty() => {
            let kind = KINDS.iter().find(|kind| kind.key.is_none())?;
            (kind.read)(entry, reader)
        }
        Data::Text { .. } | Data::Null => {
            reader.report(
                &DefinitionError::Empty(Key::Implementation.as_str()),
                entry.span,
            );
            None
        }
        Data::Map(entries) => {
            let [entry_of_kind] = entries.as_slice() else {
                let keys = join_or(Kind::keys());
                reader.report(&DefinitionError::OneImplementation(keys), entry.span);
                return None;
            };
            read_kind(entry_of_kind, reader)
        }
        _ => {
            let key = Key::Implementation.as_str();
            reader.report_kind(key, Expected::Implementation, node);
            None
        }
    }
}

/// Reads the only entry of the map.
fn read_kind(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let mut kinds = KINDS.iter();
    if let Some(kind) = kinds.find(|kind| kind.key == Some(entry.key.as_str())) {
        return (kind.read)(entry, reader);
    }
    let error = DefinitionError::UnknownKey {
        key: entry.key.clone(),
        meant: did_you_mean(&entry.key, Kind::keys()),
    };
    reader.report(&error, entry.span);
    None
}

/// The names in back-quotes, as in "`a`, `b` or `c`".
fn join_or(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_reference_names_every_kind() {
        let description = Key::Implementation.description();
        let words: Vec<&str> = description.split([' ', ',', '.']).collect();
        for key in Kind::keys() {
            assert!(words.contains(&key), "{key}: {description}");
        }
    }

    #[test]
    fn every_kind_has_a_unique_key() {
        let keys: Vec<_> = KINDS.iter().map(|kind| kind.key).collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?} twice");
        }
        assert!(keys.contains(&None), "nothing reads text");
    }
}
