//! The command line, and the run: from the description of a server to its answer.

use std::sync::Mutex;
use std::time::Duration;

use clap::ArgMatches;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::source::Server as Source;
use cogtools_core::{Cancel, Code, Diagnostic, Tool, ToolOutput};
use cogtools_program::call::{input_fault, quote};
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin, Vars};
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

use crate::declaration;
use crate::error::ClientError;
use crate::http::Http;
use crate::manual::MANUAL;
use crate::obstacle::Obstacle;
use crate::options::{ClientArgs, RequestArgs, command};
use crate::server::{Server, Way};
use crate::session::{Broken, Session, Step};
use crate::wire::Running;

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::ToolFailed,
        Code::InvalidArgumentsSyntax,
        Code::InvalidConfig,
        Code::Timeout,
        Code::ToolNotFound,
    ],
    variables: &[],
    manual: MANUAL,
};

pub(crate) const NAME: &str = Source::PROGRAM;
/// The variable with the description of the server.
const SERVER: &str = Source::VARIABLE;
/// How long a server may take to declare, and to answer, unless told otherwise.
const DECLARE: Duration = Source::LIST_TIMEOUT;
const ANSWER: Duration = Tool::TIMEOUT;
/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(20);
/// How long taking leave may take.
const LEAVE: Duration = Duration::from_millis(500);

/// What is asked of a server.
enum Question {
    Tools,
    /// A tool with its arguments, and whether its result is wanted whole.
    Call(String, Map<String, Value>, bool),
}

/// What it answers: text, and whether that tells of a failure.
struct Answer {
    text: String,
    failed: bool,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    // Without a subcommand clap has said so already.
    let Some(args) = ClientArgs::from_matches(matches)? else {
        return Ok(());
    };
    let variable = io
        .var(SERVER)
        .map(|text| text.to_string_lossy().into_owned());
    let Some(description) = args.server.or(variable) else {
        let diagnostic = Diagnostic::new(Code::Usage, "no server is named");
        return Err(diagnostic
            .hint(format!("describe it with --server, or in {SERVER}"))
            .into());
    };
    let server = Server::read(&description).map_err(|error| error.diagnostic(String::new()))?;
    let (question, usual) = match args.request {
        RequestArgs::Call { tool, json } => {
            let arguments = arguments(&tool, io)?;
            (Question::Call(tool, arguments, json), ANSWER)
        }
        RequestArgs::Discover => (Question::Tools, DECLARE),
    };
    let answer = ask(&server, &question, server.patience(usual), io)?;
    if answer.failed {
        // The tool's own words, for whoever started this program.
        let mut diagnostic = Diagnostic::new(Code::ToolFailed, "the tool says that it failed");
        diagnostic.details = answer.text;
        return Err(diagnostic.into());
    }
    io.print(answer.text.as_bytes())
}

/// The arguments for `tool`.
fn arguments(tool: &str, io: &mut Io<'_>) -> Result<Map<String, Value>, Failure> {
    let bytes = io.stdin.read().map_err(|error| {
        let line = format!("{NAME} call {}", quote(tool));
        input_fault(&error, tool, || None, &line)
    })?;
    let arguments = Arguments::read(bytes, Syntax::Json).map_err(|error| error.diagnostic())?;
    Ok(arguments.into_object())
}

/// Asks the server, and leaves nothing of it behind.
fn ask(
    server: &Server,
    question: &Question,
    patience: Duration,
    io: &Io<'_>,
) -> Result<Answer, Failure> {
    let mut vars = io.vars.clone();
    vars.remove(std::ffi::OsStr::new(SERVER));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Diagnostic::new(
            Code::Internal,
            format!("no runtime can be started: {error}"),
        )
    })?;
    let cancel = Cancel::default();
    let watch = SignalGuard::begin(&cancel);
    let step = Mutex::new("initialize");
    let talk = Talk {
        server,
        question,
        patience,
        cancel: &cancel,
        step: &step,
    };
    let way = server
        .way()
        .map_err(|error| error.diagnostic(String::new()))?;
    let asked = match way {
        Way::Command(program, args) => {
            let running = Running::start(&server.name, program, args, &vars, &io.cwd);
            running
                .map_err(|error| Box::new(error.diagnostic(String::new())))
                .and_then(|running| runtime.block_on(talk.streams(running)))
        }
        Way::Url(url) => runtime.block_on(talk.http(url, &vars)),
    };
    runtime.shutdown_background();
    match watch.status() {
        Some(status) => Err(Failure::Status(status)),
        None => asked.map_err(|diagnostic| Failure::from(*diagnostic)),
    }
}

/// One question to one server.
struct Talk<'t> {
    server: &'t Server,
    question: &'t Question,
    patience: Duration,
    cancel: &'t Cancel,
    step: &'t Step,
}

impl Talk<'_> {
    async fn streams(&self, mut running: Running) -> Result<Answer, Box<Diagnostic>> {
        let wire = running.wire();
        let answer = self.bounded(self.talk(|| wire.clone())).await;
        let error = match answer {
            Ok(answer) => {
                running.end(false);
                return Ok(answer);
            }
            Err(Broken::Gone(step)) => running.verdict(step),
            Err(Broken::Said(error)) => match (error, running.noise()) {
                (ClientError::Late(name, ..), Some(noise)) => ClientError::Noise(name, noise),
                (error, _) => error,
            },
        };
        running.end(true);
        // What a server says whose output nobody reads any more only misleads.
        let said = match error {
            ClientError::Noise(..) | ClientError::TooLarge(_) => String::new(),
            _ => running.said(),
        };
        Err(Box::new(error.diagnostic(said)))
    }

    async fn http(&self, url: &str, vars: &Vars) -> Result<Answer, Box<Diagnostic>> {
        let name = &self.server.name;
        let plain = |error: ClientError| {
            let mut diagnostic = error.diagnostic(String::new());
            diagnostic.message = self.server.hushed(&diagnostic.message, vars);
            Box::new(diagnostic)
        };
        let headers = self.server.headers(vars).map_err(plain)?;
        let http =
            Http::new(url).map_err(|obstacle| plain(ClientError::Http(name.clone(), obstacle)))?;
        let answer = self
            .bounded(self.talk(|| http.transport(url, &headers)))
            .await;
        answer.map_err(|broken| match broken {
            Broken::Said(error) => plain(error),
            Broken::Gone(_) => plain(match http.last().unwrap_or(Obstacle::Cut) {
                Obstacle::TooLarge => ClientError::TooLarge(name.clone()),
                obstacle => ClientError::Http(name.clone(), obstacle),
            }),
        })
    }

    /// The same work within its time, and as long as nobody wants it to stop.
    async fn bounded(
        &self,
        work: impl Future<Output = Result<Answer, Broken>>,
    ) -> Result<Answer, Broken> {
        let stopped = async {
            while !self.cancel.is_cancelled() {
                tokio::time::sleep(TICK).await;
            }
        };
        let late = || {
            let step = self.step.lock().map_or("initialize", |step| *step);
            let name = self.server.name.clone();
            Broken::Said(ClientError::Late(name, step, self.patience))
        };
        let both = futures::future::select(Box::pin(work), Box::pin(stopped));
        match tokio::time::timeout(self.patience, both).await {
            Ok(futures::future::Either::Left((answer, _))) => answer,
            _ => Err(late()),
        }
    }

    async fn talk<T: rmcp::transport::Transport<rmcp::RoleClient> + 'static>(
        &self,
        transport: impl Fn() -> T,
    ) -> Result<Answer, Broken> {
        let session = Session::begin(&self.server.name, self.step, transport).await?;
        let answer = match self.question {
            Question::Tools => {
                let tools = session.tools().await?;
                let tools: Vec<Value> = tools.iter().map(declaration::of).collect();
                let text = json!(tools).to_string();
                Answer {
                    text,
                    failed: false,
                }
            }
            Question::Call(tool, arguments, whole) => {
                // Over HTTP a server of the newer era may want arguments as headers
                // too; which ones its list says.
                if session.is_modern() && self.server.url.is_some() {
                    session.tools().await?;
                }
                let result = session.call(tool, arguments.clone()).await?;
                let failed = result.get("isError") == Some(&Value::Bool(true));
                let text = if *whole && !failed {
                    json!(result).to_string()
                } else {
                    ToolOutput::from_mcp(result).text
                };
                Answer { text, failed }
            }
        };
        let _ = tokio::time::timeout(LEAVE, session.end()).await;
        Ok(answer)
    }
}
