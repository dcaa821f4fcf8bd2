//! Where the lines of a session are, so that a part of a large one is read alone, and what was
//! appended is found without reading the rest again.

use std::fmt::{self, Debug, Formatter};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;

use crate::anchor::Anchor;
use crate::limits::{MAX_ENTRIES, MAX_FILE_BYTES, MAX_LINE_BYTES};
use crate::lines::{RawLine, next_line};
use crate::reader::parse;
use crate::{Entry, Header, Line, Reader, SessionError, SessionFile};

/// How much of a file is read at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The positions of the lines of a session.
pub struct Index {
    file: SessionFile,
    header: Header,
    /// Where each line ends, behind its line end.
    ends: Vec<u64>,
    anchor: Anchor,
    /// How often the file was another one.
    replaced: u32,
}

impl Index {
    /// Finds the lines of `file`.
    pub fn open(file: SessionFile) -> Result<Self, SessionError> {
        let header = Reader::open(&file)?.header().clone();
        let mut index = Self {
            file,
            header,
            ends: Vec::new(),
            anchor: Anchor::default(),
            replaced: 0,
        };
        index.refresh()?;
        Ok(index)
    }

    /// Finds the lines that were appended; of a file that was replaced, all of them. A line
    /// without its end is not one yet.
    pub fn refresh(&mut self) -> Result<(), SessionError> {
        let failed = |error: std::io::Error| SessionError::Open {
            path: self.file.display_path().to_path_buf(),
            error: error.into(),
        };
        let mut file = self.file.open_to_read()?;
        let meta = file.metadata().map_err(failed)?;
        let length = meta.len();
        if length > MAX_FILE_BYTES {
            let path = self.file.display_path().to_path_buf();
            return Err(SessionError::TooLarge(path));
        }
        let mut end = self.ends.last().copied().unwrap_or_default();
        if end > 0 && self.anchor != Anchor::read(&file, &meta, &self.ends).map_err(failed)? {
            self.header = Reader::open(&self.file)?.header().clone();
            self.ends.clear();
            self.replaced += 1;
            end = 0;
        }
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        let mut input = BufReader::with_capacity(BUFFER_BYTES, &file);
        while let Some(raw) = next_line(&mut input, MAX_LINE_BYTES).map_err(failed)? {
            if !raw.is_terminated {
                break;
            }
            if self.ends.len() == MAX_ENTRIES {
                let path = self.file.display_path().to_path_buf();
                return Err(SessionError::TooLarge(path));
            }
            end += raw.length;
            self.ends.push(end);
        }
        self.anchor = Anchor::read(&file, &meta, &self.ends).map_err(failed)?;
        Ok(())
    }

    /// What names the lines that were found: another name means that they are those of another
    /// file, and that numbers of lines mean something else.
    pub fn content(&self) -> String {
        format!("{}-{}", self.anchor.name(), self.replaced)
    }

    /// The first line.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The file.
    pub const fn file(&self) -> &SessionFile {
        &self.file
    }

    /// How many lines there are, with the first.
    pub const fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The lines with these numbers, from 1, without the header. Each entry is read alone, so
    /// whether it refers to entries that exist is not checked.
    pub fn read(&self, numbers: Range<usize>) -> Result<Vec<Line>, SessionError> {
        let failed = |error: std::io::Error| SessionError::Open {
            path: self.file.display_path().to_path_buf(),
            error: error.into(),
        };
        let first = numbers.start.max(2);
        let last = numbers.end.min(self.ends.len() + 1);
        let Some(start) = self.ends.get(first - 2).filter(|_| first < last) else {
            return Ok(Vec::new());
        };
        let mut file = self.file.open_to_read()?;
        file.seek(SeekFrom::Start(*start)).map_err(failed)?;
        let mut lines = Vec::with_capacity(last - first);
        for number in first..last {
            let (from, to) = (self.ends[number - 2], self.ends[number - 1]);
            let mut bytes = Vec::new();
            file.by_ref()
                .take(to - from)
                .read_to_end(&mut bytes)
                .map_err(failed)?;
            lines.push(line(number, bytes));
        }
        Ok(lines)
    }
}

impl Debug for Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("file", &self.file)
            .field("lines", &self.ends.len())
            .finish_non_exhaustive()
    }
}

fn line(number: usize, mut bytes: Vec<u8>) -> Line {
    let length = bytes.len() as u64;
    let is_terminated = bytes.pop_if(|last| *last == b'\n').is_some();
    let is_too_long = bytes.len() > MAX_LINE_BYTES;
    let raw = RawLine {
        bytes: Some(bytes).filter(|_| !is_too_long),
        length,
        is_terminated,
    };
    let (text, fields) = parse(&raw);
    let (entry, is_cut) = match fields {
        Ok(fields) => (Entry::from_fields(fields), false),
        Err(invalid) => (Err(invalid.error), invalid.is_cut),
    };
    Line {
        number,
        text,
        entry,
        is_cut,
    }
}
