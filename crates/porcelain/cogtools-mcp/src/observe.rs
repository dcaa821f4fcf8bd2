//! Observation of calls, for people who run a server: metrics for Prometheus, traces, and a line
//! of JSON for each call on standard error. Names, times and outcomes are observed; arguments and
//! results never are.

use std::time::{Duration, Instant};

use cogtools_core::{Diagnostic, ToolOutput};
use cogtools_log::Timestamp;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde::Serialize;
use tokio::sync::mpsc::Sender;

use crate::catalogue::CallError;
use crate::serve::Outgoing;
use crate::traces::{CallSpan, Traces};

/// The media type of [`Metrics::text`].
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The upper bounds of the durations that are counted apart, in seconds: from a template to a model.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The observers that were asked for.
#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) metrics: Option<Metrics>,
    pub(crate) traces: Option<Traces>,
    /// The output of the log.
    pub(crate) log: Option<Sender<Outgoing>>,
}

/// The metrics of a server over HTTP.
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    durations: Family<ToolLabel, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
}

/// The labels of a counter of calls.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: &'static str,
}

/// The label of a histogram of durations.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ToolLabel {
    tool: String,
}

/// A call that is observed until it ends or is dropped.
pub(crate) struct ObservedCall<'o> {
    observers: &'o Observers,
    name: &'o str,
    begin: Instant,
    _in_flight: Option<InFlight>,
    span: Option<CallSpan>,
}

/// A call that runs or waits, until it is dropped.
struct InFlight(Gauge);

/// A call that has ended.
pub(crate) struct EndedCall<'c> {
    /// The tool's name; none if there is no such tool, since clients could make up any number.
    pub(crate) tool: Option<&'c str>,
    pub(crate) outcome: &'static str,
    /// The code of the first error.
    pub(crate) code: Option<&'static str>,
    took: Duration,
}

/// A line of the log.
#[derive(Serialize)]
struct Line<'l> {
    /// The end of the call.
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

impl Observers {
    /// Observes a call of the tool `name`.
    pub(crate) fn begin<'o>(
        &'o self,
        name: &'o str,
        request: &RequestContext<RoleServer>,
    ) -> ObservedCall<'o> {
        let in_flight = self.metrics.as_ref().map(|metrics| {
            metrics.in_flight.inc();
            InFlight(metrics.in_flight.clone())
        });
        ObservedCall {
            observers: self,
            name,
            begin: Instant::now(),
            _in_flight: in_flight,
            span: self.traces.as_ref().map(|traces| traces.begin(request)),
        }
    }
}

impl ObservedCall<'_> {
    /// Reports the end of the call.
    pub(crate) async fn end(self, outcome: &Result<ToolOutput, CallError>) {
        let (outcome, diagnostics, is_known) = match outcome {
            Ok(_) => (DONE, None, true),
            Err(CallError::Failed(diagnostics)) => ("failed", diagnostics.first(), true),
            Err(CallError::NotFound(diagnostics)) => ("not_found", diagnostics.first(), false),
            Err(CallError::Cancelled) => ("cancelled", None, false),
        };
        let call = EndedCall {
            tool: is_known.then_some(self.name),
            outcome,
            code: diagnostics.map(|first: &Diagnostic| first.code.name()),
            took: self.begin.elapsed(),
        };
        if let Some(metrics) = &self.observers.metrics {
            metrics.count(&call);
        }
        let trace_id = self.span.map(|span| span.end(&call));
        let Some(log) = &self.observers.log else {
            return;
        };
        let line = Line {
            time: Timestamp::now(),
            tool: call.tool,
            outcome,
            code: call.code,
            ms: (call.took.as_secs_f64() * 1e6).round() / 1e3,
            trace_id,
        };
        if let Ok(line) = serde_json::to_string(&line) {
            let _ = log.send(Outgoing::Log(line + "\n")).await;
        }
    }
}

/// The outcome of a call that succeeded.
pub(crate) const DONE: &str = "done";

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("cogtools");
        let calls = Family::default();
        let durations: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BOUNDS));
        let in_flight = Gauge::default();
        registry.register("calls", "Calls of tools, by outcome", calls.clone());
        registry.register_with_unit(
            "call_duration",
            "How long calls of tools took",
            Unit::Seconds,
            durations.clone(),
        );
        registry.register(
            "calls_in_flight",
            "Calls of tools that run or wait",
            in_flight.clone(),
        );
        Self {
            registry,
            calls,
            durations,
            in_flight,
        }
    }

    fn count(&self, call: &EndedCall<'_>) {
        let tool = call.tool.unwrap_or_default().to_owned();
        if !tool.is_empty() {
            let label = ToolLabel { tool: tool.clone() };
            let histogram = self.durations.get_or_create(&label);
            histogram.observe(call.took.as_secs_f64());
        }
        let outcome = call.outcome;
        let labels = CallLabels { tool, outcome };
        self.calls.get_or_create(&labels).inc();
    }

    /// Renders all metrics as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // A string takes everything.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}
