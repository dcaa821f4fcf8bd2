//! The fake Gemini API and those who know the real one: its official SDKs, and a server
//! with the API of `OpenAI` in front of it.

mod javascript;
mod litellm;
mod python;
mod script;

use std::path::{Path, PathBuf};

/// Where SDKs are installed.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}
