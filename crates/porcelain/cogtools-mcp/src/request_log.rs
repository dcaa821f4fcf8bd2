//! A line of JSON for each call, on standard error.

use cogtools_log::Timestamp;
use serde::Serialize;
use tokio::sync::mpsc::Sender;

use crate::observe::EndedCall;
use crate::output::Outgoing;

/// Writes the lines.
pub(crate) struct RequestLog(Sender<Outgoing>);

/// A line.
#[derive(Serialize)]
struct Line<'l> {
    /// When the call ended.
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'l str>,
    outcome: &'static str,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    ms: f64,
    /// The trace that the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
}

impl RequestLog {
    /// A log that goes to `outgoing`.
    pub(crate) const fn new(outgoing: Sender<Outgoing>) -> Self {
        Self(outgoing)
    }

    /// Writes the line of a call, which belongs to the trace `trace_id`.
    pub(crate) async fn write(&self, call: &EndedCall<'_>, trace_id: Option<String>) {
        let line = Line {
            time: Timestamp::now(),
            tool: call.tool,
            outcome: call.outcome.name(),
            code: call.code,
            ms: (call.took.as_secs_f64() * 1e6).round() / 1e3,
            trace_id,
        };
        if let Ok(mut line) = serde_json::to_string(&line) {
            line.push('\n');
            let _ = self.0.send(Outgoing::Log(line)).await;
        }
    }
}
