//! Progress of the project's own tools, for a client that asks for it.

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::session::Session;

const FLOW: &str = "\
name: shout
description: Shouts
parameters: {text: string}
implementation:
  flow:
    nodes:
      loud: {text: '{{ text | upper }}'}
      each_letter: {each: {in: '{{ [1, 2] }}', tool: {name: slow, arguments: {step: '{{ item }}'}}}}
      never: {when: loud == 'x', text: never}
      last: {needs: [each_letter], text: '{{ loud }}!'}
";
const SLOW: &str = "\
name: slow
description: Takes steps
parameters: {step: integer}
implementation:
  script: |
    #!/bin/sh
    printf 'step \\033[1m%s\\n\\n  half' 1 >&2
    echo ' done' >&2
    echo finished
";

const LOAD: &str = "\
name: load
description: Loads
implementation:
  script: |
    #!/bin/sh
    echo begin >&2
    echo 'cogtools-progress 2/10 \\033[1mtwo' >&2
    echo 'cogtools-progress 1/10 back' >&2
    echo 'cogtools-progress inf/nan never' >&2
    printf '\\033]9;4;1;40\\007' >&2
    echo plain >&2
    echo loaded
";

/// A call of `tool` that asks for progress, and the updates before its answer.
fn call(tool: &str, arguments: &Value) -> (String, Vec<Value>) {
    let project = Project::new();
    project
        .file("tools/shout.yaml", FLOW)
        .file("tools/load.yaml", LOAD)
        .file("tools/slow.yaml", SLOW);
    let mut session = Session::open(&project);
    let params = json!({
        "name": tool, "arguments": arguments, "_meta": {"progressToken": 7},
    });
    let id = session.ask("tools/call", &params);
    let (text, is_error) = session.text(id);
    assert!(!is_error, "{text}");
    let updates = session.notified().into_iter().map(|it| {
        assert_eq!(it["method"], "notifications/progress");
        assert_eq!(it["params"]["progressToken"], 7);
        let field = |key: &str| it["params"][key].clone();
        json!([field("progress"), field("total"), field("message")])
    });
    (text, updates.collect())
}

#[test]
fn each_node_of_a_flow_is_an_update() {
    let (text, updates) = call("shout", &json!({"text": "hi"}));
    assert_eq!(text, "HI!");
    let mut messages: Vec<&str> = updates.iter().filter_map(|it| it[2].as_str()).collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "each_letter succeeded",
            "last succeeded",
            "loud succeeded",
            "never skipped"
        ]
    );
    let numbers: Vec<Value> = updates.iter().map(|it| json!([it[0], it[1]])).collect();
    let expected: Vec<Value> = (1..=4)
        .map(|number| json!([f64::from(number), 4.0]))
        .collect();
    assert_eq!(numbers, expected);
}

#[test]
fn each_line_of_a_program_is_an_update() {
    let (text, updates) = call("slow", &json!({"step": 1}));
    assert_eq!(text, "finished\n");
    assert_eq!(
        updates,
        [
            json!([1.0, null, "step [1m1"]),
            json!([2.0, null, "half done"])
        ]
    );
}

#[test]
fn a_program_says_how_far_it_is() {
    let (text, updates) = call("load", &json!({}));
    assert_eq!(text, "loaded\n");
    // Progress only grows for a client, whatever the program says.
    let expected = json!([
        [1.0, null, "begin"],
        [2.0, 10.0, "[1mtwo"],
        [40.0, 100.0, null],
    ]);
    assert_eq!(Value::from(updates), expected);
}
