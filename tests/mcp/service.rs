//! The server as a service: what shuts it down, and what does not.

use std::io::Write as _;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cogtools_test_support::str;

use super::http::{PING, Service, address, post};

#[test]
fn an_empty_token_is_refused() {
    let project = super::project();
    crate::run("cogtools-mcp", &project)
        .args(["--http", "localhost:0"])
        .env("MCP_SERVER_TOKEN", "")
        .run()
        .fails(
            64,
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
