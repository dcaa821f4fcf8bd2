//! `cogtools plan show` and `explain`: plans for people.

use super::running::{plan_of, project, run_plan, step};
use super::*;

fn on(project: &Project, command: &str, args: &[&str]) -> Outcome {
    run("cogtools-plan", project).arg(command).args(args).run()
}

fn plan() -> String {
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("broken", &json!({}), "down"),
        step("count", &json!({"text": "$tool.hello", "extra": ["$tool.down.x"]}), "size"),
        {"need_tool": false, "reason": "Only a note."},
    ]);
    plan_of(&steps, "{{tool.size.length}} {{tool_result.x}}")
}

#[test]
fn a_plan_is_shown_as_a_table() {
    let project = project();
    project.file("plan.json", plan());
    on(&project, "show", &["plan.json"]).outputs(str![[r#"
r [general]

STEP    TOOL    STATE    NEEDS        REASON
hello   greet   planned               why
down    broken  planned               why
size    count   planned  down, hello  why
_step4  -       planned               Only a note.

reply (needs size, the last result): {{tool.size.length}} {{tool_result.x}}

"#]]);
    run("cogtools-plan", &project)
        .arg("show")
        .stdin(plan())
        .run()
        .stdout_contains("hello   greet   planned");
    // With nothing on standard input, it is the plan of the newest session.
    run_plan(&project, &plan(), &[]).status(1);
    on(&project, "show", &[]).stdout_contains("hello   greet   executed, ");
}

#[test]
fn a_session_is_shown_with_its_states() {
    let project = project();
    run_plan(&project, &plan(), &["--session", "s.jsonl"]).status(1);
    let shown = on(&project, "show", &["s.jsonl"]);
    shown.status(0).stderr_is("");
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    for (line, state) in [
        (2, "NEEDS        RESULT      REASON"),
        (3, "executed, "),
        (3, "          Hello Ada!  why"),
        (4, "failed (TOOL_FAILED), "),
        (5, "skipped"),
        (6, "skipped"),
    ] {
        let line = text.lines().nth(line).expect("a line");
        assert!(line.contains(state), "{text}");
    }
    let shown = run("cogtools-session", &project)
        .args(["show", "s.jsonl"])
        .run();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    for part in [
        "  1. hello  greet  why\n",
        "  hello  greet person=Ada\n    executed, ",
        "\nfailed: 0 turns, 2 calls",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_plan_is_explained_before_it_runs() {
    let project = project();
    project.file("plan.json", plan());
    on(&project, "explain", &["plan.json"]).outputs(str![[r#"
4 steps: r

1. hello: why
   It calls `greet` with {"person":"Ada"}.
   The tool is a template; it runs no program.

2. down: why
   It calls `broken`.
   The tool runs a program.
   You have approved it.

3. size: why
   It calls `count` with {"text":"$tool.hello","extra":["$tool.down.x"]}.
   It needs the result of down, hello.
   The tool is a template; it runs no program.

4. _step4: Only a note.
   It calls no tool.

The reply contains results of size. If a step fails, those after it are skipped.

"#]]);
}

#[test]
fn the_kind_of_each_tool_is_explained() {
    let project = Project::new();
    let flow = |nodes: &str| format!("flow: {{nodes: {nodes}}}");
    let tools = [
        ("pure", flow("{a: {text: x}}")),
        ("calls", flow("{a: {tool: pure}}")),
        ("asks", flow("{a: {agent: {rules: x}}}")),
        (
            "get",
            "http: {url: 'https://example.org/x', auth: {bearer: {env: TOKEN}}}".to_owned(),
        ),
    ];
    for (name, implementation) in &tools {
        let text = format!("name: {name}\ndescription: d\nimplementation: {{{implementation}}}\n");
        project.file(format!("tools/{name}.yaml"), text);
    }
    let steps = tools.iter().map(|(name, _)| step(name, &json!({}), name));
    let steps: Vec<Value> = steps.collect();
    project.file("plan.json", plan_of(&json!(steps), "Done."));
    let explained = on(&project, "explain", &["plan.json"]);
    for kind in [
        "The tool is a flow; it calls no tool and runs no program.",
        "The tool is a flow: it calls other tools.",
        "The tool is a flow: it asks a model, and may call other tools.",
        "The tool makes a request: GET example.org with TOKEN, and says that it changes nothing and \
         reaches an open world.",
    ] {
        explained.stdout_contains(kind);
    }
    explained.status(0);
}

#[test]
fn what_will_fail_is_explained() {
    let project = Project::untrusted();
    project.file(
        "tools/make.yaml",
        "name: make\ndescription: d\nannotations: {destructive: true}\nimplementation: {exec: [touch, made]}\n",
    );
    let steps = json!([
        step("make", &json!({}), "a"),
        step("mak", &json!({"x": "$tool.b"}), "b"),
    ]);
    project.file("plan.json", plan_of(&steps, "Done."));
    on(&project, "explain", &["plan.json"]).outputs(str![[r#"
2 steps: r

1. a: why
   It calls `make`.
   The tool runs a program, and says that it may destroy something.
   It will fail: make: it runs a program, and its project is not trusted yet.

2. b: why
   It calls `mak` with {"x":"$tool.b"}.
   It will fail: no step before it saves b.
   It will fail: mak: no such tool.

The reply needs no step by name. If a step fails, those after it are skipped.

"#]]);
    assert!(!project.path("made").exists());
}
