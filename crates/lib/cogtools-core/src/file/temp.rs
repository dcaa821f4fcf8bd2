//! A temporary file next to its target.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::rc::Rc;

use super::folder::Folder;
use super::walk::{self, Found, Links, Made, Missing};
use super::{Mode, WriteError, WritePath};

/// Content that a file must have to be replaced.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'b> {
    /// The file must not exist.
    Absent,
    /// The file must have these bytes.
    Bytes(&'b [u8]),
    /// Anything; a file that exists keeps its permissions.
    Anything,
    /// Anything, even a link; neither permissions nor target are preserved.
    Overwritten,
}

/// New content in a temporary file next to its target. Unless it is committed, the file
/// is removed again, and so are the folders that were created for it.
pub struct Temp<'b> {
    folder: Rc<Folder>,
    name: OsString,
    /// The name of the temporary file, until it is renamed.
    own: Option<OsString>,
    expected: Expected<'b>,
    made: Made,
}

/// Writes `content` to a temporary file next to `path`. `mode` applies to new files;
/// existing ones keep theirs.
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
    let Found { folder, name, made } = walk::find(path, links, missing)?;
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
    let number = RandomState::new().build_hasher().finish();
    let own = OsString::from(format!(".cogtools-{number:016x}"));
    let mut file = folder.create_file(&own, mode)?;
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
    // Content that is replaced unconditionally can be regenerated.
    if !matches!(expected, Expected::Overwritten) {
        file.sync_all()?;
    }
    Ok(temp)
}

impl Temp<'_> {
    /// Renames the file to its target, if the target is still as expected.
    pub fn commit(&mut self) -> Result<(), WriteError> {
        let Some(own) = &self.own else {
            return Ok(());
        };
        match self.expected {
            Expected::Absent => self.folder.rename_new(own, &self.name),
            Expected::Bytes(before) if !has_content(&self.folder, &self.name, before)? => {
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

/// Returns true if the file `name` contains exactly these `bytes`.
fn has_content(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<bool> {
    let file = folder.open_file(name)?;
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut content = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64 + 1)
        .read_to_end(&mut content)?;
    Ok(content == bytes)
}
