//! `cogtools session export`: a branch of a session for other programs and for people.

mod markdown;
mod openai;

use cogtools_log::{Id, contents};
use cogtools_program::{Failure, Io};
use serde_json::json;

use crate::locate::{leaf, locate, read};
use crate::show::document;
use crate::transcript::Transcript;

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Json,
    Gemini,
    OpenAi,
}

impl Format {
    /// The names on the command line.
    pub(crate) const NAMES: [&'static str; 4] = ["md", "json", "gemini", "openai"];

    /// The format of that name.
    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "json" => Self::Json,
            "gemini" => Self::Gemini,
            "openai" => Self::OpenAi,
            _ => Self::Markdown,
        }
    }
}

/// Prints the branch that ends at `from`, or the one that was written to last.
pub(crate) fn export(
    name: Option<&str>,
    from: Option<Id>,
    format: Format,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let file = locate(name, io)?;
    let (session, lines) = read(&file, io)?;
    let leaf = leaf(&session, from, &file)?;
    let path = leaf.map(|leaf| session.path_to(leaf)).unwrap_or_default();
    let value = match format {
        Format::Markdown => {
            let text = markdown::render(&session.header, &Transcript::new(&session, &path));
            return io.show(&text);
        }
        Format::Json => document(&session, &lines, leaf),
        Format::Gemini => json!({"contents": contents(&path)}),
        Format::OpenAi => json!({"messages": openai::messages(&contents(&path))}),
    };
    io.show_json(&format!("{value:#}\n"))
}
