//! Files in the cache, which other users may not write. One that cannot be used is ignored.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use cogtools_document::file::{self, WritePath};

use crate::owner::Owners;

/// Returns true if something was written within the last `age`; not in the future.
pub fn is_within(age: Duration, written: SystemTime) -> bool {
    let now = SystemTime::now().duration_since(written);
    now.is_ok_and(|since| since <= age)
}

/// Returns true if the file at `path` was written within the last `age`.
pub fn is_fresh(path: &Path, age: Duration) -> bool {
    let written = fs::metadata(path).and_then(|meta| meta.modified());
    written.is_ok_and(|written| is_within(age, written))
}

/// Reads at most `limit` bytes of the file at `path`; `None` if another user could write it.
pub fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    Owners::default().check(path, path).ok()?;
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(limit).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Writes the file at `path`, readable by the user alone; errors are ignored.
pub fn write(path: Option<&Path>, content: &[u8]) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::replace_private(&path, content));
}

/// Removes the file at `path`; errors are ignored.
pub fn remove(path: Option<&Path>) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::remove(&path));
}
