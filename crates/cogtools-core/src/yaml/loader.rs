//! Builds the tree from the parser's events, on a stack of its own.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Span as Marks, StrInput, Tag};

use super::error::{YamlError, YamlFault};
use super::frame::{Frame, Held, Weight, is_repeated};
use super::node::{Data, Entry, Node};
use super::{MAX_DEPTH, MAX_NODES, MAX_TEXT, scalar};
use crate::text::Span;

struct Loader<'t> {
    text: &'t str,
    open: Vec<Frame>,
    anchors: HashMap<usize, (Node, Weight)>,
    root: Option<Node>,
    /// All that the document has come to so far.
    total: Weight,
    /// The copies that are kept for aliases.
    kept: Weight,
    documents: usize,
}

pub(super) fn load(text: &str) -> Result<Node, YamlError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut loader = Loader {
        text,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        total: Weight::default(),
        kept: Weight::default(),
        documents: 0,
    };
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str_with_options(text, options);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, marks)) => loader.take(event, &marks)?,
            Err(error) => {
                let start = offset(error.marker());
                let fault = match error.info().as_str() {
                    // The parser counts levels too, ahead of what it tells.
                    "recursion limit exceeded" => YamlFault::TooDeep,
                    info => YamlFault::Syntax(plain(info)),
                };
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
                let weight = Weight {
                    nodes: 1,
                    text: text.len(),
                    height: 0,
                };
                charge(&mut self.total, weight, span)?;
                let data = self.scalar(text, style, marks).map_err(at)?;
                self.place(Node { data, span }, anchor, weight)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(anchor, tag.as_deref(), span, Held::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.begin(anchor, tag.as_deref(), span, Held::map())?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(id) => {
                let Some((node, weight)) = self.anchors.get(&id) else {
                    return Err(at(YamlFault::Recursive));
                };
                let weight = *weight;
                charge(&mut self.total, weight, span)?;
                if self.open.len() + weight.height > MAX_DEPTH {
                    return Err(at(YamlFault::TooDeep));
                }
                let mut node = node.clone();
                node.span = span;
                self.place(node, 0, weight)?;
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
    ) -> Result<Data, YamlFault> {
        let block = match style {
            ScalarStyle::Plain if text == "<<" && self.expects_key() => {
                return Err(YamlFault::Merge);
            }
            ScalarStyle::Plain => return scalar::resolve(&text),
            ScalarStyle::Literal => Some(marks.indent.unwrap_or(marks.start.col())),
            _ => None,
        };
        let text = text.into_owned();
        Ok(Data::Text { text, block })
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
        let frame = Frame::new(anchor, span.start, held);
        charge(&mut self.total, frame.weight, span)?;
        self.open.push(frame);
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
        self.place(node, frame.anchor, frame.weight)
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, anchor: usize, weight: Weight) -> Result<(), YamlError> {
        if anchor != 0 {
            charge(&mut self.kept, weight, node.span)?;
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        if let Some(frame) = self.open.last_mut() {
            frame.carry(weight);
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

    fn refuse_tag(&self, tag: Option<&Tag>, span: Span) -> Result<(), YamlError> {
        match tag {
            None => Ok(()),
            Some(tag) => {
                // The node's own span begins behind its tag.
                let tag = tag.original();
                let before = self.text.get(..span.start).unwrap_or_default();
                let span = before.rfind(&tag).map_or(span, |start| Span {
                    start,
                    end: start + tag.len(),
                });
                let fault = YamlFault::Tag(tag);
                Err(YamlError { fault, span })
            }
        }
    }
}

/// Adds `weight` to `sum`, as far as the bounds allow.
fn charge(sum: &mut Weight, weight: Weight, span: Span) -> Result<(), YamlError> {
    sum.nodes += weight.nodes;
    sum.text += weight.text;
    let fault = match sum {
        sum if sum.nodes > MAX_NODES => YamlFault::TooMany,
        sum if sum.text > MAX_TEXT => YamlFault::TooLong,
        _ => return Ok(()),
    };
    Err(YamlError { fault, span })
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
