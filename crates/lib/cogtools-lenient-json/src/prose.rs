//! The outermost objects and arrays in prose.

use crate::character::{is_space, narrow};
use crate::parser::{Mode, Parser, Stop};
use crate::search::{Candidate, Modes, NoJson, Values};
use crate::whole::attempt;

/// How many bytes the attempts that fail may read for each byte of the text.
const MAX_WORK: usize = 8;

/// The longest comment between a bracket and what it begins, in bytes.
const MAX_COMMENT: usize = 1 << 10;

/// The longest mark of an item in a list, with its indentation, in bytes.
const MAX_MARK: usize = 32;

/// Adds the outermost objects and arrays.
pub(crate) fn values(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut left = text.len().saturating_mul(MAX_WORK).saturating_add(1 << 16);
    let mut at = 0;
    while let Some(offset) = text[at..].find(|c| matches!(narrow(c), '{' | '[')) {
        let start = at + offset;
        let bracket = text[start..].chars().next().map_or(1, char::len_utf8);
        at = start + bracket;
        for mode in modes.all(true) {
            if mode.repair && !is_plausible(text, start, mode) {
                continue;
            }
            let attempt = attempt(text, start, text.len(), mode, false);
            match attempt.result {
                Ok(candidate) => {
                    at = attempt.end.max(at);
                    if !is_checkbox(text, start, &candidate) {
                        values.add(candidate)?;
                    }
                    break;
                }
                Err(Stop::TooMany) => return Err(NoJson::TooMany),
                Err(Stop::TooDeep(offset)) => {
                    values.add(Err(NoJson::TooDeep(offset)))?;
                    at = skip(text, start).max(at);
                    break;
                }
                Err(Stop::Invalid(_) | Stop::Escaped) => {
                    let work = attempt.end.saturating_sub(start) + 1;
                    left = left.checked_sub(work).ok_or(NoJson::TooIntricate)?;
                }
            }
        }
    }
    Ok(())
}

/// Whether what begins with the bracket at `start` looks like JSON, and not like prose.
fn is_plausible(text: &str, start: usize, mode: Mode) -> bool {
    let bracket = text[start..].chars().next().unwrap_or('{');
    let parser = Parser::new(text, start + bracket.len_utf8(), mode);
    let mut at = parser.skip_space(parser.pos);
    while let Some(end) = comment(text, at) {
        at = parser.skip_space(end);
    }
    if parser.punctuation_at(at) == Some(',') {
        at = parser.skip_space(at + parser.char_at(at).map_or(0, char::len_utf8));
    }
    let rest = &text[at..];
    if rest.starts_with(['"', '“']) || rest.starts_with("\\\"") {
        return true;
    }
    if narrow(bracket) == '[' {
        return parser.begins_value(at) || rest.starts_with(']');
    }
    if parser.is_quote_at(at) {
        return parser.is_certainly_key(at);
    }
    rest.starts_with('}') || parser.bare_key_end(at).is_some()
}

/// The end of the comment at `at`.
fn comment(text: &str, at: usize) -> Option<usize> {
    let end = text.floor_char_boundary(at.saturating_add(MAX_COMMENT));
    let rest = &text[at..end];
    if rest.starts_with("/*") {
        return rest.find("*/").map(|end| at + end + 2);
    }
    let is_line = rest.starts_with("//") || rest.starts_with("# ");
    is_line.then(|| rest.find('\n').map_or(end, |end| at + end))
}

/// Whether the array is the empty box of a task in a Markdown list.
fn is_checkbox(text: &str, start: usize, candidate: &Candidate) -> bool {
    let is_box = matches!(candidate, Ok(found) if &text[found.span.clone()] == "[ ]");
    if !is_box {
        return false;
    }
    let begin = text.ceil_char_boundary(start.saturating_sub(MAX_MARK));
    let line = text[begin..start].rsplit('\n').next().unwrap_or_default();
    let mark = line.trim_matches(is_space);
    let is_number = mark.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    matches!(mark, "-" | "*" | "+") || is_number
}

/// Where the brackets that open at `start` are closed again, strings left aside.
fn skip(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut is_string = false;
    let mut is_escaped = false;
    for (offset, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => depth += 1,
            b']' | b'}' if !is_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return offset + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}
