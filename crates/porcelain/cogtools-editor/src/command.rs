//! The command line, and the answer to `status`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::EnvArgs;
use cogtools_program::call::input_diagnostic;
use cogtools_program::project::ProjectContext;
use cogtools_program::{Failure, Io, Program, Stdin, man};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Answer, Found, Place, Request, Variables, find};
use crate::install::{Install, install};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-editor",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::UnknownProgram,
        Code::AmbiguousEditor,
    ],
    variables: man::TOOLS,
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Connect the editor around the terminal, and say which one answers")
        .long_about(
            "Tools of the source `editor` ask the editor in whose terminal they run for its \
             selection and its files. This program says which editor answers, and connects one.",
        )
        .subcommand(
            Command::new("status")
                .about("Say which editor answers here, and why not another one")
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Print a JSON object"),
                ),
        )
        .subcommand(
            Command::new("ask")
                .about("Ask the editor for the source `editor`, by JSON on standard input")
                .hide(true),
        )
        .subcommand(
            Command::new("install")
                .about("Install the extension for VS Code and editors that are built on it")
                .arg(
                    Arg::new("program")
                        .value_name("PROGRAM")
                        .help("The program of the editor (default: each that is on PATH)"),
                )
                .arg(
                    Arg::new("to")
                        .long("to")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .conflicts_with("program")
                        .help(
                            "Write the extension to FILE, such as cogtools.vsix, and run nothing",
                        ),
                ),
        )
        .subcommand(
            Command::new("print")
                .about("Print what connects an editor without an extension")
                .arg(
                    Arg::new("editor")
                        .value_name("EDITOR")
                        .required(true)
                        .value_parser(PossibleValuesParser::new(Snippet::NAMES))
                        .help("The editor"),
                ),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("ask", _)) => ask(io),
        Some(("status", matches)) => status(matches.get_flag("json"), io),
        Some(("install", matches)) => {
            let args = Install {
                program: matches.get_one::<String>("program").cloned(),
                to: matches.get_one::<PathBuf>("to").cloned(),
            };
            install(&args, io)
        }
        Some(("print", matches)) => {
            let name = matches.get_one::<String>("editor");
            io.show(
                name.and_then(|name| Snippet::parse(name))
                    .unwrap_or_default(),
            )
        }
        _ => Err(PROGRAM.missing_subcommand()),
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
    let bytes = io.stdin.read().map_err(|error| {
        input_diagnostic(&error, "the question", || None, "cogtools editor ask")
    })?;
    let question: Question = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("standard input is not a question: {error}");
        Diagnostic::new(Code::Usage, message)
            .hint("this is for cogtools-call; call the tool instead")
    })?;
    let place = Place {
        variables: Variables::new(io.vars.clone()),
        directory: question.directory,
    };
    let found = find(&question.request, &place);
    let found = found.map_err(|error| Failure::from(error.diagnostic()))?;
    let is_found = found.answer.is_some();
    let none = || (Answer::empty(&question.request), "none".to_owned());
    let (answer, source) = found.answer.unwrap_or_else(none);
    let attempts = found.attempts.iter();
    let attempts = attempts.map(|attempt| format!("{}: {}", attempt.by, attempt.failure));
    let reply = json!({
        "is_found": is_found,
        "answer": answer,
        "source": source,
        "attempts": attempts.collect::<Vec<String>>(),
    });
    io.show_json(&format!("{reply}\n"))
}

/// Prints which editor answers here, and why others do not.
pub(crate) fn status(json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let cx = ProjectContext::load(EnvArgs::default(), io)?.context(io);
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
            "\nNeovim and Emacs answer in their terminals. For VS Code: cogtools editor install\n",
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

    /// The names of the editors.
    pub(crate) const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].0;
            at += 1;
        }
        names
    };

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
        "`tool_sources: [editor]` in `cogtoolrc(5)`, or `cogtools ask --editor`, brings the tools get_selected_text, get_current_file, get_open_files, get_diagnostics and propose_edit. They print one JSON object, with `source` for the editor that has answered; without one, the text is empty and `source` is `none`. A text has at most 1 MiB, then `truncated` is true. Paths in the project are relative to it; lines and columns are counted from 1, in characters. Files that may contain secrets, such as .env, are not read.",
    ),
    (
        "WHICH EDITOR ANSWERS",
        "The first of these that answers within a second:\n\n1. The socket in COGTOOLS_EDITOR, unless its window has only other folders than the current one; `none` turns all editors off.\n\n2. The window whose folder contains the current one, by the discovery files in $XDG_RUNTIME_DIR/cogtools/editor (or /tmp/cogtools-UID/editor). The deepest folder wins; two windows with the same one are an error that names both.\n\n3. Neovim, by NVIM, which it sets in its terminals.\n\n4. Emacs, if INSIDE_EMACS is set and its server runs.\n\n5. The environment: COGTOOLS_SELECTED_TEXT and COGTOOLS_CURRENT_FILE, ZED_SELECTED_TEXT and ZED_FILE, kak_selection and kak_buffile, as they were when the program was started.\n\nSockets and files must belong to the user, and the variables must be the user's own: what an .env of the project sets does not count. Nothing listens on a port. `status` says which one answers, and why the others do not.",
    ),
    (
        "INSTALL",
        "`install` writes the extension to cogtools.vsix in the user's state directory and runs `PROGRAM --install-extension` for code, code-insiders, code-server, codium, cursor, positron and windsurf, as far as they are on PATH outside the project. In a window on a remote host or in a container, run it in a terminal of that window: the extension has to run where the terminal does.",
    ),
    (
        "JSON",
        "`status --json` prints one object: `editor` is the name of the editor that answers, or null; `by` is the variable or discovery file by which it was found; `attempts` has `by` and `reason` for each one that did not answer.",
    ),
    (
        "FILES",
        "$XDG_RUNTIME_DIR/cogtools/editor/PID.json\n  A window: its socket, its folders, its name. It is written by the editor, and counts only as long as the process PID runs.",
    ),
    (
        "EXAMPLES",
        "    cogtools editor status\n\n    cogtools editor install\n\n    cogtools editor install --to cogtools.vsix\n\n    cogtools editor print zed > .zed/tasks.json",
    ),
];
