//! An open file: its text as the editor has it, and what is known about it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{Entry, Node};
use cogtools_core::{Location, Project, Tool};
use cogtools_program::file_uri;
use njk::scan::{Scan, scan};
use serde_json::{Value, json};

use crate::finding::Finding;
use crate::js_analysis::JsAnalysis;
use crate::lint_file::LintFile;
use crate::linter::Expression;

/// A byte order mark.
const MARK: char = '\u{feff}';

/// The implementation in a file that is no valid YAML, up to the next key of the same level.
static IMPLEMENTATION: Expression =
    Expression::new(r"(?m)^implementation:.*(?:\n(?![A-Za-z$]).*)*\n?");

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A YAML file, which may be a tool.
    Tool,
    /// A template in a file of its own.
    Template,
    /// The configuration of a project.
    Config,
}

/// An open file.
pub(super) struct Document {
    pub(super) uri: String,
    pub(super) path: PathBuf,
    pub(super) version: i64,
    pub(super) kind: Kind,
    /// The text without a byte order mark, as it is parsed.
    pub(super) text: String,
    /// The units of the mark before it, which is a character for the client.
    mark: usize,
    /// The offset of each line.
    lines: Vec<usize>,
    /// True until the diagnostics of this text are reported.
    pub(super) is_changed: bool,
    /// True until this text is parsed.
    pub(super) is_stale: bool,
    /// True if it is a tool file, a template or a configuration, rather than any YAML.
    pub(super) is_ours: bool,
    /// The text as the linter sees it.
    pub(super) file: Option<LintFile>,
    /// The last text that was a tool.
    pub(super) last_tool: Option<LintFile>,
    /// The findings in this text.
    pub(super) findings: Vec<Finding>,
}

impl Document {
    /// The file that a client opened; none if it is of no interest.
    pub(super) fn open(uri: &str, text: &str, version: i64) -> Option<Self> {
        let path = file_uri::path(uri)?;
        let name = path.file_name()?.to_str()?;
        let kind = match path.extension()?.to_str()? {
            _ if name == Project::CONFIG => Kind::Config,
            "yaml" | "yml" => Kind::Tool,
            "njk" => Kind::Template,
            _ => return None,
        };
        let mut document = Self {
            uri: uri.to_owned(),
            path,
            version,
            kind,
            text: String::new(),
            mark: 0,
            lines: Vec::new(),
            is_changed: true,
            is_stale: true,
            is_ours: kind != Kind::Tool,
            file: None,
            last_tool: None,
            findings: Vec::new(),
        };
        document.set_text(text.to_owned());
        Some(document)
    }

    /// Applies the changes of a notification, in their order.
    pub(super) fn change(&mut self, params: &Value) {
        self.version = params["textDocument"]["version"]
            .as_i64()
            .unwrap_or(self.version);
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            let new = change["text"].as_str().unwrap_or_default();
            if let Some(range) = change.get("range") {
                let start = self.offset(&range["start"]);
                let end = self.offset(&range["end"]).max(start);
                let origin = json!({"line": 0, "character": 0});
                if range["start"] == origin && range["end"] != origin {
                    self.mark = 0;
                }
                let mut text = std::mem::take(&mut self.text);
                text.replace_range(start..end, new);
                self.set_text(text);
            } else {
                self.mark = 0;
                self.set_text(new.to_owned());
            }
        }
        self.is_changed = true;
        self.is_stale = true;
    }

    fn set_text(&mut self, mut text: String) {
        if text.starts_with(MARK) {
            text.remove(0);
            self.mark = MARK.len_utf16();
        }
        self.lines.clear();
        self.lines.push(0);
        let bytes = text.as_bytes();
        let ends = |at: usize| match bytes[at] {
            b'\n' => true,
            // Of an old Mac; before a line feed it ends nothing.
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        self.lines
            .extend((0..bytes.len()).filter(|at| ends(*at)).map(|at| at + 1));
        self.text = text;
    }

    /// The offset of a position: a line, and units of UTF-16 in it.
    pub(super) fn offset(&self, position: &Value) -> usize {
        let number = |key: &str| {
            let number = position[key].as_u64().unwrap_or_default();
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let line = number("line");
        let character = number("character").saturating_sub(self.units_before(line));
        let Some(&start) = self.lines.get(line) else {
            return self.text.len();
        };
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, c) in text.char_indices() {
            if units >= character {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + text.len()
    }

    /// The position of an offset.
    pub(super) fn position(&self, offset: usize) -> Value {
        let (line, character) = self.line_and_unit(offset);
        json!({"line": line, "character": character})
    }

    /// The line of an offset, and the units of UTF-16 before it there.
    pub(super) fn line_and_unit(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let line = self
            .lines
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        let before = &self.text[self.lines[line]..offset];
        // A line ends before its carriage return.
        let before = if self.text[offset..].starts_with('\n') {
            before.trim_end_matches('\r')
        } else {
            before
        };
        (
            line,
            self.units_before(line) + before.encode_utf16().count(),
        )
    }

    /// The units of the mark before a line.
    const fn units_before(&self, line: usize) -> usize {
        if line == 0 { self.mark } else { 0 }
    }

    /// The range of bytes of the text.
    pub(super) fn range(&self, span: Range<usize>) -> Value {
        json!({"start": self.position(span.start), "end": self.position(span.end)})
    }

    /// The bytes of a location of the linter, which counts lines by line feeds, and characters.
    pub(super) fn span_of(&self, location: &Location) -> Range<usize> {
        let lines = self.text.split_inclusive('\n');
        let start: usize = lines
            .take(location.line.saturating_sub(1))
            .map(str::len)
            .sum();
        let line = self.text[start..].lines().next().unwrap_or_default();
        let at = |column: usize| {
            let found = line.char_indices().nth(column);
            start + found.map_or(line.len(), |(at, _)| at)
        };
        let column = location.column.saturating_sub(1);
        at(column)..at(column + location.width)
    }

    /// Returns true if no tool file has so long a text.
    pub(super) const fn is_too_large(&self) -> bool {
        self.text.len() > Text::MAX_BYTES
    }

    /// The tool, as it is or as it was when it was last valid.
    pub(super) fn tool(&self) -> Option<&Tool> {
        self.tool_file()?.tool.as_ref()
    }

    /// The file with this tool.
    pub(super) fn tool_file(&self) -> Option<&LintFile> {
        let file = self.file.as_ref().filter(|file| file.tool.is_some());
        file.or(self.last_tool.as_ref())
    }

    /// The document of a YAML file, if it is valid.
    pub(super) fn yaml(&self) -> Option<&Node> {
        self.file.as_ref()?.document.as_ref()
    }

    /// The part of the file that has templates.
    fn template_part(&self) -> Range<usize> {
        match self.kind {
            Kind::Template => 0..self.text.len(),
            Kind::Config => 0..0,
            Kind::Tool => {
                let entries = self.yaml().and_then(Node::entries).unwrap_or_default();
                if let Some(at) = entries.iter().position(|it| it.key == "implementation") {
                    let next = entries.get(at + 1);
                    let end = next.map_or(self.text.len(), |it| it.span.start);
                    return entries[at].span.start..end;
                }
                IMPLEMENTATION
                    .find(&self.text)
                    .map_or(0..0, |it| it.range())
            }
        }
    }

    /// The names in the templates, with offsets in the file. Code of other languages is left out.
    pub(super) fn scan(&self) -> Scan {
        let part = self.template_part();
        let mut text = self.text[part.clone()].to_owned();
        for span in self.code_parts() {
            let start = span.start.clamp(part.start, part.end) - part.start;
            let end = span.end.clamp(part.start, part.end) - part.start;
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, &" ".repeat(end - start));
            }
        }
        for (span, is_loop) in self.expressions() {
            mark(&mut text, &span, part.start, is_loop);
        }
        // Offsets in the file.
        let lead = " ".repeat(part.start);
        scan(&(lead + &text))
    }

    /// Where the expressions of `when` and, with true, of `for` are, which are no templates.
    fn expressions(&self) -> Vec<(Range<usize>, bool)> {
        let entries = self.texts(&["when", "for"]).into_iter();
        entries
            .map(|it| (range(it.value.span), it.key == "for"))
            .collect()
    }

    /// The entries of the implementation with these keys whose values are texts.
    fn texts(&self, keys: &[&str]) -> Vec<&Entry> {
        let node = self.yaml().and_then(|it| it.get("implementation"));
        let all = node.map(Node::descendants).unwrap_or_default().into_iter();
        let entries = all.filter_map(|(entry, node)| {
            entry.filter(|it| std::ptr::eq(&raw const it.value, node) && node.text().is_some())
        });
        entries
            .filter(|it| keys.contains(&it.key.as_str()))
            .collect()
    }

    /// Where JavaScript is.
    pub(super) fn code_parts(&self) -> Vec<Range<usize>> {
        let entries = self.texts(&["js", "script"]).into_iter();
        entries.map(|entry| range(entry.value.span)).collect()
    }

    /// The JavaScript at an offset of the file, and the offset in it.
    pub(super) fn code_at(&self, offset: usize) -> Option<(&JsAnalysis, usize)> {
        let codes = self.file.iter().flat_map(LintFile::codes);
        codes.into_iter().find_map(|code| {
            let mut start = 0;
            let lines = code.source().source().split_inclusive('\n').enumerate();
            let mut places = lines.filter_map(|(index, line)| {
                let first = self.span_of(&code.source().location(index + 1, 1, 1)).start;
                let before = self.text.get(first..offset);
                let at = start;
                start += line.len();
                before
                    .filter(|it| line.starts_with(it))
                    .map(|it| at + it.len())
            });
            places.next().map(|at| (code, at))
        })
    }

    /// Returns true if `offset` is in JavaScript.
    pub(super) fn is_code(&self, offset: usize) -> bool {
        self.code_parts()
            .iter()
            .any(|it| (it.start..=it.end).contains(&offset))
    }
}

/// Makes the expression at `span`, in a text that begins at `start`, a tag of a template: what is
/// around it is replaced, so that offsets stay.
fn mark(text: &mut String, span: &Range<usize>, start: usize, is_loop: bool) {
    let quoted = |at: usize| matches!(text.as_bytes().get(at), Some(b'"' | b'\''));
    let (Some(mut from), Some(mut to)) =
        (span.start.checked_sub(start), span.end.checked_sub(start))
    else {
        return;
    };
    if quoted(from) && to > from + 1 {
        (from, to) = (from + 1, to - 1);
    }
    let (before, after) = if is_loop {
        ("{%for ", "%}")
    } else {
        ("{{", "}}")
    };
    let Some(begin) = from.checked_sub(before.len()) else {
        return;
    };
    // The text may end with the expression.
    text.push_str("  ");
    for (places, tag) in [(begin..from, before), (to..to + after.len(), after)] {
        if text.is_char_boundary(places.start) && text.is_char_boundary(places.end) {
            text.replace_range(places, tag);
        }
    }
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start..span.end
}

/// A place in a file that need not be open.
pub(super) fn place(path: &Path, range: &Value) -> Value {
    json!({"uri": file_uri::of(path), "range": range})
}
