//! The source `builtin`: tools for agents that come with cogtools.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Project, assert_text, str};
use serde_json::{Value, json};

use crate::run;

/// A project with sources and files.
fn project() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [builtin]\n")
        .file("src/main.rs", "fn main() {\n    greet(\"Ada\");\n}\n")
        .file("src/deep/lib.rs", "// greet\n")
        .file(".github/ci.yaml", "on: push\n")
        .file(".gitignore", "/target\n*.log\n")
        .file("target/debug/main.rs", "greet\n")
        .file("a.log", "greet\n")
        .file(".env", "TOKEN=greet\n")
        .file("keys/server.pem", "greet\n")
        .file(".git/config", "greet\n");
    project
}

fn call(project: &Project, tool: &str, arguments: &Value) -> Outcome {
    run("cogtools-call", project)
        .arg(tool)
        .stdin(arguments.to_string())
        .run()
}

#[test]
fn they_are_there_only_if_the_configuration_names_them() {
    let project = project();
    let names = |project: &Project| {
        let declared = run("cogtools-discover", project).run().json();
        let declared = declared.as_array().expect("a list").clone();
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        declared.iter().map(name).collect::<Vec<String>>()
    };
    let expected = [
        "get_current_date",
        "lint_tool",
        "list_files",
        "read_file",
        "run_js",
        "search_files",
        "test_tool",
        "todo_read",
        "todo_write",
        "write_tool",
    ];
    assert_eq!(names(&project), expected);
    project.remove(".cogtoolrc.yaml");
    assert_eq!(names(&project), [""; 0]);
    call(&project, "read_file", &json!({"path": "src/main.rs"})).status(127);
}

#[test]
fn what_is_declared() {
    let project = project();
    run("cogtools-expand", &project)
        .args(["read_file", "--yaml"])
        .run()
        .outputs(str![[r#"
name: read_file
description: Reads a text file of the project. Of a long file it returns the first lines and says how to go on.
parameters:
  type: object
  properties:
    path:
      type: string
      description: The file, relative to the project's folder
      minLength: 1
    offset:
      type: integer
      description: The first line
      minimum: 1
      maximum: 1000000000
      default: 1
    limit:
      type: integer
      description: How many lines at most
      minimum: 1
      maximum: 100000
      default: 2000
  required:
  - path
parametersJsonSchema:
  type: object
  properties:
    path:
      type: string
      description: The file, relative to the project's folder
      minLength: 1
    offset:
      type: integer
      description: The first line
      minimum: 1
      maximum: 1000000000
      default: 1
    limit:
      type: integer
      description: How many lines at most
      minimum: 1
      maximum: 100000
      default: 2000
  required:
  - path

"#]]);
}

#[test]
fn files_are_listed_without_what_git_ignores_and_without_secrets() {
    let project = project();
    let list = |arguments: Value| call(&project, "list_files", &arguments);
    list(json!({})).outputs(str![[r#"
.cogtoolrc.yaml
.github/ci.yaml
.gitignore
src/deep/lib.rs
src/main.rs

"#]]);
    list(json!({"path": "src", "pattern": "*.rs"})).outputs("src/deep/lib.rs\nsrc/main.rs\n");
    list(json!({"pattern": "src/*.rs"})).outputs("src/main.rs\n");
    list(json!({"path": "target"})).outputs("");
    list(json!({"path": "./src/../src/deep/"})).outputs("src/deep/lib.rs\n");
    list(json!({"path": "src", "limit": 1})).outputs(str![[r#"
src/deep/lib.rs
[there are more files; name a folder or a pattern]

"#]]);
    list(json!({"pattern": "[a"})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: list_files: `[a` is not a pattern: unclosed character class; missing ']'
hint: write it as in `src/**/*.rs`

"#]],
    );
    list(json!({"path": "src/main.rs"})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: list_files: `src/main.rs` is not a folder
hint: read_file reads a file

"#]],
    );
}

#[test]
fn the_rules_of_git_hold() {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [builtin]\n")
        .file(".gitignore", "*.log\n/out/\n[a\n!kept.log\nsub/*.txt\n")
        .file(".git/info/exclude", "private\n*.txt\n!*.log\n")
        .file("sub/.gitignore", "!a.log\n/b.txt\n")
        .file("a.log", "")
        .file("kept.log", "")
        .file("out/a", "")
        .file("private/a", "")
        .file("sub/a.log", "")
        .file("sub/a.txt", "")
        .file("sub/b.txt", "")
        .file("sub/out/a", "");
    call(&project, "list_files", &json!({})).outputs(str![[r#"
.cogtoolrc.yaml
.gitignore
kept.log
sub/.gitignore
sub/a.log
sub/out/a

"#]]);
    call(&project, "list_files", &json!({"path": "sub/out"})).outputs("sub/out/a\n");
    call(&project, "list_files", &json!({"path": "private"})).outputs("");
}

#[test]
fn rules_that_never_end_are_not_read() {
    let project = project();
    project.remove(".gitignore").dir("pipe").dir(".git/info");
    symlink("/dev/zero", project.path(".gitignore")).expect("a link is made");
    for pipe in ["src/.gitignore", ".git/info/exclude"] {
        let made = Command::new("mkfifo").arg(project.path(pipe)).status();
        assert!(made.expect("mkfifo runs").success());
    }
    let start = Instant::now();
    call(&project, "list_files", &json!({"path": "src"})).outputs("src/deep/lib.rs\nsrc/main.rs\n");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn lines_are_searched() {
    let project = project();
    let search = |arguments: Value| call(&project, "search_files", &arguments);
    search(json!({"query": "greet"})).outputs(str![[r#"
src/deep/lib.rs:1: // greet
src/main.rs:2:     greet("Ada");

"#]]);
    search(json!({"query": "GREET(", "ignore_case": true})).outputs(str![[r#"
src/main.rs:2:     greet("Ada");

"#]]);
    search(json!({"query": "^fn|^//", "regex": true, "limit": 1})).outputs(str![[r#"
src/deep/lib.rs:1: // greet
[there are more matches; name a folder or a pattern]

"#]]);
    search(json!({"query": "no such text"})).outputs("");
    search(json!({"query": "(", "regex": true})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: search_files: `(` is not a regular expression
  | regex parse error:
  |     (
  |     ^
  | error: unclosed group
hint: leave out `regex` to search for the text itself

"#]],
    );
}

#[test]
fn an_expression_from_a_model_is_linear() {
    let project = project();
    project.file("long.txt", "a".repeat(3 << 20));
    let start = Instant::now();
    let query = json!({"query": "(a*)*X", "regex": true});
    call(&project, "search_files", &query).outputs("");
    assert!(start.elapsed() < Duration::from_secs(20));
    let query = json!({"query": "(a{1000}){1000}", "regex": true});
    call(&project, "search_files", &query)
        .status(1)
        .stderr_contains("size limit");
}

/// The error with which `read_file` refuses a path.
fn refusal(project: &Project, path: &str) -> String {
    let outcome = call(project, "read_file", &json!({ "path": path }));
    outcome.status(1).stdout_is("");
    let text = String::from_utf8_lossy(&outcome.stderr);
    let first = text.lines().next().unwrap_or_default();
    first.replace("cogtools-call: error[TOOL_FAILED]: read_file: ", "")
}

#[test]
fn nothing_outside_the_project_and_no_secret_is_read() {
    let project = project();
    project.file("../outside/notes.txt", "secret\n");
    symlink("../outside", project.path("out")).expect("a link");
    symlink("../outside/notes.txt", project.path("notes.txt")).expect("a link");
    symlink(".env", project.path("settings.txt")).expect("a link");
    fs::write(project.path("binary"), b"a\0b").expect("a file");
    fs::write(project.path("latin1.txt"), b"\xe4").expect("a file");
    let refused = [
        "../outside/notes.txt",
        "out/notes.txt",
        "notes.txt",
        "/etc/passwd",
        "src/../../outside/notes.txt",
        ".env",
        "src/../.env",
        ".env.local",
        ".ENV",
        ".git/config",
        "keys/server.pem",
        "settings.txt",
        "binary",
        "latin1.txt",
        "src",
        "absent",
    ]
    .map(|path| format!("{path}: {}", refusal(&project, path)));
    assert_text(
        refused.join("\n"),
        str![[r#"
../outside/notes.txt: `../outside/notes.txt` is outside the project
out/notes.txt: `out/notes.txt` is outside the project
notes.txt: `notes.txt` is outside the project
/etc/passwd: `/etc/passwd` is outside the project
src/../../outside/notes.txt: `src/../../outside/notes.txt` is outside the project
.env: `.env` may contain secrets and is not read
src/../.env: `src/../.env` may contain secrets and is not read
.env.local: `.env.local` may contain secrets and is not read
.ENV: `.ENV` may contain secrets and is not read
.git/config: `.git/config` may contain secrets and is not read
keys/server.pem: `keys/server.pem` may contain secrets and is not read
settings.txt: `settings.txt` may contain secrets and is not read
binary: `binary` cannot be read: it is not text
latin1.txt: `latin1.txt` cannot be read: it is not UTF-8
src: `src` cannot be read: not a regular file
absent: `absent` cannot be read: No such file or directory (os error 2)
"#]],
    );
    let list = call(&project, "list_files", &json!({"path": "out"}));
    list.fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: list_files: `out` is outside the project
hint: name a path relative to the project's folder

"#]],
    );
    let found = call(&project, "search_files", &json!({"query": "secret"}));
    found.outputs("");
}

#[test]
fn a_list_of_things_to_do_is_kept_for_each_project() {
    let (one, other) = (project(), project());
    call(&one, "todo_read", &json!({})).outputs("{\"todos\":[]}\n");
    let todos = json!({"todos": [{"title": "Find", "status": "completed"}, {"title": "Mend"}]});
    let written = "{\"todos\":[{\"title\":\"Find\",\"status\":\"completed\"},\
                   {\"title\":\"Mend\",\"status\":\"pending\"}]}\n";
    call(&one, "todo_write", &todos).outputs(written);
    call(&one, "todo_read", &json!({})).outputs(written);
    call(&other, "todo_read", &json!({})).outputs("{\"todos\":[]}\n");
    call(
        &one,
        "todo_write",
        &json!({"todos": [{"status": "later", "title": ""}]}),
    )
    .fails(65, str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: todo_write: /todos/0/status: expected one of "pending", "in_progress", "completed", got "later"
hint: send status (one of "pending", "in_progress", "completed"): How far it is
cogtools-call: error[SCHEMA_VIOLATION]: todo_write: /todos/0/title: needs at least 1 character, has 0
hint: send title (string, at least 1 character, at most 500 characters): What is to be done

"#]]);
    call(&one, "todo_write", &json!({"todos": []})).outputs("{\"todos\":[]}\n");
}

#[test]
fn files_with_secrets_are_known_by_name() {
    let project = project();
    for name in [
        ".envrc",
        "_netrc",
        ".yarnrc.yml",
        ".my.cnf",
        ".vault-token",
        "id_ed25519_sk",
        "server.p12",
        "release.keystore",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "prod.tfvars",
        "kubeconfig",
        ".aws/credentials",
        "client_secret_1.json",
        "config/secrets.yml",
    ] {
        project.file(name, "secret: 1\n");
        let refused = refusal(&project, name);
        assert_eq!(
            refused,
            format!("`{name}` may contain secrets and is not read")
        );
    }
    call(&project, "search_files", &json!({"query": "secret: 1"})).outputs("");
}

const SAY: &str = "\
$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: Says something to a person.
parameters:
  person: {type: string, description: The person}
examples:
  - {person: Ada}
implementation: 'Hello {{ person }}'
";

#[test]
fn a_tool_file_is_checked() {
    let project = project();
    let wrong = SAY.replace("{{ person }}", "{{ persn }}");
    let check = |arguments: &Value| call(&project, "lint_tool", arguments);
    check(&json!({"path": "tools/say.yaml", "text": wrong})).outputs(str![[r#"
tools/say.yaml:8:27: error[undeclared-variable]: no parameter is named `persn`
   |
 8 | implementation: 'Hello {{ persn }}'
   |                           ^^^^^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: did you mean `person`?

1 file: 1 error

"#]]);
    assert!(!project.path("tools/say.yaml").exists());
    project.file("tools/say.yaml", SAY);
    check(&json!({"path": "tools/say.yaml"})).outputs(str![[r#"
1 file: nothing to report

"#]]);
    check(&json!({"path": "tools/none.yaml"})).fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: lint_tool: `tools/none.yaml` cannot be read: No such file or directory (os error 2)
hint: list_files lists the files of the project

"#]]);
    for (path, message) in [
        (".env", "may contain secrets"),
        ("../say.yaml", "is outside the project"),
        ("--fix", "is not the path of a tool file"),
        ("src/main.rs", "is not the path of a tool file"),
    ] {
        let outcome = check(&json!({"path": path}));
        let stderr = String::from_utf8_lossy(&outcome.status(1).stderr).into_owned();
        assert!(stderr.contains(message), "{path}: {stderr}");
    }
}

#[test]
fn a_tool_file_is_written_and_tested() {
    let project = project();
    let path = "tools/say.yaml";
    let write =
        |path: &str, text: &str| call(&project, "write_tool", &json!({"path": path, "text": text}));
    write(path, &SAY.replace("name: say\n", "name: tell\n")).fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/say.yaml:2:7: the tool is named `tell`, but its file is `say.yaml`
   |
 2 | name: tell
   |       ^^^^
hint: rename the file to `tell.yaml`, or the tool

"#]]);
    assert!(!project.path(path).exists());
    write(path, SAY).outputs(str![[r#"
wrote tools/say.yaml
1 file: nothing to report

"#]]);
    assert_eq!(project.read(path), SAY);
    // What is no tool is not replaced, and no link leads out of the project.
    project.file("say.yaml", "on: push\n");
    write("say.yaml", SAY).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: write_tool: `say.yaml` is not a tool file and is not replaced
hint: choose another name

"#]],
    );
    assert_eq!(project.read("say.yaml"), "on: push\n");
    symlink("/tmp", project.path("out")).expect("a link");
    write("out/say.yaml", SAY).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: write_tool: `out/say.yaml` is outside the project
hint: name a path relative to the project's folder

"#]],
    );
    let test = |update: bool| {
        call(
            &project,
            "test_tool",
            &json!({"path": path, "update": update}),
        )
    };
    test(false).outputs(str![[r#"
FAILED say (1 example)
  tools/say.yaml:7:5: example 1: missing: `tools/say.1.golden` does not exist
    hint: cogtools test --update tools/say.yaml

1 tool, 1 example: 1 failure
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]]);
    test(true).outputs(str![[r#"
ok say (1 example)
  wrote tools/say.1.golden

1 tool, 1 example: all passed; 1 golden file written

"#]]);
    assert_eq!(project.read("tools/say.1.golden"), "Hello Ada");
}

#[test]
fn only_the_user_lets_a_model_write() {
    let project = project();
    let declared = run("cogtools-discover", &project)
        .arg("--format=mcp")
        .run()
        .json();
    let hints = |name: &str| {
        let all = declared.as_array().expect("a list");
        let tool = all
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("it is declared");
        tool["annotations"]["destructiveHint"].clone()
    };
    assert_eq!(hints("lint_tool"), json!(false));
    assert_eq!(hints("write_tool"), json!(true));
    assert_eq!(hints("test_tool"), json!(true));
}
