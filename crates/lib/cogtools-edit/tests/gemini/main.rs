//! Reading the files of Gemini CLI.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod settings;
mod version;
