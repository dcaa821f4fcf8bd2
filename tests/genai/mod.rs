//! The fake Gemini API and those who know the real one: its official SDKs, and servers
//! with the API of `OpenAI` in front of it. And requests, as chat templates render them.

mod javascript;
mod litellm;
mod python;
mod script;
mod servers;
mod templates;

use std::path::{Path, PathBuf};

/// Where SDKs are installed.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}
