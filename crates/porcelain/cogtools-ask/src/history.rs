//! The lines that a user has typed, in a file of the user's state: JSON texts, one a line.
//!
//! The file belongs to its user alone, and is cut when it has grown. Values of variables that are
//! masked in sessions are masked here.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use cogtools_core::file::{Existing, Mode, WriteError, WritePath, open_append, replace_private};
use cogtools_log::Mask;
use serde_json::Value;

/// Maximum number of lines.
pub(crate) const MAX_LINES: usize = 1_000;
/// The longest line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 16 << 10;
/// The size at which the file is cut to half of it, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The name of the file.
const FILE: &str = "ask-history.jsonl";

/// The file.
pub(crate) struct History {
    path: WritePath,
    mask: Mask,
    last: Option<String>,
}

impl History {
    /// The history in the user's folder `state`, and its lines, the oldest first.
    pub(crate) fn open(state: &Path, mask: Mask) -> Result<(Self, Vec<String>), WriteError> {
        cogtools_core::file::create_private_folder(state)?;
        let path = WritePath::of_user(&state.join(FILE));
        let mut file = open_append(&path, Existing::OrCreate(Mode::Private))?;
        let size = file.metadata()?.len();
        let (lines, is_cut) = read(&mut file, size)?;
        if is_cut {
            let text: String = lines.iter().map(|line| encode(line)).collect();
            replace_private(&path, text.as_bytes())?;
        }
        let last = lines.last().cloned();
        Ok((Self { path, mask, last }, lines))
    }

    /// Adds a line, unless it begins with a blank, is the last one again, or is too long.
    pub(crate) fn add(&mut self, line: &str) -> Result<(), WriteError> {
        let masked = self.mask.masked(line);
        let line = masked.as_deref().unwrap_or(line);
        let is_same = self.last.as_deref() == Some(line);
        if line.starts_with(' ') || is_same || line.len() > MAX_LINE_BYTES {
            return Ok(());
        }
        let mut file = open_append(&self.path, Existing::OrCreate(Mode::Private))?;
        file.write_all(encode(line).as_bytes())?;
        self.last = Some(line.to_owned());
        Ok(())
    }
}

/// The last lines of a file of `size` bytes, and whether there are more than are kept. What is
/// not a JSON text is left out.
fn read(file: &mut File, size: u64) -> std::io::Result<(Vec<String>, bool)> {
    let is_large = size > MAX_FILE_BYTES;
    let start = if is_large {
        size - MAX_FILE_BYTES / 2
    } else {
        0
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|line: &String| line.len() <= MAX_LINE_BYTES)
        .collect();
    let beyond = lines.len().saturating_sub(MAX_LINES);
    lines.drain(..beyond);
    Ok((lines, is_large || beyond > MAX_LINES))
}

fn encode(line: &str) -> String {
    format!("{}\n", Value::from(line))
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::Project;

    use super::*;

    fn open(project: &Project) -> (History, Vec<String>) {
        let mask = Mask::new([("API_KEY", "a-long-secret")]);
        History::open(&project.path("state"), mask).expect("a history")
    }

    #[test]
    fn lines_are_kept_for_their_user_alone() {
        let project = Project::new();
        let (mut history, lines) = open(&project);
        assert!(lines.is_empty());
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        for line in [
            "one",
            "two\nlines",
            "two\nlines",
            " hidden",
            &long,
            "a-long-secret",
        ] {
            history.add(line).expect("added");
        }
        let (_, lines) = open(&project);
        assert_eq!(lines, ["one", "two\nlines", "[masked: API_KEY]"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let file = project.path(format!("state/{FILE}"));
            let mode = file.metadata().expect("a file").mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_that_has_grown_is_cut() {
        let project = Project::new();
        drop(open(&project));
        let name = format!("state/{FILE}");
        let line = |index: usize| encode(&format!("{index} {}", "y".repeat(500)));
        let text: String = (0..4_000).map(line).collect();
        project.file(&name, format!("{text}not JSON\n{{}}\n"));
        let (_, lines) = open(&project);
        assert_eq!(lines.len(), MAX_LINES);
        assert!(lines[0].starts_with("3000 "), "{}", lines[0]);
        let kept: String = lines.iter().map(|line| encode(line)).collect();
        assert_eq!(project.read(&name), kept);
    }
}
