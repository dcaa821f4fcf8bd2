//! The command line.

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgMatches, Args, CommandFactory as _, Parser, Subcommand};
use cogtools_core::Code;
use cogtools_log::Id;
use cogtools_program::format::FormatArg;
use cogtools_program::{Failure, Io, Program, Stdin, args, man};

use crate::diff::diff;
use crate::eval::eval;
use crate::example::example;
use crate::export::{Format, export};
use crate::fork::{fork, resume};
use crate::list::{PruneArgs, list, prune};
use crate::prompt::prompt;
use crate::rerun::{RerunArgs, rerun};
use crate::show::show;
use crate::stats::stats;
use crate::tree::tree;
use crate::verify::verify;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-session",
    command: SessionArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Program::PROJECT_CODES,
        Program::MODEL_CODES,
        Program::SESSION_CODES,
        &[
            Code::SessionDamaged,
            Code::ToolNotFound,
            Code::Repetition,
            Code::AnswerCut,
            Code::TemplateFailed,
        ],
    ],
    variables: man::SESSIONS,
    manual: MANUAL,
};

/// List, show, fork, export and check sessions with a model
#[derive(Parser)]
#[command(
    long_about = "Read the logs that `cogtools ask` writes: list the sessions of this project, \
        show what happened in one, go on with it or with a copy, export it, and check its file."
)]
struct SessionArgs {
    #[command(subcommand)]
    command: Option<SessionCommand>,
}

#[derive(Subcommand)]
enum SessionCommand {
    /// List the sessions of this project, newest first
    List {
        /// List the runs of agents that tools have started, too
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Show the turns, calls, times and tokens of a session
    Show {
        #[command(flatten)]
        session: SessionArg,
        /// Show the branch that ends at this entry
        #[arg(long, value_name = "ID")]
        from: Option<Id>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Show what a request sent to the model, layer by layer
    Prompt {
        #[command(flatten)]
        session: SessionArg,
        /// Show the last request up to this entry
        #[arg(long, value_name = "ID")]
        from: Option<Id>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Show all branches of a session, with the numbers of the entries
    Tree {
        #[command(flatten)]
        session: SessionArg,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Print a session as a document or as a request to a model
    Export {
        #[command(flatten)]
        session: SessionArg,
        /// Export the branch that ends at this entry
        #[arg(long, value_name = "ID")]
        from: Option<Id>,
        /// Markdown, JSON, or the turns in the form of an API
        #[arg(long, value_name = "FORMAT", value_enum, default_value = "md")]
        format: Format,
    },
    /// Count calls, rejections and failures of each tool over all sessions
    Stats {
        /// Count the trials of cogtools eval, too
        #[arg(long)]
        trials: bool,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Show the first difference of two sessions
    Diff {
        /// A name, the beginning of one, or a path
        #[arg(value_name = "A")]
        one: String,
        /// The other session
        #[arg(value_name = "B")]
        other: String,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Give the tasks of a session to another model, and print the name of the new session
    Rerun(RerunArgs),
    /// Print a case for cogtools eval, made of a session
    Eval {
        #[command(flatten)]
        session: SessionArg,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Add a call of a session to the examples of its tool, and print the files that change
    Example {
        /// The name of the call
        #[arg(value_name = "CALL")]
        call: String,
        #[command(flatten)]
        session: SessionArg,
        /// Also write the result of the call as the golden file of the example
        #[arg(long)]
        golden: bool,
    },
    /// Check each line of a session, and its blobs
    Verify(SessionArg),
    /// Go on with a session: cogtools ask --continue --session SESSION
    Resume {
        #[command(flatten)]
        session: SessionArg,
        /// The question; without it, standard input or a conversation
        #[arg(value_name = "PROMPT", requires = "session")]
        prompt: Vec<String>,
    },
    /// Copy a branch of a session to a new session
    Fork {
        #[command(flatten)]
        session: SessionArg,
        /// Copy up to this entry (default: the last one)
        #[arg(long, value_name = "ID")]
        from: Option<Id>,
        /// Write the new session to FILE, which must not exist
        #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
        to: Option<String>,
    },
    /// Remove old sessions of this project, with their blobs
    Prune(PruneArgs),
}

#[derive(Args)]
#[group(skip)]
struct SessionArg {
    /// A name, the beginning of one, or a path (default: the newest)
    #[arg(value_name = "SESSION")]
    session: Option<String>,
}

impl SessionArg {
    fn name(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    use SessionCommand as On;
    let arguments: SessionArgs = args::parse(matches)?;
    let Some(command) = arguments.command else {
        return Err(PROGRAM.missing_subcommand());
    };
    match command {
        On::List { all, format } => list(all, format.is_json(), io),
        On::Show {
            session,
            from,
            format,
        } => show(session.name(), from, format.is_json(), io),
        On::Prompt {
            session,
            from,
            format,
        } => prompt(session.name(), from, format.is_json(), io),
        On::Tree { session, format } => tree(session.name(), format.is_json(), io),
        On::Export {
            session,
            from,
            format,
        } => export(session.name(), from, format, io),
        On::Example {
            call,
            session,
            golden,
        } => example(&call, session.name(), golden, io),
        On::Stats { trials, format } => stats(trials, format.is_json(), io),
        On::Diff { one, other, format } => diff(&one, &other, format.is_json(), io),
        On::Rerun(options) => {
            let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
            rerun(&options, matches, io)
        }
        On::Eval { session, format } => eval(session.name(), format.is_json(), io),
        On::Verify(session) => verify(session.name(), io),
        On::Resume { session, prompt } => resume(session.name(), &prompt, io),
        On::Fork { session, from, to } => fork(session.name(), from, to.as_deref(), io),
        On::Prune(options) => prune(&options, io),
    }
}

/// The sections of the manual page that no command line has.
const MANUAL: &[(&str, &str)] = &[
    (
        "SESSIONS",
        "A session is a file of JSON lines: a header, then one line for each event, such as a task, a request, a response, or a call and its result. Each line names its parent, so that a session is a tree. The path from a leaf to the root is the context that the model has seen. The lines of a file never change: `cogtools ask` appends lines, and `fork` creates a new file.\n\nSESSION is the name of a session of this project, a unique beginning of a name, or the path of a file; a text with a dot or a slash is a path. Without SESSION, the command uses the session that was written to last.\n\nIf a process is killed, its last line may be incomplete. That line is ignored with a warning, and the session can be resumed; the next line then records the number of lines before it to ignore. Any other invalid line is an error.",
    ),
    (
        "OUTPUT",
        "`show --json` and `export --format json` print one object: `header` and `entries`, exactly as in the file, and `summary` with the model, turns, calls, milliseconds, usage and end. `cogtools schema session` prints the JSON Schema of the lines. `list --json` prints an array of objects with `session`, `file`, `began`, `modified`, `model`, `turns`, `calls`, `usage`, `task` and `end`; its `usage` covers all branches, also turns that were taken back or given again.\n\n`stats` counts over all sessions of the project: rejected calls are those whose arguments the tool did not take, and a repaired one was followed by a call that it took. It also names the arguments that were wrong, the tool that was called next after a failure, and tools of the project that were never called. `diff` compares tasks, calls, results and answers, not times. `rerun` gives the same tasks to the model of --model. A call gets the recorded result of the same call, by the tool and its arguments, in their order; without one it fails with `no recorded result`. With --tools live, the tools run as in `cogtools ask` without a terminal. `eval` prints a case with the results as fixtures and the calls as expectations, which you correct to what should have happened.\n\n`export --format gemini` prints `contents` for the Gemini API. The answers of the model are unchanged, and compaction and expiry are applied. `export --format openai` prints `messages` for any compatible server, without signatures and thoughts, for which that format has no place.\n\n`prompt` prints the text of a request: the layers of the prompt, with their tokens, and the text of each content. `tree --json` prints an object with `session`, `head`, the last entry, and `entries` with `id`, `parent`, `kind` and `note`. `eval --json` prints the case as JSON, and `prune --json` an object with `removed`, the names of the sessions, and `dry_run`. `fork` prints the name of the new session, or its path.",
    ),
    (
        "SECRETS",
        "Before anything is written, the values of the variables that hold provider keys are masked. The output of tools is not masked, because the model sees it: read a session before you send it to others.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/sessions/PROJECT/SESSION.jsonl\n  The sessions of a project, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. Only their user can read them.\n\nSESSION.blobs\n  A folder beside a session, with results that are too large for a line, and with what was sent to the model, once each. Each file is named by the SHA-256 of its content.",
    ),
    (
        "EXAMPLES",
        "    cogtools session list\n\n    cogtools session show\n\n    cogtools session show 7f3a --from 12\n\n    cogtools session prompt 7f3a\n\n    cogtools session fork 7f3a --from 12 --to experiment.jsonl\n\n    cogtools session rerun 7f3a --model gemini-pro-latest\n\n    cogtools session export --format gemini run.jsonl\n\n    cogtools session prune --older-than 30d --keep 20",
    ),
];
