//! Entries under `mcpServers` that other hosts accept: references, unknown keys, and mistakes.

use cogtools_test_support::{Project, Run};
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
