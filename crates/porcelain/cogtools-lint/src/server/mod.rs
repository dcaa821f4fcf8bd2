//! `cogtools-lsp`: the linter in an editor, as a server of the Language Server Protocol on
//! standard streams. It answers from the text that the editor has, and runs nothing of a tool.

mod completion;
mod decoration;
mod document;
mod format;
mod mention;
mod navigation;
mod workspace;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read as _};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::text::Text;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io, Program, Stdin, man};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

use document::Document;
use workspace::Workspaces;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lsp",
    command: LspArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "EDITORS",
        "cogtools schema --editor NAME prints the settings that start the server in Neovim, Helix, Zed and Emacs; the extension for VS Code, which cogtools editor install installs, starts it itself. The server is for YAML files and for templates (*.njk) of a project; it is silent about other files.",
    ),
    (
        "WITH ANOTHER SERVER",
        "yaml-language-server reports mistakes of a tool file by its schema, which this server reports, too. Where both run, switch off its validation (yaml.validate: false), and keep its formatting.",
    ),
    (
        "FEATURES",
        "Diagnostics are the findings of cogtools lint, with their rule as code, for the text in the editor. Quick fixes are the edits of --fix, and names that were meant. Inside templates and JavaScript, parameters, their members, values of enums, variables of loops, filters, tests and macros are completed and explained; parameters can be found and renamed in the schema, templates, JavaScript and examples of their tool. Keys and values of tool files and of .cogtoolrc.yaml are completed and explained by their schema. Inlay hints with the types of variables are off unless the initialization option inlayHints is true.",
    ),
    (
        "EXAMPLES",
        "    cogtools schema --editor neovim\n\n    cogtools lsp",
    ),
];

/// Serve the linter to editors, over the Language Server Protocol
#[derive(Parser)]
#[command(
    long_about = "Serve the linter to editors, over the Language Server Protocol on standard \
        streams: diagnostics, quick fixes, completion, explanations, definitions, references and \
        renaming, in tool files and in the templates and the JavaScript in them. An editor starts it."
)]
struct LspArgs {
    /// Use standard streams, as always; editors pass it
    #[arg(long)]
    stdio: bool,
}

fn run(_: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    if io.stdin.is_terminal() {
        let message = "an editor starts this program and talks to it; this is a terminal";
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic
            .hint("`cogtools schema --editor neovim` prints the settings of an editor")
            .into());
    }
    let messages = read_messages(io.stdin.take())?;
    let mut server = Server {
        documents: BTreeMap::new(),
        workspaces: Workspaces::default(),
        told: String::new(),
        has_hints: false,
        state: State::New,
    };
    while let Some(message) = server.next(&messages, io)? {
        let message = match message {
            Ok(message) => message,
            Err((code, message)) => {
                // Nobody knows which request it was.
                let error = json!({"code": code as i32, "message": message});
                let text = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
                io.print(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes())?;
                continue;
            }
        };
        match message {
            Message::Request(request) => {
                let response = server.answer(request, io);
                send(io, &Message::Response(response))?;
            }
            Message::Notification(notification) if notification.method == "exit" => {
                return if server.state == State::ShutDown {
                    Ok(())
                } else {
                    Err(Failure::Reported(1))
                };
            }
            Message::Notification(notification) if server.state == State::Ready => {
                server.notice(&notification, io)?;
            }
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Ok(())
}

/// A message of the client, or the code of its error.
type Read = Result<Message, (ErrorCode, &'static str)>;

/// The size of the longest message that is read: a text, with escapes.
const MAX_MESSAGE: u64 = 8 * Text::MAX_BYTES as u64;

/// Reads `stdin` in a thread of its own, which ends with the process.
fn read_messages(stdin: Box<dyn io::Read + Send>) -> Result<Receiver<io::Result<Read>>, Failure> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut stdin = BufReader::new(stdin);
        while let Some(message) = read_message(&mut stdin).transpose() {
            let is_last = message.is_err();
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("stdin".into());
    match thread.spawn(read) {
        Ok(_) => Ok(receiver),
        Err(error) => Err(unreadable(&error).into()),
    }
}

/// Reads the next message; none at the end.
fn read_message(stdin: &mut impl BufRead) -> io::Result<Option<Read>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stdin.take(MAX_HEADER).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if let Some((name, value)) = line.split_once(':') {
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok();
            }
        } else if line.is_empty() {
            break;
        } else {
            return Err(invalid("a header without a colon"));
        }
    }
    let length: u64 = length.ok_or_else(|| invalid("a message without its length"))?;
    let mut body = stdin.take(length);
    if length > MAX_MESSAGE {
        io::copy(&mut body, &mut io::sink())?;
        return Ok(Some(Err((
            ErrorCode::InvalidRequest,
            "the message is too long",
        ))));
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    let value = serde_json::from_slice::<Value>(&bytes);
    Ok(Some(match value.map(serde_json::from_value) {
        Ok(Ok(message)) => Ok(message),
        Ok(Err(_)) => Err((ErrorCode::InvalidRequest, "this is no message of JSON-RPC")),
        Err(_) => Err((ErrorCode::ParseError, "the message is not valid JSON")),
    }))
}

/// The size of the longest line of a header.
const MAX_HEADER: u64 = 4096;

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn unreadable(error: &io::Error) -> Diagnostic {
    let message = format!("standard input cannot be read: {error}");
    Diagnostic::new(Code::IoFailed, message).hint("restart the server in the editor")
}

fn send(io: &mut Io<'_>, message: &Message) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let written = message.write(&mut bytes);
    written.map_err(|error| Failure::output(&error))?;
    io.print(&bytes)
}

fn notify(io: &mut Io<'_>, method: &str, params: Value) -> Result<(), Failure> {
    let method = method.to_owned();
    send(io, &Message::Notification(Notification { method, params }))
}

/// The open files, and what is known about their projects.
struct Server {
    documents: BTreeMap<String, Document>,
    workspaces: Workspaces,
    /// The failure to read a project that the user knows.
    told: String,
    /// True if the client wants inlay hints.
    has_hints: bool,
    state: State,
}

/// The requests that are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Only the first one of a client.
    New,
    /// All others.
    Ready,
    /// None.
    ShutDown,
}

impl Server {
    /// The next message. Before it waits for one, it reports about the files that have changed:
    /// what is typed meanwhile is reported once.
    fn next(
        &mut self,
        messages: &Receiver<io::Result<Read>>,
        io: &mut Io<'_>,
    ) -> Result<Option<Read>, Failure> {
        loop {
            let next = match messages.try_recv() {
                Ok(next) => next,
                Err(TryRecvError::Disconnected) if self.report_next(io)? => continue,
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => {
                    if self.report_next(io)? {
                        continue;
                    }
                    match messages.recv() {
                        Ok(next) => next,
                        Err(_) => return Ok(None),
                    }
                }
            };
            return next.map(Some).map_err(|error| unreadable(&error).into());
        }
    }

    /// Reports about a file that has changed, if there is one.
    fn report_next(&mut self, io: &mut Io<'_>) -> Result<bool, Failure> {
        let changed = self.documents.values_mut().find(|it| it.is_changed);
        let Some(document) = changed else {
            return Ok(false);
        };
        document.is_changed = false;
        let diagnostics = self.workspaces.check(document, io);
        let params = json!({
            "uri": document.uri, "version": document.version, "diagnostics": diagnostics,
        });
        notify(io, "textDocument/publishDiagnostics", params)?;
        let failure = &self.workspaces.failure;
        if self.told != *failure {
            self.told.clone_from(failure);
            if !failure.is_empty() {
                let params = json!({"type": 1, "message": failure});
                notify(io, "window/showMessage", params)?;
            }
        }
        Ok(true)
    }

    fn notice(&mut self, notification: &Notification, io: &mut Io<'_>) -> Result<(), Failure> {
        let params = &notification.params;
        let uri = uri_of(params);
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default();
                let version = params["textDocument"]["version"].as_i64();
                if let Some(document) = Document::open(uri, text, version.unwrap_or_default()) {
                    self.documents.insert(uri.to_owned(), document);
                }
            }
            "textDocument/didChange" => {
                if let Some(document) = self.documents.get_mut(uri) {
                    document.change(params);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.workspaces.forget();
                for document in self.documents.values_mut() {
                    document.is_changed = true;
                }
            }
            "textDocument/didClose" if self.documents.remove(uri).is_some() => {
                let params = json!({"uri": uri, "diagnostics": []});
                notify(io, "textDocument/publishDiagnostics", params)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, request: Request, io: &mut Io<'_>) -> Response {
        let refused = |code: ErrorCode, reason: &str| Err((code, reason.to_owned()));
        let result = match (self.state, request.method.as_str()) {
            (State::New, "initialize") => {
                self.state = State::Ready;
                self.has_hints =
                    request.params["initializationOptions"]["inlayHints"] == Value::Bool(true);
                Ok(capabilities(self.has_hints))
            }
            (State::New, _) => {
                let reason = "`initialize` comes before all else";
                refused(ErrorCode::ServerNotInitialized, reason)
            }
            (State::Ready, "initialize") => {
                let reason = "the server is initialized already";
                refused(ErrorCode::InvalidRequest, reason)
            }
            (State::ShutDown, _) => refused(ErrorCode::InvalidRequest, "the server is shut down"),
            (State::Ready, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Ready, method) => {
                let reason = || format!("`{method}` is not supported");
                let result = self.result(&request, io);
                let result = result.ok_or_else(|| (ErrorCode::MethodNotFound, reason()));
                result.and_then(|it| it.map_err(|reason| (ErrorCode::RequestFailed, reason)))
            }
        };
        match result {
            Ok(result) => Response::new_ok(request.id, result),
            Err((code, reason)) => Response::new_err(request.id, code as i32, reason),
        }
    }

    /// The result of a request about a file, null if nothing is known there, or why it is refused.
    fn result(&mut self, request: &Request, io: &mut Io<'_>) -> Option<Result<Value, String>> {
        let params = &request.params;
        let answer: fn(&Question<'_>) -> Option<Value> = match request.method.as_str() {
            "textDocument/codeAction" => decoration::actions,
            "textDocument/completion" => completion::complete,
            "textDocument/hover" => navigation::hover,
            "textDocument/definition" => navigation::definition,
            "textDocument/references" => navigation::references,
            "textDocument/prepareRename" => navigation::prepare_rename,
            "textDocument/rename" => |_| None,
            "textDocument/documentSymbol" => decoration::symbols,
            "textDocument/semanticTokens/full" => decoration::tokens,
            "textDocument/codeLens" => decoration::lenses,
            "textDocument/inlayHint" if self.has_hints => decoration::hints,
            _ => return None,
        };
        let Some(document) = self.documents.get_mut(uri_of(params)) else {
            return Some(Ok(Value::Null));
        };
        // The answer is about the text as it is now.
        if document.is_changed && request.method == "textDocument/codeAction" {
            self.workspaces.check(document, io);
        } else if document.is_stale {
            self.workspaces.parse(document, io);
        }
        let document = self.documents.get(uri_of(params));
        let Some(document) = document.filter(|it| it.is_ours && !it.is_too_large()) else {
            return Some(Ok(Value::Null));
        };
        let question = Question {
            document,
            offset: document.offset(&params["position"]),
            params,
            workspaces: &self.workspaces,
        };
        if request.method == "textDocument/rename" {
            return Some(navigation::rename(&question));
        }
        Some(Ok(answer(&question).unwrap_or(Value::Null)))
    }
}

/// A request about a place in a file.
struct Question<'q> {
    document: &'q Document,
    offset: usize,
    params: &'q Value,
    workspaces: &'q Workspaces,
}

fn uri_of(params: &Value) -> &str {
    params["textDocument"]["uri"].as_str().unwrap_or_default()
}

fn capabilities(has_hints: bool) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {
                "openClose": true, "change": 2, "save": {"includeText": false},
            },
            "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll"]},
            "completionProvider": {"triggerCharacters": [".", "{", "|", "'", "\"", " "]},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": {"prepareProvider": true},
            "documentSymbolProvider": true,
            "semanticTokensProvider": {
                "legend": {"tokenTypes": decoration::TOKEN_TYPES, "tokenModifiers": []},
                "full": true,
            },
            "codeLensProvider": {"resolveProvider": false},
            "inlayHintProvider": has_hints,
        },
        "serverInfo": {"name": "cogtools", "version": env!("CARGO_PKG_VERSION")},
    })
}
