//! A session as it was read: a header and a tree of entries.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::{CallEvent, Entry, Event, Header, Id, Reader, ResultEvent, SessionError, SessionFile};

/// A session as it was read.
#[derive(Clone, Debug)]
pub struct Session {
    /// The first line.
    pub header: Header,
    /// The other lines, in the order of the file and of their numbers.
    pub entries: Vec<Entry>,
    pub(crate) end: End,
}

/// The entries so far of agents and programs that calls run.
#[derive(Debug, Default)]
pub struct Nesting {
    nested: HashSet<Id>,
    /// Calls that a model has made: programs below them are nested, too.
    calls: HashSet<Id>,
}

impl Nesting {
    /// Adds the next entry. Returns true if it is nested: each [`Event::Agent`], each
    /// [`Event::Program`] below a call, and what is below it.
    pub fn add(&mut self, entry: &Entry) -> bool {
        // A parent comes before its children.
        let is_below = |ids: &HashSet<Id>| entry.parent.is_some_and(|it| ids.contains(&it));
        let is_first = match entry.event {
            Event::Agent { .. } => true,
            Event::Program { .. } => is_below(&self.calls),
            _ => false,
        };
        let is_nested = is_first || is_below(&self.nested);
        if is_nested {
            self.nested.insert(entry.id);
        } else if matches!(&entry.event, Event::Call(call) if call.place.program.is_none()) {
            self.calls.insert(entry.id);
        }
        is_nested
    }
}

/// The end of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    /// The number of lines at the end that were cut off.
    pub(crate) torn: u32,
    /// True if the last line has an end.
    pub(crate) is_terminated: bool,
    pub(crate) bytes: u64,
}

impl Session {
    /// Reads the session in `file`. A last line that was cut off is left out; see
    /// [`Session::torn_lines`].
    pub fn read(file: &SessionFile) -> Result<Self, SessionError> {
        Self::from_reader(file.open_to_read()?, file.display_path())
    }

    /// Like [`Session::read`], with the text of each line: first of the header, then
    /// of each entry.
    pub fn read_with_lines(file: &SessionFile) -> Result<(Self, Vec<String>), SessionError> {
        let mut reader = Reader::open(file)?;
        let mut lines = vec![reader.header_text().to_owned()];
        let session = Self::collect(&mut reader, file.display_path(), |text| lines.push(text))?;
        Ok((session, lines))
    }

    /// Reads a session from `input`; `path` is for messages.
    pub fn from_reader(input: impl std::io::Read, path: &Path) -> Result<Self, SessionError> {
        Self::collect(&mut Reader::new(BufReader::new(input), path)?, path, drop)
    }

    fn collect(
        reader: &mut Reader<impl BufRead>,
        path: &Path,
        mut on_line: impl FnMut(String),
    ) -> Result<Self, SessionError> {
        let mut entries = Vec::new();
        let (_, torn) = reader.each_line(|line| match line.entry {
            Ok(entry) => {
                entries.push(entry);
                on_line(line.text);
                Ok(())
            }
            Err(error) => Err(SessionError::Line(path.to_path_buf(), line.number, error)),
        })?;
        Ok(Self {
            header: reader.header().clone(),
            entries,
            end: End {
                torn: u32::try_from(torn).unwrap_or(u32::MAX),
                is_terminated: reader.is_terminated,
                bytes: reader.bytes,
            },
        })
    }
}

impl Session {
    /// The number of lines at the end that were cut off, and are left out.
    pub const fn torn_lines(&self) -> u32 {
        self.end.torn
    }

    /// Returns true if an entry of this kind is its own, and not one of an agent or a program that a
    /// call has run.
    pub fn has(&self, kind: &str) -> bool {
        let nested = self.nested();
        let mut nodes = self.nodes().filter(|entry| !nested.contains(&entry.id));
        nodes.any(|entry| entry.event.kind() == kind)
    }

    /// The entry with that number.
    pub fn entry(&self, id: Id) -> Option<&Entry> {
        let index = self.entries.binary_search_by_key(&id, |entry| entry.id);
        self.entries.get(index.ok()?)
    }

    /// The entries from the root to `leaf`, which is the last one; empty if there is none of
    /// that number.
    pub fn path_to(&self, leaf: Id) -> Vec<&Entry> {
        let parent = |entry: &&Entry| self.entry(entry.parent?);
        let mut path: Vec<&Entry> = std::iter::successors(self.entry(leaf), parent).collect();
        path.reverse();
        path
    }

    /// The ends of all branches, in the order of the file, without agents that a call
    /// has run.
    pub fn leaves(&self) -> Vec<Id> {
        let nested = self.nested();
        let nodes = || self.nodes().filter(|entry| !nested.contains(&entry.id));
        let parents: HashSet<Id> = nodes().filter_map(|entry| entry.parent).collect();
        let ids = nodes().map(|entry| entry.id);
        ids.filter(|id| !parents.contains(id)).collect()
    }

    /// The end of the branch that was written to last, without agents that a call has
    /// run.
    pub fn head(&self) -> Option<Id> {
        let nested = self.nested();
        let mut ids = self.nodes().rev().map(|entry| entry.id);
        ids.find(|id| !nested.contains(id))
    }

    /// The entries of agents and programs that a call has run: each [`Event::Agent`], each
    /// [`Event::Program`] below a call, and what is below it.
    pub fn nested(&self) -> HashSet<Id> {
        let mut nesting = Nesting::default();
        let nested = self.nodes().filter(|entry| nesting.add(entry));
        nested.map(|entry| entry.id).collect()
    }

    /// The calls among `entries`, in their order, each with its result if it has one.
    pub fn calls<'s>(
        entries: impl IntoIterator<Item = &'s Entry>,
    ) -> Vec<(&'s CallEvent, Option<&'s ResultEvent>)> {
        let mut calls: Vec<(&CallEvent, Option<&ResultEvent>)> = Vec::new();
        for entry in entries {
            match &entry.event {
                Event::Call(call) => calls.push((call, None)),
                Event::Result(result) => {
                    let of_call = calls.iter_mut().rfind(|(open, _)| open.call == result.call);
                    if let Some((_, ended)) = of_call {
                        *ended = Some(result);
                    }
                }
                _ => {}
            }
        }
        calls
    }

    /// All entries of the tree: not those about lines that were cut off.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(|entry| !matches!(entry.event, Event::Torn { .. }))
    }
}
