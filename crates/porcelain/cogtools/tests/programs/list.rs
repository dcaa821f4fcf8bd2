//! Whole runs of `cogtools list`.

use cogtools::list::PROGRAM;
use cogtools_program::{CapturedRun, Terminals, Vars};
use cogtools_test_support::{Project, Snapshot, outcome, str};

const EMPTY: &str = "\
cogtools-list: warning[TOOL_NOT_FOUND]: this project has no tools yet
hint: cogtools new NAME creates one
hint: cogtools init sets the project up with an example
";

const TABLE: &str = "\
NAME  SOURCE  FILE            TOKENS  NOTES
bad   mine    mine/bad.yaml        -  invalid: 2:1: unknown key `desciption`
ping  mine    mine/ping.yaml      32  shadows more/ping.yaml
pong  more    more/pong.yaml      32

2 tools, about 64 tokens with every request; 1 invalid
";

const JSON: Snapshot = str![[r#"
{
  "tools": [
    {
      "name": "bad",
      "toolset": null,
      "source": "mine",
      "file": "mine/bad.yaml",
      "fault": {
        "code": "INVALID_TOOL",
        "message": "unknown key `desciption`",
        "line": 2,
        "column": 1,
        "hints": [
          "did you mean `description`?"
        ]
      },
      "shadows": []
    },
    {
      "name": "ping",
      "toolset": null,
      "source": "mine",
      "file": "mine/ping.yaml",
      "tokens": 32,
      "shadows": [
        "more/ping.yaml"
      ]
    },
    {
      "name": "pong",
      "toolset": null,
      "source": "more",
      "file": "more/pong.yaml",
      "tokens": 32,
      "shadows": []
    }
  ],
  "total_tokens": 64
}

"#]];

fn project() -> Project {
    let project = Project::new();
    let tool =
        |name: &str| format!("name: {name}\ndescription: Say {name}\nimplementation: said\n");
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources:\n  - local: ./mine\n  - local: ./more\n",
        )
        .file("mine/ping.yaml", tool("ping"))
        .file(
            "mine/bad.yaml",
            "name: bad\ndesciption: x\ndescription: x\nimplementation: x\n",
        )
        .file("more/ping.yaml", tool("ping"))
        .file("more/pong.yaml", tool("pong"));
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

#[test]
fn a_table() {
    let project = project();
    outcome!(run(&project, &[])).outputs(TABLE);
    outcome!(run(&project, &["--format", "human"])).outputs(TABLE);
}

#[test]
fn json() {
    let project = project();
    for args in [
        &["--json"][..],
        &["--format", "json"],
        &["--format=human", "--json"],
    ] {
        outcome!(run(&project, args)).outputs(JSON);
    }
}

#[test]
fn colour_on_a_terminal_only() {
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    let output = PROGRAM.run_captured(&project().root(), terminals, &[]);
    let mut lines: Vec<String> = TABLE.lines().map(str::to_owned).collect();
    lines[0] = format!("\u{1b}[1m{}\u{1b}[0m", lines[0]);
    lines[1] = format!("\u{1b}[31m{}\u{1b}[0m", lines[1]);
    outcome!(output).outputs(lines.join("\n") + "\n");
    let vars = Vars::from([("TERM".into(), "dumb".into())]);
    let output = PROGRAM.run_captured_with(vars, &project().root(), terminals, &[]);
    outcome!(output).outputs(TABLE);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_name_that_is_not_unicode_is_shown() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new();
    project.file(
        "tools/ok.yaml",
        "name: ok\ndescription: d\nimplementation: x\n",
    );
    let name = std::ffi::OsStr::from_bytes(b"ok\xff.yaml");
    std::fs::copy(
        project.path("tools/ok.yaml"),
        project.path("tools").join(name),
    )
    .unwrap();
    let stdout = run(&project, &[]).stdout;
    let note = "the tool is named `ok`, but its file is `ok\u{fffd}.yaml`";
    assert!(stdout.contains(note), "{stdout}");
}

#[test]
fn a_removed_directory_is_named() {
    let output = PROGRAM.run_captured("".as_ref(), Terminals::default(), &[]);
    let gone = "\
cogtools-list: warning[IO_FAILED]: the working directory no longer exists
hint: change to a directory that exists
";
    assert_eq!(output.stderr, format!("{EMPTY}{gone}"));
}

#[test]
fn an_empty_project_says_what_to_do() {
    let project = Project::new();
    assert_eq!(
        run(&project, &[]),
        CapturedRun {
            stderr: EMPTY.into(),
            ..CapturedRun::default()
        }
    );
    let nothing = str![[r#"
{
  "tools": [],
  "total_tokens": 0
}

"#]];
    outcome!(run(&project, &["--json"])).outputs(nothing);
}

#[test]
fn a_missing_source_is_reported() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: gone}, {local: more}]",
    );
    let output = CapturedRun {
        status: 0,
        stdout: "\
NAME  SOURCE  FILE            TOKENS  NOTES
ping  more    more/ping.yaml      32
pong  more    more/pong.yaml      32

2 tools, about 64 tokens with every request
"
        .into(),
        stderr: "\
cogtools-list: warning[INVALID_CONFIG]: the folder `gone` does not exist
hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)
"
        .into(),
    };
    assert_eq!(run(&project, &[]), output);
}

#[test]
fn wrong_usage() {
    let project = project();
    outcome!(run(&project, &["--format", "xml"])).fails(2, str![[r#"
cogtools-list: error[USAGE]: invalid value 'xml' for '--format <FORMAT>' [possible values: human, json]
hint: usage: cogtools-list [OPTIONS]
hint: --help explains every option

"#]]);
}
