//! The command line.

use std::path::PathBuf;

use clap::{ArgMatches, Parser};
use cogtools_agent::{BudgetArgs, ModelArgs, ModelOptions, Provider, TapeArgs};
use cogtools_core::{Code, Diagnostic, Never, Threshold};
use cogtools_log::Id;
use cogtools_program::Failure;
use cogtools_program::args::{self, RegistryArgs};
use serde_json::{Map, Value, json};

/// The kind of a run.
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

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// The answer as text.
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object per line, as things happen.
    StreamJson,
}

/// Ask a model that can call the project's tools
#[derive(Parser)]
#[command(
    name = "cogtools-ask",
    long_about = "Give a task to a model that can call the tools of the project, and print its \
        answer. Everything that happens is recorded in a session, which can be continued."
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct AskArgs {
    /// The task; standard input is added to it, or is all of it
    pub(crate) prompt: Vec<String>,
    /// A file for the model: text, an image, a PDF
    #[arg(id = "file", short, long, value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// A text with instructions for the model, after the instructions of the project
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// An option of the model, such as thinking=high or topP=0.9
    #[arg(id = "option", short, long = "option", value_name = "KEY=VALUE")]
    pub(crate) options: Vec<String>,
    /// The session: its name, or a file, new or not
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<PathBuf>,
    /// Go on with the newest session, or with the one of --session
    #[arg(id = "continue", short, long = "continue")]
    pub(crate) resume: bool,
    /// Go on after this entry of the session: a new branch
    #[arg(long, value_name = "ID")]
    pub(crate) from: Option<Id>,
    #[command(flatten)]
    _tapes: TapeArgs,
    #[command(flatten)]
    _models: ModelArgs,
    /// The JSON Schema that the answer has to match
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    _budget: BudgetArgs,
    /// Let the model see the selection and the files of the editor around the terminal
    #[arg(long)]
    editor: bool,
    /// List the models of the provider
    #[arg(long)]
    models: bool,
    /// Let the model write programs that call the tools, with --code=TOKENS only if the tools cost
    /// as many tokens
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "0", value_parser = threshold)]
    pub(crate) code: Option<Threshold>,
    /// Run calls of these tools without a question
    #[arg(long, value_name = "PATTERN")]
    pub(crate) allow: Vec<String>,
    /// Never run calls of these tools
    #[arg(long, value_name = "PATTERN")]
    pub(crate) deny: Vec<String>,
    /// Stop at a call that needs an approval, if there is no terminal
    #[arg(long)]
    pub(crate) pause: bool,
    /// Run this call, for which the session waits
    #[arg(long, value_name = "CALL")]
    pub(crate) approve: Vec<String>,
    /// Run this program, for which the session waits, and ask at each call that needs a yes
    #[arg(long, value_name = "CALL")]
    pub(crate) approve_each: Vec<String>,
    /// Ask again about this program, for which the session waits, with the code on standard input
    #[arg(long, value_name = "CALL", conflicts_with_all = ["prompt", "file"])]
    pub(crate) edit: Option<String>,
    /// Do not run this call, for which the session waits, for a reason that the model reads
    #[arg(long, value_name = "CALL[=WHY]")]
    pub(crate) reject: Vec<String>,
    /// Run this call of a program again, although it may have run already
    #[arg(long, value_name = "CALL")]
    pub(crate) repeat: Vec<String>,
    /// The result of this call of a program, which was interrupted and does not run again
    #[arg(long, value_name = "CALL=JSON")]
    pub(crate) result: Vec<String>,
    /// Print one JSON object at the end
    #[arg(long, conflicts_with = "stream_json")]
    json: bool,
    /// Print what happens, one JSON object per line
    #[arg(long)]
    stream_json: bool,
    /// Print no activity on stderr
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print thoughts and results on stderr
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print the request by layers instead of sending it
    #[arg(long)]
    dry_run: bool,
    /// Run the agent on standard input, as cogtools-call does for a tool that is one
    #[arg(long)]
    #[arg(conflicts_with_all = ["prompt", "file", "models", "dry_run", "continue", "from"])]
    agent: bool,
    #[command(flatten)]
    pub(crate) registry: RegistryArgs,
    /// The options about the model, over the configuration.
    #[arg(skip)]
    pub(crate) model: ModelOptions,
}

impl AskArgs {
    pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let mut args: Self = args::parse(matches)?;
        args.model = ModelOptions::from_matches(matches)?;
        args.registry.editor = args.editor;
        Ok(args)
    }

    /// The options of the model, in the words of its API. `thinking` is the level of thinking.
    ///
    /// # Errors
    /// `USAGE` if one has no key.
    pub(crate) fn generation(&self) -> Result<Map<String, Value>, Failure> {
        let provider = self.model.provider;
        let mut fields = Map::new();
        for option in &self.options {
            let parts = option.split_once('=').filter(|(key, _)| !key.is_empty());
            let (key, text) = parts.ok_or_else(|| {
                let message = format!("invalid value '{option}' for '--option <KEY=VALUE>'");
                let hint = "name an option of the model and its value, such as thinking=high";
                Failure::from(Diagnostic::new(Code::Usage, message).hint(hint))
            })?;
            let value = serde_json::from_str(text).unwrap_or_else(|_| text.into());
            let (key, value) = match (key, provider) {
                ("thinking", Provider::OpenAi) => ("reasoning_effort", value),
                ("thinking", Provider::Gemini) => {
                    ("thinkingConfig", json!({ "thinkingLevel": value }))
                }
                // Its client knows what the model takes.
                (key, _) => (key, value),
            };
            fields.insert(key.to_owned(), value);
        }
        Ok(fields)
    }

    pub(crate) const fn action(&self) -> Action {
        if self.models {
            Action::Models
        } else if self.agent {
            Action::Agent
        } else if self.dry_run {
            Action::DryRun
        } else {
            Action::Ask
        }
    }

    pub(crate) const fn format(&self) -> OutputFormat {
        if self.json {
            OutputFormat::Json
        } else if self.stream_json {
            OutputFormat::StreamJson
        } else {
            OutputFormat::Text
        }
    }

    /// The words about calls of programs that were interrupted: they hold for one run alone.
    pub(crate) fn decided(&self) -> Vec<String> {
        let repeat = self.repeat.iter().map(|call| ["--repeat", call]);
        let result = self.result.iter().map(|call| ["--result", call]);
        repeat.chain(result).flatten().map(str::to_owned).collect()
    }

    /// Returns true if the session has to exist.
    pub(crate) fn goes_on(&self) -> bool {
        self.resume || self.from.is_some() || self.is_answer()
    }

    /// Returns true if the run goes on without a task: the user only answers questions.
    pub(crate) fn is_answer(&self) -> bool {
        let answers = [
            &self.approve,
            &self.approve_each,
            &self.reject,
            &self.repeat,
            &self.result,
        ];
        self.edit.is_some() || answers.iter().any(|calls| !calls.is_empty())
    }
}

/// Reads a number of tokens, or `off`.
fn threshold(text: &str) -> Result<Threshold, String> {
    match text.parse() {
        Ok(tokens) => Ok(Threshold::Tokens(tokens)),
        Err(_) if text == "off" => Ok(Threshold::Off(Never::Off)),
        Err(_) => Err("a number of tokens, or `off`".to_owned()),
    }
}
