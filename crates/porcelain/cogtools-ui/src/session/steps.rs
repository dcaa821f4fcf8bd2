//! The steps of a turn: of plans, of flows, and the calls of a model.

use cogtools_core::Code;
use cogtools_log::{
    Approval, BlobId, CallEvent, Event, NodeEvent, NodeState, Outcome, ResultEvent, result_text,
};
use serde_json::Value;

use crate::cut;
use crate::markdown::Html;
use crate::session::timeline::{Row, RowKind, Step};
use crate::session::turn::{Badge, FlowOf, From, Intent, Message, Question, QuestionKind};
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
                && turn.states().is_empty()
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
            self.row(at, RowKind::Thought, thought, None);
        }
        let steps = plan.get("tool_plan").and_then(Value::as_array);
        for step in steps.into_iter().flatten() {
            let needs_tool = step.get("need_tool") != Some(&Value::Bool(false));
            let badge = if needs_tool {
                Badge::Planned
            } else {
                Badge::NoTool
            };
            let step = Step {
                key: text(step, "save_as"),
                tool: text(step, "tool"),
                reason: text(step, "reason"),
                ..Step::default()
            };
            let row = Row::of_step(at.line, Some(badge), step);
            self.current(at).rows.push(row);
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

    /// The start of a step. One that was planned, or has waited, goes on; one that has ended
    /// begins anew.
    pub(super) fn start(
        &mut self,
        at: At<'_>,
        key: &str,
        tool: &str,
        arguments: &Value,
        counts: bool,
    ) {
        let is_logged_call = matches!(at.entry.event, Event::Call(_));
        self.current(at)
            .questions
            .retain(|question| question.key != key);
        let is_open = |badge| match badge {
            Badge::Planned | Badge::Waiting | Badge::Skipped => true,
            Badge::Executing => is_logged_call,
            _ => false,
        };
        let index = match self.current(at).step(key) {
            Some((index, row)) if row.badge.is_some_and(is_open) => index,
            before => {
                if let Some((_, row)) = before
                    && row.badge == Some(Badge::Executing)
                {
                    row.badge = Some(Badge::Interrupted);
                }
                self.place(at, key)
            }
        };
        let now = self.since_begin(at);
        let turn = self.current(at);
        let row = &mut turn.rows[index];
        row.badge = Some(Badge::Executing);
        if row.began.is_none() {
            row.line = at.line;
        }
        row.began = Some(row.began.filter(|_| is_logged_call).unwrap_or(now));
        if let Some(step) = &mut row.step {
            if !tool.is_empty() {
                tool.clone_into(&mut step.tool);
            }
            step.is_call = counts && !step.tool.is_empty();
            step.begin(arguments);
        }
        if turn.messages.iter().all(|one| one.row != Some(index)) {
            turn.messages.push(Message {
                row: Some(index),
                ..Message::new(at.line, From::Step, "", at.time())
            });
        }
    }

    /// Adds a row for a step with this name.
    fn place(&mut self, at: At<'_>, key: &str) -> usize {
        let turn = self.current(at);
        let step = Step {
            key: key.to_owned(),
            ..Step::default()
        };
        turn.rows.push(Row::of_step(at.line, None, step));
        turn.rows.len() - 1
    }

    /// The end of a step: its badge, its details, and its result in the conversation.
    pub(super) fn end(&mut self, at: At<'_>, key: &str, end: &End<'_>) {
        let found = self.current(at).step(key).map(|(index, _)| index);
        let index = found.unwrap_or_else(|| self.place(at, key));
        let now = self.since_begin(at);
        let turn = self.current(at);
        turn.questions.retain(|question| question.key != key);
        let row = &mut turn.rows[index];
        row.badge = Some(end.badge);
        if end.badge != Badge::Skipped {
            row.began = row.began.or(Some(now));
            row.ms = end.ms;
        }
        if let Some(step) = &mut row.step {
            step.end(at.line, end);
        }
        // A step that is skipped has nothing to say.
        if end.badge == Badge::Skipped {
            return;
        }
        let result = end.result.map(result_text).filter(|text| !text.is_empty());
        let text = result.unwrap_or_else(|| end.message.clone());
        let shown = cut::text(&text);
        let message = Message {
            row: Some(index),
            html: Html::structured(&shown).unwrap_or_default(),
            is_cut: cut::is_cut(&text),
            text: shown,
            ..Message::new(at.line, From::Step, "", at.time())
        };
        match turn.messages.iter_mut().find(|one| one.row == Some(index)) {
            Some(placed) => *placed = message,
            None => turn.messages.push(message),
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
    /// A call.
    pub(super) fn call_event(&mut self, at: At<'_>, event: &CallEvent) {
        let (call, tool) = (event.call.as_str(), &event.tool);
        self.start(at, call, tool, &event.arguments, true);
        let is_of_program = event.place.program.is_some();
        let code = event.resolved().get(CODE).and_then(Value::as_str);
        let code = code.filter(|_| tool == RUN_CODE && !is_of_program);
        let step = self.current(at).step(call);
        if let Some(step) = step.and_then(|(_, row)| row.step.as_mut()) {
            step.is_of_program = is_of_program;
            step.approval = approval_text(&event.approval);
            if let Some(code) = code {
                (step.program, step.code) = (code.to_owned(), cut::text(code));
            }
            step.whole = cut::value(event.resolved());
            if let Some(resolved) = &event.resolved {
                let text = cut::text(&cut::value(resolved));
                let label = format!("Resolved arguments of {call}");
                step.resolved = Html::block(&text, &label);
            }
        }
    }

    /// The end of a call.
    pub(super) fn result_event(&mut self, at: At<'_>, event: &ResultEvent) {
        let (badge, message) = match &event.outcome {
            Outcome::Succeeded => (Badge::Executed, String::new()),
            Outcome::Failed { code } => {
                let text = event.content.get("error").and_then(Value::as_str);
                let text = text.map_or_else(String::new, |text| cut::row(text) + " · ");
                (failed(code), text + code)
            }
            Outcome::Denied => (Badge::Denied, String::new()),
            Outcome::TimedOut => (Badge::Failed, "timed out".to_owned()),
            Outcome::Cancelled => (Badge::Cancelled, String::new()),
        };
        let end = End {
            badge,
            message,
            result: Some(&event.content),
            blob: event.blob.as_ref(),
            logs: &[],
            ms: Some(event.ms),
        };
        self.end(at, event.call.as_str(), &end);
    }
}

impl Step {
    /// Takes the arguments with which it begins.
    fn begin(&mut self, arguments: &Value) {
        let code = arguments.get(CODE).and_then(Value::as_str);
        self.code = code.map(cut::text).unwrap_or_default();
        if !arguments.is_null() {
            let text = cut::text(&cut::value(arguments));
            self.arguments = Html::block(&text, &format!("Arguments of {}", self.key));
        }
    }

    /// Takes its result.
    fn end(&mut self, line: usize, end: &End<'_>) {
        self.result_line = line;
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
    let (decision, why) = (approval.decision, approval.why.in_words());
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
    pub(super) fn node_event(&mut self, at: At<'_>, event: &NodeEvent) {
        let node = &event.node;
        let (badge, message) = match &event.state {
            NodeState::Started => {
                let (called, route) = (event.tool.as_deref(), event.route.as_ref());
                let tool = called.or(route.and_then(|route| route.tool.as_deref()));
                let inputs = event.inputs.as_ref().unwrap_or(&Value::Null);
                self.start(at, node, tool.unwrap_or_default(), inputs, called.is_some());
                return;
            }
            NodeState::Waiting { question } => {
                self.wait(at, node, question);
                return;
            }
            NodeState::Succeeded => (Badge::Executed, String::new()),
            NodeState::Failed { code, message } => (failed(code), format!("{message} · {code}")),
            NodeState::Skipped { because } => (Badge::Skipped, because.clone().unwrap_or_default()),
        };
        let end = End {
            badge,
            message,
            result: event.output.as_ref(),
            blob: event.blob.as_ref(),
            logs: &event.logs,
            ms: event.ms,
        };
        self.end(at, node, &end);
    }

    /// A node that waits for the user.
    fn wait(&mut self, at: At<'_>, node: &str, question: &str) {
        self.row(at, RowKind::Question, &format!("{node}: {question}"), None);
        let found = self.current(at).step(node).map(|(index, _)| index);
        let index = found.unwrap_or_else(|| self.place(at, node));
        self.waits_since = Some(at.entry.time.as_millis());
        let turn = self.current(at);
        turn.rows[index].badge = Some(Badge::Waiting);
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
