//! Removes a session that is stored in the user's state, with its blobs.

use std::fs;
use std::io::ErrorKind;

use crate::log::open_locked;
use crate::{LogError, SessionFile};

/// Removes a session with its blobs, unless a process writes to it.
pub(crate) fn remove_unless_in_use(file: &SessionFile) -> Result<(), LogError> {
    let failed = |error| LogError::Write {
        path: file.display_path().to_path_buf(),
        error,
    };
    let _lock = open_locked(file, false)?;
    fs::remove_file(file.path()).map_err(failed)?;
    match fs::remove_dir_all(file.blobs().folder()) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}
