//! Builds the tree from the parser's events, without recursion.
//!
//! Plain scalars follow the core schema of YAML 1.2: `yes`, `no`, `on`, `off` and `1_000` are
//! strings. Text that YAML parsers read differently is an error, not a guess.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use granit_parser::{
    Event, Marker, Options, Parser, ScalarStyle, Span as Marks, StrInput, StructureStyle, Tag,
};
use serde_json::Number;

use super::{Data, Entry, Node};
use super::{MAX_DEPTH, MAX_NODES, MAX_TEXT, slip};
use super::{YamlError, YamlErrorKind};
use crate::text::{Span, Text};

#[derive(Default)]
struct Loader<'t> {
    text: &'t str,
    /// True if numbers may be keys.
    takes_numbers: bool,
    open: Vec<Frame>,
    anchors: HashMap<usize, (Node, Size)>,
    root: Option<Node>,
    /// The size of the document so far.
    total: Size,
    /// The size of the copies for aliases.
    anchored: Size,
    documents: usize,
    /// The outermost flow collection that is open, in a block.
    flow: Option<Flow>,
}

/// Parses the document in `text`; an empty text is a null node.
pub fn parse(text: &Text) -> Result<Node, YamlError> {
    load(text.as_str(), false)
}

/// Parses the document in `text`, in which a number as a key is a string, such as `200: {…}`.
pub fn parse_with_number_keys(text: &Text) -> Result<Node, YamlError> {
    load(text.as_str(), true)
}

fn load(text: &str, takes_numbers: bool) -> Result<Node, YamlError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut loader = Loader {
        text,
        takes_numbers,
        ..Loader::default()
    };
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str_with_options(text, options);
    let mut done = 0;
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, marks)) => {
                done = offset(&marks.end);
                loader.handle(event, &marks)?;
            }
            Err(error) => {
                let start = offset(error.marker());
                // The parser also limits the depth, before it emits the event.
                if error.info() == "recursion limit exceeded" {
                    return Err(YamlErrorKind::TooDeep.at(Span::new(start, start)));
                }
                let mut open = loader.open.iter().map(|frame| frame.start);
                let flow = open.find(|start| text[*start..].starts_with(['[', '{']));
                let done = flow.unwrap_or(done);
                return Err(slip::explain(text, &error.info(), start, done));
            }
        }
    }
    let empty = Node::new(Data::Null, Span::new(0, 0));
    Ok(loader.root.unwrap_or(empty))
}

impl Loader<'_> {
    fn handle(&mut self, event: Event<'_>, marks: &Marks) -> Result<(), YamlError> {
        let span = Span::new(offset(&marks.start), offset(&marks.end));
        let at = |kind: YamlErrorKind| kind.at(span);
        if let Some(flow) = &mut self.flow
            && is_node(&event)
        {
            flow.check(self.text, &marks.start).map_err(at)?;
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(at(YamlErrorKind::SecondDocument));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), span)?;
                let size = Size {
                    nodes: 1,
                    text: text.len(),
                    height: 0,
                };
                account(&mut self.total, size, span)?;
                let data = self.scalar(text, style, marks).map_err(at)?;
                self.insert(Node { data, span }, anchor, size)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.begin(anchor, tag.as_deref(), span, Partial::List(Vec::new()))?;
                self.begin_flow(style, &marks.start);
            }
            Event::MappingStart(style, anchor, tag) => {
                self.begin(anchor, tag.as_deref(), span, Partial::map())?;
                self.begin_flow(style, &marks.start);
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id) else {
                    return Err(at(YamlErrorKind::Recursive));
                };
                let size = *size;
                account(&mut self.total, size, span)?;
                if self.open.len() + size.height > MAX_DEPTH {
                    return Err(at(YamlErrorKind::TooDeep));
                }
                let mut node = node.clone();
                node.span = span;
                self.insert(node, 0, size)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        marks: &Marks,
    ) -> Result<Data, YamlErrorKind> {
        let block = match style {
            ScalarStyle::Plain if text == "<<" && self.expects_key() => {
                return Err(YamlErrorKind::Merge);
            }
            ScalarStyle::Plain => return resolve(&text),
            ScalarStyle::Literal => Some(marks.indent.unwrap_or(marks.start.col())),
            _ => None,
        };
        let text = text.into_owned();
        Ok(Data::Text { text, block })
    }

    fn expects_key(&self) -> bool {
        let partial = self.open.last().map(|frame| &frame.partial);
        matches!(partial, Some(Partial::Map { key: None, .. }))
    }

    fn begin(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        partial: Partial,
    ) -> Result<(), YamlError> {
        self.refuse_tag(tag, span)?;
        if self.expects_key() {
            let template = slip::bare_template(self.text, span.start);
            return Err(template.unwrap_or_else(|| YamlErrorKind::KeyKind.at(span)));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlErrorKind::TooDeep.at(span));
        }
        let size = Size {
            nodes: 1,
            text: 0,
            height: 1,
        };
        let frame = Frame {
            anchor,
            start: span.start,
            size,
            partial,
        };
        account(&mut self.total, frame.size, span)?;
        self.open.push(frame);
        Ok(())
    }

    /// Notes the outermost flow collection.
    fn begin_flow(&mut self, style: StructureStyle, start: &Marker) {
        if style == StructureStyle::Flow && self.flow.is_none() {
            self.flow = Flow::begun(self.text, &self.open, start);
        }
    }

    fn end(&mut self, span: Span) -> Result<(), YamlError> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let flow = self.flow.as_ref();
        if flow.is_some_and(|flow| flow.depth == self.open.len()) {
            self.flow = None;
        }
        let (data, last) = match frame.partial {
            Partial::List(items) => {
                let last = items.last().map(|item| item.span.end);
                (Data::List(items), last)
            }
            Partial::Map { entries, .. } => {
                let last = entries.last().map(|entry| entry.value.span.end);
                (Data::Map(entries), last)
            }
        };
        // A flow collection ends with its bracket; the span of a block collection ends
        // where the next token begins.
        let flow = self.text[..span.end].ends_with([']', '}']) && span.end > span.start;
        let end = if flow {
            span.end
        } else {
            last.unwrap_or(span.end)
        };
        let node = Node::new(data, Span::new(frame.start, end.max(frame.start)));
        self.insert(node, frame.anchor, frame.size)
    }

    /// Inserts a finished node into the open collection, or as the root.
    fn insert(&mut self, node: Node, anchor: usize, size: Size) -> Result<(), YamlError> {
        if anchor != 0 {
            account(&mut self.anchored, size, node.span)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        if let Some(frame) = self.open.last_mut() {
            frame.size.nodes += size.nodes;
            frame.size.text += size.text;
            frame.size.height = frame.size.height.max(size.height + 1);
        }
        match self.open.last_mut().map(|frame| &mut frame.partial) {
            None => self.root = Some(node),
            Some(Partial::List(items)) => items.push(node),
            Some(Partial::Map {
                entries,
                key: key @ Some(_),
                ..
            }) => {
                if let Some((key, span)) = key.take() {
                    entries.push(Entry {
                        key,
                        span,
                        value: node,
                    });
                }
            }
            Some(Partial::Map { entries, key, seen }) => {
                let span = node.span;
                let text = match node.data {
                    Data::Text { text, .. } => text,
                    Data::Number(number) if self.takes_numbers => number.to_string(),
                    _ => return Err(YamlErrorKind::KeyKind.at(span)),
                };
                if is_repeated(&text, entries, seen) {
                    let first = entries.iter().find(|entry| entry.key == text);
                    let start = first.map_or(0, |entry| entry.span.start);
                    let first = self.text[..start].matches('\n').count() + 1;
                    return Err(YamlErrorKind::DuplicateKey { key: text, first }.at(span));
                }
                *key = Some((text, span));
            }
        }
        Ok(())
    }

    fn refuse_tag(&self, tag: Option<&Tag>, span: Span) -> Result<(), YamlError> {
        let Some(tag) = tag.map(Tag::original) else {
            return Ok(());
        };
        // The span of the node begins after its tag.
        let before = self.text.get(..span.start).unwrap_or_default();
        let span = before
            .rfind(&tag)
            .map_or(span, |start| Span::new(start, start + tag.len()));
        Err(YamlErrorKind::Tag(tag).at(span))
    }
}

fn offset(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

/// Up to this many keys of a mapping are compared one by one.
const MAX_COMPARED_KEYS: usize = 16;

/// The size of a node, which each of its aliases copies.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// The number of nodes, including itself.
    nodes: usize,
    /// The length of its strings in bytes.
    text: usize,
    /// The nesting of its collections, including itself.
    height: usize,
}

/// A collection whose end has not been read.
struct Frame {
    anchor: usize,
    start: usize,
    size: Size,
    partial: Partial,
}

/// The part of a collection that has been read.
enum Partial {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<(String, Span)>,
        seen: HashSet<String>,
    },
}

impl Partial {
    fn map() -> Self {
        Self::Map {
            entries: Vec::new(),
            key: None,
            seen: HashSet::new(),
        }
    }
}

/// Returns true if `key` is in `entries` already; large mappings use the set.
fn is_repeated(key: &str, entries: &[Entry], seen: &mut HashSet<String>) -> bool {
    if entries.len() < MAX_COMPARED_KEYS {
        return entries.iter().any(|entry| entry.key == key);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !seen.insert(key.to_owned())
}

/// Adds `size` to `sum` and checks the limits.
fn account(sum: &mut Size, size: Size, span: Span) -> Result<(), YamlError> {
    sum.nodes += size.nodes;
    sum.text += size.text;
    let kind = match sum {
        sum if sum.nodes > MAX_NODES => YamlErrorKind::TooMany,
        sum if sum.text > MAX_TEXT => YamlErrorKind::TooLong,
        _ => return Ok(()),
    };
    Err(kind.at(span))
}

/// An open `[…]` or `{…}` in a block. YAML wants each of its lines indented deeper than the
/// block. A line with nothing but its closing bracket may begin in the column of the block,
/// because many authors write it there and no reader misunderstands it.
struct Flow {
    /// The number of collections around it.
    depth: usize,
    /// The indentation of the block that it is in, in bytes.
    indent: usize,
    /// The line of the last node, from 1.
    line: usize,
}

impl Flow {
    /// The innermost of `open`, which has begun at `start`, if it is in a block.
    fn begun(text: &str, open: &[Frame], start: &Marker) -> Option<Self> {
        let depth = open.len().checked_sub(1)?;
        let block = open.get(depth.checked_sub(1)?)?;
        let block = match block.partial {
            Partial::List(_) => first_dash(text, block.start),
            Partial::Map { .. } => block.start,
        };
        Some(Self {
            depth,
            indent: block - line_start(text, block),
            line: start.line(),
        })
    }

    /// Checks the line of a node that begins at `start`, if it is the first one in its line.
    fn check(&mut self, text: &str, start: &Marker) -> Result<(), YamlErrorKind> {
        if start.line() <= self.line {
            return Ok(());
        }
        self.line = start.line();
        let offset = start.byte_offset().unwrap_or_default();
        let line = text.get(line_start(text, offset)..).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if indent > self.indent {
            return Ok(());
        }
        Err(YamlErrorKind::FlowIndent {
            least: self.indent + 1,
        })
    }
}

/// Returns the start of a list. For the parser, one that is not indented begins after its first dash.
fn first_dash(text: &str, start: usize) -> usize {
    let (before, list) = text.split_at_checked(start).unwrap_or_default();
    if list.starts_with("- ") || list.starts_with("-\n") {
        return start;
    }
    before.rfind('-').unwrap_or(start)
}

/// Returns true if a node begins with the event.
fn is_node(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..)
    )
}

/// The byte at which the line of `offset` begins.
fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// The value of the plain scalar `text`.
fn resolve(text: &str) -> Result<Data, YamlErrorKind> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Data::Null),
        "true" | "True" | "TRUE" => return Ok(Data::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Data::Bool(false)),
        _ => {}
    }
    let string = || {
        Ok(Data::Text {
            text: text.to_owned(),
            block: None,
        })
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some(first) = unsigned.bytes().next() else {
        return string();
    };
    if first != b'.' && !first.is_ascii_digit() {
        return string();
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(YamlErrorKind::NotFinite(text.to_owned()));
    }
    if let Some(integer) = integer(text, unsigned)? {
        return Ok(Data::Number(integer));
    }
    match text.parse() {
        // The largest exponents are YAML but not finite.
        Ok(float) => Number::from_f64(float)
            .map(Data::Number)
            .ok_or_else(|| YamlErrorKind::TooBig(text.to_owned())),
        Err(_) => string(),
    }
}

fn integer(text: &str, unsigned: &str) -> Result<Option<Number>, YamlErrorKind> {
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'x', rest @ ..] if !rest.is_empty() => (&unsigned[2..], 16),
        [b'0', b'o', rest @ ..] if !rest.is_empty() => (&unsigned[2..], 8),
        _ => (unsigned, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Ok(None);
    }
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        return Err(YamlErrorKind::LeadingZero(text.to_owned()));
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let signed = i64::from_str_radix(&format!("{sign}{digits}"), radix).map(Number::from);
    signed
        .or_else(|error| match sign {
            "" => u64::from_str_radix(digits, radix).map(Number::from),
            _ => Err(error),
        })
        .map(Some)
        .map_err(|_| YamlErrorKind::TooBig(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(text: &str, expected: &Value) {
        let data = resolve(text).unwrap();
        let span = Span::new(0, 0);
        let node = Node { data, span };
        assert_eq!(&node.to_json(), expected, "{text}");
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        for (text, expected) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("1_000", json!("1_000")),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-12", json!(-12)),
            ("0", json!(0)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("-", json!("-")),
            ("1.2.3", json!("1.2.3")),
            ("2026-11-21", json!("2026-11-21")),
            (
                "18446744073709551615",
                json!(18_446_744_073_709_551_615_u64),
            ),
            ("0x", json!("0x")),
        ] {
            check(text, &expected);
        }
    }

    #[test]
    fn scalars_that_yaml_parsers_read_differently_are_errors() {
        for (text, expected) in [
            (".inf", "`.inf` cannot be represented in JSON"),
            ("-.INF", "`-.INF` cannot be represented in JSON"),
            (".nan", "`.nan` cannot be represented in JSON"),
            (
                "017",
                "`017` is octal for some YAML parsers and decimal for others",
            ),
            (
                "18446744073709551616",
                "`18446744073709551616` does not fit in 64 bits",
            ),
            (
                "-9223372036854775809",
                "`-9223372036854775809` does not fit in 64 bits",
            ),
            ("1e999", "`1e999` does not fit in 64 bits"),
        ] {
            assert_eq!(resolve(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
