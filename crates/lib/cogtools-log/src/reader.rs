//! Reads a session line by line, and says what is wrong with each. A file may come from others,
//! so everything has a limit.

use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::error::HeaderError;
use crate::{CacheState, Entry, Event, Header, Id, LineError, SessionError, SessionFile};

/// The maximum length of a line: 64 MiB, since an answer may contain a picture.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 20;
/// The maximum size of a file: 512 MiB.
pub(crate) const MAX_FILE_BYTES: u64 = 512 << 20;
/// The maximum size of a blob: 256 MiB, as much as a program may print.
pub(crate) const MAX_BLOB_BYTES: u64 = 256 << 20;
/// The maximum nesting of a line. What is logged was read with a limit of 128.
pub(crate) const MAX_DEPTH: usize = 160;
/// The maximum number of entries.
pub(crate) const MAX_ENTRIES: usize = 1_000_000;

/// A line.
pub(crate) struct RawLine {
    /// Its bytes, without the line end; `None` if there are too many.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The number of its bytes in the file, with the line end.
    pub(crate) length: u64,
    /// True if there is a line end.
    pub(crate) is_terminated: bool,
}

/// Reads the next line, of at most `max` bytes; `None` at the end.
pub(crate) fn next_line(input: &mut impl BufRead, max: usize) -> io::Result<Option<RawLine>> {
    let mut bytes = Vec::new();
    let limit = max as u64 + 1;
    let mut length = input.by_ref().take(limit).read_until(b'\n', &mut bytes)? as u64;
    if length == 0 {
        return Ok(None);
    }
    let mut is_terminated = bytes.pop_if(|last| *last == b'\n').is_some();
    let is_too_long = !is_terminated && length == limit;
    if is_too_long {
        bytes = Vec::new();
        (length, is_terminated) = skip_line(input, length)?;
    }
    Ok(Some(RawLine {
        bytes: Some(bytes).filter(|_| !is_too_long),
        length,
        is_terminated,
    }))
}

/// Skips the rest of a line of which `length` bytes were read.
fn skip_line(input: &mut impl BufRead, mut length: u64) -> io::Result<(u64, bool)> {
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            return Ok((length, false));
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(available.len(), |end| end + 1);
        input.consume(count);
        length += count as u64;
        if end.is_some() {
            return Ok((length, true));
        }
    }
}

/// A reader of the lines of a session.
pub struct Reader<R> {
    input: R,
    path: PathBuf,
    header: Header,
    header_text: String,
    /// The numbers of all entries so far, in their order.
    ids: Vec<Id>,
    /// The number of lines right before the next one that are not JSON.
    cut: u32,
    lines: usize,
    /// The number of bytes that were read.
    pub(crate) bytes: u64,
    /// True if the last line has an end.
    pub(crate) is_terminated: bool,
}

/// A line after the first.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its text; empty if it is too long or not UTF-8.
    pub text: String,
    /// The entry, or what is wrong.
    pub entry: Result<Entry, LineError>,
    /// True if it is the beginning of a JSON text, without its end.
    pub is_cut: bool,
}

impl Line {
    /// The line `raw`, whose fields `entry` makes an entry of.
    pub(crate) fn read(
        number: usize,
        raw: &RawLine,
        entry: impl FnOnce(Map<String, Value>) -> Result<Entry, LineError>,
    ) -> Self {
        let (text, fields) = parse(raw);
        let (entry, is_cut) = match fields {
            Ok(fields) => (entry(fields), false),
            Err(invalid) => (Err(invalid.error), invalid.is_cut),
        };
        Self {
            number,
            text,
            entry,
            is_cut,
        }
    }
}

impl Reader<BufReader<File>> {
    /// Begins with the first line of `file`.
    pub fn open(file: &SessionFile) -> Result<Self, SessionError> {
        Self::new(BufReader::new(file.open_to_read()?), file.display_path())
    }
}

impl<R: BufRead> Reader<R> {
    /// Begins with the first line. `path` is for messages.
    pub fn new(mut input: R, path: &Path) -> Result<Self, SessionError> {
        let failed = |error| SessionError::Header(path.to_path_buf(), error);
        let raw = read_raw(&mut input, path)?.ok_or_else(|| failed(HeaderError::Empty))?;
        let (text, fields) = parse(&raw);
        let fields = fields.map_err(|invalid| failed(HeaderError::Line(invalid.error)))?;
        if fields.get("kind").and_then(Value::as_str) != Some(Header::KIND) {
            return Err(failed(HeaderError::Missing));
        }
        let format = fields.get("format").and_then(Value::as_u64);
        if let Some(format) = format.filter(|format| *format > u64::from(Header::FORMAT)) {
            return Err(SessionError::Newer(path.to_path_buf(), format));
        }
        let header = Header::deserialize(Value::Object(fields)).map_err(|error| {
            failed(HeaderError::Line(LineError::Event(
                Header::KIND.to_owned(),
                error.to_string(),
            )))
        })?;
        Ok(Self {
            input,
            path: path.to_path_buf(),
            header,
            header_text: text,
            ids: Vec::new(),
            cut: 0,
            lines: 1,
            bytes: raw.length,
            is_terminated: raw.is_terminated,
        })
    }

    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The text of the header.
    pub fn header_text(&self) -> &str {
        &self.header_text
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    ///
    /// Only if the file cannot be read on. The fault of a line is in its `entry`.
    pub fn next_line(&mut self) -> Result<Option<Line>, SessionError> {
        let Some(raw) = read_raw(&mut self.input, &self.path)? else {
            return Ok(None);
        };
        self.lines += 1;
        self.bytes += raw.length;
        self.is_terminated = raw.is_terminated;
        if self.bytes > MAX_FILE_BYTES || self.lines > MAX_ENTRIES {
            return Err(SessionError::TooLarge(self.path.clone()));
        }
        let line = Line::read(self.lines, &raw, |fields| self.entry(fields));
        self.cut = match line.entry {
            Err(LineError::Syntax(_)) => self.cut.saturating_add(1),
            _ => 0,
        };
        Ok(Some(line))
    }

    /// Passes each line to `on`, but not those that were cut off while they were written. Returns
    /// the number of these lines before one that says so, and at the end.
    ///
    /// # Errors
    ///
    /// The file cannot be read on, or `on` fails.
    pub fn each_line(
        &mut self,
        mut on: impl FnMut(Line) -> Result<(), SessionError>,
    ) -> Result<(usize, usize), SessionError> {
        let mut declared = 0;
        // Lines that are not JSON, until one that says that they were cut off.
        let mut cut: Vec<Line> = Vec::new();
        while let Some(line) = self.next_line()? {
            if matches!(line.entry, Err(LineError::Syntax(_))) {
                cut.push(line);
                continue;
            }
            if matches!(&line.entry, Ok(entry) if matches!(entry.event, Event::Torn { .. })) {
                declared += cut.len();
                cut.clear();
            }
            cut.drain(..).chain([line]).try_for_each(&mut on)?;
        }
        // A write that failed leaves the beginning of a line, and so does its repair.
        if cut.iter().rev().skip(1).all(|line| line.is_cut) {
            return Ok((declared, cut.len()));
        }
        cut.into_iter().try_for_each(on)?;
        Ok((declared, 0))
    }

    fn entry(&mut self, fields: Map<String, Value>) -> Result<Entry, LineError> {
        if fields.get("kind").and_then(Value::as_str) == Some(Header::KIND) {
            return Err(LineError::SecondHeader);
        }
        let entry = Entry::from_fields(fields)?;
        let id = entry.id;
        if let Some(last) = self.ids.last().copied().filter(|last| *last >= id) {
            return Err(LineError::Order(id, last));
        }
        let is_known = |id: &Id| self.ids.binary_search(id).is_ok();
        let checked = match entry.parent.filter(|parent| !is_known(parent)) {
            Some(parent) => Err(LineError::Parent(parent)),
            None => match references(&entry.event).iter().find(|id| !is_known(id)) {
                Some(id) => Err(LineError::Reference(*id)),
                None => self.check_torn(&entry.event),
            },
        };
        // Entries that follow an invalid one are not invalid for that.
        self.ids.push(id);
        checked.map(|()| entry)
    }

    const fn check_torn(&self, event: &Event) -> Result<(), LineError> {
        match event {
            Event::Torn { lines } if *lines != self.cut => Err(LineError::Torn(*lines, self.cut)),
            _ => Ok(()),
        }
    }
}

/// Why a line is not a JSON object.
struct Invalid {
    error: LineError,
    /// True if it is the beginning of one.
    is_cut: bool,
}

impl From<LineError> for Invalid {
    fn from(error: LineError) -> Self {
        Self {
            error,
            is_cut: false,
        }
    }
}

/// The entries that an event refers to.
pub(crate) fn references(event: &Event) -> &[Id] {
    match event {
        Event::Compaction { up_to, .. }
        | Event::Cache {
            state: CacheState::Created {
                up_to: Some(up_to), ..
            },
            ..
        } => std::slice::from_ref(up_to),
        Event::Expired { results } => results,
        _ => &[],
    }
}

fn read_raw(input: &mut impl BufRead, path: &Path) -> Result<Option<RawLine>, SessionError> {
    next_line(input, MAX_LINE_BYTES)
        .map_err(|error| SessionError::Open(path.to_path_buf(), error.into()))
}

/// The text of a line, and its fields.
fn parse(raw: &RawLine) -> (String, Result<Map<String, Value>, Invalid>) {
    let Some(bytes) = &raw.bytes else {
        return (String::new(), Err(LineError::TooLong.into()));
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let is_cut = error.error_len().is_none();
            let error = LineError::Syntax("it is not valid UTF-8".to_owned());
            return (String::new(), Err(Invalid { error, is_cut }));
        }
    };
    let fields = match parse_json(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(LineError::NotAnObject.into()),
        Err(error) => Err(error),
    };
    (text.to_owned(), fields)
}

fn parse_json(text: &str) -> Result<Value, Invalid> {
    if is_too_deep(text.as_bytes()) {
        return Err(LineError::TooDeep.into());
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer);
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| {
        let message = format!("column {}", error.column());
        let message = match error.classify() {
            serde_json::error::Category::Eof => format!("it ends early, at {message}"),
            _ => format!("unexpected text at {message}"),
        };
        Invalid {
            error: LineError::Syntax(message),
            is_cut: error.is_eof(),
        }
    })
}

/// Returns true if arrays and objects nest deeper than the limit.
pub(crate) fn is_too_deep(json: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max: usize, expected: &[(Option<&str>, u64, bool)]) {
        // A small buffer, so that lines are longer than it.
        let mut input = BufReader::with_capacity(3, text.as_bytes());
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut input, max).expect("a line") {
            let text = line
                .bytes
                .map(|bytes| String::from_utf8(bytes).expect("text"));
            found.push((text, line.length, line.is_terminated));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(text, length, ended)| (text.as_deref(), *length, *ended))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_has_a_limit_and_an_end() {
        check("", 4, &[]);
        check(
            "one\ntwo",
            4,
            &[(Some("one"), 4, true), (Some("two"), 3, false)],
        );
        check("\n\r\n", 4, &[(Some(""), 1, true), (Some("\r"), 2, true)]);
        check(
            "four\nfives\nsix",
            4,
            &[
                (Some("four"), 5, true),
                (None, 6, true),
                (Some("six"), 3, false),
            ],
        );
        check("endless", 4, &[(None, 7, false)]);
    }
}
