//! Whole runs of `cogtools expand`.

use cogtools::expand::PROGRAM;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Project, Snapshot, outcome, str};

const TOOL: &str = "
name: greet
title: Greeting
description: Greet somebody
parameters:
  person: string
  tone:
    enum: [plain, warm]
    default: plain
    description: How it sounds
  gifts:
    type: string[]
    optional: true
examples:
  - person: Ada
implementation: Hello {{ person }}
annotations:
  read_only: true
";

const GEMINI: Snapshot = str![[r#"
{
  "name": "greet",
  "description": "Greet somebody",
  "parameters": {
    "type": "object",
    "properties": {
      "person": {
        "type": "string"
      },
      "tone": {
        "type": "string",
        "enum": [
          "plain",
          "warm"
        ],
        "default": "plain",
        "description": "How it sounds"
      },
      "gifts": {
        "type": "array",
        "items": {
          "type": "string"
        }
      }
    },
    "required": [
      "person"
    ]
  },
  "parametersJsonSchema": {
    "type": "object",
    "properties": {
      "person": {
        "type": "string"
      },
      "tone": {
        "type": "string",
        "enum": [
          "plain",
          "warm"
        ],
        "default": "plain",
        "description": "How it sounds"
      },
      "gifts": {
        "type": "array",
        "items": {
          "type": "string"
        }
      }
    },
    "required": [
      "person"
    ]
  }
}

"#]];

const MCP_YAML: Snapshot = str![[r#"
name: greet
title: Greeting
description: Greet somebody
inputSchema:
  type: object
  properties:
    person:
      type: string
    tone:
      type: string
      enum:
      - plain
      - warm
      default: plain
      description: How it sounds
    gifts:
      type: array
      items:
        type: string
  required:
  - person
  additionalProperties: false
  examples:
  - person: Ada
annotations:
  readOnlyHint: true

"#]];

const ANTHROPIC: Snapshot = str![[r#"
{
  "name": "ping",
  "description": "Ping",
  "input_schema": {
    "type": "object",
    "properties": {},
    "additionalProperties": false
  }
}

"#]];

fn project() -> Project {
    let project = Project::new();
    project.file("tools/greet.yaml", TOOL);
    let ping = "name: ping\ndescription: Ping\nimplementation: pong\n";
    project.file("elsewhere/ping.yaml", ping);
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

#[test]
fn a_tool_by_name_and_by_file() {
    let project = project();
    for wanted in ["greet", "tools/greet.yaml", "./tools/greet.yaml"] {
        outcome!(run(&project, &[wanted])).outputs(GEMINI);
    }
    let file = project.path("tools/greet.yaml");
    outcome!(run(&project, &[file.to_str().unwrap_or_default()])).outputs(GEMINI);
    let inside = ["-C", "tools", "greet.yaml"];
    outcome!(run(&project, &inside)).outputs(GEMINI);
}

#[test]
fn every_host_has_its_format() {
    let project = project();
    let mcp = ["--format", "mcp", "--yaml", "greet"];
    outcome!(run(&project, &mcp)).outputs(MCP_YAML);
    let anthropic = ["elsewhere/ping.yaml", "--format", "anthropic"];
    outcome!(run(&project, &anthropic)).outputs(ANTHROPIC);
}

#[test]
fn invalid_and_missing_tools_are_errors() {
    let project = project();
    project.file(
        "tools/bad.yaml",
        "name: bad\ndescription: Bad\nimplementaton: bad\n",
    );
    let bad = "\
cogtools-expand: error[INVALID_TOOL]: tools/bad.yaml:1:1: `implementation` is missing
   |
 1 | name: bad
   | ^
hint: add `implementation: …`
cogtools-expand: error[INVALID_TOOL]: tools/bad.yaml:3:1: unknown key `implementaton`
   |
 3 | implementaton: bad
   | ^^^^^^^^^^^^^
hint: did you mean `implementation`?
";
    let absent = "\
cogtools-expand: error[IO_FAILED]: `nowhere.yaml` does not exist
hint: check the path; the file may have been removed meanwhile
";
    let unknown = "\
cogtools-expand: error[TOOL_NOT_FOUND]: gret: no such tool
hint: did you mean `greet`?
hint: cogtools-discover lists all tools
";
    for (wanted, status, stderr) in [
        ("bad", 78, bad),
        ("nowhere.yaml", 74, absent),
        ("gret", 127, unknown),
    ] {
        let output = run(&project, &[wanted]);
        outcome!(output).fails(status, stderr);
    }
}

#[test]
fn wrong_usage() {
    let project = project();
    outcome!(run(&project, &[])).fails(
        2,
        str![[r#"
cogtools-expand: error[USAGE]: the following required arguments were not provided: <TOOL>
hint: usage: cogtools-expand [OPTIONS] <TOOL>
hint: --help explains every option

"#]],
    );
    outcome!(run(&project, &["--format", "soap", "greet"])).fails(2, str![[r#"
cogtools-expand: error[USAGE]: invalid value 'soap' for '--format <HOST>' [possible values: gemini, openai, openai-strict, anthropic, mcp]
hint: usage: cogtools-expand [OPTIONS] <TOOL>
hint: --help explains every option

"#]]);
}

#[test]
fn a_folder_is_no_tool_file() {
    let project = project();
    project.file("../other/.cogtoolrc.yaml", "");
    for folder in ["../other", "./", "tools/.."] {
        let message = format!(
            "cogtools-expand: error[INVALID_TOOL]: `{folder}` is not a regular file\n\
             hint: put a regular file there, or a link to one\n"
        );
        outcome!(run(&project, &[folder])).fails(78, message.as_str());
    }
}
