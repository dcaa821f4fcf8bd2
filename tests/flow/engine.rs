//! Flows that another engine runs: node by node, from the graph to the output.

use super::*;

/// A flow with a choice, a question, and a tool that counts its runs.
const NODES: &str = "\
    nodes:
      count: {tool: counted, retry: {times: 2, delay: 0.5}}
      is_many:
        router:
          - {when: count > 1, to: many}
          - {to: few}
      many: {text: 'many {{ question }}'}
      few: {text: 'few {{ question }}'}
      confirm: {needs: [many?], ask: 'Really {{ question }}?'}
    output: '{{ many or few }}: {{ confirm }}'
";
const COUNTED: &str = "\
name: counted
description: Counts its runs
parameters: {}
output: {type: json}
implementation: {exec: [sh, -c, 'echo x >> runs; wc -l < runs']}
";

fn counting() -> Project {
    let project = project_with(NODES);
    project.file("tools/counted.yaml", COUNTED);
    project
}

fn graph(project: &Project) -> Value {
    let json = flow_run(project, &["show", "f", "--json"]).run().text();
    serde_json::from_str(&json).expect("it is JSON")
}

fn node(project: &Project, node: &str, inputs: &str, words: &[&str]) -> Outcome {
    flow_run(project, &["node", "f", node, "--inputs", "-"])
        .args(words)
        .stdin(inputs)
        .run()
}

fn output(project: &Project, inputs: &str, words: &[&str]) -> Outcome {
    flow_run(project, &["output", "f", "--inputs", "-"])
        .args(words)
        .stdin(inputs)
        .run()
}

#[test]
fn the_graph_has_all_that_an_engine_needs() {
    let project = counting();
    let mut graph = graph(&project);
    let whole = graph["digest"].take();
    let digests: Vec<Value> = graph["nodes"]
        .as_array_mut()
        .expect("nodes are a list")
        .iter_mut()
        .map(|node| node["digest"].take())
        .chain([whole])
        .collect();
    let is_digest = |value: &Value| value.as_str().is_some_and(|text| text.len() == 64);
    assert!(digests.iter().all(is_digest), "{digests:?}");
    let once = json!({"times": 0, "delay": 0.0, "backoff": 1.0});
    let plain = |id: &str, kind: &str, needs: Value, to: Value| {
        json!({
            "id": id, "kind": kind, "needs": needs, "tool": null, "among": [], "to": to,
            "retry": once, "timeout": null, "pure": kind != "ask", "repeatable": true,
            "digest": null,
        })
    };
    let need = |node: &str, optional: bool| json!({"node": node, "optional": optional});
    assert_eq!(
        graph,
        json!({
            "flow": "f",
            "digest": null,
            "lock": null,
            "retryable": ["TOOL_FAILED", "NODE_FAILED", "TIMEOUT", "IO_FAILED", "UNAVAILABLE"],
            "nodes": [
                {
                    "id": "count", "kind": "tool", "needs": [], "tool": "counted", "among": [],
                    "to": [], "retry": {"times": 2, "delay": 0.5, "backoff": 1.0},
                    "timeout": null, "pure": false, "repeatable": false, "digest": null,
                },
                plain("is_many", "router", json!([need("count", true)]), json!(["many", "few"])),
                plain("many", "text", json!([need("is_many", false)]), json!([])),
                plain("few", "text", json!([need("is_many", false)]), json!([])),
                plain("confirm", "ask", json!([{"node": "many", "optional": true, "may_fail": true}]), json!([])),
            ],
        })
    );
}

#[test]
fn nodes_run_one_by_one() {
    let project = counting();
    node(&project, "count", "{}", &[]).outputs("1\n");
    // What it does not need makes no difference.
    let inputs = r#"{"count": 1, "many": "soon"}"#;
    node(&project, "is_many", inputs, &[]).outputs("\"few\"\n");
    let chosen = r#"{"is_many": "few"}"#;
    node(&project, "few", chosen, &[]).outputs("\"few what\"\n");
    // The router has not chosen it.
    node(&project, "many", chosen, &[]).outputs("null\n");
    let results = r#"{"many": null, "few": "few what", "confirm": "yes"}"#;
    output(&project, results, &[]).outputs("\"few what: yes\"\n");
}

#[test]
fn inputs_are_those_of_the_flow_and_of_the_nodes_that_are_needed() {
    let project = counting();
    node(
        &project,
        "few",
        r#"{"question": "why", "is_many": "few"}"#,
        &[],
    )
    .outputs("\"few why\"\n");
    node(&project, "few", r#"{"question": 1, "is_many": "few"}"#, &[]).fails(
        65,
        str![[r#"
cogtools-flow: error[SCHEMA_VIOLATION]: f: /question: expected string, got number 1
hint: send question (string)

"#]],
    );
    node(&project, "few", r#"{"other": 1, "is_many": "few"}"#, &[]).fails(
        65,
        str![[r#"
cogtools-flow: error[SCHEMA_VIOLATION]: f: /other: not a parameter of this tool
hint: the parameters are `question`

"#]],
    );
    node(&project, "few", "{}", &[]).fails(
        65,
        str![[r#"
cogtools-flow: error[SCHEMA_VIOLATION]: few: the inputs have no result of `is_many`
hint: a node that was skipped has null

"#]],
    );
    node(&project, "few", "[]", &[]).fails(
        65,
        str![[r#"
cogtools-flow: error[INVALID_ARGUMENTS_SYNTAX]: -: inputs are a JSON object

"#]],
    );
}

#[test]
fn a_question_waits() {
    let project = counting();
    let script =
        "echo '{}' | \"$0\" node f confirm --inputs - 3> events; sed 's/,\"ms\":[0-9]*//' events";
    let outcome = Run::new("/bin/sh")
        .args(["-c", script])
        .arg(programs().join("cogtools-flow"))
        .project(&project)
        .run();
    outcome.stdout_is(str![[r#"
{"kind":"node","node":"confirm","state":"started"}
{"kind":"node","node":"confirm","state":"waiting","question":"Really what?"}

"#]]);
    node(&project, "confirm", "{}", &["--answer", "confirm=no"]).outputs("\"no\"\n");
}

#[test]
fn other_files_are_refused() {
    let project = counting();
    let before = graph(&project);
    let digest = |graph: &Value| graph["digest"].as_str().unwrap_or_default().to_owned();
    let digest_of = |index: usize| {
        before["nodes"][index]["digest"]
            .as_str()
            .unwrap_or_default()
    };
    let run = |index: usize, id: &str, inputs: &str| {
        node(&project, id, inputs, &["--digest", digest_of(index)])
    };
    run(0, "count", "{}").outputs("1\n");
    output(&project, "{}", &["--digest", &digest(&before)]).outputs("\": \"\n");

    // A changed tool changes its node, and the flow.
    project.file("tools/counted.yaml", COUNTED.replace("echo x", "echo y"));
    run(0, "count", "{}").fails(78, str![[r#"
cogtools-flow: error[INVALID_TOOL]: count: the flow, a tool of it or cogtools.lock is not the one that was expected
hint: bring the files here to the version with which the run began

"#]]);
    output(&project, "{}", &["--digest", &digest(&before)]).fails(78, str![[r#"
cogtools-flow: error[INVALID_TOOL]: f: the flow, a tool of it or cogtools.lock is not the one that was expected
hint: bring the files here to the version with which the run began

"#]]);
    run(1, "is_many", r#"{"count": 1}"#).outputs("\"few\"\n");

    // A lock file changes everything.
    project.file("tools/counted.yaml", COUNTED);
    run(0, "count", "{}").outputs("2\n");
    run_lock(&project);
    run(1, "is_many", r#"{"count": 1}"#).status(78);
    let after = graph(&project);
    assert!(after["lock"].is_string(), "{after}");
    assert_ne!(digest(&before), digest(&after));
}

#[test]
fn arguments_are_checked_before_a_run() {
    let project = counting();
    let show = |words: &[&str]| flow_run(&project, &["show", "f"]).args(words).run();
    let graph: Value =
        serde_json::from_str(&show(&["--json", "question=why"]).text()).expect("it is JSON");
    assert_eq!(graph["arguments"], json!({"question": "why"}));
    assert_eq!(self::graph(&project)["arguments"], Value::Null);
    show(&["--json", "questions=why"]).fails(
        65,
        str![[r#"
cogtools-flow: error[SCHEMA_VIOLATION]: f: /questions: not a parameter of this tool
hint: did you mean `question`?

"#]],
    );
    show(&["question=why"]).status(2);
}

fn run_lock(project: &Project) {
    run("cogtools-lock", project).run().succeeds();
}

#[test]
fn a_node_has_its_time() {
    let project = project_with(
        "\
    nodes:
      slow: {js: 'for (;;) {}', timeout: 1}
",
    );
    node(&project, "slow", "{}", &[]).fails(
        124,
        str![[r#"
cogtools-flow: error[TIMEOUT]: the node took longer than 1 s

"#]],
    );
}

#[test]
fn a_flow_is_as_repeatable_as_its_nodes() {
    let project = counting();
    let outer = flow("nodes: {inner: {tool: f}}\n").replace("name: f", "name: outer");
    project.file("tools/outer.yaml", outer);
    let harmless = flow("nodes: {inner: {tool: {name: search, arguments: {query: x}}}}\n");
    project.file(
        "tools/harmless.yaml",
        harmless.replace("name: f", "name: harmless"),
    );
    let both = flow("nodes: {a: {tool: outer}, b: {tool: harmless}, c: {tool: both}}\n");
    project.file("tools/both.yaml", both.replace("name: f", "name: both"));
    let json = flow_run(&project, &["show", "both", "--json"]).run().text();
    let graph: Value = serde_json::from_str(&json).expect("it is JSON");
    let repeatable = graph["nodes"].as_array().expect("nodes are a list").iter();
    let repeatable: Vec<&Value> = repeatable.map(|node| &node["repeatable"]).collect();
    assert_eq!(repeatable, [false, true, false]);
}
