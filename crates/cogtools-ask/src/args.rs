//! The command line.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use cogtools_agent::Budget;
use cogtools_log::Id;
use cogtools_program::Failure;
use cogtools_program::args::{
    EnvArgs, FilterArgs, RegistryArgs, all, filter_args, locked_arg, locked_from_matches,
    sandbox_arg, system_env_arg,
};

use crate::limits;
use crate::provider::Provider;

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
    pub(crate) provider: Provider,
    /// Whether the command line names it.
    pub(crate) has_provider: bool,
    pub(crate) model: Option<String>,
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) seed: Option<i32>,
    pub(crate) schema: Option<PathBuf>,
    /// The limits of the command line, which [`limits::budget`] reads.
    pub(crate) limits: Vec<String>,
    pub(crate) budget: Budget,
    /// Where the provider is reached, as the configuration says.
    pub(crate) base_url: Option<String>,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) pause: bool,
    pub(crate) approve: Vec<String>,
    pub(crate) reject: Vec<String>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) replay: Option<PathBuf>,
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
            provider: Provider::from_matches(matches),
            has_provider: matches.value_source("provider") == Some(ValueSource::CommandLine),
            model: matches.get_one("model").cloned(),
            temperature: matches.get_one("temperature").copied(),
            max_tokens: matches.get_one("max-tokens").copied(),
            seed: matches.get_one("seed").copied(),
            schema: path("schema"),
            budget: limits::budget(&all::<String>(matches, "budget"), Budget::default())?,
            limits: all(matches, "budget"),
            base_url: None,
            allow: all(matches, "allow"),
            deny: all(matches, "deny"),
            pause: flag("pause"),
            approve: all(matches, "approve"),
            reject: all(matches, "reject"),
            record: path("record"),
            replay: path("replay"),
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
                filter: FilterArgs::from_matches(matches),
                env: EnvArgs::from_matches(matches),
                refresh: false,
                locked: locked_from_matches(matches),
                lenient: false,
            },
        })
    }

    /// Whether the run goes on without a task: the user only answers questions.
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
    args.extend(model_args());
    args.extend(approval_args());
    args.extend(output_args());
    args.extend([system_env_arg(), sandbox_arg(), locked_arg()]);
    args.extend(filter_args());
    args
}

fn session_args() -> [Arg; 5] {
    let path = |arg: Arg| arg.value_parser(value_parser!(PathBuf));
    [
        path(value(
            "session",
            "FILE",
            "The file of the session, new or not",
        )),
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
        path(value(
            "record",
            "FILE",
            "Record the model's responses in FILE",
        )),
        path(value(
            "replay",
            "FILE",
            "Answer from recorded responses, without a network",
        ))
        .conflicts_with("record"),
    ]
}

fn model_args() -> [Arg; 8] {
    [
        Provider::arg(),
        value("model", "NAME", "The model").short('m'),
        value(
            "temperature",
            "NUMBER",
            "How varied answers are, from 0 to 2",
        )
        .value_parser(value_parser!(f64)),
        value("max-tokens", "NUMBER", "The limit of tokens of a response")
            .value_parser(value_parser!(u32)),
        value(
            "seed",
            "NUMBER",
            "Makes answers repeatable, as far as the provider can",
        )
        .allow_negative_numbers(true)
        .value_parser(value_parser!(i32)),
        value(
            "schema",
            "FILE",
            "The JSON Schema that the answer has to match",
        )
        .value_parser(value_parser!(PathBuf)),
        value(
            "budget",
            "LIMIT=NUMBER",
            "End the run before it exceeds this: turns, calls, tokens, seconds or money",
        )
        .action(ArgAction::Append),
        flag("models", "List the models of the provider"),
    ]
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
