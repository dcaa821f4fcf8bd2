//! The command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use cogtools_agent::{ModelOptions, budget_arg, model_args, tape_args};
use cogtools_log::Id;
use cogtools_program::Failure;
use cogtools_program::args::{RegistryArgs, all};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Give a task.
    Ask,
    /// Run the agent on standard input.
    Agent,
    /// Print the request instead of sending it.
    DryRun,
    /// List the models of the provider.
    Models,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// The answer as text.
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object per line, as things happen.
    StreamJson,
}

/// The command line.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct AskArgs {
    pub(crate) action: Action,
    pub(crate) prompt: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) session: Option<PathBuf>,
    pub(crate) resume: bool,
    pub(crate) from: Option<Id>,
    pub(crate) model: ModelOptions,
    pub(crate) schema: Option<PathBuf>,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) pause: bool,
    pub(crate) approve: Vec<String>,
    pub(crate) reject: Vec<String>,
    pub(crate) format: OutputFormat,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) registry: RegistryArgs,
}

impl AskArgs {
    pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
        let flag = |name: &str| matches.get_flag(name);
        Ok(Self {
            action: if flag("models") {
                Action::Models
            } else if flag("agent") {
                Action::Agent
            } else if flag("dry-run") {
                Action::DryRun
            } else {
                Action::Ask
            },
            prompt: all(matches, "prompt"),
            files: all(matches, "file"),
            session: path("session"),
            resume: flag("continue"),
            from: matches.get_one("from").copied(),
            model: ModelOptions::from_matches(matches)?,
            schema: path("schema"),
            allow: all(matches, "allow"),
            deny: all(matches, "deny"),
            pause: flag("pause"),
            approve: all(matches, "approve"),
            reject: all(matches, "reject"),
            format: if flag("json") {
                OutputFormat::Json
            } else if flag("stream-json") {
                OutputFormat::StreamJson
            } else {
                OutputFormat::Text
            },
            quiet: flag("quiet"),
            verbose: flag("verbose"),
            registry: RegistryArgs {
                editor: flag("editor"),
                ..RegistryArgs::from_matches(matches)
            },
        })
    }

    /// Returns true if the run goes on without a task: the user only answers questions.
    pub(crate) fn is_answer(&self) -> bool {
        !self.approve.is_empty() || !self.reject.is_empty()
    }
}

/// The options.
pub(crate) fn args() -> Vec<Arg> {
    let mut args = vec![
        Arg::new("prompt")
            .value_name("PROMPT")
            .num_args(0..)
            .help("The task; standard input is added to it, or is all of it"),
        value(
            "file",
            "PATH",
            "A file for the model: text, an image, a PDF",
        )
        .short('f')
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf)),
    ];
    args.extend(session_args());
    args.extend(question_args());
    args.extend(approval_args());
    args.extend(output_args());
    args.extend(RegistryArgs::options());
    args
}

fn session_args() -> Vec<Arg> {
    let mut args = vec![
        value("session", "FILE", "The file of the session, new or not")
            .value_parser(value_parser!(PathBuf)),
        flag(
            "continue",
            "Go on with the newest session, or with the one of --session",
        )
        .short('c'),
        value(
            "from",
            "ID",
            "Go on after this entry of the session: a new branch",
        )
        .value_parser(value_parser!(Id)),
    ];
    args.extend(tape_args());
    args
}

fn question_args() -> Vec<Arg> {
    let mut args = Vec::from(model_args());
    args.extend([
        value(
            "schema",
            "FILE",
            "The JSON Schema that the answer has to match",
        )
        .value_parser(value_parser!(PathBuf)),
        budget_arg(),
        flag(
            "editor",
            "Let the model see the selection and the files of the editor around the terminal",
        ),
        flag("models", "List the models of the provider"),
    ]);
    args
}

fn approval_args() -> [Arg; 5] {
    let list = |name, value_name, help| value(name, value_name, help).action(ArgAction::Append);
    [
        list(
            "allow",
            "PATTERN",
            "Run calls of these tools without a question",
        ),
        list("deny", "PATTERN", "Never run calls of these tools"),
        flag(
            "pause",
            "Stop at a call that needs an approval, if there is no terminal",
        ),
        list(
            "approve",
            "CALL",
            "Run this call, for which the session waits",
        ),
        list(
            "reject",
            "CALL",
            "Do not run this call, for which the session waits",
        ),
    ]
}

fn output_args() -> [Arg; 6] {
    [
        flag("json", "Print one JSON object at the end").conflicts_with("stream-json"),
        flag(
            "stream-json",
            "Print what happens, one JSON object per line",
        ),
        flag("quiet", "Print no activity on stderr").short('q'),
        flag("verbose", "Print thoughts and results on stderr").conflicts_with("quiet"),
        flag(
            "dry-run",
            "Print the request by layers instead of sending it",
        ),
        flag(
            "agent",
            "Run the agent on standard input, as cogtools-call does for a tool that is one",
        )
        .conflicts_with_all(["prompt", "file", "models", "dry-run", "continue", "from"]),
    ]
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn value(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name).help(help)
}
