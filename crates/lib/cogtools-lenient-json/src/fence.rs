//! Values in Markdown's fences.
//!
//! A fence begins a line. Models also write one on a single line, put the closing fence
//! after the value, and leave it out.

use crate::search::{Modes, NoJson, Values};
use crate::whole::{part, trim};

/// Adds the values of the fences whose whole content is one.
pub(crate) fn values(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut at = 0;
    while let Some(fence) = Fence::find(text, at) {
        let (start, end) = trim(text, fence.start, fence.end);
        for mode in modes.all(false) {
            if let Some(found) = part(text, start, end, mode)? {
                values.add(found)?;
                break;
            }
        }
        at = fence.next;
    }
    Ok(())
}

/// The content of a fence, and where the text continues after it.
struct Fence {
    start: usize,
    end: usize,
    next: usize,
}

impl Fence {
    /// The first fence that begins at `at` or later; `at` is the beginning of a line.
    fn find(text: &str, at: usize) -> Option<Self> {
        let mut line = at;
        loop {
            let rest = &text[line..];
            let end = rest.find('\n').map_or(text.len(), |end| line + end);
            if let Some(length) = marker(&text[line..end]) {
                let indent = rest.len() - rest.trim_start_matches([' ', '\t', '>']).len();
                let after = line + indent + length;
                let mark = text[..after].chars().next_back()?;
                return Some(Self::close(
                    text,
                    after + label(&text[after..]),
                    mark,
                    length,
                ));
            }
            if end == text.len() {
                return None;
            }
            line = end + 1;
        }
    }

    /// The fence whose content begins at `start`.
    fn close(text: &str, start: usize, mark: char, length: usize) -> Self {
        let mut line = start;
        loop {
            let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
            let next = (end + 1).min(text.len());
            let content = text[line..end].trim_end();
            let body = content.trim_end_matches(mark);
            if content.len() - body.len() >= length {
                return Self {
                    start,
                    end: line + body.len(),
                    next,
                };
            }
            if end == text.len() {
                return Self { start, end, next };
            }
            line = next;
        }
    }
}

/// The length of the fence that the line begins with.
fn marker(line: &str) -> Option<usize> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then_some(length)
}

/// The length of the name of a language.
fn label(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let is_word = matches!(&text[..end], "true" | "false" | "null");
    if is_number || is_word { 0 } else { end }
}
