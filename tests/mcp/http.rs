//! Over HTTP: which requests are accepted, and the official conformance suite.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use cogtools_test_support::Project;
use serde_json::{Value, json};

/// A server over HTTP, ended when it is dropped.
pub(crate) struct Service {
    pub(super) child: Child,
    /// Its URL, as it printed it.
    pub(crate) url: String,
}

impl Service {
    pub(crate) fn start(project: &Project, vars: &[(&str, &str)]) -> Self {
        Self::start_with(project, &[], vars)
    }

    pub(super) fn start_with(project: &Project, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = Self::command(project, args);
        command.arg("--project").arg(project.root());
        Self::spawn(
            command
                .current_dir(project.home())
                .envs(vars.iter().copied()),
        )
    }

    /// The same, started in the project, as a host does.
    pub(super) fn start_in(project: &Project, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = Self::command(project, args);
        Self::spawn(
            command
                .current_dir(project.root())
                .envs(vars.iter().copied()),
        )
    }

    /// The same, with standard error in `log`.
    pub(super) fn start_logged(project: &Project, args: &[&str], log: Stdio) -> Self {
        let mut command = Self::command(project, args);
        Self::spawn(command.current_dir(project.root()).stderr(log))
    }

    /// The same, started in the project with at most `files` open files.
    pub(super) fn start_limited(project: &Project, files: u32) -> Self {
        let mut command = Command::new("/bin/sh");
        let script = format!("ulimit -n {files} && exec \"$0\" --http localhost:0");
        command.args(["-c", &script]).arg(super::server());
        command.env_clear().env("HOME", project.home());
        Self::spawn(command.current_dir(project.root()))
    }

    fn command(project: &Project, args: &[&str]) -> Command {
        let mut command = Command::new(super::server());
        command.args(["--http", "localhost:0"]).args(args);
        command.env_clear().env("HOME", project.home());
        command
    }

    fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("it prints its URL");
        let url = url.trim_end().to_owned();
        Self { child, url }
    }

    /// The status of a POST to `path` with these headers.
    pub(super) fn status(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        let (status, _) = self.post(path, headers, PING);
        status
    }

    /// Status and body of a POST.
    pub(super) fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        post(&self.url, path, headers, body)
    }
}

/// The host and the port in a URL of a server.
pub(super) fn address(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches("/mcp")
}

/// Status and body of a POST to the server at `url`.
pub(super) fn post(url: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let address = address(url);
    let mut stream = TcpStream::connect(address).expect("it listens");
    let host = headers.iter().find(|(name, _)| *name == "host");
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\
             content-type: application/json\r\n",
        host.map_or(address, |(_, host)| host),
        body.len(),
    );
    if !headers.iter().any(|(name, _)| *name == "accept") {
        request.push_str("accept: application/json, text/event-stream\r\n");
    }
    for (name, value) in headers.iter().filter(|(name, _)| *name != "host") {
        request.extend([name, ": ", value, "\r\n"]);
    }
    request.push_str("\r\n");
    request.push_str(body);
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or(0), body.to_owned())
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn only_requests_from_this_machine_are_accepted() {
    let project = super::project();
    let named = ["--allow-origin=http://localhost:5173"];
    let service = Service::start_with(&project, &named, &[]);
    for (path, headers, status) in [
        ("/mcp", &[][..], 200),
        ("/mcp", &[("origin", "http://localhost:5173")][..], 200),
        ("/mcp", &[("origin", "http://localhost:5174")][..], 403),
        ("/mcp", &[("origin", "https://localhost:5173")][..], 403),
        ("/mcp", &[("origin", "http://evil.example")][..], 403),
        ("/mcp", &[("origin", "null")][..], 403),
        ("/mcp", &[("host", "evil.example")][..], 403),
        ("/mcp", &[("Host", "localhost")][..], 400),
        ("/", &[][..], 404),
    ] {
        assert_eq!(service.status(path, headers), status, "{path} {headers:?}");
    }
}

/// Hosts, media types and names of headers as RFC 9110 and RFC 9112 have them.
#[test]
fn headers_are_read_as_the_rfcs_say() {
    let project = super::project();
    let named = ["--allow-origin=http://localhost:5173"];
    let service = Service::start_with(&project, &named, &[]);
    for (headers, status) in [
        (&[("host", "LOCALHOST")][..], 200),
        (&[("host", "")][..], 403),
        (&[("host", "localhost, evil.example")][..], 403),
        (&[("HOST", "evil.example")][..], 400),
        (&[("Origin", "HTTP://LocalHost:5173")][..], 200),
        (&[("Accept", "")][..], 200),
        (
            &[("accept", "Application/JSON, TEXT/event-stream")][..],
            200,
        ),
        (&[("accept", "*/*")][..], 200),
        (&[("accept", "text/html, */*;q=0.1")][..], 200),
        (&[("accept", "application/json, */*; q=0")][..], 406),
        (&[("accept", "text/html")][..], 406),
    ] {
        assert_eq!(service.status("/mcp", headers), status, "{headers:?}");
    }
}

#[test]
fn a_body_that_is_not_one_message_is_refused_as_such() {
    let service = Service::start(&Project::new(), &[]);
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("\u{feff}x", -32700),
        ("[]", -32600),
    ] {
        let (status, text) = service.post("/mcp", &[], body);
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (status, &answer["error"]["code"]),
            (400, &json!(code)),
            "{text}"
        );
        assert_eq!(answer["id"], Value::Null);
    }
}

#[test]
fn a_token_is_required() {
    let project = super::project();
    let service = Service::start(&project, &[("MCP_SERVER_TOKEN", "s3cret")]);
    for (headers, status) in [
        (&[][..], 401),
        (&[("authorization", "Bearer s3cre")][..], 401),
        (&[("authorization", "Bearer s3cret!")][..], 401),
        (&[("authorization", "Bearer s3cret")][..], 200),
        (&[("authorization", "bearer  s3cret")][..], 200),
        (&[("authorization", "Basic s3cret")][..], 401),
        (&[("authorization", "Bearers3cret")][..], 401),
        (&[("authorization", "Bearer")][..], 401),
        (
            &[
                ("authorization", "Bearer s3cret"),
                ("authorization", "Bearer s3cret"),
            ][..],
            401,
        ),
    ] {
        assert_eq!(service.status("/mcp", headers), status, "{headers:?}");
    }
}

#[test]
fn call_tool_checks_like_every_call() {
    let project = super::project();
    let service = Service::start(&project, &[]);
    let call = |arguments: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"greet","arguments":{arguments}}}}}"#
        );
        service.post("/mcp", &[], &body)
    };
    let answer = |text: &str, error: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{text}"}}]{error}}}}}"#
        )
    };
    for (arguments, text, error) in [
        (
            r#"{"person":"Ada"}"#,
            "Good day, Ada!",
            r#","isError":false"#,
        ),
        (
            r#"{"person":"Ada","person":"Bob"}"#,
            r#"cogtools-mcp: error[INVALID_ARGUMENTS_SYNTAX]: greet: not valid JSON: duplicate key `person`\nhint: send `arguments` as one JSON object with each key once, such as {\"name\": \"value\"}\n"#,
            r#","isError":true"#,
        ),
    ] {
        assert_eq!(call(arguments), (200, answer(text, error)), "{arguments}");
    }
}
