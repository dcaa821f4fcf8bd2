//! The steps of a turn: of plans, of flows, and the calls of a model.

use cogtools_core::Code;
use cogtools_log::{Approval, BlobId, Decision, Event, NodeState, Outcome, result_text};
use serde_json::Value;

use crate::cut;
use crate::markdown::Html;
use crate::session::turn::{
    Badge, Detail, FlowOf, From, Intent, Message, Question, QuestionKind, Step,
};
use crate::session::turns::{At, Turns};

/// The text before a reply whose placeholders have no results yet.
const PLANNED_REPLY: &str = "Reply as planned";

/// The end of a step.
pub(super) struct End<'e> {
    pub(super) badge: Badge,
    pub(super) message: String,
    pub(super) result: Option<&'e Value>,
    pub(super) blob: Option<&'e BlobId>,
    pub(super) logs: &'e [String],
    pub(super) ms: Option<u64>,
}

impl Turns {
    /// A plan: all of its steps are planned.
    pub(super) fn plan(&mut self, at: At<'_>, intent: &str, plan: &Value) {
        let intent = match intent {
            "clock" => Intent::Clock,
            "arithmetic" => Intent::Arithmetic,
            _ => Intent::General,
        };
        let text = |value: &Value, key: &str| -> String {
            let text = value.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        // A plan that a question has led to belongs to the turn of the question.
        let is_answer = self.all.last().is_some_and(|turn| {
            turn.intent == Intent::Conversation
                && turn.board.is_empty()
                && turn.status == Badge::Executing
        });
        if is_answer {
            self.current(at).intent = intent;
        } else {
            self.begin(at, intent);
            self.say(at, From::User, "", &text(plan, "restatement"));
        }
        let thoughts = plan.get("thinking_log").and_then(Value::as_array);
        for thought in thoughts.into_iter().flatten().filter_map(Value::as_str) {
            self.row(at, "thought", thought, None);
        }
        let steps = plan.get("tool_plan").and_then(Value::as_array);
        for step in steps.into_iter().flatten() {
            let needs_tool = step.get("need_tool") != Some(&Value::Bool(false));
            let badge = if needs_tool {
                Badge::Planned
            } else {
                Badge::NoTool
            };
            self.current(at).board.push(Step {
                key: text(step, "save_as"),
                tool: text(step, "tool"),
                reason: text(step, "reason"),
                badge,
                ..Step::default()
            });
        }
        let reply = text(plan, "visible_reply");
        if !reply.is_empty() {
            let message = Message {
                label: PLANNED_REPLY.to_owned(),
                state: Badge::Planned,
                ..self.answer(at, &reply)
            };
            let turn = self.current(at);
            turn.reply = Some(turn.messages.len());
            turn.messages.push(message);
        }
    }

    /// The reply of a plan that has run takes the place of the one that was planned; the output of
    /// a flow has that name.
    pub(super) fn reply(&mut self, at: At<'_>, text: &str, blob: Option<&BlobId>) {
        let message = self.answer(at, text);
        let turn = self.current(at);
        let label = if turn.flow.is_some() { "Output" } else { "" };
        let place = turn.reply;
        let planned = place.and_then(|place| turn.messages.get_mut(place));
        let line = planned.as_ref().map_or(at.line, |planned| planned.line);
        let message = Message {
            line,
            label: label.to_owned(),
            blob: blob.map(ToString::to_string).unwrap_or_default(),
            ..message
        };
        match planned {
            Some(planned) => *planned = message,
            None => turn.messages.push(message),
        }
    }

    /// The start of a step: its badge, a row, and its details.
    pub(super) fn start(
        &mut self,
        at: At<'_>,
        key: &str,
        tool: &str,
        arguments: &Value,
        counts: bool,
    ) {
        let is_logged_call = matches!(at.entry.event, Event::Call { .. });
        let turn = self.current(at);
        turn.place(key);
        turn.questions.retain(|question| question.key != key);
        let mut number = None;
        if let Some((index, step)) = turn.step(key) {
            step.badge = Badge::Executing;
            if !tool.is_empty() {
                tool.clone_into(&mut step.tool);
            }
            number = Some((index, step.name().to_owned()));
        }
        match turn.detail(key) {
            // What has waited goes on, and is the same call.
            Some(detail)
                if detail.badge == Badge::Waiting
                    || (is_logged_call && detail.badge == Badge::Executing) =>
            {
                detail.badge = Badge::Executing;
            }
            before => {
                if let Some(before) = before.filter(|one| one.badge == Badge::Executing) {
                    before.badge = Badge::Interrupted;
                }
                turn.details.push(Detail {
                    is_call: counts && !tool.is_empty(),
                    ..Detail::new(at.line, key, tool, arguments)
                });
            }
        }
        self.row(at, "step", "start", None);
        self.number(at, number, None);
    }

    /// The end of a step: its badge, a row, its details, and its result in the conversation.
    pub(super) fn end(&mut self, at: At<'_>, key: &str, end: &End<'_>) {
        let turn = self.current(at);
        turn.ms = turn.ms.saturating_add(end.ms.unwrap_or_default());
        turn.place(key);
        turn.questions.retain(|question| question.key != key);
        let mut number = None;
        let mut tool = String::new();
        if let Some((index, step)) = turn.step(key) {
            step.badge = end.badge;
            step.time = cut::time(end.ms);
            step.message = cut::text(&end.message);
            tool.clone_from(&step.tool);
            number = Some((index, step.name().to_owned()));
        }
        if turn.detail(key).is_none() && end.badge != Badge::Skipped {
            turn.details
                .push(Detail::new(at.line, key, &tool, &Value::Null));
        }
        if let Some(detail) = turn.detail(key) {
            detail.end(at.line, end);
        }
        let word = end.badge.fault().unwrap_or(match end.badge {
            Badge::Skipped => "skipped",
            _ => "done",
        });
        let time = end
            .ms
            .map(|ms| format!(" ({})", cogtools_log::duration(ms)))
            .unwrap_or_default();
        let text = format!("{word}{time} {}", end.message);
        self.row(at, "step", text.trim_end(), Some(end.badge));
        let result = end.result.map(result_text).filter(|text| !text.is_empty());
        let text = result.unwrap_or_else(|| end.message.clone());
        // A step that is skipped has nothing to say.
        let says = end.badge != Badge::Skipped && (end.result.is_some() || !text.is_empty());
        if says {
            let from = if end.badge.fault().is_some() {
                From::Error
            } else {
                From::Step
            };
            self.say(at, from, "", &text);
        }
        self.number(at, number, says.then_some(end.badge));
    }

    /// Names the step, by its number and tool, that the last row is about, and the last message
    /// too if it has a state.
    fn number(&mut self, at: At<'_>, number: Option<(usize, String)>, state: Option<Badge>) {
        let turn = self.current(at);
        let Some((number, name)) = number else {
            return;
        };
        if let (Some(state), Some(last)) = (state, turn.messages.last_mut()) {
            (last.step, last.state) = (Some(number), state);
            last.label.clone_from(&name);
        }
        if let Some(row) = turn.log.last_mut() {
            (row.step, row.name) = (Some(number), name);
        }
    }
}

/// The badge of a failure with this code.
pub(super) fn failed(code: &str) -> Badge {
    if code == Code::ToolNotFound.name() {
        Badge::Unsupported
    } else {
        Badge::Failed
    }
}

/// The argument with the code of `run_js` and `run_code`.
const CODE: &str = "code";
/// The tool that runs a program.
const RUN_CODE: &str = "run_code";
/// The beginning of a guard's remarks in a log.
const GUARD: &str = "[guard]";

impl Turns {
    /// A call, or its result.
    pub(super) fn call_event(&mut self, at: At<'_>) {
        match &at.entry.event {
            Event::Call {
                call,
                tool,
                arguments,
                resolved,
                approval,
                place,
            } => {
                self.start(at, call.as_str(), tool, arguments, true);
                let turn = self.current(at);
                if let Some((_, step)) = turn.step(call.as_str()) {
                    step.is_of_program = place.program.is_some();
                }
                let is_run = tool == RUN_CODE && place.program.is_none();
                let code = resolved.as_ref().unwrap_or(arguments).get(CODE);
                let code = code.and_then(Value::as_str).filter(|_| is_run);
                if let Some(detail) = turn.detail(call.as_str()) {
                    detail.approval = approval_text(approval);
                    if let Some(code) = code {
                        (detail.program, detail.code) = (code.to_owned(), cut::text(code));
                    }
                    detail.whole = cut::value(resolved.as_ref().unwrap_or(arguments));
                    if let Some(resolved) = resolved {
                        let text = cut::text(&cut::value(resolved));
                        let label = format!("Resolved arguments of {call}");
                        detail.resolved = Html::block(&text, &label);
                    }
                }
            }
            Event::Result {
                call,
                outcome,
                content,
                blob,
                ms,
                ..
            } => {
                let (badge, message) = match outcome {
                    Outcome::Succeeded => (Badge::Executed, String::new()),
                    Outcome::Failed { code } => (failed(code), code.clone()),
                    Outcome::Denied => (Badge::Denied, String::new()),
                    Outcome::TimedOut => (Badge::Failed, "timed out".to_owned()),
                    Outcome::Cancelled => (Badge::Cancelled, String::new()),
                };
                let end = End {
                    badge,
                    message,
                    result: Some(content),
                    blob: blob.as_ref(),
                    logs: &[],
                    ms: Some(*ms),
                };
                self.end(at, call.as_str(), &end);
            }
            _ => {}
        }
    }
}

impl Detail {
    /// A call that begins.
    pub(super) fn new(line: usize, key: &str, tool: &str, arguments: &Value) -> Self {
        let code = arguments.get(CODE).and_then(Value::as_str);
        let arguments = match arguments {
            Value::Null => Html::default(),
            arguments => {
                let text = cut::text(&cut::value(arguments));
                Html::block(&text, &format!("Arguments of {key}"))
            }
        };
        Self {
            key: key.to_owned(),
            line,
            tool: tool.to_owned(),
            badge: Badge::Executing,
            code: code.map(cut::text).unwrap_or_default(),
            arguments,
            ..Self::default()
        }
    }

    /// The call has ended.
    pub(super) fn end(&mut self, line: usize, end: &End<'_>) {
        self.badge = end.badge;
        self.result_line = line;
        self.time = cut::time(end.ms);
        self.message = cut::text(&end.message);
        self.blob = end.blob.map(ToString::to_string).unwrap_or_default();
        if let Some(result) = end.result {
            let text = result_text(result);
            let label = format!("Result of {}", self.key);
            self.result = match cut::text(&text) {
                text if text.is_empty() => Html::default(),
                text => Html::block(&text, &label),
            };
            self.result_is_cut = cut::is_cut(&text);
            if result.get("stringified") == Some(&Value::Bool(true)) {
                let note = "the result was no JSON, and became text";
                self.notes.push(note.to_owned());
            }
        }
        for line in end.logs {
            let list = if line.starts_with(GUARD) {
                &mut self.notes
            } else {
                &mut self.logs
            };
            list.push(cut::row(line));
        }
    }
}

/// Why a call may run.
fn approval_text(approval: &Approval) -> String {
    let decision = match approval.decision {
        Decision::Allowed => "allowed",
        Decision::Asked => "asked",
        Decision::Granted => "granted",
        Decision::Denied => "denied",
    };
    let why = approval.why.in_words();
    let rule = approval.rule.as_ref().map(|rule| format!(" {rule}"));
    format!("{decision}: {why}{}", rule.unwrap_or_default())
}

impl Turns {
    /// A flow that is about to run.
    pub(super) fn flow(&mut self, at: At<'_>, tool: &str, digest: &str, arguments: &Value) {
        self.begin(at, Intent::Flow);
        self.current(at).flow = Some(FlowOf {
            tool: tool.to_owned(),
            digest: digest.to_owned(),
        });
        self.say(at, From::User, tool, &cut::value(arguments));
    }

    /// A node of a flow, or a step of a plan.
    pub(super) fn node_event(&mut self, at: At<'_>) {
        let Event::Node {
            node,
            state,
            tool: called,
            inputs,
            logs,
            route,
            output,
            blob,
            ms,
            ..
        } = &at.entry.event
        else {
            return;
        };
        let (badge, message) = match state {
            NodeState::Started => {
                let tool = route.as_ref().and_then(|route| route.tool.as_deref());
                let tool = called.as_deref().or(tool).unwrap_or_default();
                let inputs = inputs.as_ref().unwrap_or(&Value::Null);
                self.start(at, node, tool, inputs, called.is_some());
                return;
            }
            NodeState::Waiting { question } => {
                self.wait(at, node, question);
                return;
            }
            NodeState::Succeeded => (Badge::Executed, String::new()),
            NodeState::Failed { code, message } => (failed(code), format!("{code}: {message}")),
            NodeState::Skipped { because } => (Badge::Skipped, because.clone().unwrap_or_default()),
        };
        let end = End {
            badge,
            message,
            result: output.as_ref(),
            blob: blob.as_ref(),
            logs,
            ms: *ms,
        };
        self.end(at, node, &end);
    }

    /// A node that waits for the user.
    fn wait(&mut self, at: At<'_>, node: &str, question: &str) {
        self.row(
            at,
            "question",
            &format!("{node}: {question}"),
            Some(Badge::Waiting),
        );
        let turn = self.current(at);
        turn.place(node);
        if let Some(detail) = turn.detail(node) {
            detail.badge = Badge::Waiting;
        }
        if let Some((_, step)) = turn.step(node) {
            step.badge = Badge::Waiting;
        }
        turn.status = Badge::Waiting;
        turn.questions.retain(|question| question.key != node);
        turn.questions.push(Question {
            kind: QuestionKind::Answer,
            key: node.to_owned(),
            text: question.to_owned(),
            ..Question::default()
        });
    }
}
