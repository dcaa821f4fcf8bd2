//! Too many tools: a budget, and the two tools that find and call the others.

mod model;

use cogtools_core::estimate_tokens;
use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::run;

/// A project with this number of tools, each of which prints its number.
fn many(count: usize) -> Project {
    let project = Project::new();
    for number in 1..=count {
        let name = format!("tool_{number:03}");
        let topic = ["rivers", "mountains", "cities"][number % 3];
        project.file(
            format!("tools/{name}.yaml"),
            format!(
                "name: {name}\ndescription: Tells fact {number} on {topic}\nparameters:\n  \
                 tone: {{type: string, description: How it is told, enum: [dry, warm]}}\n\
                 implementation: \"Fact {number}, {{{{ tone }}}}.\"\n"
            ),
        );
    }
    project
}

fn names(project: &Project, args: &[&str]) -> Vec<String> {
    let declared = run("cogtools-discover", project).args(args).run().json();
    let declared = declared.as_array().expect("a list").iter();
    let names = declared.map(|tool| tool["name"].as_str().expect("a name").to_owned());
    names.collect()
}

/// The cost of all declarations, estimated.
fn cost(project: &Project, args: &[&str]) -> usize {
    let args = [args, &["--format", "anthropic"]].concat();
    let declared = run("cogtools-discover", project).args(args).run().json();
    let tools = declared.as_array().expect("a list").iter();
    let tokens = tools.map(|tool| {
        let declaration = json!({
            "name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"],
        });
        estimate_tokens(&declaration.to_string())
    });
    tokens.sum()
}

#[test]
fn what_fits_is_declared() {
    let project = many(20);
    let all = run("cogtools-discover", &project).run().text();
    let whole = cost(&project, &[]);
    let budget = |tokens: usize| tokens.to_string();
    for enough in [whole, whole + 1, 1_000_000] {
        run("cogtools-discover", &project)
            .args(["--budget", &budget(enough)])
            .run()
            .outputs(&all);
    }
    for tokens in [whole - 1, whole / 2, 300] {
        let args = ["--budget", &budget(tokens)];
        let names = names(&project, &args);
        let (declared, index) = names.split_at(names.len() - 2);
        assert_eq!(index, ["find_tool", "call_tool"]);
        let first = (1..=declared.len()).map(|number| format!("tool_{number:03}"));
        assert_eq!(declared, first.collect::<Vec<_>>());
        let spent = cost(&project, &args);
        let next = cost(&project, &["--tools", "tool_020"]);
        assert!(
            spent <= tokens && tokens < spent + next,
            "{spent} of {tokens}"
        );
    }
    let least = cost(&project, &["--budget", "220", "--tools", "tool_*"]);
    let least = least.min(220);
    run("cogtools-discover", &project)
        .args(["--budget", "10"])
        .run()
        .fails(
            2,
            format!(
                "cogtools-discover: error[USAGE]: --budget: a budget of 10 tokens is too small: find_tool \
                 and call_tool, which find and call the tools that do not fit, cost {least}\n\
                 hint: the minimum here is {least}\n"
            ),
        );
}

#[test]
fn the_configuration_has_a_budget_too() {
    let project = many(20);
    let count = |args: &[&str]| names(&project, args).len();
    project.file(
        ".cogtoolrc.yaml",
        "budget: 300\nhosts: {openai: {budget: 100000}}\n",
    );
    let few = count(&[]);
    assert!(few < 20, "{few}");
    assert_eq!(count(&["--format", "anthropic"]), few);
    assert_eq!(count(&["--budget", "100000"]), 20);
    let listed = run("cogtools-discover", &project)
        .args(["--format", "openai"])
        .run()
        .json();
    assert_eq!(listed.as_array().map(Vec::len), Some(20));
    run("cogtools-discover", &project)
        .env("COGTOOLS_BUDGET", "1")
        .arg("--strict")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-discover: error[INVALID_CONFIG]: budget: a budget of 1 tokens is too small: find_tool and call_tool, which find and call the tools that do not fit, cost 214
hint: the minimum here is 214

"#]],
        );
    project.file(".cogtoolrc.yaml", "budget: lots\n");
    run("cogtools-discover", &project).arg("--strict").run().fails(
        78,
        str![[r#"
cogtools-discover: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:9: `budget` takes a whole number of tokens, not `lots`
   |
 1 | budget: lots
   |         ^^^^
hint: write `budget: 4000`

"#]],
    );
}

fn call(project: &Project, tool: &str, arguments: &Value) -> Outcome {
    run("cogtools-call", project)
        .arg(tool)
        .stdin(arguments)
        .run()
}

#[test]
fn tools_are_found() {
    let project = many(20);
    let found = |arguments: Value| call(&project, "find_tool", &arguments).json();
    let answer = found(json!({"query": "tool 7", "limit": 1}));
    let seven = json!({
        "name": "tool_007",
        "description": "Tells fact 7 on mountains",
        "parameters": {
            "type": "object",
            "properties": {
                "tone": {"type": "string", "description": "How it is told", "enum": ["dry", "warm"]},
            },
            "required": ["tone"],
        },
    });
    assert_eq!(answer["tools"][0]["name"], "tool_007");
    let answer = found(json!({"query": "montains", "limit": 50}));
    let names = |answer: &Value| -> Vec<String> {
        let tools = answer["tools"].as_array().expect("a list").iter();
        tools
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let expected = [1, 4, 7, 10, 13, 16, 19].map(|number| format!("tool_{number:03}"));
    assert_eq!(names(&answer), expected);
    assert_eq!(answer["tools"][2], seven);
    assert_eq!(answer["hint"], "call one with call_tool");
    let answer = found(json!({"query": "rivers"}));
    assert_eq!(names(&answer).len(), 5);
    assert_eq!(
        answer["hint"],
        "1 more match; use a higher limit or a more specific query"
    );
    call(&project, "find_tool", &json!({"query": "quux"})).outputs(
        str![[r#"
{"query": "quux", "tools": [], "hint": "none of 20 tools fits; try other words, or an empty query to list all"}

"#]],
    );
    assert_eq!(names(&found(json!({"query": "", "limit": 50}))).len(), 20);
    run("cogtools-call", &project)
        .args(["find_tool", "--exclude", "tool_00*"])
        .stdin(json!({"query": "tool 7", "limit": 50}))
        .run()
        .reads_all_input();
    let filtered = run("cogtools-call", &project)
        .args(["find_tool", "--tools", "tool_01?"])
        .stdin(json!({"query": "", "limit": 50}))
        .run()
        .json();
    assert_eq!(names(&filtered).len(), 10);
}

#[test]
fn a_call_through_call_tool_has_the_targets_timeout() {
    let project = Project::new();
    project
        .file(
            "tools/slow.yaml",
            "name: slow\ndescription: d\nparameters: {items: 'integer[]'}\ntimeout: 0.001\n\
             implementation: \"{% for a in items %}{{ a }}{% endfor %}\"\n",
        )
        .file(
            "tools/doze.yaml",
            "name: doze\ndescription: d\ntimeout: 0.2\nimplementation: {exec: [/bin/sleep, '30']}\n",
        );
    let items: Vec<u32> = (0..200_000).collect();
    for (name, arguments, time) in [
        ("slow", json!({"items": items}), "0.001"),
        ("doze", json!({}), "0.2"),
    ] {
        call(
            &project,
            "call_tool",
            &json!({"name": name, "arguments": arguments}),
        )
        .fails(
            124,
            format!(
                "cogtools-call: error[TIMEOUT]: {name}: the tool timed out after {time} s\n\
                 hint: send less, or give the tool more time with `timeout`\n"
            ),
        );
    }
}

#[test]
fn a_call_through_call_tool_is_a_call() {
    let project = many(5);
    for arguments in [
        json!({"tone": "dry"}),
        json!({"tone": "dry", "wait_for_previous": true}),
        json!({"tone": "angry"}),
        json!({"ton": "dry"}),
        json!({}),
    ] {
        let own = call(&project, "tool_003", &arguments);
        let through =
            json!({"name": "tool_003", "arguments": arguments, "wait_for_previous": false});
        let other = call(&project, "call_tool", &through);
        assert_eq!(own.stdout, other.stdout, "{arguments}");
        assert_eq!(own.stderr, other.stderr, "{arguments}");
        assert_eq!(own.status, other.status, "{arguments}");
    }
    call(&project, "call_tool", &json!({"name": "tool_03"})).fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: tool_03: no such tool
hint: did you mean `tool_003`, `tool_001` or `tool_002`?
hint: cogtools-discover lists all tools
hint: find_tool searches all tools

"#]],
    );
    call(&project, "call_tool", &json!({"arguments": {}})).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: call_tool: /name: required but missing
hint: send name (string): The name of the tool

"#]],
    );
    let inner = json!({"name": "find_tool", "arguments": {"query": "fact 2", "limit": 1}});
    let nested = json!({"name": "call_tool", "arguments": inner});
    let found = call(&project, "call_tool", &nested).json();
    assert_eq!(found["tools"][0]["name"], "tool_002");
    run("cogtools-call", &project)
        .args(["call_tool", "--exclude", "tool_003"])
        .stdin(json!({"name": "tool_003", "arguments": {"tone": "dry"}}))
        .run()
        .fails(
            127,
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: tool_003: no such tool
hint: a filter excludes `tools/tool_003.yaml`: an option such as --exclude, or `filter` or `hosts` in the configuration
hint: did you mean `tool_001`, `tool_002` or `tool_004`?
hint: cogtools-discover lists all tools
hint: find_tool searches all tools

"#]],
        );
}

#[test]
fn the_names_are_reserved() {
    let project = many(1);
    project.file(
        "tools/find_tool.yaml",
        "name: find_tool\ndescription: d\nimplementation: mine\n",
    );
    let outcome = run("cogtools-discover", &project).run();
    outcome.status(0).stderr_is(str![[r#"
cogtools-discover: warning[INVALID_TOOL]: tools/find_tool.yaml:1:7: `find_tool` is not a tool's name: cogtools has a built-in tool of that name
   |
 1 | name: find_tool
   |       ^^^^^^^^^
hint: use a name that every host accepts, such as `check_facts`

"#]]);
    let found = call(&project, "find_tool", &json!({"query": "fact"})).json();
    assert_eq!(found["tools"][0]["name"], "tool_001");
    project.remove("tools/find_tool.yaml");
    let listed = run("cogtools-list", &project).run().text();
    assert!(!listed.contains("find_tool"), "{listed}");
    let listed = run("cogtools-list", &project)
        .args(["--built-in", "--json"])
        .run()
        .json();
    let names: Vec<&Value> = listed["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|t| &t["name"])
        .collect();
    assert_eq!(names, ["tool_001", "find_tool", "call_tool"]);
    assert_eq!(listed["tools"][1]["source"], "(built in)");
}
