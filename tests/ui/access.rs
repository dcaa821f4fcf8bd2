//! Who may see the pages.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};

use super::server::Server;
use super::started;

#[test]
fn a_page_on_another_host_gets_nothing() {
    let (_project, server) = started();
    let cookie = server.cookie();
    let own = format!("http://{}", server.address);
    let (_, port) = server.address.split_once(':').expect("a port");
    let other_name = format!("localhost:{port}");
    for (name, value, status) in [
        ("accept", "text/html", 200),
        ("host", other_name.as_str(), 200),
        ("origin", own.as_str(), 200),
        // A name that was made to resolve to this machine.
        ("host", "evil.example", 403),
        ("host", "evil.example:80", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("host", "user@127.0.0.1", 403),
        ("host", "", 403),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "http://localhost:1", 403),
        ("origin", "https://localhost", 403),
    ] {
        let headers = [("cookie", cookie.as_str()), (name, value)];
        let reply = server.send("GET", &server.below("/"), &headers, "");
        assert_eq!(reply.status, status, "{name}: {value}");
    }
}

#[test]
fn the_token_is_good_for_one_browser() {
    let (_project, server) = started();
    let wrong = server.send("GET", "/?token=0123", &[], "");
    assert_eq!(wrong.status, 401);
    let elsewhere = format!("/sessions?token={}", server.token());
    assert_eq!(server.send("GET", &elsewhere, &[], "").status, 401);
    let cookie = server.cookie();
    assert_eq!(server.get(&cookie, "/").status, 200);
    let again = server.send("GET", &format!("/?token={}", server.token()), &[], "");
    assert_eq!(again.status, 401);
    assert_eq!(again.header("set-cookie"), None);
    for (cookie, path) in [
        ("", "/"),
        ("", "/sessions"),
        ("", "/sessions/file.0"),
        ("", "/nothing"),
        ("cogtools=1", "/"),
        (&cookie[..cookie.len() - 1], "/"),
        (&cookie.replace('=', "0="), "/"),
    ] {
        assert_eq!(server.get(cookie, path).status, 401, "{cookie} {path}");
    }
}

#[test]
fn without_its_path_a_cookie_opens_nothing_and_no_stranger_learns_it() {
    let (_project, server) = started();
    let cookie = server.cookie();
    let headers = [("cookie", cookie.as_str())];
    let base = server.base();
    let longer = format!("{base}0/sessions");
    for path in ["/", "/sessions", "/tools", "/nothing", &base[..20], &longer] {
        let reply = server.send("GET", path, &headers, "");
        assert_eq!(reply.status, 401, "{path}");
        let page = reply.body + &server.send("GET", path, &[], "").body;
        for secret in [base, "cogtools-token", "cogtools-base"] {
            assert!(!page.contains(secret), "{path}: {page}");
        }
    }
    let post = server.send("POST", "/tools/x/call", &headers, "{}");
    assert_eq!(post.status, 401);
    // Nor do those who know the path, without the cookie.
    let page = server.send("GET", base, &[], "");
    assert_eq!(page.status, 401);
    assert!(!page.body.contains("cogtools-token"), "{}", page.body);
    assert_eq!(server.get(&cookie, "").status, 200);
}

#[test]
fn what_starts_something_needs_the_token_of_a_page() {
    let (_project, server) = started();
    let cookie = server.cookie();
    let send = |headers: &[(&str, &str)]| {
        let cookie = ("cookie", cookie.as_str());
        let headers: Vec<_> = headers.iter().copied().chain([cookie]).collect();
        let path = server.below("/tools/x/call");
        server.send("POST", &path, &headers, "{}").status
    };
    assert_eq!(send(&[]), 403);
    assert_eq!(send(&[("x-cogtools-token", "0")]), 403);
    let (_, value) = cookie.split_once('=').expect("a value");
    assert_eq!(send(&[("x-cogtools-token", value)]), 403);
    assert_eq!(
        server
            .send("DELETE", &server.below("/"), &[("cookie", &cookie)], "")
            .status,
        403
    );
}

#[test]
fn pages_load_nothing_from_elsewhere_and_stay_nowhere() {
    let (_project, server) = started();
    let cookie = server.cookie();
    for path in ["/", "/sessions/file.0", "/nothing", "/assets/style.css"] {
        let reply = server.get(&cookie, path);
        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                 img-src 'self' data:; base-uri 'none'; form-action 'self'; \
                 frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{path}");
        }
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
        let cache = if path.starts_with("/assets") {
            "no-cache"
        } else {
            "no-store"
        };
        assert_eq!(reply.header("cache-control"), Some(cache), "{path}");
    }
}

#[test]
fn a_signal_ends_it() {
    let project = Project::new();
    let server = Server::start(&project, &[]);
    let id = server.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(server.wait(), Some(143));
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let (project, server) = started();
    let (_, port) = server.address.split_once(':').expect("a port");
    crate::run("cogtools-ui", &project)
        .args(["--port", port])
        .run()
        .fails(
            74,
            format!(
                "cogtools-ui: error[IO_FAILED]: cannot listen on 127.0.0.1:{port}: \
             Address already in use (os error 98)\n\
             hint: choose another port, or 0 for any free port\n"
            ),
        );
}

#[test]
fn a_session_that_is_missing_is_an_error() {
    crate::run("cogtools-ui", &Project::new())
        .args(["--session", "missing.jsonl"])
        .run()
        .fails(
            127,
            str![[r#"
cogtools-ui: error[SESSION_NOT_FOUND]: `missing.jsonl` cannot be read: No such file or directory (os error 2)
hint: `cogtools session list` shows the sessions of this project

"#]],
        );
}

#[test]
fn the_browser_gets_a_private_file_and_not_the_token_as_an_argument() {
    let project = Project::new();
    project.program(
        "../bin/xdg-open",
        "#!/bin/sh\nprintf '%s' \"$*\" > args.new\ncp \"$1\" page.html\nmv args.new args\n",
    );
    let path = format!("{}:/usr/bin:/bin", project.path("../bin").display());
    let server = Server::start_with(&project, &["--open"], &[("PATH", &path)]);
    let start = Instant::now();
    while !project.path("args").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "nothing is opened"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let file = project.home().join(".local/state/cogtools/ui/open.html");
    assert_eq!(project.read("args"), file.display().to_string());
    let mode = file.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        project
            .read("page.html")
            .contains(&format!("content=\"0;url={}\"", server.url))
    );
    // The page that leads here is of another site, so the first answer has no cookie to go by.
    let cookie = server.cookie();
    let retry = "<meta http-equiv=\"refresh\" content=\"0;url=?again=1\">";
    let first = server.get("", "/");
    assert!(
        first.status == 401 && first.body.contains(retry),
        "{first:?}"
    );
    assert!(!server.get("", "/?again=1").body.contains(retry));
    assert_eq!(server.get(&cookie, "/?again=1").status, 200);
}

#[test]
fn without_a_browser_it_says_so() {
    let project = Project::new();
    let outcome = crate::run("cogtools-ui", &project)
        .env("PATH", project.path("nothing"))
        .arg("--open")
        .run();
    outcome.status(74);
    outcome.stderr_is(
        "cogtools-ui: error[IO_FAILED]: there is no program that opens a browser: xdg-open, \
         gio-open, sensible-browser\nhint: open the URL yourself, without --open\n",
    );
}
