//! The reference of the language: as it is committed, and as the real Nunjucks has it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use cogtools_test_support::{Expected, assert_text, conformance, nunjucks};
use njk::Engine;
use njk::reference::{Entry, EntryKind, entries};
use serde_json::{Map, Value, json};

/// The files that the examples load.
const FILES: [(&str, &str); 3] = [
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

/// The heading of a part.
const fn heading(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Filter => "Filters",
        EntryKind::Test => "Tests",
        EntryKind::Global => "Globals",
        EntryKind::Statement => "Statements",
    }
}

/// The reference in Markdown: a heading for each kind and each name.
fn markdown() -> String {
    let mut text = INTRODUCTION.to_owned();
    for kind in EntryKind::ALL {
        let _ = write!(text, "\n## {}\n", heading(kind));
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

#[test]
fn the_reference_is_up_to_date() {
    let path = conformance::workspace().join("docs/reference/templates.md");
    assert_text(markdown(), Expected::file(path));
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
        let output = template.and_then(|it| it.render(&Value::Null));
        if output.as_deref().ok() != Some(entry.output) {
            wrong.push(format!(
                "{}: {:?}, not {:?}",
                entry.name, output, entry.output
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// None of the known differences is in an example, so that there are no exceptions.
#[test]
fn its_examples_come_out_as_nunjucks_has_them() {
    let all: Vec<Entry> = EntryKind::ALL.into_iter().flat_map(entries).collect();
    let files = FILES
        .iter()
        .map(|(name, text)| ((*name).to_owned(), Value::from(*text)));
    let files = Value::from(files.collect::<Map<_, _>>());
    let case = |entry: &Entry| json!({"template": entry.example, "templates": files});
    let cases: Vec<Value> = all.iter().map(case).collect();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
    let texts = nunjucks::texts(&cache, &cases);
    let mut wrong = Vec::new();
    for (entry, text) in all.iter().zip(&texts) {
        if text.as_deref() != Some(entry.output) {
            let Entry { kind, name, .. } = entry;
            wrong.push(format!("{kind:?} {name}: {text:?}, not {:?}", entry.output));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() > 80, "only {} examples", all.len());
}
