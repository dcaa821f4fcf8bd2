//! What becomes of files of Gemini CLI, and how they are read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod settings;
mod version;
