//! What a server over HTTP has done, as Prometheus reads it.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::observe::EndedCall;

/// The media type of [`Metrics::text`].
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the durations that are counted apart, in seconds: from a template to a model.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The metrics.
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    durations: Family<ToolLabel, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
}

/// A call that runs or waits, until it is dropped.
pub(crate) struct InFlight(Gauge);

/// What a counter of calls counts.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: &'static str,
}

/// What a histogram of durations is about.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ToolLabel {
    tool: String,
}

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

    /// Counts a call until the result is dropped.
    pub(crate) fn begin(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// Counts a call that has ended.
    pub(crate) fn count(&self, call: &EndedCall<'_>) {
        let tool = call.tool.unwrap_or_default().to_owned();
        if !tool.is_empty() {
            let label = ToolLabel { tool: tool.clone() };
            let histogram = self.durations.get_or_create(&label);
            histogram.observe(call.took.as_secs_f64());
        }
        let outcome = call.outcome.name();
        self.calls
            .get_or_create(&CallLabels { tool, outcome })
            .inc();
    }

    /// All metrics as text.
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
