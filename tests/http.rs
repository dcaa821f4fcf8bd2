//! Tools that are requests: `implementation: {http: …}`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use cogtools_test_support::{Outcome, Project};

use crate::run;

/// A server that answers each request with what `respond` returns for its first line, headers and
/// body, and that remembers them.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(respond: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.expect("a connection"));
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if reader.read_line(&mut head).unwrap_or(0) == 0 {
                        break;
                    }
                }
                let lower = head.to_ascii_lowercase();
                let length = lower.split("content-length: ").nth(1);
                let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut body).expect("a body");
                let request = head + &String::from_utf8_lossy(&body);
                let answer = respond(&request);
                requests.lock().expect("no panic").push(request);
                let _ = reader.get_mut().write_all(&answer);
            }
        });
        Self { port, seen }
    }

    /// A server that always answers with this status, further headers and body.
    pub(crate) fn always(status: &str, headers: &str, body: &str) -> Self {
        let answer = response(status, headers, body);
        Self::new(move |_| answer.clone())
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }

    /// The first line of the last request, without the version.
    pub(crate) fn last(&self) -> String {
        let requests = self.requests();
        let line = requests.last().and_then(|request| request.lines().next());
        line.unwrap_or_default().replace(" HTTP/1.1", "")
    }
}

pub(crate) fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

/// A tool that requests from the server; `PORT` in `http` is its port.
pub(crate) fn tool(server: &Server, rest: &str, http: &str) -> String {
    let http = http.replace("PORT", &server.port.to_string());
    let hosts = format!("\"127.0.0.1:{}\"", server.port);
    let hosts = if http.contains("hosts:") {
        String::new()
    } else {
        format!(", hosts: [{hosts}]")
    };
    format!("name: t\ndescription: d\n{rest}\nimplementation:\n  http: {{{http}{hosts}}}\n")
}

/// Output and status of a run.
pub(crate) struct Seen {
    status: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Seen {
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            status: outcome.status.to_string(),
            stdout: text(&outcome.stdout),
            stderr: text(&outcome.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn outputs(&self, expected: &str) {
        let seen = (&*self.status, &*self.stdout, &*self.stderr);
        assert_eq!(seen, ("exit 0", expected, ""));
    }

    #[track_caller]
    pub(crate) fn ends(&self, status: u8) -> &Self {
        let expected = format!("exit {status}");
        assert_eq!(self.status, expected, "{}{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, part: &str) -> &Self {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(all.contains(part), "{part}: {all}");
        self
    }
}

pub(crate) fn call(project: &Project, arguments: &str) -> Seen {
    let run = run("cogtools-call", project).arg("t").stdin(arguments);
    Seen::of(&run.env("TOKEN", "s3cr3t/ token").run())
}

pub(crate) fn call_tool(server: &Server, rest: &str, http: &str, arguments: &str) -> Seen {
    let project = Project::new();
    project.file("tools/t.yaml", tool(server, rest, http));
    call(&project, arguments)
}

pub(crate) const ANY: &str = "parameters_schema: {type: object, additionalProperties: true}";

#[test]
fn values_are_encoded_by_their_place() {
    let server = Server::always("200 OK", "", "ok");
    for (http, arguments, expected) in [
        (
            r#"url: "http://127.0.0.1:PORT/u/{{ id }}""#,
            r#"{"id": "a/b c"}"#,
            "GET /u/a%2Fb%20c",
        ),
        (
            r#"url: "http://127.0.0.1:PORT/f/{{ p }}""#,
            r#"{"p": ["x", "y z"]}"#,
            "GET /f/x/y%20z",
        ),
        (
            r#"url: "http://127.0.0.1:PORT/s", query: {q: "{{ q }}", tag: "{{ tags }}"}"#,
            r#"{"q": "a&b", "tags": ["x", "y"]}"#,
            "GET /s?q=a%26b&tag=x&tag=y",
        ),
        (
            r#"url: "http://127.0.0.1:PORT/s?a={{ a }}", query: {b: "{{ b }}", c: "{{ c }}", d: "{{ d }}", e: "{{ e }}"}"#,
            r#"{"a": "é?#", "b": null, "c": "", "d": {"k": 1}}"#,
            "GET /s?a=%C3%A9%3F%23&c=&d=%7B%22k%22%3A1%7D",
        ),
        (
            r#"url: "http://127.0.0.1:PORT/x", method: DELETE"#,
            "{}",
            "DELETE /x",
        ),
        (
            r#"url: "http://127.0.0.1:PORT/{{ [a] }}", query: {a: "{{ [a] }}", "m[]": "{{ m }}"}"#,
            r#"{"a": ["x,y", "z"], "m": {"k": [1]}}"#,
            "GET /x%2Cy,z?a=x%2Cy,z&m%5Bk%5D%5B%5D=1",
        ),
    ] {
        call_tool(&server, ANY, http, arguments).outputs("ok");
        assert_eq!(server.last(), expected);
    }
    // A parameter of this name is not all arguments.
    let text = "{type: string, optional: true, description: d}";
    let args = format!("parameters: {{args: {text}, b: {text}}}");
    let http = r#"url: "http://127.0.0.1:PORT/x", query: {a: "{{ args }}", b: "{{ b }}"}"#;
    call_tool(&server, &args, http, r#"{"b": "c"}"#).outputs("ok");
    assert_eq!(server.last(), "GET /x?b=c");
}

#[test]
fn bodies_keep_types() {
    let server = Server::always("200 OK", "", "ok");
    let body = |http: &str, arguments: &str| {
        call_tool(&server, ANY, http, arguments).outputs("ok");
        let requests = server.requests();
        let last = requests.last().expect("a request").clone();
        assert!(last.starts_with("POST / "), "{last}");
        last.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned()
    };
    let json = r##"url: "http://127.0.0.1:PORT/", body: {json: {n: "{{ n }}", s: "#{{ n }}", m: "{{ m }}", z: "{{ z }}"}}"##;
    assert_eq!(
        body(json, r#"{"n": 5, "z": null}"#),
        r##"{"n":5,"s":"#5","z":null}"##
    );
    let form = r#"url: "http://127.0.0.1:PORT/", body: {form: {a: "{{ a }}", b: "{{ b }}"}}"#;
    assert_eq!(body(form, r#"{"a": ["1 2", 3]}"#), "a=1%202&a=3");
    let text = r#"url: "http://127.0.0.1:PORT/", body: {text: "<{{ a }}>"}"#;
    assert_eq!(body(text, r#"{"a": "x"}"#), "<x>");
}

#[test]
fn credentials_are_sent_and_never_shown() {
    let server = Server::new(|request| {
        let is_secret = |line: &&str| line.to_ascii_lowercase().starts_with("authorization");
        let line = request.lines().find(is_secret).unwrap_or_default();
        let body = format!("{line} s3cr3t/ token s3cr3t%2F%20token");
        response("200 OK", "", &body)
    });
    let http = r#"url: "http://127.0.0.1:PORT/", auth: {bearer: {env: TOKEN}}"#;
    let outcome = call_tool(&server, "", http, "{}");
    assert!(
        !outcome.stdout.contains("s3cr3t") && outcome.stdout.contains("[redacted]"),
        "{}",
        outcome.stdout
    );
    let lower = server.requests()[0].to_ascii_lowercase();
    assert!(
        lower.contains("authorization: bearer s3cr3t/ token"),
        "{lower}"
    );
    let basic =
        r#"url: "http://127.0.0.1:PORT/", auth: {basic: {user: u, password: {env: TOKEN}}}"#;
    let outcome = call_tool(&server, "", basic, "{}");
    assert!(
        outcome.stdout.contains("Basic [redacted]"),
        "{}",
        outcome.stdout
    );
    let key = r#"url: "http://127.0.0.1:PORT/", auth: {basic: {user: {env: TOKEN}}}"#;
    let outcome = call_tool(&server, "", key, "{}");
    assert!(
        !outcome.stdout.contains("s3cr3t") && outcome.stdout.contains("Basic [redacted]"),
        "{}",
        outcome.stdout
    );
    let sent = server.requests().pop().expect("a request");
    assert!(sent.contains(" Basic czNjcjN0LyB0b2tlbjo="), "{sent}");
    let query = r#"url: "http://127.0.0.1:PORT/", auth: {api_key: {query: key, env: TOKEN}}"#;
    call_tool(&server, "", query, "{}");
    assert_eq!(server.last(), "GET /?key=s3cr3t%2F%20token");
    let several = r#"url: "http://127.0.0.1:PORT/", auth: [{api_key: {query: key, env: TOKEN}}, {api_key: {header: X-App, env: TOKEN}}, {bearer: {env: TOKEN}}]"#;
    call_tool(&server, "", several, "{}")
        .outputs("authorization: Bearer [redacted] [redacted] [redacted]");
    let request = server.requests().pop().expect("a request");
    assert!(
        request.starts_with("GET /?key=s3cr3t%2F%20token ")
            && request.contains("x-app: s3cr3t/ token"),
        "{request}"
    );
    let missing = r#"url: "http://127.0.0.1:PORT/", auth: {bearer: {env: NOT_SET}}"#;
    let count = server.requests().len();
    let outcome = call_tool(&server, "", missing, "{}");
    outcome.ends(78);
    assert_eq!(server.requests().len(), count);
}

#[test]
fn a_login_is_sent_to_its_own_server_only() {
    let server = Server::new(|request| {
        if request.contains(" /mcp ") {
            return response("401 Unauthorized", "", "");
        }
        let mut lines = request.lines();
        let line = lines.find(|line| line.starts_with("authorization: "));
        response("200 OK", "", line.unwrap_or("no credentials"))
    });
    let source = format!("http://127.0.0.1:{}/mcp", server.port);
    let project = Project::new();
    project.file(
        ".cogtoolrc.yaml",
        format!("tool_sources: [{{local: ./tools}}, {{mcp: {{url: \"{source}\", name: s}}}}]\n"),
    );
    run("cogtools-trust", &project)
        .args(["--yes", "s"])
        .run()
        .status(1)
        .stderr_contains("its command is now approved");
    let http = r#"url: "http://127.0.0.1:PORT/api", auth: {login: s}"#;
    project.file("tools/t.yaml", tool(&server, "", http));
    call(&project, "{}")
        .ends(78)
        .says("log in: cogtools mcp-client login s");
    let grant = serde_json::json!({
        "server": source, "resource": source, "issuer": "https://a.example",
        "token_endpoint": "https://a.example/token", "revocation_endpoint": null,
        "client": {"id": "c", "secret": null, "method": "none"}, "scopes": [],
        "access_token": "t0k3n", "refresh_token": null, "expires": null,
    });
    let key = cogtools_core::digest::bytes(source.as_bytes()).to_string();
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let path = format!(".local/state/cogtools/logins/{key}.json");
    let path = project.home().join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, grant.to_string()).expect("a file");
    call(&project, "{}").outputs("authorization: Bearer [redacted]");
    let requests = server.requests();
    let last = requests.last().expect("a request");
    assert!(last.contains("authorization: Bearer t0k3n"), "{last}");
    let other = Server::always("200 OK", "", "ok");
    project.file("tools/t.yaml", tool(&other, "", http));
    call(&project, "{}")
        .ends(77)
        .says("is for `http://127.0.0.1");
    assert!(other.requests().is_empty());
}

#[test]
fn pages_become_one_array() {
    let server = Server::new(|request| {
        let target = request.split(' ').nth(1).unwrap_or_default();
        let body = match target {
            "/" => "\u{feff}{\"data\": [1, 2], \"next\": \"b\"}",
            "/?cursor=b" => r#"{"data": [3], "next": null}"#,
            "/loop" | "/loop?cursor=c" => r#"{"data": [0], "next": "c"}"#,
            "/n?page=1" => "[1]",
            _ => "[]",
        };
        response("200 OK", "Content-Type: application/json\r\n", body)
    });
    let cursor = r#"url: "http://127.0.0.1:PORT/", paginate: {next: {pointer: /next, query: cursor}, items: /data}"#;
    call_tool(&server, "", cursor, "{}").outputs("[1,2,3]");
    let one = r#"url: "http://127.0.0.1:PORT/", paginate: {next: {pointer: /next, query: cursor}, items: /data, pages: 1}, response: {template: "{{ body.length }} {{ more }}"}"#;
    call_tool(&server, "", one, "{}").outputs("2 true");
    let numbers = r#"url: "http://127.0.0.1:PORT/n", paginate: {next: {page: page}}"#;
    call_tool(&server, "", numbers, "{}").outputs("[1]");
    let repeated = r#"url: "http://127.0.0.1:PORT/loop", paginate: {next: {pointer: /next, query: cursor}, items: /data}"#;
    call_tool(&server, "", repeated, "{}").ends(1);
}

#[test]
fn results_and_failures() {
    let json = "Content-Type: application/json\r\n";
    let server = Server::always("200 OK", json, r#"{"name": "Ada", "list": [1]}"#);
    for (response, expected) in [
        ("", r#"{"name": "Ada", "list": [1]}"#),
        (", response: {select: /name}", "Ada"),
        (", response: {select: /list}", "[1]"),
        (", response: {select: body.list | first}", "1"),
        (
            ", response: {template: \"{{ status }} {{ body.name }} {{ args.a }}\"}",
            "200 Ada 1",
        ),
    ] {
        let http = format!("url: \"http://127.0.0.1:PORT/\"{response}");
        call_tool(&server, ANY, &http, "{\"a\": 1}").outputs(expected);
    }
    let nothing = r#"url: "http://127.0.0.1:PORT/", response: {select: /absent}"#;
    call_tool(&server, "", nothing, "{}").ends(1);
    let server = Server::always("404 Not Found", json, r#"{"error": {"message": "gone"}}"#);
    let outcome = call_tool(&server, "", r#"url: "http://127.0.0.1:PORT/""#, "{}");
    outcome.ends(1);
    outcome.says("HTTP 404 Not Found: gone");
    let ok = r#"url: "http://127.0.0.1:PORT/", ok: [404], response: {template: "{{ 'none' if status == 404 else body.name }}"}"#;
    call_tool(&server, "", ok, "{}").outputs("none");
    let server = Server::new(|_| {
        let mut bytes = response("200 OK", "Content-Type: image/png\r\n", "1234");
        let at = bytes.len() - 4;
        bytes[at] = 0xff;
        bytes
    });
    let outcome = call_tool(&server, "", r#"url: "http://127.0.0.1:PORT/""#, "{}");
    outcome.ends(1).says("image/png, 4 bytes");
    let image = r#"url: "http://127.0.0.1:PORT/", response: {as: image}"#;
    call_tool(&server, "", image, "{}").outputs("image/png, 4 bytes\n");
}

#[test]
fn json_begins_without_a_mark_and_is_valid() {
    let json = "Content-Type: application/json\r\n";
    let server = Server::always("200 OK", json, "\u{feff}{\"name\": \"Ada\"}");
    let name = r#"url: "http://127.0.0.1:PORT/", response: {select: /name}"#;
    call_tool(&server, "", name, "{}").outputs("Ada");
    let whole = r#"url: "http://127.0.0.1:PORT/""#;
    call_tool(&server, "", whole, "{}").outputs(r#"{"name": "Ada"}"#);
    let template =
        r#"url: "http://127.0.0.1:PORT/", response: {template: "{{ body.name }}{{ status }}"}"#;
    for (body, message) in [
        (
            r#"{"name": 1, "name": 2}"#,
            "the response is not valid JSON: duplicate key `name` at line 1 column 18",
        ),
        (
            "{\"name\": \n",
            "the response is not valid JSON: EOF while parsing a value at line 2 column 0",
        ),
        (
            r#"{"name": 1e999}"#,
            "the response is not valid JSON: number out of range at line 1 column 14",
        ),
    ] {
        let server = Server::always("200 OK", json, body);
        for http in [name, template] {
            call_tool(&server, "", http, "{}").ends(1).says(message);
        }
        // What is passed on as it is need not be valid.
        call_tool(&server, "", whole, "{}").outputs(body);
    }
    let deep = "[".repeat(200);
    let server = Server::always("200 OK", json, &deep);
    let message = "the response is not valid JSON: more than 127 levels of nesting";
    call_tool(&server, "", name, "{}").ends(1).says(message);
    let server = Server::always("200 OK", "Content-Type: text/html\r\n", "<p>");
    let message = "the response is not JSON: text/html, 3 bytes";
    call_tool(&server, "", name, "{}").ends(1).says(message);
    let server = Server::always("200 OK", json, "");
    call_tool(&server, "", template, "{}").outputs("200");
}

#[test]
fn a_failure_that_passes_is_repeated() {
    let count = Mutex::new(0);
    let server = Server::new(move |_| {
        let mut count = count.lock().expect("no panic");
        *count += 1;
        match *count {
            1 => response("503 Service Unavailable", "Retry-After: 0\r\n", ""),
            2 => response(
                "429 Too Many Requests",
                "Retry-After: 1000\r\n",
                "slow down",
            ),
            _ => response("200 OK", "", "ok"),
        }
    });
    let http = r#"url: "http://127.0.0.1:PORT/", retry: 3"#;
    let outcome = call_tool(&server, "", http, "{}");
    outcome.ends(1).says("429");
    assert_eq!(server.requests().len(), 2);
    call_tool(&server, "", http, "{}").outputs("ok");
}

#[test]
fn files_that_are_no_requests() {
    for (http, message) in [
        ("url: \"https://u:p@a.example/\"", "user name"),
        ("url: \"https://a.example/#x\"", "fragment"),
        ("url: \"https://a.example/{id}\"", "`{id}`"),
        ("url: \"{{ s }}://a.example/\"", "begins with"),
        ("url: \"https://a.example:{{ p }}/\"", "port"),
        ("url: \"https://{{ r }}.a.example/\"", "`hosts`"),
        (
            "url: \"https://a.example/\", methd: GET",
            "did you mean `method`?",
        ),
        (
            "url: \"https://a.example/\", method: FETCH",
            "`FETCH` is not a method",
        ),
        (
            "url: \"https://a.example/\", method: GET, body: {text: x}",
            "no `body`",
        ),
        ("url: \"https://a.example/\", headers: {Host: x}", "`Host`"),
        (
            "url: \"https://a.example/\", body: {text: x}, retry: 2",
            "idempotent",
        ),
        ("url: \"https://a.example/\", ok: [200]", "from 400"),
        (
            "url: \"https://a.example/\", hosts: [\"https://x\"]",
            "is not a host",
        ),
        (
            "url: \"https://a.example/\", paginate: {next: link, pages: 101}",
            "from 1 to 100",
        ),
        (
            "url: \"https://{{ r }}.a.example/\", hosts: [\"*.a.example\"], auth: {bearer: {env: T}}",
            "`*.`",
        ),
        (
            "url: \"https://a.example/\", auth: {bearer: secret}",
            "takes a variable",
        ),
        (
            "url: \"https://a.example/\", auth: [{bearer: {env: A}}, {basic: {user: u, password: {env: B}}}]",
            "have the same place: the header `authorization`",
        ),
        (
            "url: \"https://a.example/\", auth: {basic: {user: u}}",
            "`password` is missing",
        ),
        ("method: GET", "`url` is missing"),
    ] {
        let project = Project::new();
        let text = format!("name: t\ndescription: d\n{ANY}\nimplementation:\n  http: {{{http}}}\n");
        project.file("tools/t.yaml", text);
        let outcome = call(&project, "{}");
        outcome.ends(78);
        outcome.says(message);
    }
}

#[test]
fn a_project_that_is_not_trusted_makes_no_request() {
    let server = Server::always("200 OK", "", "ok");
    let project = Project::untrusted();
    project.file(
        "tools/t.yaml",
        tool(&server, "", r#"url: "http://127.0.0.1:PORT/""#),
    );
    call(&project, "{}").ends(77);
    assert!(server.requests().is_empty());
}

/// A server that keeps its connections open, and counts them.
pub(crate) fn persistent() -> (u16, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let count = Arc::new(Mutex::new(0));
    let connections = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            *connections.lock().expect("no panic") += 1;
            let mut reader = BufReader::new(stream.expect("a connection"));
            thread::spawn(move || {
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
                    if line == "\r\n" {
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                        let _ = reader.get_mut().write_all(answer);
                    }
                    line.clear();
                }
            });
        }
    });
    (port, count)
}

/// A tool that requests from a server on `port`.
pub(crate) fn at(name: &str, port: u16) -> String {
    let http = format!("url: \"http://127.0.0.1:{port}/\", hosts: [\"127.0.0.1:{port}\"]");
    format!("name: {name}\ndescription: d\nimplementation:\n  http: {{{http}}}\n")
}

#[test]
fn connections_of_a_flow_stay_open() {
    let (port, count) = persistent();
    let project = Project::new();
    project
        .file("tools/one.yaml", at("one", port))
        .file("tools/two.yaml", at("two", port))
        .file(
            "tools/both.yaml",
            "name: both\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      a: {tool: one}\n      b: {tool: two, needs: [a]}\n      c: {tool: one, needs: [b]}\n",
        );
    let flow = run("cogtools-flow", &project).args(["run", "both"]).run();
    Seen::of(&flow).ends(0);
    assert_eq!(*count.lock().expect("no panic"), 1);
}

#[test]
fn examples_are_tested_without_a_network() {
    let server = Server::always(
        "200 OK",
        "Content-Type: application/json\r\n",
        r#"{"a": "s3cr3t/ token"}"#,
    );
    let project = Project::untrusted();
    let examples = "examples:\n  - name: preset\n    arguments: {}\n    with: {http: {body: {a: 1}}}\n  - name: taped\n    arguments: {}\n";
    let http =
        r#"url: "http://127.0.0.1:PORT/x", auth: {bearer: {env: TOKEN}}, response: {select: /a}"#;
    project.file("tools/t.yaml", tool(&server, examples, http));
    let test = |option: &[&str]| {
        Seen::of(
            &run("cogtools-test", &project)
                .args(option)
                .env("TOKEN", "s3cr3t/ token")
                .run(),
        )
    };
    let outcome = test(&["--update"]);
    outcome.ends(1);
    assert!(
        outcome.stdout.contains("t.taped.tape` does not exist"),
        "{}",
        outcome.stdout
    );
    assert_eq!(project.read("tools/t.preset.golden"), "1");
    assert!(server.requests().is_empty());
    project.trust(".");
    let outcome = test(&["--record"]);
    outcome.ends(0);
    assert_eq!(server.requests().len(), 1);
    let tape = project.read("tools/t.taped.tape");
    assert!(tape.contains("/x") && !tape.contains("s3cr3t"), "{tape}");
    assert_eq!(project.read("tools/t.taped.golden"), "[redacted]");
    let outcome = Seen::of(&run("cogtools-test", &project).run());
    outcome.ends(0);
    let text = project.read("tools/t.yaml").replace("/x", "/y");
    project.file("tools/t.yaml", text);
    let outcome = Seen::of(&run("cogtools-test", &project).run());
    outcome.ends(1).says("differ").says("t.taped.tape");
    assert_eq!(server.requests().len(), 1);
}
