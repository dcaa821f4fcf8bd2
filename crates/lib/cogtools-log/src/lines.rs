//! Lines of a file that may come from others: bounded, and read once.

use std::io::{self, BufRead, Read as _};

/// A line.
pub(crate) struct RawLine {
    /// Its bytes, without the line end; `None` if there are too many.
    pub(crate) bytes: Option<Vec<u8>>,
    /// How many bytes it has in the file, with the line end.
    pub(crate) length: u64,
    /// Whether there is a line end.
    pub(crate) is_terminated: bool,
}

/// Reads the next line, of at most `max` bytes; `None` at the end.
pub(crate) fn next_line(input: &mut impl BufRead, max: usize) -> io::Result<Option<RawLine>> {
    let mut bytes = Vec::new();
    let limit = max as u64 + 1;
    let mut length = input.by_ref().take(limit).read_until(b'\n', &mut bytes)? as u64;
    if length == 0 {
        return Ok(None);
    }
    let mut is_terminated = bytes.pop_if(|last| *last == b'\n').is_some();
    let is_too_long = !is_terminated && length == limit;
    if is_too_long {
        bytes = Vec::new();
        (length, is_terminated) = skip_line(input, length)?;
    }
    Ok(Some(RawLine {
        bytes: Some(bytes).filter(|_| !is_too_long),
        length,
        is_terminated,
    }))
}

/// Skips the rest of a line of which `length` bytes were read.
fn skip_line(input: &mut impl BufRead, mut length: u64) -> io::Result<(u64, bool)> {
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            return Ok((length, false));
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(available.len(), |end| end + 1);
        input.consume(count);
        length += count as u64;
        if end.is_some() {
            return Ok((length, true));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[track_caller]
    fn check(text: &str, max: usize, expected: &[(Option<&str>, u64, bool)]) {
        // A small buffer, so that lines are longer than it.
        let mut input = BufReader::with_capacity(3, text.as_bytes());
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut input, max).expect("a line") {
            let text = line
                .bytes
                .map(|bytes| String::from_utf8(bytes).expect("text"));
            found.push((text, line.length, line.is_terminated));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(text, length, ended)| (text.as_deref(), *length, *ended))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_has_a_limit_and_an_end() {
        check("", 4, &[]);
        check(
            "one\ntwo",
            4,
            &[(Some("one"), 4, true), (Some("two"), 3, false)],
        );
        check("\n\r\n", 4, &[(Some(""), 1, true), (Some("\r"), 2, true)]);
        check(
            "four\nfives\nsix",
            4,
            &[
                (Some("four"), 5, true),
                (None, 6, true),
                (Some("six"), 3, false),
            ],
        );
        check("endless", 4, &[(None, 7, false)]);
    }
}
