//! Tools of a source that the configuration changes, under `tools` and by `read_only`.

use cogtools_test_support::str;
use serde_json::{Value, json};

use super::{Scene, declaring};
use crate::run;

const ISSUES: &str = r#"[
{"name": "create.issue", "title": "Create", "description": "Creates", "inputSchema": {"type": "object", "properties": {
  "repo": {"type": "string"}, "title": {"type": "string"}, "state": {"type": "string"}, "draft": {"type": "boolean"}
}, "required": ["repo", "title", "state"]}},
{"name": "list_issues", "description": "Lists", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object"}},
{"name": "list_labels", "description": "Lists", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object"}}
]"#;

const CHANGES: &str = ", prefix: gh_, tools: {
    create.issue: {rename: new_issue, title: Report, description: Reports a mistake, arguments: {
        fixed: {repo: docs}, default: {state: open}, hide: [draft]}},
    'list_*': {description: Shows}, list_labels: {hide: true}}";

/// The names of declared tools, but for the project's own.
fn names(declared: &Value) -> Vec<&str> {
    let all = declared.as_array().into_iter().flatten();
    let names = all.filter_map(|it| it["name"].as_str());
    names.filter(|name| *name != "ok").collect()
}

#[test]
fn names_texts_and_arguments() {
    let scene = Scene::new(&declaring(ISSUES), CHANGES);
    let all = scene.discover().json();
    assert_eq!(names(&all), ["gh_list_issues", "new_issue"]);
    assert_eq!(all[0]["description"], "Shows");
    assert_eq!(all[1]["description"], "Reports a mistake");
    let expected = json!({
        "type": "object",
        "properties": {"title": {"type": "string"}, "state": {"type": "string", "default": "open"}},
        "required": ["title"],
    });
    assert_eq!(all[1]["parametersJsonSchema"], expected);

    let call =
        |tool: &str, arguments: &Value| scene.run("cogtools-call").arg(tool).stdin(arguments).run();
    call("new_issue", &json!({"title": "a"})).outputs(str![[r#"
create.issue: {"title":"a","state":"open","repo":"docs"}

"#]]);
    call("new_issue", &json!({"title": "a", "state": "closed"})).outputs(str![[r#"
create.issue: {"title":"a","state":"closed","repo":"docs"}

"#]]);
    // What is not declared is not sent, although the source would take it.
    for name in ["repo", "draft"] {
        let sent = json!({"title": "a", name: "x"});
        let message = format!("new_issue: /{name}: not a parameter of this tool");
        call("new_issue", &sent)
            .status(65)
            .stderr_contains(&message);
    }
    for hidden in ["gh_list_labels", "gh_create_issue"] {
        call(hidden, &json!({})).status(127);
    }
}

#[test]
fn only_what_reads() {
    let scene = Scene::new(&declaring(ISSUES), ", read_only: true");
    let all = scene.discover().json();
    assert_eq!(names(&all), ["list_issues", "list_labels"]);
    let outcome = scene.call("create_issue");
    outcome.status(127);
}

#[test]
fn a_change_that_does_not_fit_is_said() {
    let changes = ", tools: {
        create.issue: {arguments: {hide: [repo]}}, list_issue: {hide: true},
        list_labels: {arguments: {fixed: {page: 1}}}}";
    let wrong = changes.replace(
        "hide: [repo]",
        "fixed: {repo: docs}, default: {draft: maybe}",
    );
    let scene = Scene::new(&declaring(ISSUES), &wrong);
    let verbose = scene.run("cogtools-discover").arg("--verbose").run();
    verbose.stderr_contains(
        "gives the argument `draft` a value that does not fit: expected boolean, got string \"maybe\"",
    );
    let scene = Scene::new(&declaring(ISSUES), changes);
    let outcome = scene.discover();
    let declared: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(names(&declared), ["list_issues"]);
    let printed = String::from_utf8_lossy(&outcome.stdout).into_owned();
    scene
        .run("cogtools-discover")
        .arg("--verbose")
        .run()
        .expect(0, printed, str![[r#"
cogtools-discover: 2 tools declared
cogtools-discover: warning[INVALID_CONFIG]: `tools` of the source `other` hides the argument `repo`, which every call needs: give it under `fixed` (`create.issue`)
hint: correct it in the configuration; other tools are not affected
cogtools-discover: warning[INVALID_CONFIG]: `tools` of the source `other` changes the argument `page`, which there is not (`list_labels`)
hint: correct it in the configuration; other tools are not affected
cogtools-discover: warning[INVALID_CONFIG]: `tools` of the source `other` changes `list_issue`, which the source does not declare
hint: correct it in the configuration; other tools are not affected

"#]]);
}

#[test]
fn pinned_tools_are_declared_first() {
    let scene = Scene::new(&declaring(ISSUES), ", tools: {create.issue: {pin: true}}");
    let list = scene.run("cogtools-list").args(["--max-tools", "3"]);
    list.run().outputs(str![[r#"
NAME          TOOLSET  SOURCE  FILE                 TOKENS  NOTES
create_issue  other    other   other: create.issue      68  pinned
list_issues   other    other   other: list_issues       22  left to find_tool: it does not fit the budget
list_labels   other    other   other: list_labels       22  left to find_tool: it does not fit the budget
ok                     tools   tools/ok.yaml            31  left to find_tool: it does not fit the budget

4 tools, about 143 tokens; with the budget 3 declarations, about 282 tokens with every request

"#]]);
    let outcome = scene
        .run("cogtools-discover")
        .args(["--max-tools", "3"])
        .run();
    let declared = outcome.json();
    assert_eq!(names(&declared), ["create_issue", "find_tool", "call_tool"]);
}

#[test]
fn tools_that_are_called_are_declared_before_small_ones() {
    let scene = Scene::new(&declaring(ISSUES), "");
    scene.project.file(".cogtoolrc.yaml", "budget: 350\n");
    let names_of = || {
        let outcome = scene
            .run("cogtools-discover")
            .args(["--max-tools", "3"])
            .run();
        names(&outcome.json()).join(" ")
    };
    assert_eq!(names_of(), "list_issues find_tool call_tool");
    let call = scene.run("cogtools-call").arg("create_issue");
    call.stdin(json!({"title": "a", "state": "b", "repo": "c"}))
        .run()
        .status(0);
    assert_eq!(names_of(), "create_issue find_tool call_tool");
    let list = scene.run("cogtools-list").args(["--max-tools", "3"]);
    list.run().outputs(str![[r#"
NAME          TOOLSET  SOURCE  FILE                 TOKENS  NOTES
create_issue  other    other   other: create.issue      68  kept: called 1 time
list_issues   other    other   other: list_issues       22  left to find_tool: it does not fit the budget
list_labels   other    other   other: list_labels       22  left to find_tool: it does not fit the budget
ok                     tools   tools/ok.yaml            31  left to find_tool: it does not fit the budget

4 tools, about 143 tokens; with the budget 3 declarations, about 282 tokens with every request

"#]]);
}

#[test]
fn an_approval_covers_the_changes() {
    let scene = Scene::new(&declaring(ISSUES), "");
    let project = &scene.project;
    let configure = |tools: &str| {
        let home = project.home().display().to_string();
        let text = format!(
            "tool_sources:\n  - command: {{discover: [{home}/p], call: [{home}/p, call], name: gh, tools: {{{tools}}}}}\n"
        );
        project.file(".cogtoolrc.yaml", text);
    };
    let call = || {
        let call = run("cogtools-call", project).arg("create_issue");
        call.stdin(json!({"title": "a", "state": "b", "repo": "c"}))
            .run()
    };
    configure("");
    let trust = || run("cogtools-trust", project).args(["--yes", "gh"]).run();
    trust().succeeds();
    call().outputs(str![[r#"
create.issue: {"title":"a","state":"b","repo":"c"}

"#]]);
    configure("create.issue: {arguments: {fixed: {draft: true}}}");
    call()
        .status(127)
        .stderr_contains("has changed since it was approved");
    let line = r#"changes   'create.issue: {"arguments":{"fixed":{"draft":true}}}'"#;
    trust().succeeds().stdout_contains(line);
    call().outputs(str![[r#"
create.issue: {"title":"a","state":"b","repo":"c","draft":true}

"#]]);
}

#[test]
fn the_words_of_a_configuration_hide_nothing() {
    let changes = ", tools: {list_labels: {description: \"Lists\\u200b all\"}}";
    let scene = Scene::new(&declaring(ISSUES), changes);
    let outcome = scene.discover();
    outcome.stderr_contains("hides characters");
    let declared: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    let text = declared.to_string();
    assert!(
        text.contains("Lists all") && !text.contains('\u{200b}'),
        "{text}"
    );
}

#[test]
fn a_name_that_is_none_is_reported_at_its_place() {
    let scene = Scene::new(&declaring(ISSUES), ", tools: {list_labels: {rename: a b}}");
    let outcome = scene.discover();
    outcome.stderr_contains("the name of a tool");
}

#[test]
fn a_list_shows_what_a_small_budget_has_no_room_for() {
    let scene = Scene::new(&declaring(ISSUES), "");
    scene.project.file(".cogtoolrc.yaml", "budget: 20\n");
    let list = || scene.run("cogtools-list");
    list()
        .run()
        .status(0)
        .stderr_contains("a budget of 20 tokens is too small");
    list().args(["--budget", "20"]).run().status(2);
}

#[test]
fn a_schema_that_speaks_of_several_arguments() {
    let tools = r#"[{"name": "get", "description": "d", "inputSchema": {"type": "object", "properties": {
        "id": {"type": "string"}, "url": {"type": "string"}, "page": {"type": "integer"}},
        "required": ["id"], "minProperties": 1, "anyOf": [{"required": ["id"]}, {"required": ["title"]}],
        "not": {"required": ["page", "url"]}}}]"#;
    for (given, sent) in [
        ("fixed", "{\"page\":1,\"id\":\"a\"}"),
        ("default", "{\"page\":1,\"id\":\"a\"}"),
    ] {
        let changes = format!(", tools: {{get: {{arguments: {{{given}: {{id: a}}}}}}}}");
        let scene = Scene::new(&declaring(tools), &changes);
        let schema = &scene.discover().json()[0]["parametersJsonSchema"];
        for gone in ["anyOf", "minProperties", "required"] {
            assert_eq!(schema[gone], Value::Null, "{given}: {schema}");
        }
        let call = |arguments: Value| scene.run("cogtools-call").arg("get").stdin(arguments).run();
        call(json!({"page": 1})).outputs(format!("get: {sent}\n"));
        call(json!({"page": 1, "url": "u"})).status(65);
    }
}
