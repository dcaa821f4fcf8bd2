//! Questions of flows as forms for the user, and the calls that wait for an answer.
//!
//! A client with a connection of its own is asked over it. A stateless client gets the form as the
//! result of its call, and repeats the call with the answer (revision 2026-07-28, `input_required`).
//! Results of nodes may be private and must not be forged, so they stay here; the client has only
//! the name of the call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cogtools_core::{Diagnostic, PausedFlow, Person, Question};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequests, InputRequiredResult,
};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::command::RawArguments;
use crate::sources::host::{MAX_BYTES, clean_all};

/// The field of a form for an answer that is one text, and the name of a question in a result.
const ANSWER: &str = "answer";
/// The number of calls that may wait at once; the oldest ones make room.
const MAX_CALLS: usize = 256;
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

struct WaitingCall {
    /// Its name, which nobody can guess.
    state: String,
    tool: String,
    arguments: RawArguments,
    form: Form,
    flow: PausedFlow,
    /// The bytes of its results.
    bytes: usize,
    until: Instant,
}

/// The flow that a call has left waiting, if it has.
#[derive(Clone, Default)]
pub(crate) struct Pause(Arc<Mutex<Option<PausedFlow>>>);

impl Pause {
    /// Returns the person who answers in a later request: the call ends here.
    pub(crate) fn person(&self) -> Person {
        let pause = self.clone();
        Person::new(move |flow, _| {
            *pause.lock() = Some(flow.clone());
            None
        })
    }

    /// Takes the flow.
    pub(crate) fn take(&self) -> Option<PausedFlow> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<PausedFlow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Questions {
    /// Keeps a call that waits, and returns its result, which asks the user; nothing if a form
    /// cannot show the question.
    pub(crate) fn ask(
        &self,
        tool: &str,
        arguments: RawArguments,
        flow: PausedFlow,
    ) -> Option<InputRequiredResult> {
        let form = Form::of(&flow.question)?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        let state = format!("{:032x}", u128::from_be_bytes(bytes));
        let request = InputRequest::Elicitation(ElicitRequest::new(form.params.clone()));
        let requests = InputRequests::from([(ANSWER.to_owned(), request)]);
        let bytes = json!(flow.results).to_string().len();
        let mut calls = self.calls();
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
            tool: tool.to_owned(),
            arguments,
            form,
            flow,
            bytes,
            until: Instant::now() + Person::PATIENCE,
        });
        Some(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Returns the flow that a repeated call goes on with, which has the answer now; nothing if the
    /// call is a new one. Each question is answered once.
    ///
    /// # Errors
    /// The outer one if no such call waits; the inner one if the user has not answered.
    pub(crate) fn answer(
        &self,
        request: &CallToolRequestParams,
        arguments: &RawArguments,
    ) -> Result<Option<Result<PausedFlow, Diagnostic>>, ErrorData> {
        let Some(state) = &request.request_state else {
            return Ok(None);
        };
        let mut calls = self.calls();
        calls.retain(|call| call.until > Instant::now());
        let is_this = |call: &WaitingCall| {
            call.state == *state && call.tool == request.name && call.arguments == *arguments
        };
        let call = calls.iter().position(is_this);
        let Some(mut call) = call.and_then(|index| calls.remove(index)) else {
            let message = "no such call waits for an answer: call the tool without requestState";
            return Err(ErrorData::invalid_params(message, None));
        };
        drop(calls);
        let responses = request.input_responses.as_ref();
        let result = responses.and_then(|all| ElicitResult::deserialize(all.get(ANSWER)?).ok());
        let answer = result.and_then(|result| call.form.answer(result));
        let Some(answer) = answer else {
            return Ok(Some(Err(call.flow.question.unanswered())));
        };
        let node = call.flow.question.node.clone();
        call.flow.answers.insert(node, answer);
        Ok(Some(Ok(call.flow)))
    }

    fn calls(&self) -> MutexGuard<'_, VecDeque<WaitingCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Map;

    use super::*;

    #[test]
    fn the_oldest_call_makes_room() {
        let questions = Questions::default();
        let arguments = RawArguments::from_object(None);
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
            let asked = questions.ask("f", arguments.clone(), flow);
            asked.and_then(|it| it.request_state).expect("a state")
        };
        let answers = |state: &str| {
            let request = CallToolRequestParams::new("f").with_request_state(state);
            questions.answer(&request, &arguments).is_ok()
        };
        let [first, second, third] = [ask(MAX_RESULTS / 2), ask(1), ask(MAX_RESULTS / 2)];
        assert!(!answers(&first));
        assert!(answers(&second) && answers(&third));
    }
}
