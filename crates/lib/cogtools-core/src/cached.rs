//! Files in the cache, which other users may not write. One that cannot be used is ignored.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::file::{self, WritePath};
use crate::owner::Owners;

/// Returns true if something was written within the last `age`; not in the future.
pub(crate) fn is_within(age: Duration, written: SystemTime) -> bool {
    let now = SystemTime::now().duration_since(written);
    now.is_ok_and(|since| since <= age)
}

/// Returns true if the file at `path` was written within the last `age`.
pub(crate) fn is_fresh(path: &Path, age: Duration) -> bool {
    let written = fs::metadata(path).and_then(|meta| meta.modified());
    written.is_ok_and(|written| is_within(age, written))
}

pub(crate) fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    Owners::default().check(path, path).ok()?;
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(limit).read_to_end(&mut text).ok()?;
    Some(text)
}

pub(crate) fn write(path: Option<&Path>, content: &[u8]) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::replace_private(&path, content));
}

pub(crate) fn remove(path: Option<&Path>) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::remove(&path));
}
