//! The two comments between which the table stands.
//!
//! Only a Markdown parser knows whether a line is a comment or a part of some
//! code that shows one.

use std::ops::Range;

use pulldown_cmark::{Event, Parser};

/// What a table begins behind.
pub(crate) const BEGIN: &str = "<!-- cogtools:begin (`cogtools docs` writes this table) -->";
/// What it ends before.
pub(crate) const END: &str = "<!-- cogtools:end -->";

/// The place of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// What stands between the lines of the markers, as byte offsets.
    pub(crate) inner: Range<usize>,
    /// The white space before the first marker.
    pub(crate) indent: String,
}

/// Markers that do not make a pair, with the place of the one that is wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    #[error("a second `cogtools:begin`; a file has one table")]
    SecondBegin(Range<usize>),
    #[error("a second `cogtools:end`; a file has one table")]
    SecondEnd(Range<usize>),
    #[error("`cogtools:end` without a `cogtools:begin` before it")]
    EndFirst(Range<usize>),
    #[error("`cogtools:begin` without a `cogtools:end` after it")]
    NoEnd(Range<usize>),
}

impl Broken {
    /// Where the marker stands.
    pub(crate) const fn range(&self) -> &Range<usize> {
        match self {
            Self::SecondBegin(at) | Self::SecondEnd(at) | Self::EndFirst(at) | Self::NoEnd(at) => {
                at
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Begin,
    End,
}

/// Where the table of `text` stands; `None` where there are no markers at all.
pub(crate) fn find(text: &str) -> Result<Option<Block>, Broken> {
    let mut begin: Option<Range<usize>> = None;
    let mut block = None;
    for line in comments(text) {
        let Some(marker) = marker(&text[line.clone()]) else {
            continue;
        };
        let at = shown(text, &line);
        match (marker, &begin, &block) {
            (Marker::Begin, None, _) => begin = Some(line),
            (Marker::Begin, Some(_), _) => return Err(Broken::SecondBegin(at)),
            (Marker::End, None, _) => return Err(Broken::EndFirst(at)),
            (Marker::End, Some(_), Some(_)) => return Err(Broken::SecondEnd(at)),
            (Marker::End, Some(begin), None) => {
                block = Some(Block {
                    inner: begin.end..line.start,
                    indent: text[begin.start..shown(text, begin).start].to_owned(),
                });
            }
        }
    }
    match (begin, &block) {
        (Some(begin), None) => Err(Broken::NoEnd(shown(text, &begin))),
        _ => Ok(block),
    }
}

/// The lines of `text` (with their ends) that Markdown takes for HTML.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new(&text[mark..]).into_offset_iter() {
        if !matches!(event, Event::Html(_)) {
            continue;
        }
        let mut at = range.start + mark;
        while at < range.end + mark {
            let start = text[mark..at]
                .rfind('\n')
                .map_or(mark, |end| mark + end + 1);
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
            if lines.last().is_none_or(|last| last.start < start) {
                lines.push(start..end);
            }
            at = end;
        }
    }
    lines
}

/// The marker that a line is, if it is nothing else. What follows its name is a
/// remark.
fn marker(line: &str) -> Option<Marker> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    match inside.split_whitespace().next()? {
        _ if inside.contains("-->") => None,
        "cogtools:begin" => Some(Marker::Begin),
        "cogtools:end" => Some(Marker::End),
        _ => None,
    }
}

/// A line without the white space around what it says.
fn shown(text: &str, line: &Range<usize>) -> Range<usize> {
    let line_text = &text[line.clone()];
    let start = line.start + line_text.len() - line_text.trim_start().len();
    start..start + line_text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: &str = "<!-- cogtools:begin -->";

    fn check(text: &str, expected: Result<Option<&str>, &str>) {
        let found = find(text);
        let found = match &found {
            Ok(block) => Ok(block.as_ref().map(|block| &text[block.inner.clone()])),
            Err(broken) => Err((broken.to_string(), broken.range().start)),
        };
        let expected = expected.map_err(|at| {
            let (message, at) = at.rsplit_once('@').expect("a message and its offset");
            (message.to_owned(), at.parse().expect("an offset"))
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pairs() {
        check("", Ok(None));
        check("no marker <!-- cogtools:begin -->", Ok(None));
        check(&format!("{B}\n{END}"), Ok(Some("")));
        check(&format!("a\n{BEGIN}\nold\n{END}\nb"), Ok(Some("old\n")));
        check(
            &format!("\u{feff}{B}\r\nold\r\n{END}\r\n"),
            Ok(Some("old\r\n")),
        );
        check(&format!("- a\n\n  {B}\n  x\n  {END}\n"), Ok(Some("  x\n")));
        check(
            &format!("{B}\n\n| `<!-- cogtools:end -->` |\n\n{END}\n"),
            Ok(Some("\n| `<!-- cogtools:end -->` |\n\n")),
        );
        check(
            &format!("<div>\n{B}\n</div>\n{END}\n"),
            Ok(Some("</div>\n")),
        );
    }

    #[test]
    fn code_and_quotations_have_no_markers() {
        for text in [
            format!("```\n{B}\n{END}\n```\n"),
            format!("~~~~ markdown\n{B}\n```\n{END}\n~~~~\n"),
            format!("a\n\n    {B}\n    {END}\n"),
            format!("> {B}\n> {END}\n"),
            format!("- ```\n  {B}\n  {END}\n  ```\n"),
            format!("`{B}`\n"),
            format!("{B} and more\n"),
            format!("{B} <!-- x -->\n"),
            "<!-- cogtools:beginning -->\n".to_owned(),
        ] {
            check(&text, Ok(None));
        }
        let shown = format!("```\n{B}\n{END}\n```\n{B}\nold\n{END}\n");
        check(&shown, Ok(Some("old\n")));
    }

    #[test]
    fn broken_ones() {
        check(
            &format!("{B}\n{B}\n{END}\n"),
            Err("a second `cogtools:begin`; a file has one table@24"),
        );
        check(
            &format!("{B}\n{END}\n{END}\n"),
            Err("a second `cogtools:end`; a file has one table@46"),
        );
        check(
            &format!("{B}\n{END}\n{B}\n{END}\n"),
            Err("a second `cogtools:begin`; a file has one table@46"),
        );
        check(
            &format!("a\n\n{END}\n{B}\n"),
            Err("`cogtools:end` without a `cogtools:begin` before it@3"),
        );
        check(
            &format!("a\n  {B}\nb"),
            Err("`cogtools:begin` without a `cogtools:end` after it@4"),
        );
        check(
            &format!("{B}\n```\n{END}\n"),
            Err("`cogtools:begin` without a `cogtools:end` after it@0"),
        );
    }
}
