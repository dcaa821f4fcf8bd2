//! Questions of flows as forms for the user, questions of sources, and the calls that wait for an
//! answer.
//!
//! A client with a connection of its own is asked over it. A stateless client gets the question as
//! the result of its request, and repeats the request with the answer (revision 2026-07-28,
//! `input_required`). Results of nodes may be private and must not be forged, and a request to a
//! source goes on running, so they stay here; the client has only the name of the request.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use cogtools_core::{CallContext, Diagnostic, PausedFlow, Person, Question, ToolOutput};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, ClientResult, ConstString as _,
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, ServerRequest, ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::auth::random;
use crate::call;
use crate::catalogue::CallError;
use crate::command::{ClientArguments, RawArguments};
use crate::serve;
use crate::server::Server;
use crate::sources::host::{Abilities, Host, MAX_BYTES, clean_all};

/// The field of a form for an answer that is one text, and the name of a question in a result.
const ANSWER: &str = "answer";
/// The number of calls that may wait at once; the oldest ones make room.
const MAX_CALLS: usize = 256;
/// The number of calls that run while they wait, each in one of the places for slow calls.
const MAX_RUNNING: usize = 16;
/// The bytes of the results of all calls that wait, as JSON.
const MAX_RESULTS: usize = 64 << 20;

/// The form of a question.
pub(crate) struct Form {
    pub(crate) params: ElicitRequestParams,
    /// True if it has one field, for text or JSON.
    is_text: bool,
}

impl Form {
    /// Returns the form of `question`; nothing if it would be too large.
    pub(crate) fn of(question: &Question) -> Option<Self> {
        let fields = fields(question);
        let is_text = fields.is_none();
        let params = fields.or_else(|| text_field(question))?;
        Some(Self { params, is_text })
    }

    /// Returns the answer, as a flow takes it, if the user has given one.
    pub(crate) fn answer(&self, result: ElicitResult) -> Option<String> {
        let is_given = result.action == ElicitationAction::Accept;
        let content = result.content.filter(|_| is_given)?;
        if self.is_text {
            return Some(content.get(ANSWER)?.as_str()?.to_owned());
        }
        Some(content.to_string())
    }
}

/// Returns the form with a field for each member of the answer, if forms have such fields.
fn fields(question: &Question) -> Option<ElicitRequestParams> {
    let reply = question.reply.as_ref()?;
    let properties = reply.get("properties")?;
    let required = reply.get("required").cloned().unwrap_or_else(|| json!([]));
    form(&message(question), properties, &required)
}

/// Returns the form with one field, for text or JSON.
fn text_field(question: &Question) -> Option<ElicitRequestParams> {
    let names = question
        .reply
        .as_ref()
        .and_then(|reply| reply.get("properties")?.as_object());
    let mut field = json!({"type": "string", "title": "Answer"});
    if let Some(names) = names {
        let names: Vec<&str> = names.keys().map(String::as_str).collect();
        field["description"] = format!("a JSON object with {}", names.join(", ")).into();
    }
    form(
        &message(question),
        &json!({ANSWER: field}),
        &json!([ANSWER]),
    )
}

/// Returns the words of `question`.
fn message(question: &Question) -> String {
    let Question { tool, text, .. } = question;
    match &question.fault {
        Some(fault) => format!("{tool}: {fault}\n{text}"),
        None => format!("{tool}: {text}"),
    }
}

/// Returns a form with a message; nothing if it would be too large.
pub(crate) fn form(
    message: &str,
    properties: &Value,
    required: &Value,
) -> Option<ElicitRequestParams> {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let mut form = json!({"mode": "form", "message": message, "requestedSchema": schema});
    // What a person is asked is shown whole, or not at all.
    if form.to_string().len() > MAX_BYTES {
        return None;
    }
    clean_all(&mut form);
    serde_json::from_value(form).ok()
}

/// The calls of stateless clients that wait for an answer.
#[derive(Default)]
pub(crate) struct Questions(Mutex<VecDeque<WaitingCall>>);

/// The parts of a request that are the same when it is repeated with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) method: &'static str,
    /// The name of the tool or the prompt, or the URI of the resource.
    pub(crate) name: String,
    pub(crate) arguments: RawArguments,
}

/// The name of the request that an answer is for, and the answers.
pub(crate) type Given = (Option<String>, Option<InputResponses>);

struct WaitingCall {
    /// Its name, which nobody can guess.
    state: String,
    subject: Subject,
    waiting: Waiting,
    /// The bytes of its results.
    bytes: usize,
    until: Instant,
}

/// The part of a call that waits.
enum Waiting {
    Flow(Box<(Form, PausedFlow)>),
    /// A call that runs, the client whose it is, and the receivers of its answers.
    Call(RunningCall, u64, Vec<oneshot::Sender<Value>>),
}

/// A repeated request, with its answers.
pub(crate) enum Answered {
    /// A flow that goes on, or the error of one that was not answered.
    Flow(Box<Result<PausedFlow, Diagnostic>>),
    /// A request that has never stopped.
    Call(RunningCall),
}

/// A request in a task of its own, which outlives the one that has begun it. Dropping it cancels
/// the work.
pub(crate) struct RunningCall {
    done: JoinHandle<Result<ServerResult, ErrorData>>,
    questions: UnboundedReceiver<Asked>,
    _cancel: DropGuard,
}

/// The flow that a call has left waiting, if it has.
#[derive(Clone, Default)]
pub(crate) struct Pause(Arc<Mutex<Option<PausedFlow>>>);

impl Pause {
    /// Returns the person who answers in a later request: the call ends here.
    pub(crate) fn person(&self) -> Person {
        let pause = self.clone();
        Person::new(move |flow, _| {
            pause.set(flow.clone());
            None
        })
    }

    /// Leaves `flow` waiting.
    pub(crate) fn set(&self, flow: PausedFlow) {
        *self.0.lock() = Some(flow);
    }

    /// Takes the flow.
    pub(crate) fn take(&self) -> Option<PausedFlow> {
        self.0.lock().take()
    }
}

impl Questions {
    /// Keeps a call that waits, and returns its result, which asks the user; nothing if a form
    /// cannot show the question.
    pub(crate) fn ask(&self, subject: Subject, flow: PausedFlow) -> Option<InputRequiredResult> {
        let form = Form::of(&flow.question)?;
        let request = InputRequest::Elicitation(ElicitRequest::new(form.params.clone()));
        let requests = InputRequests::from([(ANSWER.to_owned(), request)]);
        let bytes = json!(flow.results).to_string().len();
        let waiting = Waiting::Flow(Box::new((form, flow)));
        let state = self.keep(subject, waiting, bytes)?;
        Some(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Keeps a request of `client` that runs, and returns its result, which asks the client.
    ///
    /// # Errors
    /// Too many wait already: this one goes on without an answer.
    pub(crate) fn park(
        &self,
        subject: Subject,
        (call, client): (RunningCall, u64),
        asked: Vec<Asked>,
    ) -> Result<InputRequiredResult, RunningCall> {
        let is_running = |call: &&WaitingCall| matches!(call.waiting, Waiting::Call(..));
        let mut calls = self.0.lock();
        calls.retain(|call| call.until > Instant::now() && !call.has_ended());
        if calls.iter().filter(is_running).count() >= MAX_RUNNING {
            return Err(call);
        }
        drop(calls);
        let (mut requests, mut answers) = (InputRequests::new(), Vec::new());
        for (index, Asked { question, answer }) in asked.into_iter().enumerate() {
            requests.insert(format!("{index:02}"), question);
            answers.push(answer);
        }
        let waiting = Waiting::Call(call, client, answers);
        match self.keep(subject, waiting, 0) {
            Some(state) => Ok(InputRequiredResult::new(Some(requests), Some(state))),
            // Without randomness nothing can be asked; dropped, the call is cancelled.
            None => Ok(InputRequiredResult::new(None, None)),
        }
    }

    /// Keeps a call that waits, and returns its name, which nobody can guess.
    fn keep(&self, subject: Subject, waiting: Waiting, bytes: usize) -> Option<String> {
        let state = random().ok()?;
        let mut calls = self.0.lock();
        calls.retain(|call| call.until > Instant::now());
        let mut kept: usize = calls.iter().map(|call| call.bytes).sum();
        while calls.len() >= MAX_CALLS || kept + bytes > MAX_RESULTS {
            let Some(oldest) = calls.pop_front() else {
                break;
            };
            kept -= oldest.bytes;
        }
        calls.push_back(WaitingCall {
            state: state.clone(),
            subject,
            waiting,
            bytes,
            until: Instant::now() + Person::PATIENCE,
        });
        Some(state)
    }

    /// Returns the part that a repeated request of `client` goes on with, which has the answer now;
    /// nothing if the request is a new one. Each question is answered once.
    ///
    /// # Errors
    /// No such request waits.
    pub(crate) fn answer(
        &self,
        subject: &Subject,
        (state, responses): Given,
        client: u64,
    ) -> Result<Option<Answered>, ErrorData> {
        let Some(state) = state else {
            return Ok(None);
        };
        let mut calls = self.0.lock();
        calls.retain(|call| call.until > Instant::now());
        let is_this = |call: &WaitingCall| {
            let is_other = matches!(call.waiting, Waiting::Call(_, of, _) if of != client);
            call.state == state && call.subject == *subject && !is_other
        };
        let call = calls.iter().position(is_this);
        let Some(call) = call.and_then(|index| calls.remove(index)) else {
            let message = "no such request waits for an answer: send it without requestState";
            return Err(ErrorData::invalid_params(message, None));
        };
        drop(calls);
        let responses = responses.as_ref();
        let (form, mut flow) = match call.waiting {
            Waiting::Flow(waiting) => *waiting,
            Waiting::Call(call, _, answers) => {
                // A question without an answer ends with its sender.
                for (index, answer) in answers.into_iter().enumerate() {
                    let given = responses.and_then(|all| all.get(&format!("{index:02}")));
                    let _ = given.map(|given| answer.send(given.clone()));
                }
                return Ok(Some(Answered::Call(call)));
            }
        };
        let result = responses.and_then(|all| ElicitResult::deserialize(all.get(ANSWER)?).ok());
        let answered = match result.and_then(|result| form.answer(result)) {
            Some(answer) => {
                let node = flow.question.node.clone();
                flow.answers.insert(node, answer);
                Ok(flow)
            }
            None => Err(flow.question.unanswered()),
        };
        Ok(Some(Answered::Flow(Box::new(answered))))
    }
}

impl WaitingCall {
    /// Returns true if it ran, and its limit has ended it.
    fn has_ended(&self) -> bool {
        matches!(&self.waiting, Waiting::Call(call, ..) if call.done.is_finished())
    }
}

/// A call of a stateless client, whose result can ask it.
#[derive(Debug)]
pub(crate) struct HostCall {
    pub(crate) client: Arc<Host>,
    /// The abilities that came with the call.
    pub(crate) abilities: Abilities,
    pub(crate) questions: UnboundedSender<Asked>,
}

/// A question to a stateless client, and the receiver of its answer.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) question: InputRequest,
    pub(crate) answer: oneshot::Sender<Value>,
}

impl HostCall {
    /// Asks the client by the result of the call, and waits for its next request.
    pub(crate) async fn ask(&self, request: ServerRequest) -> Result<ClientResult, ErrorData> {
        let able = self.abilities.capabilities();
        let question = match request {
            ServerRequest::ElicitRequest(it) if able.elicitation.is_some() => {
                InputRequest::Elicitation(it)
            }
            ServerRequest::CreateMessageRequest(it) if able.sampling.is_some() => {
                InputRequest::CreateMessage(it)
            }
            ServerRequest::ListRootsRequest(it) if able.roots.is_some() => {
                InputRequest::ListRoots(it)
            }
            _ => return Err(unsupported("this request")),
        };
        let (answer, answered) = oneshot::channel();
        let asked = Asked {
            question: question.clone(),
            answer,
        };
        let _ = self.questions.send(asked);
        let value = answered.await.map_err(|_| unanswered())?;
        let result = match question {
            InputRequest::Elicitation(_) => {
                serde_json::from_value(value).map(ClientResult::ElicitResult)
            }
            InputRequest::CreateMessage(_) => {
                let result = serde_json::from_value(value).map(Box::new);
                result.map(ClientResult::CreateMessageResult)
            }
            _ => serde_json::from_value(value).map(ClientResult::ListRootsResult),
        };
        result.map_err(|error| ErrorData::invalid_params(error.to_string(), None))
    }
}

/// The error of a question without an answer.
pub(crate) fn unanswered() -> ErrorData {
    ErrorData::internal_error("the client did not answer", None)
}

/// The error of a request that the client is not able to answer.
pub(crate) fn unsupported(method: &str) -> ErrorData {
    let message = format!("the client does not support {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

impl Server {
    /// Answers `tools/call`.
    pub(crate) async fn answer_call(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = context
            .extensions
            .get::<RawArguments>()
            .or_else(|| serve::raw_arguments(&context))
            .cloned()
            .unwrap_or_else(|| RawArguments::from_object(request.arguments.take()));
        let subject = Subject {
            method: CallToolRequestMethod::VALUE,
            name: request.name.into_owned(),
            arguments: arguments.clone(),
        };
        let given = (request.request_state, request.input_responses);
        let arguments = ClientArguments::OfCall(arguments);
        let call = (subject, arguments, given);
        let finish = |outcome| call::to_call(outcome).map(ServerResult::CallToolResult);
        match self.call_and_ask(call, context, finish).await? {
            ServerResult::CallToolResult(result) => Ok(CallToolResponse::Complete(result)),
            ServerResult::InputRequiredResult(asked) => Ok(CallToolResponse::InputRequired(asked)),
            _ => Err(unexpected()),
        }
    }

    /// Calls a tool, or goes on with the call that this request answers.
    pub(crate) async fn call_and_ask(
        &self,
        (subject, arguments, given): (Subject, ClientArguments, Given),
        context: RequestContext<RoleServer>,
        finish: fn(Result<ToolOutput, CallError>) -> Result<ServerResult, ErrorData>,
    ) -> Result<ServerResult, ErrorData> {
        self.state.catalogue.workspace().known().await;
        self.learn(&context);
        let questions = &self.state.questions;
        let paused = match questions.answer(&subject, given, self.host().id)? {
            None => None,
            Some(Answered::Flow(answered)) => match *answered {
                Ok(paused) => Some(paused),
                Err(unanswered) => return finish(Err(CallError::Failed(vec![unanswered]))),
            },
            Some(Answered::Call(running)) => {
                return self.follow(running, subject, &context.ct).await;
            }
        };
        if let (Some(code), ClientArguments::OfCall(_)) = (&self.state.code, &arguments) {
            return self.call_code(code, subject, paused, &context).await;
        }
        let pause = asks_by_result(&context).then(Pause::default);
        let asked = subject.clone();
        let call = async move |server: Self, request, parts| {
            let parts = CallContext {
                person: pause.as_ref().map(Pause::person),
                paused,
                ..parts
            };
            let outcome = server.call(&asked.name, arguments, &request, parts).await;
            let flow = pause.and_then(|pause| pause.take());
            match flow.and_then(|flow| server.state.questions.ask(asked, flow)) {
                Some(question) => Ok(ServerResult::InputRequiredResult(question)),
                None => finish(outcome),
            }
        };
        self.run_and_ask(subject, context, call).await
    }

    /// Does `work` for a request. A stateless client that can be asked is asked by its result.
    pub(crate) async fn run_and_ask<
        F: Future<Output = Result<ServerResult, ErrorData>> + Send + 'static,
    >(
        &self,
        subject: Subject,
        mut request: RequestContext<RoleServer>,
        work: impl FnOnce(Self, RequestContext<RoleServer>, CallContext) -> F + Send,
    ) -> Result<ServerResult, ErrorData> {
        let Some(abilities) = able_to_answer(&request) else {
            return Box::pin(work(self.clone(), request, self.parts())).await;
        };
        let (sender, questions) = unbounded_channel();
        let host = Host::of_call(HostCall {
            client: Arc::clone(self.host()),
            abilities,
            questions: sender,
        });
        let parts = CallContext {
            client: Some(Arc::new(host)),
            ..CallContext::default()
        };
        // The request ends with a question, but not the work.
        let cancel = CancellationToken::new();
        let ct = std::mem::replace(&mut request.ct, cancel.clone());
        let running = RunningCall {
            done: tokio::spawn(work(self.clone(), request, parts)),
            questions,
            _cancel: cancel.drop_guard(),
        };
        self.follow(running, subject, &ct).await
    }

    /// Waits until a request has ended or asks, unless `ct` is cancelled first.
    pub(crate) async fn follow(
        &self,
        mut running: RunningCall,
        subject: Subject,
        ct: &CancellationToken,
    ) -> Result<ServerResult, ErrorData> {
        let questions = &self.state.questions;
        loop {
            let first = tokio::select! {
                done = &mut running.done => return done.unwrap_or_else(|_| Err(unexpected())),
                Some(asked) = running.questions.recv() => asked,
                () = ct.cancelled() => return Err(call::cancelled()),
            };
            let more = std::iter::from_fn(|| running.questions.try_recv().ok());
            let asked = std::iter::once(first).chain(more).collect();
            match questions.park(subject.clone(), (running, self.host().id), asked) {
                Ok(question) => return Ok(ServerResult::InputRequiredResult(question)),
                Err(unasked) => running = unasked,
            }
        }
    }

    /// Learns the abilities of a stateless client of the standard streams from its first request.
    pub(crate) fn learn(&self, request: &RequestContext<RoleServer>) {
        if let Some(capabilities) = request.meta.client_capabilities() {
            self.host().learn(Abilities::of(&capabilities));
        }
    }
}

/// The error of work that has panicked, which was reported on standard error.
pub(crate) fn unexpected() -> ErrorData {
    ErrorData::internal_error("unexpected failure", None)
}

/// Returns the abilities of a client that is asked by the result of this request, and repeats it
/// with the answer, if it has some.
pub(crate) fn able_to_answer(request: &RequestContext<RoleServer>) -> Option<Abilities> {
    let abilities = Abilities::of(&request.meta.client_capabilities()?);
    abilities.audience().map(|_| abilities)
}

/// Returns true if a result may ask the user.
pub(crate) fn asks_by_result(request: &RequestContext<RoleServer>) -> bool {
    able_to_answer(request).is_some_and(|it| it.has_forms())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Map;

    use super::*;

    #[test]
    fn the_oldest_call_makes_room() {
        let questions = Questions::default();
        let subject = Subject {
            method: CallToolRequestMethod::VALUE,
            name: "f".to_owned(),
            arguments: RawArguments::from_object(None),
        };
        let ask = |bytes: usize| {
            let flow = PausedFlow {
                question: Question {
                    tool: "f".to_owned(),
                    node: "sure".to_owned(),
                    text: "Sure?".to_owned(),
                    reply: None,
                    fault: None,
                },
                digest: String::new(),
                results: Map::from_iter([("a".to_owned(), "x".repeat(bytes).into())]),
                answers: BTreeMap::new(),
            };
            let asked = questions.ask(subject.clone(), flow);
            asked.and_then(|it| it.request_state).expect("a state")
        };
        let answers = |state: &str| {
            let given = (Some(state.to_owned()), None);
            questions.answer(&subject, given, 0).is_ok()
        };
        let [first, second, third] = [ask(MAX_RESULTS / 2), ask(1), ask(MAX_RESULTS / 2)];
        assert!(!answers(&first));
        assert!(answers(&second) && answers(&third));
    }
}
