//! Code mode: `search_tools`, `describe_tools` and `run_code` instead of every tool. A model reads
//! the types of the tools that it needs, and writes one program that calls them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cogtools_agent::{Activity, Answer, Journal, Observer, Question, begin_session};
use cogtools_code::{
    CodeTools, Decisions, Explanation, Program, Recorded, Report, Run, Scope, Source, describe,
    search,
};
use cogtools_core::resident::Client;
use cogtools_core::{Cancel, Code, Diagnostic, PausedFlow, Question as CoreQuestion, ToolOutput};
use cogtools_log::{ProgramStatus, Session, SessionFile};
use cogtools_program::Failure;
use parking_lot::Mutex;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::call::render;
use crate::catalogue::{CallError, Catalogue};
use crate::command::RawArguments;
use crate::declarations::PublishedTool;
use crate::questions::{Pause, form};

/// Asks the user a question by a form.
pub(crate) type AskUser =
    dyn Fn(ElicitRequestParams, &Cancel) -> Option<ElicitResult> + Send + Sync;

/// The user behind a call.
#[derive(Clone, Copy)]
pub(crate) enum User<'u> {
    /// Nobody can be asked.
    Nobody,
    /// Forms are shown while the call waits.
    Now(&'u AskUser),
    /// The form about a program is the result of the call, which is repeated with the answer.
    Later(&'u Later),
}

/// The question about the program of a call, for clients without a connection. Calls that its answer
/// does not cover are denied.
pub(crate) struct Later {
    /// The question that the user has answered.
    answered: Option<PausedFlow>,
    /// The question that the call asks now.
    asked: Pause,
}

impl Later {
    /// The question about a program, with the one that the user has `answered`.
    pub(crate) fn new(answered: Option<PausedFlow>) -> Self {
        Self {
            answered,
            asked: Pause::default(),
        }
    }

    /// Takes the question that the call asks.
    pub(crate) fn take(&self) -> Option<PausedFlow> {
        self.asked.take()
    }

    /// The agreement if the user has answered this question about tools with this `digest`. Asks it
    /// otherwise.
    fn agree(&self, message: String, properties: &Value, digest: String) -> Agreement {
        let question = CoreQuestion {
            tool: CodeTools::RUN.to_owned(),
            node: PROGRAM.to_owned(),
            text: message,
            reply: Some(json!({"properties": properties, "required": ["decision"]})),
            fault: None,
        };
        let answered = self.answered.as_ref();
        let answered = answered.filter(|it| it.question == question && it.digest == digest);
        if let Some(answer) = answered.and_then(|it| it.answers.get(PROGRAM)) {
            let content: Value = serde_json::from_str(answer).unwrap_or_default();
            return match chosen(&content, ["run", "no"]) {
                Some(("run", _)) => Agreement::Run,
                other => Agreement::No(other.and_then(|(_, reason)| reason)),
            };
        }
        self.asked.set(PausedFlow {
            question,
            digest,
            results: Map::new(),
            answers: BTreeMap::new(),
        });
        Agreement::No(Some("no answer yet".to_owned()))
    }
}

/// The name of the question about a program.
const PROGRAM: &str = "program";

/// The three tools, and the programs of one connection.
pub(crate) struct CodeMode {
    tools: CodeTools,
    /// Patterns of tools whose calls need no question.
    allow: Vec<String>,
    /// The session of the connection, which begins with the first program that runs.
    session: Mutex<Option<CodeSession>>,
    /// The number of programs so far, also of those that did not run: each has its own name.
    programs: AtomicUsize,
    /// True if clients share this server, so that each program has a session of its own.
    is_shared: bool,
}

struct CodeSession {
    file: SessionFile,
    journal: Journal,
    /// The values that its programs kept.
    store: Value,
}

impl CodeMode {
    /// Code mode in which calls of tools that match `allow` need no question.
    ///
    /// # Errors
    /// One of the three tools is not valid, which would be a bug.
    pub(crate) fn new(allow: Vec<String>, is_shared: bool) -> Result<Self, Failure> {
        Ok(Self {
            tools: CodeTools::new()?,
            allow,
            session: Mutex::default(),
            programs: AtomicUsize::default(),
            is_shared,
        })
    }

    /// The declarations of the three tools. If the types of all tools are short, they are in the
    /// last one.
    pub(crate) fn declarations(
        &self,
        catalogue: &Catalogue,
    ) -> Result<Vec<Arc<PublishedTool>>, Vec<Diagnostic>> {
        let scope = catalogue.scope(&self.allow, (Cancel::default(), None))?;
        let (end, _) = CodeTools::end_of_description(&scope);
        let published = self.tools.all().iter().map(|tool| {
            let is_run = tool.name().as_str() == CodeTools::RUN;
            let end = if is_run { end.as_str() } else { "" };
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
        (user, of_client): (User<'_>, (Cancel, Option<Client>)),
    ) -> Result<(ToolOutput, bool), CallError> {
        let arguments = arguments.parse().map_err(CallError::Failed)?;
        let accepted = self.tools.accept(name, arguments);
        let arguments = accepted.map_err(|diagnostics| match diagnostics.first() {
            Some(first) if first.code == Code::ToolNotFound => CallError::NotFound(diagnostics),
            _ => CallError::Failed(diagnostics),
        })?;
        let scope = catalogue
            .scope(&self.allow, of_client)
            .map_err(CallError::Failed)?;
        match name {
            CodeTools::SEARCH => Ok((search(&arguments, &scope), false)),
            CodeTools::DESCRIBE => Ok((describe(&arguments, &scope), false)),
            _ => {
                let run = Run::new(arguments).map_err(CallError::Failed)?;
                let mut person = Person {
                    user,
                    scope: &scope,
                };
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
        let mut shared = self.session.lock();
        let mut own = None;
        let session = if self.is_shared {
            drop(shared);
            &mut own
        } else {
            &mut *shared
        };
        let mut program = match run.source {
            Source::Resume(name) => {
                let none = || {
                    let message = format!("there is no program `{name}` in this connection");
                    Failure::from(Diagnostic::new(Code::SessionNotFound, message))
                };
                let file = &session.as_ref().ok_or_else(none)?.file;
                let read = Session::read(file);
                let read = read.map_err(|error| Failure::from(error.diagnostic()))?;
                let recorded = Recorded::read(&read, &file.blobs(), Some(&name))?;
                Program::resumed(recorded, Decisions::default())?
            }
            Source::Code(code) => {
                Program::check_length(&code)?;
                scope.start_worker();
                let explanation = Explanation::of(&code, scope);
                let mut program = Program::new(code, run.args);
                if !self.is_shared {
                    let before = self.programs.fetch_add(1, Ordering::Relaxed);
                    program.name = format!("p{}", before + 1);
                }
                if let Some(session) = session {
                    program.store = session.store.clone();
                }
                if !explanation.mistakes.is_empty() {
                    return Ok(Report::of_mistakes(&program.name, explanation.mistakes));
                }
                match person.agree(&program.code, &explanation) {
                    Agreement::Run => {
                        program.consent = explanation.consent(scope);
                        program.explanation = Some(explanation);
                    }
                    Agreement::Ask => program.explanation = Some(explanation),
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
                journal: Journal::new(log),
                store: json!({}),
            });
        }
        let Some(session) = session else {
            return Ok(program.run(scope, None, person));
        };
        let report = program.run_in(scope, &mut session.journal, person);
        if let Some(store) = &report.store {
            session.store.clone_from(store);
        }
        Ok(report)
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
    user: User<'p>,
    scope: &'p Scope,
}

impl Person<'_> {
    /// Asks about a program that has calls which need a yes. Without forms these are denied when
    /// they come.
    fn agree(&self, code: &str, explanation: &Explanation) -> Agreement {
        let asked: Vec<String> = explanation.asked().map(ToString::to_string).collect();
        if asked.is_empty() || matches!(self.user, User::Nobody) {
            return Agreement::Ask;
        }
        let message = format!(
            "Run this program? These calls may change something:\n{}\n\n{code}",
            asked.join("\n")
        );
        if let User::Later(later) = self.user {
            let properties = fields(["run", "no"], ["Run it", "No"]);
            let digest = explanation.question(code, self.scope).digest;
            return later.agree(message, &properties, digest.unwrap_or_default());
        }
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
        let User::Now(ask) = self.user else {
            return None;
        };
        let form = form(message, &fields(choices, titles), &json!(["decision"]))?;
        let result = ask(form, self.scope.cancel())?;
        let content = result
            .content
            .filter(|_| result.action == ElicitationAction::Accept)?;
        chosen(&content, choices)
    }
}

/// The fields of a form with a choice and a reason.
fn fields<const N: usize>(choices: [&str; N], titles: [&str; N]) -> Value {
    let decision = json!({
        "type": "string", "title": "Decision", "enum": choices.as_slice(), "enumNames": titles.as_slice(),
    });
    let reason = json!({"type": "string", "title": "Why not", "description": "The model reads it"});
    json!({"decision": decision, "reason": reason})
}

/// The choice in an answer, and the reason.
fn chosen<const N: usize>(
    content: &Value,
    choices: [&'static str; N],
) -> Option<(&'static str, Option<String>)> {
    let chosen = content.get("decision")?.as_str()?;
    let chosen = choices.into_iter().find(|choice| *choice == chosen)?;
    let reason = content.get("reason").and_then(Value::as_str);
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    Some((chosen, reason.map(str::to_owned)))
}

impl Observer for Person<'_> {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if !matches!(self.user, User::Now(_)) {
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
