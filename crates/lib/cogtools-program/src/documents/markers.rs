//! The two comments that enclose the table, and those that enclose the diagram of a flow.
//!
//! Only a Markdown parser knows whether a line is a comment or part of a code block.

use std::ops::Range;

use pulldown_cmark::{Event, Parser};

/// The marker before a table.
pub(crate) const BEGIN: &str = "<!-- cogtools:begin (`cogtools docs` writes this table) -->";
/// The marker after a table.
pub(crate) const END: &str = "<!-- cogtools:end -->";

/// The place of a table or a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The byte range between the lines of the markers.
    pub(crate) inner: Range<usize>,
    /// The white space before the first marker.
    pub(crate) indent: String,
    /// The byte range of the first marker.
    pub(crate) marker: Range<usize>,
}

/// Content of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The table of tools.
    Table,
    /// The diagram of the flow with this name.
    Flow(String),
}

/// Markers that are not a pair.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkerError {
    /// A second beginning.
    #[error("a second `cogtools:begin`; a file has one table")]
    SecondBegin,
    /// A second end.
    #[error("a second `cogtools:end`")]
    SecondEnd,
    /// An end without a beginning.
    #[error("`cogtools:end` without a `cogtools:begin` before it")]
    EndFirst,
    /// A beginning without an end.
    #[error("`cogtools:begin` without a `cogtools:end` after it")]
    NoEnd,
    /// A beginning before the end of another one.
    #[error("a beginning before the `cogtools:end` of the one above it")]
    Nested,
    /// The beginning of a diagram without the name of a flow.
    #[error("`cogtools:flow` without the name of a flow")]
    Unnamed,
    /// The beginning of a diagram of a flow that the project does not have.
    #[error("the project has no flow `{0}`")]
    NoFlow(String),
}

#[derive(Clone, PartialEq, Eq)]
enum Marker<'t> {
    Begin,
    Flow(Option<&'t str>),
    End,
}

/// Finds what belongs to us in `text`, in its order; an error has the byte range of the wrong marker.
pub(crate) fn find(text: &str) -> Result<Vec<Block>, (MarkerError, Range<usize>)> {
    let mut open: Option<(BlockKind, Range<usize>)> = None;
    let mut blocks: Vec<Block> = Vec::new();
    for line in html_lines(text) {
        let Some(marker) = parse_marker(&text[line.clone()]) else {
            continue;
        };
        let at = trim(text, &line);
        match (marker, open.take()) {
            (Marker::Begin, before) => {
                let earlier = blocks.iter().map(|block| &block.kind);
                let mut kinds = earlier.chain(before.as_ref().map(|(kind, _)| kind));
                if kinds.any(|kind| *kind == BlockKind::Table) {
                    return Err((MarkerError::SecondBegin, at));
                }
                if before.is_some() {
                    return Err((MarkerError::Nested, at));
                }
                open = Some((BlockKind::Table, line));
            }
            (Marker::Flow(_), Some(_)) => return Err((MarkerError::Nested, at)),
            (Marker::Flow(None), None) => return Err((MarkerError::Unnamed, at)),
            (Marker::Flow(Some(name)), None) => {
                open = Some((BlockKind::Flow(name.to_owned()), line));
            }
            (Marker::End, None) if blocks.is_empty() => return Err((MarkerError::EndFirst, at)),
            (Marker::End, None) => return Err((MarkerError::SecondEnd, at)),
            (Marker::End, Some((kind, begin))) => {
                let marker = trim(text, &begin);
                blocks.push(Block {
                    kind,
                    inner: begin.end..line.start,
                    indent: text[begin.start..marker.start].to_owned(),
                    marker,
                });
            }
        }
    }
    match open {
        Some((_, begin)) => Err((MarkerError::NoEnd, trim(text, &begin))),
        None => Ok(blocks),
    }
}

/// The lines of `text`, with their line endings, that Markdown parses as HTML.
fn html_lines(text: &str) -> Vec<Range<usize>> {
    let skipped = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new(&text[skipped..]).into_offset_iter() {
        if !matches!(event, Event::Html(_)) {
            continue;
        }
        let mut at = range.start + skipped;
        while at < range.end + skipped {
            let start = text[skipped..at]
                .rfind('\n')
                .map_or(skipped, |end| skipped + end + 1);
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
            if lines.last().is_none_or(|last| last.start < start) {
                lines.push(start..end);
            }
            at = end;
        }
    }
    lines
}

/// Parses a line that consists of a marker. Text after the name is a remark.
fn parse_marker(line: &str) -> Option<Marker<'_>> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let mut words = inside.split_whitespace();
    match words.next()? {
        _ if inside.contains("-->") => None,
        "cogtools:begin" => Some(Marker::Begin),
        "cogtools:flow" => Some(Marker::Flow(words.next())),
        "cogtools:end" => Some(Marker::End),
        _ => None,
    }
}

/// The range of a line without white space around its content.
fn trim(text: &str, line: &Range<usize>) -> Range<usize> {
    let line_text = &text[line.clone()];
    let start = line.start + line_text.len() - line_text.trim_start().len();
    start..start + line_text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: &str = "<!-- cogtools:begin -->";

    fn check(text: &str, expected: Result<Option<&str>, &str>) {
        let result = find(text);
        let found = match &result {
            Ok(blocks) => Ok(blocks.first().map(|block| &text[block.inner.clone()])),
            Err((error, at)) => Err((error.to_string(), at.start)),
        };
        let expected = expected.map_err(|at| {
            let (message, at) = at.rsplit_once('@').expect("a message and its offset");
            (message.to_owned(), at.parse().expect("an offset"))
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pairs_of_markers_are_found() {
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
    fn code_and_quotations_contain_no_markers() {
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
        let after_code = format!("```\n{B}\n{END}\n```\n{B}\nold\n{END}\n");
        check(&after_code, Ok(Some("old\n")));
    }

    #[test]
    fn unpaired_markers_are_errors() {
        check(
            &format!("{B}\n{B}\n{END}\n"),
            Err("a second `cogtools:begin`; a file has one table@24"),
        );
        check(
            &format!("{B}\n{END}\n{END}\n"),
            Err("a second `cogtools:end`@46"),
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

    #[test]
    fn diagrams_have_markers_of_their_own() {
        let flow = "<!-- cogtools:flow review -->";
        let text = format!("{flow}\nold\n{END}\n{B}\n{END}\n{flow}\n{END}\n");
        let found = find(&text).expect("blocks");
        let kinds: Vec<BlockKind> = found.into_iter().map(|block| block.kind).collect();
        let review = || BlockKind::Flow("review".to_owned());
        assert_eq!(kinds, [review(), BlockKind::Table, review()]);
        check(
            &format!("{B}\n{flow}\n{END}\n"),
            Err("a beginning before the `cogtools:end` of the one above it@24"),
        );
        check(
            &format!("<!-- cogtools:flow -->\n{END}\n"),
            Err("`cogtools:flow` without the name of a flow@0"),
        );
    }
}
