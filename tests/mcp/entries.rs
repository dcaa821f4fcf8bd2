//! Entries under `mcpServers` that other hosts accept: references, unknown keys, and mistakes.

use std::process::Command;

use cogtools_test_support::{Project, Run, assert_text, str};
use serde_json::{Value, json};

use super::Session;
use super::servers::SERVER;
use crate::run;

/// A project with the server and this configuration.
fn project(config: impl AsRef<[u8]>) -> Project {
    let project = Project::new();
    project
        .file("server.py", SERVER)
        .file("tools/.keep", "")
        .file(".cogtoolrc.yaml", config);
    project
}

fn mcp(project: &Project, args: &[&str]) -> Run {
    run("cogtools-mcp", project).args(args)
}

fn trust(project: &Project, args: &[&str]) -> Run {
    run("cogtools", project)
        .arg("trust")
        .args(args)
        .env("WORD", "w")
}

/// The description of the tool that is declared after an approval.
fn description(project: &Project) -> String {
    trust(project, &["--yes", "s"]).run().succeeds();
    let declared = run("cogtools-discover", project)
        .env("WORD", "w")
        .arg("--refresh")
        .run()
        .json();
    declared[0]["description"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Before: such a tool was denied after each approval.
#[test]
fn a_tool_for_clients_with_more_abilities_can_be_approved() {
    let config = json!({"mcpServers": {"s": {"command": "python3", "args": ["server.py"]}}});
    let project = project(config.to_string());
    project.file("server.py", include_str!("peers/able.py"));
    trust(&project, &["--yes", "s"]).run().succeeds();
    let call = || {
        let server = &mut Command::new(super::server());
        let mut session = Session::with_person(&project, server, &json!({"roots": {}}), &[]);
        session.get("tools/list", &json!({})).expect("a list");
        let id = session.call("extra", &json!({}));
        session.text(id)
    };
    let (denied, is_error) = call();
    assert!(is_error, "{denied}");
    assert_eq!(
        denied.lines().next(),
        Some(
            "cogtools-mcp: error[DENIED]: extra: it runs commands, comes from the provider `s`, \
             and is not approved yet"
        )
    );
    trust(&project, &["--dry-run", "s"])
        .run()
        .stdout_contains("extra");
    trust(&project, &["--yes", "s"]).run().succeeds();
    assert_eq!(call(), ("done".to_owned(), false));
    trust(&project, &["--list"])
        .run()
        .stdout_contains("approved");
}

/// Before: only values of variables with the name of a secret were.
#[test]
fn what_is_kept_for_the_user_is_masked() {
    let project = project("");
    project.file("server.py", include_str!("peers/able.py"));
    let line = ["python3", "server.py", "Authorization: Bearer LEAKARG9876"];
    let add = [&["add", "s", "--yes", "--"], &line[..]].concat();
    mcp(&project, &add)
        .run()
        .status(0)
        .stdout_contains("S_AUTHORIZATION");
    let call = run("cogtools-call", &project).arg("base").stdin("{}").run();
    call.fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: base: the MCP server `s` rejected `tools/call`: Authorization: Bearer ***

"#]]);
}

/// Before: secrets were written as they stand, and other entries were misread.
#[test]
fn what_is_taken_over_is_what_the_file_says() {
    let project = project("mcpServers:\n  a: {command: foo} # mine\n");
    let import = |servers: &Value| {
        let servers = json!({"mcpServers": servers});
        project.file(".mcp.json", servers.to_string());
        let outcome = mcp(&project, &["import", "claude-code", "--yes"]).run();
        assert_text(&outcome.stderr, str![""]);
        String::from_utf8(outcome.stdout.clone()).expect("text")
    };
    let here = json!({"a": {"command": "foo"}});
    assert_eq!(import(&here), "nothing to take over\n");
    project.file(".cogtoolrc.yaml", "");
    let connection = "Server=tcp:h,1433;User ID=sa;Password=SECRET22;Encrypt=True;";
    let env = json!({
        "MSSQL": connection, "PAGE": "https://h/?api_key=SECRETQ", "MYSQL_PWD": "SECRETM",
    });
    let shown = import(&json!({
        "db": {"command": "x", "args": ["--safe\u{202e} abc"], "env": env},
        "old": {"transport": "SSE", "url": "https://x.example/sse"},
        "web": {"url": "https://x.example/mcp", "args": ["--evil"]},
    }));
    assert!(
        !shown.contains("SECRET") && !shown.contains('\u{202e}'),
        "{shown}"
    );
    assert!(
        shown.contains("old in .mcp.json: the transport `sse`"),
        "{shown}"
    );
    let config = project.read(".cogtoolrc.yaml");
    assert!(
        !config.contains("SECRET") && !config.contains("evil"),
        "{config}"
    );
    assert!(
        config.contains("url: \"https://x.example/mcp\""),
        "{config}"
    );
}

/// References count without `env`, and the variables are part of the approval.
#[test]
fn an_entry_without_variables_refers_to_some() {
    let args = json!(["server.py", "${WORD}", "${NONE:-default}"]);
    let config = json!({"mcpServers": {"s": {"command": "python3", "args": args}}});
    let project = project(config.to_string());
    trust(&project, &["--dry-run", "s"]).run().stdout_contains(
        "starts    python3 server.py '${WORD}' '${NONE:-default}'\n  sees      WORD\n  sees      NONE\n",
    );
    assert_eq!(description(&project), "w default - -");
}

/// A name of the entry's own map has the value there, and none of the environment.
#[test]
fn a_reference_to_a_variable_of_the_entry_has_its_value() {
    let project = project(
        json!({"mcpServers": {
            "s": {
                "command": "python3",
                "args": ["server.py", "${MODE}", "--${FULL:-x}"],
                "env": {"MODE": "${API_TOKEN} ${MODE:-1}", "FULL": "<${WORD}>", "API_TOKEN": "fast"},
            },
        }})
        .to_string(),
    );
    trust(&project, &["--dry-run", "s"]).run().stdout_contains(
        "starts    python3 server.py 'fast ${MODE:-1}' '--<${WORD}>'\n  sets      'API_TOKEN=fast' \
         'FULL=<${WORD}>' 'MODE=fast ${MODE:-1}'\n  sees      WORD\n",
    );
    assert_eq!(description(&project), "fast 1 --<w> fast 1 fast");
    let url = "http://127.0.0.1:1/${MODE}";
    let headers = json!({"X-A": "${MODE} ${WORD}"});
    let server = json!({"url": url, "headers": headers, "env": {"MODE": "fast"}});
    let config = json!({"mcpServers": {"s": server}}).to_string();
    project.file(".cogtoolrc.yaml", config);
    trust(&project, &["--dry-run", "s"]).run().stdout_contains(
        "asks      http://127.0.0.1:1/fast\n  sends     X-A\n  sets      'MODE=fast'\n  sees      WORD\n",
    );
}

/// The server would be less protected than its entry means.
#[test]
fn a_slip_in_a_key_costs_its_entry() {
    let project = project("mcpServers:\n  s: {command: a, read_olny: true}\n  t: {command: b}\n");
    let listed = mcp(&project, &["list"]).run();
    listed.status(0).stdout_contains("t     project");
    assert!(!listed.to_string().contains("s     project"), "{listed}");
    listed.stderr_contains("hint: did you mean `read_only`?");
}

/// An unknown key costs nothing, a mistake the entry that has it; the file can be changed.
#[test]
fn a_mistake_costs_its_entry_alone() {
    let project = project(
        "mcpServers:\n  s:\n    command: python3\n    args: [server.py]\n    foo: 1\n  \
         none: {args: [x]}\n  late: {command: b, timeout: soon}\n  text: b\n",
    );
    mcp(&project, &["list"]).run().expect(0, str![[r#"
NAME  FROM     STATE         RUNS
s     project  not approved  python3 server.py

"#]], str![[r#"
cogtools-mcp: warning[INVALID_CONFIG]: .cogtoolrc.yaml:5:5: the server `s`: unknown key `foo`
   |
 5 |     foo: 1
   |     ^^^
hint: see cogtoolrc(5) for all keys
cogtools-mcp: warning[INVALID_CONFIG]: .cogtoolrc.yaml:6:3: `none` needs `command` or `url`
   |
 6 |   none: {args: [x]}
   |   ^^^^
hint: write `mcpServers: {memory: {command: npx, args: [-y, some-server]}}`
cogtools-mcp: warning[INVALID_CONFIG]: .cogtoolrc.yaml:7:31: the server `late`: `timeout` takes a number of seconds greater than 0, not `soon`
   |
 7 |   late: {command: b, timeout: soon}
   |                               ^^^^
hint: write `timeout: 10`
cogtools-mcp: warning[INVALID_CONFIG]: .cogtoolrc.yaml:8:9: `text` takes a map, not `b`
   |
 8 |   text: b
   |         ^
hint: write `mcpServers: {memory: {command: npx, args: [-y, some-server]}}`

"#]]);
    trust(&project, &["--yes", "s"]).run().status(0);
    let discover = run("cogtools-discover", &project).run();
    discover.status(0).stdout_contains(r#""name":"t""#);
    discover.stderr_contains(
        "warning[INVALID_CONFIG]: .cogtoolrc.yaml:5:5: the server `s`: unknown key `foo`",
    );
    for name in ["late", "text", "none"] {
        mcp(&project, &["remove", name]).run().status(0);
    }
    let set = run("cogtools", &project).args(["config", "set", "mcpServers.t", "{foo: 1}"]);
    set.run().status(2);
    mcp(&project, &["list"]).run().expect(
        0,
        str![[r#"
NAME  FROM     STATE     RUNS
s     project  approved  python3 server.py

"#]],
        str![[r#"
cogtools-mcp: warning[INVALID_CONFIG]: .cogtoolrc.yaml:5:5: the server `s`: unknown key `foo`
   |
 5 |     foo: 1
   |     ^^^
hint: see cogtoolrc(5) for all keys

"#]],
    );
}

/// A server that cannot be taken over is no obstacle to others, and the file stays as it is.
#[test]
fn each_server_is_taken_over_for_itself() {
    let project = project("# ours\nmcpServers:\n  s: {command: a} # first\n# last\n");
    project.file(
        "hosts.json",
        r#"{"mcpServers": { // all
            "bad": {"command": "b", "sandbox": "none"},
            "good": {"command": "c", "args": ["--port", 80, true], "env": {"PORT": 1}},
        }}"#,
    );
    let import = mcp(&project, &["import", "hosts.json", "--yes"]).run();
    import.expect(78, str![[r#"
+   good:
+     command: c
+     args: ["--port", "80", "true"]
+     env:
+       PORT: "1"
updated .cogtoolrc.yaml: 1 server
review what they run, and approve it: cogtools trust

"#]], str![[r#"
cogtools-mcp: error[INVALID_CONFIG]: `bad`:1:26: the server `bad`: `sandbox` takes a map or `workspace`, not a string
   |
 1 | {"command":"b","sandbox":"none"}
   |                          ^^^^^^
hint: write `sandbox: workspace`, or `sandbox: {write: [out], net: true}`

"#]]);
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r##"
# ours
mcpServers:
  s: {command: a} # first
  good:
    command: c
    args: ["--port", "80", "true"]
    env:
      PORT: "1"
# last

"##]],
    );
}

/// In Claude Code, the local scope wins over the project's, and this one over the user's.
#[test]
fn the_closest_scope_of_claude_code_wins() {
    let project = project("");
    let of = |command: &str| json!({"command": command});
    let theirs = json!({"mcpServers": {"a": of("project"), "b": of("project")}});
    let root = project.root().display().to_string();
    let own = json!({
        "mcpServers": {"a": of("user"), "b": of("user"), "c": of("user")},
        "projects": {root: {"mcpServers": {"a": of("local")}}},
    });
    project
        .file(".mcp.json", theirs.to_string())
        .file("../home/.claude.json", own.to_string());
    let import = mcp(&project, &["import", "claude-code", "--yes"]).run();
    import.status(0);
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
mcpServers:
  a:
    command: local
  b:
    command: project
  c:
    command: user

"#]],
    );
}

/// A name that says that its value is a place or a mode is none of a secret.
#[test]
fn a_setting_is_no_secret() {
    let project = project("");
    project.file("../home/server.py", SERVER);
    let script = project.home().join("server.py").display().to_string();
    let mut add = mcp(&project, &["add", "s", "--user", "--yes"]);
    for variable in [
        "AWS_PROFILE=dev",
        "KEY_PATH=./k",
        "TOKEN_URL=https://a.example/",
        "API_TOKEN=s3cr3t",
        "KEY_URL=https://me:pass@a.example/",
    ] {
        add = add.args(["--env", variable]);
    }
    let added = add.args(["--", "python3", &script]).run();
    added.stdout_contains("kept in a file that only you can read: API_TOKEN, KEY_URL\n");
    let config = project.read("../home/.gemini/cogtoolrc.yaml");
    let env = r#"AWS_PROFILE: dev, KEY_PATH: ./k, KEY_URL: "${KEY_URL}", TOKEN_URL: "https://a.example/"}"#;
    assert!(config.contains(env), "{config}");
}

#[test]
fn a_server_of_the_other_file_is_named() {
    let project = project("mcpServers: {s: {command: a}}\n");
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        "mcpServers: {u: {command: a}}\n",
    );
    mcp(&project, &["remove", "u"]).run().fails(
        2,
        str![[r#"
cogtools-mcp: error[USAGE]: u: `mcpServers` in .cogtoolrc.yaml has no server of that name
hint: cogtools mcp remove --user u removes it

"#]],
    );
    mcp(&project, &["remove", "--user", "s"])
        .run()
        .fails(2, str![[r#"
cogtools-mcp: error[USAGE]: s: `mcpServers` in [HOME]/.gemini/cogtoolrc.yaml has no server of that name
hint: cogtools mcp remove s removes it

"#]]);
}

#[test]
fn a_project_may_not_set_variables_that_load_code() {
    let config = "mcpServers: {s: {command: python3, env: {LD_PRELOAD: ./evil.so}}}\n";
    let project = project(config);
    mcp(&project, &["list"]).run().fails(
        78,
        str![[r#"
cogtools-mcp: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:14: `env` of a project's server may not set `LD_PRELOAD`
   |
 1 | mcpServers: {s: {command: python3, env: {LD_PRELOAD: ./evil.so}}}
   |              ^
hint: set it in the environment, or name the server in ~/.gemini/cogtoolrc.yaml

"#]],
    );
}

#[cfg(unix)]
#[test]
fn a_file_of_a_host_that_is_a_pipe_is_named() {
    let project = project("");
    let made = Command::new("mkfifo")
        .arg(project.path(".mcp.json"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    let outcome = mcp(&project, &["import"]).run();
    assert_eq!(outcome.status, 74.into(), "{outcome}");
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let named = stderr.matches("`.mcp.json` is not a regular file").count();
    assert_eq!(named, 1, "{stderr}");
}
