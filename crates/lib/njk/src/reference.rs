//! The reference of the language: every filter, test, global and statement with what
//! it does and an example. A test compares it with the tables and runs the examples.

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// As in `{{ value | filter }}`.
    Filter,
    /// As in `{{ value is test }}`.
    Test,
    /// A function of every template.
    Global,
    /// A tag such as `{% if %}`.
    Statement,
}

/// One name of the language.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its kind.
    pub kind: EntryKind,
    /// Its name.
    pub name: &'static str,
    /// Its syntax, with the defaults of its arguments.
    pub signature: &'static str,
    /// Its description, in Markdown.
    pub about: &'static str,
    /// A template without a context.
    pub example: &'static str,
    /// The output of the example.
    pub output: &'static str,
}

const TEXT: &str = include_str!("../docs/reference.txt");

impl EntryKind {
    /// All kinds, in the order of the reference.
    pub const ALL: [Self; 4] = [Self::Filter, Self::Test, Self::Global, Self::Statement];

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "filter" => Self::Filter,
            "test" => Self::Test,
            "global" => Self::Global,
            "statement" => Self::Statement,
            _ => return None,
        })
    }
}

/// All entries of `kind`, by name.
pub fn entries(kind: EntryKind) -> Vec<Entry> {
    let parts = TEXT.split("== ").filter_map(parse);
    let mut entries: Vec<Entry> = parts.filter(|entry| entry.kind == kind).collect();
    entries.sort_by_key(|entry| entry.name);
    entries
}

fn parse(part: &'static str) -> Option<Entry> {
    let mut lines = part.lines();
    let (kind, name) = lines.next()?.split_once(' ')?;
    Some(Entry {
        kind: EntryKind::parse(kind)?,
        name,
        signature: lines.next()?,
        about: lines.next()?,
        example: lines.next()?.strip_prefix("> ")?,
        output: lines.next()?.strip_prefix("< ")?,
    })
}

#[cfg(test)]
mod unit {
    use super::*;
    use crate::{filters, globals, tests};

    #[track_caller]
    fn names_are(kind: EntryKind, expected: impl IntoIterator<Item = &'static str>) {
        let mut expected: Vec<&str> = expected.into_iter().collect();
        expected.sort_unstable();
        let found: Vec<&str> = entries(kind).iter().map(|entry| entry.name).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_name_has_an_entry() {
        names_are(EntryKind::Filter, filters::names());
        names_are(EntryKind::Test, tests::names());
        names_are(EntryKind::Global, globals::NAMES);
        let tags = crate::parser::opening_tags();
        names_are(EntryKind::Statement, tags);
        let written = TEXT.lines().filter(|line| line.starts_with("== ")).count();
        let read: usize = EntryKind::ALL.iter().map(|kind| entries(*kind).len()).sum();
        assert_eq!(read, written);
    }
}
