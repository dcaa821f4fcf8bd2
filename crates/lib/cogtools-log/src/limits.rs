//! The limits of a session: a file may come from others.

/// The maximum length of a line: 64 MiB, since an answer may contain a picture.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 20;
/// The maximum size of a file: 512 MiB.
pub(crate) const MAX_FILE_BYTES: u64 = 512 << 20;
/// The maximum size of a blob: 256 MiB, as much as a program may print.
pub(crate) const MAX_BLOB_BYTES: u64 = 256 << 20;
/// The maximum nesting of a line. What is logged was read with a limit of 128.
pub(crate) const MAX_DEPTH: usize = 160;
/// The maximum number of entries.
pub(crate) const MAX_ENTRIES: usize = 1_000_000;
