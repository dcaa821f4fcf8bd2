//! What Tab completes at the prompt of a conversation: commands, tools, and files after an @.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_program::questions::{Complete, Completion};
use cogtools_program::terminal::sanitize;

use crate::slash::COMMANDS;

/// How many files are offered.
const MAX_FILES: usize = 200;
/// How many entries of a folder are looked at.
const MAX_ENTRIES: usize = 10_000;

/// What there is to complete.
pub(crate) struct Words {
    /// The names of the tools.
    pub(crate) tools: Vec<String>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
}

impl Complete for Words {
    fn complete(&self, line: &str, end: usize) -> Vec<Completion> {
        let Some(before) = line.get(..end) else {
            return Vec::new();
        };
        let start = before.rfind(char::is_whitespace);
        let start = start.map_or(0, |blank| {
            blank + before[blank..].chars().next().map_or(1, char::len_utf8)
        });
        let word = &before[start..];
        let matching = |text: &str| Completion {
            start,
            text: text.to_owned(),
            is_whole: true,
        };
        if let Some(path) = word.strip_prefix('@') {
            return self.files(start, path);
        }
        if before[..start].trim() == "/tools" {
            let tools = self.tools.iter().filter(|tool| tool.starts_with(word));
            return tools.map(|tool| matching(tool)).collect();
        }
        if start > 0 || !word.starts_with('/') {
            return Vec::new();
        }
        let names = COMMANDS.iter().map(|(name, _)| *name);
        names
            .filter(|name| name.starts_with(word))
            .map(matching)
            .collect()
    }
}

impl Words {
    /// The files whose paths begin with `path`. Hidden ones are offered after a dot; names that
    /// cannot be typed as one word are left out.
    fn files(&self, start: usize, path: &str) -> Vec<Completion> {
        let (folder, beginning) = match path.rfind('/') {
            Some(slash) => path.split_at(slash + 1),
            None => ("", path),
        };
        let mut found = Vec::new();
        let entries = fs::read_dir(self.cwd.join(Path::new(folder)));
        for entry in entries.into_iter().flatten().flatten().take(MAX_ENTRIES) {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
            let is_word = !name.contains(char::is_whitespace) && sanitize(&name) == name;
            if is_hidden || !is_word || !name.starts_with(beginning) {
                continue;
            }
            let is_folder = entry.path().is_dir();
            let slash = if is_folder { "/" } else { "" };
            found.push(Completion {
                start,
                text: format!("@{folder}{name}{slash}"),
                is_whole: !is_folder,
            });
        }
        found.sort_by(|a, b| a.text.cmp(&b.text));
        found.truncate(MAX_FILES);
        found
    }
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::Project;

    use super::*;

    #[test]
    fn commands_tools_and_files_are_completed() {
        let project = Project::new();
        for name in [
            "notes.txt",
            "src/main.rs",
            "src/.hidden",
            "src/two words",
            "src/\u{1b}x",
        ] {
            project.file(name, "");
        }
        let words = Words {
            tools: ["git_log", "git_push", "greet"].map(str::to_owned).to_vec(),
            cwd: project.root(),
        };
        let check = |line: &str, start: usize, expected: &[&str]| {
            let found = words.complete(line, line.len());
            assert!(found.iter().all(|found| found.start == start), "{found:?}");
            let texts: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
            assert_eq!(texts, expected, "{line:?}");
        };
        check(
            "/",
            0,
            &["/tools", "/session", "/undo", "/budget", "/help", "/quit"],
        );
        check("/un", 0, &["/undo"]);
        check("/tools git", 7, &["git_log", "git_push"]);
        check("/undo g", 6, &[]);
        check("What is in @no", 11, &["@notes.txt"]);
        check("\u{2003}@s", 3, &["@src/"]);
        check("@src/", 0, &["@src/main.rs"]);
        check("@src/.", 0, &["@src/.hidden"]);
        check("@none/", 0, &[]);
        check("hello", 0, &[]);
        assert!(words.complete("é", 1).is_empty(), "within a character");
    }
}
