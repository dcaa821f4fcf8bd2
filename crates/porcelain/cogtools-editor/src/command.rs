//! The command line, and the answer to `status`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand, value_parser};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::format::FormatArg;
use cogtools_program::project::ProjectContext;
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin, call_timeout, man, text_input};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Answer, Edit, Found, Place, Request, Variables, find};
use crate::install::{self, Install};

/// The interval of the checks for signals.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-editor",
    command: EditorArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[
        Code::ToolFailed,
        Code::UnknownProgram,
        Code::AmbiguousEditor,
    ]],
    variables: man::TOOLS,
    manual: MANUAL,
};

/// Connect the editor around the terminal, and say which one answers
#[derive(Parser)]
#[command(
    long_about = "Tools of the source `editor` ask the editor in whose terminal they run for its \
        selection and its files. This program says which editor answers, and connects one."
)]
struct EditorArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Say which editor answers here, and why not another one
    Status(FormatArg),
    /// Show a file in the editor that answers here, and print the name of the editor
    Open {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The line, from 1
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..))]
        line: u64,
    },
    /// Ask the editor for the source `editor`, by JSON on standard input
    #[command(hide = true)]
    Ask,
    /// Install the extension for VS Code and editors that are built on it
    Install(Install),
    /// Print what connects an editor without an extension
    Print {
        /// The editor
        #[arg(value_name = "EDITOR", value_parser = Snippet::names())]
        editor: String,
        #[command(flatten)]
        format: FormatArg,
    },
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match args::parse::<EditorArgs>(matches)?.action {
        Some(Action::Ask) => ask(io),
        Some(Action::Open { file, line }) => open(&file, line, io),
        Some(Action::Status(format)) => status(format.is_json(), io),
        Some(Action::Install(install)) => install::install(&install, io),
        Some(Action::Print { editor, format }) => {
            let text = Snippet::parse(&editor).unwrap_or_default();
            if format.is_json() {
                return io.show_json(&format!("{:#}\n", json!({"editor": editor, "text": text})));
            }
            io.show(text)
        }
        None => Err(PROGRAM.missing_subcommand()),
    }
}

/// A question of the source `editor`.
#[derive(Deserialize)]
struct Question {
    /// The directory that an editor's folder has to contain.
    directory: PathBuf,
    #[serde(flatten)]
    request: Request,
}

/// Asks the editor for a call of a tool. The environment has the user's variables alone.
fn ask(io: &mut Io<'_>) -> Result<(), Failure> {
    let line = "cogtools editor ask < question.json";
    let bytes = text_input::read_input(io, "the question", line)?;
    let question: Question = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("standard input is not a question: {error}");
        Diagnostic::new(Code::Usage, message)
            .hint("this is for cogtools-call; call the tool instead")
    })?;
    let place = Place {
        variables: Variables::new(io.vars.clone()),
        directory: question.directory,
    };
    let found = find_unless_ended(&question.request, place)?;
    if let (Some((Answer::Edit(Edit::Refused(refusal)), name)), Request::ProposeEdit { path, .. }) =
        (&found.answer, &question.request)
    {
        return Err(refusal.diagnostic(path, name).into());
    }
    let is_found = found.answer.is_some();
    let is_certain = !found.attempts.iter().any(|it| it.failure.has_editor());
    let none = || (Answer::empty(&question.request), "none".to_owned());
    let (answer, source) = found.answer.unwrap_or_else(none);
    let attempts = found.attempts.iter();
    let attempts = attempts.map(|attempt| format!("{}: {}", attempt.by, attempt.failure));
    let reply = json!({
        "is_found": is_found,
        "answer": answer,
        "source": source,
        "attempts": attempts.collect::<Vec<String>>(),
        "is_certain": is_certain,
    });
    io.show_json(&format!("{reply}\n"))
}

/// Asks the editors in `place`, and ends with a signal or with the program that wants to know: the
/// connection that is closed then withdraws a proposal.
fn find_unless_ended(request: &Request, place: Place) -> Result<Found, Failure> {
    let signals = SignalGuard::begin(&Cancel::default());
    let (sender, receiver) = mpsc::channel();
    let asked = request.clone();
    call_timeout::start("editor", move || {
        let _ = sender.send(find(&asked, &place));
    })
    .map_err(|diagnostic| Failure::from(*diagnostic))?;
    loop {
        let received = receiver.recv_timeout(SIGNAL_POLL);
        if let Some(status) = signals.status() {
            return Err(Failure::Reported(status));
        }
        match received {
            Ok(found) => return found.map_err(|error| error.diagnostic().into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Reported(Code::Internal.status()));
            }
        }
    }
}

/// Shows a file in the editor that answers here.
fn open(file: &Path, line: u64, io: &mut Io<'_>) -> Result<(), Failure> {
    let path = io.cwd.join(file).canonicalize().map_err(|error| {
        let message = format!("`{}` cannot be opened: {error}", file.display());
        Diagnostic::new(Code::IoFailed, message)
    })?;
    let cx = ProjectContext::load(&RegistryArgs::default(), io)?.context(io);
    let found = find(&Request::OpenFile { path, line }, &Place::of(&cx));
    let found = found.map_err(|error| Failure::from(error.diagnostic()))?;
    if let Some((Answer::Opened(true), name)) = &found.answer {
        return io.show(&format!("{name}\n"));
    }
    let diagnostic = Diagnostic::new(Code::ToolFailed, "no editor shows files here");
    let diagnostic = diagnostic.with_details(text(&found).trim_end().to_owned());
    Err(diagnostic
        .hint("`cogtools editor status` tests the connection")
        .into())
}

/// Prints which editor answers here, and why others do not.
pub(crate) fn status(json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let cx = ProjectContext::load(&RegistryArgs::default(), io)?.context(io);
    let found = find(&Request::OpenFiles, &Place::of(&cx));
    let found = found.map_err(|error| Failure::from(error.diagnostic()))?;
    if json {
        return io.show_json(&format!("{:#}\n", value(&found)));
    }
    io.show(&text(&found))
}

fn text(found: &Found) -> String {
    let mut text = match (&found.answer, &found.by) {
        (Some((_, name)), Some(by)) => format!("{name} answers, found by {by}\n"),
        _ => "no editor answers\n".to_owned(),
    };
    for attempt in &found.attempts {
        let _ = writeln!(text, "  {}: {}", attempt.by, attempt.failure);
    }
    if found.answer.is_none() {
        text.push_str(
            "\nNeovim answers in its terminal. For VS Code: cogtools editor install\n\
             For Emacs: cogtools editor print emacs\n",
        );
    }
    text
}

fn value(found: &Found) -> Value {
    let attempts = found.attempts.iter();
    let attempts =
        attempts.map(|attempt| json!({"by": attempt.by, "reason": attempt.failure.to_string()}));
    json!({
        "editor": found.answer.as_ref().map(|(_, name)| name),
        "by": found.by,
        "attempts": attempts.collect::<Vec<Value>>(),
    })
}

/// The files by the name of their editor.
pub(crate) struct Snippet;

impl Snippet {
    const ALL: [(&'static str, &'static str); 6] = [
        ("emacs", include_str!("print/emacs.el")),
        ("jetbrains", include_str!("print/jetbrains.xml")),
        ("kakoune", include_str!("print/kakoune.kak")),
        ("neovim", include_str!("print/neovim.lua")),
        ("vscode", include_str!("print/vscode.jsonc")),
        ("zed", include_str!("print/zed.jsonc")),
    ];

    fn names() -> PossibleValuesParser {
        PossibleValuesParser::new(Self::ALL.map(|(name, _)| name))
    }

    /// The file for that editor, which begins with a comment that says where it belongs.
    pub(crate) fn parse(name: &str) -> Option<&'static str> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, text)| text)
    }
}

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "THE SOURCE",
        "`tool_sources: [editor]` in `cogtoolrc(5)`, or `cogtools ask --editor`, brings the tools get_selected_text, get_current_file, get_open_files, get_diagnostics and propose_edit. Each prints one JSON object, whose `source` names the editor that answered. A text has a `hash`, which propose_edit takes; its `outcome` is `accepted`, `changed`, `rejected` or `stale`. If no editor answers, the text is empty and `source` is `none`. A text longer than 1 MiB is cut, and `truncated` is true. Paths in the project are relative to it; lines and columns are counted from 1, in characters. Files that may contain secrets, such as .env, are not read.",
    ),
    (
        "WHICH EDITOR ANSWERS",
        "The first of these editors that answers within a second:\n\n1. The editor at the socket in COGTOOLS_EDITOR, which VS Code and Emacs set in their terminals, unless its window has only folders other than the current one; `none` turns all editors off.\n\n2. The window whose folder contains the current one, found by the discovery files in $XDG_RUNTIME_DIR/cogtools/editor (or /tmp/cogtools-UID/editor). The deepest folder wins. If two windows have the same folder, the error names both.\n\n3. Neovim, by NVIM, which it sets in its terminals.\n\n4. The environment: COGTOOLS_SELECTED_TEXT and COGTOOLS_CURRENT_FILE, ZED_SELECTED_TEXT and ZED_FILE, or kak_selection and kak_buffile, with their values at the start of the program. COGTOOLS_SELECTION, LINE:COLUMN-LINE:COLUMN with columns in units of UTF-16, selects in COGTOOLS_CURRENT_FILE instead.\n\nSockets and files must belong to the user. Variables must come from the user's own environment: the .env of a project is ignored. No port is opened. `status` names the editor that answers, and gives the reason for each one that does not.",
    ),
    (
        "INSTALL",
        "`install` writes the extension to cogtools.vsix in the user's state directory. It then runs `PROGRAM --install-extension` for each of code, code-insiders, code-server, codium, cursor, positron and windsurf that is on PATH outside the project. For a window on a remote host or in a container, run `install` in a terminal of that window, because the extension must run on the same system as the terminal.",
    ),
    (
        "JSON",
        "`status --json` prints one object: `editor` is the name of the editor that answers, or null; `by` is the variable or discovery file by which it was found; `attempts` has `by` and `reason` for each one that did not answer. `print --json` prints an object with `editor` and `text`.",
    ),
    (
        "FILES",
        "$XDG_RUNTIME_DIR/cogtools/editor/PID.json\n  The socket, the folders and the name of a window. The editor writes the file, which is valid while the process PID runs.",
    ),
    (
        "EXAMPLES",
        "    cogtools editor status\n\n    cogtools editor install\n\n    cogtools editor install --to cogtools.vsix\n\n    cogtools editor print zed",
    ),
];
