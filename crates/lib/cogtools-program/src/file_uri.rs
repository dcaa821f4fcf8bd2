//! `file:` URIs, by which editors and MCP clients name files and folders.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The path of a `file:` URI.
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.as_bytes().get(at) {
        let code = path.get(at + 1..at + 3).filter(|_| byte == b'%');
        let decoded = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(bytes).ok()?;
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
    let mut uri = String::new();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
