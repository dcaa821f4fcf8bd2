//! `stats`, `diff` and `eval`: what sessions say about tools.

use super::{RUN, project, session, stored};
use cogtools_test_support::{assert_text, str};

/// A tool that no session has called.
const UNUSED: &str = "name: unused\ndescription: d\nimplementation: x\n";

/// A session in which a call of `run_tests` was rejected.
fn rejected() -> String {
    RUN.replace(
        r#""status":"failed","code":"TOOL_FAILED","content":{"error":"exit status 1\nnot ok 3 - price: expected 4.2, got 42"}"#,
        r#""status":"failed","code":"SCHEMA_VIOLATION","content":{"error":"run_tests: /filter: must be a string"}"#,
    )
}

#[test]
fn names_that_a_model_has_chosen_control_no_terminal() {
    let project = project();
    let file = stored(&project, "0000000001");
    let hostile = rejected().replace("run_tests", r"x\u001b[8m");
    std::fs::write(file, hostile).expect("written");
    let stats = session(&project, &["stats"]);
    let text = String::from_utf8(stats.status(0).stdout.clone()).expect("text");
    assert_eq!(
        text.lines().nth(3),
        Some(r"x\u{1b}[8m: `/filter` was wrong in 1 of 1 calls")
    );
}

#[test]
fn calls_are_counted_over_sessions() {
    let project = project();
    project.file("tools/unused.yaml", UNUSED);
    stored(&project, "0000000001");
    let rejected = rejected().replace("7f3a9c21be", "0000000002");
    let file = stored(&project, "0000000002");
    std::fs::write(file, rejected).expect("written");
    session(&project, &["stats"]).outputs(str![[r#"
TOOL       SESSIONS  CALLS  REJECTED  REPAIRED  FAILED  DENIED  TOKENS
read_file         2      2         0         0       0       2      22
run_tests         2      2         1         0       1       0      41
run_tests: `/filter` was wrong in 1 of 2 calls
never called: unused
2 sessions

"#]]);
    session(&project, &["stats", "--json"]).outputs(str![[r#"
{
  "sessions": 2,
  "tools": [
    {
      "tool": "read_file",
      "sessions": 2,
      "calls": 2,
      "rejected": 0,
      "repaired": 0,
      "failed": 0,
      "denied": 2,
      "tokens": 22,
      "wrong": {},
      "then": {}
    },
    {
      "tool": "run_tests",
      "sessions": 2,
      "calls": 2,
      "rejected": 1,
      "repaired": 0,
      "failed": 1,
      "denied": 0,
      "tokens": 41,
      "wrong": {
        "/filter": 1
      },
      "then": {}
    }
  ],
  "never": [
    "unused"
  ]
}

"#]]);
}

#[test]
fn the_first_difference_is_shown() {
    let project = project();
    let other = RUN.replace(
        r#"{"path":"price.js"},"approval""#,
        r#"{"path":"cost.js"},"approval""#,
    );
    project.file("other.jsonl", other);
    session(&project, &["diff", "run.jsonl", "other.jsonl"]).outputs(str![[r#"
2 steps are the same, and then:
run.jsonl: call read_file, arguments {"path":"price.js"}
other.jsonl: call read_file, arguments {"path":"cost.js"}

"#]]);
    session(&project, &["diff", "run.jsonl", "run.jsonl"]).outputs(str![[r#"
the same: 7 steps

"#]]);
    session(&project, &["diff", "--json", "run.jsonl", "other.jsonl"]).outputs(str![[r#"
{
  "same": 2,
  "a": {
    "call": "read_file",
    "arguments": {
      "path": "price.js"
    }
  },
  "b": {
    "call": "read_file",
    "arguments": {
      "path": "cost.js"
    }
  }
}

"#]]);
}

/// The session of a flow that waits for an answer, or has gone on with it.
fn of_flow(output: &str, answer: Option<&str>) -> String {
    let time = "2026-11-24T09:06:22.213Z";
    let header = RUN.lines().next().unwrap_or_default();
    let mut events = vec![
        r#""kind":"flow","tool":"greet","digest":"d","arguments":{"who":"Ada"}"#.to_owned(),
        r#""kind":"node","node":"find","state":"started""#.to_owned(),
        r#""kind":"node","node":"look","state":"failed","code":"TOOL_FAILED","message":"gone""#
            .to_owned(),
        format!(
            r#""kind":"node","node":"find","state":"succeeded","inputs":{{"q":1}},"output":"{output}""#
        ),
    ];
    events.push(match answer {
        None => r#""kind":"node","node":"sure","state":"waiting","question":"Sure?""#.to_owned(),
        Some(answer) => {
            format!(r#""kind":"node","node":"sure","state":"succeeded","output":"{answer}""#)
        }
    });
    events.push(r#""kind":"end","status":"failed","code":"ANSWER_WANTED""#.to_owned());
    let mut text = format!("{header}\n");
    for (index, event) in events.iter().enumerate() {
        let parent = if index == 0 {
            "null".to_owned()
        } else {
            index.to_string()
        };
        let id = index + 1;
        let line = format!("{{\"id\":{id},\"parent\":{parent},\"time\":\"{time}\",{event}}}\n");
        text.push_str(&line);
    }
    text
}

#[test]
fn runs_of_flows_are_compared_by_their_nodes() {
    let project = project();
    project.file("a.jsonl", of_flow("one", None));
    project.file("b.jsonl", of_flow("two", None));
    project.file("c.jsonl", of_flow("one", Some("yes")));
    session(&project, &["diff", "a.jsonl", "b.jsonl"]).outputs(str![[r#"
1 step is the same, and then:
a.jsonl: node find, state succeeded, inputs {"q":1}, output one
b.jsonl: node find, state succeeded, inputs {"q":1}, output two

"#]]);
    session(&project, &["diff", "a.jsonl", "c.jsonl"]).outputs(str![[r#"
3 steps are the same, and then:
a.jsonl: node sure, state waiting, question Sure?
c.jsonl: node sure, state succeeded, output yes

"#]]);
}

#[test]
fn a_flow_is_no_case_for_a_model() {
    let project = project();
    project.file("a.jsonl", of_flow("one", None));
    session(&project, &["eval", "a.jsonl"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: `a.jsonl` has no task of a model
hint: name a session of `cogtools ask`; a flow is tested by its examples

"#]],
    );
}

#[test]
fn a_flow_is_exported_with_its_nodes() {
    let project = project();
    project.file("a.jsonl", of_flow("one", None));
    let exported = session(&project, &["export", "a.jsonl"]).text();
    let (_, nodes) = exported.split_once("\n## ").expect(&exported);
    assert_text(
        nodes,
        str![[r##"
Flow `greet`

```json
{
  "who": "Ada"
}
```

### `look`

*failed*: **TOOL_FAILED**: gone

### `find`

*succeeded*

```json
{
  "q": 1
}
```

```text
one
```

### `sure`

*waiting*: Sure?

---

waiting

"##]],
    );
}

#[test]
fn a_session_becomes_a_case() {
    session(&project(), &["eval", "run.jsonl"]).outputs(str![[r#"
# From a session: correct `expect` to what should have happened, and save this as
# evals/NAME.yaml, or beside a tool as tools/NAME.evals.yaml.
cases:
- name: session-7f3a9c21be
  task: Why does the test fail?
  with:
    run_tests:
    - args:
        filter: price
      fails: |-
        exit status 1
        not ok 3 - price: expected 4.2, got 42
  expect:
    calls:
    - tool: run_tests
      args:
        filter: price

"#]]);
}
