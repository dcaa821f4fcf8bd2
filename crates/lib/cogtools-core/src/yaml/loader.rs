//! Builds the tree from the parser's events, without recursion.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{
    Event, Marker, Options, Parser, ScalarStyle, Span as Marks, StrInput, StructureStyle, Tag,
};

use super::error::{YamlError, YamlErrorKind};
use super::flow::{self, Flow};
use super::frame::{Frame, Partial, Size, account, is_repeated};
use super::node::{Data, Entry, Node};
use super::{MAX_DEPTH, scalar};
use crate::text::Span;

struct Loader<'t> {
    text: &'t str,
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

pub(super) fn load(text: &str) -> Result<Node, YamlError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut loader = Loader {
        text,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        total: Size::default(),
        anchored: Size::default(),
        documents: 0,
        flow: None,
    };
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str_with_options(text, options);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, marks)) => loader.handle(event, &marks)?,
            Err(error) => {
                let start = offset(error.marker());
                let kind = match error.info().as_str() {
                    // The parser also limits the depth, before it emits the event.
                    "recursion limit exceeded" => YamlErrorKind::TooDeep,
                    info => YamlErrorKind::syntax(info),
                };
                return Err(YamlError {
                    kind,
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
    fn handle(&mut self, event: Event<'_>, marks: &Marks) -> Result<(), YamlError> {
        let span = Span {
            start: offset(&marks.start),
            end: offset(&marks.end),
        };
        let at = |kind| YamlError { kind, span };
        if let Some(flow) = &mut self.flow
            && flow::is_node(&event)
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
                partial: Partial::Map { key: None, .. },
                ..
            })
        )
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
            return Err(YamlError {
                kind: YamlErrorKind::KeyKind,
                span,
            });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError {
                kind: YamlErrorKind::TooDeep,
                span,
            });
        }
        let frame = Frame::new(anchor, span.start, partial);
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
        if self
            .flow
            .as_ref()
            .is_some_and(|flow| flow.depth == self.open.len())
        {
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
        let node = Node {
            data,
            span: Span {
                start: frame.start,
                end: end.max(frame.start),
            },
        };
        self.insert(node, frame.anchor, frame.size)
    }

    /// Inserts a finished node into the open collection, or as the root.
    fn insert(&mut self, node: Node, anchor: usize, size: Size) -> Result<(), YamlError> {
        if anchor != 0 {
            account(&mut self.anchored, size, node.span)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        if let Some(frame) = self.open.last_mut() {
            frame.add(size);
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
                let Data::Text { text, .. } = node.data else {
                    return Err(YamlError {
                        kind: YamlErrorKind::KeyKind,
                        span,
                    });
                };
                if is_repeated(&text, entries, seen) {
                    let start = entries
                        .iter()
                        .find(|entry| entry.key == text)
                        .map_or(0, |entry| entry.span.start);
                    let first = self.text[..start].matches('\n').count() + 1;
                    let kind = YamlErrorKind::DuplicateKey { key: text, first };
                    return Err(YamlError { kind, span });
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
                // The span of the node begins after its tag.
                let tag = tag.original();
                let before = self.text.get(..span.start).unwrap_or_default();
                let span = before.rfind(&tag).map_or(span, |start| Span {
                    start,
                    end: start + tag.len(),
                });
                let kind = YamlErrorKind::Tag(tag);
                Err(YamlError { kind, span })
            }
        }
    }
}

fn offset(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}
