//! Entries under `mcpServers` that other hosts accept: references, unknown keys, and mistakes.

use cogtools_test_support::{Project, Run, str};
use serde_json::json;

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
                "env": {"MODE": "fast", "FULL": "<${WORD}>"},
            },
        }})
        .to_string(),
    );
    trust(&project, &["--dry-run", "s"]).run().stdout_contains(
        "starts    python3 server.py fast '--<${WORD}>'\n  sets      'FULL=<${WORD}>' 'MODE=fast'\n  sees      WORD\n",
    );
    assert_eq!(description(&project), "fast --<w> fast -");
    let url = "http://127.0.0.1:1/${MODE}";
    let headers = json!({"X-A": "${MODE} ${WORD}"});
    let server = json!({"url": url, "headers": headers, "env": {"MODE": "fast"}});
    let config = json!({"mcpServers": {"s": server}}).to_string();
    project.file(".cogtoolrc.yaml", config);
    trust(&project, &["--dry-run", "s"]).run().stdout_contains(
        "asks      http://127.0.0.1:1/fast\n  sends     X-A\n  sets      'MODE=fast'\n  sees      WORD\n",
    );
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
hint: write `mcpServers: {memory: {command: npx, args: [-y, some-server]}}`
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
