//! The text of a session: turns with their calls, results and answers, and plans with their steps.

use std::fmt::Write as _;

use cogtools_log::view::{Step, Summary};
use cogtools_log::{
    Approval, BlobId, CacheState, CallEvent, Decision, Entry, Event, Header, NodeState, Outcome,
    Why, duration, response_text, result_text, task_text,
};
use cogtools_program::terminal::style::{BOLD, CYAN, GREEN, RED, Style, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize, sanitize_lines};
use serde_json::Value;

use crate::phrase;

/// The number of lines of a result that are shown.
const MAX_RESULT_LINES: usize = 5;

/// The text so far.
pub(crate) struct Report {
    text: String,
    colour: bool,
}

impl Report {
    pub(crate) const fn new(colour: bool) -> Self {
        Self {
            text: String::new(),
            colour,
        }
    }

    pub(crate) fn text(self) -> String {
        self.text
    }

    /// Who, where and when.
    pub(crate) fn header(&mut self, header: &Header) {
        let title = paint(&format!("session {}", header.session), BOLD, self.colour);
        let project = sanitize(&header.project);
        let _ = writeln!(self.text, "{title}  {project}, {}", header.time);
        if let Some(fork) = &header.fork {
            let _ = writeln!(self.text, "forked from {} at {}", fork.session, fork.from);
        }
    }

    /// One step.
    pub(crate) fn step(&mut self, step: &Step<'_>) {
        match &step.entry.event {
            Event::Task { parts } => {
                self.heading(step.entry, "task", "");
                self.block("  ", &task_text(parts));
            }
            Event::Request { turn, model, .. } => {
                let mut facts = vec![sanitize(model).into_owned()];
                facts.extend(step.ms().map(duration));
                facts.extend(step.usage.map(phrase::tokens));
                self.heading(step.entry, &format!("turn {turn}"), &facts.join(", "));
            }
            Event::Response {
                content,
                finish_reason,
                ..
            } => {
                self.response(content, finish_reason.as_deref());
            }
            Event::Call(call) => {
                self.call(call);
                self.result(step.answer);
            }
            Event::Result(result) => {
                // A call that never ran.
                let call = paint(&sanitize(result.call.as_str()), CYAN, self.colour);
                let _ = writeln!(self.text, "  {call}");
                self.result(Some(step.entry));
            }
            Event::Error {
                code,
                message,
                hints,
                ..
            } => {
                self.line(RED, &format!("error[{code}]"), message);
                for hint in hints {
                    self.line(CYAN, "hint", hint);
                }
            }
            Event::Plan { intent, plan, .. } => self.plan(step.entry, intent, plan),
            Event::Node(_) if step.is_planned => self.plan_step(step),
            Event::Reply { text, blob } => {
                let title = if step.is_planned { "reply" } else { "output" };
                self.reply(title, step.entry, text, blob.as_ref());
            }
            event => self.event(event),
        }
    }

    /// Writes the sums of the agents that a call has run.
    pub(crate) fn agent(&mut self, summary: &Summary<'_>) {
        let facts = [
            pluralize(summary.turns, "turn"),
            pluralize(summary.calls, "call"),
            phrase::tokens(&summary.usage),
        ];
        let _ = writeln!(self.text, "    agent: {}", facts.join(", "));
    }

    /// Writes the number of calls of a program that a call has run.
    pub(crate) fn program(&mut self, name: &str, summary: &Summary<'_>) {
        let calls = pluralize(summary.calls, "call");
        let _ = writeln!(self.text, "    program {}: {calls}", sanitize(name));
    }

    /// Writes the sums.
    pub(crate) fn summary(&mut self, summary: &Summary<'_>) {
        let end = summary.end_name().map(|end| end.replace('_', " "));
        let mut facts = vec![
            pluralize(summary.turns, "turn"),
            pluralize(summary.calls, "call"),
            duration(summary.ms),
            phrase::tokens(&summary.usage),
        ];
        if let Some(cost) = &summary.usage.cost {
            facts.push(sanitize(&cost.to_string()).into_owned());
        }
        let style = match summary.end_name() {
            Some("completed") => GREEN,
            Some("failed" | "unavailable") => RED,
            _ => YELLOW,
        };
        let end = end.as_deref().unwrap_or("not ended");
        let end = paint(end, style, self.colour);
        let _ = writeln!(self.text, "\n{end}: {}", facts.join(", "));
    }

    /// A remark of the program itself.
    pub(crate) fn note(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}", paint(text, CYAN, self.colour));
    }

    fn heading(&mut self, entry: &Entry, title: &str, facts: &str) {
        let title = paint(title, BOLD, self.colour);
        let facts = if facts.is_empty() {
            String::new()
        } else {
            format!("  {facts}")
        };
        let _ = writeln!(self.text, "\n{title} #{}{facts}", entry.id);
    }

    fn response(&mut self, content: &Value, finish_reason: Option<&str>) {
        let text = response_text(content);
        if !text.trim().is_empty() {
            self.block("  ", &text);
        }
        let reason = finish_reason.filter(|reason| !is_usual(reason));
        if let Some(reason) = reason {
            self.line(YELLOW, "finish reason", reason);
        }
    }

    fn call(&mut self, call: &CallEvent) {
        let tool = paint(&sanitize(&call.tool), CYAN, self.colour);
        let arguments = phrase::arguments(&call.arguments);
        let gap = if arguments.is_empty() { "" } else { " " };
        let _ = write!(self.text, "  {tool}{gap}{}", sanitize(&arguments));
        if call.approval.decision != Decision::Allowed {
            let approval = approval_phrase(&call.approval);
            let _ = write!(self.text, "  {}", sanitize(&approval));
        }
        self.text.push('\n');
    }

    fn result(&mut self, answer: Option<&Entry>) {
        let Some(Event::Result(result)) = answer.map(|answer| &answer.event) else {
            let _ = writeln!(self.text, "    {}", paint("no result", YELLOW, self.colour));
            return;
        };
        let style = if result.outcome == Outcome::Succeeded {
            GREEN
        } else {
            RED
        };
        let state = sanitize(&phrase::outcome(&result.outcome)).into_owned();
        let state = paint(&state, style, self.colour);
        let _ = writeln!(self.text, "    {state}, {}", duration(result.ms));
        self.result_lines(&result_text(&result.content), result.blob.as_ref());
    }

    fn event(&mut self, event: &Event) {
        let (style, title, text) = match event {
            Event::Compaction { up_to, .. } => {
                let text = format!("everything up to #{up_to} is a summary");
                (YELLOW, "compaction", text)
            }
            Event::Expired { results } => (YELLOW, "expired", pluralize(results.len(), "result")),
            Event::Cache {
                name,
                state,
                tokens,
            } => {
                let text = match state {
                    CacheState::Created { .. } => format!("created, {tokens} tokens: {name}"),
                    CacheState::Used => return,
                    CacheState::Refreshed { .. } => format!("refreshed: {name}"),
                    CacheState::Deleted => format!("deleted: {name}"),
                    CacheState::Failed { reason } => format!("failed: {reason}"),
                };
                (YELLOW, "cache", text)
            }
            Event::Flow { tool, .. } => (CYAN, "flow", tool.clone()),
            Event::Program { program, code, .. } => {
                self.line(CYAN, "program", program);
                return self.block("    ", code);
            }
            Event::Print { text, .. } => (CYAN, "printed", text.clone()),
            Event::ProgramEnd { code, result, .. } => {
                if let Some(code) = code {
                    self.line(RED, "error", code);
                }
                let Some(result) = result else { return };
                (CYAN, "result", result.to_string())
            }
            Event::Node(event) => {
                let Some(text) = phrase::node(event) else {
                    return;
                };
                (CYAN, "node", text)
            }
            Event::Paused { calls } => {
                let calls: Vec<&str> = calls.iter().map(cogtools_log::CallId::as_str).collect();
                let text = format!("approval wanted: {}", calls.join(", "));
                (YELLOW, "paused", text)
            }
            Event::Decision { call, approval } => {
                let text = format!("{call} {}", approval_phrase(approval));
                (CYAN, "decision", text)
            }
            Event::Undone { task } => (YELLOW, "undone", format!("task #{task} was taken back")),
            Event::Unknown(_) => {
                let text = "not known to this version".to_owned();
                (YELLOW, event.kind(), text)
            }
            _ => return,
        };
        self.line(style, title, &text);
    }

    fn line(&mut self, style: Style, title: &str, text: &str) {
        let title = sanitize(title).into_owned();
        let title = paint(&title, style, self.colour);
        let _ = writeln!(self.text, "  {title}: {}", sanitize(text));
    }

    fn block(&mut self, indent: &str, text: &str) {
        for line in sanitize_lines(text.trim_end()).lines() {
            let _ = writeln!(self.text, "{}", format!("{indent}{line}").trim_end());
        }
    }

    /// Writes a plan: its purpose and its steps.
    fn plan(&mut self, entry: &Entry, intent: &str, plan: &Value) {
        self.heading(entry, "plan", &sanitize(intent));
        let text = |value: &Value, key: &str| {
            let text = value.get(key).and_then(Value::as_str).unwrap_or("");
            phrase::first_line(text)
        };
        self.block("  ", &text(plan, "restatement"));
        let steps = plan.get("tool_plan").and_then(Value::as_array);
        for (number, step) in (1..).zip(steps.into_iter().flatten()) {
            let facts = [
                text(step, "save_as"),
                text(step, "tool"),
                text(step, "reason"),
            ];
            let facts = facts.into_iter().filter(|fact| !fact.is_empty());
            let facts = facts.collect::<Vec<String>>().join("  ");
            self.block("  ", &format!("{number}. {facts}"));
        }
    }

    /// The reply of a plan, with the results for its placeholders, or the output of a flow.
    fn reply(&mut self, title: &str, entry: &Entry, text: &str, blob: Option<&BlobId>) {
        self.heading(entry, title, "");
        self.block("  ", text);
        if let Some(blob) = blob {
            let _ = writeln!(self.text, "  whole: {blob}");
        }
    }

    /// A step of a plan, with its end if it has begun.
    fn plan_step(&mut self, step: &Step<'_>) {
        let Event::Node(begun) = &step.entry.event else {
            return;
        };
        let name = paint(&sanitize(&begun.node), BOLD, self.colour);
        let tool = begun.tool.as_deref().map(|tool| {
            let tool = paint(&sanitize(tool), CYAN, self.colour);
            format!("  {tool}")
        });
        let args = begun.inputs.as_ref().map(phrase::arguments);
        let args = args.unwrap_or_default();
        let args = sanitize(&args);
        let line = format!("  {name}{} {args}", tool.unwrap_or_default());
        let _ = writeln!(self.text, "{}", line.trim_end());
        if let Event::Node(end) = &step.answer.unwrap_or(step.entry).event {
            self.step_end(&end.state, end.ms);
            for line in &end.logs {
                let line = phrase::first_line(line);
                let _ = writeln!(self.text, "    ! {}", sanitize(&line));
            }
            if let Some(result) = &end.output {
                self.result_lines(&result_text(result), end.blob.as_ref());
            }
        }
    }

    fn step_end(&mut self, state: &NodeState, ms: Option<u64>) {
        let (text, style) = match state {
            NodeState::Started => ("interrupted".to_owned(), YELLOW),
            NodeState::Succeeded => ("executed".to_owned(), GREEN),
            NodeState::Failed { code, message } => (format!("failed ({code}): {message}"), RED),
            NodeState::Waiting { .. } | NodeState::Skipped { .. } => ("skipped".to_owned(), YELLOW),
        };
        let text = paint(&sanitize(&text), style, self.colour);
        let ms = ms.map(|ms| format!(", {}", duration(ms)));
        let _ = writeln!(self.text, "    {text}{}", ms.unwrap_or_default());
    }

    /// The first lines of a result, and where the whole is.
    fn result_lines(&mut self, text: &str, blob: Option<&BlobId>) {
        let (lines, more) = phrase::head(text, MAX_RESULT_LINES);
        for line in lines {
            let _ = writeln!(self.text, "    | {}", sanitize(&line));
        }
        if more > 0 {
            let more = pluralize(more, "more line");
            let _ = writeln!(self.text, "    | … {more}");
        }
        if let Some(blob) = blob {
            let _ = writeln!(self.text, "    | whole: {blob}");
        }
    }
}

/// Returns true if a finish reason says nothing: the model has ended, or calls tools.
fn is_usual(reason: &str) -> bool {
    matches!(reason, "STOP" | "stop" | "tool_calls")
}

fn approval_phrase(approval: &Approval) -> String {
    let decision = approval.decision;
    let why = match &approval.why {
        Why::Rule => "rule",
        Why::Answer => return decision.to_string(),
        Why::Pure => "pure",
        Why::ReadOnly => "read-only",
        Why::Destructive => "destructive",
        Why::OpenWorld => "open world",
        Why::Foreign => "a program of others",
        Why::Default => "by default",
        Why::NoTerminal => "no terminal",
        Why::Other(other) => other,
    };
    match &approval.rule {
        Some(rule) => format!("{decision} ({why} {rule})"),
        None => format!("{decision} ({why})"),
    }
}
