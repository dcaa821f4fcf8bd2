//! Programs that a tool runs: the words of its command line, and the text of its script.

mod made_code;
mod script;
mod table;
mod walk;

use std::sync::LazyLock;

use cogtools_core::schema::Schema;
use cogtools_core::text::Span;
use cogtools_core::yaml::Node;
use fancy_regex::Regex;
use serde_json::{Map, Value};

use crate::lint_file::LintFile;

pub(crate) use script::{Language, Script};
pub(crate) use table::{NETWORK, PROGRAMS, base, interpreter_name, is_in, is_known};

/// A word of the command line.
#[derive(Debug)]
pub(crate) struct Word<'f> {
    pub(crate) text: &'f str,
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// It reads arguments of the call.
    pub(crate) is_template: bool,
}

/// The meaning of a word to the program before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A program, or a file that an interpreter runs.
    Program,
    /// Code of a language.
    Code,
    /// An argument that the program takes for an option if it begins with `-`.
    Argument,
    /// A word that cannot be mistaken: the value of an option, or what is after `--`.
    Value,
    /// A literal option.
    Option,
}

/// Reads the words of `exec`; none for other implementations.
pub(crate) fn words(file: &LintFile) -> Vec<Word<'_>> {
    let list = file
        .value("implementation")
        .and_then(|node| node.get("exec"));
    let mut found = Vec::new();
    for node in list.and_then(Node::items).into_iter().flatten() {
        match node.get("args").and_then(Node::items) {
            Some(items) => found.extend(items.iter().filter_map(word)),
            None => found.extend(word(node)),
        }
    }
    walk::assign_roles(&mut found);
    found
}

fn word(node: &Node) -> Option<Word<'_>> {
    let text = node.text()?;
    let analysis = njk::analyse(text);
    Some(Word {
        text,
        span: node.span,
        role: Role::Argument,
        is_template: analysis.is_ok_and(|found| !found.reads.is_empty()),
    })
}

/// Deeper schemas are not examined.
const MAX_DEPTH: usize = 8;
/// The template of a word that begins with an argument, and filters that keep its first
/// character.
static DASHED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let filter = r"\|\s*(?:lower|string|trim|upper|(?:default|d)\(.*?\)|(?:replace|truncate|indent)\([^-]*?\))\s*";
    let pattern = format!(
        r"^\s*(?:\{{%.*?%\}}\s*)?\{{\{{-?\s*([\w.]+)(?:\[\d+\])?\s*(?:{filter})*(?:(?:or|if)\s.*)?-?\}}\}}"
    );
    Regex::new(&pattern).ok()
});

/// Returns true if the template `word` begins with an argument that the schema lets begin with
/// `-`.
pub(crate) fn can_begin_with_dash(word: &str, schema: &Schema) -> bool {
    let regex = DASHED.as_ref();
    let found = regex.and_then(|regex| regex.captures(word).ok().flatten());
    let path = found.as_ref().and_then(|found| found.get(1));
    let path = path.and_then(|path| schema.at(path.as_str().split('.')));
    path.is_some_and(|found| can_value(found, 0))
}

/// Returns true if a text of this schema can begin with `-`.
fn can_value(found: &Map<String, Value>, depth: usize) -> bool {
    let kind = found.get("type").and_then(Value::as_str);
    if depth > MAX_DEPTH
        || ["allOf", "not", "$ref"]
            .iter()
            .any(|it| found.contains_key(*it))
    {
        return false;
    }
    if kind == Some("array") {
        let items = found.get("items").and_then(Value::as_object);
        return items.is_some_and(|items| can_value(items, depth + 1));
    }
    if let Some(values) = found.get("enum").and_then(Value::as_array) {
        let mut texts = values.iter().filter_map(Value::as_str);
        return texts.any(|text| text.starts_with('-'));
    }
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|it| found.get(*it)?.as_array());
    let mut branches = branches.flatten().filter_map(Value::as_object).peekable();
    if branches.peek().is_some() {
        return branches.any(|branch| can_value(branch, depth + 1));
    }
    let format = found.get("format");
    if kind != Some("string") || format.is_some_and(|format| format != "password") {
        return false;
    }
    // A pattern is tried with texts of the forms that options have.
    let pattern = found.get("pattern").and_then(Value::as_str);
    let regex = pattern.map(Regex::new);
    let tried = [
        "-",
        "--",
        "-a",
        "-A1",
        "-1",
        "-1.5",
        "--a-b",
        "-a_b",
        "--ab=c.d/e",
        "- a",
        "-a b",
    ];
    regex.is_none_or(|regex| {
        regex.is_ok_and(|regex| {
            tried
                .iter()
                .any(|text| regex.is_match(text).unwrap_or(false))
        })
    })
}
