//! Coverage of a tool by its examples, with `--coverage`.

use cogtools_test_support::{Project, outcome, str};
use serde_json::json;

use crate::{project, run, run_as_user};

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
  tools/sort.yaml: no example has "down" as `mode`
  tools/sort.yaml: no example has "none" as `mode`

1 tool, 1 example: all passed
branches taken: 4 of 10; optional properties set: 0 of 2; values of enums used: 1 of 3

"#]]);
}

#[test]
fn coverage_as_data() {
    let project = Project::new();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: d\nparameters: {a: {type: string, optional: true}}\n\
         examples: [{}]\nimplementation: |\n  {% if a %}{{ a }}{% else %}none{% endif %}\n",
    );
    run(&project, &["--update"]);
    let ended = run(&project, &["--coverage", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let branch = |condition: &str, taken: bool| {
        json!({
            "file": "tools/say.yaml", "line": 6, "column": 9,
            "condition": condition, "taken": taken,
        })
    };
    let expected = json!({
        "branches": [branch("if a", false), branch("else of if a", true)],
        "properties": [{"pointer": "/properties/a", "path": "a", "set": false}],
        "values": [],
    });
    assert_eq!(
        (ended.status, &report["tools"][0]["coverage"]),
        (0, &expected)
    );
    let figures =
        json!({"branches": 2, "taken": 1, "properties": 1, "set": 0, "values": 0, "used": 0});
    assert_eq!(report["summary"]["coverage"], figures);
}

#[test]
fn all_is_reached() {
    outcome!(run(&project(), &["--coverage"])).outputs(str![[r#"
ok say (2 examples)

1 tool, 2 examples: all passed
branches taken: 1 of 1; optional properties set: 1 of 1; values of enums used: 0 of 0

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
            &json!({"branches": 2, "taken": 1, "properties": 1, "set": 1, "values": 0, "used": 0})
        )
    );
}

#[test]
fn commands_and_values_count() {
    let project = Project::new();
    project
        .file(
            "tools/log.yaml",
            "name: log\ndescription: d\nannotations: {read_only: true}\nparameters:\n  mode: {enum: [up, down], default: up}\n  tags: \
             {type: array, optional: true, items: {enum: [a, b]}}\nexamples: [{tags: [b]}]\n\
             implementation:\n  exec:\n    - echo\n    - when: mode == 'down'\n      args: [x]\n\
             \x20   - for: tag in tags\n      when: tag == 'b'\n      args: ['{{ tag }}', '{{ tag }}']\n",
        );
    run_as_user(&project, &["--update"]);
    outcome!(run_as_user(&project, &["--coverage"])).outputs(str![[r#"
ok log (1 example)
  tools/log.yaml:11: no example takes `if mode == 'down'`
  tools/log.yaml: no example sets `mode`
  tools/log.yaml: no example has "down" as `mode`
  tools/log.yaml: no example has "a" as `tags`

1 tool, 1 example: all passed
branches taken: 2 of 3; optional properties set: 1 of 2; values of enums used: 2 of 4

"#]]);
}
