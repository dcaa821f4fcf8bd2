//! What a tool file can say of how its calls are answered.
//!
//! Each kind has a file of its own with all there is to it: the key, the reader
//! and the handler. A new kind is such a file and a line in the table.

mod command;
mod error;
mod exec;
mod locate;
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
    /// Its key in the map under `implementation`; none for what is written there as
    /// text.
    key: Option<&'static str>,
    /// Reads the entry with that key, or with the text; what is wrong with it is the
    /// reader's.
    read: fn(&Entry, &mut Reader<'_>) -> Option<Arc<dyn Handler>>,
}

/// All kinds of implementation.
const KINDS: [Kind; 4] = [
    template::KIND,
    template_file::KIND,
    exec::KIND,
    script::KIND,
];

impl Kind {
    /// The keys that an implementation that is a map may have, one of which it has.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        KINDS.into_iter().filter_map(|kind| kind.key)
    }
}

/// Reads the value of `implementation`.
pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let node = &entry.value;
    match &node.data {
        Data::Text { text, .. } if !text.trim().is_empty() => {
            let mut kinds = KINDS.iter();
            let text = kinds.find(|kind| kind.key.is_none())?;
            (text.read)(entry, reader)
        }
        Data::Text { .. } | Data::Null => {
            reader.refuse(
                &DefinitionError::Empty(Key::Implementation.as_str()),
                entry.span,
            );
            None
        }
        Data::Map(entries) => {
            let [entry_of_kind] = entries.as_slice() else {
                let keys = one_of(Kind::keys());
                reader.refuse(&DefinitionError::OneImplementation(keys), entry.span);
                return None;
            };
            read_kind(entry_of_kind, reader)
        }
        _ => {
            let key = Key::Implementation.as_str();
            reader.kind(key, Expected::Implementation, node);
            None
        }
    }
}

/// Reads the one entry of the map.
fn read_kind(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let mut kinds = KINDS.iter();
    if let Some(kind) = kinds.find(|kind| kind.key == Some(entry.key.as_str())) {
        return (kind.read)(entry, reader);
    }
    let diagnostic = DefinitionError::UnknownKey {
        key: entry.key.clone(),
        meant: did_you_mean(&entry.key, Kind::keys()),
    };
    reader.refuse(&diagnostic, entry.span);
    None
}

/// The names in back-quotes, as in "`a`, `b` and `c`".
fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_names_every_kind() {
        let meaning = Key::Implementation.description();
        let words: Vec<&str> = meaning.split([' ', ',', '.']).collect();
        for key in Kind::keys() {
            assert!(words.contains(&key), "{key}: {meaning}");
        }
    }

    #[test]
    fn every_kind_has_a_key_of_its_own() {
        let keys: Vec<_> = KINDS.iter().map(|kind| kind.key).collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?} twice");
        }
        assert!(keys.contains(&None), "nothing reads text");
    }
}
