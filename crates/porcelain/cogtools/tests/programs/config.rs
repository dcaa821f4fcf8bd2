//! Whole runs of `cogtools config`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use cogtools::config::PROGRAM;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Expected, Project, assert_text, outcome, str};

const FILE: &str = ".cogtoolrc.yaml";

fn project(text: &str) -> Project {
    let project = Project::new();
    project.file(FILE, text).dir("tools");
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

/// Checks that a run fails with `status` and prints `stderr`.
#[track_caller]
fn fails(project: &Project, args: &[&str], status: u8, stderr: impl Into<Expected>) {
    outcome!(run(project, args)).fails(status, stderr);
}

#[track_caller]
fn prints(project: &Project, args: &[&str], stdout: impl Into<Expected>) {
    outcome!(run(project, args)).outputs(stdout);
}

const SET: &str = "\
# Where tools come from
tool_sources:
  - local: ./tools
  - node_modules
lint:
  rules: {no-examples: off}
";

#[test]
fn list_prints_every_key() {
    let project = project(SET);
    let list = str![[r#"
tool_sources=[{local: ./tools}, node_modules]
env_priority=project
sandbox=best-effort
lint.rules.no-examples=off

"#]];
    prints(&project, &["list"], list);
    let origins = str![[r#"
.cogtoolrc.yaml:2	tool_sources=[{local: ./tools}, node_modules]
built-in	env_priority=project
built-in	sandbox=best-effort
.cogtoolrc.yaml:6	lint.rules.no-examples=off

"#]];
    prints(&project, &["list", "--show-origin"], origins);
    let json = str![[r#"
[
  {
    "key": "tool_sources",
    "value": [
      {
        "local": "./tools"
      },
      "node_modules"
    ],
    "origin": ".cogtoolrc.yaml",
    "line": 2
  },
  {
    "key": "env_priority",
    "value": "project",
    "origin": "built-in"
  },
  {
    "key": "sandbox",
    "value": "best-effort",
    "origin": "built-in"
  },
  {
    "key": "lint.rules.no-examples",
    "value": "off",
    "origin": ".cogtoolrc.yaml",
    "line": 6
  }
]

"#]];
    prints(&project, &["list", "--format", "json"], json);
}

#[test]
fn get_prints_one_value() {
    let project = project(SET);
    prints(
        &project,
        &["get", "env_priority"],
        str![[r#"
project

"#]],
    );
    prints(
        &project,
        &["get", "lint.rules.no-examples", "--show-origin"],
        str![[r#"
.cogtoolrc.yaml:6	off

"#]],
    );
    let json = str![[r#"
{
  "key": "env_priority",
  "value": "project",
  "origin": "built-in"
}

"#]];
    prints(&project, &["get", "env_priority", "--format=json"], json);
    for format in ["human", "json"] {
        let args = ["get", "filter.tools", "--format", format];
        fails(&project, &args, 1, "");
    }
}

#[test]
fn an_unknown_key_is_an_error() {
    let project = project(SET);
    let unknown = "\
cogtools-config: error[USAGE]: there is no key `env_priorty`
hint: did you mean `env_priority`?
";
    let group = "\
cogtools-config: error[USAGE]: `filter` is a group of keys
hint: name one of them: `filter.tools`, `filter.exclude`, `filter.toolsets`
";
    for (key, message) in [("env_priorty", unknown), ("filter", group)] {
        fails(&project, &["get", key], 2, message);
        fails(&project, &["set", key, "process"], 2, message);
        fails(&project, &["unset", key], 2, message);
    }
    assert_eq!(project.read(FILE), SET);
}

#[test]
fn the_output_of_get_can_be_set() {
    let project = project(SET);
    let value = run(&project, &["get", "tool_sources"]).stdout;
    prints(&project, &["unset", "tool_sources"], "");
    prints(&project, &["set", "tool_sources", &value], "");
    assert_eq!(run(&project, &["get", "tool_sources"]).stdout, value);
}

#[test]
fn a_missing_file_is_created() {
    let project = Project::new();
    prints(&project, &["set", "filter.exclude", "[deploy_*]"], "");
    assert_text(
        project.read(FILE),
        str![[r#"
filter:
  exclude: [deploy_*]

"#]],
    );
    let mode = fs::metadata(project.path(FILE))
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o600, 0o600, "{mode:o}");
}

#[test]
fn mode_link_and_line_endings_are_preserved() {
    let project = Project::new();
    project
        .file("real/file.yaml", "\u{feff}env_priority: project # why\r\n")
        .mode("real/file.yaml", 0o640)
        .link(FILE, "real/file.yaml");
    prints(&project, &["set", "env_priority", "process"], "");
    prints(&project, &["set", "filter.tools", "[a]"], "");
    assert_eq!(
        project.read("real/file.yaml"),
        "\u{feff}env_priority: process # why\r\nfilter:\r\n  tools: [a]\r\n"
    );
    let link = fs::symlink_metadata(project.path(FILE)).expect("a link");
    assert!(link.file_type().is_symlink());
    let mode = fs::metadata(project.path(FILE))
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640, "{mode:o}");
    let files: Vec<_> = project
        .files()
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    assert_eq!(files, [FILE, "real/file.yaml"]);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let project = project(SET);
    let permissions = fs::Permissions::from_mode(0o444);
    fs::set_permissions(project.path(FILE), permissions).expect("permissions");
    let message = str![[r#"
cogtools-config: error[IO_FAILED]: `.cogtoolrc.yaml` cannot be written: it is read-only
hint: make it writable, then run this again

"#]];
    fails(&project, &["set", "env_priority", "process"], 74, message);
    assert_eq!(project.read(FILE), SET);
}

#[test]
fn an_invalid_value_is_not_written() {
    let project = project(SET);
    for (key, value, error) in [
        (
            "env_priority",
            "both",
            "VALUE:1:1: `env_priority` takes `project` or `process`, not `both`\n   \
             |\n 1 | both\n   | ^^^^\nhint: write `env_priority: project` or `env_priority: process`\n",
        ),
        (
            "filter.tools",
            "a, b",
            "VALUE:1:1: `tools` takes a list of strings, not `a, b`\n   \
             |\n 1 | a, b\n   | ^^^^\nhint: write `tools: [facepalm, git_*]`\n",
        ),
        (
            "lint.rules.no-examples",
            "none",
            "VALUE:1:1: a rule is set to off, note, warn or error, not `none`\n   \
             |\n 1 | none\n   | ^^^^\nhint: did you mean `note`?\n",
        ),
        (
            "tool_sources",
            "[{lokal: x}]",
            "VALUE:1:3: `lokal` is not a kind of source\n   \
             |\n 1 | [{lokal: x}]\n   |   ^^^^^\nhint: did you mean `local`?\n",
        ),
    ] {
        let message = format!("cogtools-config: error[USAGE]: {error}");
        fails(&project, &["set", key, value], 2, &message);
    }
    assert_eq!(project.read(FILE), SET);
}

#[test]
fn only_levels_of_rules_that_exist_are_set() {
    let project = project("lint: {rules: {bogus: off}}\n");
    prints(&project, &["get", "lint.rules.bogus"], "off\n");
    let listed = run(&project, &["list"]);
    assert_eq!(listed.status, 0);
    assert!(listed.stderr.contains("there is no rule `bogus`"));
    prints(&project, &["unset", "lint.rules.bogus"], "");
    for (rule, message, hint) in [
        (
            "bogus",
            "there is no rule `bogus`",
            "`cogtools lint --explain all` lists the rules",
        ),
        (
            "no-exampels",
            "there is no rule `no-exampels`",
            "did you mean `no-examples`?",
        ),
        (
            "invalid-tool",
            "`invalid-tool` is always an error",
            "correct the file, or move it out of the folders of tools",
        ),
    ] {
        let key = format!("lint.rules.{rule}");
        let message = format!("cogtools-config: error[USAGE]: {message}\nhint: {hint}\n");
        fails(&project, &["set", &key, "off"], 2, &message);
    }
    let retired = format!("lint.rules.{}", cogtools_lint::RETIRED_RULES[0]);
    for key in ["lint.rules.no-examples", &retired] {
        prints(&project, &["set", key, "off"], "");
    }
}

#[test]
fn a_comment_that_would_be_lost_prevents_the_change() {
    let text = "tool_sources: [ # ours\n  node_modules]\n";
    let project = project(text);
    fails(
        &project,
        &["set", "tool_sources", "[]"],
        2,
        str![[r#"
cogtools-config: error[USAGE]: .cogtoolrc.yaml:1:1: `tool_sources` cannot be changed without changing the text around it
   |
 1 | tool_sources: [ # ours
   | ^
hint: nothing was written; edit the file by hand

"#]],
    );
    assert_eq!(project.read(FILE), text);
}

#[test]
fn a_file_with_another_error_is_not_changed() {
    let text = "tool_source: []\nenv_priority: both\n";
    let project = project(text);
    let message = str![[r#"
cogtools-config: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:1: unknown key `tool_source`
   |
 1 | tool_source: []
   | ^^^^^^^^^^^
hint: did you mean `tool_sources`?

"#]];
    fails(&project, &["set", "env_priority", "process"], 78, message);
    assert_eq!(project.read(FILE), text);
    // Setting the invalid key itself is possible.
    project.file(FILE, "env_priority: both\n");
    prints(&project, &["set", "env_priority", "process"], "");
    assert_text(
        project.read(FILE),
        str![[r#"
env_priority: process

"#]],
    );
}

#[test]
fn a_key_set_elsewhere_cannot_be_unset() {
    let project = project(SET);
    project.file(
        "package.json",
        "{\n  \"name\": \"cogtools\",\n  \"cogtools\": {\n\t\t\"filter\": {\"tools\": [\"a\"]}}}",
    );
    for (key, hint) in [
        ("filter.tools", "it is set at package.json:4"),
        ("env_priority", "it comes from built-in"),
        (
            "filter.exclude",
            "cogtools config list --show-origin shows where each key is set",
        ),
    ] {
        let message = format!(
            "cogtools-config: error[USAGE]: `{key}` is not set in `.cogtoolrc.yaml`\nhint: {hint}\n"
        );
        fails(&project, &["unset", key], 2, &message);
    }
    prints(&project, &["unset", "lint.rules.no-examples"], "");
    let (rest, _) = SET.split_once("lint").expect("a rule");
    assert_eq!(project.read(FILE), rest);
}

#[test]
fn the_user_file_requires_a_home_directory() {
    let message = str![[r#"
cogtools-config: error[USAGE]: the home directory is unknown
hint: set HOME

"#]];
    let args = ["set", "--home", "env_priority", "process"];
    fails(&Project::new(), &args, 2, message);
}

#[test]
fn a_subcommand_is_required() {
    let message = str![[r#"
cogtools-config: error[USAGE]: 'cogtools-config' requires a subcommand but one was not provided [subcommands: list, get, set, unset, env]
hint: usage: cogtools-config [OPTIONS] <COMMAND>
hint: --help explains every option

"#]];
    fails(&Project::new(), &[], 2, message);
}
