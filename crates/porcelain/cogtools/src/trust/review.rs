//! What the user reviews before an approval: everything that would run, in full.
//!
//! It is text of a stranger. Nothing is cut without saying so, and blanks that could hide
//! something are made visible.

use std::path::PathBuf;

use cogtools_core::Context;
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::source::clean_path;
use serde_json::{Value, json};

use crate::trust::rights;
use crate::trust::tool_review::{self, file_lines, searched};
use crate::trust::visible::wrapped;

/// One line of a review.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// How many files of a package, or beside a script, are listed.
const MAX_FILES: usize = 20;

impl Line {
    /// A line that continues the one before; `value` is shown as it is.
    pub(crate) const fn continued(value: String) -> Self {
        Self { label: "", value }
    }
}

/// Everything that approving `source` lets run.
pub(crate) fn lines(source: &TrustableSource, cx: &Context) -> Vec<Line> {
    let mut lines = match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => {
            let of_tool = |tool| tool_review::lines(tool, cx);
            tools.iter().flat_map(of_tool).collect()
        }
        Kind::Provider(provider) => {
            let described = provider.settings().describe().into_iter();
            let described = described.flat_map(|(label, words)| labelled(label, &join(words)));
            let named = source.files(cx);
            let files = named.iter().flat_map(|file| file_lines(cx, file));
            let programs = programs(&provider.settings().lines(), cx);
            let mut lines: Vec<Line> = described.chain(programs).collect();
            lines.extend(rights::lines(provider.effective_sandbox(cx).as_ref()));
            lines.extend(files);
            lines.extend(file_names(&source.files_beside(cx)));
            lines
        }
    };
    let loaded = source.loaded_files(cx);
    lines.extend(loaded.iter().flat_map(|file| file_lines(cx, file)));
    if matches!(source.kind, Kind::Package { .. }) {
        lines.extend(file_names(&source.files(cx)));
    }
    lines.extend(uncovered_lines(source, cx));
    lines
}

/// What each tool of `source` starts, for programs.
pub(crate) fn tools_json(source: &TrustableSource, cx: &Context) -> Option<Value> {
    let (Kind::Project { tools } | Kind::Package { tools, .. }) = &source.kind else {
        return None;
    };
    Some(
        tools
            .iter()
            .map(|tool| tool_review::json(tool, cx))
            .collect(),
    )
}

/// What runs without being covered by the approval, for programs.
pub(crate) fn uncovered_json(source: &TrustableSource, cx: &Context) -> Value {
    let uncovered = source.uncovered(cx).into_iter();
    uncovered
        .map(|one| json!({"what": one.what, "why": one.why.to_string()}))
        .collect()
}

/// The command line of `words`, each quoted as in a shell.
pub(crate) fn join<W: AsRef<str>>(words: &[W]) -> String {
    let quoted = words.iter().map(|word| {
        let word = word.as_ref();
        // A word with a NUL, which no shell accepts, is still shown.
        shlex::try_quote(word).map_or_else(|_| format!("'{word}'"), std::borrow::Cow::into_owned)
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// A line with `value`, which is a stranger's text.
pub(crate) fn line(label: &'static str, value: impl AsRef<str>) -> Line {
    let value = wrapped(value.as_ref()).concat();
    Line { label, value }
}

/// The same on several lines, if it is long.
pub(crate) fn labelled(label: &'static str, value: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = wrapped(value).into_iter().map(Line::continued).collect();
    if let Some(first) = lines.first_mut() {
        first.label = label;
    }
    lines
}

/// What runs without being covered by the approval.
fn uncovered_lines(source: &TrustableSource, cx: &Context) -> Vec<Line> {
    let uncovered = source.uncovered(cx).into_iter();
    uncovered
        .flat_map(|one| labelled("unhashed", &format!("{} ({})", one.what, one.why)))
        .collect()
}

/// The programs that the command `lines` of a provider start, as far as they are names.
fn programs(lines: &[&[String]], cx: &Context) -> Vec<Line> {
    // What its programs get as PATH, without the project's folders.
    let mut variables = cx.environment.process().clone();
    clean_path(&mut variables, cx);
    let names = lines.iter().filter_map(|line| line.first());
    let mut programs: Vec<String> = names
        .filter_map(|name| searched(name, &variables))
        .collect();
    programs.dedup();
    let programs = programs.into_iter();
    programs.map(|program| line("program", program)).collect()
}

/// The names of `files`, as far as they are not too many.
fn file_names(files: &[PathBuf]) -> Vec<Line> {
    let shown = files.iter().take(MAX_FILES);
    let mut lines: Vec<Line> = shown
        .flat_map(|file| labelled("file", &file.display().to_string()))
        .collect();
    if files.len() > MAX_FILES {
        lines.push(line(
            "files",
            format!("and {} more", files.len() - MAX_FILES),
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{join, labelled};

    #[test]
    fn arguments_are_quoted() {
        assert_eq!(join(&["sh", "-c", "a b"]), "sh -c 'a b'");
        assert_eq!(join(&["a\0b", "c d"]), "'a\0b' 'c d'");
    }

    #[test]
    fn only_the_first_of_several_lines_has_the_label() {
        let lines = labelled("runs", &"x".repeat(161));
        let labels: Vec<&str> = lines.iter().map(|line| line.label).collect();
        assert_eq!(labels, ["runs", ""]);
    }
}
