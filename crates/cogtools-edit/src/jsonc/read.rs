//! Reading a file as Gemini CLI reads its settings: comments are taken out, and
//! what is left must be JSON to the letter.
//!
//! A byte order mark, a trailing comma or an empty file ends its start; editors
//! write all three, so [`mend`] takes them out again and nothing else.

use std::path::Path;

use jsonc_parser::parse_to_serde_value;
use jsonc_parser::tokens::Token;
use serde_json::Value;

use super::document::{BYTE_ORDER_MARK, Document, options, place, sentence};
use crate::refusal::{Reason, Refusal};

/// The value of `text` (of `file`, for messages), if Gemini CLI can read it.
pub fn read(file: &Path, text: &str) -> Result<Value, Box<Refusal>> {
    let refuse = |reason, range| {
        let place = place(file, text, range);
        Err(Box::new(Refusal { reason, place }))
    };
    let start = jsonc_parser::common::Range { start: 0, end: 0 };
    if text.starts_with(BYTE_ORDER_MARK) {
        return refuse(Reason::ByteOrderMark, start);
    }
    let strict = jsonc_parser::ParseOptions {
        allow_trailing_commas: false,
        ..options()
    };
    // Blanks and comments alone have the value `null` here; there they have none.
    if jsonc_parser::parse_to_value(text, &strict).is_ok_and(|value| value.is_none()) {
        return refuse(Reason::Nothing, start);
    }
    match parse_to_serde_value::<Value>(text, &strict) {
        Ok(value) => Ok(value),
        Err(error) => {
            let reason = Reason::Syntax(sentence(&error.kind().to_string()));
            refuse(reason, error.range())
        }
    }
}

/// `text` without byte order mark and trailing commas, an object where there was
/// nothing; `None` when Gemini CLI could not read it even so.
pub fn mend(file: &Path, text: &str) -> Option<String> {
    let document = Document::parse(file, text).ok()?;
    let mut mended = String::with_capacity(document.text.len() + 3);
    let mut copied = 0;
    let mut comma = None;
    for token in document.tokens() {
        match token.token {
            Token::Comma => comma = Some(token.range),
            Token::CloseBrace | Token::CloseBracket => {
                if let Some(range) = comma.take() {
                    mended.push_str(&document.text[copied..range.start]);
                    copied = range.end;
                }
            }
            Token::CommentLine(_) | Token::CommentBlock(_) => {}
            _ => comma = None,
        }
    }
    mended.push_str(&document.text[copied..]);
    if document.root.is_none() {
        if !mended.is_empty() && !mended.ends_with('\n') {
            mended.push('\n');
        }
        mended.push_str("{}\n");
    }
    read(file, &mended).is_ok().then_some(mended)
}
