//! The source `editor`: the text, files and problems that the editor around the terminal shows.
//!
//! `cogtools editor` asks the editor, so that programs which a host starts for each call link no
//! protocol of one. It gets the user's variables alone.

mod change;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use self::change::{Change, ChangeError, unix};
use super::{BuiltIn, READ_ONLY, files};
use crate::file::{ReadError, has_secrets};
use crate::hint::{Command, Hint};
use crate::process::Process;
use crate::tool::{Annotations, RunError, ToolCall, ToolOutput};
use crate::{Context, Diagnostic, digest};

/// Names of the variables by which editors are found.
pub const EDITOR_VARIABLES: [&str; 18] = [
    "COGTOOLS_EDITOR",
    "XDG_RUNTIME_DIR",
    "TMPDIR",
    "NVIM",
    "INSIDE_EMACS",
    "COGTOOLS_SELECTED_TEXT",
    "COGTOOLS_CURRENT_FILE",
    "COGTOOLS_SELECTION",
    "ZED_SELECTED_TEXT",
    "ZED_FILE",
    "ZED_ROW",
    "ZED_COLUMN",
    "kak_selection",
    "kak_buffile",
    "kak_cursor_line",
    "kak_cursor_column",
    "GEMINI_CLI_IDE_SERVER_PORT",
    "CLAUDE_CODE_SSE_PORT",
];

/// The longest text of an answer or a proposal, in bytes of UTF-8.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;
/// The longest output of the program that asks, in bytes: JSON escapes a character with six.
const MAX_OUTPUT_BYTES: usize = 8 << 20;
/// The time in which a user may answer a proposal; questions have a shorter limit of their own.
const TIMEOUT: Duration = Duration::from_mins(10);

/// All of them, sorted by name.
pub(super) const TOOLS: [BuiltIn; 5] = [
    BuiltIn {
        name: "get_current_file",
        title: "Get the current file",
        description: "Returns the file that is open in the user's editor: its path and its whole \
                      text, with changes that are not saved. Use it when the user speaks of this \
                      file. The text is empty if no file is open.",
        parameters: &["
path:
  type: string
  description: Another file of the project, as the editor has it or as it is saved
  optional: true
  minLength: 1
"],
        annotations: READ_ONLY,
        run: file,
    },
    BuiltIn {
        name: "get_diagnostics",
        title: "Get the problems in the editor",
        description: "Returns the errors and warnings that the user's editor shows, each with its \
                      file, line and column.",
        parameters: &[],
        annotations: READ_ONLY,
        run: list,
    },
    BuiltIn {
        name: "get_open_files",
        title: "Get the open files",
        description: "Returns the paths of the files that are open in the user's editor, which one \
                      is active, and which have changes that are not saved.",
        parameters: &[],
        annotations: READ_ONLY,
        run: list,
    },
    BuiltIn {
        name: "get_selected_text",
        title: "Get the selected text",
        description: "Returns the text that the user has selected in the editor, with its file and \
                      position. Use it when the user speaks of the selection. The text is empty if \
                      nothing is selected.",
        parameters: &[],
        annotations: READ_ONLY,
        run: text,
    },
    BuiltIn {
        name: "propose_edit",
        title: "Propose a change in the editor",
        description: "Shows a change of a file in the user's editor: edits, range or content. The \
                      `outcome` is accepted (the editor has the new text, which the user saves), \
                      changed (the same, after changes of the user: `diff`), rejected, or stale \
                      (the text has another hash: read it again).",
        parameters: &[PROPOSAL],
        annotations: Annotations {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(false),
        },
        run: propose,
    },
];

const PROPOSAL: &str = r#"
path: {type: string, description: "The file, relative to the project's folder", minLength: 1}
edits:
  type: array
  description: "Texts to replace, each of which occurs once in the file"
  optional: true
  minItems: 1
  items: {type: object, properties: {old: {type: string, minLength: 1}, new: string}}
range:
  type: object
  description: "Lines to replace, from 1; end_line is start_line - 1 to insert"
  optional: true
  properties:
    start_line: {type: integer, minimum: 1}
    end_line: {type: integer, minimum: 0}
    new: string
content:
  type: string
  description: The whole text that the file is to have
  optional: true
  maxLength: 1048576
hash:
  type: string
  description: The hash returned with the text; required with range
  optional: true
"#;

/// Returns the current file, or another one.
fn file(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let Some(path) = call.text("path") else {
        let mut reply = ask_text(call)?;
        let answer = &mut reply.answer;
        let is_whole = answer["path"].is_string() && answer["truncated"] != true;
        if let (Some(text), true, true) = (
            answer["text"].as_str(),
            is_whole,
            answer.get("hash").is_none(),
        ) {
            answer["hash"] = digest::bytes(unix(text).as_bytes()).to_string().into();
        }
        return Ok(output(reply, call.cx));
    };
    let full = files::full_path(call, path)?;
    let base = Base::read(call, path, &full)?;
    let Some(base) = base else {
        return Err(call.failure(format!("`{path}` does not exist")));
    };
    let mut answer = json!({"path": full, "text": base.text});
    if let Some(dirty) = base.dirty {
        answer["dirty"] = dirty.into();
    }
    answer["hash"] = base.hash.into();
    let reply = Reply {
        is_found: true,
        answer,
        source: base.source,
        attempts: base.attempts,
        is_certain: true,
    };
    Ok(output(reply, call.cx))
}

/// A text that is to be changed, with LF for each line end.
struct Base {
    text: String,
    hash: String,
    /// True if it is not saved; `None` if an editor that may have it open did not answer.
    dirty: Option<bool>,
    /// The name of the editor, or `file`.
    source: String,
    /// A line for each editor that did not answer, with the reason.
    attempts: Vec<String>,
    /// Why no edit of it can be shown.
    flaw: Option<ChangeError>,
}

impl Base {
    /// Reads the file as the editor has it, or as it is saved if it is not open. `None` if there
    /// is none.
    fn read(call: &ToolCall<'_>, path: &str, full: &Path) -> Result<Option<Self>, RunError> {
        let failed = |reason: &str| call.failure(format!("`{path}` cannot be read: {reason}"));
        let reply = ask(call, "get_current_file", json!({"path": full}))?;
        let answer = &reply.answer;
        // An older extension returns the current file.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_open = answer["path"]
            .as_str()
            .is_some_and(|open| real(Path::new(open)) == real(full));
        let (whole, dirty, source) = if is_open {
            if answer["truncated"] == true {
                return Err(failed("it is longer than 1 MiB"));
            }
            let text = answer["text"].as_str().unwrap_or_default();
            let is_dirty = answer["dirty"] == true;
            (text.to_owned(), Some(is_dirty), reply.source)
        } else {
            let text = match files::read_text(full, call.cx) {
                Ok(text) => text,
                Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => {
                    return Ok(None);
                }
                Err(error) => return Err(failed(&error.to_string())),
            };
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
            let is_dirty = reply.is_certain.then_some(false);
            (text, is_dirty, "file".to_owned())
        };
        let text = unix(&whole);
        let hash = digest::bytes(text.as_bytes()).to_string();
        let known = answer["hash"].as_str().filter(|_| is_open);
        if known.is_some_and(|known| known != hash) {
            return Err(failed("it is not UTF-8"));
        }
        Ok(Some(Self {
            text,
            hash,
            dirty,
            source,
            attempts: reply.attempts,
            flaw: ChangeError::of_text(&whole),
        }))
    }
}

/// Returns the selection.
fn text(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    ask_text(call).map(|reply| output(reply, call.cx))
}

/// Asks for a text, which must not be one of a file with secrets.
fn ask_text(call: &ToolCall<'_>) -> Result<Reply, RunError> {
    let reply = ask(call, call.name(), json!({}))?;
    if let Some(path) = reply.answer.get("path").and_then(Value::as_str)
        && has_secrets(&call.cx.root, path.as_ref())
    {
        return Err(files::secret(call, &shown(path, call.cx)));
    }
    Ok(reply)
}

/// Returns open files or problems. A problem in a file with secrets may quote them.
fn list(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let mut reply = ask(call, call.name(), json!({}))?;
    if let Some(Value::Array(problems)) = reply.answer.get_mut("diagnostics") {
        let is_public = |path: &str| !has_secrets(&call.cx.root, path.as_ref());
        problems.retain(|problem| problem["path"].as_str().is_some_and(is_public));
    }
    Ok(output(reply, call.cx))
}

fn propose(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let path = call.text("path").unwrap_or_default();
    let full = files::full_path(call, path)?;
    let failed = |error: &ChangeError| {
        let message = format!("`{path}` cannot be changed: {error}");
        call.failure_with(message, error.hint())
    };
    let change = Change::of(&call.arguments).map_err(|error| failed(&error))?;
    let wanted = call.text("hash");
    if wanted.is_none() && matches!(change, Change::Range(_)) {
        return Err(failed(&ChangeError::NoHash));
    }
    let base = Base::read(call, path, &full)?;
    if base.is_none() && !matches!(change, Change::Content(_)) {
        return Err(failed(&ChangeError::NoFile));
    }
    let base_hash = base.as_ref().map(|base| base.hash.as_str());
    if wanted.is_some() && wanted != base_hash {
        let source = base.as_ref().map_or("file", |base| &base.source);
        let mut value = json!({"outcome": "stale"});
        if let Some(hash) = base_hash {
            value["hash"] = hash.into();
        }
        value["source"] = source.into();
        return Ok(ToolOutput::of_value(value));
    }
    if let Some(flaw) = base.as_ref().and_then(|base| base.flaw.as_ref()) {
        return Err(failed(flaw));
    }
    let text = base.as_ref().map_or("", |base| &base.text);
    let content = change.apply(text).map_err(|error| failed(&error))?;
    if content.len() > MAX_TEXT_BYTES {
        return Err(failed(&ChangeError::TooLong));
    }
    let hash = digest::bytes(text.as_bytes()).to_string();
    let question = json!({"path": full, "content": content, "hash": hash});
    let reply = ask(call, call.name(), question)?;
    if !reply.is_found {
        let status = Hint::run("", Command::EditorStatus, " explains which editor answers");
        let failure = call.failure_with("no editor can show a change", status);
        return Err(failure.with_details(reply.attempts.join("\n")).into());
    }
    Ok(output(reply, call.cx))
}

/// The output of `cogtools editor ask`.
#[derive(Deserialize)]
struct Reply {
    /// False if no editor has answered; the answer is empty then.
    is_found: bool,
    answer: Value,
    /// The name of the editor.
    source: String,
    /// A line for each editor that did not answer, with the reason.
    attempts: Vec<String>,
    /// False if one of those is there, and could have had an answer.
    is_certain: bool,
}

/// Asks the editor that answers for the working directory.
fn ask(call: &ToolCall<'_>, method: &str, mut question: Value) -> Result<Reply, RunError> {
    let cx = call.cx;
    let fail = |reason: &str| call.failure(format!("the editor cannot be asked: {reason}"));
    question["method"] = method.into();
    let directory = cx.environment.directory();
    let is_known = directory.is_absolute();
    question["directory"] = json!(if is_known { directory } else { &cx.root });
    let program = cx.own_program();
    let program = program.ok_or_else(|| fail("the program `cogtools` is not installed"))?;
    let output = Process::new(program, &cx.root)
        .args(["editor", "ask", "--error-format=json"])
        .variables(cx.environment.user_vars(EDITOR_VARIABLES))
        .input(question.to_string())
        .timeout(TIMEOUT)
        .stdout_limit(MAX_OUTPUT_BYTES)
        .run(&cx.cancel)
        .map_err(|error| fail(&error.to_string()))?;
    if output.exit.is_success() {
        return serde_json::from_slice(&output.stdout.bytes)
            .map_err(|error| fail(&error.to_string()));
    }
    match Diagnostic::from_json(&output.stderr.bytes) {
        Some(diagnostic) => Err(call.failed(diagnostic)),
        None => Err(fail(&format!(
            "`cogtools editor` {}",
            output.exit.describe()
        ))),
    }
}

/// Makes the result: the answer and the name of the editor as JSON, and for `--verbose` why others
/// did not answer. Paths are relative to the project, as other tools take them.
fn output(reply: Reply, cx: &Context) -> ToolOutput {
    let mut value = reply.answer;
    shorten(&mut value, cx);
    for list in ["files", "diagnostics"] {
        let items = value.get_mut(list).and_then(Value::as_array_mut);
        let items = items.into_iter().flatten();
        items.for_each(|item| shorten(item, cx));
    }
    value["source"] = reply.source.into();
    let attempts = reply.attempts.iter();
    ToolOutput {
        stderr: attempts.flat_map(|line| [line, "\n"]).collect(),
        ..ToolOutput::of_value(value)
    }
}

/// Makes the path of `item` relative to the project, if it has one.
fn shorten(item: &mut Value, cx: &Context) {
    if let Some(Value::String(path)) = item.get_mut("path") {
        *path = shown(path, cx);
    }
}

/// Returns `path` relative to the project, if it is in it.
fn shown(path: &str, cx: &Context) -> String {
    let full = Path::new(path);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let below = full.strip_prefix(&cx.root).map(Path::to_path_buf);
    let below = below.or_else(|_| {
        real(full)
            .strip_prefix(real(&cx.root))
            .map(Path::to_path_buf)
    });
    below.map_or_else(|_| path.to_owned(), |below| below.display().to_string())
}
