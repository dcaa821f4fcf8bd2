//! Observation of calls, for people who run a server: metrics for Prometheus, traces, and a line
//! of JSON for each call on standard error. Names, times and outcomes are observed; arguments by their
//! hash, or without secrets if that is asked for; results never are.

use std::fmt;
use std::time::{Duration, Instant};

use cogtools_core::environment::is_secret_name;
use cogtools_core::{Code, Diagnostic, Tool, ToolOutput, digest};
use cogtools_http::http::request::Parts;
use cogtools_http::http::{Request, Response};
use cogtools_http::{Bytes, Client, ClientOptions, VARIABLES};
use cogtools_log::Timestamp;
use cogtools_program::{Io, dirs};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{Span as _, SpanKind, Status, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, Span};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde::Serialize;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use crate::catalogue::CallError;
use crate::command::LoggedSecrets;
use crate::serve::Outgoing;

/// The media type of [`Metrics::text`].
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The upper bounds of the durations that are counted apart, in seconds: from a template to a model.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The observers that were asked for.
#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) metrics: Option<Metrics>,
    pub(crate) traces: Option<Traces>,
    pub(crate) log: Option<Log>,
}

/// The log of calls.
pub(crate) struct Log {
    pub(crate) output: Sender<Outgoing>,
    /// The secrets that arguments are written without; without it, only their hash is written.
    pub(crate) arguments: Option<LoggedSecrets>,
}

/// The tool that a call has found.
#[derive(Debug)]
pub(crate) struct Called {
    name: String,
    source: String,
}

impl Called {
    pub(crate) fn of(tool: &Tool) -> Self {
        Self {
            name: tool.name().to_string(),
            source: tool.provenance.source.clone(),
        }
    }
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
    logged: Option<Logged>,
}

/// The parts of a line that a request has.
struct Logged {
    client: Option<String>,
    session: Option<String>,
    arguments: LoggedArguments,
}

/// The arguments of a call, as the log has them.
#[derive(Serialize)]
enum LoggedArguments {
    #[serde(rename = "arguments_sha256")]
    Hash(String),
    #[serde(rename = "arguments")]
    Whole(Value),
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
    /// The name and the version that the client says.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'l str>,
    /// The session of HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'l str>,
    /// The tool that the tool calls in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'l str>,
    /// The tool whose program makes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<&'l str>,
    outcome: &'l str,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'l str>,
    ms: f64,
    /// The trace that the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    #[serde(flatten)]
    arguments: &'l LoggedArguments,
}

impl Observers {
    /// Observes a call of the tool `name` with these `arguments`, which are JSON.
    pub(crate) fn begin<'o>(
        &'o self,
        name: &'o str,
        arguments: &str,
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
            logged: self.log.as_ref().map(|log| log.begin(arguments, request)),
        }
    }
}

/// The largest arguments that are written.
const MAX_ARGUMENTS_BYTES: usize = 64 << 10;
/// The largest name of a client or a session that is written.
const MAX_NAME_BYTES: usize = 128;

impl Log {
    async fn write(&self, line: &Line<'_>) {
        if let Ok(line) = serde_json::to_string(line) {
            let _ = self.output.send(Outgoing::Log(line + "\n")).await;
        }
    }

    fn begin(&self, arguments: &str, request: &RequestContext<RoleServer>) -> Logged {
        let parts = request.extensions.get::<Parts>();
        let session = parts.and_then(|parts| parts.headers.get("mcp-session-id")?.to_str().ok());
        let client = request.meta.client_info().or_else(|| {
            // A client of HTTP without a session has not said who it is.
            let is_stateful = parts.is_none() || session.is_some();
            let client = request.peer.peer_info().filter(|_| is_stateful)?;
            Some(client.client_info.clone())
        });
        let client = client.map(|client| format!("{} {}", client.name, client.version));
        let short = |mut text: String| {
            text.truncate(text.floor_char_boundary(MAX_NAME_BYTES));
            text
        };
        Logged {
            client: client.map(short),
            session: session.map(|session| short(session.to_owned())),
            arguments: self.arguments(arguments),
        }
    }

    /// Returns the arguments as they are logged: large ones by their hash.
    fn arguments(&self, text: &str) -> LoggedArguments {
        let text = if text.is_empty() { "{}" } else { text };
        let secrets = self.arguments.as_ref();
        let secrets = secrets.filter(|_| text.len() <= MAX_ARGUMENTS_BYTES);
        secrets
            .and_then(LoggedSecrets::mask)
            .and_then(|mask| {
                let mut value = serde_json::from_str(text).ok()?;
                mask_by_name(&mut value);
                mask.mask(&mut value);
                Some(LoggedArguments::Whole(value))
            })
            .unwrap_or_else(|| LoggedArguments::Hash(digest::bytes(text.as_bytes()).to_string()))
    }
}

/// Words in names of arguments with secrets. Variables may have them: `PWD` is a folder.
const SECRET_WORDS: [&str; 4] = ["authorization", "auth", "bearer", "pwd"];

/// Masks every value in `value` whose name says that it is a secret.
fn mask_by_name(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
                let is_secret =
                    |word: &str| SECRET_WORDS.iter().any(|it| word.eq_ignore_ascii_case(it));
                if is_secret_name(name) || words.any(is_secret) {
                    *value = "[masked]".into();
                } else {
                    mask_by_name(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_by_name),
        _ => {}
    }
}

impl ObservedCall<'_> {
    /// Reports the end of the call, of the tool that it has found.
    pub(crate) async fn end(
        self,
        outcome: &Result<ToolOutput, CallError>,
        called: Option<&Called>,
    ) {
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
        let Some((log, logged)) = self.observers.log.as_ref().zip(self.logged) else {
            return;
        };
        let target = called.map(|called| called.name.as_str());
        let line = Line {
            time: Timestamp::now(),
            client: logged.client.as_deref(),
            session: logged.session.as_deref(),
            source: called.map(|called| called.source.as_str()),
            tool: call.tool.or(target),
            target: target.filter(|target| *target != self.name),
            within: None,
            outcome,
            code: call.code,
            ms: (call.took.as_secs_f64() * 1e6).round() / 1e3,
            trace_id,
            arguments: &logged.arguments,
        };
        log.write(&line).await;
    }

    /// Logs the calls of a program in the order of its report, which has them in `calls`.
    pub(crate) async fn log_program(&self, report: Option<&Value>) {
        let Some((log, logged)) = self.observers.log.as_ref().zip(self.logged.as_ref()) else {
            return;
        };
        let calls = report.and_then(|report| report.get("calls")?.as_array());
        for call in calls.into_iter().flatten() {
            let text = |key: &str| call.get(key).and_then(Value::as_str);
            let outcome = text("status").unwrap_or_default();
            let line = Line {
                time: Timestamp::now(),
                client: logged.client.as_deref(),
                session: logged.session.as_deref(),
                source: None,
                tool: text("tool"),
                target: None,
                within: Some(self.name),
                outcome: if outcome == SUCCEEDED { DONE } else { outcome },
                code: None,
                ms: call.get("ms").and_then(Value::as_f64).unwrap_or_default(),
                trace_id: None,
                arguments: &log.arguments(&call["arguments"].to_string()),
            };
            log.write(&line).await;
        }
    }
}

/// The outcome of a call that succeeded.
pub(crate) const DONE: &str = "done";
/// The word for it in the report of a program.
const SUCCEEDED: &str = "succeeded";

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

/// The default address of a collector.
const ENDPOINT: &str = "http://localhost:4318/v1/traces";
/// The path of traces below the address of a collector.
const PATH: &str = "/v1/traces";
/// The time that a collector may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most that a collector may answer.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// The collector that traces are sent to.
pub(crate) struct Collector {
    endpoint: String,
    /// The name of this service, unless the environment of the process has one.
    service: Option<&'static str>,
    client: Client,
}

/// The maker of spans.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

/// The span of a call that runs. It ends when it is dropped, too.
pub(crate) struct CallSpan(Span);

impl Collector {
    /// Finds the collector that the user's variables name, by the specification of OTLP. Variables
    /// of a project's `.env` do not count.
    pub(crate) fn of(io: &Io<'_>) -> Self {
        let var = |name: &str| {
            let value = dirs::trusted_var(io, name)?.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let below = |base: String| format!("{}{PATH}", base.trim_end_matches('/'));
        let endpoint = var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
            .or_else(|| var("OTEL_EXPORTER_OTLP_ENDPOINT").map(below))
            .unwrap_or_else(|| ENDPOINT.to_owned());
        let options = ClientOptions {
            connect_timeout: TIMEOUT,
            read_timeout: TIMEOUT,
            // A collector in the same pod or network; the user has named it.
            plain_http: cogtools_http::PlainHttp::Any,
            ..ClientOptions::from_vars(&dirs::trusted_vars(io, &VARIABLES))
        };
        let is_named = var("OTEL_SERVICE_NAME").is_some();
        Self {
            endpoint,
            service: (!is_named).then_some("cogtools"),
            client: Client::new(options),
        }
    }
}

impl Traces {
    /// Sends traces to `collector`, on the runtime of the caller.
    pub(crate) fn new(collector: Collector) -> Result<Self, Box<Diagnostic>> {
        let client = OnRuntime {
            client: collector.client,
            runtime: Handle::current(),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(collector.endpoint)
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| {
                let message = format!("traces cannot be sent: {error}");
                let diagnostic = Diagnostic::new(Code::Usage, message).with_subject("--traces");
                let hint = "set OTEL_EXPORTER_OTLP_ENDPOINT to the address of a collector";
                Box::new(diagnostic.hint(hint))
            })?;
        let mut resource = Resource::builder();
        if let Some(name) = collector.service {
            resource = resource.with_service_name(name);
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        Ok(Self {
            tracer: provider.tracer("cogtools-mcp"),
            provider,
            propagator: TraceContextPropagator::new(),
        })
    }

    /// Begins the span of a call that `request` asks for.
    pub(crate) fn begin(&self, request: &RequestContext<RoleServer>) -> CallSpan {
        let parent = self
            .propagator
            .extract_with_context(&Context::new(), &Carrier(request));
        let version = request.protocol_version();
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", "tools/call"),
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
        ];
        if let Some(version) = version {
            let version = version.as_str().to_owned();
            attributes.push(KeyValue::new("mcp.protocol.version", version));
        }
        let builder = self.tracer.span_builder("tools/call");
        let builder = builder
            .with_kind(SpanKind::Server)
            .with_attributes(attributes);
        CallSpan(self.tracer.build_with_context(builder, &parent))
    }

    /// Sends what is left, from a thread that may wait, while the runtime runs.
    pub(crate) fn shut_down(&self) {
        let _ = self.provider.shutdown_with_timeout(TIMEOUT);
    }
}

impl CallSpan {
    /// Ends the span; returns the identifier of its trace.
    pub(crate) fn end(mut self, call: &EndedCall<'_>) -> String {
        let Self(span) = &mut self;
        if let Some(tool) = call.tool {
            span.update_name(format!("tools/call {tool}"));
            span.set_attribute(KeyValue::new("gen_ai.tool.name", tool.to_owned()));
        }
        if call.outcome != DONE {
            let code = call.code.unwrap_or(call.outcome);
            span.set_attribute(KeyValue::new("error.type", code));
            span.set_status(Status::error(code));
        }
        span.end();
        span.span_context().trace_id().to_string()
    }
}

/// The part of a request that names its trace.
struct Carrier<'r>(&'r RequestContext<RoleServer>);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let meta = self.0.meta.get(key).and_then(|value| value.as_str());
        meta.or_else(|| {
            let parts = self.0.extensions.get::<Parts>()?;
            parts.headers.get(key)?.to_str().ok()
        })
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent", "tracestate"]
    }
}

/// Our client for the thread that sends spans, which has no runtime of its own.
#[derive(Clone)]
struct OnRuntime {
    client: Client,
    runtime: Handle,
}

impl fmt::Debug for OnRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnRuntime").finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let response = client.send(request).await?;
            let status = response.status;
            let mut answer = Response::new(response.bytes(MAX_ANSWER_BYTES).await?);
            *answer.status_mut() = status;
            Ok::<_, cogtools_http::HttpError>(answer)
        });
        Ok(sent.await??)
    }
}
