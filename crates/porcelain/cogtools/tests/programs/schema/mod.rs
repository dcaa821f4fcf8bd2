//! The schemas: the committed files, their keys, their agreement with the parser, and
//! their use by the real YAML language server.

mod agreement;
mod committed;
mod configurations;
mod editor;
mod keys;
mod server;
mod sessions;

use std::path::PathBuf;

/// The repository's own files.
fn repository() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    path.canonicalize().unwrap()
}
