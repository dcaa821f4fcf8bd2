//! YAML: one value changed in place, with every other byte preserved.
//!
//! An edit is made by heuristics and then verified: the new text is parsed again, and must have
//! the old content except for the one change. Otherwise the edit is rejected.

mod append;
mod entry;
#[cfg(test)]
mod tests;

use cogtools_core::text::Text;
use cogtools_core::yaml::{self, Data, Entry, Node};
use serde_json::{Map, Value};

pub use append::append;
pub use entry::{add, entry, read, set_lines};

/// The text cannot be changed without changing something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditError {
    /// The byte offset to show.
    pub at: usize,
}

/// A range of the text and its replacement.
#[derive(Clone, Debug)]
struct Patch {
    start: usize,
    end: usize,
    text: String,
}

impl Patch {
    /// Inserts `text`.
    const fn insert(at: usize, text: String) -> Self {
        Self {
            start: at,
            end: at,
            text,
        }
    }

    /// Removes a range.
    const fn remove(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            text: String::new(),
        }
    }
}

/// A text and its syntax tree.
struct Editor<'t> {
    text: &'t str,
    root: &'t Node,
}

/// Returns `text` with `value` at the key `path`; `root` is its tree.
pub fn set(text: &str, root: &Node, path: &[&str], value: &Value) -> Result<String, EditError> {
    let editor = Editor { text, root };
    let (node, entry, rest) = editor.walk(path);
    let at = entry.map_or(0, |entry| entry.span.start);
    let patches = match entry {
        Some(entry) if rest.is_empty() => editor.replace(entry, value),
        _ => editor.insert(node, entry, rest, value),
    };
    let mut expected = root.to_json();
    update(&mut expected, path, Some(value.clone()));
    editor.apply(patches, at, &expected)
}

/// Returns `text` without the key `path`, or `None` if it is not set.
pub fn unset(text: &str, root: &Node, path: &[&str]) -> Option<Result<String, EditError>> {
    let editor = Editor { text, root };
    let (_, entry, rest) = editor.walk(path);
    let entry = entry.filter(|_| rest.is_empty())?;
    let mut expected = root.to_json();
    update(&mut expected, path, None);
    Some(editor.apply(editor.remove(path), entry.span.start, &expected))
}

impl<'t> Editor<'t> {
    /// Follows `path` as far as it exists. Returns the last node, the entry whose value it is, and
    /// the rest of the path.
    fn walk<'w, 's>(&self, path: &'w [&'s str]) -> (&'t Node, Option<&'t Entry>, &'w [&'s str]) {
        let (mut node, mut found) = (self.root, None);
        for (index, key) in path.iter().enumerate() {
            match node.entry(key) {
                Some(entry) => (node, found) = (&entry.value, Some(entry)),
                None => return (node, found, &path[index..]),
            }
        }
        (node, found, &[])
    }

    fn apply(
        &self,
        patches: Option<Vec<Patch>>,
        at: usize,
        expected: &Value,
    ) -> Result<String, EditError> {
        let error = EditError { at };
        let mut patches = patches.ok_or(error)?;
        patches.sort_by_key(|patch| (patch.start, patch.end));
        let mut edited = self.text.to_owned();
        for patch in patches.iter().rev() {
            edited.replace_range(patch.start..patch.end, &patch.text);
        }
        let content = parse(&edited).map(|node| prune(node.to_json()));
        if content == Some(prune(expected.clone())) {
            Ok(edited)
        } else {
            Err(error)
        }
    }
}

/// Sets the value at `path` of `document`, or removes it.
fn update(document: &mut Value, path: &[&str], value: Option<Value>) {
    let Some((key, rest)) = path.split_first() else {
        *document = value.unwrap_or_default();
        return;
    };
    if !document.is_object() {
        *document = Value::Object(Map::new());
    }
    let Value::Object(object) = document else {
        return;
    };
    if rest.is_empty() && value.is_none() {
        object.shift_remove(*key);
    } else {
        update(object.entry(*key).or_insert(Value::Null), rest, value);
    }
}

/// Removes empty maps, which are equivalent to missing ones in a configuration.
fn prune(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let entries: Map<_, _> = object
                .into_iter()
                .map(|(key, value)| (key, prune(value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if entries.is_empty() {
                Value::Null
            } else {
                Value::Object(entries)
            }
        }
        other => other,
    }
}

/// Returns true if `node` is a flow collection, which is written in brackets.
fn is_flow(text: &str, node: &Node) -> bool {
    matches!(node.data, Data::Map(_) | Data::List(_))
        && text[node.span.start..].starts_with(['{', '['])
}

impl Editor<'_> {
    /// Inserts `value` under the keys `rest` into `node`, which is the value of `entry` or the whole
    /// document.
    fn insert(
        &self,
        node: &Node,
        entry: Option<&Entry>,
        rest: &[&str],
        value: &Value,
    ) -> Option<Vec<Patch>> {
        let patch = match (&node.data, entry) {
            (Data::Map(entries), _) if is_flow(self.text, node) => {
                self.add_to_flow(node, entries, rest, value)?
            }
            (Data::Map(entries), _) => {
                let first = entries.first()?;
                let indent = self.indent(first.span.start)?.len();
                let at = self.line_end(self.end(entries.last()?)?);
                self.lines(at, indent, rest, value)
            }
            (Data::Null, None) => self.append(rest, value),
            (Data::Null, Some(entry)) => {
                let indent = self.indent(entry.span.start)?.len() + self.step();
                let at = self.line_end(self.end(entry)?);
                self.lines(at, indent, rest, value)
            }
            _ => return None,
        };
        Some(vec![patch])
    }

    /// Inserts lines after the line that ends at `at`.
    fn lines(&self, at: usize, indent: usize, rest: &[&str], value: &Value) -> Patch {
        let newline = self.newline(at);
        let lines = self.block(indent, rest, value);
        Patch::insert(at, format!("{newline}{}", lines.join(newline)))
    }

    /// Appends lines to a text without content.
    fn append(&self, rest: &[&str], value: &Value) -> Patch {
        let at = self.text.len();
        let newline = self.newline(at);
        let lines = self.block(0, rest, value).join(newline);
        let text = if self.text.is_empty() || self.text.ends_with('\n') {
            format!("{lines}{newline}")
        } else {
            format!("{newline}{lines}")
        };
        Patch::insert(at, text)
    }

    /// The lines of `value` under the keys `rest`, one per key.
    fn block(&self, indent: usize, rest: &[&str], value: &Value) -> Vec<String> {
        let step = self.step();
        let mut lines: Vec<String> = (0..)
            .zip(rest)
            .map(|(depth, key)| {
                let key = scalar(key);
                format!("{:1$}{key}:", "", indent + depth * step)
            })
            .collect();
        if let Some(last) = lines.last_mut() {
            last.push(' ');
            last.push_str(&render(value));
        }
        lines
    }

    /// Replaces the value of `entry` by `value`.
    fn replace(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let old = &entry.value;
        if old.to_json() == *value {
            return Some(Vec::new());
        }
        let flow = is_flow(self.text, old);
        match (&old.data, value) {
            (Data::List(items), Value::Array(values)) if !flow => {
                let patches = self.replace_items(items, values);
                patches.or_else(|| self.replace_block(entry, value))
            }
            (Data::Map(_) | Data::List(_), _) if !flow => self.replace_block(entry, value),
            (Data::Null, _) if old.span.start == old.span.end => {
                let at = self.colon(entry)?;
                Some(vec![Patch::insert(at, format!(" {}", render(value)))])
            }
            _ => {
                let (start, end) = (old.span.start, old.span.end);
                if flow && self.has_comment(start, end) {
                    return None;
                }
                let old_text = &self.text[start..end];
                let tail = &old_text[old_text.trim_end().len()..];
                let text = format!("{}{tail}", render(value));
                Some(vec![Patch { start, end, text }])
            }
        }
    }

    /// Replaces a whole block, unless there is a comment in it.
    fn replace_block(&self, entry: &Entry, value: &Value) -> Option<Vec<Patch>> {
        let (start, end) = (self.colon(entry)?, self.end(entry)?);
        if self.has_comment(start, self.line_end(end)) {
            return None;
        }
        let text = format!(" {}", render(value));
        Some(vec![Patch { start, end, text }])
    }

    /// Removes the entry at `path`, or the outermost enclosing entry with no other content and no
    /// comments.
    fn remove(&self, path: &[&str]) -> Option<Vec<Patch>> {
        let mut depth = path.len();
        while depth > 1 {
            let (_, outer, _) = self.walk(&path[..depth - 1]);
            let outer = outer?;
            let entries = outer.value.entries()?;
            let end = self.end(outer)?;
            // A comment in the last line is removed with the entry.
            let inner_start = entries.first()?.span.start;
            let is_only = entries.len() == 1 && !self.has_comment(self.colon(outer)?, inner_start);
            if !is_only || self.has_comment_line(outer.span.start, end) {
                break;
            }
            depth -= 1;
        }
        let (map, _, _) = self.walk(&path[..depth - 1]);
        let entries = map.entries()?;
        let index = entries
            .iter()
            .position(|entry| entry.key == path[depth - 1])?;
        let patch = if is_flow(self.text, map) {
            self.remove_from_flow(entries, index)?
        } else {
            self.remove_lines(&entries[index])?
        };
        Some(vec![patch])
    }

    /// Returns true if a line from `start` to `end` consists of a comment.
    fn has_comment_line(&self, start: usize, end: usize) -> bool {
        let mut lines = self.text[start..end].lines();
        lines.any(|line| line.trim_start().starts_with('#'))
    }

    /// Removes the lines of an entry of a block map.
    fn remove_lines(&self, entry: &Entry) -> Option<Patch> {
        self.indent(self.key_start(entry))?;
        let end = self.end(entry)?;
        let mut start = self.line_start(entry.span.start);
        let next = self.next_line(end);
        // The rest of the line may only be a comment.
        let rest = self.text[end..self.line_end(end)].trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return None;
        }
        // Preserve a missing line ending at the end of the text.
        if next == self.text.len() && !self.text.ends_with('\n') {
            let before = &self.text[..start];
            let line = before.strip_suffix('\n').unwrap_or(before);
            start = line.strip_suffix('\r').unwrap_or(line).len();
        }
        Some(Patch::remove(start, next))
    }

    /// Adds a key at the end of a flow map.
    fn add_to_flow(
        &self,
        node: &Node,
        entries: &[Entry],
        rest: &[&str],
        value: &Value,
    ) -> Option<Patch> {
        let (first, rest) = rest.split_first()?;
        let nested = rest.iter().rev().fold(value.clone(), |value, key| {
            Value::Object(Map::from_iter([((*key).to_owned(), value)]))
        });
        let pair = format!("{}: {}", scalar(first), render(&nested));
        let (at, text) = match entries.last() {
            Some(last) => (self.end(last)?, format!(", {pair}")),
            None => (node.span.start + 1, pair),
        };
        Some(Patch::insert(at, text))
    }

    /// Removes an entry from a flow map.
    fn remove_from_flow(&self, entries: &[Entry], index: usize) -> Option<Patch> {
        let entry = entries.get(index)?;
        let entry_end = self.end(entry)?;
        let (start, end) = if let Some(before) = index.checked_sub(1) {
            (self.end(&entries[before])?, entry_end)
        } else if let Some(after) = entries.get(1) {
            (self.key_start(entry), self.key_start(after))
        } else {
            (self.key_start(entry), entry_end)
        };
        if self.has_comment(start, end) {
            return None;
        }
        Some(Patch::remove(start, end))
    }

    /// The start of the key, including its quotes.
    fn key_start(&self, entry: &Entry) -> usize {
        let start = entry.span.start;
        if self.text[start..].starts_with(['"', '\'']) || !self.text[..start].ends_with(['"', '\''])
        {
            start
        } else {
            start - 1
        }
    }
}

/// The indentation in a file without nested maps.
const DEFAULT_STEP: usize = 2;

impl<'t> Editor<'t> {
    /// The line ending of the line that ends at `at`, or else of the previous line.
    fn newline(&self, at: usize) -> &'static str {
        let feed = match &self.text[at..] {
            "" => self.text.rfind('\n'),
            rest => rest.find('\n').map(|feed| at + feed),
        };
        match feed {
            Some(feed) if self.text[..feed].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The start of the line of `at`.
    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |feed| feed + 1)
    }

    /// The end of the line of `at`, before its line ending.
    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.find('\n').map_or(rest, |feed| &rest[..feed]);
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The start of the line after the one with `at`.
    fn next_line(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        rest.find('\n')
            .map_or(self.text.len(), |feed| at + feed + 1)
    }

    /// The text before `at` in its line.
    fn before(&self, at: usize) -> &'t str {
        &self.text[self.line_start(at)..at]
    }

    /// The white space before `at` in its line, if there is nothing else.
    fn indent(&self, at: usize) -> Option<&'t str> {
        let before = self.before(at);
        before.bytes().all(|byte| byte == b' ').then_some(before)
    }

    /// The end of the colon after the key of `entry`.
    fn colon(&self, entry: &Entry) -> Option<usize> {
        let rest = self.text.get(entry.span.end..)?;
        let at = rest.find(':')?;
        let only_quotes = rest[..at].chars().all(|c| matches!(c, ' ' | '"' | '\''));
        only_quotes.then_some(entry.span.end + at + 1)
    }

    /// The end of the content of `entry`, without trailing white space.
    fn end(&self, entry: &Entry) -> Option<usize> {
        let colon = self.colon(entry)?;
        let is_absent = entry.value.span.end == entry.value.span.start;
        let value_end = match entry.value.data {
            Data::Null if is_absent => None,
            _ => self.item_end(&entry.value),
        };
        Some(value_end.map_or(colon, |end| end.max(colon)))
    }

    /// The end of the content of a list item.
    fn item_end(&self, item: &Node) -> Option<usize> {
        match &item.data {
            Data::Map(entries) if !is_flow(self.text, item) => {
                entries.last().and_then(|last| self.end(last))
            }
            Data::List(items) if !is_flow(self.text, item) => {
                items.last().and_then(|last| self.item_end(last))
            }
            _ => {
                let text = &self.text[item.span.start..item.span.end];
                Some(item.span.start + text.trim_end().len())
            }
        }
    }

    /// Returns true if there is a comment from `start` to `end`. A `#` in a key may count as one, which
    /// only rejects an edit.
    fn has_comment(&self, start: usize, end: usize) -> bool {
        let range = &self.text[start..end.max(start)];
        range.match_indices('#').any(|(at, _)| {
            let before = self.text[..start + at].chars().next_back();
            before.is_none_or(char::is_whitespace) && !self.is_quoted(self.root, start + at)
        })
    }

    /// Returns true if a string in quotes below `node` is at `at`.
    fn is_quoted(&self, node: &Node, at: usize) -> bool {
        match &node.data {
            Data::Map(entries) => entries.iter().any(|entry| self.is_quoted(&entry.value, at)),
            Data::List(items) => items.iter().any(|item| self.is_quoted(item, at)),
            _ => {
                let span = node.span.start..node.span.end;
                span.contains(&at) && self.text[span].starts_with(['"', '\''])
            }
        }
    }

    /// The indentation of a nested map, taken from the first one.
    fn step(&self) -> usize {
        let entries = self.root.entries().unwrap_or_default();
        let mut steps = entries.iter().filter_map(|entry| {
            let outer = self.indent(entry.span.start)?.len();
            let below = entry.value.entries()?.first()?;
            let indent = self.indent(below.span.start)?.len();
            indent.checked_sub(outer).filter(|step| *step > 0)
        });
        steps.next().unwrap_or(DEFAULT_STEP)
    }
}

/// Renders `value` in flow style, which is valid anywhere.
pub fn render(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(render).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let pair =
                |(key, value): (&String, &Value)| format!("{}: {}", scalar(key), render(value));
            let pairs: Vec<String> = entries.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// Renders a string, quoted only if it would otherwise be parsed as something else.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let is_plain_start = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/');
    let is_string = || parse(text).is_some_and(|node| node.text() == Some(text));
    if text.starts_with(is_plain_start) && text.chars().all(is_plain) && is_string() {
        return text.to_owned();
    }
    // A JSON string is a YAML string too.
    Value::from(text).to_string()
}

/// Parses `text`, if it is valid.
fn parse(text: &str) -> Option<Node> {
    let text = Text::new("", text.as_bytes().to_vec()).ok()?;
    yaml::parse(&text).ok()
}
