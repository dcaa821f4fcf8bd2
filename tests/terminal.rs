//! What strangers write never steers a terminal, nor looks like something else.

use cogtools_program::{Ended, Terminals};
use cogtools_test_support::Project;
use serde_json::json;

use crate::run;

/// A colour, a reversed order, a character without width, an isolate, a new line and
/// a tab.
const BAD: &str = "x\u{1b}[31m\u{202e}\u{200b}\u{2066}\n\ty";

/// `text` with [`BAD`] in place of each `BAD`.
fn bad(text: &str) -> String {
    text.replace("BAD", BAD)
}

/// A project in which as much as possible is called [`BAD`].
fn project() -> Project {
    let project = Project::new();
    let quoted = serde_json::to_string(BAD).expect("it is text");
    let tool = |name: &str, rest: &str| {
        let file = format!("name: {name}\ndescription: Say {quoted}\n{rest}\n");
        project.file(format!("tools/{name}.yaml"), file.replace("BAD", &quoted));
    };
    tool(
        "ok",
        "env: [BAD]\nparameters: {BAD: {type: string, description: BAD}}\nexamples: [{BAD: a}]\nimplementation: BAD",
    );
    project.file("tools/ok.1.golden", "gold\u{202e}\n");
    project.file(bad("tools/BAD.yaml"), format!("{quoted}: \u{202e}\n"));
    project.file(
        "tools/wrong.yaml",
        "name: wrong\ndescription: \"\\u202e\" # \u{202e}\nwhat\u{202e}: is\n",
    );
    let config = json!({
        "tool_sources": [
            {"local": "./tools"},
            {"local": bad("./BAD")},
            {"command": {"discover": ["sh", BAD], "call": ["sh", "-c", BAD], "name": "other", "env": [BAD]}},
            {"mcp": {"command": ["sh", BAD], "name": "served"}},
        ],
        "filter": {"exclude": [BAD]},
    });
    project.file(".cogtoolrc.yaml", config.to_string());
    project
}

#[test]
fn dump() {
    let project = project();
    for (program, args) in [
        ("cogtools-list", &[][..]),
        ("cogtools-list", &["--tools", BAD]),
        ("cogtools-trust", &[]),
        ("cogtools-trust", &["--dry-run", "other", "served"]),
        ("cogtools-trust", &[BAD]),
        ("cogtools-config", &["list", "--show-origin"]),
        ("cogtools-config", &["get", BAD]),
        ("cogtools-config", &["env", "--explain"]),
        ("cogtools-doctor", &[]),
        ("cogtools-lint", &[]),
        ("cogtools-lint", &[BAD]),
        ("cogtools-test", &[]),
        ("cogtools-docs", &["--print"]),
        ("cogtools-docs", &[BAD]),
        ("cogtools-expand", &[BAD]),
        ("cogtools-discover", &[]),
        ("cogtools-call", &[BAD]),
        ("cogtools-call", &["ok"]),
        ("cogtools-yaml", &[BAD]),
        ("cogtools-new", &[BAD]),
        ("cogtools-new", &["fine", "--dir", BAD]),
        ("cogtools-lock", &[]),
        ("cogtools-init", &["--name", BAD]),
        ("cogtools-schema", &[BAD]),
        ("cogtools-mcp", &["--project", BAD]),
        ("cogtools-mcp-client", &["discover", "--server", BAD]),
        ("cogtools", &[BAD]),
        ("cogtools", &["help", BAD]),
    ] {
        let outcome = run(program, &project)
            .args(args)
            .stdin(format!("{{\"{}\": 1}}", "\u{202e}"))
            .run();
        println!("=== {program} {args:?} {:?}", outcome.status);
        println!(
            "{}\n--- stderr\n{}",
            String::from_utf8_lossy(&outcome.stdout)
                .replace('\u{202e}', "<<202E>>")
                .replace('\u{1b}', "<<ESC>>")
                .replace('\u{200b}', "<<200B>>")
                .replace('\u{2066}', "<<2066>>")
                .replace('\t', "<<TAB>>"),
            String::from_utf8_lossy(&outcome.stderr)
                .replace('\u{202e}', "<<202E>>")
                .replace('\u{1b}', "<<ESC>>")
                .replace('\u{200b}', "<<200B>>")
                .replace('\u{2066}', "<<2066>>")
                .replace('\t', "<<TAB>>")
        );
    }
    let _ = (Ended::default(), Terminals::default());
}
