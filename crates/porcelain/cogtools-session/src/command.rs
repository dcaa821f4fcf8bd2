//! The command line.

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::Code;
use cogtools_program::format::FormatArg;
use cogtools_program::{Failure, Io, Program, Stdin, args, man};

use crate::diff::diff;
use crate::eval::eval;
use crate::example::{ExampleArgs, example};
use crate::export::{ExportArgs, export};
use crate::fork::{ForkArgs, fork, resume};
use crate::list::{PruneArgs, list, prune};
use crate::locate::SessionArg;
use crate::prompt::{PromptArgs, prompt};
use crate::rerun::{RerunArgs, rerun};
use crate::show::{ShowArgs, show};
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
    Show(ShowArgs),
    Prompt(PromptArgs),
    /// Show all branches of a session, with the numbers of the entries
    Tree {
        #[command(flatten)]
        session: SessionArg,
        #[command(flatten)]
        format: FormatArg,
    },
    Export(ExportArgs),
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
    Example(ExampleArgs),
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
    Fork(ForkArgs),
    /// Remove old sessions of this project, with their blobs
    Prune(PruneArgs),
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    use SessionCommand as On;
    let arguments: SessionArgs = args::parse(matches)?;
    let Some(command) = arguments.command else {
        return Err(PROGRAM.missing_subcommand());
    };
    match command {
        On::List { all, format } => list(all, format.is_json(), io),
        On::Show(options) => show(&options, io),
        On::Prompt(options) => prompt(&options, io),
        On::Tree { session, format } => tree(&session, format.is_json(), io),
        On::Export(options) => export(&options, io),
        On::Example(options) => example(&options, io),
        On::Stats { trials, format } => stats(trials, format.is_json(), io),
        On::Diff { one, other, format } => diff(&one, &other, format.is_json(), io),
        On::Rerun(options) => {
            let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
            rerun(&options, matches, io)
        }
        On::Eval { session, format } => eval(&session, format.is_json(), io),
        On::Verify(session) => verify(&session, io),
        On::Resume { session, prompt } => resume(&session, &prompt, io),
        On::Fork(options) => fork(&options, io),
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
