//! Servers that are faulty or absent, most of them behind a URL: each affects only its own
//! tools, and the warning says what to do and contains no secret.

use cogtools_test_support::{Project, str};
use serde_json::{Value, json};

use super::peer::Site;
use super::source::{NONE, project, with};

/// A secret that is sent in a header, and must never be printed.
const TOKEN: &str = "Bearer s3cr3t-t0k3n";

fn source(url: &str) -> Value {
    json!({"mcp": {
        "url": url, "name": "s", "timeout": 3, "wait": 30,
        "headers": {"Authorization": "Bearer ${TOKEN}"}, "env": ["TOKEN"],
    }})
}

/// Discovery reports the error, and declares the other tool.
#[track_caller]
fn affects_only_itself(url: &str, diagnostic: &str) {
    let declared = format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n");
    let project = project();
    let run = with("cogtools-discover", &project, &[source(url)]);
    run.env("TOKEN", "s3cr3t-t0k3n").run().expect(
        0,
        declared,
        format!("cogtools-discover: warning{diagnostic}\n"),
    );
}

/// `diagnostic` is the warning for each behaviour of the server.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    let project = project();
    let site = Site::strict(&project, &[]);
    for (how, diagnostic) in table {
        affects_only_itself(&format!("{}/{how}", site.url), diagnostic);
    }
}

#[test]
fn an_answer_of_http_alone_says_what_to_check() {
    let headers = "check `headers` of the source, and the variables that they refer to";
    let path = "check `url` of the source, including its path";
    for (how, words, hint) in [
        ("200", "sent a response that is not an MCP message", path),
        ("202", "sent a response that is not an MCP message", path),
        (
            "foreign",
            "sent a response that is not an MCP message",
            path,
        ),
        ("302", "responded with HTTP 302 Found", path),
        ("401", "responded with HTTP 401 Unauthorized", headers),
        ("403", "responded with HTTP 403 Forbidden", headers),
        ("404", "responded with HTTP 404 Not Found", path),
        ("405", "responded with HTTP 405 Method Not Allowed", path),
        (
            "429",
            "responded with HTTP 429 Too Many Requests",
            "try again later",
        ),
        (
            "500",
            "responded with HTTP 500 Internal Server Error",
            "the server failed; try again later, or report this to its operator",
        ),
    ] {
        let diagnostic = format!("[TOOL_FAILED]: the MCP server `s` {words}\nhint: {hint}");
        check(&[(how, &diagnostic)]);
    }
}

#[test]
fn a_faulty_server_affects_only_its_own_tools() {
    let large = "[TOOL_FAILED]: the MCP server `s` sent a message larger than 16 MiB\n\
         hint: the result exceeds what hosts accept; request less";
    check(&[
        (
            "400",
            "[TOOL_FAILED]: the MCP server `s` rejected `initialize`: HTTP 400 Bad Request",
        ),
        (
            "tells",
            "[TOOL_FAILED]: the MCP server `s` rejected `initialize`: I do not know Bearer ***",
        ),
        ("large", large),
        ("large-events", large),
        (
            "closes",
            "[TOOL_FAILED]: the MCP server `s` cannot be reached: connection closed before message \
             completed\nhint: check that it is running, and check `url` of the source",
        ),
        (
            "hangs",
            "[TIMEOUT]: the MCP server `s` did not answer `server/discover` within 3s\n\
             hint: give it more time with `timeout` of the source",
        ),
    ]);
}

#[test]
fn a_missing_server() {
    let project = project();
    // A port that was free a moment ago.
    let url = Site::strict(&project, &[]).url.clone();
    affects_only_itself(
        &url,
        "[TOOL_FAILED]: the MCP server `s` cannot be reached: tcp connect error: Connection \
         refused (os error 111)\nhint: check that it is running, and check `url` of the source",
    );
}

#[test]
fn a_server_without_a_name_is_named_by_its_host_alone() {
    let project = project();
    let url = Site::strict(&project, &[]).url.clone();
    let url = url.replace("://", "://user:passw0rd@");
    let port = url.rsplit(':').next().unwrap_or_default();
    let run = with(
        "cogtools-discover",
        &project,
        &[json!({"mcp": {"url": url}})],
    );
    run.run().expect(
        0,
        format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"),
        format!(
            "cogtools-discover: warning[TOOL_FAILED]: the MCP server `127.0.0.1_{port}` cannot be \
             reached: tcp connect error: Connection refused (os error 111)\n\
             hint: check that it is running, and check `url` of the source\n"
        ),
    );
}

#[test]
fn a_redirect_carries_no_secret() {
    let (here, there) = (project(), project());
    let other = Site::strict(&there, &[]);
    let site = Site::strict(&here, &[]);
    let diagnostic = format!(
        "[TOOL_FAILED]: the MCP server `s` responded with HTTP 307 Temporary Redirect, a redirect to \
         `{}/json`\nhint: set `url` of the source to the new location: redirects are not followed, \
         because they could send secrets to another server",
        other.url
    );
    affects_only_itself(
        &format!("{}/moved/{}/json?x=1", site.url, other.url),
        &diagnostic,
    );
    assert_eq!(here.read("asked"), format!("moved with {TOKEN}\n"));
    assert!(!there.path("asked").exists());
}

#[test]
fn a_server_that_dies_in_the_middle_of_an_answer() {
    let project = project();
    let site = Site::strict(&project, &[]);
    for form in ["dies", "dies-events"] {
        let source = source(&format!("{}/{form}", site.url));
        let run = with("cogtools-call", &project, &[source]).env("TOKEN", "s3cr3t-t0k3n");
        run.arg("t").stdin("{}").run().fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the MCP server `s` closed the connection in the middle of a response
hint: try again; if it happens again, report this to its operator

"#]],
        );
    }
}

#[test]
fn no_message_contains_a_secret() {
    let project = project();
    let site = Site::strict(&project, &[]);
    let source = source(&format!("{}/tells", site.url));
    let run = with("cogtools-discover", &project, &[source]).env("TOKEN", "s3cr3t-t0k3n");
    run.args(["--verbose", "--error-format", "json"])
        .run()
        .expect(
            0,
            format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"),
            str![[r#"
{"program":"cogtools-discover","note":"1 tool declared"}
{"severity":"warning","code":"TOOL_FAILED","program":"cogtools-discover","message":"the MCP server `s` rejected `initialize`: I do not know Bearer ***","hints":[]}

"#]],
        );
}

#[test]
fn a_variable_that_a_server_lacks_is_named() {
    let project = Project::new();
    let server = "import os, sys\nprint('ERR_NO_KEY SET_URL', file=sys.stderr)\n\
        if 'BRAVE_API_KEY' not in os.environ:\n    \
        sys.exit('Error: BRAVE_API_KEY environment variable is required')\nsys.exit('no luck')\n";
    project.file("server.py", server).file("tools/.keep", "");
    let add = |set: &[&str]| {
        let run = crate::run("cogtools-mcp", &project).args(["add", "s", "--yes"]);
        let run = run.args(["--env", "SET_URL=x"]).args(set);
        run.args(["--", "python3", "server.py"]).run()
    };
    add(&[]).fails(1, str![[r#"
cogtools-mcp: error[TOOL_FAILED]: the MCP server `s` exited with status 1 before it answered `initialize`
  | ERR_NO_KEY SET_URL
  | Error: BRAVE_API_KEY environment variable is required
hint: it does not see the variable BRAVE_API_KEY: add it with --env BRAVE_API_KEY=VALUE

"#]]);
    // It has it, and another reason.
    add(&["--env", "BRAVE_API_KEY=x"]).fails(1, str![[r#"
cogtools-mcp: error[TOOL_FAILED]: the MCP server `s` exited with status 1 before it answered `initialize`
  | ERR_NO_KEY SET_URL
  | no luck
hint: its sandbox may be why: --read PATH and --write PATH permit more

"#]]);
    let config = "mcpServers: {s: {command: python3, args: [server.py], env: {SET_URL: x}}}\n";
    project.file(".cogtoolrc.yaml", config);
    let trust = crate::run("cogtools-trust", &project).args(["s", "--yes"]);
    trust.run().status(1);
    let test = crate::run("cogtools-mcp", &project).args(["test", "s"]);
    test.run().fails(1, str![[r#"
cogtools-mcp: error[TOOL_FAILED]: the MCP server `s` exited with status 1 before it answered `initialize`
  | ERR_NO_KEY SET_URL
  | Error: BRAVE_API_KEY environment variable is required
hint: it does not see the variable BRAVE_API_KEY: add it with --env BRAVE_API_KEY=VALUE

"#]]);
    project.file(
        ".cogtoolrc.yaml",
        "mcpServers: {s: {command: python3, disabled: true}}\n",
    );
    let test = crate::run("cogtools-mcp", &project).args(["test", "s"]);
    test.run().fails(
        2,
        str![[r#"
cogtools-mcp: error[USAGE]: s: the MCP server is disabled
hint: remove `disabled: true` from its entry

"#]],
    );
}

#[test]
fn an_added_server_shows_the_names_that_clients_see() {
    let project = Project::new();
    project.file("../home/server.py", super::servers::SERVER);
    project.file("tools/.keep", "");
    let server = project.home().join("server.py").display().to_string();
    for (args, name) in [
        (["add", "one", "--yes"].as_slice(), "t"),
        (&["add", "two", "--yes"], "two_t"),
        (&["add", "own", "--yes", "--user"], "t"),
        (&["add", "more", "--yes", "--user"], "more_t"),
    ] {
        let add = crate::run("cogtools-mcp", &project).args(args);
        let added = add
            .args(["--read", &server, "--", "python3", &server])
            .run();
        added.stdout_contains(&format!("1 tool: {name}\n"));
        added.stdout_contains(&format!("\n{name} "));
    }
}

#[test]
fn the_doctor_says_why_a_server_fails() {
    let project = Project::new();
    let config = "mcpServers: {s: {command: python3, args: [server.py]}}\n";
    let server = "import sys\nsys.exit('First\\nno such luck')\n";
    project
        .file("server.py", server)
        .file("tools/.keep", "")
        .file(".cogtoolrc.yaml", config);
    let trust = crate::run("cogtools-trust", &project).args(["s", "--yes"]);
    trust.run().status(1);
    // The failure is remembered the second time.
    for _ in 0..2 {
        let doctor = crate::run("cogtools-doctor", &project).run();
        doctor.stdout_contains(
            "\n             no such luck\n           hint: to see more, run: cogtools mcp test s\n",
        );
    }
}
