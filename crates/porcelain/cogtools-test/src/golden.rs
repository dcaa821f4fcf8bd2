//! Golden files: `TOOL.N.golden` or `TOOL.NAME.golden` beside the tool, with the exact output
//! of a call, and the diffs between them and results.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, TextError};
use cogtools_core::tool::Example;
use cogtools_core::{Candidate, Code, Diagnostic, Name, invisible};

/// The extension of golden files.
const EXTENSION: &str = "golden";

/// The size limit of a golden file: 16 MiB.
const MAX_BYTES: usize = 16 << 20;

/// An example, as the name of its golden file has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExampleId {
    /// Its number, from 1.
    Number(usize),
    /// Its name.
    Name(String),
}

impl ExampleId {
    /// The name of `example`, or else its number.
    pub(crate) fn new(index: usize, example: &Example) -> Self {
        match &example.name {
            Some(name) => Self::Name(name.to_string()),
            None => Self::Number(index + 1),
        }
    }

    /// Only the exact form is accepted, because golden files may be removed.
    fn parse(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(number) if number > 0 && format!("{number}") == text => Some(Self::Number(number)),
            Ok(_) => None,
            Err(_) => Name::new(text)
                .ok()
                .map(|name| Self::Name(name.to_string())),
        }
    }
}

impl fmt::Display for ExampleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

/// A golden file, which may not exist.
#[derive(Clone, Debug)]
pub(crate) struct Golden {
    path: WritePath,
    /// The path to show.
    pub(crate) display_path: PathBuf,
}

/// The examples that have golden files, by folder and tool.
#[derive(Debug, Default)]
pub(crate) struct Goldens(HashMap<PathBuf, BTreeMap<String, Vec<ExampleId>>>);

impl Goldens {
    /// Lists the golden files in `folders`. A folder that cannot be listed has none.
    pub(crate) fn list<'f>(folders: impl Iterator<Item = &'f Path>) -> Self {
        let mut by_folder = HashMap::new();
        for folder in folders {
            if !by_folder.contains_key(folder) {
                by_folder.insert(folder.to_path_buf(), list_folder(folder));
            }
        }
        Self(by_folder)
    }

    /// The tools with golden files in the folder at `path`, with their examples.
    pub(crate) fn tools(&self, path: &Path) -> impl Iterator<Item = (&str, &[ExampleId])> {
        let tools = self.0.get(path).into_iter().flatten();
        tools.map(|(name, examples)| (name.as_str(), examples.as_slice()))
    }

    /// The examples with golden files of the tool in `file`, ascending.
    pub(crate) fn examples(&self, file: &Candidate) -> &[ExampleId] {
        let folder = file.path.parent().and_then(|folder| self.0.get(folder));
        let stem = file.name.to_str().unwrap_or_default();
        folder
            .and_then(|tools| tools.get(stem))
            .map_or(&[], Vec::as_slice)
    }
}

fn list_folder(folder: &Path) -> BTreeMap<String, Vec<ExampleId>> {
    let mut tools: BTreeMap<String, Vec<ExampleId>> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some((name, example)) = entry.file_name().to_str().and_then(parse) {
            tools.entry(name.to_owned()).or_default().push(example);
        }
    }
    for examples in tools.values_mut() {
        examples.sort_unstable();
    }
    tools
}

/// The tool and the example in the name of a golden file.
pub(crate) fn parse(file: &str) -> Option<(&str, ExampleId)> {
    let (stem, extension) = file.rsplit_once('.')?;
    let (name, example) = stem.rsplit_once('.')?;
    let example = ExampleId::parse(example)?;
    (extension == EXTENSION && Name::new(name).is_ok()).then_some((name, example))
}

impl Golden {
    /// The golden file of the tool in `file`, in the project at `root`, for an example or for another
    /// `subject`, such as `1.trace`.
    pub(crate) fn new(root: &Path, file: &Candidate, subject: impl fmt::Display) -> Self {
        let mut name = file.name.clone();
        name.push(format!(".{subject}.{EXTENSION}"));
        Self {
            path: WritePath::in_project(root, &file.path.with_file_name(&name)),
            display_path: file.display_path.with_file_name(&name),
        }
    }

    /// The path of the file.
    pub(crate) fn full_path(&self) -> PathBuf {
        self.path.full()
    }

    /// Its content, if it exists.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, Box<Diagnostic>> {
        match text::bytes(
            &self.path.full(),
            &self.display_path,
            MAX_BYTES,
            &self.path.read_scope(),
        ) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(TextError::NotFound(_)) => Ok(None),
            Err(TextError::TooLarge(file, _)) => {
                let limit = MAX_BYTES >> 20;
                let message = format!("`{}` is larger than {limit} MiB", file.display());
                let diagnostic = Diagnostic::new(Code::IoFailed, message);
                Err(Box::new(
                    diagnostic.hint("change the example so that its result is smaller"),
                ))
            }
            Err(error) => Err(Box::new(error.diagnostic(Code::IoFailed))),
        }
    }

    /// Writes `bytes` to it.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
        file::write(&self.path, bytes).map_err(|error| self.diagnostic("written", &error))
    }

    /// Removes it.
    pub(crate) fn remove(&self) -> Result<(), Box<Diagnostic>> {
        file::remove(&self.path).map_err(|error| self.diagnostic("removed", &error))
    }

    fn diagnostic(&self, action: &str, error: &WriteError) -> Box<Diagnostic> {
        let otherwise = "free disk space or grant permission, then run this again";
        Box::new(error.diagnostic(&self.display_path, action, otherwise))
    }
}

/// The number of equal lines shown around a difference.
const CONTEXT: usize = 3;

/// The maximum number of lines shown of a diff.
const MAX_SHOWN_LINES: usize = 200;

/// The unified diff of two texts with their names; it ends with a line feed.
pub(crate) fn diff(old_name: &str, old: &[u8], new_name: &str, new: &[u8]) -> String {
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    if old == new {
        text.push_str("the bytes differ where they are not UTF-8\n");
        return text;
    }
    let compared = text::compare(&old, &new);
    let mut lines = Vec::new();
    for hunk in compared.unified_diff().context_radius(CONTEXT).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let line = change.value();
            let ended = line.strip_suffix('\n');
            lines.push(format!("{}{}", change.tag(), escape(ended.unwrap_or(line))));
            if ended.is_none() {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    for line in lines.iter().take(MAX_SHOWN_LINES) {
        text.push_str(line);
        text.push('\n');
    }
    if lines.len() > MAX_SHOWN_LINES {
        let _ = writeln!(text, "… {} more lines", lines.len() - MAX_SHOWN_LINES);
    }
    text
}

/// Escapes the control and invisible characters of a line, and shows spaces at its end as `·`.
pub(crate) fn escape(line: &str) -> Cow<'_, str> {
    let trimmed = line.trim_end_matches(' ');
    if trimmed.len() == line.len() && !trimmed.contains(is_invisible) {
        return line.into();
    }
    let mut escaped = String::with_capacity(line.len() + 8);
    for character in trimmed.chars() {
        if is_invisible(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    escaped.extend(std::iter::repeat_n('·', line.len() - trimmed.len()));
    escaped.into()
}

/// Returns true if a character is invisible or controls its surroundings.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || invisible::name(character).is_some()
}

#[cfg(test)]
mod tests {
    use super::{ExampleId, parse};

    #[test]
    fn only_exact_names_are_golden_files() {
        let check = |file: &str, expected| assert_eq!(parse(file), expected, "{file}");
        let number = |number| Some(("say", ExampleId::Number(number)));
        let name = |name: &str| Some(("say", ExampleId::Name(name.to_owned())));
        check("say.1.golden", number(1));
        check("say.120.golden", number(120));
        check("say.x.golden", name("x"));
        check("say._no-1.golden", name("_no-1"));
        for other in [
            "say.golden",
            "say.0.golden",
            "say.01.golden",
            "say.+1.golden",
            "say.1x.golden",
            "say.é.golden",
            "say. .golden",
            "a.b.1.golden",
            ".1.golden",
            "say.1.golden~",
            "say.1.gold",
            "1.golden",
            "",
        ] {
            check(other, None);
        }
    }
}

#[cfg(test)]
mod tests_1 {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let found = diff("old", old.as_bytes(), "new", new.as_bytes());
        assert_eq!(found, format!("--- old\n+++ new\n{expected}"));
    }

    #[test]
    fn changed_lines_have_context() {
        check("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        check(
            "a\n",
            "a",
            "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n",
        );
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check(
            "1\n2\n3\n4\n5\n6\n",
            "1\n2\n3\n4\n5\n",
            "@@ -3,4 +3,3 @@\n 3\n 4\n 5\n-6\n",
        );
    }

    #[test]
    fn invisible_characters_are_escaped() {
        check("a\n", "a  \n", "@@ -1 +1 @@\n-a\n+a··\n");
        check("a\tb\n", "a b\n", "@@ -1 +1 @@\n-a\\tb\n+a b\n");
        check("a\r\n", "a\n", "@@ -1 +1 @@\n-a\\r\n+a\n");
        check(
            "\u{1b}[1m\n",
            "\u{a0}\u{200b}é\n",
            "@@ -1 +1 @@\n-\\u{1b}[1m\n+\\u{a0}\\u{200b}é\n",
        );
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let found = diff("old", b"\xff", "new", "\u{fffd}".as_bytes());
        assert_eq!(
            found,
            "--- old\n+++ new\nthe bytes differ where they are not UTF-8\n"
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        let same = "same\n".repeat(5_000);
        check(
            &format!("{same}a\n{same}"),
            &format!("{same}b\n{same}"),
            "@@ -4998,7 +4998,7 @@\n same\n same\n same\n-a\n+b\n same\n same\n same\n",
        );
        let found = diff("old", b"", "new", same.as_bytes());
        assert_eq!(found.lines().count(), 203);
        assert!(found.ends_with("… 4801 more lines\n"), "{found}");
    }
}
