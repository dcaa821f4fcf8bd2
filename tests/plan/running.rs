//! `cogtools plan run`: steps through the tools of a project.

use cogtools_test_support::Snapshot;

use super::*;

/// A project with a template, a tool with JSON, and one that fails.
pub(super) fn project() -> Project {
    let project = Project::new();
    project
        .file(
            "tools/greet.yaml",
            "name: greet\ndescription: d\nparameters: {person: string}\nimplementation: Hello {{ person }}!\n",
        )
        .file(
            "tools/count.yaml",
            "\
name: count
description: d
parameters: {text: string, extra: {type: array, items: {type: integer}, default: [1, 2]}}
output: {type: json}
implementation: '{\"length\": {{ text | length }}, \"extra\": {{ extra | dump }}}'
",
        )
        .file(
            "tools/broken.yaml",
            "\
name: broken
description: d
implementation: {exec: [sh, -c, 'echo going down >&2; exit 3']}
",
        );
    project
}

/// A plan with these steps and this reply.
pub(super) fn plan_of(steps: &Value, reply: &str) -> String {
    json!({
        "restatement": "r", "visible_reply": reply, "thinking_log": [], "tool_plan": steps,
    })
    .to_string()
}

pub(super) fn step(tool: &str, args: &Value, save_as: &str) -> Value {
    json!({"need_tool": true, "tool": tool, "reason": "why", "args": args, "save_as": save_as})
}

pub(super) fn run_plan(project: &Project, plan: &str, args: &[&str]) -> Outcome {
    run("cogtools-plan", project)
        .arg("run")
        .args(args)
        .stdin(plan)
        .run()
}

/// The events of a run, without times.
pub(super) fn events(outcome: &Outcome) -> Vec<Value> {
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let untimed = lines.map(|mut event: Value| {
        for key in ["startedAt", "endedAt", "ms"] {
            if let Some(time) = event.get_mut(key) {
                assert!(time.is_u64() || time.as_str().is_some_and(|time| time.ends_with('Z')));
                *time = json!("…");
            }
        }
        event
    });
    untimed.collect()
}

#[test]
fn results_go_into_later_steps_and_into_the_reply() {
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("count", &json!({"text": "$tool.hello", "extra": [7]}), "size"),
        step("count", &json!({"text": "x", "extra": "$tool.size.extra"}), "again"),
        {"need_tool": false, "reason": "Only a note."},
    ]);
    let reply = "{{tool.hello}} {{tool.size.length}} {{tool.again.extra}} {{tool.size.none}}";
    run_plan(&project(), &plan_of(&steps, reply), &[]).outputs("Hello Ada! 10 [7] unavailable\n");
}

#[test]
fn a_plan_in_a_file_is_run_and_prose_around_it_ignored() {
    let project = project();
    let steps = json!([step("greet", &json!({"person": "Bob"}), "hello")]);
    let plan = plan_of(&steps, "{{tool.hello}}");
    project.file("plan.txt", format!("Here it is:\n```json\n{plan}\n```\n"));
    run("cogtools-plan", &project)
        .args(["run", "plan.txt"])
        .run()
        .outputs("Hello Bob!\n");
}

#[test]
fn events_say_what_happens() {
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("broken", &json!({}), "down"),
        step("greet", &json!({"person": "$tool.down"}), "late"),
    ]);
    let plan = plan_of(&steps, "{{tool.hello}} {{tool.down.status}} {{tool.late}}");
    let outcome = run_plan(
        &project(),
        &plan,
        &["--stream-json", "--session", "p.jsonl"],
    );
    outcome.status(1).stderr_is(str![[r#"
cogtools-plan: error[STEP_FAILED]: down: TOOL_FAILED: broken: the program exited with status 3
  | going down
hint: 1 step done, 1 step skipped; `cogtools plan resume p.jsonl` goes on here
hint: `cogtools plan replan p.jsonl` asks a model for another way

"#]]);
    assert_eq!(
        events(&outcome),
        [
            json!({"event": "plan", "steps": [
                {"save_as": "hello", "tool": "greet", "reason": "why"},
                {"save_as": "down", "tool": "broken", "reason": "why"},
                {"save_as": "late", "tool": "greet", "reason": "why"},
            ]}),
            json!({
                "event": "step", "save_as": "hello", "state": "executing",
                "args": {"person": "Ada"},
            }),
            json!({
                "event": "step", "save_as": "hello", "state": "executed",
                "args": {"person": "Ada"}, "result": "Hello Ada!",
                "startedAt": "…", "endedAt": "…", "ms": "…",
            }),
            json!({"event": "step", "save_as": "down", "state": "executing", "args": {}}),
            json!({
                "event": "step", "save_as": "down", "state": "failed", "args": {},
                "error": {
                    "code": "TOOL_FAILED",
                    "message": "broken: the program exited with status 3",
                },
                "startedAt": "…", "endedAt": "…", "ms": "…",
            }),
            json!({
                "event": "step", "save_as": "late", "state": "skipped",
                "error": {"code": "STEP_FAILED", "message": "`down` failed"},
            }),
            json!({"event": "reply", "text": "Hello Ada! failed unavailable"}),
        ]
    );
}

/// Each of these plans was run up to the step that cannot run.
#[test]
fn an_impossible_plan_is_refused_before_its_first_step() {
    let project = project();
    project.file(
        "tools/mail.yaml",
        "name: mail\ndescription: d\nimplementation: {exec: [touch, sent]}\n",
    );
    let mail = || step("mail", &json!({}), "mail");
    let fails = |impossible: Value, reply: &str, stderr: Snapshot| {
        let plan = plan_of(&json!([mail(), impossible]), reply);
        run_plan(&project, &plan, &[]).fails(65, stderr);
        assert!(!project.path("sent").exists());
    };
    fails(
        step("greet", &json!({"person": "$tool.none.x"}), "a"),
        "Done.",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/1/args/person: no step saves a result as `none`
hint: refer to an earlier step by its `save_as`

"#]],
    );
    fails(
        step("greet", &json!({"person": "$tool.a"}), "a"),
        "Done.",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/1/args/person: the step refers to its own result, `a`
hint: refer to an earlier step by its `save_as`

"#]],
    );
    fails(
        step("greet", &json!({"persn": "Ada"}), "a"),
        "Done.",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: greet: /tool_plan/1/args/persn: not a parameter of this tool
hint: did you mean `person`?
cogtools-plan: error[CONTRACT_VIOLATION]: greet: /tool_plan/1/args/person: required but missing
hint: send person (string)

"#]],
    );
    fails(
        step(
            "count",
            &json!({"text": "$tool.mail", "extra": ["$tool.mail", "x"]}),
            "a",
        ),
        "Done.",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: count: /tool_plan/1/args/extra/1: expected integer, got string "x"
hint: send item 1 of extra (integer)

"#]],
    );
    fails(
        step("nothing", &json!({}), "a"),
        "Done.",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /tool_plan/1/tool: no tool is named `nothing`
hint: cogtools-discover lists all tools

"#]],
    );
    fails(
        step("greet", &json!({"person": "Ada"}), "a"),
        "{{tool.none.x}}",
        str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: /visible_reply: no step saves a result as `none`
hint: name a step by its `save_as`

"#]],
    );
    let late = json!([step("greet", &json!({"person": "$tool.mail"}), "a"), mail(),]);
    run_plan(&project, &plan_of(&late, "Done."), &[])
        .status(65)
        .stderr_contains("the step refers to the result of a later step, `mail`");
    assert!(!project.path("sent").exists());
}

#[test]
fn a_plan_that_ends_early_is_not_run() {
    let project = project();
    let plan = plan_of(
        &json!([step("greet", &json!({"person": "Ada"}), "a")]),
        "Done.",
    );
    for end in [1, 3, 20] {
        run_plan(&project, &plan[..plan.len() - end], &[])
            .status(65)
            .stdout_is("")
            .stderr_contains("CONTRACT_VIOLATION");
    }
}

/// A value of JavaScript is found without a path through its envelope.
#[test]
fn results_of_javascript_are_found_below_their_envelope() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "tool_sources: [builtin]\n");
    let code = json!({"code": "return {balance: 7}"});
    let again = json!({"code": "return args.b + 1", "args": {"b": "$tool.j.balance"}});
    let steps = json!([step("run_js", &code, "j"), step("run_js", &again, "k")]);
    let reply = "{{tool.j.balance}} {{tool.k}} {{tool_result.result}} {{tool.j}}";
    run_plan(&project, &plan_of(&steps, reply), &[]).outputs("7 8 8 {\"balance\":7}\n");
}

#[test]
fn nothing_runs_that_the_user_did_not_approve() {
    let project = Project::untrusted();
    project.file(
        "tools/make.yaml",
        "name: make\ndescription: d\nimplementation: {exec: [touch, made]}\n",
    );
    let plan = plan_of(&json!([step("make", &json!({}), "a")]), "Done.");
    let outcome = run_plan(&project, &plan, &[]);
    outcome
        .status(1)
        .stdout_is("Done.\n")
        .stderr_contains("DENIED");
    assert!(!project.path("made").exists());
}
