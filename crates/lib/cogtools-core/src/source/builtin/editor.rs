//! The source `editor`: what the editor around the terminal shows, as the user sees it.

use std::path::{Path, PathBuf};

use cogtools_editor_client::{Ambiguous, Answer, Found, Place, Request, Text, Variables, find};
use serde_json::{Map, Value, json};

use super::{BuiltIn, READ_ONLY, files};
use crate::hint::{Command, Hint};
use crate::tool::{Annotations, RunError, ToolOutput};
use crate::{Code, Context, Diagnostic};

/// All of them, sorted by name.
pub(super) const TOOLS: [BuiltIn; 5] = [
    BuiltIn {
        name: "get_current_file",
        title: "Get the current file",
        description: "Returns the file that is open in the user's editor: its path and its whole \
                      text, with changes that are not saved. Use it when the user speaks of this \
                      file. The text is empty if no file is open.",
        parameters: none,
        annotations: READ_ONLY,
        run: |tool, _, cx| text(tool, &Request::CurrentFile, cx),
    },
    BuiltIn {
        name: "get_diagnostics",
        title: "Get the problems in the editor",
        description: "Returns the errors and warnings that the user's editor shows, each with its \
                      file, line and column.",
        parameters: none,
        annotations: READ_ONLY,
        run: |tool, _, cx| list(tool, &Request::Diagnostics, cx),
    },
    BuiltIn {
        name: "get_open_files",
        title: "Get the open files",
        description: "Returns the paths of the files that are open in the user's editor, which one \
                      is active, and which have changes that are not saved.",
        parameters: none,
        annotations: READ_ONLY,
        run: |tool, _, cx| list(tool, &Request::OpenFiles, cx),
    },
    BuiltIn {
        name: "get_selected_text",
        title: "Get the selected text",
        description: "Returns the text that the user has selected in the editor, with its file and \
                      position. Use it when the user speaks of the selection. The text is empty if \
                      nothing is selected.",
        parameters: none,
        annotations: READ_ONLY,
        run: |tool, _, cx| text(tool, &Request::SelectedText, cx),
    },
    BuiltIn {
        name: "propose_edit",
        title: "Propose a change in the editor",
        description: "Shows a change of a file in the user's editor. The user accepts or rejects \
                      it; if it is accepted, the editor has the new text, which the user saves.",
        parameters: proposal,
        annotations: Annotations {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(false),
        },
        run: propose,
    },
];

fn none() -> Value {
    json!({"type": "object", "properties": {}})
}

fn proposal() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The file, relative to the project's folder",
                "minLength": 1,
            },
            "content": {
                "type": "string",
                "description": "The whole text that the file is to have",
                "maxLength": Request::MAX_TEXT_BYTES,
            },
        },
        "required": ["path", "content"],
    })
}

/// The selection, or a whole file.
fn text(tool: &str, request: &Request, cx: &Context) -> Result<ToolOutput, RunError> {
    let found = ask(tool, request, cx)?;
    if let Some((
        Answer::Text(Text {
            path: Some(path), ..
        }),
        _,
    )) = &found.answer
        && files::has_secrets(&cx.root.join(path))
    {
        return Err(files::failed(tool, files::secret(&shown(path, cx))));
    }
    Ok(output(request, found, cx))
}

/// Open files, or problems. What is found in files with secrets may quote them.
fn list(tool: &str, request: &Request, cx: &Context) -> Result<ToolOutput, RunError> {
    let mut found = ask(tool, request, cx)?;
    if let Some((Answer::Problems(problems), _)) = &mut found.answer {
        let is_public = |path: &str| !files::has_secrets(&cx.root.join(path));
        problems.diagnostics.retain(|one| is_public(&one.path));
    }
    Ok(output(request, found, cx))
}

fn propose(
    tool: &str,
    arguments: &Map<String, Value>,
    cx: &Context,
) -> Result<ToolOutput, RunError> {
    let text = |key: &str| {
        arguments
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let request = Request::ProposeEdit {
        path: files::full_path(tool, text("path"), cx)?,
        content: text("content").to_owned(),
    };
    let found = ask(tool, &request, cx)?;
    if found.answer.is_none() {
        let message = "no editor can show a change";
        let diagnostic = Diagnostic::new(Code::ToolFailed, message);
        return Err(files::failed(tool, diagnostic.hint(status())));
    }
    Ok(output(&request, found, cx))
}

/// Asks the editor that answers for the working directory.
fn ask(tool: &str, request: &Request, cx: &Context) -> Result<Found, RunError> {
    find(request, &editor_place(cx)).map_err(|error| files::failed(tool, ambiguous_editor(&error)))
}

/// Where editors are searched for: by the user's own variables, from the working directory.
pub fn editor_place(cx: &Context) -> Place {
    let directory = cx.environment.directory();
    let is_known = directory.is_absolute();
    Place {
        variables: Variables::new(cx.environment.user_vars(Variables::NAMES)),
        directory: if is_known { directory } else { &cx.root }.to_path_buf(),
    }
}

/// Why none of several windows answers.
pub fn ambiguous_editor(error: &Ambiguous) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::AmbiguousEditor, error.to_string());
    let socket = error.socket().display();
    diagnostic
        .hint("close one of the windows, or call from a terminal in the one that is meant")
        .hint(format!("or set {}={socket}", Variables::EDITOR))
}

fn status() -> Hint {
    Hint::run("", Command::EditorStatus, " explains which editor answers")
}

/// The result: the answer and the name of the editor as JSON; why others did not answer, for
/// `--verbose`.
fn output(request: &Request, found: Found, cx: &Context) -> ToolOutput {
    let (mut answer, source) = found
        .answer
        .unwrap_or_else(|| (Answer::empty(request), "none".to_owned()));
    shorten(&mut answer, cx);
    let mut value = serde_json::to_value(&answer).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("source".to_owned(), source.into());
    }
    let attempts = found.attempts.iter();
    let attempts = attempts.map(|attempt| format!("{}: {}\n", attempt.by, attempt.failure));
    ToolOutput {
        text: format!("{value}\n"),
        stderr: attempts.collect(),
        value: Some(value),
        ..ToolOutput::default()
    }
}

/// Makes paths relative to the project, as other tools take them.
fn shorten(answer: &mut Answer, cx: &Context) {
    let shorten = |path: &mut String| *path = shown(path, cx);
    match answer {
        Answer::Text(text) => text.path.as_mut().into_iter().for_each(shorten),
        Answer::Files(files) => files
            .files
            .iter_mut()
            .map(|file| &mut file.path)
            .for_each(shorten),
        Answer::Problems(problems) => {
            let paths = problems.diagnostics.iter_mut().map(|one| &mut one.path);
            paths.for_each(shorten);
        }
        Answer::Edit(_) => {}
    }
}

/// `path` relative to the project, if it is in it.
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
