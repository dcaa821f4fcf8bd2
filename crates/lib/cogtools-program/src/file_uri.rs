//! `file:` URIs, by which editors and MCP clients name files and folders.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but the unreserved characters, and what separates the parts of a path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The path of a `file:` URI.
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // On Windows, the path of `file:///c:/x` is `c:/x`.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    let path = path.strip_prefix('/').filter(|_| is_drive).unwrap_or(&path);
    Some(PathBuf::from(path))
}

/// The `file:` URI of a path.
pub fn of(path: &Path) -> String {
    let path = encoded(path);
    let start = if path.starts_with('/') { "" } else { "/" };
    format!("file://{start}{path}")
}

/// A path as a URI has it: `/` between parts, all but the unreserved characters percent-encoded.
pub fn encoded(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    utf8_percent_encode(&path, PATH).to_string()
}
