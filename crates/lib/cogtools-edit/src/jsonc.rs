//! JSON with comments: read as its hosts do, and merged by insertion only.
//!
//! No byte of the file is changed or removed, so comments, order, trailing commas and
//! unusual spacing stay, and an existing value is never replaced: if it differs from ours,
//! its owner must decide. The parser's own editor lays whole objects out anew.

use std::collections::HashMap;
use std::path::Path;

use cogtools_core::Location;
use cogtools_core::pointer::child;
use jsonc_parser::ast::{Object, ObjectProp, Value as Present};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast, parse_to_serde_value,
    parse_to_value,
};
use serde_json::{Map, Value};

use crate::edit::{Conflict, ConflictKind};
use crate::{BYTE_ORDER_MARK, without_byte_order_mark};

/// Extensions of JSON that the parser of a host accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// None.
    Strict,
    /// Comments, as Gemini CLI does.
    Comments,
    /// Comments and trailing commas.
    Commas,
}

/// Text to insert into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The byte offset in the original file.
    pub at: usize,
    /// The inserted text.
    pub text: String,
}

/// Reads `text` (of `file`, for messages) as Gemini CLI does.
///
/// # Errors
///
/// The reason why Gemini CLI cannot read it.
pub fn read(file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    read_as(Dialect::Comments, file, text)
}

/// Reads `text` (of `file`, for messages) as a host that accepts `dialect` does. A byte order
/// mark and an empty file prevent the start of such a host.
///
/// # Errors
///
/// The reason why the host cannot read it.
pub fn read_as(dialect: Dialect, file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    let conflict = |kind| {
        let location = Location::of(file, text, 0..0);
        Err(Box::new(Conflict { kind, location }))
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        return conflict(ConflictKind::ByteOrderMark);
    }
    let strict = ParseOptions {
        allow_comments: dialect != Dialect::Strict,
        allow_trailing_commas: dialect == Dialect::Commas,
        ..OPTIONS
    };
    // This parser reads white space and comments as `null`; Gemini CLI refuses them.
    if parse_to_value(text, &strict).is_ok_and(|value| value.is_none()) {
        return conflict(ConflictKind::Empty);
    }
    parse_to_serde_value(text, &strict).map_err(|error| {
        let mut conflict = syntax(file, text, &error);
        if let (Dialect::Strict, ConflictKind::Syntax(language, _)) = (dialect, &mut conflict.kind)
        {
            *language = "JSON";
        }
        Box::new(conflict)
    })
}

/// Returns `text` without byte order mark and trailing commas, with an empty object if there
/// was no value; `None` if Gemini CLI could still not read it.
pub fn repair(file: &Path, text: &str) -> Option<String> {
    let document = Document::parse(file, text).ok()?;
    let mut fixed = String::with_capacity(document.text.len() + 3);
    let mut copied = 0;
    let mut comma = None;
    for token in &document.tokens {
        match token.token {
            Token::Comma => comma = Some(token.range),
            Token::CloseBrace | Token::CloseBracket => {
                if let Some(range) = comma.take() {
                    fixed.push_str(&document.text[copied..range.start]);
                    copied = range.end;
                }
            }
            Token::CommentLine(_) | Token::CommentBlock(_) => {}
            _ => comma = None,
        }
    }
    fixed.push_str(&document.text[copied..]);
    if document.root.is_none() {
        if !fixed.is_empty() && !fixed.ends_with('\n') {
            fixed.push('\n');
        }
        fixed.push_str("{}\n");
    }
    read(file, &fixed).is_ok().then_some(fixed)
}

/// Looks up the value at `keys` in `text` (of `file`, for messages), with its location.
///
/// # Errors
///
/// The file is not valid JSON with comments.
pub fn entry(
    file: &Path,
    text: &str,
    keys: &[&str],
) -> Result<Option<(Value, Location)>, Vec<Conflict>> {
    let document = Document::parse(file, text)?;
    let (Some(root), [above @ .., last]) = (&document.root, keys) else {
        return Ok(None);
    };
    // The merge reports a value of another type in the place of an object.
    let mut above = above.iter();
    let object = above.try_fold(root, |object, key| object.get_object(key));
    let found = object.and_then(|object| object.get(last));
    Ok(found.map(|property| {
        let location = document.location(property.value.range());
        (document.value(property.value.range()), location)
    }))
}

/// Returns `text` (of `file`, for messages) with everything in `wanted` that it lacks. Objects
/// are merged key by key.
///
/// # Errors
///
/// All conflicts in the file.
pub fn merge(
    file: &Path,
    text: &str,
    wanted: &Map<String, Value>,
) -> Result<String, Vec<Conflict>> {
    let mut merged = text.to_owned();
    for insertion in insertions(file, text, wanted)?.iter().rev() {
        merged.insert_str(insertion.at, &insertion.text);
    }
    Ok(merged)
}

/// Lists the insertions into `text` (of `file`, for messages) that add everything in `wanted`,
/// in the order of the file.
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
    let (mut insertions, mut conflicts) = (merge.insertions, merge.conflicts);
    if !conflicts.is_empty() {
        conflicts.sort_by_key(|conflict| (conflict.location.line, conflict.location.column));
        return Err(conflicts);
    }
    insertions.sort_by_key(|insertion| insertion.at);
    for insertion in &mut insertions {
        insertion.at += text.len() - document.text.len();
    }
    Ok(insertions)
}

/// JSON with comments and trailing commas, and no other extension.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A parsed file: its values, tokens and comments. An object with a duplicate key is refused,
/// because readers do not agree on the value that counts.
struct Document<'a> {
    file: &'a Path,
    /// The text without its byte order mark; all ranges are of this text.
    text: &'a str,
    /// The outermost object; `None` if there are only comments and white space.
    root: Option<Object<'a>>,
    /// Tokens and comments in order.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    fn parse(file: &'a Path, whole: &'a str) -> Result<Self, Vec<Conflict>> {
        let text = without_byte_order_mark(whole);
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &OPTIONS)
            .map_err(|error| vec![syntax(file, text, &error)])?;
        let mut document = Self {
            file,
            text,
            root: None,
            tokens: parsed.tokens.unwrap_or_default(),
        };
        let mut conflicts = Vec::new();
        if let Some(value) = &parsed.value {
            document.duplicates(value, "", &mut conflicts);
        }
        match parsed.value {
            Some(Present::Object(object)) => document.root = Some(object),
            Some(other) => conflicts = vec![document.not_an_object(&other, String::new())],
            None => {}
        }
        if conflicts.is_empty() {
            Ok(document)
        } else {
            Err(conflicts)
        }
    }

    fn value(&self, range: Range) -> Value {
        let written = self.text.get(range.start..range.end).unwrap_or_default();
        parse_to_serde_value(written, &OPTIONS).unwrap_or_default()
    }

    fn location(&self, range: Range) -> Location {
        Location::of(self.file, self.text, range.start..range.end)
    }

    /// Tokens and comments that begin within `range`.
    fn tokens_within(&self, range: std::ops::Range<usize>) -> &[TokenAndRange<'a>] {
        let tokens = &self.tokens;
        let first = tokens.partition_point(|token| token.range.start < range.start);
        let last = tokens.partition_point(|token| token.range.start < range.end);
        tokens.get(first..last).unwrap_or_default()
    }

    fn not_an_object(&self, value: &Present<'_>, pointer: String) -> Conflict {
        let found = match value {
            Present::StringLit(_) => "a string",
            Present::NumberLit(_) => "a number",
            Present::BooleanLit(_) => "a boolean",
            Present::Object(_) => "an object",
            Present::Array(_) => "an array",
            Present::NullKeyword(_) => "null",
        };
        Conflict {
            kind: ConflictKind::NotAnObject { pointer, found },
            location: self.location(value.range()),
        }
    }

    fn duplicates(&self, value: &Present<'a>, pointer: &str, found: &mut Vec<Conflict>) {
        if let Present::Array(array) = value {
            for (index, element) in array.elements.iter().enumerate() {
                self.duplicates(element, &format!("{pointer}/{index}"), found);
            }
        }
        let Present::Object(object) = value else {
            return;
        };
        let mut seen = HashMap::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let pointer = child(pointer, name);
            let range = property.name.range();
            let first = *seen.entry(name).or_insert(range);
            if first != range {
                found.push(Conflict {
                    kind: ConflictKind::Duplicate {
                        pointer: pointer.clone(),
                        first: self.location(first).line,
                    },
                    location: self.location(range),
                });
            }
            self.duplicates(&property.value, &pointer, found);
        }
    }
}

/// Describes a syntax error; its message begins in lower case, as ours do.
fn syntax(file: &Path, text: &str, error: &ParseError) -> Conflict {
    let mut message = error.kind().to_string();
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let mut range = error.range().start..error.range().end;
    if ["unterminated object", "unterminated array"].contains(&message.as_str()) {
        // A file that was cut off is wrong where it ends.
        let end = text.trim_end().len();
        range = end..end;
    }
    Conflict {
        kind: ConflictKind::Syntax("JSON with comments", message),
        location: Location::of(file, text, range),
    }
}

/// The formatting of a file, so that insertions look like the rest.
struct Layout<'a> {
    newline: &'static str,
    /// One step of indentation.
    unit: &'a str,
    /// The separator of a key and its value.
    colon: &'static str,
    /// The separator of two values on one line.
    comma: &'static str,
    /// The space inside the braces of an object on one line.
    padding: &'static str,
}

impl<'a> Layout<'a> {
    /// The formatting of `document`; by default, two spaces and line feeds.
    fn of(document: &Document<'a>) -> Self {
        let text = document.text;
        let root = document.root.as_ref();
        let properties = root.map_or(&[][..], |root| root.properties.as_slice());
        let before = |at: fn(&ObjectProp<'a>) -> usize| {
            let first = properties.first();
            first.map_or("", |first| &text[..at(first)])
        };
        let is_tight = before(|first| first.value.start()).ends_with(':');
        let is_padded = before(|first| first.name.start()).ends_with("{ ");
        let mut starts = properties.iter().map(|property| property.name.start());
        let newline = text.find(['\n', '\r']).map_or("", |at| &text[at..]);
        Self {
            newline: match newline {
                newline if newline.starts_with("\r\n") => "\r\n",
                newline if newline.starts_with('\r') => "\r",
                _ => "\n",
            },
            unit: starts.find_map(|at| indent(text, at)).unwrap_or("  "),
            colon: if is_tight { ":" } else { ": " },
            comma: if is_tight { "," } else { ", " },
            padding: if is_padded { " " } else { "" },
        }
    }

    /// `base` with one more step of indentation.
    fn deeper(&self, base: &str) -> String {
        format!("{base}{}", self.unit)
    }

    /// Members on lines of their own, each after a line end and `indent`.
    fn lines(&self, members: &[Member<'_>], indent: &str) -> String {
        let lead = format!("{}{indent}", self.newline);
        let lines = members.iter().map(|(key, value)| {
            let value = self.value(value, Some(indent));
            format!("{lead}{}{}{value}", Value::from(key.as_str()), self.colon)
        });
        lines.collect::<Vec<_>>().join(",")
    }

    fn on_one_line(&self, members: &[Member<'_>]) -> String {
        let members = members.iter().map(|(key, value)| {
            let value = self.value(value, None);
            format!("{}{}{value}", Value::from(key.as_str()), self.colon)
        });
        members.collect::<Vec<_>>().join(self.comma)
    }

    /// A value; its object on several lines if `indent`, the one of its key, is given.
    fn value(&self, value: &Value, indent: Option<&str>) -> String {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let members: Vec<Member<'_>> = members.iter().collect();
                let Some(indent) = indent else {
                    let padding = self.padding;
                    return format!("{{{padding}{}{padding}}}", self.on_one_line(&members));
                };
                let lines = self.lines(&members, &self.deeper(indent));
                format!("{{{lines}{}{indent}}}", self.newline)
            }
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| self.value(element, None));
                format!("[{}]", elements.collect::<Vec<_>>().join(self.comma))
            }
            scalar => scalar.to_string(),
        }
    }
}

/// The white space before `at` if it starts the line.
///
/// Only the white space is scanned: a file of one long line has many values.
fn indent(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let blanks = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
    let starts_line = blanks.ends_with(['\n', '\r']);
    starts_line.then(|| &before[blanks.len()..])
}

/// The white space at the start of the line that contains `at`.
fn margin(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |feed| feed + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start().len()]
}

/// A missing key and its value.
type Member<'w> = (&'w String, &'w Value);

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
            let Some(property) = object.get(key) else {
                missing.push((key, value));
                continue;
            };
            let (present, pointer) = (&property.value, child(pointer, key));
            match (present, value) {
                (Present::Object(object), Value::Object(wanted)) => {
                    self.descend(object, wanted, &pointer);
                }
                (_, Value::Object(_)) => {
                    let conflict = self.document.not_an_object(present, pointer);
                    self.conflicts.push(conflict);
                }
                _ if self.document.value(present.range()) == *value => {}
                _ => self.conflicts.push(Conflict {
                    kind: ConflictKind::DifferentValue {
                        pointer,
                        present: self.excerpt(present.range()),
                        wanted: value.to_string(),
                    },
                    location: self.document.location(present.range()),
                }),
            }
        }
        match object.properties.last() {
            _ if missing.is_empty() => {}
            Some(last) => self.append(object, last, &missing),
            None => self.fill(object, &missing),
        }
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
        let rest = last.range.end..object.range.end - 1;
        let rest = self.document.tokens_within(rest);
        let end = rest.last().map_or(last.range.end, |token| token.range.end);
        let has_comma = rest.iter().any(|token| token.token == Token::Comma);
        let last_token = rest.last().map(|token| &token.token);
        let is_broken = matches!(last_token, Some(Token::CommentLine(_)));
        let mut properties = object.properties.iter().rev();
        let own_line = properties.find_map(|property| indent(text, property.name.start()));
        let deeper = self.layout.deeper(margin(text, object.range.start));
        if let Some(indent) = own_line.or(is_broken.then_some(deeper.as_str())) {
            if !has_comma {
                self.insert(last.range.end, ",".to_owned());
            }
            self.insert(end, self.layout.lines(members, indent));
        } else {
            let comma = self.layout.comma;
            let lead = if has_comma { &comma[1..] } else { comma };
            self.insert(end, lead.to_owned() + &self.layout.on_one_line(members));
        }
    }

    /// Inserts `members` into `object`, which is empty.
    fn fill(&mut self, object: &Object<'_>, members: &[Member<'_>]) {
        let text = self.document.text;
        let inside = object.range.start + 1..object.range.end - 1;
        let comments = self.document.tokens_within(inside.clone());
        let last = comments.last();
        let end = last.map_or(inside.start, |token| token.range.end);
        let base = margin(text, object.range.start);
        let lines = self.layout.lines(members, &self.layout.deeper(base));
        let root = self.document.root.as_ref();
        if text[end..inside.end].contains(['\n', '\r']) {
            self.insert(end, lines);
        } else if root.is_some_and(|root| root.range == object.range)
            || text.trim_end().contains(['\n', '\r'])
        {
            let newline = self.layout.newline;
            self.insert(inside.end, format!("{lines}{newline}{base}"));
        } else {
            let gap = if comments.is_empty() {
                ""
            } else {
                &self.layout.comma[1..]
            };
            self.insert(end, gap.to_owned() + &self.layout.on_one_line(members));
        }
    }

    /// Inserts an object into a text without one.
    fn begin(&mut self, wanted: &Map<String, Value>) {
        let text = self.document.text;
        let last = self.document.tokens.last();
        let end = last.map_or(0, |token| token.range.end);
        let wanted: Vec<Member<'_>> = wanted.iter().collect();
        let newline = self.layout.newline;
        let lines = self.layout.lines(&wanted, self.layout.unit);
        let object = format!("{{{lines}{newline}}}");
        let object = if text.is_empty() || text[end..].contains(['\n', '\r']) {
            object + newline
        } else {
            format!("{newline}{object}")
        };
        self.insert(text.len(), object);
    }

    fn insert(&mut self, at: usize, text: String) {
        self.insertions.push(Insertion { at, text });
    }
}
