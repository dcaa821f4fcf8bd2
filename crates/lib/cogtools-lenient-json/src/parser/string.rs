//! Strings, in quotes of any kind.

use super::{Open, Parser, Role, Stop};
use crate::character::{closes, is_space};
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
            let before = self.repairs.count();
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
        let expected = self.open.iter().rev().map(|open| match open {
            Open::Object => '}',
            Open::Array => ']',
            Open::Call => ')',
        });
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
