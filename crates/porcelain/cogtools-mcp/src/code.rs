//! Code mode: `search_tools`, `describe_tools` and `run_code` instead of every tool. A model reads
//! the types of the tools that it needs, and writes one program that calls them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cogtools_agent::{Activity, Answer, Journal, Observer, Question, begin_session};
use cogtools_code::{Decisions, Explanation, Program, Recorded, Report, Scope, store_and_next};
use cogtools_core::text::Text;
use cogtools_core::tool::ToolError;
use cogtools_core::{Cancel, Code, Diagnostic, Tool, ToolOutput, estimate_tokens};
use cogtools_log::{ProgramStatus, Session, SessionFile};
use cogtools_program::Failure;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::call::render;
use crate::catalogue::{CallError, Catalogue};
use crate::command::RawArguments;
use crate::declarations::PublishedTool;
use crate::questions::form;

/// The tools that a client sees.
const TOOLS: [&str; 3] = [
    include_str!("code/search_tools.yaml"),
    include_str!("code/describe_tools.yaml"),
    include_str!("code/run_code.yaml"),
];
/// The types of tools up to this size, in tokens, are part of the description of `run_code`.
const BUDGET: usize = 4_000;

/// Asks the user a question by a form.
pub(crate) type AskUser =
    dyn Fn(ElicitRequestParams, &Cancel) -> Option<ElicitResult> + Send + Sync;

/// The three tools, and the programs of one connection.
pub(crate) struct CodeMode {
    tools: Vec<Tool>,
    /// Patterns of tools whose calls need no question.
    allow: Vec<String>,
    /// The session of the connection, which begins with its first program.
    session: Mutex<Option<CodeSession>>,
    /// True if clients share this server, so that each program has a session of its own.
    is_shared: bool,
}

struct CodeSession {
    file: SessionFile,
    journal: Option<Journal>,
}

/// The arguments of `run_code`.
struct Run {
    source: Source,
    args: Map<String, Value>,
    timeout: Duration,
}

enum Source {
    Code(String),
    /// The name of a program of this connection.
    Resume(String),
}

impl CodeMode {
    /// Code mode in which calls of tools that match `allow` need no question.
    ///
    /// # Errors
    /// One of the three tools is not valid, which would be a bug.
    pub(crate) fn new(allow: Vec<String>, is_shared: bool) -> Result<Self, Failure> {
        let load = |text: &&str| {
            let text = Text::new("code.yaml", text.as_bytes().to_vec()).map_err(ToolError::Text)?;
            Tool::parse(text)
        };
        let tools = TOOLS.iter().map(load).collect::<Result<_, ToolError>>();
        Ok(Self {
            tools: tools.map_err(ToolError::diagnostics)?,
            allow,
            session: Mutex::default(),
            is_shared,
        })
    }

    /// The declarations of the three tools. If the types of all tools are short, they are in the
    /// last one.
    pub(crate) fn declarations(
        &self,
        catalogue: &Catalogue,
    ) -> Result<Vec<Arc<PublishedTool>>, Vec<Diagnostic>> {
        let scope = catalogue.scope(&self.allow, Cancel::default())?;
        let (types, _) = scope.describe(scope.names());
        let count = scope.names().len();
        let end = if estimate_tokens(&types) <= BUDGET {
            format!("\n\n{types}")
        } else {
            format!(
                "\n\nThere are {count} tools: `search_tools` finds them, and `describe_tools` prints their types."
            )
        };
        let published = self.tools.iter().map(|tool| {
            let end = if tool.name().as_str() == "run_code" {
                end.as_str()
            } else {
                ""
            };
            PublishedTool::with_description(tool, end, catalogue.options(false)).map(Arc::new)
        });
        published.collect()
    }

    /// Calls one of the three tools, and returns its output, and true if it has failed.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: RawArguments,
        catalogue: &Catalogue,
        (ask, cancel): (Option<&AskUser>, Cancel),
    ) -> Result<(ToolOutput, bool), CallError> {
        let tool = self.tools.iter().find(|tool| tool.name().as_str() == name);
        let Some(tool) = tool else {
            let diagnostic = Diagnostic::new(Code::ToolNotFound, "there is no tool of that name");
            let diagnostic = diagnostic.with_subject(name);
            let hint = "`run_code` calls it, as `tools.NAME(args)`";
            return Err(CallError::NotFound(vec![diagnostic.hint(hint)]));
        };
        let arguments = accept(tool, arguments).map_err(CallError::Failed)?;
        let scope = catalogue
            .scope(&self.allow, cancel)
            .map_err(CallError::Failed)?;
        match name {
            "search_tools" => Ok((search(&arguments, &scope), false)),
            "describe_tools" => Ok((describe(&arguments, &scope), false)),
            _ => {
                let run = Run::new(arguments).map_err(CallError::Failed)?;
                let mut person = Person { ask, scope: &scope };
                let report = self.run(run, catalogue, &scope, &mut person);
                let report =
                    report.map_err(|failure| CallError::Failed(failure.diagnostics().to_vec()))?;
                let mut text = report.text();
                if report.status != ProgramStatus::Completed {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text += &render(&report.errors);
                }
                let output = ToolOutput {
                    value: Some(report.to_json()),
                    ..ToolOutput::new(text)
                };
                Ok((output, report.status != ProgramStatus::Completed))
            }
        }
    }

    /// Runs a program, unless its types do not fit or the user does not want it.
    fn run(
        &self,
        run: Run,
        catalogue: &Catalogue,
        scope: &Scope,
        person: &mut Person<'_>,
    ) -> Result<Report, Failure> {
        // Programs of a connection share its store: one runs after the other.
        let mut shared = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = None;
        let session = if self.is_shared {
            drop(shared);
            &mut own
        } else {
            &mut *shared
        };
        let read = session
            .as_ref()
            .map(|it| Session::read(&it.file))
            .transpose();
        let read = read.map_err(|error| Failure::from(error.diagnostic()))?;
        let blobs = session.as_ref().map(|it| it.file.blobs());
        let mut program = match run.source {
            Source::Resume(name) => {
                let none = || {
                    let message = format!("there is no program `{name}` in this connection");
                    Failure::from(Diagnostic::new(Code::SessionNotFound, message))
                };
                let (read, blobs) = read.as_ref().zip(blobs.as_ref()).ok_or_else(none)?;
                let recorded = Recorded::read(read, blobs, Some(&name))?;
                Program::resumed(recorded, Decisions::default())
            }
            Source::Code(code) => {
                Program::check_length(&code)?;
                let explanation = Explanation::of(&code, scope);
                let mut program = Program::new(code, run.args);
                if let Some((read, blobs)) = read.as_ref().zip(blobs.as_ref()) {
                    (program.store, program.name) = store_and_next(read, blobs)?;
                }
                if !explanation.mistakes.is_empty() {
                    return Ok(Report::of_mistakes(&program.name, explanation.mistakes));
                }
                match person.agree(&program.code, &explanation) {
                    Agreement::Run => program.consent = explanation.consent(scope),
                    Agreement::Ask => {}
                    Agreement::No(reason) => {
                        let message = match reason {
                            Some(reason) => {
                                format!("the user does not want this program: {reason}")
                            }
                            None => "the user does not want this program".to_owned(),
                        };
                        let denied = vec![Diagnostic::new(Code::Denied, message)];
                        return Ok(Report::of_mistakes(&program.name, denied));
                    }
                }
                program
            }
        };
        program.timeout = run.timeout;
        if session.is_none() {
            let begun = catalogue.with_io(|io| begin_session(None, "", io))?;
            *session = begun.map(|(log, file)| CodeSession {
                file,
                journal: Some(Journal::new(log)),
            });
        }
        let journal = session.as_mut().and_then(|session| session.journal.take());
        let (report, journal) = program.run(scope, journal, person);
        if let Some(session) = session {
            session.journal = journal;
        }
        Ok(report)
    }
}

/// Checks the arguments of one of the three tools, and fills in defaults.
fn accept(tool: &Tool, arguments: RawArguments) -> Result<Map<String, Value>, Vec<Diagnostic>> {
    let accepted = tool.accept(arguments.parse()?);
    Ok(accepted
        .map_err(|error| error.diagnostics(tool))?
        .into_object())
}

fn search(arguments: &Map<String, Value>, scope: &Scope) -> ToolOutput {
    let query = arguments
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let limit = arguments.get("limit").and_then(Value::as_u64);
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or_default();
    let (found, total) = scope.search(query, limit);
    let lines = found.iter().map(|(name, description)| {
        let first = description.lines().next().unwrap_or_default();
        format!("{name}: {first}\n")
    });
    let mut text: String = lines.collect();
    if text.is_empty() {
        text += "no tool fits\n";
    }
    let tools = found
        .iter()
        .map(|(name, description)| json!({"name": name, "description": description}));
    ToolOutput {
        value: Some(json!({"tools": tools.collect::<Vec<_>>(), "total": total})),
        ..ToolOutput::new(text)
    }
}

fn describe(arguments: &Map<String, Value>, scope: &Scope) -> ToolOutput {
    let names = arguments
        .get("names")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let names: Vec<String> = names
        .filter_map(|name| Some(name.as_str()?.to_owned()))
        .collect();
    let (types, missing) = scope.describe(&names);
    let mut text = types.clone();
    let missing: Vec<Value> = missing
        .into_iter()
        .map(|name| {
            let nearest = scope.nearest(name).into_iter().next();
            let end = nearest.map(|name| format!("; the nearest is {name}"));
            let _ = writeln!(
                text,
                "// there is no tool {name}{}",
                end.unwrap_or_default()
            );
            json!({"name": name, "nearest": nearest})
        })
        .collect();
    ToolOutput {
        value: Some(json!({"types": types, "missing": missing})),
        ..ToolOutput::new(text)
    }
}

impl Run {
    fn new(mut arguments: Map<String, Value>) -> Result<Self, Vec<Diagnostic>> {
        let mut text = |name: &str| match arguments.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let source = match (text("code"), text("resume")) {
            (Some(code), None) => Source::Code(code),
            (None, Some(name)) => Source::Resume(name),
            _ => {
                let message = "pass either `code` or `resume`";
                let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
                return Err(vec![diagnostic.with_subject("run_code")]);
            }
        };
        let timeout = arguments.get("timeoutMs").and_then(Value::as_u64);
        Ok(Self {
            source,
            args: match arguments.remove("args") {
                Some(Value::Object(args)) => args,
                _ => Map::new(),
            },
            timeout: timeout.map_or(Program::TIMEOUT, Duration::from_millis),
        })
    }
}

/// The answer before a program runs.
enum Agreement {
    /// The calls that were shown may run.
    Run,
    /// Each call is asked about when it comes.
    Ask,
    No(Option<String>),
}

/// The person behind the client, if it shows forms.
struct Person<'p> {
    ask: Option<&'p AskUser>,
    scope: &'p Scope,
}

impl Person<'_> {
    /// Asks about a program that has calls which need a yes. Without forms these are denied when
    /// they come.
    fn agree(&self, code: &str, explanation: &Explanation) -> Agreement {
        let asked: Vec<String> = explanation.asked().map(ToString::to_string).collect();
        if asked.is_empty() || self.ask.is_none() {
            return Agreement::Ask;
        }
        let message = format!(
            "Run this program? These calls may change something:\n{}\n\n{code}",
            asked.join("\n")
        );
        let choices = ["run", "ask", "no"];
        let titles = ["Run it", "Ask at each of them", "No"];
        match self.decide(&message, choices, titles) {
            Some(("run", _)) => Agreement::Run,
            Some(("ask", _)) => Agreement::Ask,
            Some((_, reason)) => Agreement::No(reason),
            None => Agreement::No(None),
        }
    }

    /// Shows `message` whole, and returns the choice of the user, with a reason.
    fn decide<const N: usize>(
        &self,
        message: &str,
        choices: [&'static str; N],
        titles: [&str; N],
    ) -> Option<(&'static str, Option<String>)> {
        let decision = json!({
            "type": "string", "title": "Decision", "enum": choices.as_slice(), "enumNames": titles.as_slice(),
        });
        let reason =
            json!({"type": "string", "title": "Why not", "description": "The model reads it"});
        let properties = json!({"decision": decision, "reason": reason});
        let form = form(message, &properties, &json!(["decision"]))?;
        let result = self.ask?(form, self.scope.cancel())?;
        let content = result
            .content
            .filter(|_| result.action == ElicitationAction::Accept)?;
        let chosen = content.get("decision")?.as_str()?;
        let chosen = choices.into_iter().find(|choice| *choice == chosen)?;
        let reason = content.get("reason").and_then(Value::as_str);
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        Some((chosen, reason.map(str::to_owned)))
    }
}

impl Observer for Person<'_> {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.ask.is_none() {
            return Answer::NoTerminal;
        }
        let runs = question.runs.map(|runs| format!("\nIt runs: {runs}"));
        let message = format!(
            "Run {} {}?\n{}{}",
            question.tool,
            question.arguments,
            question.approval.why.in_words(),
            runs.unwrap_or_default(),
        );
        match self.decide(&message, ["yes", "no"], ["Yes", "No"]) {
            Some(("yes", _)) => Answer::Yes,
            Some((_, Some(reason))) => Answer::NoBecause(reason),
            _ => Answer::No,
        }
    }
}
