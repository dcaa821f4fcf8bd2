//! A parsed JSONC file: its values, tokens and comments, each with its location.
//!
//! JSON with comments, trailing commas and a byte order mark is accepted, and nothing
//! else. An object with a duplicate key is refused, because readers do not agree on
//! which value counts.

use std::collections::HashMap;
use std::path::Path;

use cogtools_core::Location;
use cogtools_core::pointer::child;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::conflict::{Conflict, ConflictKind};

/// The UTF-8 byte order mark that some editors write at the start of a file.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file's text, parsed.
pub(super) struct Document<'a> {
    file: &'a Path,
    /// The text without its byte order mark; all ranges are of this text.
    pub(super) text: &'a str,
    /// The offset of `text` in the file, in bytes.
    pub(super) offset: usize,
    /// The outermost object; `None` if there are only comments and white space.
    pub(super) root: Option<Object<'a>>,
    /// Tokens and comments in order.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    /// Parses `whole`, the text of `file`.
    pub(super) fn parse(file: &'a Path, whole: &'a str) -> Result<Self, Vec<Conflict>> {
        let text = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(whole);
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let conflict = |kind, range| {
            let location = location(file, text, range);
            vec![Conflict { kind, location }]
        };
        let parsed = parse_to_ast(text, &collect, &options()).map_err(|error| {
            let kind = ConflictKind::Syntax(lower_first(&error.kind().to_string()));
            conflict(kind, error.range())
        })?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => {
                let kind = ConflictKind::NotAnObject {
                    pointer: String::new(),
                    found: kind(&other),
                };
                return Err(conflict(kind, other.range()));
            }
        };
        let document = Self {
            file,
            text,
            offset: whole.len() - text.len(),
            root,
            tokens: parsed.tokens.unwrap_or_default(),
        };
        let mut duplicates = Vec::new();
        if let Some(root) = &document.root {
            document.duplicates(root, "", &mut duplicates);
        }
        if duplicates.is_empty() {
            Ok(document)
        } else {
            Err(duplicates)
        }
    }

    /// The location of `range`, for messages.
    pub(super) fn location(&self, range: Range) -> Location {
        location(self.file, self.text, range)
    }

    /// Tokens and comments that begin within `range`.
    pub(super) fn tokens_within(&self, range: Range) -> &[TokenAndRange<'a>] {
        let first = self
            .tokens
            .partition_point(|token| token.range.start < range.start);
        let last = self
            .tokens
            .partition_point(|token| token.range.start < range.end);
        self.tokens.get(first..last).unwrap_or_default()
    }

    /// Every token and comment.
    pub(super) fn tokens(&self) -> &[TokenAndRange<'a>] {
        &self.tokens
    }

    /// The end of the last token or comment of the whole text.
    pub(super) fn end(&self) -> usize {
        self.tokens.last().map_or(0, |token| token.range.end)
    }

    fn duplicates(&self, object: &Object<'a>, pointer: &str, found: &mut Vec<Conflict>) {
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
            self.duplicates_in(&property.value, &pointer, found);
        }
    }

    fn duplicates_in(&self, value: &Value<'a>, pointer: &str, found: &mut Vec<Conflict>) {
        match value {
            Value::Object(object) => self.duplicates(object, pointer, found),
            Value::Array(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    self.duplicates_in(element, &format!("{pointer}/{index}"), found);
                }
            }
            _ => {}
        }
    }
}

/// The type of `value`, for messages.
pub(super) const fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}

pub(super) const fn options() -> ParseOptions {
    ParseOptions {
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
    }
}

pub(super) fn location(file: &Path, text: &str, range: Range) -> Location {
    let before = text.get(..range.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |feed| feed + 1);
    let column = before[start..].chars().count() + 1;
    let width = text.get(range.start..range.end);
    let width = width.map_or(1, |covered| {
        covered.lines().next().unwrap_or("").chars().count()
    });
    Location::new(file, text, line, column, width)
}

/// The parser's message in lower case, as our messages begin.
pub(super) fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}
