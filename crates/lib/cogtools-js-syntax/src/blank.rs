//! Code with blanks instead of parts of it: lines, columns and offsets stay.

use std::ops::Range;

/// Code, and what replaces its bytes.
pub(crate) struct Blanks<'c> {
    code: &'c str,
    /// For each byte: zero if it stays, a blank, or the character that takes its place.
    marks: Vec<u8>,
}

impl<'c> Blanks<'c> {
    pub(crate) fn new(code: &'c str) -> Self {
        Self {
            code,
            marks: vec![0; code.len()],
        }
    }

    /// Replaces `range` by blanks.
    pub(crate) fn blank(&mut self, range: Range<usize>) {
        if let Some(marks) = self.marks.get_mut(range) {
            marks.fill(b' ');
        }
    }

    /// Replaces the character that begins at `at` by `character`.
    pub(crate) fn put(&mut self, at: usize, character: u8) {
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = character;
        }
    }

    /// Replaces the character that ends at `end` by `character`.
    pub(crate) fn put_last(&mut self, end: usize, character: u8) {
        let last = self
            .code
            .get(..end)
            .and_then(|it| it.char_indices().next_back());
        if let Some((at, _)) = last {
            self.put(at, character);
        }
    }

    /// The offset of the next token: after blanks and comments.
    pub(crate) fn next_token(&self, mut at: usize) -> usize {
        loop {
            let rest = self.code.get(at..).unwrap_or_default();
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") {
                trimmed.find(is_line_end)
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map(|end| end + 2)
            } else {
                return at;
            };
            at += comment.unwrap_or(trimmed.len());
        }
    }

    /// The character at `at`.
    pub(crate) fn character(&self, at: usize) -> Option<char> {
        self.code.get(at..)?.chars().next()
    }

    /// The word, of ASCII letters, that begins at `at`.
    pub(crate) fn word(&self, at: usize) -> &'c str {
        let rest = self.code.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Returns true if a line ends in `range`.
    pub(crate) fn has_line_end(&self, range: Range<usize>) -> bool {
        self.code
            .get(range)
            .is_some_and(|it| it.contains(is_line_end))
    }

    /// The code with its blanks; none if nothing was replaced.
    pub(crate) fn finish(self) -> Option<String> {
        if self.marks.iter().all(|mark| *mark == 0) {
            return None;
        }
        let mut text = String::with_capacity(self.code.len());
        for (at, c) in self.code.char_indices() {
            match self.marks[at] {
                0 => text.push(c),
                b' ' if c.is_whitespace() => text.push(c),
                b' ' => text.push_str(blank(c.len_utf8())),
                mark => {
                    text.push(mark.into());
                    text.push_str(blank(c.len_utf8() - 1));
                }
            }
        }
        Some(text)
    }
}

/// Blanks of as many bytes; but for the rarest characters, as many as the text had.
const fn blank(bytes: usize) -> &'static str {
    match bytes {
        0 => "",
        1 => " ",
        2 => "\u{A0}",
        3 => "\u{2003}",
        _ => "\u{A0}\u{A0}",
    }
}

/// Returns true for what ends a line in JavaScript.
const fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
