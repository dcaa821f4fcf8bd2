//! Text that the user reviews before an approval: everything that would run, in full.
//!
//! It is text of a stranger. Nothing is cut without saying so, and blanks that could hide
//! something are made visible.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use cogtools_core::approval::{Kind, Texts, TrustableSource, is_of_package, sandbox_of};
use cogtools_core::digest::referenced_file;
use cogtools_core::environment::Vars;
use cogtools_core::file::{self, ReadScope};
use cogtools_core::sandbox::{LIMITATIONS, Sandbox};
use cogtools_core::shebang::is_executable;
use cogtools_core::source::{Specification, clean_path, code_points};
use cogtools_core::tool::{CommandLine, LoadedTemplate, Word};
use cogtools_core::{Context, Tool};
use cogtools_program::terminal::pluralize;
use serde_json::{Value, json};

use super::visible::{self, excerpt, wrapped};

/// One line of a review.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// The maximum number of files listed of a package, or beside a script.
const MAX_FILES: usize = 20;

impl Line {
    /// A line that continues the one before; `value` is shown as it is.
    pub(crate) const fn continued(value: String) -> Self {
        Self { label: "", value }
    }
}

/// Everything that approving `source` lets run.
pub(crate) fn lines(source: &TrustableSource, texts: &Texts, cx: &Context) -> Vec<Line> {
    let mut lines = match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => {
            tools.iter().flat_map(|tool| tool_lines(tool, cx)).collect()
        }
        Kind::Specification(specification) => specification_lines(specification, cx),
        Kind::Provider(provider) => {
            let described = provider.settings().describe().into_iter();
            let described = described.flat_map(|(label, words)| labelled(label, &join(words)));
            let named = source.files(cx);
            let files = named.iter().flat_map(|file| file_lines(cx, file));
            let programs = programs(&provider.settings().lines(), cx);
            let mut lines: Vec<Line> = described.chain(programs).collect();
            lines.extend(rights(provider.effective_sandbox(cx).as_ref(), cx));
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
    lines.extend(text_lines(texts));
    let hidden = hidden(source, texts, cx);
    if !hidden.is_empty() {
        lines.push(line("hidden", code_points(&hidden)));
    }
    for one in source.uncovered(cx) {
        lines.extend(labelled("unhashed", &format!("{} ({})", one.what, one.why)));
    }
    lines
}

/// The tools, prompts and instructions of a provider.
fn text_lines(texts: &Texts) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |label, name: &str, texts: Vec<String>| {
        lines.extend(labelled(label, name));
        lines.extend(texts.into_iter().map(Line::continued));
    };
    for tool in &texts.tools {
        let texts = visible::texts(tool.description(), &tool.value);
        add("tool", &tool.remote_name, texts);
    }
    let Some(offer) = &texts.offer else {
        return lines;
    };
    for prompt in offer.list("prompts") {
        let text = |key: &str| prompt.get(key).and_then(Value::as_str).unwrap_or_default();
        add(
            "prompt",
            text("name"),
            visible::texts(text("description"), prompt),
        );
    }
    if !offer.instructions.is_empty() {
        let texts = visible::lines(&offer.instructions);
        add("tells", "the model, as instructions", texts);
    }
    lines
}

/// Invisible characters that were removed from the texts of what `source` declares.
pub(crate) fn hidden(source: &TrustableSource, texts: &Texts, cx: &Context) -> BTreeSet<char> {
    let of = |tools: &[Tool]| tools.iter().flat_map(|tool| tool.hidden.clone()).collect();
    match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => of(tools),
        Kind::Specification(specification) => {
            let declared = specification.review(cx);
            declared.map(|(tools, _)| of(tools)).unwrap_or_default()
        }
        Kind::Provider(_) => texts.hidden.clone(),
    }
}

/// Describes each tool of `source` as data.
pub(crate) fn tools_json(source: &TrustableSource, cx: &Context) -> Option<Value> {
    match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => {
            Some(tools.iter().map(|tool| tool_json(tool, cx)).collect())
        }
        Kind::Provider(_) | Kind::Specification(_) => None,
    }
}

/// The command line of `words`, each quoted as in a shell.
pub(crate) fn join<W: AsRef<str>>(words: &[W]) -> String {
    let quoted = words.iter().map(|word| quoted(word.as_ref()));
    quoted.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> Cow<'_, str> {
    // A word with a NUL, which no shell accepts, is still shown.
    shlex::try_quote(word).unwrap_or_else(|_| format!("'{word}'").into())
}

/// A line with `value`, which is a stranger's text.
pub(crate) fn line(label: &'static str, value: impl AsRef<str>) -> Line {
    let value = wrapped(value.as_ref()).concat();
    Line { label, value }
}

/// `value` on several lines, if it is long.
pub(crate) fn labelled(label: &'static str, value: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = wrapped(value).into_iter().map(Line::continued).collect();
    if let Some(first) = lines.first_mut() {
        first.label = label;
    }
    lines
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

/// The methods, hosts and variables of a specification's operations, each once.
fn specification_lines(specification: &Specification, cx: &Context) -> Vec<Line> {
    let mut lines = labelled("url", specification.url().unwrap_or_default());
    match specification.review(cx) {
        Ok((tools, left_out)) => {
            let left_out = match left_out {
                0 => String::new(),
                &count => format!(", {} left out", pluralize(count, "operation")),
            };
            let count = pluralize(tools.len(), "tool");
            lines.push(line("declares", format!("{count}{left_out}")));
            let mut requests: Vec<String> = tools.iter().filter_map(Tool::request).collect();
            requests.sort_unstable();
            requests.dedup();
            let shown = requests.iter().take(MAX_FILES);
            lines.extend(shown.flat_map(|request| labelled("requests", request)));
            if requests.len() > MAX_FILES {
                let more = requests.len() - MAX_FILES;
                lines.push(line("requests", format!("and {more} more")));
            }
        }
        Err(diagnostic) => lines.extend(labelled("fails", &diagnostic.message)),
    }
    lines
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

/// The maximum number of bytes read of a file.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// The maximum number of templates shown of a tool.
const MAX_TEMPLATES: usize = 20;

/// A file that a command line names.
struct NamedFile {
    /// Its path, for display.
    name: String,
    path: PathBuf,
    /// The folder that it must be in for its text to be shown.
    root: PathBuf,
}

/// Everything that `tool` runs, sees and declares.
fn tool_lines(tool: &Tool, cx: &Context) -> Vec<Line> {
    let file = tool.text().display_path().display();
    let mut lines = labelled("tool", &format!("{} ({file})", tool.name()));
    if let Some(command) = own_command(tool) {
        lines.extend(command_lines(&command, tool, cx));
    }
    if let Some(request) = tool.request() {
        lines.extend(labelled("requests", &request));
    }
    if let Some(text) = acting_text(tool) {
        lines.extend(sized("file", text));
    }
    if tool.is_program() {
        lines.extend(rights(sandbox_of(tool).as_ref(), cx));
    }
    if !tool.env.is_empty() {
        lines.extend(labelled("sees", &tool.env.join(" ")));
    }
    let declared = hints(tool);
    if !declared.is_empty() {
        lines.extend(labelled("declares", &declared.join(", ")));
    }
    lines
}

/// The text of the file of a tool that calls others by itself: an agent, a flow, or code with tools.
fn acting_text(tool: &Tool) -> Option<&str> {
    let calls_tools = tool.js().is_some_and(|js| !js.tools().is_empty());
    let acts = tool.is_agent() || tool.flow().is_some() || calls_tools;
    acts.then(|| tool.source())
}

/// The size of `text`, and its begin.
fn sized(label: &'static str, text: &str) -> Vec<Line> {
    let mut lines = vec![line(label, size(text.lines().count(), text.len()))];
    lines.extend(excerpt(text).into_iter().map(Line::continued));
    lines
}

/// The program or script that a call starts, if the tool file says so.
fn own_command(tool: &Tool) -> Option<CommandLine> {
    tool.command_line().filter(|_| tool.is_program())
}

/// The program or script of `command`, its input, its folder and its files.
fn command_lines(command: &CommandLine, tool: &Tool, cx: &Context) -> Vec<Line> {
    let mut lines = if let Some(script) = &command.script {
        sized("script", script)
    } else {
        let label = if tool.is_lister() { "lists" } else { "runs" };
        labelled(label, &command.join(quoted))
    };
    if let Some(stdin) = &command.stdin {
        lines.extend(sized("stdin", &stdin.source));
    }
    if command.is_in_folder {
        lines.push(line("in", "the folder of its tool file"));
    }
    lines.extend(program(tool, cx).map(|path| line("program", path)));
    if command.script.is_none() {
        let files = named_files(tool, &command.literals(), cx);
        lines.extend(files.iter().flat_map(NamedFile::lines));
        lines.extend(partials(tool));
    }
    lines
}

fn sources(words: &[Word]) -> Value {
    words.iter().map(|word| word.source.as_str()).collect()
}

/// Describes `tool` as data.
fn tool_json(tool: &Tool, cx: &Context) -> Value {
    let mut json = json!({
        "name": tool.name().as_str(),
        "file": tool.text().display_path().display().to_string(),
        "env": &tool.env,
        "program": program(tool, cx),
        "declares": hints(tool),
        "sandbox": sandbox_of(tool).map(|sandbox| sandbox.to_json()),
    });
    if let Some(command) = own_command(tool) {
        match &command.script {
            Some(script) => json["script"] = script.as_str().into(),
            None => json["command"] = sources(&command.words),
        }
        if !command.conditions.is_empty() {
            let conditions = command.conditions.iter().map(|(words, condition)| {
                json!({"condition": condition, "words": sources(&command.words[words.clone()])})
            });
            json["conditions"] = conditions.collect();
        }
        if let Some(stdin) = command.stdin {
            json["stdin"] = stdin.source.into();
        }
        if command.is_in_folder {
            json["cwd"] = "tool".into();
        }
    }
    if tool.is_lister() {
        json["lists_values"] = true.into();
    }
    if let Some(request) = tool.request() {
        json["request"] = request.into();
    }
    if let Some(text) = acting_text(tool) {
        json["text"] = text.into();
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
    let Some(name) = line.words.first().and_then(|it| it.literal.as_ref()) else {
        return Some("known only at a call".to_owned());
    };
    let mut variables = cx.environment.process().clone();
    if is_of_package(tool) {
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

/// Effects that the tool file declares.
fn hints(tool: &Tool) -> Vec<&'static str> {
    let annotations = &tool.annotations;
    let open_world =
        (annotations.open_world == Some(true)).then_some("open world (it may use the network)");
    let destructive = (annotations.destructive == Some(true)).then_some("destructive");
    open_world.into_iter().chain(destructive).collect()
}

/// The files that literal words name, in the tool's folder or in the project.
fn named_files(tool: &Tool, words: &[String], cx: &Context) -> Vec<NamedFile> {
    let folder = tool.text().path().parent().unwrap_or(Path::new(""));
    let named = words.iter().filter_map(|word| {
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
fn partials(tool: &Tool) -> Vec<Line> {
    let loaded = tool.loaded_templates().filter(|it| !it.is_own);
    let loaded = loaded.take(MAX_TEMPLATES + 1).enumerate();
    let shown = loaded.map(
        |(
            index,
            LoadedTemplate {
                source: partial, ..
            },
        )| {
            if index == MAX_TEMPLATES {
                let more = "… more templates: read them in the files";
                return vec![line("includes", more)];
            }
            let source = partial.source();
            let size = size(source.lines().count(), source.len());
            let mut lines = labelled("includes", &format!("{} ({size})", partial.name()));
            lines.extend(excerpt(source).into_iter().map(Line::continued));
            lines
        },
    );
    shown.flatten().collect()
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

    /// Target of the file, if it is a link.
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

/// Rights of a program in `sandbox`.
pub(crate) fn rights(sandbox: Option<&Sandbox>, cx: &Context) -> Vec<Line> {
    let Some(sandbox) = sandbox else {
        let all = "do all that you may: it has no sandbox";
        return vec![line("may", all)];
    };
    let mut lines = sandbox.describe();
    lines.extend(sandbox.describe_secrets(&cx.root));
    labelled("may", &lines.join("; "))
}

/// Returns true if something of `source` has a sandbox.
pub(crate) fn is_confined(source: &TrustableSource, cx: &Context) -> bool {
    match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => {
            tools.iter().any(|tool| sandbox_of(tool).is_some())
        }
        Kind::Provider(provider) => provider.effective_sandbox(cx).is_some(),
        Kind::Specification(_) => false,
    }
}

/// Table of actions that no sandbox stops.
pub(crate) fn limitations() -> String {
    let mut text = "a program in a sandbox can still\n".to_owned();
    for one in LIMITATIONS {
        let _ = writeln!(text, "  {} ({})", one.what, one.note);
    }
    text.push('\n');
    text
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
