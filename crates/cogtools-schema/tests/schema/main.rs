//! The schemas: what is committed, what they know and hold files to, and what the
//! real YAML language server makes of them.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod agreement;
mod committed;
mod editor;
mod keys;
mod server;

use std::path::PathBuf;

/// The repository's own files.
fn repository() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    path.canonicalize().unwrap()
}
