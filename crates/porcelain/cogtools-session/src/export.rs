//! `cogtools session export`: a branch of a session for other programs and for people.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use cogtools_agent::State;
use cogtools_log::view::{Step, View};
use cogtools_log::{
    Event, Header, Id, NodeState, Outcome, ResultEvent, Session, duration, response_text,
    result_text, task_text,
};
use cogtools_model::{Content, openai};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::SessionArg;
use crate::phrase;
use crate::show::document;

/// The result of a call that has none.
const NO_RESULT: &str = "the run ended before the call did";

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Md,
    Json,
    Gemini,
    #[value(name = "openai")]
    OpenAi,
}

/// Print a session as a document or as a request to a model
#[derive(Args)]
#[group(skip)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Export the branch that ends at this entry
    #[arg(long, value_name = "ID")]
    from: Option<Id>,
    /// Markdown, JSON, or the turns in the form of an API
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "md")]
    format: Format,
}

/// Prints the branch that ends at an entry, or the one that was written to last.
pub(crate) fn export(args: &ExportArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = args.session.read(io)?;
    let leaf = opened.leaf(args.from)?;
    let session = &opened.session;
    let contents = || contents(session, leaf);
    let value = match args.format {
        Format::Md => {
            let text = render(&session.header, &View::of_branch(session, leaf));
            return io.show(&text);
        }
        Format::Json => document(&opened, leaf),
        Format::Gemini => json!({"contents": contents()}),
        Format::OpenAi => json!({"messages": messages(contents())}),
    };
    io.show_json(&format!("{value:#}\n"))
}

/// The contents that the agent sends, and a result for each call that the run has not lived to see
/// the end of.
fn contents(session: &Session, leaf: Option<Id>) -> Vec<Value> {
    let mut state = State::new(session, leaf);
    for call in state.conversation.open_calls().to_vec() {
        let id = state.head.map_or(Id::FIRST, Id::next);
        let content = json!({"error": NO_RESULT});
        let result = ResultEvent::new(call.id, Outcome::Cancelled, content);
        state.apply(id, &Event::Result(result));
    }
    let contents = state.conversation.contents();
    contents.iter().map(|(_, it)| json!(**it)).collect()
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
    let end = view.summary.end_name().unwrap_or("not ended");
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
        Event::Call(call) => {
            let _ = writeln!(text, "\n### `{}`", line(&call.tool).replace('`', "'"));
            write_fence(text, "json", &format!("{:#}", call.arguments));
            write_result(text, step);
        }
        Event::Flow {
            tool, arguments, ..
        } => {
            let _ = writeln!(text, "\n## Flow `{}`", line(tool).replace('`', "'"));
            write_fence(text, "json", &format!("{arguments:#}"));
        }
        Event::Program { program, code, .. } => {
            let _ = writeln!(text, "\n## Program `{}`", line(program).replace('`', "'"));
            write_fence(text, "js", code);
        }
        Event::Print { text: printed, .. } => write_fence(text, "text", printed),
        Event::ProgramEnd { code, result, .. } => {
            if let Some(code) = code {
                let _ = writeln!(text, "\n**{}**", line(code));
            }
            if let Some(result) = result {
                write_fence(text, "json", &format!("{result:#}"));
            }
        }
        Event::Node(_) => write_node(text, step),
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

/// The end of a node of a flow, or of a step of a plan.
fn write_node(text: &mut String, step: &Step<'_>) {
    let Event::Node(event) = &step.answer.unwrap_or(step.entry).event else {
        return;
    };
    let state = &event.state;
    let reason = match state {
        NodeState::Started => return,
        NodeState::Succeeded => String::new(),
        NodeState::Failed { code, message } => format!(": **{}**: {}", line(code), line(message)),
        NodeState::Waiting { question } => format!(": {}", line(question)),
        NodeState::Skipped { because } => because
            .as_ref()
            .map_or_else(String::new, |it| format!(": {}", line(it))),
    };
    let _ = writeln!(text, "\n### `{}`\n\n*{}*{reason}", event.node, state.name());
    if let Some(inputs) = &event.inputs {
        write_fence(text, "json", &format!("{inputs:#}"));
    }
    if let Some(output) = &event.output {
        write_fence(text, "text", &result_text(&json!({ "output": output })));
    }
}

fn write_result(text: &mut String, step: &Step<'_>) {
    let Some(Event::Result(result)) = step.answer.map(|answer| &answer.event) else {
        text.push_str("\n*no result*\n");
        return;
    };
    let outcome = phrase::outcome(&result.outcome);
    let _ = writeln!(text, "\n*{}, {}*", line(&outcome), duration(result.ms));
    write_fence(text, "text", &result_text(&result.content));
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
fn messages(contents: Vec<Value>) -> Vec<Value> {
    let contents = contents.into_iter().filter_map(|mut content| {
        let parts = content.get_mut("parts").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            if let Some(response) = part.pointer_mut("/functionResponse/response") {
                *response = json!({"output": result_text(response)});
            }
        }
        Content::from_wire(content).map(Arc::new)
    });
    openai::messages(&contents.collect::<Vec<Arc<Content>>>())
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
                {"id": "call00001", "type": "function", "function": {"name": "a", "arguments": "{\"n\":1}"}},
                {"id": "x", "type": "function", "function": {"name": "b", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call00001", "content": "one"},
            {"role": "tool", "tool_call_id": "x", "content": "{\"code\":2}"},
            {"role": "assistant", "content": "done"},
        ]);
        assert_eq!(Value::from(messages(contents.to_vec())), expected);
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
        assert_eq!(Value::from(messages(contents.to_vec())), expected);
    }
}
