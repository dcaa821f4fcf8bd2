//! Whole runs of `cogtools config env`.

use cogtools::config::PROGRAM;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Project, outcome, str};

fn tool(name: &str, env: &str) -> String {
    format!("name: {name}\ndescription: d\nimplementation: {{exec: [cat]}}\nenv: {env}\n")
}

fn project() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "")
        .file("tools/fetch.yaml", tool("fetch", "[API_KEY, PATH, TOKEN]"))
        .file("tools/post.yaml", tool("post", "[API_KEY]"))
        .file("tools/plain.yaml", tool("plain", "[]"))
        .file(
            ".env",
            "# keys\nOTHER=hidden1\nAPI_KEY=hidden22\nPATH=hidden333\nLD_PRELOAD=hidden4444\n",
        );
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

#[test]
fn names_with_locations() {
    let lines = str![[r#"
API_KEY	.env:3
PATH	missing
TOKEN	missing

"#]];
    outcome!(run(&project(), &["env"])).outputs(lines);
    let lines = str![[r#"
API_KEY	missing
PATH	missing
TOKEN	missing

"#]];
    let args = ["env", "--system-env"];
    outcome!(run(&project(), &args)).outputs(lines);
}

#[test]
fn explanations() {
    let lines = str![[r#"
API_KEY	.env:3; declared by fetch, post
PATH	missing; .env:4 is ignored because .env may not set this name: the system and every shell depend on it; set it in the shell instead; declared by fetch
TOKEN	missing; declared by fetch
OTHER	.env:2; unused because no tool declares it
LD_PRELOAD	.env:5; ignored because .env may not set this name: the dynamic loader or the C library of every program reads it; set it in the shell instead

"#]];
    outcome!(run(&project(), &["env", "--explain"])).outputs(lines);
}

#[test]
fn json() {
    let text = str![[r#"
{
  "variables": [
    {
      "name": "API_KEY",
      "set": true,
      "origin": ".env",
      "line": 3,
      "hides": false,
      "dangerous": false,
      "tools": [
        "fetch",
        "post"
      ]
    },
    {
      "name": "PATH",
      "set": false,
      "origin": null,
      "hides": false,
      "dangerous": true,
      "tools": [
        "fetch"
      ]
    },
    {
      "name": "TOKEN",
      "set": false,
      "origin": null,
      "hides": false,
      "dangerous": false,
      "tools": [
        "fetch"
      ]
    }
  ],
  "unused": [
    {
      "name": "OTHER",
      "origin": ".env",
      "line": 2
    }
  ],
  "ignored": [
    {
      "name": "PATH",
      "origin": ".env",
      "line": 4,
      "reason": "the system and every shell depend on it"
    },
    {
      "name": "LD_PRELOAD",
      "origin": ".env",
      "line": 5,
      "reason": "the dynamic loader or the C library of every program reads it"
    }
  ]
}

"#]];
    let args = ["env", "--format", "json"];
    outcome!(run(&project(), &args)).outputs(text);
}

#[test]
fn an_invalid_tool_is_reported() {
    let project = project();
    project.file("tools/post.yaml", "name: post\n");
    project.file(".env", "API_KEY=hidden\n");
    let found = run(&project, &["env"]);
    let warning = "\
cogtools-config: warning[INVALID_TOOL]: tools/post.yaml:1:1: `description` is missing
   |
 1 | name: post
   | ^
hint: add `description: …`
";
    let expected = CapturedRun {
        stderr: warning.into(),
        stdout: "API_KEY\t.env:1\nPATH\tmissing\nTOKEN\tmissing\n".into(),
        ..CapturedRun::default()
    };
    assert_eq!(found, expected);
}

#[test]
fn an_error_in_dotenv_does_not_show_the_line() {
    let project = project();
    project.file(".env", "API_KEY=hidden\nhidden\n");
    let message = str![[r#"
cogtools-config: error[INVALID_CONFIG]: .env:2: not a line of the form NAME=value
hint: write NAME=value, or put a # before the line

"#]];
    outcome!(run(&project, &["env"])).fails(78, message);
}
