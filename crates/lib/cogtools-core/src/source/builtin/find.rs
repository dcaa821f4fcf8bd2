//! `list_files`, `read_file` and `search_files`: the files of the project.

use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::files::{self, Files};
use super::{BuiltIn, READ_ONLY};
use crate::tool::{RunError, ToolCall, ToolOutput};

/// Lists the paths of files.
pub(super) const LIST_FILES: BuiltIn = BuiltIn {
    name: "list_files",
    title: "List files",
    description: "Lists the files of the project, one path a line, sorted. Leaves out what git \
                  ignores, and files that may contain secrets.",
    parameters: &LIST_PARAMETERS,
    annotations: READ_ONLY,
    run: list,
};
/// Reads one file, or some lines of it.
pub(super) const READ_FILE: BuiltIn = BuiltIn {
    name: "read_file",
    title: "Read a file",
    description: "Reads a text file of the project. Of a long file it returns the first lines \
                  and says how to go on.",
    parameters: &[READ_PARAMETERS],
    annotations: READ_ONLY,
    run: read,
};
/// Finds the lines that match.
pub(super) const SEARCH_FILES: BuiltIn = BuiltIn {
    name: "search_files",
    title: "Search files",
    description: "Searches the text files of the project for a text or a regular expression. \
                  Each line of the result is a match: path, line number, text.",
    parameters: &SEARCH_PARAMETERS,
    annotations: READ_ONLY,
    run: search,
};

/// The longest result without its last line, in bytes.
const MAX_BYTES: usize = 128 << 10;
/// The longest text of a match, in characters.
const MAX_LINE: usize = 300;
/// The limit of a search.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The largest compiled expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The parameter with a folder.
const FOLDER: &str = r#"
path: {type: string, description: "The folder, relative to the project's folder", default: "."}
"#;

const LIST_PARAMETERS: [&str; 2] = [
    FOLDER,
    r#"
pattern:
  type: string
  description: Only paths that match this pattern, as in `*.rs` or `src/**/*.md`
  optional: true
limit:
  {type: integer, description: How many paths at most, minimum: 1, maximum: 5000, default: 500}
"#,
];

fn list(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let files = Files::of(call)?;
    let limit = call.number("limit");
    let mut text = String::new();
    let mut paths = files.iter();
    for path in paths.by_ref().take(limit) {
        text.push_str(&path);
        text.push('\n');
    }
    // What follows is not counted: a folder may be huge.
    if paths.next().is_some() {
        text.push_str("[there are more files; name a folder or a pattern]\n");
    }
    Ok(ToolOutput::new(text))
}

const READ_PARAMETERS: &str = r#"
path: {type: string, description: "The file, relative to the project's folder", minLength: 1}
offset: {type: integer, description: The first line, minimum: 1, maximum: 1000000000, default: 1}
limit:
  {type: integer, description: How many lines at most, minimum: 1, maximum: 100000, default: 2000}
"#;

fn read(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let text = files::read(call, call.text("path").unwrap_or_default())?;
    let (offset, limit) = (call.number("offset"), call.number("limit"));
    Ok(ToolOutput::new(lines(&text, offset, limit)))
}

/// Returns at most `limit` lines of `text` from the line `offset`, and a line that says what is left out.
pub(in crate::source) fn lines(text: &str, offset: usize, limit: usize) -> String {
    let mut result = String::new();
    let mut last = offset.saturating_sub(1);
    for line in text.split_inclusive('\n').skip(last).take(limit) {
        if result.len() + line.len() > MAX_BYTES {
            break;
        }
        result.push_str(line);
        last += 1;
    }
    let total = text.split_inclusive('\n').count();
    let next = last + 1;
    if offset > total && offset > 1 {
        return format!("[the file has {total} lines]\n");
    }
    if last < offset && total > 0 {
        return format!("[line {offset} is longer than {MAX_BYTES} bytes]\n");
    }
    if last < total {
        if !result.ends_with('\n') {
            result.push('\n');
        }
        let notice = format!("[lines {offset} to {last} of {total}; go on with offset {next}]\n");
        result.push_str(&notice);
    }
    result
}

const SEARCH_PARAMETERS: [&str; 3] = [
    r#"
query: {type: string, description: The text to search for, minLength: 1}
regex: {type: boolean, description: Whether the query is a regular expression, default: false}
ignore_case:
  {type: boolean, description: Whether small and capital letters are the same, default: false}
"#,
    FOLDER,
    r#"
pattern:
  type: string
  description: Only files that match this pattern, as in `*.rs` or `src/**/*.md`
  optional: true
limit:
  {type: integer, description: How many matches at most, minimum: 1, maximum: 1000, default: 100}
"#,
];

fn search(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let (files, cx) = (Files::of(call)?, call.cx);
    let mut search = Search {
        regex: regex(call)?,
        left: call.number("limit"),
        end: Instant::now() + MAX_TIME,
        result: String::new(),
    };
    for path in files.iter() {
        if cx.cancel.is_cancelled() || search.is_over() {
            break;
        }
        // What is no text, or is gone by now, has no matches.
        if let Ok(text) = files::read_text(&cx.root.join(&path), cx) {
            search.add(&path, &text);
        }
    }
    Ok(ToolOutput::new(search.result))
}

/// Compiles the expression of a call.
fn regex(call: &ToolCall<'_>) -> Result<Regex, RunError> {
    let flag = |key: &str| call.arguments.get(key).and_then(Value::as_bool) == Some(true);
    let query = call.text("query").unwrap_or_default();
    let escaped = (!flag("regex")).then(|| regex::escape(query));
    RegexBuilder::new(escaped.as_deref().unwrap_or(query))
        .case_insensitive(flag("ignore_case"))
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| {
            let message = format!("`{query}` is not a regular expression");
            let hint = "leave out `regex` to search for the text itself";
            let failure = call.failure_with(message, hint);
            failure.with_details(error.to_string()).into()
        })
}

/// A search and its result so far.
struct Search {
    regex: Regex,
    /// The number of matches that may follow.
    left: usize,
    end: Instant,
    result: String,
}

impl Search {
    /// Adds the matches in the file `path`, whose content is `text`.
    fn add(&mut self, path: &str, text: &str) {
        for (index, line) in text.lines().enumerate() {
            if !self.regex.is_match(line) {
                continue;
            }
            if self.left == 0 {
                self.result
                    .push_str("[there are more matches; name a folder or a pattern]\n");
                self.end = Instant::now();
                return;
            }
            self.left -= 1;
            let line = line.trim_end();
            let short: String = line.chars().take(MAX_LINE).collect();
            let cut = if short.len() < line.len() {
                " […]"
            } else {
                ""
            };
            let number = index + 1;
            let found = format!("{path}:{number}: {short}{cut}\n");
            self.result.push_str(&found);
        }
    }

    /// Returns true if it has to end. If it ran out of time, the result says so.
    fn is_over(&mut self) -> bool {
        let is_over = Instant::now() >= self.end;
        if is_over && self.left > 0 {
            self.result
                .push_str("[the search took too long; name a folder or a pattern]\n");
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_how_to_go_on() {
        for (offset, limit, expected) in [
            (1, 9, "a\nb\nc"),
            (1, 2, "a\nb\n[lines 1 to 2 of 3; go on with offset 3]\n"),
            (2, 1, "b\n[lines 2 to 2 of 3; go on with offset 3]\n"),
            (3, 9, "c"),
            (4, 9, "[the file has 3 lines]\n"),
        ] {
            assert_eq!(lines("a\nb\nc", offset, limit), expected);
        }
        assert_eq!(lines("", 1, 5), "");
        let long = "x".repeat(MAX_BYTES + 1);
        let message = "[line 1 is longer than 131072 bytes]\n";
        assert_eq!(lines(&long, 1, 5), message);
        let late = format!("a\n{long}");
        assert_eq!(
            lines(&late, 1, 5),
            "a\n[lines 1 to 1 of 2; go on with offset 2]\n"
        );
    }
}
