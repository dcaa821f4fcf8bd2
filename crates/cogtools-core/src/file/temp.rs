//! New content on disk, beside the file that it is for.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::rc::Rc;

use super::folder::Folder;
use super::walk::{Found, Links, Made, Missing, Walk};
use super::{Mode, WriteError, WritePath};

/// How many names are tried for a temporary file.
const MAX_NAMES: usize = 64;

/// What a file must be for its content to be replaced.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'b> {
    /// Not there.
    Absent,
    /// There, with these bytes.
    Bytes(&'b [u8]),
    /// Whatever is there, which keeps its permissions.
    Anything,
    /// Whatever is there, even a link; nothing of it is kept.
    Overwritten,
}

/// New content on disk, beside the file that it is for. It is removed again unless
/// it is committed, and so are the folders that were made for it.
pub struct Temp<'b> {
    folder: Rc<Folder>,
    name: OsString,
    /// The name of the temporary file, until it has the other one.
    own: Option<OsString>,
    expected: Expected<'b>,
    made: Made,
}

/// Writes `content` beside the file at `path`. `mode` is that of a new file; one that
/// is there keeps its own.
pub fn write_temp<'b>(
    path: &WritePath,
    expected: Expected<'b>,
    content: &[u8],
    mode: Mode,
) -> Result<Temp<'b>, WriteError> {
    let (links, missing) = match expected {
        Expected::Absent | Expected::Anything => (Links::Follow, Missing::Make),
        Expected::Bytes(_) => (Links::Follow, Missing::Fail),
        Expected::Overwritten => (Links::KeepLast, Missing::Make),
    };
    let Found { folder, name, made } = Walk::find(path, links, missing)?;
    let before = match expected {
        Expected::Absent | Expected::Overwritten => None,
        Expected::Bytes(_) => Some(folder.open_file(&name)?),
        Expected::Anything => match folder.open_file(&name) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        },
    };
    let permissions = before.map(|file| file.metadata()).transpose()?;
    // No other user may read it before it has the old file's permissions.
    let mode = permissions.as_ref().map_or(mode, |_| Mode::Private);
    let (mut file, own) = new_file(&folder, mode)?;
    let temp = Temp {
        folder,
        name,
        own: Some(own),
        expected,
        made,
    };
    file.write_all(content)?;
    if let Some(before) = permissions {
        file.set_permissions(before.permissions())?;
    }
    // What is overwritten whatever it is can be had again.
    if !matches!(expected, Expected::Overwritten) {
        file.sync_all()?;
    }
    Ok(temp)
}

impl Temp<'_> {
    /// Puts the content in its place, if the file still is what was expected.
    pub fn commit(&mut self) -> Result<(), WriteError> {
        let Some(own) = &self.own else {
            return Ok(());
        };
        match self.expected {
            Expected::Absent => self.folder.rename_new(own, &self.name),
            Expected::Bytes(before) if !holds(&self.folder, &self.name, before)? => {
                return Err(WriteError::Changed);
            }
            _ => self.folder.rename(own, &self.name),
        }
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => WriteError::Changed,
            _ => error.into(),
        })?;
        self.own = None;
        self.made.keep();
        Ok(())
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            let _ = self.folder.remove(own);
        }
    }
}

/// Whether the file `name` has these `bytes` and no others.
fn holds(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<bool> {
    let file = folder.open_file(name)?;
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut now = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64 + 1).read_to_end(&mut now)?;
    Ok(now == bytes)
}

/// A new file in `folder`, and its name, which cannot be foreseen.
fn new_file(folder: &Folder, mode: Mode) -> io::Result<(File, OsString)> {
    let mut names = 0;
    loop {
        let number = RandomState::new().build_hasher().finish();
        let name = OsString::from(format!(".cogtools-{number:016x}"));
        match folder.create_file(&name, mode) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && names < MAX_NAMES => {
                names += 1;
            }
            Err(error) => return Err(error),
            Ok(file) => return Ok((file, name)),
        }
    }
}
