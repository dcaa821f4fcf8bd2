//! Text by others never controls a terminal, nor looks like something else.

use cogtools_core::invisible;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Project, assert_text};
use serde_json::{Value, json};

use crate::layout::none;
use crate::run;

/// Characters that clear a terminal, reverse, hide and isolate text, and break lines.
pub(crate) const BAD: &str = "x\u{1b}[2J\u{202e}\u{200b}\u{2066}\n\ty";
/// The same, escaped.
const SHOWN: &str = r"x\u{1b}[2J\u{202e}\u{200b}\u{2066}\n\ty";

/// Every program with arguments that make it print [`BAD`].
const RUNS: [(&str, &[&str]); 36] = [
    ("cogtools", &[BAD]),
    ("cogtools", &["help", BAD]),
    ("cogtools-call", &[BAD]),
    ("cogtools-call", &["ok", "--verbose"]),
    ("cogtools-call", &["wrong"]),
    ("cogtools-config", &["list", "--show-origin"]),
    ("cogtools-config", &["get", "filter.exclude"]),
    ("cogtools-config", &["list", "--format=json"]),
    ("cogtools-config", &["set", BAD, BAD]),
    ("cogtools-config", &["env", "--explain"]),
    ("cogtools-discover", &["--strict", "--verbose"]),
    ("cogtools-discover", &["--error-format=json"]),
    ("cogtools-docs", &["--print"]),
    ("cogtools-docs", &["--print", "--format=json"]),
    ("cogtools-docs", &["--check", BAD]),
    ("cogtools-doctor", &[]),
    ("cogtools-doctor", &["--format=json"]),
    ("cogtools-expand", &["ok"]),
    ("cogtools-expand", &["--yaml", "ok"]),
    ("cogtools-expand", &[BAD]),
    ("cogtools-init", &["--dry-run"]),
    ("cogtools-lint", &[]),
    ("cogtools-lint", &["--format=json"]),
    ("cogtools-lint", &["--format=sarif"]),
    ("cogtools-list", &[]),
    ("cogtools-list", &["--json"]),
    ("cogtools-lock", &[]),
    ("cogtools-mcp", &["--project", BAD]),
    ("cogtools-mcp-client", &["discover", "--server", BAD]),
    ("cogtools-new", &["fine", "--dir", BAD]),
    ("cogtools-schema", &[BAD]),
    ("cogtools-test", &[]),
    ("cogtools-test", &["--format=json"]),
    ("cogtools-trust", &["--dry-run", "other", "served"]),
    ("cogtools-trust", &["--dry-run", "other", "--format=json"]),
    ("cogtools-yaml", &[BAD]),
];

/// A project with [`BAD`] wherever others can write text.
fn project() -> Project {
    let project = Project::new();
    let ok = json!({
        "name": "ok",
        "description": format!("Say {BAD}."),
        "parameters": {"word": {"type": "string", "description": BAD}},
        "examples": [{"word": BAD}],
        "implementation": "{{ word }}\n",
    });
    project
        .file("tools/ok.yaml", ok.to_string())
        .file("tools/ok.1.golden", "gold \u{202e}\n")
        .file(
            "tools/wrong.yaml",
            "name: wrong\ndescription: \"\\u202e\" # \u{202e}\nwhat\u{202e}: is\n",
        )
        .file(".gemini/settings.json", "{\t\"\u{202e}\": 1}");
    let config = json!({
        "tool_sources": [
            {"local": "./tools"},
            {"local": format!("./{BAD}")},
            {"command": {"discover": ["sh", BAD], "call": ["sh", "-c", BAD], "name": "other", "env": [BAD]}},
            {"mcp": {"command": ["sh", BAD], "name": "served"}},
        ],
        "filter": {"exclude": [BAD]},
    });
    project.file(".cogtoolrc.yaml", config.to_string());
    project
}

/// `text` with [`SHOWN`] for each `BAD`.
fn shown(text: &str) -> String {
    text.replace("BAD", SHOWN)
}

/// The control sequences in `text`, except for our own colours.
pub(crate) fn unsafe_part(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for style in [0, 1, 31, 32, 33, 36] {
        text = text.replace(&format!("\u{1b}[{style}m"), "");
    }
    let control = |c: char| c.is_control() && c != '\t';
    let hidden = !invisible::all(&text).is_empty() || text.contains("\n\ty");
    let found = hidden || text.lines().any(|line| line.contains(control));
    found.then(|| text.escape_debug().to_string())
}

/// A run whose standard output and error are terminals.
fn on_a_terminal(name: &str, args: &[&str]) -> CapturedRun {
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    let program = cogtools::PROGRAMS.iter().find(|one| one.name == name);
    let program = program.expect("there is such a program");
    program.run_captured(&project().root(), terminals, args)
}

#[test]
fn nothing_reaches_a_terminal() {
    let mut found = Vec::new();
    for (name, args) in RUNS {
        let ended = on_a_terminal(name, args);
        // Output for hosts is data, even on a terminal.
        let plumbing = matches!(name, "cogtools-call" | "cogtools-discover");
        let stdout = unsafe_part(&ended.stdout).filter(|_| !plumbing);
        let parts = stdout.into_iter().chain(unsafe_part(&ended.stderr));
        found.extend(parts.map(|part| format!("{name} {args:?}: {part}")));
    }
    none(&found);
}

#[test]
fn errors_on_a_pipe_are_the_same() {
    let mut found = Vec::new();
    for (name, args) in RUNS {
        let project = project();
        let run = run(name, &project).args(args);
        let stderr = run.stdin("{\"\u{202e}\": 1}").run().stderr;
        let part = unsafe_part(&String::from_utf8_lossy(&stderr));
        found.extend(part.map(|part| format!("{name} {args:?}: {part}")));
    }
    none(&found);
}

#[test]
fn a_command_line_is_shown_as_it_would_run() {
    let project = project();
    let trust = |args: &[&str]| run("cogtools-trust", &project).args(args).run();
    // What no sandbox stops comes first, and is the same for all.
    let review = trust(&["--dry-run", "other", "served"]);
    let review = String::from_utf8_lossy(&review.stdout);
    let (_, review) = review.split_once("\n\n").expect("two parts");
    assert_text(
        review,
        shown(
            "\
provider other
  discover  sh 'BAD'
  call      sh -c 'BAD'
  sees      'BAD'
  program   /usr/bin/sh
  may       read the project; write nothing; not use the network
  unhashed  sh -c 'BAD' (runs code that is not in a file, which may load other files)
provider served
  starts    sh 'BAD'
  program   /usr/bin/sh
  may       read the project; write nothing; use the network
",
        ),
    );
    trust(&[]).outputs(shown(
        "\
SOURCE  KIND      STATE         RUNS
.       project   approved
other   provider  not approved  sh 'BAD', sh -c 'BAD', 'BAD'
served  provider  not approved  sh 'BAD'
",
    ));
    trust(&[BAD]).fails(
        2,
        shown(
            "\
cogtools-trust: error[USAGE]: BAD: no source of that name requires approval here
hint: cogtools trust --list lists those that do
",
        ),
    );
}

#[test]
fn tables() {
    let project = Project::new();
    project
        .file(
            "tools/wrong.yaml",
            "name: wrong\ndescription: d\nimplementation: x\n\"\\e\\u202e\": is\n",
        )
        .file(
            "tools/天/weather.yaml",
            "name: weather\ndescription: d\nimplementation: x\n",
        );
    run("cogtools-list", &project).run().outputs(
        "\
NAME     TOOLSET  SOURCE  FILE                   TOKENS  NOTES
wrong             tools   tools/wrong.yaml            -  invalid: 4:1: unknown key `\\u{1b}\\u{202e}`
weather  天       tools   tools/天/weather.yaml      31

1 tool, about 31 tokens with every request; 1 invalid
",
    );
}

#[test]
fn reports() {
    let project = Project::new();
    project.file("tools/wrong.yaml", "name: wrong\nwhat\u{202e}: is\n");
    let lint = run("cogtools-lint", &project).run();
    let text = String::from_utf8_lossy(&lint.stdout).into_owned();
    let unknown = text.split("\n\n").find(|part| part.contains("unknown key"));
    assert_eq!(
        unknown,
        Some(
            "\
tools/wrong.yaml:2:1: error[invalid-tool]: unknown key `what\\u{202e}`
   |
 2 | what·: is
   | ^^^^^
why: discovery skips the file, so no host ever sees the tool
fix: correct the errors; the reference of tool files describes every key"
        )
    );
    project
        .remove("tools/wrong.yaml")
        .file(
            "tools/ok.yaml",
            "name: ok\ndescription: \"a\\u202eb\"\nexamples: [{}]\nimplementation: \"a\\u200bb\\t\\e\"\n",
        )
        .file("tools/ok.1.golden", "ab\n");
    run("cogtools-test", &project).run().expect(
        1,
        "\
FAILED ok (1 example)
  tools/ok.yaml:3:12: example 1: golden: the result differs from `tools/ok.1.golden`
    --- tools/ok.1.golden
    +++ the result
    @@ -1 +1 @@
    -ab
    +a\\u{200b}b\\t\\u{1b}
    \\ No newline at end of file
    hint: if the result is right: cogtools test --update ok

1 tool, 1 example: 1 failure
",
        "\
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files
",
    );
    run("cogtools-docs", &project).arg("--print").run().outputs(
        "\
| Tool | What it is for | Arguments |
|---|---|---|
| `ok` | a\\\\u{202e}b |  |
",
    );
}

#[test]
fn data_on_a_pipe_stays_as_it_is() {
    let project = project();
    let exclude = |args: &[&str]| {
        let run = run("cogtools-config", &project);
        run.args(["get", "filter.exclude"]).args(args).run()
    };
    let value = serde_json::to_string(BAD).expect("it is text");
    exclude(&[]).outputs(format!("[{value}]\n"));
    let read: Value = exclude(&["--format=json"]).json();
    assert_eq!(read["value"], json!([BAD]));
    let call = run("cogtools-call", &project).arg("ok");
    let word = json!({"word": BAD}).to_string();
    call.stdin(word).run().outputs(format!("{BAD}\n"));
    let list = run("cogtools-discover", &project).run();
    let declared: Value = serde_json::from_slice(&list.stdout).expect("it is JSON");
    assert_eq!(declared[0]["description"], format!("Say {BAD}."));
}

#[test]
fn json_on_a_terminal_keeps_its_values() {
    let ended = on_a_terminal("cogtools-trust", &["--dry-run", "other", "--format=json"]);
    let read: Value = serde_json::from_str(&ended.stdout).expect("it is JSON");
    assert_eq!(read["sources"][0]["runs"][0], format!("sh '{BAD}'"));
    assert!(ended.stdout.contains(r"\u202e"), "{}", ended.stdout);
}
