//! Explains syntax errors in words of the file: the parser speaks of its own state, and points
//! at the place where it noticed a mistake instead of the mistake.

use super::{YamlError, YamlErrorKind};
use crate::pluralize;
use crate::text::Span;

/// A mistake of an author: message, hint and place.
type Slip = (String, String, Span);

/// Explains the parser's error `info` at byte `at`. The text before `done` has been read.
pub(super) fn explain(text: &str, info: &str, at: usize, done: usize) -> YamlError {
    let at = text.floor_char_boundary(at);
    let has = |phrase: &str| info.contains(phrase);
    let slip = if let Some(start) = conflict(text) {
        let span = Line::at(text, start).span();
        let hint = "keep what is right of both sides, without `<<<<<<<`, `=======` and `>>>>>>>`";
        slip("a conflict of a merge is not resolved", hint, span)
    } else if text[..at].ends_with('{') && text[at..].starts_with('%') {
        Some(template(at - 1))
    } else if has("unclosed quote") || has("mismatched bracket") {
        unclosed(text, at)
    } else if has("multiline quoted") {
        opening(text, done, at.max(done + 1)).and_then(|start| unclosed(text, start))
    } else if has("placement of ':'") || has("unclosed bracket") {
        opening(text, done, at + 1).and_then(|start| unclosed(text, start))
    } else if has("expected ','")
        && let Some(span) = list_type(text, at)
    {
        let kind = &text[span.start..span.end];
        let hint = format!("write it in quotes: \"{kind}\"");
        slip(format!("between braces, `{kind}` is no text"), hint, span)
    } else if has("expected ','") {
        slip(
            "a `,` or a closing bracket is missing before this",
            "put `,` between two entries, and text that contains `: ` in quotes",
            one(at),
        )
    } else if has("comment or line break") {
        slip(
            "no text can stand beside `|` or `>`",
            "begin it on the next line, indented deeper than the key",
            Line::at(text, at).span(),
        )
    } else if has("misplaced bracket") {
        slip(
            "this bracket closes nothing",
            "remove it, or put the text in quotes",
            one(at),
        )
    } else if (has("a tab") || has("abs disallowed"))
        && let Some(tab) = indentation_tab(text, at)
    {
        let message = "this line is indented with a tab";
        slip(message, "indent it with spaces", one(tab))
    } else if has("mapping values") {
        misplaced_colon(text, at)
    } else if ["expected key", "'-' indicator", "simple key", "<document"]
        .iter()
        .any(|phrase| has(phrase))
    {
        misplaced_line(text, at)
    } else {
        None
    };
    match slip {
        Some((message, hint, span)) => YamlErrorKind::Slip(message, hint).at(span),
        None => YamlErrorKind::syntax(info).at(Span::new(at, at)),
    }
}

/// The first of the lines that Git has written around the two sides of a conflict.
fn conflict(text: &str) -> Option<usize> {
    let start = text.find("<<<<<<< ")?;
    let is_line = start == 0 || text[..start].ends_with('\n');
    (is_line && text[start..].contains("\n=======")).then_some(start)
}

/// The first tab from `at` on in the indentation of a line, which the parser may report at the end
/// of the line before.
fn indentation_tab(text: &str, at: usize) -> Option<usize> {
    let mut start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].split_inclusive('\n').find_map(|line| {
        let indentation = &line[..line.len() - line.trim_start().len()];
        let tab = indentation.find('\t').map(|tab| start + tab);
        start += line.len();
        tab.filter(|tab| *tab >= at && indentation.len() < line.len())
    })
}

/// The error of a template that is not in quotes, if the map at `start` is inside another brace.
pub(super) fn bare_template(text: &str, start: usize) -> Option<YamlError> {
    let outer = start.checked_sub(1)?;
    if !text.get(outer..)?.starts_with("{{") {
        return None;
    }
    let (message, hint, span) = template(outer);
    Some(YamlErrorKind::Slip(message, hint).at(span))
}

fn template(start: usize) -> Slip {
    (
        "a template that begins with `{` is a map for YAML".to_owned(),
        "put the whole value in quotes, as in \"{{ name }}\", or write it under `|`".to_owned(),
        Span::new(start, start + 2),
    )
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "an arm of a choice that may have none"
)]
fn slip(message: impl Into<String>, hint: impl Into<String>, span: Span) -> Option<Slip> {
    Some((message.into(), hint.into(), span))
}

const fn one(start: usize) -> Span {
    Span::new(start, start + 1)
}

/// A word that ends in brackets at `at`, such as `string[]`.
fn list_type(text: &str, at: usize) -> Option<Span> {
    let (before, rest) = text.split_at(at);
    let start = before.trim_end_matches(char::is_alphanumeric).len();
    let end = text.len() - rest.trim_start_matches("[]").len();
    (start < at && at < end).then_some(Span::new(start, end))
}

/// The quote or the bracket at `start`, which nothing closes.
fn unclosed(text: &str, start: usize) -> Option<Slip> {
    let (what, close, noun) = match text.get(start..)?.chars().next()? {
        '[' => ("list", ']', "list"),
        '{' => ("map", '}', "map"),
        quote => ("text", quote, "text"),
    };
    let hint = format!("write `{close}` where the {noun} ends");
    slip(format!("the {what} is not closed"), hint, one(start))
}

/// The quote or the bracket between the bytes `from` and `to` that is not closed there; the
/// innermost of several.
fn opening(text: &str, from: usize, to: usize) -> Option<usize> {
    let region = text.get(from..text.ceil_char_boundary(to))?;
    let mut open = Vec::new();
    let mut before = '\n';
    let mut letters = region.char_indices();
    while let Some((index, letter)) = letters.next() {
        // In the middle of a word, a quote or a bracket is a part of it.
        let begins = before.is_whitespace() || "[{,:".contains(before);
        match letter {
            '"' | '\'' if begins => {
                let length = quoted_length(letters.as_str(), letter);
                let Some(length) = length else {
                    return Some(from + index);
                };
                letters.by_ref().take(length).for_each(drop);
            }
            '#' if before.is_whitespace() => {
                letters.by_ref().find(|(_, letter)| *letter == '\n');
            }
            '[' | '{' if begins => open.push(from + index),
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
        before = letter;
    }
    open.pop()
}

/// The length in characters of the rest of a quoted text, including the closing `quote`.
fn quoted_length(rest: &str, quote: char) -> Option<usize> {
    let mut letters = rest.chars().enumerate().peekable();
    while let Some((index, letter)) = letters.next() {
        let is_escape = match quote {
            '"' => letter == '\\',
            _ => letter == quote && letters.peek().is_some_and(|(_, next)| *next == quote),
        };
        if is_escape {
            letters.next();
        } else if letter == quote {
            return Some(index + 1);
        }
    }
    None
}

/// A line of the text.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// Its number, from 1.
    number: usize,
    /// Its start in the text.
    start: usize,
    /// Its text without the line end.
    text: &'t str,
}

impl<'t> Line<'t> {
    /// The line with the byte `at`.
    fn at(text: &'t str, at: usize) -> Self {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            number: text[..start].matches('\n').count() + 1,
            start,
            text: text[start..].lines().next().unwrap_or_default(),
        }
    }

    /// The lines before it that are not empty and not comments, the last one first.
    fn above(self, text: &'t str) -> impl Iterator<Item = Self> {
        let lines = text[..self.start].split_inclusive('\n').collect::<Vec<_>>();
        let mut end = self.start;
        let lines = lines.into_iter().enumerate().rev();
        lines
            .map(move |(index, line)| {
                end -= line.len();
                Self {
                    number: index + 1,
                    start: end,
                    text: line.trim_end(),
                }
            })
            .filter(|line| !line.content().is_empty() && !line.content().starts_with('#'))
    }

    fn indent(self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }

    fn content(self) -> &'t str {
        self.text.trim()
    }

    fn span(self) -> Span {
        let start = self.start + self.indent();
        Span::new(start, start + self.content().len())
    }

    fn is_item(self) -> bool {
        self.content() == "-" || self.content().starts_with("- ")
    }

    /// The column of the first key: after the dashes of a list.
    fn key_column(self) -> usize {
        let key = self.text.trim_start_matches(' ');
        let key = key.trim_start_matches("- ").trim_start_matches(' ');
        self.text.len() - key.len()
    }

    /// Returns true if the text of a key begins below: the line ends with `|` or `>`.
    fn begins_text(self) -> bool {
        let value = self.content().split(" #").next().unwrap_or_default();
        let value = value.trim_end().trim_end_matches(['-', '+']);
        value.ends_with([':', ' ', '|', '>']) && value.ends_with(['|', '>'])
    }
}

/// The indentation `column`, in which `line` has its key.
fn place(column: usize, line: Line<'_>) -> String {
    match column {
        0 => format!("not at all, as line {}", line.number),
        _ => format!("by {}, as line {}", pluralize(column, "space"), line.number),
    }
}

/// Explains a `:` in the value of a key.
fn misplaced_colon(text: &str, at: usize) -> Option<Slip> {
    let line = Line::at(text, at);
    let before = &text[line.start..at];
    let is_key = !before.contains(": ");
    if let Some(above) = line.above(text).next()
        && is_key
        && line.indent() > above.key_column()
    {
        let place = place(above.key_column(), above);
        let hint = format!("indent it {place}; deeper, it continues the text of that line");
        return slip("this line is indented too far", hint, line.span());
    }
    // A line without a colon continues here, as text of several lines does.
    if let Some(above) = line.above(text).next()
        && is_key
        && above.indent() == line.indent()
        && !above.content().contains(": ")
        && !above.content().ends_with(':')
    {
        return misplaced_line(text, above.span().start);
    }
    slip(
        "`: ` stands in text without quotes",
        "put text that contains `: ` in quotes, or write it under `|`",
        one(at),
    )
}

/// Explains a line that belongs to none of the maps and lists above it.
fn misplaced_line(text: &str, at: usize) -> Option<Slip> {
    let line = Line::at(text, at);
    let (indent, content) = (line.indent(), line.content());
    if content.is_empty() {
        return None;
    }
    // The columns in which a line can begin, the innermost first.
    let mut columns: Vec<(usize, Line<'_>)> = Vec::new();
    let mut least = usize::MAX;
    for above in line.above(text) {
        for column in [above.key_column(), above.indent()] {
            if column < least {
                columns.push((column, above));
                least = column;
            }
        }
    }
    let same = columns.iter().find(|(column, _)| *column == indent);
    let same = same.map(|(_, above)| *above);
    if same.is_none() && !columns.is_empty() {
        if !line.is_item() {
            columns.retain(|(column, above)| !above.is_item() || *column != above.indent());
        }
        let deeper = columns.iter().rfind(|(column, _)| *column > indent);
        let nearer = columns.iter().find(|(column, _)| *column < indent);
        let choices = [deeper, nearer].into_iter().flatten();
        let choices = choices.map(|(column, above)| place(*column, *above));
        let choices = choices.collect::<Vec<_>>().join(", or ");
        let message = "the indentation of this line fits none of the lines above";
        return slip(message, format!("indent it {choices}"), line.span());
    }
    let item = same.filter(|above| above.is_item() && above.indent() == indent);
    if line.is_item() && same.is_some() && item.is_none() {
        return slip(
            "an item of a list stands among the keys of a map",
            "write it as `key: value`, or put a key above the list and indent the list",
            line.span(),
        );
    }
    if let Some(above) = item
        && !line.is_item()
    {
        let inner = pluralize(above.key_column(), "space");
        let hint = format!("begin a new item with `- `; to continue the item, indent by {inner}");
        return slip("a key stands among the items of a list", hint, line.span());
    }
    let is_word = |word: &str| {
        let is_letter = |c: char| c.is_alphanumeric() || "_-$".contains(c);
        !word.is_empty() && word.chars().all(is_letter)
    };
    let split = content.split_once([':', '=']);
    if let Some((key, value)) = split.map(|(key, value)| (key.trim(), value.trim()))
        && is_word(key)
        && !value.starts_with("//")
    {
        let closed = value
            .starts_with(['[', '{'])
            .then(|| value.find([']', '}']));
        if closed.flatten().is_some_and(|end| end + 1 < value.len()) {
            return slip(
                format!("text follows the list or map of `{key}`"),
                "put the whole value in quotes, if it is a text",
                line.span(),
            );
        }
        let message = format!("`{key}` has no `: ` after it");
        return slip(message, format!("write `{key}: {value}`"), line.span());
    }
    let parent = line.above(text).find(|above| above.indent() <= indent);
    if let Some(parent) = parent.filter(|parent| parent.begins_text()) {
        let hint = format!("indent the text deeper than line {}", parent.number);
        let message = "this line is outside the text that begins above";
        return slip(message, hint, line.span());
    }
    slip(
        "this line has no `: `, and no text of several lines begins above it",
        "write `key: value`; put text of several lines under `|`, indented",
        line.span(),
    )
}
