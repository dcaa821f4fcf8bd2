//! The server as a service: what shuts it down, and what does not.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cogtools_test_support::str;

use super::http::{PING, Service, address, post};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn an_empty_token_is_refused() {
    let project = super::project();
    crate::run("cogtools-mcp", &project)
        .args(["--http", "localhost:0"])
        .env("MCP_SERVER_TOKEN", "")
        .run()
        .fails(
            2,
            str![[r#"
cogtools-mcp: error[USAGE]: MCP_SERVER_TOKEN: the token is empty
hint: set a token, or unset the variable

"#]],
        );
}

#[test]
fn idle_and_half_open_connections_shut_no_client_out() {
    let project = super::project();
    let service = Service::start(&project, &[]);
    let address = address(&service.url);
    let connections: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(address).expect("it listens");
            let begin = match number % 3 {
                0 => "",
                1 => "POST /mcp HTTP/1.1\r\nhost: loc",
                _ => "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{",
            };
            stream.write_all(begin.as_bytes()).expect("it reads");
            stream
        })
        .collect();
    let begin = Instant::now();
    assert_eq!(service.status("/mcp", &[]), 200);
    assert!(begin.elapsed() < Duration::from_secs(5), "it waited");
    drop(connections);
}

/// With few open files, as on systems whose limit is low, the oldest connections end.
#[cfg(target_os = "linux")]
#[test]
fn idle_connections_take_no_file_that_an_answer_needs() {
    let project = super::project();
    let service = Service::start_limited(&project, 96);
    let address = address(&service.url);
    let connections: Vec<TcpStream> = (0..300)
        .map(|_| TcpStream::connect(address).expect("it listens"))
        .collect();
    let begin = Instant::now();
    let (status, body) = post(&service.url, "/mcp", &[], LIST);
    assert_eq!(status, 200);
    assert!(body.contains("\"name\""), "{body}");
    assert!(begin.elapsed() < Duration::from_secs(8), "it waited");
    drop(connections);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_under_nohup_outlives_its_shell() {
    let project = super::project();
    let mut shell = Command::new("/bin/sh");
    let script = "nohup \"$0\" --http localhost:0 >url 2>log & echo $!";
    let output = shell
        .args(["-c", script])
        .arg(super::server())
        .current_dir(project.root())
        .env("HOME", project.home())
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    let process: u32 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("a number");
    // Longer than the time in which the end of a parent is noticed.
    std::thread::sleep(Duration::from_secs(2));
    super::session::signal(process, "HUP");
    std::thread::sleep(Duration::from_millis(200));
    let url = std::fs::read_to_string(project.path("url")).expect("it printed its URL");
    let (status, _) = post(url.trim_end(), "/mcp", &[], PING);
    assert_eq!(status, 200);
    super::session::signal(process, "TERM");
    super::session::gone(process);
}

/// The status and the body of a GET.
fn get(service: &Service, path: &str, headers: &str) -> (u16, String) {
    let address = address(&service.url);
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or(0), body.to_owned())
}

fn call(service: &Service, name: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let arguments = r#"{"person":"Ada"}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
    );
    service.post("/mcp", headers, &body)
}

#[test]
fn health_needs_no_token_and_metrics_do() {
    let project = super::project();
    let token = ("MCP_SERVER_TOKEN", "s3cret");
    let service = Service::start(&project, &[token]);
    assert_eq!(get(&service, "/healthz", ""), (200, "ok\n".to_owned()));
    assert_eq!(get(&service, "/readyz", ""), (200, "ready\n".to_owned()));
    assert_eq!(get(&service, "/healthz/", "").0, 401);
    let authorization = "authorization: Bearer s3cret\r\n";
    assert_eq!(get(&service, "/metrics", authorization).0, 404);
    assert_eq!(service.post("/healthz", &[], "").0, 405);
    let service = Service::start_with(&project, &["--metrics"], &[token]);
    let headers = [("authorization", "Bearer s3cret")];
    assert_eq!(call(&service, "greet", &headers).0, 200);
    assert_eq!(call(&service, "greet", &headers).0, 200);
    for made_up in 0..20 {
        call(&service, &format!("made_up_{made_up}"), &headers);
    }
    assert_eq!(get(&service, "/metrics", "").0, 401);
    let (status, metrics) = get(&service, "/metrics", authorization);
    assert_eq!(status, 200);
    let mut counts: Vec<&str> = metrics
        .lines()
        .filter(|line| line.starts_with("cogtools_calls"))
        .collect();
    counts.sort_unstable();
    assert_eq!(
        counts,
        [
            "cogtools_calls_in_flight 0",
            r#"cogtools_calls_total{tool="",outcome="not_found"} 20"#,
            r#"cogtools_calls_total{tool="greet",outcome="done"} 2"#,
        ]
    );
    let durations = metrics
        .lines()
        .filter(|line| line.starts_with("cogtools_call_duration_seconds_count"));
    assert_eq!(
        durations.collect::<Vec<&str>>(),
        [r#"cogtools_call_duration_seconds_count{tool="greet"} 2"#]
    );
}

#[test]
fn calls_end_within_the_drain_time() {
    let project = super::project();
    project.file(
        "tools/nap.yaml",
        "name: nap
description: Sleeps a moment
implementation:
  exec: [/bin/sh, -c, 'touch begun; sleep 1; echo rested']
",
    );
    let nap =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nap","arguments":{}}}"#;
    for (drain, rests) in [("20", true), ("0", false)] {
        let _ = std::fs::remove_file(project.path("begun"));
        let mut service = Service::start_with(&project, &["--drain", drain], &[]);
        let url = service.url.clone();
        let begin = Instant::now();
        let calling = std::thread::spawn(move || post(&url, "/mcp", &[], nap));
        while !project.path("begun").exists() {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "it does not begin"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        super::session::signal(service.child.id(), "TERM");
        let (status, body) = calling.join().expect("it is answered");
        let status_of_server = service.child.wait().expect("the server is ours");
        assert_eq!(status_of_server.code(), Some(143));
        assert_eq!(status == 200 && body.contains("rested"), rests, "{body}");
        let address = address(&service.url);
        assert!(TcpStream::connect(address).is_err(), "it still listens");
    }
}
