//! The environment of a project, for everything that runs programs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::environment::{EnvError, OFFLINE, Unread, Vars};
use crate::http::Requests;
use crate::process::{Confinement, Limits, LineSink, SandboxMode};
use crate::resident::{Client, Sessions};
use crate::todo::TodoList;
use crate::trust::{Trust, Verdict};
use crate::{Cancel, Diagnostic, Environment, PausedFlow, Person, Progress, Resident};

/// The use of recorded responses by an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tape {
    /// It records them in this file.
    Record(PathBuf),
    /// It uses those in this file, and no model.
    Replay(PathBuf),
}

/// The time that a list of tools waits for sources that are programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListWait {
    /// Until each has answered, or its timeout has passed.
    #[default]
    Timeout,
    /// For the moment that a host has; one that takes longer is left out, or represented by
    /// its earlier declarations.
    Moment,
    /// Like [`Self::Moment`], but longer for the tools of one that has neither declared any nor
    /// failed: the host waits, and has no other list until it ends.
    Patient,
    /// Not at all: the host hears of what comes later.
    Instant,
}

/// Warnings for the end of a run, each once; shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Arc<Mutex<Vec<Diagnostic>>>);

/// The context for tools and sources that run programs. Templates do not need it.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The working directory of every program that is run: the project's root, absolute.
    pub root: PathBuf,
    /// The variables that they may see.
    pub environment: Environment,
    /// The user's approvals.
    pub trust: Trust,
    /// The folder for caches, if any.
    pub cache: Option<PathBuf>,
    /// The folder for the user's own records and private copies, if any.
    pub state: Option<PathBuf>,
    /// The folder of cogtools's own programs, if known.
    pub programs: Option<PathBuf>,
    /// The limits of each program.
    pub limits: Limits,
    /// The use of sandboxes.
    pub sandbox: SandboxMode,
    /// The folders with tools, which no tool writes that works on the project as a whole.
    pub tool_folders: Vec<PathBuf>,
    /// Warnings for the end of the run.
    pub warnings: Warnings,
    /// Cancels running programs.
    pub cancel: Cancel,
    /// Makes the requests of tools; without it, a program of its own does for each call.
    pub requests: Option<Arc<dyn Requests>>,
    /// The sessions with MCP servers; without them, each call starts its server.
    pub sessions: Option<Arc<dyn Sessions>>,
    /// Options for the programs that run the tools of a tool, such as `--locked`.
    pub options: Arc<Vec<OsString>>,
    /// The options of lists of tools.
    pub list: ListContext,
    /// The parts that only some calls have.
    pub call: CallContext,
}

/// The options of lists of tools, for the sources that are programs.
#[derive(Clone, Debug, Default)]
pub struct ListContext {
    /// True to ignore cached data and renew it.
    pub refresh: bool,
    /// True if only cached declarations are used, so that listing tools starts nothing.
    pub cached_only: bool,
    /// The time that listing tools waits for sources.
    pub wait: ListWait,
    /// The memory of a program that stays about the sources.
    pub resident: Option<Arc<Resident>>,
    /// The process that goes on asking sources when a list has stopped waiting for them.
    pub background: Option<Background>,
    /// The new file to which the paths are written that a source is denied.
    pub trace: Option<PathBuf>,
}

/// A process that outlives this one and asks the sources of a list to the end; started once, when
/// a list needs it.
#[derive(Clone, Debug)]
pub struct Background {
    command: Arc<Mutex<Command>>,
    is_started: Arc<OnceLock<bool>>,
}

impl Background {
    /// A process that runs `program` with `args` in `directory` with exactly these `variables`. It has
    /// none of the streams of this process, so that a host need not wait for it.
    pub fn new(
        (program, args): (PathBuf, &[&str]),
        directory: PathBuf,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(directory);
        command.env_clear().envs(variables);
        command.stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        // What ends this process and its group need not end that one.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        {
            const DETACHED: u32 = 0x0000_0008 | 0x0000_0200;
            std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED);
        }
        Self {
            command: Arc::new(Mutex::new(command)),
            is_started: Arc::default(),
        }
    }

    /// Starts it, unless it is started; returns true if it was.
    pub fn start(&self) -> bool {
        *self.is_started.get_or_init(|| {
            let mut command = self.command.lock().unwrap_or_else(PoisonError::into_inner);
            command.spawn().is_ok()
        })
    }
}

/// The parts of a context that only calls in a session, a flow or a test have.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// The list of things to do of the session, if there is one.
    pub todos: Option<TodoList>,
    /// The receiver of the progress of a call.
    pub progress: Option<Progress>,
    /// The metadata of the call, such as `traceparent`, for an MCP server.
    pub meta: Arc<Map<String, Value>>,
    /// The recording of the responses to agents.
    pub tape: Option<Tape>,
    /// Answers of tools that flows call without calling them, by their names or capabilities, for an
    /// example that is tested.
    pub presets: Arc<Map<String, Value>>,
    /// Code for nodes of a flow that returns the numbers of the branches that it takes, by node. It
    /// runs beside the code of the node, and its results are events.
    pub counted: Arc<BTreeMap<String, String>>,
    /// The surroundings of the program, in an example that is tested.
    pub fixture: Option<Arc<Fixture>>,
    /// The rules of the user for calls of tools by code and flows within the call, unless the user
    /// makes the call.
    pub rules: Option<Arc<CallRules>>,
    /// The receiver of the events of nodes and models within the call, one JSON object each.
    pub events: Option<LineSink>,
    /// True if a flow makes the call: it tells faults of the configuration from other failures.
    pub is_in_flow: bool,
    /// The person who answers the questions of a flow, if the client can ask one.
    pub person: Option<Person>,
    /// The earlier call of the same flow that goes on, with the answer that it has waited for.
    pub paused: Option<PausedFlow>,
    /// The client that makes the call, if it has sessions of its own with MCP servers.
    pub client: Option<Client>,
}

/// Rules of the user for calls of tools within a call, where nobody can be asked: patterns of names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallRules {
    /// Tools that may not be called.
    pub deny: Vec<String>,
    /// Tools whose calls need an approval.
    pub ask: Vec<String>,
    /// Tools whose calls need none, whatever the configuration and their source say.
    pub granted: Vec<String>,
}

/// The surroundings of a program in an example that is tested.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// The folder with programs, which comes before those on PATH.
    pub programs: Option<PathBuf>,
    /// The folder that takes the place of the project's root.
    pub folder: Option<PathBuf>,
}

impl Warnings {
    /// Adds a warning.
    pub fn add(&self, warning: Diagnostic) {
        let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Takes all warnings.
    pub fn take(&self) -> Vec<Diagnostic> {
        let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut warnings)
    }
}

impl Context {
    /// The name of the program that contains all others: not every installation has a link with
    /// the name of each.
    pub(crate) const PROGRAM: &str = "cogtools";

    /// This context, for work that `cancel` ends.
    #[must_use]
    pub fn ended_by(self, cancel: &Cancel) -> Self {
        let cancel = cancel.clone();
        Self { cancel, ..self }
    }

    /// Returns the file of [`Self::PROGRAM`], if it is installed.
    pub(crate) fn own_program(&self) -> Option<PathBuf> {
        let file = format!("{}{}", Self::PROGRAM, std::env::consts::EXE_SUFFIX);
        let program = self.programs.as_ref()?.join(file);
        program.is_file().then_some(program)
    }

    /// Returns true if an example is tested: tools make no requests, and have recorded responses.
    pub(crate) fn is_offline(&self) -> bool {
        self.environment.process().contains_key(OsStr::new(OFFLINE))
    }

    /// The environment of a program that declares `names`, whose author is the user or another.
    pub(crate) fn env_of(&self, is_users: bool, names: &[String]) -> Result<Vars, EnvError> {
        if is_users {
            self.environment.user_env(names)
        } else {
            self.child_env(names)
        }
    }

    /// The environment of a program of the project, of a package or of a provider that
    /// declares `names`. The project's `.env` counts only if the user trusts the project.
    pub fn child_env(&self, names: &[String]) -> Result<Vars, EnvError> {
        let verdict = || self.trust.project_verdict(&self.root);
        if names.is_empty() || matches!(verdict(), Ok(Verdict::Approved)) {
            return self.environment.child_env(names);
        }
        let environment = self.environment.clone();
        environment
            .without_dotenv(Unread::Untrusted)
            .child_env(names)
    }

    /// Returns the confinement of programs of tools and sources.
    pub fn confinement(&self) -> Confinement {
        Confinement::new(self.programs.as_deref()).with_limits(self.limits)
    }
}
