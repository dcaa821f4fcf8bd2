//! The reference of the language: every filter, test, global and statement with what
//! it does and an example. A test compares it with the tables and runs the examples.

use std::fmt::Write as _;

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

/// The files that the examples load.
pub const FILES: [(&str, &str); 3] = [
    ("greeting.njk", "Hello {{ name }}!"),
    (
        "macros.njk",
        "{% macro quote(text) %}\"{{ text }}\"{% endmacro %}",
    ),
    ("base.njk", "top {% block body %}theirs{% endblock %} end"),
];

/// The maximum width of a line of text.
const MAX_WIDTH: usize = 100;

/// The beginning of the reference in Markdown.
const INTRODUCTION: &str = "\
# Templates

<!-- Generated from crates/lib/njk/docs/reference.txt; edit that instead. -->

Templates are written in the language of Nunjucks 3.2.4. These are all its filters, tests, globals
and statements, each with how it is written and an example with what it renders to. What is
undefined or null prints nothing; undefined, null, false, 0 and the empty text do not hold in a
condition, and an empty list does. A value also has the members that JavaScript gives it, such as
`text.split(\",\")`, `list.length` and `number.toFixed(2)`.
";

const TEXT: &str = include_str!("../docs/reference.txt");

impl EntryKind {
    /// All kinds, in the order of the reference.
    pub const ALL: [Self; 4] = [Self::Filter, Self::Test, Self::Global, Self::Statement];

    /// The heading of its part.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Filter => "Filters",
            Self::Test => "Tests",
            Self::Global => "Globals",
            Self::Statement => "Statements",
        }
    }

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

/// The reference in Markdown: a heading for each kind and each name.
pub fn markdown() -> String {
    let mut text = INTRODUCTION.to_owned();
    for kind in EntryKind::ALL {
        let _ = write!(text, "\n## {}\n", kind.heading());
        for entry in entries(kind) {
            let Entry {
                name,
                signature,
                example,
                output,
                ..
            } = entry;
            let about = wrap(entry.about);
            let _ = write!(
                text,
                "\n### `{name}`\n\n{about}\n\n```text\n{signature}\n\n{example}\n=> {output}\n```\n",
            );
        }
    }
    text
}

/// `text` in lines that are not too long.
fn wrap(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + length >= MAX_WIDTH {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
        }
        lines.push_str(word);
        width += length + 1;
    }
    lines
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
    use std::collections::HashMap;

    use super::*;
    use crate::{Engine, filters, globals, tests};

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

    #[test]
    fn every_example_renders_as_shown() {
        let files: HashMap<String, String> = FILES
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let engine = Engine::builder().loader(files).build();
        let mut wrong = Vec::new();
        for entry in EntryKind::ALL.into_iter().flat_map(entries) {
            let template = engine.compile("example", entry.example);
            let output = template.and_then(|it| it.render(&serde_json::Value::Null));
            if output.as_deref().ok() != Some(entry.output) {
                wrong.push(format!(
                    "{}: {:?}, not {:?}",
                    entry.name, output, entry.output
                ));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
