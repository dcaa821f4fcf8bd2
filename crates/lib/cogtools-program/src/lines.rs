//! The lines of a stream, with a length limit.

use std::io::{BufRead as _, BufReader, Read};

/// A line within the limit, or the fact that it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The line with its line feed, which the last line may lack.
    Text(Vec<u8>),
    /// A line longer than the limit; the next item is the line after it.
    TooLong,
}

/// The lines of a stream, up to its end or an error.
#[derive(Debug)]
pub struct Lines<R> {
    source: BufReader<R>,
    limit: usize,
    /// True if the rest of a line that was too long must be skipped.
    skip_rest: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of `source` of at most `limit` bytes, the line feed not counted.
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source: BufReader::with_capacity(64 << 10, source),
            limit,
            skip_rest: false,
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.skip_rest {
            self.source.skip_until(b'\n').ok()?;
            self.skip_rest = false;
        }
        let mut text = Vec::new();
        let mut limited = (&mut self.source).take(self.limit as u64 + 1);
        if limited.read_until(b'\n', &mut text).ok()? == 0 {
            return None;
        }
        if text.len() > self.limit && text.last() != Some(&b'\n') {
            self.skip_rest = true;
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
        let lines: Vec<Line> = Lines::new(text.as_bytes(), 3).collect();
        let line = |text: Option<&str>| match text {
            Some(text) => Line::Text(text.as_bytes().to_vec()),
            None => Line::TooLong,
        };
        let expected: Vec<Line> = expected.iter().copied().map(line).collect();
        assert_eq!(lines, expected, "{text:?}");
    }

    #[test]
    fn long_lines_are_skipped() {
        check("", &[]);
        check("a\n\nbc", &[Some("a\n"), Some("\n"), Some("bc")]);
        check("abc\nabc", &[Some("abc\n"), Some("abc")]);
        check("abcd\nx\n", &[None, Some("x\n")]);
        check("abcdefghi", &[None]);
        check("x\nabcd", &[Some("x\n"), None]);
    }
}
