//! A session as a document to read and to send.

use std::fmt::Write as _;

use cogtools_log::{Event, Header, duration, response_text, result_text, task_text};

use crate::phrase;
use crate::transcript::{Step, Transcript};

/// The document.
pub(crate) fn render(header: &Header, transcript: &Transcript<'_>) -> String {
    let mut text = format!("# Session {}\n\n", header.session);
    let _ = writeln!(text, "- project: {}", line(&header.project));
    let _ = writeln!(text, "- began: {}", header.time);
    let _ = writeln!(text, "- model: {}", line(&transcript.summary.model));
    for step in &transcript.steps {
        write_step(&mut text, step);
    }
    let end = transcript.summary.end.map_or("not ended", |end| end.name());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_cannot_end_its_block() {
        let mut text = String::new();
        write_fence(&mut text, "text", "a\n````\nb\n");
        assert_eq!(text, "\n`````text\na\n````\nb\n`````\n");
    }
}
