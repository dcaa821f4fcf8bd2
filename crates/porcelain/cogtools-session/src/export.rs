//! `cogtools session export`: a branch of a session for other programs and for people.

use std::collections::VecDeque;
use std::fmt::Write as _;

use clap::ValueEnum;
use cogtools_log::view::{Step, View};
use cogtools_log::{Event, Header, Id, contents, duration, response_text, result_text, task_text};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use crate::locate::{leaf, locate, read};
use crate::phrase;
use crate::show::document;

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Md,
    Json,
    Gemini,
    #[value(name = "openai")]
    OpenAi,
}

/// Prints the branch that ends at `from`, or the one that was written to last.
pub(crate) fn export(
    name: Option<&str>,
    from: Option<Id>,
    format: Format,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let file = locate(name, io)?;
    let (session, lines) = read(&file, io)?;
    let leaf = leaf(&session, from, &file)?;
    let contents = || contents(&session.branch(leaf));
    let value = match format {
        Format::Md => {
            let text = render(&session.header, &View::of_branch(&session, leaf));
            return io.show(&text);
        }
        Format::Json => document(&session, &lines, leaf),
        Format::Gemini => json!({"contents": contents()}),
        Format::OpenAi => json!({"messages": messages(&contents())}),
    };
    io.show_json(&format!("{value:#}\n"))
}

/// The document.
fn render(header: &Header, view: &View<'_>) -> String {
    let mut text = format!("# Session {}\n\n", header.session);
    let _ = writeln!(text, "- project: {}", line(&header.project));
    let _ = writeln!(text, "- began: {}", header.time);
    let _ = writeln!(text, "- model: {}", line(&view.summary.model));
    for step in &view.steps {
        write_step(&mut text, step);
    }
    let end = view.summary.end.map_or("not ended", |end| end.name());
    let _ = writeln!(text, "\n---\n\n{}", end.replace('_', " "));
    text
}

fn write_step(text: &mut String, step: &Step<'_>) {
    match &step.entry.event {
        Event::Task { parts } => {
            let _ = writeln!(text, "\n## Task\n\n{}", task_text(parts).trim());
        }
        Event::Request { turn, .. } => {
            let mut facts: Vec<String> = step.ms().map(duration).into_iter().collect();
            facts.extend(step.usage.map(phrase::tokens));
            let facts = if facts.is_empty() {
                String::new()
            } else {
                format!("\n\n*{}*", facts.join(", "))
            };
            let _ = writeln!(text, "\n## Turn {turn}{facts}");
        }
        Event::Response { content, .. } => {
            let answer = response_text(content);
            if !answer.trim().is_empty() {
                let _ = writeln!(text, "\n{}", answer.trim());
            }
        }
        Event::Call {
            tool, arguments, ..
        } => {
            let _ = writeln!(text, "\n### `{}`", line(tool).replace('`', "'"));
            write_fence(text, "json", &format!("{arguments:#}"));
            write_result(text, step);
        }
        Event::Reply { text: reply, .. } => {
            let _ = writeln!(text, "\n## Reply\n\n{}", reply.trim());
        }
        Event::Error { code, message, .. } => {
            let _ = writeln!(text, "\n**{}**: {}", line(code), line(message));
        }
        Event::Compaction { up_to, .. } => {
            let _ = writeln!(
                text,
                "\n*Everything up to {up_to} is a summary from here on.*"
            );
        }
        _ => {}
    }
}

fn write_result(text: &mut String, step: &Step<'_>) {
    let Some(Event::Result {
        outcome,
        content,
        ms,
        ..
    }) = step.answer.map(|answer| &answer.event)
    else {
        text.push_str("\n*no result*\n");
        return;
    };
    let outcome = phrase::outcome(outcome);
    let _ = writeln!(text, "\n*{}, {}*", line(&outcome), duration(*ms));
    write_fence(text, "text", &result_text(content));
}

/// A code block, which `content` cannot end.
fn write_fence(text: &mut String, language: &str, content: &str) {
    let mut longest = 0;
    let mut run = 0;
    for letter in content.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    let _ = writeln!(text, "\n{fence}{language}\n{}\n{fence}", content.trim_end());
}

/// `text` on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The messages for `contents` of the Gemini API. A call without a name of its own gets one.
fn messages(contents: &[Value]) -> Vec<Value> {
    let mut converter = Converter::default();
    for content in contents {
        if content.get("role").and_then(Value::as_str) == Some("model") {
            converter.model(content);
        } else {
            converter.user(content);
        }
    }
    converter.messages
}

#[derive(Default)]
struct Converter {
    messages: Vec<Value>,
    /// The names of the calls that wait for results, in their order.
    calls: VecDeque<String>,
    /// The number of calls that got a name here.
    named: usize,
}

impl Converter {
    fn model(&mut self, content: &Value) {
        self.calls.clear();
        let mut text = String::new();
        let mut calls = Vec::new();
        for part in parts(content) {
            if let Some(call) = part.get("functionCall") {
                calls.push(self.call(call));
            } else if part.get("thought") != Some(&Value::Bool(true)) {
                text.push_str(part.get("text").and_then(Value::as_str).unwrap_or(""));
            }
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let text = Some(text).filter(|text| !text.is_empty() || calls.is_empty());
        message.insert("content".to_owned(), text.into());
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        self.messages.push(message.into());
    }

    fn call(&mut self, call: &Value) -> Value {
        let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
        let id = id.unwrap_or_else(|| {
            self.named += 1;
            format!("call_{}", self.named)
        });
        self.calls.push_back(id.clone());
        let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
        json!({"id": id, "type": "function", "function": {
            "name": call.get("name").cloned().unwrap_or_default(),
            "arguments": arguments.to_string(),
        }})
    }

    fn user(&mut self, content: &Value) {
        let mut items = Vec::new();
        for part in parts(content) {
            if let Some(response) = part.get("functionResponse") {
                let id = self.calls.pop_front().unwrap_or_default();
                let result = response.get("response").unwrap_or(&Value::Null);
                self.messages.push(json!({
                    "role": "tool",
                    "tool_call_id": id,
                    "content": result_text(result),
                }));
            } else if let Some(item) = item(part) {
                items.push(item);
            }
        }
        let content = match items.as_slice() {
            [] => return,
            [only] if only["type"] == "text" => only["text"].clone(),
            _ => items.into(),
        };
        self.messages
            .push(json!({"role": "user", "content": content}));
    }
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content
        .get("parts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// A part of a user's turn.
fn item(part: &Value) -> Option<Value> {
    if let Some(text) = part.get("text") {
        return Some(json!({"type": "text", "text": text}));
    }
    let url = if let Some(data) = part.get("inlineData") {
        let kind = data.get("mimeType")?.as_str()?;
        format!("data:{kind};base64,{}", data.get("data")?.as_str()?)
    } else {
        part.get("fileData")?.get("fileUri")?.as_str()?.to_owned()
    };
    Some(json!({"type": "image_url", "image_url": {"url": url}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_cannot_end_its_block() {
        let mut text = String::new();
        write_fence(&mut text, "text", "a\n````\nb\n");
        assert_eq!(text, "\n`````text\na\n````\nb\n`````\n");
    }

    #[test]
    fn calls_and_results_have_the_same_names() {
        let contents = [
            json!({"role": "user", "parts": [{"text": "go"}]}),
            json!({"role": "model", "parts": [
                {"thought": true, "text": "hm"},
                {"text": "Let me see."},
                {"functionCall": {"name": "a", "args": {"n": 1}}},
                {"functionCall": {"id": "x", "name": "b"}},
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"name": "a", "response": {"output": "one"}}},
                {"functionResponse": {"id": "x", "name": "b", "response": {"error": {"code": 2}}}},
            ]}),
            json!({"role": "model", "parts": [{"text": "do"}, {"text": "ne"}]}),
        ];
        let expected = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "a", "arguments": "{\"n\":1}"}},
                {"id": "x", "type": "function", "function": {"name": "b", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "tool", "tool_call_id": "x", "content": "{\"code\":2}"},
            {"role": "assistant", "content": "done"},
        ]);
        assert_eq!(Value::from(messages(&contents)), expected);
    }

    #[test]
    fn files_become_urls() {
        let contents = [json!({"role": "user", "parts": [
            {"text": "see"},
            {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        ]})];
        let expected = json!([{"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ]}]);
        assert_eq!(Value::from(messages(&contents)), expected);
    }
}
