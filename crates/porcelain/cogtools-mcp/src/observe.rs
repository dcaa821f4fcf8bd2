//! What is observed of calls, for those who run a server: metrics, traces and lines of a log.
//! Names, times and outcomes are; arguments and results never are.

use std::time::{Duration, Instant};

use cogtools_core::Diagnostic;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::call::CallOutcome;
use crate::metrics::{InFlight, Metrics};
use crate::request_log::RequestLog;
use crate::traces::{CallSpan, Traces};

/// Where calls are reported, if it is asked for.
#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) metrics: Option<Metrics>,
    pub(crate) traces: Option<Traces>,
    pub(crate) log: Option<RequestLog>,
}

/// A call that is observed until it ends or is dropped.
pub(crate) struct ObservedCall<'o> {
    observers: &'o Observers,
    name: &'o str,
    begin: Instant,
    _in_flight: Option<InFlight>,
    span: Option<CallSpan>,
}

/// A call that has ended.
pub(crate) struct EndedCall<'c> {
    /// The tool's name; none if there is no such tool, since clients could make up any number.
    pub(crate) tool: Option<&'c str>,
    pub(crate) outcome: OutcomeKind,
    /// The code of the first error.
    pub(crate) code: Option<&'static str>,
    pub(crate) took: Duration,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutcomeKind {
    Done,
    Failed,
    NotFound,
    Cancelled,
}

impl OutcomeKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::NotFound => "not_found",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Observers {
    /// Observes a call of the tool `name`.
    pub(crate) fn begin<'o>(
        &'o self,
        name: &'o str,
        request: &RequestContext<RoleServer>,
    ) -> ObservedCall<'o> {
        ObservedCall {
            observers: self,
            name,
            begin: Instant::now(),
            _in_flight: self.metrics.as_ref().map(Metrics::begin),
            span: self.traces.as_ref().map(|traces| traces.begin(request)),
        }
    }
}

impl ObservedCall<'_> {
    /// Reports the end of the call.
    pub(crate) async fn end(self, outcome: &CallOutcome) {
        let code = |diagnostics: &[Diagnostic]| diagnostics.first().map(|first| first.code.name());
        let (kind, code) = match outcome {
            CallOutcome::Done(_) => (OutcomeKind::Done, None),
            CallOutcome::Failed(diagnostics) => (OutcomeKind::Failed, code(diagnostics)),
            CallOutcome::NotFound(diagnostics) => (OutcomeKind::NotFound, code(diagnostics)),
            CallOutcome::Cancelled => (OutcomeKind::Cancelled, None),
        };
        let is_known = matches!(kind, OutcomeKind::Done | OutcomeKind::Failed);
        let ended = EndedCall {
            tool: is_known.then_some(self.name),
            outcome: kind,
            code,
            took: self.begin.elapsed(),
        };
        if let Some(metrics) = &self.observers.metrics {
            metrics.count(&ended);
        }
        let trace = self.span.map(|span| span.end(&ended));
        if let Some(log) = &self.observers.log {
            log.write(&ended, trace).await;
        }
    }
}
