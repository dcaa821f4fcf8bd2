//! Builds the tree from the parser's events, on a stack of its own.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Span as Marks, StrInput, Tag};

use super::error::{YamlError, YamlFault};
use super::node::{Data, Entry, Node};
use super::{MAX_DEPTH, MAX_NODES, scalar};
use crate::text::Span;

/// Up to this many keys of one mapping are compared one by one.
const FEW_KEYS: usize = 16;

struct Loader<'t> {
    text: &'t str,
    open: Vec<Frame>,
    anchors: HashMap<usize, (Node, usize)>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
}

/// A collection that has begun and not ended.
struct Frame {
    anchor: usize,
    start: usize,
    /// How many nodes there were before this one.
    before: usize,
    held: Held,
}

enum Held {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<(String, Span)>,
        seen: HashSet<String>,
    },
}

pub(super) fn load(text: &str) -> Result<Node, YamlError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut loader = Loader {
        text,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        nodes: 0,
        documents: 0,
    };
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str_with_options(text, options);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, marks)) => loader.take(event, &marks)?,
            Err(error) => {
                let start = offset(error.marker());
                let fault = YamlFault::Syntax(plain(&error.info()));
                return Err(YamlError {
                    fault,
                    span: Span { start, end: start },
                });
            }
        }
    }
    let end = Span { start: 0, end: 0 };
    Ok(loader.root.unwrap_or(Node {
        data: Data::Null,
        span: end,
    }))
}

impl Loader<'_> {
    fn take(&mut self, event: Event<'_>, marks: &Marks) -> Result<(), YamlError> {
        let span = Span {
            start: offset(&marks.start),
            end: offset(&marks.end),
        };
        let at = |fault| YamlError { fault, span };
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(at(YamlFault::SecondDocument));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), span)?;
                self.count(1, span)?;
                let data = self.scalar(&text, style, marks).map_err(at)?;
                self.place(Node { data, span }, anchor, 1)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(anchor, tag.as_deref(), span, Held::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                let held = Held::Map {
                    entries: Vec::new(),
                    key: None,
                    seen: HashSet::new(),
                };
                self.begin(anchor, tag.as_deref(), span, held)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id) else {
                    return Err(at(YamlFault::Recursive));
                };
                let (mut node, size) = (node.clone(), *size);
                self.count(size, span)?;
                node.span = span;
                self.place(node, 0, size)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, marks: &Marks) -> Result<Data, YamlFault> {
        let string = |block| {
            Ok(Data::Text {
                text: text.to_owned(),
                block,
            })
        };
        match style {
            ScalarStyle::Plain if text == "<<" && self.expects_key() => Err(YamlFault::Merge),
            ScalarStyle::Plain => scalar::resolve(text),
            ScalarStyle::Literal => string(Some(marks.indent.unwrap_or(marks.start.col()))),
            _ => string(None),
        }
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Frame {
                held: Held::Map { key: None, .. },
                ..
            })
        )
    }

    fn begin(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        held: Held,
    ) -> Result<(), YamlError> {
        self.refuse_tag(tag, span)?;
        if self.expects_key() {
            return Err(YamlError {
                fault: YamlFault::KeyKind,
                span,
            });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError {
                fault: YamlFault::TooDeep,
                span,
            });
        }
        let before = self.nodes;
        self.count(1, span)?;
        self.open.push(Frame {
            anchor,
            start: span.start,
            before,
            held,
        });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), YamlError> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let (data, last) = match frame.held {
            Held::List(items) => {
                let last = items.last().map(|item| item.span.end);
                (Data::List(items), last)
            }
            Held::Map { entries, .. } => {
                let last = entries.last().map(|entry| entry.value.span.end);
                (Data::Map(entries), last)
            }
        };
        // A flow collection ends with its bracket, a block one where the next thing begins.
        let flow = self.text[..span.end].ends_with([']', '}']) && span.end > span.start;
        let end = if flow {
            span.end
        } else {
            last.unwrap_or(span.end)
        };
        let node = Node {
            data,
            span: Span {
                start: frame.start,
                end: end.max(frame.start),
            },
        };
        self.place(node, frame.anchor, self.nodes - frame.before)
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut().map(|frame| &mut frame.held) {
            None => self.root = Some(node),
            Some(Held::List(items)) => items.push(node),
            Some(Held::Map {
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
            Some(Held::Map { entries, key, seen }) => {
                let span = node.span;
                let Data::Text { text, .. } = node.data else {
                    return Err(YamlError {
                        fault: YamlFault::KeyKind,
                        span,
                    });
                };
                if is_repeated(&text, entries, seen) {
                    let first = entries.iter().find(|entry| entry.key == text);
                    let first = first.map_or(0, |entry| entry.span.start);
                    let first = self.text[..first].matches('\n').count() + 1;
                    let fault = YamlFault::DuplicateKey { key: text, first };
                    return Err(YamlError { fault, span });
                }
                *key = Some((text, span));
            }
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(YamlError {
                fault: YamlFault::TooMany,
                span,
            });
        }
        Ok(())
    }

    fn refuse_tag(&self, tag: Option<&Tag>, span: Span) -> Result<(), YamlError> {
        match tag {
            None => Ok(()),
            Some(tag) => {
                let fault = YamlFault::Tag(tag.original());
                Err(YamlError {
                    fault,
                    span: Span {
                        start: span.start.min(self.text.len()),
                        ..span
                    },
                })
            }
        }
    }
}

/// Whether `key` stands in `entries` already; large mappings keep a set.
fn is_repeated(key: &str, entries: &[Entry], seen: &mut HashSet<String>) -> bool {
    if entries.len() < FEW_KEYS {
        return entries.iter().any(|entry| entry.key == key);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !seen.insert(key.to_owned())
}

fn offset(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

/// The parser's message in the style of ours.
fn plain(message: &str) -> String {
    let mut letters = message.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
