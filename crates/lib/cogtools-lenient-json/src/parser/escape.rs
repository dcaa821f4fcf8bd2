//! Escapes in strings.

use super::{Parser, Stop};
use crate::repair::RepairKind;

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

    /// Whether the text ends within what may become the other half of a pair.
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
