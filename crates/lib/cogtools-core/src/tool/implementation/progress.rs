//! The progress of a call, from what its program prints on standard error.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::process::LineSink;
use crate::{Context, Progress, ProgressUpdate};

/// How much of a line is passed on, in characters.
const MAX_CHARS: usize = 200;

/// An update for each line, which is its message.
pub(super) fn of_lines(cx: &Context) -> Option<LineSink> {
    let progress = cx.progress.clone()?;
    let count = AtomicU32::new(0);
    Some(LineSink::new(move |line| {
        let message = printable(line);
        if !message.is_empty() {
            update(&progress, &count, None, message);
        }
    }))
}

/// An update for each node of a flow that has ended, of `total`: the lines are events.
pub(super) fn of_nodes(cx: &Context, total: usize) -> Option<LineSink> {
    let progress = cx.progress.clone()?;
    let count = AtomicU32::new(0);
    let total = u32::try_from(total).ok().map(f64::from);
    Some(LineSink::new(move |line| {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        let (Some(node), Some(state)) = (text("node"), text("state")) else {
            return;
        };
        // Items of a list are not nodes.
        let has_ended = ["succeeded", "failed", "skipped"].contains(&state);
        if has_ended && !node.contains('.') {
            update(
                &progress,
                &count,
                total,
                printable(&format!("{node} {state}")),
            );
        }
    }))
}

fn update(progress: &Progress, count: &AtomicU32, total: Option<f64>, message: String) {
    let number = count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    progress.update(ProgressUpdate {
        progress: number.into(),
        total,
        message: Some(message),
    });
}

/// The beginning of a line, without control characters.
fn printable(line: &str) -> String {
    let chars = line.trim().chars().filter(|c| !c.is_control());
    chars.take(MAX_CHARS).collect()
}
