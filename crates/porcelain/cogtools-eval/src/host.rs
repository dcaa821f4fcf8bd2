//! Hosts as a whole: the real program, without a terminal, in front of the tools of a trial.
//!
//! A host is a model whose calls come over MCP. The agent of the trial stays in charge, so that
//! permissions, fixtures, limits, the log and recordings are the same as with any other model.

use std::collections::HashMap;
use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cogtools_core::file::{WritePath, create_private_folder, replace_private};
use cogtools_core::process::{Output, Process};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::server;
use cogtools_model::{Chunk, Chunks, Model, ModelError, Request};
use cogtools_program::{Failure, Io, SystemProgram};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Value, json};
use strum::VariantNames as _;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::case::Case;
use crate::offer::{Call, Offer, SERVER};
use crate::run::{failed, response_of};

/// The variable with the token of the server: no command line and no file has it.
const TOKEN: &str = "COGTOOLS_TRIAL_TOKEN";
/// The longest time that a trial takes is shorter.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// A kind of host.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
enum Kind {
    ClaudeCode,
    Codex,
    Gemini,
}

/// A host that the command line names, and the model that it is asked to use.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    kind: Kind,
    model: Option<String>,
}

/// A host that is installed.
#[derive(Debug)]
pub(crate) struct Host {
    wanted: Wanted,
    program: SystemProgram,
    /// Its name in reports and recordings: `codex@0.169.0`, with `:MODEL` if that was named.
    pub(crate) column: String,
}

/// Figures that a host reports about a trial; the others are unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) turns: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) money: Option<f64>,
}

/// The end of one task.
#[derive(Debug)]
struct Answer {
    text: String,
    /// The conversation, to go on with it.
    session: Option<String>,
    used: Used,
}

impl Kind {
    fn name(self) -> &'static str {
        self.into()
    }

    fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            other => other.name(),
        }
    }

    /// Reads what the host prints.
    ///
    /// # Errors
    /// The message of the host, if it has failed.
    fn read(self, stdout: &str) -> Result<Answer, String> {
        let values = stdout.lines().map(serde_json::from_str::<Value>);
        let values: Vec<Value> = values.filter_map(Result::ok).collect();
        let text = |value: &Value, pointer: &str| {
            let found = value.pointer(pointer).and_then(Value::as_str);
            found.map(str::to_owned)
        };
        let sum = |value: &Value, keys: &[&str]| {
            let mut known = keys.iter().filter_map(|key| value[*key].as_u64());
            known.next().map(|first| first + known.sum::<u64>())
        };
        let none = || format!("{} printed no answer", self.program());
        match self {
            Self::ClaudeCode => {
                let last = values.last().ok_or_else(none)?;
                let result = text(last, "/result").or_else(|| text(last, "/errors/0"));
                if last["is_error"] != false {
                    return Err(result
                        .or_else(|| text(last, "/subtype"))
                        .unwrap_or_else(none));
                }
                let keys = [
                    "input_tokens",
                    "cache_creation_input_tokens",
                    "cache_read_input_tokens",
                    "output_tokens",
                ];
                Ok(Answer {
                    text: result.ok_or_else(none)?,
                    session: text(last, "/session_id"),
                    used: Used {
                        turns: last["num_turns"].as_u64(),
                        tokens: sum(&last["usage"], &keys),
                        money: last["total_cost_usd"].as_f64(),
                    },
                })
            }
            Self::Codex => {
                let kind = |kind: &'static str| values.iter().filter(move |it| it["type"] == kind);
                if let Some(failed) = kind("turn.failed").next_back() {
                    return Err(text(failed, "/error/message").unwrap_or_else(none));
                }
                let mut said = kind("item.completed").map(|it| &it["item"]);
                let said = said.rfind(|item| item["type"] == "agent_message");
                let done = kind("turn.completed").next_back().ok_or_else(none)?;
                Ok(Answer {
                    text: said
                        .and_then(|item| text(item, "/text"))
                        .unwrap_or_default(),
                    session: kind("thread.started").find_map(|it| text(it, "/thread_id")),
                    used: Used {
                        tokens: sum(&done["usage"], &["input_tokens", "output_tokens"]),
                        ..Used::default()
                    },
                })
            }
            Self::Gemini => {
                let whole: Value = serde_json::from_str(stdout).map_err(|_| none())?;
                if whole["error"].is_object() {
                    return Err(text(&whole, "/error/message").unwrap_or_else(none));
                }
                let models = whole["stats"]["models"].as_object();
                let total = |pointer: &str| {
                    let mut all = models?.values().map(|it| it.pointer(pointer)?.as_u64());
                    all.try_fold(0, |sum, one| Some(sum + one?))
                };
                Ok(Answer {
                    text: text(&whole, "/response").ok_or_else(none)?,
                    session: Some("latest".to_owned()),
                    used: Used {
                        turns: total("/api/totalRequests"),
                        tokens: total("/tokens/total"),
                        money: None,
                    },
                })
            }
        }
    }
}

/// Reads `HOST` or `HOST:MODEL`.
///
/// # Errors
/// The names of the hosts, if this is none.
pub(crate) fn parse(word: &str) -> Result<Wanted, String> {
    let (name, model) = match word.split_once(':') {
        Some((name, model)) if !model.is_empty() => (name, Some(model.to_owned())),
        Some(_) => return Err("a model has to follow the colon".to_owned()),
        None => (word, None),
    };
    let none = |_| format!("the hosts are {}", Kind::VARIANTS.join(", "));
    let kind = name.parse().map_err(none)?;
    Ok(Wanted { kind, model })
}

impl Host {
    /// Finds the host on PATH, and asks for its version.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it is not installed, or does not start.
    pub(crate) fn find(
        wanted: &Wanted,
        root: &Path,
        cancel: &Cancel,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let name = wanted.kind.program();
        let failed = |message: String| {
            let diagnostic = Diagnostic::new(Code::Unavailable, message).with_subject(name);
            diagnostic.hint("install it, so that it is on PATH, and log in")
        };
        let program = SystemProgram::find(name, root, io)
            .ok_or_else(|| failed("the host is not installed".to_owned()))?;
        let output = program.process(root).args(["--version"]).run(cancel);
        let output = output.map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout.bytes);
        let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
        let none = || failed(format!("--version {}, without one", output.exit.describe()));
        let version = text.split_whitespace().find(is_number).ok_or_else(none)?;
        let model = wanted.model.iter().map(|model| format!(":{model}"));
        let column = format!(
            "{}@{version}{}",
            wanted.kind.name(),
            model.collect::<String>()
        );
        Ok(Self {
            wanted: wanted.clone(),
            program,
            column,
        })
    }

    /// Checks that no file of a case is one of the settings with which a host runs commands, or
    /// sends its key elsewhere.
    ///
    /// # Errors
    /// The name of the file.
    pub(crate) fn check_files(&self, case: &Case) -> Result<(), String> {
        let is_hidden = |name: &&String| name.split(['/', '\\']).any(|part| part.starts_with('.'));
        match case.files.keys().find(is_hidden) {
            Some(name) => Err(format!("`{name}` could change {}", self.column)),
            None => Ok(()),
        }
    }

    /// Returns true if it reports its cost.
    pub(crate) fn has_money(&self) -> bool {
        self.wanted.kind == Kind::ClaudeCode
    }
}

/// A host that runs the tasks of one trial.
#[derive(Debug)]
pub(crate) struct HostModel<'h> {
    host: &'h Host,
    /// The working directory of the host.
    directory: PathBuf,
    url: String,
    token: String,
    offer: Arc<Offer>,
    cancel: Cancel,
    state: Mutex<State>,
    /// The server ends with it.
    _server: oneshot::Sender<()>,
}

/// The state of the conversation.
#[derive(Debug)]
struct State {
    task: Option<String>,
    calls: mpsc::UnboundedReceiver<Call>,
    open: HashMap<String, oneshot::Sender<Value>>,
    count: u64,
    process: Option<JoinHandle<std::io::Result<Output>>>,
    session: Option<String>,
    used: Option<Used>,
}

impl<'h> HostModel<'h> {
    /// Starts the server of a trial whose host works in `directory`.
    ///
    /// # Errors
    /// The system has no port or no random numbers.
    pub(crate) async fn new(
        host: &'h Host,
        directory: PathBuf,
        cancel: &Cancel,
    ) -> Result<Self, String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        let token = cogtools_core::digest::bytes(&bytes).to_string();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = server::Server::bind(address).await;
        let server = server.map_err(|error| error.to_string())?;
        let url = format!("http://{}/mcp", server.address());
        let (calls, receiver) = mpsc::unbounded_channel();
        let offer = Arc::new(Offer {
            tools: OnceLock::new(),
            was_listed: AtomicBool::new(false),
            calls,
        });
        let options = server::ServerOptions {
            token: Some(token.clone()),
            // Hosts keep connections while models think.
            head_timeout: Duration::from_mins(10),
            shutdown_grace: Duration::ZERO,
            ..server::ServerOptions::default()
        };
        let shared = Arc::clone(&offer);
        let handle = move |request| Arc::clone(&shared).handle(request);
        let (alive, gone) = oneshot::channel::<()>();
        tokio::spawn(server.serve(options, handle, gone.map(drop)));
        Ok(Self {
            host,
            directory,
            url,
            token,
            offer,
            cancel: cancel.child(),
            state: Mutex::new(State {
                task: None,
                calls: receiver,
                open: HashMap::new(),
                count: 0,
                process: None,
                session: None,
                used: None,
            }),
            _server: alive,
        })
    }

    /// Takes the next task of the conversation.
    pub(crate) async fn begin(&self, task: &str) {
        self.state.lock().await.task = Some(task.to_owned());
    }

    /// Ends the host and everything that it has started. Returns what it has used; of a host that
    /// was stopped, nothing is known.
    pub(crate) async fn end(self) -> Used {
        self.cancel.cancel();
        let mut state = self.state.lock().await;
        match state.process.take() {
            Some(process) => {
                // It was stopped.
                let _ = process.await;
                Used::default()
            }
            None => state.used.unwrap_or_default(),
        }
    }

    /// The host, about to be given `task`.
    fn process(&self, task: String, session: Option<&str>) -> Result<Process, ModelError> {
        let Wanted { kind, model } = &self.host.wanted;
        let header = |token: String| json!({"Authorization": format!("Bearer {token}")});
        let mut variables = vec![(TOKEN, self.token.clone())];
        let mut args: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
        match kind {
            Kind::ClaudeCode => {
                let headers = header(format!("${{{TOKEN}}}"));
                let server = json!({"type": "http", "url": self.url, "headers": headers});
                let servers = json!({"mcpServers": {SERVER: server}}).to_string();
                add(&[
                    "-p",
                    "--output-format",
                    "json",
                    "--permission-mode",
                    "default",
                ]);
                add(&["--strict-mcp-config", "--mcp-config", &servers]);
                add(&["--allowedTools", &format!("mcp__{SERVER}")]);
                // It waits for the server, however busy the machine is.
                variables.push(("MCP_CONNECTION_NONBLOCKING", "0".to_owned()));
            }
            Kind::Codex => {
                let server = format!(
                    "mcp_servers.{SERVER}={{url={:?},bearer_token_env_var={TOKEN:?},\
                     required=true,tool_timeout_sec=600,default_tools_approval_mode=\"approve\"}}",
                    self.url
                );
                add(&["exec", "--json", "--skip-git-repo-check"]);
                add(&["--sandbox", "workspace-write", "-c", &server]);
            }
            Kind::Gemini => {
                let server = json!({
                    "httpUrl": self.url, "headers": header(format!("${TOKEN}")),
                    "trust": true, "timeout": 600_000,
                });
                if session.is_none() {
                    self.configure_gemini(&json!({"mcpServers": {SERVER: server}}))?;
                }
                add(&["--output-format", "json", "--approval-mode", "default"]);
                add(&["--allowed-mcp-server-names", SERVER]);
                variables.push(("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()));
            }
        }
        if let Some(model) = model {
            add(&["--model", model]);
        }
        match (kind, session) {
            (Kind::Codex, Some(session)) => add(&["resume", session, "-"]),
            (Kind::Codex, None) => add(&["-"]),
            (_, Some(session)) => add(&["--resume", session]),
            (_, None) => {}
        }
        let mut process = self.host.program.process(&self.directory).args(args);
        for (name, value) in variables {
            process = process.variable(name, |_| value.into());
        }
        for name in ["NO_PROXY", "no_proxy"] {
            process = process.variable(name, |old| {
                let mut all = old.map_or_else(Default::default, |mut old| {
                    old.push(",");
                    old
                });
                all.push("127.0.0.1");
                all
            });
        }
        Ok(process.input(task).timeout(FOREVER).stdout_limit(64 << 20))
    }

    /// Writes settings of the folder in which the host works: it has no option for servers.
    fn configure_gemini(&self, settings: &Value) -> Result<(), ModelError> {
        let folder = self.directory.join(".gemini");
        let file = folder.join("settings.json");
        let failed = |error: &dyn Display| ModelError::Program(error.to_string());
        create_private_folder(&folder).map_err(|error| failed(&error))?;
        let (path, text) = (WritePath::in_folder(&file), settings.to_string());
        replace_private(&path, text.as_bytes()).map_err(|error| failed(&error))
    }

    /// Waits until the host calls tools, or ends.
    async fn next(&self, state: &mut State) -> Result<Value, ModelError> {
        let Some(process) = &mut state.process else {
            return Err(ModelError::Unsupported("a request without a task"));
        };
        let call = tokio::select! {
            biased;
            Some(call) = state.calls.recv() => call,
            ended = process => {
                state.process = None;
                let output = ended.map_err(std::io::Error::other).flatten();
                let output =
                    output.map_err(|error| ModelError::Program(error.to_string()))?;
                return self.finish(&output, state);
            }
        };
        let mut parts = Vec::new();
        let mut next = Some(call);
        while let Some(call) = next {
            state.count += 1;
            let id = format!("{}-{}", self.host.wanted.kind.name(), state.count);
            let call_part = json!({"id": id, "name": call.name, "args": call.arguments});
            parts.push(json!({"functionCall": call_part}));
            state.open.insert(id, call.result);
            next = state.calls.try_recv().ok();
        }
        Ok(parts.into())
    }

    /// Reads the answer of a host that has ended.
    fn finish(&self, output: &Output, state: &mut State) -> Result<Value, ModelError> {
        let kind = self.host.wanted.kind;
        let stdout = String::from_utf8_lossy(&output.stdout.bytes);
        let answer = kind.read(&stdout).and_then(|answer| match output.exit {
            exit if exit.is_success() => Ok(answer),
            exit => Err(format!("{} {}", kind.program(), exit.describe())),
        });
        let answer = answer.map_err(|message| match stdout.trim() {
            "" => failed(message, output),
            _ => ModelError::Program(message),
        })?;
        let tools = self.offer.tools.get();
        let has_tools = tools.is_some_and(|tools| !tools.is_empty());
        if has_tools && !self.offer.was_listed.load(Ordering::Relaxed) {
            let message = format!("{} did not ask for the tools", kind.program());
            return Err(ModelError::Program(message));
        }
        // Codex counts the whole conversation.
        let (used, before) = (answer.used, state.used.filter(|_| kind != Kind::Codex));
        let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
        state.used = Some(before.map_or(used, |before| Used {
            turns: sum(before.turns, used.turns),
            tokens: sum(before.tokens, used.tokens),
            money: before.money.zip(used.money).map(|(one, other)| one + other),
        }));
        state.session = answer.session;
        Ok(json!([{"text": answer.text}]))
    }
}

impl Model for HostModel<'_> {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let mut state = self.state.lock().await;
            self.offer.tools.get_or_init(|| {
                let tools = request.tools.iter().map(|tool| {
                    let schema = tool.get("parametersJsonSchema").cloned();
                    json!({
                        "name": tool["name"],
                        "description": tool["description"],
                        "inputSchema": schema.unwrap_or_else(|| json!({"type": "object"})),
                    })
                });
                tools.collect()
            });
            if let Some(task) = state.task.take() {
                let process = self.process(task, state.session.as_deref())?;
                let cancel = self.cancel.clone();
                let run = tokio::task::spawn_blocking(move || process.run(&cancel));
                state.process = Some(run);
            }
            let parts = request.contents.iter().flat_map(|content| content.parts());
            for result in parts.filter(|part| part.is_result()) {
                let mut result = json!(result)["functionResponse"].take();
                let waiting = result["id"].as_str().and_then(|id| state.open.remove(id));
                // A host that is gone needs no result.
                let _ = waiting.map(|waiting| waiting.send(result["response"].take()));
            }
            let parts = self.next(&mut state).await?;
            let chunk = Chunk::from_wire(response_of(&parts));
            Ok(stream::iter([Ok(chunk)]).boxed())
        }
        .boxed()
    }
}
