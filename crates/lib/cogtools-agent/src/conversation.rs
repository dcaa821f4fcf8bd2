//! The conversation in a log: the turns from the root to an entry, and the rules that say which of them are sent.

use std::collections::HashSet;
use std::sync::Arc;

use cogtools_log::{Approval, CallId, Decision, Event, Id, Outcome, ResultEvent, SIGNATURES};
use cogtools_model::{Content, Finish, FunctionCall, Part};
use serde_json::{Value, json};

use crate::HistorySettings;
use crate::history::{TurnKind, expired_results, is_whole};

/// A turn, and the entry that it was read from.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The entry.
    pub id: Id,
    /// The kind of the turn.
    pub kind: TurnKind,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Content(Arc<Content>),
    /// The result of the call at this position of its response. All results of a response go
    /// back in one content, in this order.
    Result(usize, Part),
}

/// The turns of a session that a model sees.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    turns: Vec<Turn>,
    /// Entries with results that are not sent whole any more.
    expired: HashSet<Id>,
    /// The calls of the last response without results, in order.
    open: Vec<OpenCall>,
    /// The identifiers of all calls: a model that uses one twice must not get the approval, or
    /// the result, of the other call.
    ids: HashSet<CallId>,
    /// Number of calls with an identifier of ours.
    unnamed: usize,
    /// Why the last response ended.
    finish: Option<Finish>,
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// Its identifier in the log.
    pub id: CallId,
    /// The call of the provider: its identifier, if it has one.
    provider_id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments, as they were sent.
    pub arguments: Value,
    /// Its position among the calls of its response.
    position: usize,
    /// True if it was started by a run that did not live to see its end.
    pub has_started: bool,
    /// The last decision about it in the log.
    pub approval: Option<Approval>,
    /// The arguments that the tool gets, if the log has others than were sent.
    pub resolved: Option<Value>,
    /// True if a secret in its arguments was masked: they are others than the model sent.
    pub is_masked: bool,
}

impl OpenCall {
    /// The part with its result.
    pub fn result(&self, response: &Value, files: &[Value]) -> Part {
        let call = FunctionCall {
            id: self.provider_id.as_deref(),
            name: &self.tool,
            args: None,
        };
        Part::result_of(&call, response.clone()).with_files(files)
    }
}

impl Conversation {
    /// Adds the next entry.
    pub fn push(&mut self, id: Id, event: &Event) {
        match event {
            Event::Task { parts } => {
                let parts = serde_json::from_value(Value::Array(parts.clone()));
                let content = Content::user(parts.unwrap_or_default());
                self.push_content(id, TurnKind::Task, content);
            }
            Event::Response {
                content,
                finish_reason,
                masked,
                ..
            } => {
                self.finish = finish_reason.as_deref().map(Finish::new);
                let content = if *masked {
                    unsigned(content)
                } else {
                    content.clone()
                };
                self.push_response(id, content, *masked);
            }
            Event::Call(call) => {
                if let Some(open) = self.position(&call.call).map(|at| &mut self.open[at]) {
                    let decision = call.approval.decision;
                    open.has_started = matches!(decision, Decision::Allowed | Decision::Granted);
                    open.approval = Some(call.approval.clone());
                    open.resolved.clone_from(&call.resolved);
                    open.is_masked |= call.masked;
                }
            }
            Event::Result(result) => self.push_result(id, result),
            Event::Compaction { up_to, summary } => {
                // By position: a summary comes first, but its entry is a late one.
                let is_old = |turn: &Turn| turn.kind != TurnKind::Summary && turn.id <= *up_to;
                let is_replaced = |turn: &Turn| turn.id == *up_to || is_old(turn);
                let last = self.turns.iter().rposition(is_replaced);
                self.turns.drain(..last.map_or(0, |last| last + 1));
                if let Some(content) = Content::from_wire(summary.clone()) {
                    let kind = TurnKind::Summary;
                    let body = Body::Content(Arc::new(content));
                    self.turns.insert(0, Turn { id, kind, body });
                }
            }
            Event::Expired { results } => self.expired.extend(results),
            _ => {}
        }
    }

    fn push_content(&mut self, id: Id, kind: TurnKind, content: Content) {
        let body = Body::Content(Arc::new(content));
        self.turns.push(Turn { id, kind, body });
    }

    fn push_response(&mut self, id: Id, content: Value, is_masked: bool) {
        let Some(content) = Content::from_wire(content) else {
            return;
        };
        let calls: Vec<FunctionCall<'_>> = content.parts().iter().filter_map(Part::call).collect();
        let kind = calls.first().map_or(TurnKind::Answer, |_| TurnKind::Calls);
        self.open.clear();
        for (position, call) in calls.iter().enumerate() {
            let id = self.new_call_id(call.id);
            self.open.push(OpenCall {
                id,
                provider_id: call.id.map(str::to_owned),
                tool: call.name.to_owned(),
                arguments: call.args.cloned().unwrap_or_else(|| json!({})),
                position,
                has_started: false,
                approval: None,
                resolved: None,
                is_masked,
            });
        }
        // Neither a refusal nor a response of thoughts only can be sent back.
        if content.parts().iter().any(says_something) {
            self.push_content(id, kind, sendable(content));
        }
    }

    /// The position of an open call. Sessions of before have any identifier of the provider.
    fn position(&self, call: &CallId) -> Option<usize> {
        let is_former = CallId::of_provider(call.as_str()).is_none();
        let is_meant = |open: &OpenCall| {
            let provider_id = open.provider_id.as_deref();
            open.id == *call || is_former && provider_id == Some(call.as_str())
        };
        self.open.iter().position(is_meant)
    }

    /// The provider's identifier of a call, or one of ours if it has none, one that is not plain, or
    /// uses it again.
    fn new_call_id(&mut self, id: Option<&str>) -> CallId {
        let id = id.and_then(CallId::of_provider);
        if let Some(id) = id.filter(|id| self.ids.insert(id.clone())) {
            return id;
        }
        loop {
            self.unnamed += 1;
            let id = CallId::new(format!("call-{}", self.unnamed));
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }

    fn push_result(&mut self, id: Id, result: &ResultEvent) {
        let Some(position) = self.position(&result.call) else {
            return;
        };
        let open = self.open.remove(position);
        let kind = match result.outcome {
            Outcome::Succeeded => TurnKind::Result,
            _ => TurnKind::FailedResult,
        };
        let body = Body::Result(open.position, open.result(&result.content, &result.files));
        self.turns.push(Turn { id, kind, body });
    }

    /// Why the last response ended; `None` if it was cut off.
    pub const fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// The answer that the conversation ends with, if it does.
    pub fn last_answer(&self) -> Option<&Content> {
        match self.turns.last()? {
            Turn {
                kind: TurnKind::Answer,
                body: Body::Content(content),
                ..
            } => Some(content),
            _ => None,
        }
    }

    /// The last task.
    pub fn last_task(&self) -> Option<&Content> {
        let mut turns = self.turns.iter().rev();
        turns.find_map(|turn| match (&turn.kind, &turn.body) {
            (TurnKind::Task, Body::Content(content)) => Some(&**content),
            _ => None,
        })
    }

    /// Forgets which open calls were approved.
    pub(crate) fn forget_grants(&mut self) {
        for call in &mut self.open {
            let is_granted = |approval: &Approval| approval.decision == Decision::Granted;
            call.approval = call.approval.take().filter(|it| !is_granted(it));
        }
    }

    /// The calls of the last response that have no result yet, in their order.
    pub fn open_calls(&self) -> &[OpenCall] {
        &self.open
    }

    /// The responses to the calls of the last response that has calls, in their order.
    pub fn last_results(&self) -> Vec<&Value> {
        let last = self.turns.iter().rev();
        let mut results: Vec<(usize, &Value)> = last
            .map_while(|turn| match &turn.body {
                Body::Result(position, part) => Some((*position, part.result()?.1)),
                Body::Content(_) => None,
            })
            .collect();
        results.sort_by_key(|(position, _)| *position);
        results.into_iter().map(|(_, response)| response).collect()
    }

    /// The kinds of all turns, in order.
    pub fn kinds(&self) -> Vec<TurnKind> {
        self.turns.iter().map(|turn| turn.kind).collect()
    }

    /// All turns.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The event that shortens old results: successful ones before the last `result_tasks` tasks,
    /// and all but the newest `whole_results`. Results that the model has not seen yet stay,
    /// however many it asked for at once. `None` if there are none.
    pub fn expire(&self, history: &HistorySettings) -> Option<Event> {
        let kinds = self.kinds();
        let is_content = |turn: &Turn| matches!(turn.body, Body::Content(_));
        let seen = self.turns.iter().rposition(is_content)?;
        let mut is_kept = is_whole(&kinds, history.whole_results);
        for index in expired_results(&kinds, history.result_tasks) {
            is_kept[index] = false;
        }
        let turns = self.turns[..seen].iter().zip(is_kept);
        let gone = turns
            .filter(|(_, is_kept)| !is_kept)
            .map(|(turn, _)| turn.id);
        let results: Vec<Id> = gone.filter(|id| !self.expired.contains(id)).collect();
        (!results.is_empty()).then_some(Event::Expired { results })
    }

    /// The contents of all turns: results that follow each other are one content, in the order of
    /// their calls. Returns with each content how many turns there are up to its end.
    pub fn contents(&self) -> Vec<(usize, Arc<Content>)> {
        let mut contents = Vec::with_capacity(self.turns.len());
        let mut results: Vec<(usize, Part)> = Vec::new();
        for (index, turn) in self.turns.iter().enumerate() {
            match &turn.body {
                Body::Content(content) => contents.push((index + 1, Arc::clone(content))),
                Body::Result(position, part) => {
                    let is_expired = self.expired.contains(&turn.id);
                    let part = if is_expired {
                        expired(part)
                    } else {
                        part.clone()
                    };
                    results.push((*position, part));
                    let next = self.turns.get(index + 1).map(|next| &next.body);
                    if !matches!(next, Some(Body::Result(..))) {
                        results.sort_by_key(|(position, _)| *position);
                        let parts = results.drain(..).map(|(_, part)| part).collect();
                        contents.push((index + 1, Arc::new(Content::user(parts))));
                    }
                }
            }
        }
        contents
    }
}

/// The content as an API takes it back: the arguments of a call are an object, which a model may
/// have got wrong. The log has what it sent.
pub(crate) fn sendable(content: Content) -> Content {
    let is_wrong = |part: &Part| {
        let args = part.call().and_then(|call| call.args);
        args.is_some_and(|args| !args.is_object())
    };
    if !content.parts().iter().any(is_wrong) {
        return content;
    }
    let mut json = content.to_log();
    let parts = json.get_mut("parts").and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten() {
        if let Some(args) = part.pointer_mut("/functionCall/args")
            && !args.is_object()
        {
            *args = json!({});
        }
    }
    Content::from_wire(json).unwrap_or(content)
}

/// The content without the signatures of its parts, which are no longer what the provider signed.
fn unsigned(content: &Value) -> Value {
    let mut content = content.clone();
    let parts = content.get_mut("parts").and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten().filter_map(Value::as_object_mut) {
        part.retain(|key, _| !SIGNATURES.contains(&key.as_str()));
    }
    content
}

/// Returns true if a part is more than a thought or an empty text.
pub(crate) fn says_something(part: &Part) -> bool {
    part.text()
        .is_none_or(|text| !part.is_thought() && !text.trim().is_empty())
}

/// A result that is too old to be sent again.
pub(crate) fn expired(part: &Part) -> Part {
    let mut short = part.clone();
    short.set_result(json!({"output": "(expired: call the tool again to see its result)"}));
    short
}
