//! A file that the user has named on the command line.

use std::path::Path;

use crate::{Failure, Io, project};
use cogtools_core::{Code, text};

/// Reads the file at `path`, of at most `max_bytes` bytes.
pub fn read(path: &Path, max_bytes: usize, io: &Io<'_>) -> Result<Vec<u8>, Failure> {
    let full = io.cwd.join(path);
    let scope = project::read_scope(&full, io);
    text::bytes(&full, path, max_bytes, &scope)
        .map_err(|error| error.diagnostic(Code::IoFailed).into())
}
