//! Observations of calls: spans at a collector of OpenTelemetry, and lines of a log.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

use super::collector::Collector;
use super::http::Service;
use super::session::Session;

/// A trace of the client, and its span.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn call(name: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{"person":"Ada secret"}}{meta}}}}}"#
    )
}

/// The spans in the requests that a collector got, and the names of their services.
fn spans(bodies: &[Vec<u8>]) -> (Vec<Span>, Vec<String>) {
    let (mut spans, mut services) = (Vec::new(), Vec::new());
    for body in bodies {
        let request = ExportTraceServiceRequest::decode(&body[..]).expect("it is OTLP");
        for resource in request.resource_spans {
            let attributes = resource.resource.expect("there is one").attributes;
            let name = attributes.iter().find(|one| one.key == "service.name");
            services.push(text(name.expect("it has a name").value.as_ref()));
            let of_scopes = resource.scope_spans.into_iter();
            spans.extend(of_scopes.flat_map(|scope| scope.spans));
        }
    }
    spans.sort_by_key(|span| span.start_time_unix_nano);
    (spans, services)
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Any::StringValue(text)) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn each_call_is_a_span_of_the_clients_trace() {
    let collector = Collector::start();
    let project = super::project();
    let vars = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())];
    let mut service = Service::start_with(&project, &["--traces"], &vars);
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let meta = format!(r#","_meta":{{"traceparent":"{parent}"}}"#);
    assert_eq!(service.post("/mcp", &[], &call("greet", &meta)).0, 200);
    let header = [("traceparent", parent.as_str())];
    assert_eq!(service.post("/mcp", &header, &call("greet", "")).0, 200);
    assert_eq!(service.post("/mcp", &[], &call("sum", "")).0, 200);
    service.post("/mcp", &[], &call("made_up", ""));
    // What is left is sent before the end.
    super::session::signal(service.child.id(), "TERM");
    service.child.wait().expect("the server is ours");
    let requests = collector.requests();
    assert!(requests.iter().all(|one| one.path == "/v1/traces"));
    let bodies: Vec<Vec<u8>> = requests.into_iter().map(|one| one.body).collect();
    for body in &bodies {
        let leaked = body.windows(6).any(|part| part == b"secret");
        assert!(!leaked, "arguments are in a span");
    }
    let (spans, services) = spans(&bodies);
    assert!(
        services.iter().all(|name| name == "cogtools"),
        "{services:?}"
    );
    let found: Vec<_> = spans
        .iter()
        .map(|span| {
            let mut attributes: Vec<String> = span
                .attributes
                .iter()
                .map(|one| format!("{}={}", one.key, text(one.value.as_ref())))
                .collect();
            attributes.sort_unstable();
            let status = span.status.as_ref().map_or("", |status| &status.message);
            (span.name.as_str(), status, attributes.join(" "))
        })
        .collect();
    let method = "gen_ai.operation.name=execute_tool";
    // The revision of a request that names none.
    let rest = "mcp.method.name=tools/call mcp.protocol.version=2025-03-26";
    let of = |tool: &str, error: &str| format!("{error}{method} {tool}{rest}");
    let greet = of("gen_ai.tool.name=greet ", "");
    let sum = of("gen_ai.tool.name=sum ", "error.type=SCHEMA_VIOLATION ");
    let missing = of("", "error.type=TOOL_NOT_FOUND ");
    assert_eq!(
        found,
        [
            ("tools/call greet", "", greet.clone()),
            ("tools/call greet", "", greet),
            ("tools/call sum", "SCHEMA_VIOLATION", sum),
            ("tools/call", "TOOL_NOT_FOUND", missing),
        ]
    );
    for (index, span) in spans.iter().enumerate() {
        let is_continued = hex(&span.trace_id) == TRACE && hex(&span.parent_span_id) == PARENT;
        assert_eq!(is_continued, index < 2, "{span:?}");
    }
}

#[test]
fn a_collector_that_a_project_names_gets_nothing() {
    let collector = Collector::start();
    let project = super::project();
    let line = format!("OTEL_EXPORTER_OTLP_ENDPOINT={}\n", collector.url());
    project.file(".env", line);
    // A host has put the file into the environment.
    let vars = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())];
    let mut service = Service::start_in(&project, &["--traces"], &vars);
    assert_eq!(service.post("/mcp", &[], &call("greet", "")).0, 200);
    super::session::signal(service.child.id(), "TERM");
    service.child.wait().expect("the server is ours");
    assert_eq!(collector.requests().len(), 0);
}

/// The lines of a log, without times, which are checked.
fn lines(log: &str) -> Vec<Value> {
    let lines = log.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("each line is JSON");
        let object = line.as_object_mut().expect("an object");
        let time = object.remove("time").expect("it has a time");
        assert_eq!(
            time.as_str().map(str::len),
            Some("2026-01-01T00:00:00.000Z".len())
        );
        let ms = object.remove("ms").and_then(|ms| ms.as_f64());
        assert!(ms.is_some_and(|ms| (0.0..20_000.0).contains(&ms)), "{ms:?}");
        line
    });
    lines.collect()
}

#[test]
fn each_call_is_a_line_of_the_log() {
    let project = super::project();
    let mut service = Service::start_logged(&project, &["--log"], Stdio::piped());
    for name in ["greet", "sum", "made_up"] {
        service.post("/mcp", &[], &call(name, ""));
    }
    super::session::signal(service.child.id(), "TERM");
    let mut log = String::new();
    let stderr = service.child.stderr.take();
    let read = stderr.expect("it is a pipe").read_to_string(&mut log);
    read.expect("it is text");
    // Of `{"person":"Ada secret"}`, by sha256sum.
    let hash = "8e0f83a945968d3679b62952e6b65337c0604c04b3fc229979d09c817057d3b5";
    assert_eq!(
        lines(&log),
        [
            json!({"source": "tools", "tool": "greet", "outcome": "done", "arguments_sha256": hash}),
            json!({"source": "tools", "tool": "sum", "outcome": "failed", "code": "SCHEMA_VIOLATION",
                "arguments_sha256": hash}),
            json!({"outcome": "not_found", "code": "TOOL_NOT_FOUND", "arguments_sha256": hash}),
        ]
    );
}

#[test]
fn a_log_has_whole_arguments_on_request_without_secrets() {
    let project = super::project();
    project.file(".env", "PRIVATE_TOKEN=abcdefgh1234\n");
    project.file("server.py", super::servers::SERVER);
    let add = ["add", "s", "--yes", "--env", "API_TOKEN=kept-by-the-user"];
    let add = crate::run("cogtools-mcp", &project).args(add);
    add.args(["--", "python3", "server.py"]).run().succeeds();
    let request = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let client = json!({"name": "probe", "version": "1.2"});
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client,
    });
    let arguments = json!({"person": "xx s3cr3t-of-env abcdefgh1234 kept-by-the-user", "api_key": "k",
            "b": [{"password": 1, "Authorization": "x", "pwd": 1, "x-auth": 1, "bearer": 1, "author": 1}]});
    let call = json!({"name": "call_tool", "arguments": {"name": "greet", "arguments": arguments}});
    let input = request(1, "initialize", initialize)
        + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        + &request(2, "tools/call", call);
    let server = crate::run("cogtools-mcp", &project);
    let server = server.args(["--budget", "1", "--log", "--log-arguments"]);
    let run = server.env("MY_SECRET", "s3cr3t-of-env").stdin(input).run();
    let [stdout, stderr] = [&run.stdout, &run.stderr].map(|it| String::from_utf8_lossy(it));
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    let masked = json!({
        "person": "xx [masked: MY_SECRET] [masked: PRIVATE_TOKEN] [masked: API_TOKEN]",
        "api_key": "[masked]",
        "b": [{"password": "[masked]", "Authorization": "[masked]", "pwd": "[masked]",
            "x-auth": "[masked]", "bearer": "[masked]", "author": 1}],
    });
    assert_eq!(
        lines(&stderr),
        [json!({
            "client": "probe 1.2", "source": "tools", "tool": "call_tool", "target": "greet",
            "outcome": "failed", "code": "SCHEMA_VIOLATION",
            "arguments": {"name": "greet", "arguments": masked},
        })]
    );
}

#[test]
fn calls_of_a_program_are_lines_of_the_log() {
    let project = super::project();
    let code = "tools.greet({person: 'Ada'}); return tools.sum({a: 1, b: 2}).sum;";
    let call = json!({"name": "run_code", "arguments": {"code": code}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let mut service = Service::start_logged(
        &project,
        &["--code", "--log", "--log-arguments"],
        Stdio::piped(),
    );
    service.post("/mcp", &[], &call.to_string());
    super::session::signal(service.child.id(), "TERM");
    let mut log = String::new();
    let stderr = service.child.stderr.take();
    let read = stderr.expect("it is a pipe").read_to_string(&mut log);
    read.expect("it is text");
    let call = |tool: &str, arguments: Value| json!({"tool": tool, "within": "run_code", "outcome": "done", "arguments": arguments});
    assert_eq!(
        lines(&log),
        [
            call("greet", json!({"person": "Ada"})),
            call("sum", json!({"a": 1, "b": 2})),
            json!({"tool": "run_code", "outcome": "done", "arguments": {"code": code}}),
        ]
    );
}

#[test]
fn a_log_that_nobody_reads_holds_up_no_call() {
    let project = super::project();
    let mut command = Command::new(super::server());
    command.arg("--log").stderr(Stdio::piped());
    let mut session = Session::start(&project, &mut command);
    let greet = |session: &mut Session| {
        let call = session.call("greet", &json!({"person": "Ada"}));
        assert_eq!(session.text(call), ("Good day, Ada!".to_owned(), false));
    };
    (0..1_000).for_each(|_| greet(&mut session));
    let log = session.child.stderr.take().expect("it is a pipe");
    let mut log = BufReader::new(log).lines().map_while(Result::ok);
    // More than a pipe holds: the queue has space again.
    let mut read = log.by_ref().take(450).count();
    greet(&mut session);
    let is_call = |line: &String| line.starts_with('{');
    let mut warning = log
        .by_ref()
        .inspect(|line| read += usize::from(is_call(line)));
    let warning = warning.find(|line| !is_call(line)).expect("a line");
    let lost = 1_000 - read;
    let expected = format!("{lost} messages were lost: nobody read them");
    assert_eq!(
        warning,
        format!("cogtools-mcp: warning[IO_FAILED]: {expected}")
    );
    assert_eq!(lines(&log.next().expect("a line"))[0]["tool"], "greet");
    session.hang_up();
    assert_eq!(session.end(), 0);
}
