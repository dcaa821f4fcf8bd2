//! A network of named hosts: requests by the proxy, and attempts to get around it.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use cogtools_test_support::{Project, Run, str};

use super::super::limits::unprivileged;
use super::{call, scene};

/// Asks by the proxy, then without it, and prints what each gives.
const CLIENT: &str = r#"
import os, socket, sys, urllib.error, urllib.request

def get(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read().decode().strip()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode().strip()}"

def raw(text):
    host, port = os.environ["http_proxy"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 20) as proxy:
        proxy.sendall(text.replace("\n", "\r\n").encode())
        answer = b""
        while part := proxy.recv(4096):
            answer += part
    return answer.decode().replace("\r\n", "\n").split("\n\n")[-1].strip()

def attempt(name, work):
    try:
        found = str(work())
    except OSError as error:
        found = type(error).__name__
    found = found.replace(NAMED, "NAMED").replace(OTHER, "OTHER")
    print(f"{name}: {found}".replace(NAMED.split(":")[1], "PORT"))

NAMED, OTHER = sys.argv[1], sys.argv[2]
attempt("named", lambda: get(f"http://{NAMED}/a?b"))
attempt("other notation", lambda: get(f"http://127.1:{NAMED.split(':')[1]}/"))
attempt("tunnel", lambda: raw(f"CONNECT {NAMED} HTTP/1.1\n\nGET /t HTTP/1.1\n\n"))
attempt("other port", lambda: get(f"http://{OTHER}/"))
attempt("tunnel to another port", lambda: raw(f"CONNECT {OTHER} HTTP/1.1\n\n"))
attempt("other host", lambda: get("http://b.example/"))
attempt("user in the URL", lambda: raw(f"GET http://u@{NAMED}/ HTTP/1.1\n\n"))
attempt("other scheme", lambda: raw(f"GET ftp://{NAMED}/ HTTP/1.1\n\n"))
attempt("second host in a header", lambda: raw(f"GET http://{NAMED}/h HTTP/1.1\nHost: {OTHER}\n\n"))
attempt("no port", lambda: raw("CONNECT a.example HTTP/1.1\n\n"))
for family in (socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET):
    attempt(family.name, lambda: socket.socket(family, socket.SOCK_RAW))
attempt("without the proxy", lambda: socket.create_connection(tuple(NAMED.split(":")), 5))
attempt("datagram", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)))
"#;

/// Answers every request with its first line and its host, and returns the address.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("a request");
            let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let host = text.lines().find(|line| line.starts_with("Host: "));
            let body = format!(
                "{} {}",
                text.lines().next().unwrap_or_default(),
                host.unwrap_or_default()
            );
            let head = format!("Connection: close\r\nContent-Length: {}", body.len());
            let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
            // Who connects without a request gets none.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

/// A project with the tool `t`, which may reach `named` and tries to reach `other`.
fn project(named: &str, other: &str) -> Project {
    let project = scene();
    let tool = format!(
        "name: t\ndescription: d\nsandbox: {{net: [\"{named}\", \"*.example.org\"]}}\n\
         implementation:\n  exec: [python3, tools/client.py, \"{named}\", \"{other}\"]\n"
    );
    project
        .file("tools/client.py", CLIENT)
        .file("tools/t.yaml", tool);
    project
}

/// As root and as a user: both have a network of their own.
#[test]
fn a_program_reaches_the_hosts_that_its_sandbox_names_and_nothing_else() {
    let (named, other) = (server(), server());
    for is_root in [true, false] {
        let project = project(&named, &other);
        let run: Run = if is_root {
            call(&project)
        } else {
            unprivileged(&project).env("PATH", "/usr/bin:/bin")
        };
        // The user's own exceptions do not lead around the proxy.
        run.env("NO_PROXY", "*").run().outputs(str![[r#"
named: GET /a?b HTTP/1.1 Host: NAMED
other notation: GET / HTTP/1.1 Host: 127.1:PORT
tunnel: GET /t HTTP/1.1
other port: 403 cogtools: OTHER: the sandbox does not name this host under `net`
tunnel to another port: cogtools: OTHER: the sandbox does not name this host under `net`
other host: 403 cogtools: b.example:80: the sandbox does not name this host under `net`
user in the URL: cogtools: this is no request to a proxy
other scheme: cogtools: this is no request to a proxy
second host in a header: GET /h HTTP/1.1 Host: NAMED
no port: cogtools: this is no request to a proxy
AF_UNIX: PermissionError
AF_NETLINK: PermissionError
AF_PACKET: PermissionError
without the proxy: ConnectionRefusedError
datagram: OSError

"#]]);
    }
}

#[test]
fn hosts_need_namespaces() {
    let project = project("a.example", "127.0.0.1:9");
    let run = call(&project).env("COGTOOLS_SANDBOX_LAYERS", "landlock");
    run.run().fails(
        77,
        str![[r#"
cogtools-call: error[SANDBOX_UNAVAILABLE]: t: its sandbox names hosts under `net`, and this user has no namespaces for that here
hint: cogtools doctor says what is missing
hint: `net: true` permits all hosts, also without namespaces

"#]],
    );
}

#[test]
fn a_host_is_a_name_with_or_without_a_port() {
    for (net, expected) in [
        (
            "[https://a.example/x]",
            "`https://a.example/x` is not a host that `net` can name",
        ),
        ("[\"*\"]", "`*` is not a host that `net` can name"),
        ("[\"u@a\"]", "`u@a` is not a host that `net` can name"),
        ("[1]", "`net` takes true, false or a list of hosts, not 1"),
        (
            "yes please",
            "`net` takes true, false or a list of hosts, not `yes please`",
        ),
    ] {
        let project = project("a.example", "127.0.0.1:9");
        let tool = format!(
            "name: t\ndescription: d\nsandbox: {{net: {net}}}\nimplementation: {{exec: [sh]}}\n"
        );
        project.file("tools/t.yaml", tool);
        call(&project).run().status(78).stderr_contains(expected);
    }
}

/// The question before an approval names the hosts.
#[test]
fn the_question_shows_the_hosts() {
    let project = project("a.example", "127.0.0.1:9");
    let outcome = crate::run("cogtools-trust", &project).arg(".").run();
    let text = String::from_utf8_lossy(&outcome.stdout);
    let line = "  may       read the project; write nothing; reach a.example *.example.org\n";
    assert!(text.contains(line), "{text}");
}
