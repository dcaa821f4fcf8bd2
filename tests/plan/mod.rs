//! Plans that a model writes, as `cogtools plan` checks and fills them.

mod programs;
mod questions;
mod recorded;
mod recorded_runs;
mod resuming;
mod running;
mod shown;

use cogtools_test_support::{Outcome, Project, Status, assert_text, str};
use serde_json::{Value, json};

use crate::json::same;
use crate::run;

fn plan(command: &str, input: impl Into<String>) -> Outcome {
    let project = Project::new();
    let input: String = input.into();
    run("cogtools-plan", &project)
        .arg(command)
        .stdin(input)
        .run()
}

/// A contract with one step, with some of its values replaced; `null` removes a key.
fn contract(changes: &Value) -> Value {
    let mut contract = json!({
        "restatement": "R", "visible_reply": "V", "thinking_log": ["a"],
        "tool_plan": [{"need_tool": false, "reason": "r"}],
    });
    for (key, value) in changes.as_object().expect("changes") {
        contract[key] = value.clone();
    }
    contract
}

/// The pointers of the failures that are printed as JSON.
fn pointers(input: &Value) -> Vec<String> {
    let project = Project::new();
    let outcome = run("cogtools-plan", &project)
        .args(["check", "--error-format", "json"])
        .stdin(input)
        .run();
    outcome.status(65).stdout_is("");
    let lines = String::from_utf8(outcome.stderr).expect("it is text");
    let pointer = |line: &str| {
        let error: Value = serde_json::from_str(line).expect(line);
        assert_eq!(error["code"], "CONTRACT_VIOLATION", "{line}");
        error["pointer"].as_str().expect("a pointer").to_owned()
    };
    lines.lines().map(pointer).collect()
}

#[test]
fn a_contract_is_found_repaired_and_normalised() {
    let text = r#"Here is my plan:
```json
{"restatement": " What time is it? ", "visible_reply": "It is {{tool_result.local}}",
 "thinking_log": [" look " "tell"], "extra": 1,
 "tool_plan": [{"need_tool": True, "tool": " Clock.Now", "reason": " the time ", "args": {}, "note": 1},
   {need_tool: false, reason: 'y', tool: null, args: null, save_as: ' '},
   {need_tool: false, reason: 'x', save_as: '_step1'},]}
```"#;
    plan("check", text).outputs(str![[r#"
{"restatement":"What time is it?","visible_reply":"It is {{tool_result.local}}","thinking_log":["look","tell"],"tool_plan":[{"need_tool":true,"tool":"get_current_date","reason":"the time","args":{},"save_as":"_step2"},{"need_tool":false,"reason":"y","save_as":"_step3"},{"need_tool":false,"reason":"x","save_as":"_step1"}]}

"#]]);
}

#[test]
fn every_violation_is_reported() {
    plan("check", r#"{"restatement": " ", "thinking_log": ["a", 1], "tool_plan": [{"need_tool": true, "reason": 1, "args": [], "save_as": 2}, 7]}"#)
        .fails(65, str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /restatement: must not be empty
hint: send restatement: a string that is not empty
cogtools-plan: error[CONTRACT_VIOLATION]: /visible_reply: required but missing
hint: send visible_reply: a string that is not empty
cogtools-plan: error[CONTRACT_VIOLATION]: /thinking_log/1: expected a string, got a number
hint: item 1 must be a string
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/0/tool: required but missing
hint: send tool: the name of the tool
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/0/reason: expected a string, got a number
hint: send reason: a string
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/0/args: expected an object, got an array
hint: send args: an object
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/0/save_as: expected a string, got a number
hint: send save_as: a string
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/1: expected an object with a step, got a number
hint: item 1 must be an object with a step

"#]]);
    plan("check", contract(&json!({"tool_plan": []})).to_string()).fails(
        65,
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan: must not be empty
hint: send tool_plan: an array with at least one step

"#]],
    );
    plan("check", "I cannot do that.").fails(
        65,
        str![[r#"
cogtools-plan: error[NO_JSON]: no JSON value in the text
hint: ask the model for one JSON object

"#]],
    );
    let steps = json!([{"need_tool": true, "tool": " ", "reason": "r"}]);
    assert_eq!(
        pointers(&contract(&json!({"tool_plan": steps}))),
        ["/tool_plan/0/tool"]
    );
    let many: Value = (0..80).map(|_| json!(1)).collect();
    let found = pointers(&contract(&json!({"thinking_log": many})));
    assert_eq!((found.len(), found[49].as_str()), (50, "/thinking_log/49"));
}

#[test]
fn each_step_has_a_name_of_its_own() {
    let step = |name: &str| json!({"need_tool": false, "reason": "r", "save_as": name});
    let steps = json!([step(""), step("a"), step("_step4"), step(""), step("a")]);
    let checked = plan("check", contract(&json!({"tool_plan": steps})).to_string()).json();
    let names: Vec<&Value> = checked["tool_plan"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| &step["save_as"])
        .collect();
    assert_eq!(names, ["_step1", "a", "_step4", "_step5", "_step6"]);
}

#[test]
fn a_reference_that_leads_nowhere_is_reported() {
    let input = json!({
        "args": {"a": "$tool.shedule.x", "b": ["$tool.schedule.y", "$tool.bad.error"], "c": "$tool.schedule.__proto__", "d": "$tool.schedule.z.length"},
        "results": {"schedule": {"result": {"x": 1, "z": [1, 2]}, "status": "executed"}, "bad": {"status": "failed", "error": {"code": "JS_TIMEOUT"}}},
    });
    plan("resolve", input.to_string()).fails(65, str![[r#"
cogtools-plan: error[MISSING_REFERENCE]: $tool.shedule.x: /a: no step has saved a result as `shedule`
hint: did you mean `schedule`?
cogtools-plan: error[MISSING_REFERENCE]: $tool.schedule.y: /b/0: the result of `schedule` has no such path
hint: a path begins with a key of the result, or with `status`, `tool` or `error`
cogtools-plan: error[MISSING_REFERENCE]: $tool.bad.error: /b/1: the step `bad` has no result
hint: leave the reference out; only a reply reads steps that failed
cogtools-plan: error[MISSING_REFERENCE]: $tool.schedule.__proto__: /c: the result of `schedule` has no such path
hint: a path begins with a key of the result, or with `status`, `tool` or `error`

"#]]);
    let input = json!({"args": ["$tool.s", {"x": "$tool.s.status"}, "$tool.s.z.length"], "results": {"s": {"result": {"z": [1]}, "status": "executed"}}});
    plan("resolve", input.to_string()).outputs("[{\"z\":[1]},{\"x\":\"executed\"},1]\n");
    // What a result says is no reference.
    let input =
        json!({"args": "$tool.a", "results": {"a": {"result": "$tool.b"}, "b": {"result": 1}}});
    plan("resolve", input.to_string()).outputs("\"$tool.b\"\n");
    let input = json!({"template": "{{tool.a}} {{tool.b.error}}", "results": {"a": {"result": "{{tool.b}}"}, "b": {"status": "failed", "error": {"code": "X"}}}});
    plan("hydrate", input.to_string()).outputs("{{tool.b}} {\"code\":\"X\"}\n");
}

#[test]
fn inputs_are_strict_json() {
    plan("resolve", "{args: 1}").fails(
        65,
        str![[r#"
cogtools-plan: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:2: not valid JSON: key must be a string
   |
 1 | {args: 1}
   |  ^
hint: write keys and text in double quotes

"#]],
    );
    plan("resolve", "{}").fails(
        65,
        str![[r#"
cogtools-plan: error[SCHEMA_VIOLATION]: /args: required but missing
hint: send args: the arguments of a step

"#]],
    );
    plan("hydrate", r#"{"template": 1, "results": {"a/b": 1}}"#).fails(65, str![[r#"
cogtools-plan: error[SCHEMA_VIOLATION]: /template: expected a string, got a number
hint: send template: a string
cogtools-plan: error[SCHEMA_VIOLATION]: /results/a~1b: expected an object with a record, got a number
hint: send a/b: an object with a record

"#]]);
    plan("hydrate", r#"{"template": "", "results": []}"#).fails(
        65,
        str![[r#"
cogtools-plan: error[SCHEMA_VIOLATION]: /results: expected an object, got an array
hint: send results: an object

"#]],
    );
    plan("resolve", r#"{"args": null}"#).outputs("null\n");
    plan("hydrate", r#"{"template": "{{tool_result.a}}"}"#).outputs("unavailable\n");
}

/// A small input must not make a large output.
#[test]
fn copies_of_results_are_limited() {
    let large = "x".repeat(1 << 20);
    let results = json!({"a": {"result": large}});
    let args: Value = (0..100).map(|_| json!("$tool.a")).collect();
    plan(
        "resolve",
        json!({"args": args, "results": results}).to_string(),
    )
    .fails(
        65,
        str![[r#"
cogtools-plan: error[INVALID_ARGUMENTS_SYNTAX]: the arguments would be larger than 16 MiB
hint: refer to smaller results

"#]],
    );
    let template = "{{tool.a}}".repeat(100);
    plan(
        "hydrate",
        json!({"template": template, "results": results}).to_string(),
    )
    .fails(
        65,
        str![[r#"
cogtools-plan: error[INVALID_ARGUMENTS_SYNTAX]: the reply would be larger than 16 MiB
hint: refer to smaller results

"#]],
    );
    let few: Value = (0..3).map(|_| json!("$tool.a")).collect();
    let found = plan(
        "resolve",
        json!({"args": few, "results": results}).to_string(),
    );
    assert_eq!(found.status, Status::Exit(0));
    assert!(same(&found.json()[2], &json!(large)));
}
