//! Whether a quote ends a string, or is a part of it that was not escaped.

use super::{Open, Parser, Role};
use crate::character::{is_quote, is_space};

/// How far the end of a quotation inside a string may be, in bytes.
const MAX_QUOTATION: usize = 256;

impl Parser<'_> {
    /// Whether the string ends with the quote at `at`, which is `length` bytes long.
    pub(super) fn ends_string(&self, role: Role, at: usize, length: usize) -> bool {
        let after = at + length;
        let next = self.skip_space(after);
        let has_space = next > after;
        let has_line_end = self.text[after..next].contains('\n');
        let Some(c) = self.punctuation_at(next) else {
            return true;
        };
        match c {
            ',' => self.is_separator(role, next),
            '}' | ']' => true,
            ':' => match role {
                Role::Key | Role::Root => true,
                Role::Item => self.parent() == Some(Open::Object),
                Role::Member | Role::Argument => false,
            },
            '=' => role == Role::Key,
            ')' => role == Role::Argument,
            ';' => self.is_semicolon(role, next),
            '+' => is_quote(self.after_plus(next).unwrap_or(' ')),
            '/' => self.is_comment(next),
            '#' | '…' => has_space,
            '.' => self.text[next..].starts_with("..."),
            '{' | '[' => matches!(role, Role::Item | Role::Key),
            '`' if self.text[next..].starts_with("```") => true,
            _ if self.is_quote_at(next) => self.is_neighbour(role, next, has_space),
            '-' | '0'..='9' => matches!(role, Role::Item | Role::Key) && self.is_number_item(next),
            _ if matches!(role, Role::Item | Role::Key) && self.is_keyword(next) => true,
            _ => role == Role::Member && has_line_end && self.begins_key(next),
        }
    }

    /// Whether a string that another one follows ends before it.
    fn is_neighbour(&self, role: Role, next: usize, has_space: bool) -> bool {
        match role {
            Role::Key => true,
            Role::Member if has_space => self.is_key(next),
            Role::Member => self.is_certainly_key(next),
            Role::Item => has_space || self.is_certainly_item(next),
            Role::Root | Role::Argument => false,
        }
    }

    /// Whether the semicolon at `at` separates values.
    fn is_semicolon(&self, role: Role, at: usize) -> bool {
        let next = self.skip_space(at + 1);
        let has_line_end = self.text[at..next].contains('\n');
        role == Role::Root
            || has_line_end
            || matches!(self.char_at(next), None | Some('}' | ']'))
            || self.is_quote_at(next) && self.is_certainly_key(next)
    }

    /// The character after the `+` at `at`.
    fn after_plus(&self, at: usize) -> Option<char> {
        let mut next = self.skip_space(at + 1);
        if let Some(end) = self.char_at(next).and_then(|_| self.comment_end(next)) {
            next = self.skip_space(end);
        }
        self.char_at(next)
    }

    /// Whether the comma at `at` separates values, and is not a part of the string.
    fn is_separator(&self, role: Role, at: usize) -> bool {
        let comma = self.char_at(at).map_or(1, char::len_utf8);
        let next = self.skip_space(at + comma);
        let Some(c) = self.punctuation_at(next) else {
            return true;
        };
        if matches!(c, '}' | ']' | ',' | '/' | '#' | '.' | '…' | '\\' | '{') {
            return true;
        }
        match role {
            Role::Root | Role::Argument | Role::Key => true,
            Role::Member if self.is_quote_at(next) => self.is_key(next),
            Role::Member => self.bare_key_end(next).is_some(),
            Role::Item => {
                self.begins_value(next) || self.is_word(next) || !self.has_quote_in_line(next)
            }
        }
    }

    /// Whether another quote is near enough on the line for this one to open a quotation.
    fn has_quote_in_line(&self, at: usize) -> bool {
        let end = self
            .text
            .floor_char_boundary(at.saturating_add(MAX_QUOTATION));
        let line = self.text[at..end].split('\n').next().unwrap_or_default();
        line.contains('"') || at + line.len() == end && end < self.text.len()
    }

    /// Whether a single word without quotes is at `at`.
    fn is_word(&self, at: usize) -> bool {
        let end = self.text_end(at);
        let next = self.punctuation_at(self.skip_space(end));
        let word = &self.text[at..end];
        !word.contains(is_space) && matches!(next, None | Some(',' | ']' | '"'))
    }

    /// Whether the quote at `at`, which does not end the string, begins the next one: the
    /// end of this string is missing. Returns where it would have been.
    pub(super) fn missing_end(&self, role: Role, begin: usize, at: usize) -> Option<usize> {
        let before = self.text[begin..at].trim_end_matches(is_space);
        let has_comma = before.ends_with(',');
        let has_line_end = self.text[begin + before.len()..at].contains('\n');
        if !has_comma && !has_line_end {
            return None;
        }
        let is_next = match role {
            Role::Member => self.is_certainly_key(at),
            Role::Item => {
                self.is_certainly_item(at) || self.is_in_object() && self.is_certainly_key(at)
            }
            Role::Root | Role::Key | Role::Argument => false,
        };
        let end = before.strip_suffix(',').unwrap_or(before);
        is_next.then(|| begin + end.trim_end_matches(is_space).len())
    }
}
