//! What the user reviews before an approval: everything that would run, in full.
//!
//! It is text of a stranger. Nothing is cut without saying so, and blanks that could hide
//! something are made visible.

use std::fs;
use std::path::Path;

use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::digest::referenced_file;
use cogtools_core::file::{self, ReadScope};
use cogtools_core::tool::Invocation;
use cogtools_core::{Context, Tool};
use cogtools_program::terminal::{pluralize, sanitize};
use serde_json::{Value, json};

/// One line of a review.
pub(crate) struct Line {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// How many files of a package are listed.
const MAX_FILES: usize = 20;
/// How many lines of a script are shown.
const MAX_SCRIPT_LINES: usize = 40;
/// From how many spaces in a row on they are shown as dots.
const MIN_VISIBLE_BLANKS: usize = 3;

/// Everything that approving `source` lets run.
pub(crate) fn lines(source: &TrustableSource, cx: &Context) -> Vec<Line> {
    match &source.kind {
        Kind::Project { tools } => tools.iter().flat_map(|tool| tool_lines(tool, cx)).collect(),
        Kind::Package { tools, .. } => {
            let tools = tools.iter().flat_map(|tool| tool_lines(tool, cx));
            let lines = tools.chain(package_files(source, cx));
            lines.chain(uncovered_lines(source, cx)).collect()
        }
        Kind::Provider(provider) => {
            let described = provider.settings().describe();
            let lines = described
                .into_iter()
                .map(|(label, words)| line(label, join(words)));
            let files = source.files(cx);
            let files = files.iter().map(|file| file_line(&cx.root, file));
            let lines = lines.chain(files);
            lines.chain(uncovered_lines(source, cx)).collect()
        }
    }
}

/// What each tool of `source` starts, for programs.
pub(crate) fn tools_json(source: &TrustableSource) -> Option<Value> {
    let (Kind::Project { tools } | Kind::Package { tools, .. }) = &source.kind else {
        return None;
    };
    let tool_json = |tool: &Tool| {
        let mut json = json!({
            "name": tool.name().as_str(),
            "file": tool.text().display_path().display().to_string(),
            "env": tool.env(),
        });
        match tool.invocation() {
            Some(Invocation::Command(words)) => json["command"] = words.into(),
            Some(Invocation::Script(text)) => json["script"] = text.into(),
            None => {}
        }
        json
    };
    Some(tools.iter().map(tool_json).collect())
}

/// The command line of `words`, each quoted as in a shell.
pub(crate) fn join<W: AsRef<str>>(words: &[W]) -> String {
    let quoted = shlex::try_join(words.iter().map(AsRef::as_ref));
    // A word with a NUL, which no shell accepts, is still shown.
    quoted.unwrap_or_else(|_| {
        words
            .iter()
            .map(AsRef::as_ref)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

fn line(label: &'static str, value: impl AsRef<str>) -> Line {
    let value = show_blanks(&sanitize(value.as_ref()));
    Line { label, value }
}

/// What one tool runs.
fn tool_lines(tool: &Tool, cx: &Context) -> Vec<Line> {
    let file = tool.text().display_path().display();
    let mut lines = vec![line("tool", format!("{} ({file})", tool.name()))];
    match tool.invocation() {
        Some(Invocation::Command(words)) => {
            lines.push(line("runs", join(&words)));
            let folder = tool.text().path().parent().unwrap_or(Path::new(""));
            let named = words
                .iter()
                .filter(|word| !word.contains("{{") && !word.contains("{%"))
                .filter_map(|word| {
                    referenced_file(folder, word).or_else(|| referenced_file(&cx.root, word))
                });
            lines.extend(named.map(|file| {
                let shown = file.strip_prefix(&cx.root).unwrap_or(&file);
                file_line(&cx.root, shown)
            }));
        }
        Some(Invocation::Script(text)) => lines.extend(script_lines(text)),
        None => {}
    }
    if !tool.env().is_empty() {
        lines.push(line("sees", tool.env().join(" ")));
    }
    lines
}

/// A script, cut with a line that says by how much.
fn script_lines(text: &str) -> Vec<Line> {
    let count = text.lines().count();
    let size = format!("{} bytes", text.len());
    let mut lines = vec![line(
        "script",
        format!("{}, {size}", pluralize(count, "line")),
    )];
    let shown = text.lines().take(MAX_SCRIPT_LINES);
    lines.extend(shown.map(|text| line("", format!("| {text}"))));
    if count > MAX_SCRIPT_LINES {
        let rest = pluralize(count - MAX_SCRIPT_LINES, "more line");
        lines.push(line("", format!("| … {rest}: read them in the file")));
    }
    lines
}

/// What runs without being covered by the approval.
fn uncovered_lines(source: &TrustableSource, cx: &Context) -> Vec<Line> {
    let uncovered = source.uncovered(cx).into_iter();
    uncovered
        .map(|one| line("unhashed", format!("{} ({})", one.what, one.why)))
        .collect()
}

/// The files of a package.
fn package_files(source: &TrustableSource, cx: &Context) -> Vec<Line> {
    let files = source.files(cx);
    let shown = files.iter().take(MAX_FILES);
    let mut lines: Vec<Line> = shown
        .map(|file| line("file", file.display().to_string()))
        .collect();
    if files.len() > MAX_FILES {
        lines.push(line(
            "files",
            format!("and {} more", files.len() - MAX_FILES),
        ));
    }
    lines
}

/// A file that a command line names, with its size and its interpreter.
fn file_line(root: &Path, file: &Path) -> Line {
    let path = root.join(file);
    let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
    let interpreter = interpreter(&path, root).map_or_else(String::new, |line| format!(", {line}"));
    line(
        "file",
        format!("{} ({bytes} bytes{interpreter})", file.display()),
    )
}

/// The first line of a script.
fn interpreter(path: &Path, root: &Path) -> Option<String> {
    use std::io::Read as _;
    const MAX_LINE_BYTES: u64 = 256;
    let mut bytes = Vec::new();
    let scope = ReadScope::source(root, path.parent()?, true);
    let (file, _) = file::open(path, &scope).ok()?;
    file.take(MAX_LINE_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let first = text.lines().next()?;
    first.starts_with("#!").then(|| first.to_owned())
}

/// `text` with a dot for each blank at its end and in a long run of blanks, which could
/// move what follows out of sight. Indentation remains.
fn show_blanks(text: &str) -> String {
    let body = text.trim_start_matches([' ', '|']);
    let (indent, body) = text.split_at(text.len() - body.len());
    let mut shown = indent.to_owned();
    let mut blanks = 0;
    let flush = |blanks: &mut usize, at_end: bool, shown: &mut String| {
        let dots = at_end || *blanks >= MIN_VISIBLE_BLANKS;
        shown.extend(std::iter::repeat_n(if dots { '·' } else { ' ' }, *blanks));
        *blanks = 0;
    };
    for c in body.chars() {
        if c == ' ' {
            blanks += 1;
        } else {
            flush(&mut blanks, false, &mut shown);
            shown.push(c);
        }
    }
    flush(&mut blanks, true, &mut shown);
    shown
}

#[cfg(test)]
mod tests {
    use super::{join, script_lines, show_blanks};

    #[test]
    fn blanks_that_hide_something_are_shown() {
        for (text, expected) in [
            ("| \tx", "| \tx"),
            ("|     indented", "|     indented"),
            ("a b  c", "a b  c"),
            ("true          ; rm", "true··········; rm"),
            ("end  ", "end··"),
            ("", ""),
        ] {
            assert_eq!(show_blanks(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_script_says_how_much_is_left_out() {
        let text = "#!/bin/sh\n".repeat(42);
        let lines = script_lines(&text);
        assert_eq!(lines.len(), 42);
        assert_eq!(lines[0].value, "42 lines, 420 bytes");
        assert_eq!(lines[41].value, "| … 2 more lines: read them in the file");
    }

    #[test]
    fn arguments_are_quoted() {
        assert_eq!(join(&["sh", "-c", "a b"]), "sh -c 'a b'");
        assert_eq!(join(&["a\0b", "c"]), "a\0b c");
    }
}
