//! Positions of the lines of a session: a part of a large one is read alone, and appended lines
//! are found without reading the rest again.

use std::fmt::{Debug, Formatter};
use std::fs::{File, Metadata};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::{fmt, io};

use cogtools_process::digest;

use crate::reader::{MAX_ENTRIES, MAX_FILE_BYTES, MAX_LINE_BYTES, next_line};
use crate::{Entry, Header, Line, Reader, SessionError, SessionFile};

/// The number of bytes that are compared at both places.
const BYTES: u64 = 4 << 10;
/// The number of digits of a hash that tell two files apart.
const DIGITS: usize = 16;

/// The content of a file where lines begin and end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Anchor {
    number: (u64, u64),
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Anchor {
    /// That of `file`, whose known lines end at `ends`. The file is left at any position.
    pub(crate) fn read(mut file: &File, meta: &Metadata, ends: &[u64]) -> io::Result<Self> {
        let mut part = |from: u64, to: u64| -> io::Result<Vec<u8>> {
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(to - from).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let (first, last) = match ends {
            [first, .., last] => (*first, *last),
            [first] => (*first, *first),
            [] => (0, 0),
        };
        Ok(Self {
            number: number(meta),
            first: part(0, first.min(BYTES))?,
            last: part(last.saturating_sub(BYTES), last)?,
        })
    }

    /// A text that another file does not have.
    pub(crate) fn name(&self) -> String {
        let (device, number) = self.number;
        let first = digest::bytes(&self.first).to_string();
        format!("{device:x}-{number:x}-{}", &first[..DIGITS])
    }
}

#[cfg(unix)]
fn number(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

/// When it was created, where files have no numbers.
#[cfg(not(unix))]
fn number(meta: &Metadata) -> (u64, u64) {
    let created = meta.created().ok();
    let since = created.and_then(|created| created.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or((0, 0), |since| {
        (since.as_secs(), since.subsec_nanos().into())
    })
}

/// The number of bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The positions of the lines of a session.
pub struct Index {
    file: SessionFile,
    header: Header,
    /// Where each line ends, behind its line end.
    ends: Vec<u64>,
    anchor: Anchor,
    /// The number of times that the file was another one.
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
        let failed = |error: io::Error| self.file.unreadable(error);
        let mut file = self.file.open_to_read()?;
        let meta = file.metadata().map_err(failed)?;
        let length = meta.len();
        let too_large = || SessionError::TooLarge(self.file.display_path().to_path_buf());
        if length > MAX_FILE_BYTES {
            return Err(too_large());
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
                return Err(too_large());
            }
            end += raw.length;
            self.ends.push(end);
        }
        self.anchor = Anchor::read(&file, &meta, &self.ends).map_err(failed)?;
        Ok(())
    }

    /// The name of the lines that were found: another name means that they belong to another
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

    /// The number of lines, with the first.
    pub const fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The lines with these numbers, from 1, without the header. Each entry is read alone, so
    /// whether it refers to entries that exist is not checked.
    pub fn read(&self, numbers: Range<usize>) -> Result<Vec<Line>, SessionError> {
        let failed = |error: io::Error| self.file.unreadable(error);
        let first = numbers.start.max(2);
        let last = numbers.end.min(self.ends.len() + 1);
        let Some(start) = self.ends.get(first - 2).filter(|_| first < last) else {
            return Ok(Vec::new());
        };
        let mut file = self.file.open_to_read()?;
        file.seek(SeekFrom::Start(*start)).map_err(failed)?;
        let mut input = BufReader::new(file.take(self.ends[last - 2] - start));
        let mut lines = Vec::with_capacity(last - first);
        for number in first..last {
            let Some(raw) = next_line(&mut input, MAX_LINE_BYTES).map_err(failed)? else {
                break;
            };
            lines.push(Line::read(number, &raw, Entry::from_fields));
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
