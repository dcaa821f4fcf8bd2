//! Strings, in quotes of any kind.

use super::{Open, Parser, Role, Stop};
use crate::character::{closes, is_quote, is_space};
use crate::repair::RepairKind;

impl Parser<'_> {
    /// Reads a string, and those that are joined to it with `+`.
    pub(super) fn strings(&mut self, role: Role) -> Result<String, Stop> {
        let mut text = self.string(role)?;
        while self.mode.repair {
            let end = self.pos;
            let next = self.skip_space(end);
            if self.char_at(next) != Some('+') {
                break;
            }
            let before = self.repairs.count;
            self.pos = next + 1;
            self.trivia()?;
            if !self.at_quote() {
                self.pos = end;
                self.repairs.truncate(before);
                break;
            }
            self.repair(RepairKind::Concatenation, next)?;
            text.push_str(&self.string(role)?);
        }
        Ok(text)
    }

    fn string(&mut self, role: Role) -> Result<String, Stop> {
        let start = self.pos;
        let open = self.peek().unwrap_or('"');
        if open != '"' {
            self.repair(RepairKind::Quote, start)?;
        }
        self.bump();
        let begin = self.pos;
        let mut out = String::new();
        loop {
            self.run(open, &mut out);
            let at = self.pos;
            match self.peek() {
                None => {
                    self.end_of_text(begin, &mut out)?;
                    return Ok(out);
                }
                Some('\\') => self.escape(&mut out)?,
                Some(c) if closes(open, c) => {
                    if !self.mode.repair || self.ends_string(role, at, c.len_utf8()) {
                        self.bump();
                        return Ok(out);
                    }
                    if let Some(end) = self.missing_end(role, begin, at) {
                        shorten(&mut out, &self.text[end..at]);
                        self.repairs.truncate_at(end);
                        self.repair(RepairKind::MissingQuote, end)?;
                        self.pos = end;
                        return Ok(out);
                    }
                    let before = self.text[begin..at].trim_end_matches(is_space);
                    if role == Role::Key && before.ends_with(',') {
                        // Another key begins: this one is none.
                        return Err(Stop::Stray(at));
                    }
                    self.repair(RepairKind::InnerQuote, at)?;
                    out.push(c);
                    self.bump();
                }
                Some(c) => {
                    self.repair(RepairKind::ControlCharacter, at)?;
                    out.push(c);
                    self.bump();
                }
            }
        }
    }

    /// Reads characters that stand for themselves.
    fn run(&mut self, open: char, out: &mut String) {
        let rest = &self.text[self.pos..];
        let is_special = |c: char| c < ' ' || c == '\\' || closes(open, c);
        let end = rest.find(is_special).unwrap_or(rest.len());
        out.push_str(&rest[..end]);
        self.pos += end;
    }

    /// Ends a string at the end of the text: it was cut off, or only its quote is missing.
    fn end_of_text(&mut self, begin: usize, out: &mut String) -> Result<(), Stop> {
        let closers = if self.mode.partial {
            None
        } else {
            self.closers(begin)
        };
        let Some(closers) = closers else {
            return self.cut();
        };
        let end = self.text[begin..closers].trim_end_matches(is_space).len() + begin;
        shorten(out, &self.text[end..]);
        self.repairs.truncate_at(end);
        self.repair(RepairKind::MissingQuote, end)?;
        self.pos = end;
        Ok(())
    }

    /// Where the brackets at the end of the text begin, if they close what is open.
    fn closers(&self, begin: usize) -> Option<usize> {
        let is_closer = |c: char| matches!(c, ']' | '}') || is_space(c);
        let string = &self.text[begin..];
        let kept = string.trim_end_matches(is_closer);
        let start = begin + kept.len();
        let found: Vec<(usize, char)> = self.text[start..]
            .char_indices()
            .filter(|(_, c)| !is_space(*c))
            .take(self.open.len() + 1)
            .collect();
        let expected = self.open.iter().rev().map(|open| open.closer());
        let (first, _) = found.first()?;
        let matches = found.len() <= self.open.len()
            && found
                .iter()
                .map(|(_, c)| *c)
                .zip(expected)
                .all(|(c, closer)| c == closer);
        matches.then_some(start + first)
    }
}

/// Removes what was read from `tail`. A line end after a backslash was not kept.
fn shorten(text: &mut String, tail: &str) {
    for c in tail.chars().rev() {
        if text.ends_with(c) {
            text.pop();
        }
    }
}

/// Maximum distance to the end of a quotation inside a string, in bytes.
const MAX_QUOTATION: usize = 256;

impl Parser<'_> {
    /// Returns true if the string ends with the quote at `at`, which is `length` bytes long.
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

    /// Returns true if a string that another one follows ends before it.
    fn is_neighbour(&self, role: Role, next: usize, has_space: bool) -> bool {
        match role {
            Role::Key => true,
            Role::Member if has_space => self.is_key(next),
            Role::Member => self.is_certainly_key(next),
            Role::Item => has_space || self.is_certainly_item(next),
            Role::Root | Role::Argument => false,
        }
    }

    /// Returns true if the semicolon at `at` separates values.
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

    /// Returns true if the comma at `at` separates values, and is not a part of the string.
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

    /// Returns true if another quote is near enough on the line for this one to open a quotation.
    fn has_quote_in_line(&self, at: usize) -> bool {
        let end = self
            .text
            .floor_char_boundary(at.saturating_add(MAX_QUOTATION));
        let line = self.text[at..end].split('\n').next().unwrap_or_default();
        line.contains('"') || at + line.len() == end && end < self.text.len()
    }

    /// Returns true if a single word without quotes is at `at`.
    fn is_word(&self, at: usize) -> bool {
        let end = self.text_end(at);
        let next = self.punctuation_at(self.skip_space(end));
        let word = &self.text[at..end];
        !word.contains(is_space) && matches!(next, None | Some(',' | ']' | '"'))
    }

    /// Returns true if the quote at `at`, which does not end the string, begins the next one: the
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

impl Parser<'_> {
    /// Reads an escape, from its backslash on.
    pub(super) fn escape(&mut self, out: &mut String) -> Result<(), Stop> {
        let start = self.pos;
        self.pos += 1;
        let Some(c) = self.peek() else {
            return Ok(());
        };
        let plain = match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(start, out),
            _ => return self.other_escape(start, c, out),
        };
        self.bump();
        out.push(plain);
        Ok(())
    }

    /// An escape that JSON does not have. A backslash that escapes nothing is kept: it
    /// belongs to a regular expression, a path or a formula.
    fn other_escape(&mut self, start: usize, c: char, out: &mut String) -> Result<(), Stop> {
        self.repair(RepairKind::Escape, start)?;
        match c {
            '\'' | '`' | '_' => {
                self.bump();
                out.push(c);
            }
            '\n' => self.bump(),
            'x' if self.hex(self.pos + 1, 2).is_some() => {
                let code = self.hex(self.pos + 1, 2).unwrap_or_default();
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                self.pos += 3;
            }
            _ => out.push('\\'),
        }
        Ok(())
    }

    /// Reads `\uXXXX`, and the other half of a pair.
    fn unicode(&mut self, start: usize, out: &mut String) -> Result<(), Stop> {
        let Some(code) = self.hex(self.pos + 1, 4) else {
            return self.broken_unicode(start, out);
        };
        let is_high = (0xd800..0xdc00).contains(&code);
        if is_high
            && self.mode.partial
            && self.text.len() < start + 12
            && self.is_cut_pair(start + 6)
        {
            self.pos = self.text.len();
            return Ok(());
        }
        self.pos = start + 6;
        let low = self.text[self.pos..]
            .starts_with("\\u")
            .then(|| self.hex(self.pos + 2, 4))
            .flatten()
            .filter(|low| is_high && (0xdc00..0xe000).contains(low));
        let c = match low {
            Some(low) => {
                self.pos += 6;
                char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00))
            }
            None => char::from_u32(code),
        };
        if c.is_none() {
            self.repair(RepairKind::Surrogate, start)?;
        }
        out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    /// Returns true if the text ends within what may become the other half of a pair.
    fn is_cut_pair(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        "\\u".starts_with(rest)
            || rest
                .strip_prefix("\\u")
                .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    fn broken_unicode(&mut self, start: usize, out: &mut String) -> Result<(), Stop> {
        let digits = &self.text[start + 2..];
        if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            // The text was cut off within the escape.
            self.pos = self.text.len();
            return Ok(());
        }
        self.repair(RepairKind::Escape, start)?;
        out.push_str("\\u");
        self.pos = start + 2;
        Ok(())
    }

    /// The number of `length` hexadecimal digits at `at`.
    fn hex(&self, at: usize, length: usize) -> Option<u32> {
        let digits = self.text.get(at..at + length)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex
            .then(|| u32::from_str_radix(digits, 16).ok())
            .flatten()
    }
}
