//! Writes a session: one line for each event, at the end of the file.
//!
//! A line is one write, so that a process that is killed leaves at most one line that was cut
//! off. Nothing is ever removed: when such a file is continued, the line gets an end, and a
//! [`Event::Torn`] after it says that it does not count.

use std::fs::{File, TryLockError};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::reader::{MAX_BLOB_BYTES, MAX_ENTRIES, MAX_FILE_BYTES, MAX_LINE_BYTES};
use crate::reader::{is_too_deep, references};
use crate::session::End;
use crate::{
    BlobId, Blobs, Clock, Entry, Event, Header, Id, LogError, Mask, Session, SessionFile, Timestamp,
};

/// The attempts to lock a log, and the time between them: a process that looks
/// at [`SessionFile::is_in_use`] has the lock for a moment.
const LOCK_ATTEMPTS: u32 = 10;
const LOCK_DELAY: Duration = Duration::from_millis(10);

/// An open session. No other process can write to it until this is dropped, or the process ends.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    blobs: Blobs,
    options: Options,
    /// The numbers of all entries, in their order.
    ids: Vec<Id>,
    head: Option<Id>,
    /// The time of the last entry that this process wrote.
    time: Option<Timestamp>,
    end: End,
}

/// Surroundings of a log.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where the time of an entry comes from.
    pub clock: Clock,
    /// The secrets that are not written.
    pub mask: Mask,
}

impl Log {
    /// Begins a session in a file that does not exist, or is empty.
    pub fn create(file: &SessionFile, header: &Header, options: Options) -> Result<Self, LogError> {
        let path = file.display_path();
        let open = open_locked(file, true)?;
        if length(&open, path)? > 0 {
            return Err(LogError::Exists(path.to_path_buf()));
        }
        let end = End {
            bytes: 0,
            torn: 0,
            is_terminated: true,
        };
        let mut log = Self::new(open, file, options, end);
        log.write_line(header)?;
        Ok(log)
    }

    /// Continues the session in `file`, and returns it as it is so far.
    pub fn open(file: &SessionFile, options: Options) -> Result<(Self, Session), LogError> {
        // For a file that does not exist, the reader has the better message.
        drop(file.open_to_read()?);
        let open = open_locked(file, false)?;
        let session = Session::from_reader(&open, file.display_path())?;
        let mut log = Self::new(open, file, options, session.end);
        log.ids = session.entries.iter().map(|entry| entry.id).collect();
        log.head = session.head();
        Ok((log, session))
    }

    fn new(open: File, file: &SessionFile, options: Options, end: End) -> Self {
        Self {
            file: open,
            path: file.display_path().to_path_buf(),
            blobs: file.blobs(),
            options,
            ids: Vec::new(),
            head: None,
            time: None,
            end,
        }
    }

    /// Writes an event that follows `parent`, and returns its number.
    pub fn append(&mut self, parent: Option<Id>, mut event: Event) -> Result<Id, LogError> {
        if let Some((mut value, masked)) = event.runnable() {
            let whole = value.clone();
            self.mask_value(&mut value);
            *masked |= value != whole;
        }
        let mut refers = references(&event).iter().chain(&parent);
        if let Some(id) = refers.find(|id| self.ids.binary_search(id).is_err()) {
            return Err(LogError::NoEntry(self.path.clone(), *id));
        }
        self.repair()?;
        let id = self.write_entry(parent, event)?;
        self.head = Some(id);
        Ok(id)
    }

    /// Writes what is too large for a line beside the session.
    pub fn write_blob(&mut self, text: &str) -> Result<BlobId, LogError> {
        let masked = self.options.mask.masked(text);
        let bytes = masked.as_deref().unwrap_or(text).as_bytes();
        let path = || self.blobs.path(&BlobId::of(bytes));
        if bytes.len() as u64 > MAX_BLOB_BYTES {
            return Err(LogError::BlobTooLarge(path()));
        }
        self.blobs
            .write(bytes)
            .map_err(|error| LogError::Open(path(), error))
    }

    /// Masks the secrets in `value`, as a line would have it.
    pub fn mask_value(&self, value: &mut serde_json::Value) {
        self.options.mask.mask(value);
    }

    /// Returns true if a secret in the JSON `text` would be masked.
    pub fn has_secret(&self, text: &str) -> bool {
        self.options.mask.may_be_in(text)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), LogError> {
        self.file
            .sync_data()
            .map_err(|error| LogError::Write(self.path.clone(), error))
    }

    /// Reads what is in the file so far.
    pub fn session(&self) -> Result<Session, LogError> {
        // Writes go to the end, wherever reads are.
        let start = (&self.file).seek(SeekFrom::Start(0));
        start.map_err(|error| LogError::Write(self.path.clone(), error))?;
        Ok(Session::from_reader(&self.file, &self.path)?)
    }

    /// The last entry.
    pub const fn head(&self) -> Option<Id> {
        self.head
    }

    /// The file, as messages name it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The blobs beside it.
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// The time of the last entry that this process wrote; the time now if it wrote none.
    pub fn time(&self) -> Timestamp {
        self.time.unwrap_or_else(|| self.now())
    }

    /// The time, by the clock of the log.
    pub fn now(&self) -> Timestamp {
        self.options.clock.now()
    }

    /// Declares the lines at the end of the file that were cut off.
    fn repair(&mut self) -> Result<(), LogError> {
        if self.end.torn > 0 {
            let lines = self.end.torn;
            self.write_entry(self.head, Event::Torn { lines })?;
            self.end.torn = 0;
        }
        Ok(())
    }

    fn write_entry(&mut self, parent: Option<Id>, event: Event) -> Result<Id, LogError> {
        let id = self.ids.last().map_or(Id::FIRST, |last| last.next());
        // The largest number has no next one.
        if self.ids.len() + 1 >= MAX_ENTRIES || self.ids.last() == Some(&id) {
            return Err(LogError::Full(self.path.clone()));
        }
        let time = self.now();
        self.write_line(&Entry {
            id,
            parent,
            time,
            event,
        })?;
        self.time = Some(time);
        self.ids.push(id);
        Ok(id)
    }

    fn write_line(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let mut text = self.encode(line)?;
        if text.len() > MAX_LINE_BYTES {
            return Err(LogError::LineTooLong(self.path.clone()));
        }
        if is_too_deep(text.as_bytes()) {
            return Err(LogError::TooDeep(self.path.clone()));
        }
        if !self.end.is_terminated {
            text.insert(0, '\n');
        }
        text.push('\n');
        if self.end.bytes + text.len() as u64 > MAX_FILE_BYTES {
            return Err(LogError::Full(self.path.clone()));
        }
        let before = length(&self.file, &self.path)?;
        let written = self.file.write_all(text.as_bytes());
        self.end.bytes = before + text.len() as u64;
        self.end.is_terminated = true;
        written.map_err(|error| {
            self.note_torn(before);
            LogError::Write(self.path.clone(), error)
        })
    }

    /// Notes what a write that failed has left in the file, which had `before` bytes.
    fn note_torn(&mut self, before: u64) {
        let now = length(&self.file, &self.path).unwrap_or(before);
        if now > before {
            self.end.torn += 1;
            self.end.is_terminated = false;
        }
        self.end.bytes = now;
    }

    /// The JSON of a line, without secrets.
    fn encode(&self, line: &impl Serialize) -> Result<String, LogError> {
        let failed = |error: serde_json::Error| LogError::Write(self.path.clone(), error.into());
        let text = serde_json::to_string(line).map_err(failed)?;
        if !self.options.mask.may_be_in(&text) {
            return Ok(text);
        }
        let mut value = serde_json::to_value(line).map_err(failed)?;
        self.options.mask.mask(&mut value);
        Ok(value.to_string())
    }
}

/// Opens `file` and locks it. The lock belongs to the open file, so that it ends with the
/// process, however that ends.
pub(crate) fn open_locked(file: &SessionFile, create: bool) -> Result<File, LogError> {
    let path = || file.display_path().to_path_buf();
    let open = file.open_to_append(create);
    let open = open.map_err(|error| LogError::Open(path(), error))?;
    let mut attempts = LOCK_ATTEMPTS;
    loop {
        attempts -= 1;
        match open.try_lock() {
            Ok(()) => return Ok(open),
            Err(TryLockError::WouldBlock) if attempts > 0 => std::thread::sleep(LOCK_DELAY),
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse(path())),
            Err(TryLockError::Error(error)) => return Err(LogError::Write(path(), error)),
        }
    }
}

fn length(file: &File, path: &Path) -> Result<u64, LogError> {
    let length = file.metadata().map(|meta| meta.len());
    length.map_err(|error| LogError::Write(path.to_path_buf(), error))
}
