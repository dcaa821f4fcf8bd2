//! What the examples reach, with `--coverage`.

use cogtools_test_support::{Project, outcome, str};

use crate::{project, run};

/// A tool with branches of all kinds.
const SORT: &str = "\
name: sort
description: Sort it
parameters:
  mode: {type: string, enum: [up, down, none]}
  items: {type: array, items: {type: object, properties: {name: string, note: {type: string, optional: true}}}}
  title: {type: string, optional: true}
examples:
  - {mode: up, items: [{name: a}]}
implementation: |
  {% if title %}
  # {{ title }}
  {% elif mode == 'none' %}unsorted
  {% else %}
  {% include 'part.njk' %}
  {% endif %}
  {% for item in items %}
  - {{ item.name }}{{ ' (' ~ item.note ~ ')' if item.note else '' }}
  {% else %}
  nothing
  {% endfor %}
  {% switch mode %}{% case 'up' %}{% case 'down' %}sorted{% default %}-{% endswitch %}
";

fn sort() -> Project {
    let project = Project::new();
    project.file("tools/sort.yaml", SORT).file(
        "tools/part.njk",
        "{% if items.length > 9 %}many{% endif %}\n",
    );
    project
}

#[test]
fn what_no_example_reaches() {
    let project = sort();
    run(&project, &["--update"]);
    outcome!(run(&project, &["--coverage"])).outputs(str![[r#"
ok sort (1 example)
  tools/part.njk:1: no example takes `if items.length > 9`
  tools/sort.yaml:10: no example takes `if title`
  tools/sort.yaml:12: no example takes `elif mode == 'none'`
  tools/sort.yaml:16: no example takes `else of for … in items`
  tools/sort.yaml:17: no example takes `if item.note`
  tools/sort.yaml:21: no example takes `default of switch mode`
  tools/sort.yaml: no example sets `items.note`
  tools/sort.yaml: no example sets `title`

1 tool, 1 example: all passed
branches taken: 4 of 10; optional properties set: 0 of 2

"#]]);
}

#[test]
fn coverage_as_data() {
    let project = sort();
    run(&project, &["--update"]);
    outcome!(run(&project, &["--coverage", "--format", "json"])).outputs(str![[r#"
{
  "tools": [
    {
      "name": "sort",
      "file": "tools/sort.yaml",
      "status": "passed",
      "examples": [
        {
          "number": 1,
          "file": "tools/sort.yaml",
          "line": 8,
          "column": 5,
          "golden": "tools/sort.1.golden",
          "status": "passed",
          "written": false,
          "failures": []
        }
      ],
      "failures": [],
      "removed": [],
      "coverage": {
        "branches": [
          {
            "file": "tools/part.njk",
            "line": 1,
            "column": 7,
            "condition": "if items.length > 9",
            "taken": false
          },
          {
            "file": "tools/sort.yaml",
            "line": 10,
            "column": 9,
            "condition": "if title",
            "taken": false
          },
          {
            "file": "tools/sort.yaml",
            "line": 10,
            "column": 9,
            "condition": "else of if title",
            "taken": true
          },
          {
            "file": "tools/sort.yaml",
            "line": 12,
            "column": 11,
            "condition": "elif mode == 'none'",
            "taken": false
          },
          {
            "file": "tools/sort.yaml",
            "line": 16,
            "column": 18,
            "condition": "for … in items",
            "taken": true
          },
          {
            "file": "tools/sort.yaml",
            "line": 16,
            "column": 18,
            "condition": "else of for … in items",
            "taken": false
          },
          {
            "file": "tools/sort.yaml",
            "line": 17,
            "column": 49,
            "condition": "if item.note",
            "taken": false
          },
          {
            "file": "tools/sort.yaml",
            "line": 17,
            "column": 49,
            "condition": "else of if item.note",
            "taken": true
          },
          {
            "file": "tools/sort.yaml",
            "line": 21,
            "column": 43,
            "condition": "case 'down'",
            "taken": true
          },
          {
            "file": "tools/sort.yaml",
            "line": 21,
            "column": 13,
            "condition": "default of switch mode",
            "taken": false
          }
        ],
        "properties": [
          {
            "pointer": "/properties/items/items/properties/note",
            "path": "items.note",
            "set": false
          },
          {
            "pointer": "/properties/title",
            "path": "title",
            "set": false
          }
        ]
      }
    }
  ],
  "summary": {
    "tools": 1,
    "examples": 1,
    "failures": 0,
    "without_examples": 0,
    "written": 0,
    "removed": 0,
    "coverage": {
      "branches": 10,
      "taken": 4,
      "properties": 2,
      "set": 0
    }
  }
}

"#]]);
}

#[test]
fn all_is_reached() {
    outcome!(run(&project(), &["--coverage"])).outputs(str![[r#"
ok say (2 examples)

1 tool, 2 examples: all passed
branches taken: 1 of 1; optional properties set: 1 of 1

"#]]);
}

#[test]
fn a_template_that_fails_counts_for_what_it_took_before() {
    let project = Project::new();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: d\nparameters: {a: {type: string, optional: true}}\n\
         examples: [{a: x}]\nimplementation: |\n  {% if a %}{{ a.b.c() }}{% endif %}\n\
         \x20 {% if not a %}x{% endif %}\n",
    );
    let ended = run(&project, &["--coverage", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (ended.status, &report["summary"]["coverage"]),
        (
            1,
            &serde_json::json!({"branches": 2, "taken": 1, "properties": 1, "set": 1})
        )
    );
}
