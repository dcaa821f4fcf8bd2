//! The insertions that add missing values to a file.

use std::path::Path;

use cogtools_core::pointer::child;
use jsonc_parser::ast::{Object, ObjectProp, Value as Present};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::tokens::Token;
use serde_json::{Map, Value};

use super::document::{Document, kind};
use super::layout::{Layout, indent, margin};
use crate::conflict::{Conflict, ConflictKind};

/// Text to insert into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The byte offset in the original file.
    pub at: usize,
    /// The inserted text.
    pub text: String,
}

/// A missing key and its value.
type Member<'w> = (&'w String, &'w Value);

/// The insertions into `text` (of `file`, for messages) that add everything in
/// `wanted`, in the order of the file.
///
/// # Errors
///
/// All conflicts in the file.
pub fn insertions(
    file: &Path,
    text: &str,
    wanted: &Map<String, Value>,
) -> Result<Vec<Insertion>, Vec<Conflict>> {
    let document = Document::parse(file, text)?;
    let mut merge = Merge {
        layout: Layout::of(&document),
        document: &document,
        insertions: Vec::new(),
        conflicts: Vec::new(),
    };
    match &document.root {
        Some(root) => merge.descend(root, wanted, ""),
        None => merge.begin(wanted),
    }
    if !merge.conflicts.is_empty() {
        merge
            .conflicts
            .sort_by_key(|conflict| (conflict.location.line, conflict.location.column));
        return Err(merge.conflicts);
    }
    let mut insertions = merge.insertions;
    insertions.sort_by_key(|insertion| insertion.at);
    for insertion in &mut insertions {
        insertion.at += document.offset;
    }
    Ok(insertions)
}

struct Merge<'d, 'a> {
    document: &'d Document<'a>,
    layout: Layout<'a>,
    insertions: Vec<Insertion>,
    conflicts: Vec<Conflict>,
}

impl Merge<'_, '_> {
    fn descend(&mut self, object: &Object<'_>, wanted: &Map<String, Value>, pointer: &str) {
        let mut missing: Vec<Member<'_>> = Vec::new();
        for (key, value) in wanted {
            let property = object.properties.iter().find(|p| p.name.as_str() == key);
            match property.map(|property| (&property.value, value)) {
                None => missing.push((key, value)),
                Some((Present::Object(object), Value::Object(wanted))) => {
                    self.descend(object, wanted, &child(pointer, key));
                }
                Some((present, wanted)) if same(present, wanted) => {}
                Some((present, wanted)) => self.add_conflict(present, wanted, child(pointer, key)),
            }
        }
        if missing.is_empty() {
            return;
        }
        match object.properties.last() {
            Some(last) => self.append(object, last, &missing),
            None => self.fill(object, &missing),
        }
    }

    fn add_conflict(&mut self, present: &Present<'_>, wanted: &Value, pointer: String) {
        let kind = if wanted.is_object() {
            ConflictKind::NotAnObject {
                pointer,
                found: kind(present),
            }
        } else {
            ConflictKind::DifferentValue {
                pointer,
                present: self.excerpt(present.range()),
                wanted: wanted.to_string(),
            }
        };
        let location = self.document.location(present.range());
        self.conflicts.push(Conflict { kind, location });
    }

    /// The text of `range`, truncated if it is long or has several lines.
    fn excerpt(&self, range: Range) -> String {
        const MAX_CHARS: usize = 60;
        let whole = &self.document.text[range.start..range.end];
        let line = whole.lines().next().unwrap_or("");
        let cut: String = line.chars().take(MAX_CHARS).collect();
        let more = if cut.len() < whole.len() { "…" } else { "" };
        format!("{cut}{more}")
    }

    /// Inserts `members` after the `last` property of `object`.
    fn append(&mut self, object: &Object<'_>, last: &ObjectProp<'_>, members: &[Member<'_>]) {
        let text = self.document.text;
        let rest = self.document.tokens_within(Range {
            start: last.range.end,
            end: object.range.end - 1,
        });
        let end = rest.last().map_or(last.range.end, |token| token.range.end);
        let comma = rest.iter().any(|token| token.token == Token::Comma);
        let broken =
            matches!(rest.last(), Some(token) if matches!(token.token, Token::CommentLine(_)));
        let own_line = object
            .properties
            .iter()
            .rev()
            .find_map(|property| indent(text, property.name.start()));
        let deeper = self.layout.deeper(margin(text, object.range.start));
        let own_line = own_line.or(broken.then_some(deeper.as_str()));
        if let Some(indent) = own_line {
            if !comma {
                self.insert(last.range.end, ",".to_owned());
            }
            let lines = self.lines(members, indent);
            self.insert(end, lines);
        } else {
            let lead = if comma {
                self.layout.gap.to_owned()
            } else {
                self.layout.comma()
            };
            let members = self.on_one_line(members);
            self.insert(end, lead + &members);
        }
    }

    /// Inserts `members` into `object`, which is empty.
    fn fill(&mut self, object: &Object<'_>, members: &[Member<'_>]) {
        let text = self.document.text;
        let inside = Range {
            start: object.range.start + 1,
            end: object.range.end - 1,
        };
        let comments = self.document.tokens_within(inside);
        let end = comments
            .last()
            .map_or(inside.start, |token| token.range.end);
        let base = margin(text, object.range.start);
        let lines = self.lines(members, &self.layout.deeper(base));
        let outermost = self
            .document
            .root
            .as_ref()
            .is_some_and(|root| root.range == object.range);
        if text[end..inside.end].contains(['\n', '\r']) {
            self.insert(end, lines);
        } else if outermost || text.trim_end().contains(['\n', '\r']) {
            self.insert(inside.end, format!("{lines}{}{base}", self.layout.newline));
        } else {
            let gap = if comments.is_empty() {
                ""
            } else {
                self.layout.gap
            };
            let members = self.on_one_line(members);
            self.insert(end, format!("{gap}{members}"));
        }
    }

    /// Inserts an object into a text without one.
    fn begin(&mut self, wanted: &Map<String, Value>) {
        let text = self.document.text;
        let end = self.document.end();
        let wanted: Vec<Member<'_>> = wanted.iter().collect();
        let newline = self.layout.newline;
        let lines = self.lines(&wanted, &self.layout.deeper(""));
        let object = format!("{{{lines}{newline}}}");
        if text.is_empty() {
            self.insert(0, format!("{object}{newline}"));
        } else if text[end..].contains(['\n', '\r']) {
            self.insert(text.len(), format!("{object}{newline}"));
        } else {
            self.insert(text.len(), format!("{newline}{object}"));
        }
    }

    fn lines(&self, members: &[Member<'_>], indent: &str) -> String {
        let lead = format!("{}{indent}", self.layout.newline);
        let lines: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{lead}{}", self.layout.member(key, value, Some(indent))))
            .collect();
        lines.join(",")
    }

    fn on_one_line(&self, members: &[Member<'_>]) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| self.layout.member(key, value, None))
            .collect();
        members.join(&self.layout.comma())
    }

    fn insert(&mut self, at: usize, text: String) {
        self.insertions.push(Insertion { at, text });
    }
}

/// Whether `present` has the value of `wanted`.
fn same(present: &Present<'_>, wanted: &Value) -> bool {
    match (present, wanted) {
        (Present::StringLit(present), Value::String(wanted)) => present.value == *wanted,
        (Present::NumberLit(present), Value::Number(wanted)) => present.value == wanted.to_string(),
        (Present::BooleanLit(present), Value::Bool(wanted)) => present.value == *wanted,
        (Present::NullKeyword(_), Value::Null) => true,
        (Present::Array(present), Value::Array(wanted)) => {
            present.elements.len() == wanted.len()
                && present
                    .elements
                    .iter()
                    .zip(wanted)
                    .all(|(one, other)| same(one, other))
        }
        _ => false,
    }
}
