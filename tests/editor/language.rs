//! The language server in the real Neovim, and behind the client of our extension for VS Code.

use std::time::Duration;

use cogtools_test_support::{Project, Run};
use serde_json::{Value, json};

const TOOL: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greet people 👋 by their names
parameters:
  people:
    type: array
    description: The guests
    items:
      type: object
      description: A guest
      properties: {name: {type: string, description: The name}}
examples:
  - people: [{name: Ada}]
implementation: |
  {% for person in people %}Hello 👋 {{ person.nmae | upper }}{% endfor %}
";

/// A flow that calls the tool, with code.
const FLOW: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: team
description: Greets a team
parameters:
  size: {type: integer, description: How many there are}
  mood: {type: string, enum: [glad, sad], description: How they are}
implementation:
  flow:
    nodes:
      one: {tool: {name: greet, arguments: {people: []}}}
      two:
        js: |
          const count = args.size;
          return args.mood === 'glad' ? count + 1 : 0;
";

/// An agent that calls both.
const AGENT: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: chat
description: Talks with a team
implementation: {agent: {rules: Talk, tools: [greet]}}
";

#[test]
fn neovim_shows_and_edits() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/greet.yaml", TOOL)
        .file("tools/team.yaml", FLOW)
        .file("tools/chat.yaml", AGENT)
        .file(
            "tools/part.njk",
            "{% import './all.njk' as m %}{{ m.hail() | upper }}{{ m is defined }}",
        )
        .file("tools/all.njk", "{% macro hail() %}Hail{% endmacro %}")
        .file(
            ".cogtoolrc.yaml",
            "lint:\n  rules:\n    no-examples: error\n",
        );
    let outcome = Run::new("/usr/bin/nvim")
        .project(&project)
        .args(["--headless", "--clean", "-S"])
        .arg(crate::repository().join("tests/editor/language.lua"))
        .arg("tools/greet.yaml")
        .env("LSP_PROGRAM", crate::programs().join("cogtools"))
        .limit(Duration::from_mins(2))
        .run();
    let shown: Value = outcome.json();
    let renamed = TOOL.replace("nmae", "name").replace("people", "guests");
    // The description is no name.
    let renamed = renamed.replace("Greet guests", "Greet people");
    let expected = json!({
        "diagnostics": [["unknown-member", "nmae"]],
        "title": "Write `name`",
        "fixed": [],
        "hover": "`people[].name`: string\n\nThe name",
        "offered": ["name"],
        "definition": [10, 19],
        "references": 3,
        "renamed": renamed.trim_end(),
        "symbols": 6,
        "tokens": true,
        "lenses": 2,
        "hints": [": object"],
        "elsewhere": [
            "greet", "sad", "mood", "count", "team", "deprecated", "lower", "hail", "defined", "off",
        ],
    });
    assert_eq!(shown, expected);
}

#[test]
fn the_extension_shows_and_edits() {
    let project = Project::new();
    project.dir(".gemini").file("tools/greet.yaml", TOOL);
    let outcome = Run::new("/usr/bin/env")
        .project(&project)
        .arg("node")
        .arg(crate::repository().join("tests/editor/language.cjs"))
        .arg(crate::repository().join("editors/vscode/language.js"))
        .arg(crate::programs().join("cogtools"))
        .arg(project.path("tools/greet.yaml"))
        .limit(Duration::from_mins(2))
        .run();
    let shown: Value = outcome.json();
    let expected = json!({
        "diagnostics": [["unknown-member", 14, 47, 14, 51]],
        "action": [["Write `name`", "quick fix"], [[[14, 47, 14, 51], "name"]]],
        "items": [["name", "field"]],
        "hover": ["`people`: array of object\n\nThe guests"],
        "renamed": [[[4, 2, 4, 8], "guests"], [[12, 4, 12, 10], "guests"], [[14, 19, 14, 25], "guests"]],
        "lens": "run example",
        "run": "test greet --test=^greet\\.1$",
    });
    assert_eq!(shown, expected);
}
