//! A model behind a proxy, TLS that is not trusted, and networks that never answer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::str;

use super::*;
use crate::mcp::peer::Site;
use crate::mcp::tls::certify;
use crate::repository;

/// A server with TLS for `name` in front of the fake.
fn front(project: &Project, name: &str, fake: &FakeGemini) -> Site {
    certify(project, name);
    let script = repository().join("tests/ask/peers/front.py");
    let url = fake.url();
    let port = url.rsplit(':').next().unwrap_or_default().to_owned();
    let files = ["server.pem", "key.pem"].map(|name| project.path(name).display().to_string());
    let script = script.display().to_string();
    Site::start(
        project,
        "python3",
        [script].into_iter().chain(files).chain([port]),
    )
}

/// `cogtools ask -q Go` with the Gemini API at `base` and these variables.
fn go(project: &Project, base: &str, vars: &[(&str, &str)]) -> Outcome {
    let run = run("cogtools-ask", project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", base)
        .limit(Duration::from_mins(1));
    let run = vars
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value));
    run.args(["-q", "--session", "s.jsonl", "Go"]).run()
}

/// A server that reads a request, and writes `answer` or keeps silent.
fn peer(answer: Option<&'static str>) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let mut silent = Vec::new();
        for mut stream in listener.incoming().flatten() {
            match answer {
                Some(answer) => {
                    let _ = stream.read(&mut [0; 4096]);
                    let _ = stream.write_all(answer.as_bytes());
                }
                None => silent.push(stream),
            }
        }
    });
    address
}

#[test]
fn a_model_is_reached_through_a_proxy() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let proxy = front(&project, "gemini.example", &fake);
    let proxy_url = proxy.url.replace("https:", "http:");
    let authority = project.path("ca.pem").display().to_string();
    let vars = [
        ("HTTPS_PROXY", proxy_url.as_str()),
        ("SSL_CERT_FILE", &authority),
    ];
    go(&project, "https://gemini.example", &vars).outputs("done\n");
    assert_eq!(
        project.read("asked"),
        "CONNECT gemini.example:443 HTTP/1.1\n"
    );
    fake.finish();
}

#[test]
fn a_model_without_tls_is_reached_through_a_proxy() {
    let project = project();
    let script = repository().join("tests/ask/peers/openai.py");
    let proxy = Site::start(&project, "python3", [script]);
    let base = "http://model.example/v1";
    run("cogtools-ask", &project)
        .env("OPENAI_BASE_URL", base)
        .env("OPENAI_API_KEY", "a-key-for-tests")
        .env("http_proxy", &proxy.url)
        // Programs that answer requests could be told so by their clients.
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .args(["--provider=openai", "--insecure", "--model=small", "-q"])
        .arg("Greet Ada")
        .run()
        .outputs("It said: Hello Ada!\n");
    let asked = project.read("asked");
    let line = format!("{base}/chat/completions Bearer a-key-for-tests ");
    assert!(
        asked.lines().all(|asked| asked.starts_with(&line)),
        "{asked}"
    );
}

#[test]
fn a_proxy_that_refuses_is_named_without_its_password() {
    for (answer, expected) in [
        (
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
            str![[r#"
cogtools-ask: error[UNAVAILABLE]: gemini-flash-latest: `gemini.example` cannot be reached through the proxy `[PROXY]`: it responded with HTTP 403 Forbidden
hint: check HTTPS_PROXY, http_proxy and ALL_PROXY, or list the host in NO_PROXY
hint: cogtools ask --session s.jsonl --continue goes on

"#]],
        ),
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
            str![[r#"
cogtools-ask: error[UNAVAILABLE]: gemini-flash-latest: `gemini.example` cannot be reached through the proxy `[PROXY]`: it requires authentication
hint: check HTTPS_PROXY, http_proxy and ALL_PROXY, or list the host in NO_PROXY
hint: cogtools ask --session s.jsonl --continue goes on

"#]],
        ),
    ] {
        let project = project();
        let proxy = format!("http://user:passw0rd@{}", peer(Some(answer)));
        let outcome = go(&project, "https://gemini.example", &[("ALL_PROXY", &proxy)]);
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let address = proxy.rsplit('@').next().unwrap_or_default();
        outcome.status(69).stdout_is("");
        assert_text(stderr.replace(address, "[PROXY]"), expected);
        assert!(!project.read("s.jsonl").contains("passw0rd"));
    }
}

#[test]
fn a_certificate_that_is_not_trusted_ends_the_run() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let site = front(&project, "127.0.0.1", &fake);
    let outcome = go(&project, &site.url, &[]);
    let stderr = String::from_utf8_lossy(&outcome.stderr).replace(&site.url[8..], "[SITE]");
    outcome.status(69).stdout_is("");
    assert_text(
        stderr,
        str![[r#"
cogtools-ask: error[UNAVAILABLE]: gemini-flash-latest: `[SITE]` cannot be reached: its certificate is not signed by a trusted authority
hint: if the authority is your own, set SSL_CERT_FILE to the file with its certificate
hint: cogtools ask --session s.jsonl --continue goes on

"#]],
    );
    assert!(fake.requests().is_empty());
    let authority = project.path("ca.pem").display().to_string();
    go(&project, &site.url, &[("SSL_CERT_FILE", &authority)]).outputs("done\n");
    fake.finish();
}

/// Neither a server that does not answer nor a proxy may keep a run.
#[test]
fn a_network_that_never_answers_is_bounded_by_the_budget() {
    let silent = peer(None);
    let proxy = format!("http://{silent}");
    let cases = [
        (format!("http://{silent}"), None),
        (format!("https://{silent}"), None),
        ("https://gemini.example".to_owned(), Some(proxy.as_str())),
    ];
    thread::scope(|scope| {
        for (base, proxy) in &cases {
            scope.spawn(move || {
                let project = project();
                let run = run("cogtools-ask", &project)
                    .env("GEMINI_API_KEY", "a-key-for-tests")
                    .env("GOOGLE_GEMINI_BASE_URL", base)
                    .env("HTTPS_PROXY", proxy.unwrap_or_default());
                let start = Instant::now();
                let args = ["-q", "--session", "s.jsonl", "--budget", "seconds=2", "Go"];
                let outcome = run.args(args).run();
                outcome.fails(
                    4,
                    str![[r#"
cogtools-ask: error[BUDGET_SPENT]: the budget of seconds is spent
hint: cogtools ask --session s.jsonl --continue --budget seconds=NUMBER goes on

"#]],
                );
                let elapsed = start.elapsed();
                assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
            });
        }
    });
}

#[test]
fn a_name_server_that_never_answers_is_bounded_by_the_budget() {
    const NAMESPACES: [&str; 4] = ["--user", "--map-root-user", "--mount", "--net"];
    let probe = Command::new("unshare")
        .args(NAMESPACES)
        .arg("true")
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this user cannot exchange the name server");
        return;
    }
    let project = project();
    let start = Instant::now();
    let outcome = Run::new("/usr/bin/unshare")
        .args(NAMESPACES)
        .arg("python3")
        .arg(repository().join("tests/ask/peers/silent_dns.py"))
        .arg(programs().join("cogtools-ask"))
        .project(&project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", "https://gemini.example")
        .args(["-q", "--session", "s.jsonl", "--budget", "seconds=2", "Go"])
        .run();
    outcome.fails(
        4,
        str![[r#"
cogtools-ask: error[BUDGET_SPENT]: the budget of seconds is spent
hint: cogtools ask --session s.jsonl --continue --budget seconds=NUMBER goes on

"#]],
    );
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
    let asked: u32 = project.read("asked").trim().parse().expect("a number");
    assert!(asked > 0);
}

#[test]
fn ctrl_c_ends_the_wait_for_a_network_that_never_answers() {
    let project = project();
    let proxy = format!("http://{}", peer(None));
    let start = Instant::now();
    let outcome = Run::new("/bin/sh")
        .args(["-c", "(sleep 1; kill -INT $$) & exec \"$@\"", "sh"])
        .arg(programs().join("cogtools-ask"))
        .project(&project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", "https://gemini.example")
        .env("HTTPS_PROXY", proxy)
        .args(["-q", "--session", "s.jsonl", "Go"])
        .run();
    outcome.fails(130, "");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn connections_of_tools_stay_open() {
    let (port, count) = crate::http::persistent();
    let project = Project::new();
    for name in ["one", "two"] {
        project.file(format!("tools/{name}.yaml"), crate::http::at(name, port));
    }
    let call = |name| Turn::call(name, json!({}));
    let fake = FakeGemini::start([call("one"), call("two"), call("one"), Turn::text("done")]);
    quietly(&project, &fake, &["--allow", "*", "Go"]).outputs("done\n");
    let conversation = fake.finish();
    for request in &conversation.main()[1..] {
        let response = &request.responses()[0]["response"];
        assert_eq!(response["output"], "ok", "{response}");
    }
    assert_eq!(*count.lock().expect("no panic"), 1);
}
