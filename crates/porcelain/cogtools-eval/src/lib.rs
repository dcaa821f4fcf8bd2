//! `cogtools eval`: whether a model calls a tool, rightly, and what that costs.
//!
//! A case is a task with expectations, a trial one run of it by the agent of `cogtools ask`: a
//! session of the project. Trials are judged from what is recorded of them, and never run twice.

mod author;
mod calls;
mod case;
mod compare;
mod evaluation;
mod files;
mod host;
mod improve;
mod manual;
mod matcher;
mod offer;
mod reader;
mod report;
mod run;
mod statistics;
mod tapes;
mod tools;
mod trial;
mod verdict;

use std::fmt::Write as _;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_agent::{Budget, ModelArgs, ModelOptions, read_limits};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::{self, EnvArgs, FilterArgs, LockedArg, NameFilterArgs, RegistryArgs};
use cogtools_program::{Failure, Io, Program, Stdin, man, text_input};
use fancy_regex::Regex;

/// The limits of a whole run, whose turns are trials.
const LIMITS: [&str; 4] = ["trials", "tokens", "seconds", "money"];

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-eval",
    command: EvalArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Program::PROJECT_CODES,
        &[
            Code::EvalFailed,
            Code::StaleRecording,
            Code::InvalidRecording,
            Code::BudgetSpent,
            Code::Unavailable,
            Code::InvalidEvals,
            Code::TemplateFailed,
            Code::Timeout,
        ],
    ],
    variables: man::SOURCES,
    manual: manual::MANUAL,
};

/// Measure whether models call the project's tools, rightly, and what it costs
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    name = "cogtools-eval",
    long_about = "Give each task of the project's cases to models that can call its tools, several \
        times, and report how often every expectation holds, with intervals. Trials that are done \
        are kept, and never run again while nothing that they depend on changes."
)]
pub(crate) struct EvalArgs {
    /// Tools or files whose cases are run; all of the project without one
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// The models
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    #[command(flatten)]
    _model: ModelArgs,
    /// A command that is the model: a request of the Gemini API on stdin, the response on stdout
    #[arg(long, value_name = "COMMAND")]
    pub(crate) model_command: Option<String>,
    /// Hosts that run the tasks as a whole: claude-code, codex or gemini, with :MODEL after it
    #[arg(long, value_name = "HOST", value_delimiter = ',', value_parser = host::parse)]
    #[arg(conflicts_with_all = ["replay", "accept", "code", "from_examples", "improve"])]
    pub(crate) host: Vec<host::Wanted>,
    /// The model that judges statements about answers
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: Option<String>,
    /// Trials of each case with each model
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=reader::MAX_TRIALS))]
    pub(crate) trials: Option<u64>,
    /// Trials that run at the same time
    #[arg(short, long, value_name = "NUMBER", default_value = "4", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,
    /// Run calls of these tools without a question
    #[arg(long, value_name = "PATTERN")]
    pub(crate) allow: Vec<String>,
    /// Begin no trial beyond this, for all together: trials, tokens, seconds or money
    #[arg(long, value_name = "LIMIT=NUMBER")]
    budget: Vec<String>,
    /// Only cases where this regular expression matches in FILE/NAME
    #[arg(short = 't', long = "test", value_name = "PATTERN")]
    test: Option<String>,
    /// The model writes programs that call the tools, as with cogtools ask --code
    #[arg(long, conflicts_with_all = ["ablate", "improve"])]
    pub(crate) code: bool,
    /// Also declare this many tools that no task needs
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    pub(crate) with_decoys: usize,
    /// Keep trials beside the cases; those that are there and not stale do not run
    #[arg(long, conflicts_with_all = ["replay", "accept"])]
    pub(crate) record: bool,
    /// Judge the trials that are recorded beside the cases, without a model
    #[arg(long)]
    pub(crate) replay: bool,
    /// Take stale recordings as they are, and write the new digests
    #[arg(long)]
    pub(crate) accept: bool,
    /// Compare with the tools of a git revision or a folder, or with an earlier report
    #[arg(long, value_name = "REF|FOLDER|REPORT")]
    pub(crate) compare: Option<String>,
    /// Compare with declarations without these parts
    #[arg(long, value_name = "PART", value_delimiter = ',', conflicts_with_all = ["replay", "accept"])]
    #[arg(value_parser = PossibleValuesParser::new(["description", "examples", "enum"]))]
    pub(crate) ablate: Vec<String>,
    /// Compare with the same tasks without tools
    #[arg(long, conflicts_with_all = ["replay", "accept"])]
    pub(crate) without: bool,
    /// Write cases for the examples of tools that have none: a model phrases the requests
    #[arg(long, conflicts_with_all = ["improve", "record", "replay", "accept", "compare", "ablate", "without", "test", "format", "json"])]
    pub(crate) from_examples: bool,
    /// Rewrite the description of a tool, and keep it if held-out cases show that it is better
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["names", "record", "replay", "accept", "compare", "ablate", "without", "format", "json"])]
    pub(crate) improve: Option<String>,
    /// The model that phrases requests and rewrites descriptions; the first of --models by default
    #[arg(long, value_name = "MODEL")]
    pub(crate) writer: Option<String>,
    /// The budget of a description that --improve writes; by default its present size, or 60
    #[arg(long, value_name = "NUMBER", requires = "improve")]
    pub(crate) description_tokens: Option<usize>,
    /// Write the changes of --from-examples and --improve without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answer questions about figures: JSON lines on stdin
    #[arg(long, conflicts_with_all = ["names", "record", "replay", "accept", "compare", "from_examples", "improve"])]
    statistics: bool,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json", "junit", "markdown"])]
    format: String,
    /// Same as --format json
    #[arg(long, overrides_with = "format")]
    json: bool,
    #[command(flatten)]
    env: EnvArgs,
    #[command(flatten)]
    locked: LockedArg,
    #[command(flatten)]
    filter: NameFilterArgs,
    /// The options about tools. `--host` is about the hosts that are measured.
    #[arg(skip)]
    pub(crate) registry: RegistryArgs,
    /// The options about the model, over the configuration.
    #[arg(skip)]
    pub(crate) model: ModelOptions,
    /// The limits of the whole run, whose turns are trials.
    #[arg(skip)]
    pub(crate) whole: Budget,
    /// Selects cases.
    #[arg(skip)]
    pub(crate) only: Option<Regex>,
}

impl EvalArgs {
    /// The name of the report's format.
    pub(crate) fn format(&self) -> &str {
        if self.json { "json" } else { &self.format }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: EvalArgs = args::parse(matches)?;
    if args.statistics {
        return answer_statistics(io);
    }
    args.model = ModelOptions::of_model(matches)?;
    args.registry = RegistryArgs {
        env: args.env,
        locked: args.locked,
        filter: FilterArgs {
            names: args.filter.clone(),
            ..FilterArgs::default()
        },
        ..RegistryArgs::default()
    };
    args.whole = read_limits(&args.budget, &LIMITS, Budget::NONE)?;
    args.replay |= args.accept;
    let only = args.test.as_deref().map(case::pattern).transpose();
    args.only =
        only.map_err(|error| Diagnostic::new(Code::Usage, format!("this is no pattern: {error}")))?;
    evaluation::run(args, io)
}

fn answer_statistics(io: &mut Io<'_>) -> Result<(), Failure> {
    let line = "cogtools eval --statistics < questions.jsonl";
    let bytes = text_input::read_input(io, "the input", line)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut answers = String::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let row = serde_json::from_str(line).map_err(|error| error.to_string());
        let answer = row.and_then(|row| statistics::answer(&row));
        let answer = answer.map_err(|error| {
            Diagnostic::new(Code::Usage, error).with_subject(format!("line {number}"))
        })?;
        // Writing to a string cannot fail.
        let _ = writeln!(answers, "{answer}");
    }
    io.show_json(&answers)
}
