//! What a tool runs: its command line or script, the files that it names, and what it
//! sees.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use cogtools_core::digest::referenced_file;
use cogtools_core::environment::Vars;
use cogtools_core::file::{self, ReadScope};
use cogtools_core::shebang::is_executable;
use cogtools_core::source::clean_path;
use cogtools_core::tool::{Author, Invocation, Word};
use cogtools_core::{Context, Tool};
use cogtools_program::terminal::pluralize;
use serde_json::{Value, json};

use crate::trust::review::{Line, join, labelled, line};
use crate::trust::rights;
use crate::trust::visible::excerpt;

/// How much of a file is read.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// How many templates of a tool are shown.
const MAX_TEMPLATES: usize = 20;

/// A file that a command line names.
struct NamedFile {
    /// Its path, for display.
    name: String,
    path: PathBuf,
    /// The folder that it must be in for its text to be shown.
    root: PathBuf,
}

/// What `tool` runs.
pub(crate) fn lines(tool: &Tool, cx: &Context) -> Vec<Line> {
    let file = tool.text().display_path().display();
    let mut lines = labelled("tool", &format!("{} ({file})", tool.name()));
    match tool.invocation() {
        Some(Invocation::Command(words)) => {
            lines.extend(labelled("runs", &join(&words)));
            lines.extend(program(tool, cx).map(|path| line("program", path)));
            let files = named_files(tool, &words, cx);
            lines.extend(files.iter().flat_map(NamedFile::lines));
            lines.extend(partials(tool).into_iter().flatten());
        }
        Some(Invocation::Script(text)) => {
            lines.push(line("script", size(text.lines().count(), text.len())));
            lines.extend(excerpt(text).into_iter().map(Line::continued));
            lines.extend(program(tool, cx).map(|path| line("program", path)));
        }
        None => {}
    }
    if tool.invocation().is_some() {
        lines.extend(rights::lines(rights::of_tool(tool).as_ref()));
    }
    if !tool.env().is_empty() {
        lines.extend(labelled("sees", &tool.env().join(" ")));
    }
    let declared = hints(tool);
    if !declared.is_empty() {
        lines.extend(labelled("declares", &declared.join(", ")));
    }
    lines
}

/// The same as data.
pub(crate) fn json(tool: &Tool, cx: &Context) -> Value {
    let mut json = json!({
        "name": tool.name().as_str(),
        "file": tool.text().display_path().display().to_string(),
        "env": tool.env(),
        "program": program(tool, cx),
        "declares": hints(tool),
        "sandbox": rights::of_tool(tool).map(|sandbox| sandbox.to_json()),
    });
    match tool.invocation() {
        Some(Invocation::Command(words)) => json["command"] = words.into(),
        Some(Invocation::Script(text)) => json["script"] = text.into(),
        None => {}
    }
    json
}

/// A file that a provider's command line names, relative to the project.
pub(crate) fn file_lines(cx: &Context, file: &Path) -> Vec<Line> {
    let file = NamedFile {
        name: file.display().to_string(),
        path: cx.root.join(file),
        root: cx.root.clone(),
    };
    file.lines()
}

/// The file that a call starts, if that is known before the call.
fn program(tool: &Tool, cx: &Context) -> Option<String> {
    let line = tool.command_line()?;
    let Some(Word::Literal(name)) = line.words.first() else {
        return Some("known only at a call".to_owned());
    };
    let mut variables = cx.environment.process().clone();
    if matches!(tool.provenance().author, Author::Package(_)) {
        clean_path(&mut variables, cx);
    }
    searched(name, &variables)
}

/// The file of the program `name` on the PATH of `variables`; `None` if it is a path.
pub(crate) fn searched(name: &str, variables: &Vars) -> Option<String> {
    if name.contains(['/', '\\']) {
        return None;
    }
    let path = variables.get(OsStr::new("PATH")).cloned();
    // As for calls: relative entries do not count, nor do files that cannot be run.
    let path = path.unwrap_or_default();
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut files = folders.map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
    let found = files.find(|file| file.is_file() && is_executable(file));
    Some(found.map_or_else(
        || format!("`{name}` is not on PATH now"),
        |file| file.display().to_string(),
    ))
}

/// What the tool's file says about its effects.
fn hints(tool: &Tool) -> Vec<&'static str> {
    let annotations = tool.annotations();
    let hints = [
        (
            annotations.open_world,
            "open world (it may use the network)",
        ),
        (annotations.destructive, "destructive"),
    ];
    let set = hints.into_iter().filter(|(hint, _)| *hint == Some(true));
    set.map(|(_, label)| label).collect()
}

/// The files that literal words name, in the tool's folder or in the project.
fn named_files(tool: &Tool, words: &[&str], cx: &Context) -> Vec<NamedFile> {
    let folder = tool.text().path().parent().unwrap_or(Path::new(""));
    let literal = words
        .iter()
        .filter(|word| !word.contains("{{") && !word.contains("{%"));
    let named = literal.filter_map(|word| {
        referenced_file(folder, word).or_else(|| referenced_file(&cx.root, word))
    });
    named
        .map(|path| {
            let shown = path.strip_prefix(&cx.root).unwrap_or(&path);
            NamedFile {
                name: shown.display().to_string(),
                path,
                root: cx.root.clone(),
            }
        })
        .collect()
}

/// The templates that the tool's command line includes, with their text.
fn partials(tool: &Tool) -> Vec<Vec<Line>> {
    let mut open: Vec<String> = tool
        .templates()
        .iter()
        .map(|it| it.source().to_owned())
        .collect();
    let mut seen: Vec<String> = Vec::new();
    let mut shown = Vec::new();
    while let Some(source) = open.pop() {
        let names = njk::analyse(&source)
            .map(|it| it.templates)
            .unwrap_or_default();
        for name in names {
            let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
            if seen.contains(&name) {
                continue;
            }
            if seen.len() >= MAX_TEMPLATES {
                shown.push(vec![line(
                    "includes",
                    "… more templates: read them in the files",
                )]);
                return shown;
            }
            if let Some(partial) = tool.partial(&name) {
                let source = partial.source();
                let mut lines = labelled(
                    "includes",
                    &format!("{name} ({})", size(source.lines().count(), source.len())),
                );
                lines.extend(excerpt(source).into_iter().map(Line::continued));
                shown.push(lines);
                open.push(source.to_owned());
            }
            seen.push(name);
        }
    }
    shown
}

impl NamedFile {
    /// Its name, its size and, if it is text, its first lines.
    fn lines(&self) -> Vec<Line> {
        let bytes = fs::metadata(&self.path).map_or(0, |meta| meta.len());
        let text = self.text();
        let interpreter = text.as_deref().and_then(|text| {
            let first = text.lines().next()?;
            first.starts_with("#!").then(|| format!(", {first}"))
        });
        let link = self
            .target()
            .map_or_else(String::new, |path| format!(", a link to {path}"));
        let size = format!("{bytes} bytes{}{link}", interpreter.unwrap_or_default());
        let mut lines = labelled("file", &format!("{} ({size})", self.name));
        let is_cut = bytes > MAX_FILE_BYTES;
        lines.extend(
            text.iter()
                .flat_map(|text| excerpt(text))
                .map(Line::continued),
        );
        if text.is_some() && is_cut {
            let rest = format!(
                "… {} more bytes: read them in the file",
                bytes - MAX_FILE_BYTES
            );
            lines.push(Line::continued(rest));
        }
        lines
    }

    /// Where it is, if that is not below the folder that it seems to be in.
    fn target(&self) -> Option<String> {
        let meta = fs::symlink_metadata(&self.path).ok()?;
        let real = self.path.canonicalize().ok()?;
        meta.is_symlink().then(|| real.display().to_string())
    }

    /// The beginning of a text file; `None` for another one, or one outside the project.
    fn text(&self) -> Option<String> {
        // A repository must not show the user's files to a model that asks for a review.
        let scope = ReadScope::project(&self.root);
        let (file, _) = file::open(&self.path, &scope).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        let is_text = !bytes.contains(&0);
        is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A number of lines and bytes.
fn size(lines: usize, bytes: usize) -> String {
    format!("{}, {}", pluralize(lines, "line"), pluralize(bytes, "byte"))
}
