//! Reading a file as its host does: Gemini CLI removes comments from its settings, and the
//! rest must be strict JSON.
//!
//! A byte order mark, a trailing comma or an empty file prevents its start. Editors
//! write all three, so [`repair`] fixes these and nothing else.

use std::path::Path;

use jsonc_parser::parse_to_serde_value;
use jsonc_parser::tokens::Token;
use serde_json::Value;

use super::document::{BYTE_ORDER_MARK, Document, location, lower_first, options};
use crate::conflict::{Conflict, ConflictKind};

/// What a host's parser accepts beyond JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Nothing.
    Strict,
    /// Comments, as Gemini CLI does.
    Comments,
    /// Comments and trailing commas.
    Commas,
}

/// The value of `text` (of `file`, for messages), if Gemini CLI can read it.
pub fn read(file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    read_as(Dialect::Comments, file, text)
}

/// The value of `text` (of `file`, for messages), if a host that accepts `dialect` can read it.
pub fn read_as(dialect: Dialect, file: &Path, text: &str) -> Result<Value, Box<Conflict>> {
    let conflict = |kind, range| {
        let location = location(file, text, range);
        Err(Box::new(Conflict { kind, location }))
    };
    let start = jsonc_parser::common::Range { start: 0, end: 0 };
    if text.starts_with(BYTE_ORDER_MARK) {
        return conflict(ConflictKind::ByteOrderMark, start);
    }
    let strict = jsonc_parser::ParseOptions {
        allow_comments: dialect != Dialect::Strict,
        allow_trailing_commas: dialect == Dialect::Commas,
        ..options()
    };
    // This parser reads white space and comments as `null`; Gemini CLI refuses them.
    if jsonc_parser::parse_to_value(text, &strict).is_ok_and(|value| value.is_none()) {
        return conflict(ConflictKind::Empty, start);
    }
    match parse_to_serde_value::<Value>(text, &strict) {
        Ok(value) => Ok(value),
        Err(error) => {
            let kind = ConflictKind::Syntax(lower_first(&error.kind().to_string()));
            conflict(kind, error.range())
        }
    }
}

/// `text` without byte order mark and trailing commas, with an empty object if there
/// was no value; `None` if Gemini CLI could still not read it.
pub fn repair(file: &Path, text: &str) -> Option<String> {
    let document = Document::parse(file, text).ok()?;
    let mut fixed = String::with_capacity(document.text.len() + 3);
    let mut copied = 0;
    let mut comma = None;
    for token in document.tokens() {
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
