//! Block mappings, block sequences and literal blocks.

use super::MAX_DEPTH;
use super::flow::{self, is_new_key};
use super::line::{is_rest_empty, key, line_end, plain, quoted, skip_blanks};
use crate::text::Span;
use crate::yaml::node::{Data, Entry, Node};

/// A document that is being read.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// The first character of the next line with content; the end of the text after the last one.
    at: usize,
    /// Its column.
    column: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            column: 0,
            depth: 0,
        }
    }

    /// The mapping that the document consists of.
    pub(super) fn document(mut self) -> Option<Node> {
        self.find_line(0)?;
        let root = (self.column == 0).then(|| self.map(0))??;
        (self.at == self.text.len()).then_some(root)
    }

    /// Goes to the first line with content at `from` or after it.
    fn find_line(&mut self, from: usize) -> Option<()> {
        let mut start = from;
        while start < self.text.len() {
            let first = skip_blanks(self.text, start);
            match self.text.as_bytes().get(first) {
                Some(b'\n') | None => start = first + 1,
                Some(b'#') => start = line_end(self.text, first) + 1,
                Some(_) => {
                    let line = &self.text[first..];
                    // Documents have markers, and directives before them.
                    let is_marker = first == start
                        && (line.starts_with("---")
                            || line.starts_with("...")
                            || line.starts_with('%'));
                    (self.at, self.column) = (first, first - start);
                    return (!is_marker).then_some(());
                }
            }
        }
        (self.at, self.column) = (self.text.len(), 0);
        Some(())
    }

    /// Goes to the next line after a value that ends at `end`.
    fn finish_line(&mut self, end: usize) -> Option<()> {
        if !is_rest_empty(self.text, end) {
            return None;
        }
        self.find_line(line_end(self.text, end) + 1)
    }

    const fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn begins_item(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        rest.first() == Some(&b'-') && matches!(rest.get(1), Some(b' ' | b'\n'))
    }

    /// Where the item begins whose dash is here, if that is on the same line.
    fn item(&self) -> Option<usize> {
        let first = skip_blanks(self.text, self.at + 1);
        let begins = |byte: &u8| !matches!(byte, b'\n' | b'#');
        self.text
            .as_bytes()
            .get(first)
            .filter(|byte| begins(byte))?;
        Some(first)
    }

    /// The mapping whose first key is here, in the column `indent`.
    fn map(&mut self, indent: usize) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (key, colon) = key(self.text, self.at)?;
            if !is_new_key(key, &entries) {
                return None;
            }
            let span = Span {
                start: self.at,
                end: self.at + key.len(),
            };
            let value = self.value(colon, indent, true)?;
            entries.push(Entry {
                key: key.to_owned(),
                span,
                value,
            });
            if self.is_at_end() || self.column < indent {
                break;
            }
            if self.column > indent {
                return None;
            }
        }
        self.depth -= 1;
        let end = entries.last()?.value.span.end;
        Some(Node {
            data: Data::Map(entries),
            span: Span { start, end },
        })
    }

    /// The sequence whose first item is here, in the column `indent`. The mapping around it may
    /// have the same column.
    fn list(&mut self, indent: usize, is_indented: bool) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        // The parser says that a list which is not indented begins after its first dash.
        let start = if is_indented { self.at } else { self.item()? };
        let mut items: Vec<Node> = Vec::new();
        while !self.is_at_end() && self.column == indent && self.begins_item() {
            let first = skip_blanks(self.text, self.at + 1);
            let item = if key(self.text, first).is_some() {
                let column = indent + first - self.at;
                self.at = first;
                self.map(column)?
            } else {
                self.value(self.at + 1, indent, false)?
            };
            items.push(item);
        }
        if !self.is_at_end() && self.column > indent {
            return None;
        }
        self.depth -= 1;
        let end = items.last()?.span.end;
        Some(Node {
            data: Data::List(items),
            span: Span { start, end },
        })
    }

    /// The value after `from`, of a key or an item in the column `indent`.
    fn value(&mut self, from: usize, indent: usize, is_of_key: bool) -> Option<Node> {
        let at = skip_blanks(self.text, from);
        let (node, end) = match self.text.as_bytes().get(at)? {
            b'\n' | b'#' => {
                self.finish_line(from)?;
                return self.nested(indent, is_of_key);
            }
            b'|' => return self.literal(at, indent),
            b'"' | b'\'' => quoted(self.text, at)?,
            b'[' | b'{' => flow::value(self.text, at, self.depth)?,
            _ => plain(self.text, at)?,
        };
        self.finish_line(end)?;
        Some(node)
    }

    /// The collection on the next line.
    fn nested(&mut self, indent: usize, is_of_key: bool) -> Option<Node> {
        if self.is_at_end() {
            return None;
        }
        if self.begins_item() {
            let is_indented = self.column > indent;
            let may_be_here = is_indented || is_of_key && self.column == indent;
            return may_be_here.then(|| self.list(self.column, is_indented))?;
        }
        (self.column > indent).then(|| self.map(self.column))?
    }

    /// The literal block whose `|` is at `at`, in something in the column `indent`.
    fn literal(&mut self, at: usize, indent: usize) -> Option<Node> {
        let is_stripped = self.text.as_bytes().get(at + 1) == Some(&b'-');
        let header = at + 1 + usize::from(is_stripped);
        if !is_rest_empty(self.text, header) {
            return None;
        }
        let mut line = line_end(self.text, header) + 1;
        let first = skip_blanks(self.text, line);
        let column = first.checked_sub(line)?;
        if column <= indent
            || self
                .text
                .as_bytes()
                .get(first)
                .is_none_or(|byte| *byte == b'\n')
        {
            return None;
        }
        let (mut text, mut end) = (String::new(), self.text.len());
        while line < self.text.len() {
            let next = line_end(self.text, line);
            let content = skip_blanks(self.text, line);
            if content - line < column && content != next {
                end = content;
                break;
            }
            let is_blank = content == next;
            // More blanks than the indentation has would be content.
            if is_blank && content - line > column {
                return None;
            }
            text.push_str(self.text.get(line + column..next).unwrap_or_default());
            text.push('\n');
            line = next + 1;
        }
        // Blank lines at the end do not count.
        let length = text.trim_end_matches('\n').len();
        text.truncate(length + usize::from(!is_stripped));
        self.find_line(line)?;
        let span = Span { start: first, end };
        let data = Data::Text {
            text,
            block: Some(column),
        };
        Some(Node { data, span })
    }
}
