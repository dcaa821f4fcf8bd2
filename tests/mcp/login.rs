//! Logins to servers that require OAuth, with a real authorization server.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use cogtools_test_support::{Outcome, Project, Status, install};
use serde_json::json;

use super::cache;
use super::peer::{Site, peer};
use super::session::Session;

/// A login that waits for its answer.
pub(super) struct Login {
    pub(super) child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    /// The URL that it has printed for the user to open.
    page: String,
}

impl Login {
    pub(super) fn start(project: &Project, args: &[&str]) -> Self {
        let mut child = Command::new(crate::programs().join("cogtools-mcp-client"))
            .arg("login")
            .args(args)
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut page = String::new();
        for _ in 0..4 {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("it prints lines");
            if let Some(url) = line.strip_prefix("  ") {
                url.trim_end().clone_into(&mut page);
            }
        }
        Self {
            child,
            stdout,
            page,
        }
    }

    /// Opens the page, and returns what the user sees at the end.
    pub(super) fn open(&self) -> String {
        let browser = Command::new("python3")
            .arg(peer("browser.py"))
            .arg(&self.page)
            .output();
        let output = browser.expect("python3 is there");
        String::from_utf8(output.stdout).expect("it is text")
    }

    /// The status, the rest of standard output, and standard error.
    pub(super) fn end(mut self) -> (Option<i32>, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("it is text");
        let errors = self.child.stderr.as_mut().expect("stderr is a pipe");
        errors.read_to_string(&mut stderr).expect("it is text");
        let status = self.child.wait().expect("it is ours");
        (status.code(), stdout, stderr)
    }
}

/// The page that the user sees at the end.
pub(super) const DONE: &str =
    "cogtools has the answer: close this page, and return to the terminal.\n";

/// A project whose user has the server at `url` as the source `s`.
pub(super) fn project(url: &str) -> Project {
    let project = Project::new();
    let source = json!({"mcp": {"url": url, "name": "s", "wait": 30, "cache": 0}});
    let sources = json!({"tool_sources": [source]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    project
}

fn call(project: &Project, tool: &str) -> Outcome {
    let run = crate::run("cogtools-call", project);
    run.arg(tool).stdin("{}").run()
}

/// The files with tokens.
pub(super) fn logins(project: &Project) -> Vec<PathBuf> {
    let folder = project.home().join(".local/state/cogtools/logins");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    files
        .filter(|file| file.extension().is_some_and(|it| it == "json"))
        .collect()
}

fn authority(peers: &Project, seconds: &str) -> Site {
    let place = install::npm(&cache(), "oidc-provider-9.13.3", &["oidc-provider@9.13.3"]);
    let node = install::node(&cache()).join("node");
    let script = peer("authority.mjs");
    let args = [script.as_os_str(), place.as_os_str(), seconds.as_ref()];
    Site::start(peers, node, args)
}

#[test]
fn a_login_at_a_real_authorization_server() {
    let peers = Project::new();
    // Each use renews the token: it would expire too soon.
    let site = authority(&peers, "20");
    let project = project(&site.url);
    let refused = |name: &str, login: &str| {
        format!(
            "cogtools-call: error[TOOL_FAILED]: {name}the MCP server `s` requires a login{login}\n"
        )
    };
    call(&project, "whoami").fails(
        127,
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: whoami: no such tool\n\
             hint: cogtools-discover lists all tools\n{}",
            refused(
                "",
                " (HTTP 401 Unauthorized)\nhint: log in: cogtools mcp-client login s"
            ),
        ),
    );
    let login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), DONE);
    let (status, said, errors) = login.end();
    let [file] = &*logins(&project) else {
        panic!("{said}{errors}");
    };
    let file = file.display();
    let expected =
        format!("Logged in to s for tools:read offline_access; the token is in {file}.\n");
    assert_eq!((status, said, errors), (Some(0), expected, String::new()));
    let mode = |path: &str| {
        let metadata = std::fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    };
    let folder = project.home().join(".local/state/cogtools/logins");
    assert_eq!(mode(&file.to_string()), 0o600);
    assert_eq!(mode(&folder.display().to_string()), 0o700);
    let first = std::fs::read_to_string(file.to_string()).expect("a token");
    call(&project, "whoami").outputs("whoami for Ada");
    let renewed = std::fs::read_to_string(file.to_string()).expect("a token");
    assert_ne!(first, renewed, "the token was not renewed");
    step_up(&project);
    let log_out = || {
        let run = crate::run("cogtools-mcp-client", &project).args(["logout", "s"]);
        run.run()
    };
    log_out().outputs("Logged out of s: its token is revoked and forgotten.\n");
    log_out().outputs("There is no token for s.\n");
    assert_eq!(logins(&project), Vec::<PathBuf>::new());
    // Neither a file that someone has copied.
    std::fs::write(file.to_string(), renewed).expect("it can be written");
    call(&project, "whoami").fails(
        127,
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: whoami: no such tool\n\
             hint: cogtools-discover lists all tools\n{}",
            refused(
                "",
                " (HTTP 401 Unauthorized)\nhint: log in: cogtools mcp-client login s"
            ),
        ),
    );
}

/// Before: the hint named a source that was not there yet.
#[test]
fn a_server_is_added_after_a_login() {
    let peers = Project::new();
    let site = authority(&peers, "20");
    let project = Project::new();
    let add = || {
        let add = ["add", "s", "--yes", "--url", &site.url];
        crate::run("cogtools-mcp", &project).args(add).run()
    };
    let described = json!({"name": "s", "url": site.url}).to_string();
    add().status(1).stderr_contains(&format!(
        "\nhint: log in: cogtools mcp-client login --server '{described}'\n"
    ));
    let login = Login::start(&project, &["--server", &described]);
    assert_eq!(login.open(), DONE);
    assert_eq!(login.end().0, Some(0));
    add().status(0).stdout_contains("whoami");
}

/// A tool that needs more than the login has asked for.
fn step_up(project: &Project) {
    call(project, "change").fails(
        1,
        "cogtools-call: error[TOOL_FAILED]: change: the MCP server `s` requires a login for more \
         than the last one gave: tools:write\n\
         hint: log in: cogtools mcp-client login s --scope tools:write\n",
    );
    let login = Login::start(project, &["s", "--scope", "tools:write"]);
    assert_eq!(login.open(), DONE);
    let (_, said, _) = login.end();
    let expected = "Logged in to s for tools:read offline_access tools:write; ";
    assert!(said.starts_with(expected), "{said}");
    call(project, "change").outputs("change for Ada");
    call(project, "whoami").outputs("whoami for Ada");
}

#[test]
fn a_session_that_is_open_hears_of_a_login() {
    let peers = Project::new();
    let site = authority(&peers, "3600");
    let project = project(&site.url);
    let mut session = Session::open(&project);
    let id = session.ask("tools/list", &json!({}));
    assert_eq!(session.answer(id)["result"]["tools"], json!([]));
    let login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), DONE);
    let (status, said, errors) = login.end();
    assert_eq!(status, Some(0), "{said}{errors}");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let id = session.call("whoami", &json!({}));
        let answer = session.answer(id);
        if answer["result"]["content"][0]["text"] == "whoami for Ada" {
            return;
        }
        assert!(std::time::Instant::now() < end, "{answer}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_token_is_for_one_url() {
    let peers = Project::new();
    let site = authority(&peers, "3600");
    let project = project(&site.url);
    let login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), DONE);
    assert_eq!(login.end().0, Some(0));
    let asked = peers.path("asked");
    for url in [
        format!("{}/", site.url),
        format!("{}?x=1", site.url),
        site.url.replace("/mcp", "/other"),
        site.url.replace("127.0.0.1", "localhost"),
    ] {
        std::fs::remove_file(&asked).expect("it was asked");
        let server = json!({"url": url, "name": "s"}).to_string();
        let run = crate::run("cogtools-mcp-client", &project);
        let outcome = run.args(["discover", "--server", &server]).run();
        outcome.fails(
            1,
            "cogtools-mcp-client: error[TOOL_FAILED]: the MCP server `s` requires a login (HTTP 401 \
             Unauthorized)\nhint: log in: cogtools mcp-client login s\n",
        );
        let path = url.splitn(4, '/').last().unwrap_or_default();
        let expected = format!("/{path} server/discover  -\n");
        assert_eq!(peers.read("asked"), expected, "{url}");
    }
    // Nor does an entry with another name lead there.
    let [file] = &*logins(&project) else {
        panic!("there is one login");
    };
    let text = std::fs::read_to_string(file).expect("a token");
    let text = text.replacen(&site.url, "https://evil.example/mcp", 1);
    std::fs::write(file, text).expect("it can be written");
    let server = json!({"url": site.url, "name": "s"}).to_string();
    let run = crate::run("cogtools-mcp-client", &project);
    let outcome = run.args(["discover", "--server", &server]).run();
    assert_eq!(outcome.status, Status::Exit(1));
}

#[test]
fn a_source_of_a_project_must_be_approved() {
    let site_project = Project::new();
    let site = Site::start(&site_project, "python3", [peer("lying.py")]);
    let project = Project::new();
    let source = json!({"mcp": {"url": format!("{}/x", site.url), "name": "s"}});
    let sources = json!({"tool_sources": [source]});
    project.file(".cogtoolrc.yaml", sources.to_string());
    let run = crate::run("cogtools-mcp-client", &project);
    run.args(["login", "s"]).run().fails(
        77,
        "cogtools-mcp-client: error[DENIED]: the provider `s` is not approved yet\n\
         hint: review what it runs, then approve it: cogtools trust s\n",
    );
    assert!(!site_project.path("asked").exists());
    let run = crate::run("cogtools-mcp-client", &project);
    run.args(["login", "t"]).run().fails(
        2,
        "cogtools-mcp-client: error[USAGE]: t: no source of that name is an MCP server\n\
         hint: cogtools config shows all sources\n",
    );
}
