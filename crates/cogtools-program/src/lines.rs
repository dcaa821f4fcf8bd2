//! Lines of a stream that may never end one.

use std::io::{BufRead as _, BufReader, Read};

/// A line, as far as its limit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The line with its line feed, which the last one may lack.
    Text(Vec<u8>),
    /// It has more bytes than the limit allows; the next line comes after all of it.
    TooLong,
}

/// The lines of a stream, none longer than a limit. They end with the stream, or
/// when it fails.
#[derive(Debug)]
pub struct Lines<R> {
    source: BufReader<R>,
    limit: usize,
    /// Whether the rest of a line that was too long is still to come.
    inside: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of `source` of at most `limit` bytes, the line feed not counted.
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source: BufReader::with_capacity(64 << 10, source),
            limit,
            inside: false,
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.inside {
            self.source.skip_until(b'\n').ok()?;
            self.inside = false;
        }
        let mut text = Vec::new();
        let mut limited = (&mut self.source).take(self.limit as u64 + 1);
        if limited.read_until(b'\n', &mut text).ok()? == 0 {
            return None;
        }
        if text.len() > self.limit && text.last() != Some(&b'\n') {
            self.inside = true;
            return Some(Line::TooLong);
        }
        Some(Line::Text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    #[track_caller]
    fn check(text: &str, expected: &[Option<&str>]) {
        let lines = Lines::new(text.as_bytes(), 3);
        let lines: Vec<Line> = lines.collect();
        let line = |text: Option<&str>| match text {
            Some(text) => Line::Text(text.as_bytes().to_vec()),
            None => Line::TooLong,
        };
        let expected: Vec<Line> = expected.iter().copied().map(line).collect();
        assert_eq!(lines, expected, "{text:?}");
    }

    #[test]
    fn lines_are_bounded() {
        check("", &[]);
        check("a\n\nbc", &[Some("a\n"), Some("\n"), Some("bc")]);
        check("abc\nabc", &[Some("abc\n"), Some("abc")]);
        check("abcd\nx\n", &[None, Some("x\n")]);
        check("abcdefghi", &[None]);
        check("x\nabcd", &[Some("x\n"), None]);
    }
}
