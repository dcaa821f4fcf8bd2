//! The text of a plan and of its steps.

use std::fmt::Write as _;

use cogtools_log::{BlobId, Entry, Event, StepState, duration, result_text};
use cogtools_program::terminal::style::{BOLD, CYAN, GREEN, RED, YELLOW};
use cogtools_program::terminal::{paint, sanitize};
use serde_json::Value;

use super::Report;
use crate::phrase;
use crate::transcript::Step;

impl Report {
    /// A plan: what it is for, and its steps.
    pub(super) fn plan(&mut self, entry: &Entry, intent: &str, plan: &Value) {
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

    /// The reply of a plan, with the results for its placeholders.
    pub(super) fn reply(&mut self, entry: &Entry, text: &str, blob: Option<&BlobId>) {
        self.heading(entry, "reply", "");
        self.block("  ", text);
        if let Some(blob) = blob {
            let _ = writeln!(self.text, "  whole: {blob}");
        }
    }

    /// A step of a plan, with its end if it has begun.
    pub(super) fn plan_step(&mut self, step: &Step<'_>) {
        let Event::Step {
            step: name,
            tool,
            args,
            ..
        } = &step.entry.event
        else {
            return;
        };
        let name = paint(&sanitize(name), BOLD, self.colour);
        let tool = tool.as_deref().map(|tool| {
            let tool = paint(&sanitize(tool), CYAN, self.colour);
            format!("  {tool}")
        });
        let args = args.as_ref().map(phrase::arguments).unwrap_or_default();
        let args = sanitize(&args);
        let line = format!("  {name}{} {args}", tool.unwrap_or_default());
        let _ = writeln!(self.text, "{}", line.trim_end());
        let end = step.answer.unwrap_or(step.entry);
        if let Event::Step {
            state,
            result,
            blob,
            logs,
            ms,
            ..
        } = &end.event
        {
            self.step_end(state, *ms);
            for line in logs {
                let line = phrase::first_line(line);
                let _ = writeln!(self.text, "    ! {}", sanitize(&line));
            }
            if let Some(result) = result {
                self.result_lines(&result_text(result), blob.as_ref());
            }
        }
    }

    fn step_end(&mut self, state: &StepState, ms: Option<u64>) {
        let (text, style) = match state {
            StepState::Executing => ("interrupted".to_owned(), YELLOW),
            StepState::Executed => ("executed".to_owned(), GREEN),
            StepState::Failed { code, message } => (format!("failed ({code}): {message}"), RED),
            StepState::Skipped => ("skipped".to_owned(), YELLOW),
        };
        let text = paint(&sanitize(&text), style, self.colour);
        let ms = ms.map(|ms| format!(", {}", duration(ms)));
        let _ = writeln!(self.text, "    {text}{}", ms.unwrap_or_default());
    }

    /// The first lines of a result, and where the whole is.
    pub(super) fn result_lines(&mut self, text: &str, blob: Option<&BlobId>) {
        let (lines, more) = phrase::head(text, super::MAX_RESULT_LINES);
        for line in lines {
            let _ = writeln!(self.text, "    | {}", sanitize(&line));
        }
        if more > 0 {
            let more = cogtools_program::terminal::pluralize(more, "more line");
            let _ = writeln!(self.text, "    | … {more}");
        }
        if let Some(blob) = blob {
            let _ = writeln!(self.text, "    | whole: {blob}");
        }
    }
}
