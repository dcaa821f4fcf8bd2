//! Curated tools and a mirrored API, measured: twenty tasks over GitHub, and a chooser that compares
//! words.

use cogtools_test_support::{Project, Run, assert_text, str};
use serde_json::{Map, Value, json};

use super::specifications::{LIMIT, SPECIFICATIONS, Specification};
use crate::{repository, run};

/// A task, the operation that it needs, and a description of it for people.
const TASKS: [(&str, &str, &str); 20] = [
    (
        "Which bugs are open in rust-lang/cargo?",
        "issues/list-for-repo",
        "List the open issues (bugs, questions, requests) of a repository",
    ),
    (
        "Report in rust-lang/cargo that \"it crashes\"",
        "issues/create",
        "Open a new issue: report a bug or ask for a feature",
    ),
    (
        "Answer \"fixed\" in issue #12 of rust-lang/cargo",
        "issues/create-comment",
        "Answer in an issue or a pull request: add a comment",
    ),
    (
        "Mark issue #12 of rust-lang/cargo as \"bug\"",
        "issues/add-labels",
        "Mark an issue with labels",
    ),
    (
        "Which pull requests wait in rust-lang/cargo?",
        "pulls/list",
        "List the pull requests that wait for a review",
    ),
    (
        "Show pull request #7 of rust-lang/cargo",
        "pulls/get",
        "Show a pull request: its title, state, branches",
    ),
    (
        "Which files does pull request #7 of rust-lang/cargo change?",
        "pulls/list-files",
        "List the files that a pull request changes, with their diffs",
    ),
    (
        "Merge pull request #7 of rust-lang/cargo",
        "pulls/merge",
        "Merge a pull request",
    ),
    (
        "What is the newest version of rust-lang/cargo?",
        "repos/get-latest-release",
        "Get the newest version of a repository: its latest release",
    ),
    (
        "Which branches does rust-lang/cargo have?",
        "repos/list-branches",
        "List the branches of a repository",
    ),
    (
        "Who changed rust-lang/cargo last, and what?",
        "repos/list-commits",
        "List the last changes (commits) of a repository: who, when, what",
    ),
    (
        "Read \"README.md\" in rust-lang/cargo",
        "repos/get-content",
        "Read a file or a folder of a repository",
    ),
    (
        "Who has written rust-lang/cargo?",
        "repos/list-contributors",
        "List who has written the code of a repository, by commits",
    ),
    (
        "In which languages is rust-lang/cargo written?",
        "repos/list-languages",
        "List the programming languages that a repository is written in",
    ),
    (
        "Copy rust-lang/cargo to my account",
        "repos/create-fork",
        "Copy a repository to your own account (a fork)",
    ),
    (
        "Did CI pass in rust-lang/cargo?",
        "actions/list-workflow-runs-for-repo",
        "List the last runs of CI, and if they did pass or fail",
    ),
    (
        "Start the CI run 345 of rust-lang/cargo again",
        "actions/re-run-workflow",
        "Start a run of CI again",
    ),
    (
        "Find code that calls \"fork()\"",
        "search/code",
        "Find code on all of GitHub by a text, such as a call",
    ),
    (
        "Find issues anywhere about \"memory leak\"",
        "search/issues-and-pull-requests",
        "Find issues and pull requests anywhere by a text",
    ),
    (
        "Who is the user \"torvalds\"?",
        "users/get-by-username",
        "Show who a user is: name, company, place",
    ),
];

/// The name of the tool of an operation.
fn name(operation: &str) -> String {
    operation.replace('/', "_")
}

/// The tasks that the chooser does with these options of the source, and the tokens of a request.
fn measured(text: &str, options: &Value) -> String {
    let case = |(index, (task, operation, _)): (usize, &(&str, &str, &str))| {
        let calls = json!([{"tool": name(operation)}]);
        json!({
            "name": format!("task-{index}"), "task": task,
            "with": {name(operation): "ok"}, "expect": {"calls": calls, "order": "exact"},
        })
    };
    let cases: Vec<Value> = TASKS.iter().enumerate().map(case).collect();
    let mut source = json!({"file": "api.json"});
    source
        .as_object_mut()
        .expect("options")
        .extend(options.as_object().cloned().expect("options"));
    let config = json!({"tool_sources": [{"openapi": source}]});
    let project = Project::new();
    project
        .file("api.json", text)
        .file(".cogtoolrc.yaml", config.to_string())
        .file(
            "evals/github.yaml",
            json!({"trials": 1, "cases": cases}).to_string(),
        );
    let chooser = repository().join("tests/sdk/chooser.py");
    let command = format!("python3 '{}'", chooser.display());
    let run: Run =
        run("cogtools-eval", &project).args(["--model-command", &command, "--json", "--jobs", "2"]);
    let outcome = run.limit(LIMIT).run();
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&outcome.stderr)));
    let summary = &report["summary"];
    assert_eq!(summary["errors"], 0, "{report}");
    let tokens = summary["tokens"].as_u64().expect("a number")
        / summary["trials"].as_u64().expect("a number");
    format!(
        "{} of {}, {tokens} tokens a task\n",
        summary["passed"], summary["trials"]
    )
}

#[test]
fn curated_tools_are_chosen_more_often_and_cost_less() {
    let specification = SPECIFICATIONS.iter().find(|it| it.name == "github");
    let text = specification.map(Specification::text).expect("one of them");
    let include = TASKS.map(|(_, operation, _)| operation);
    let described = TASKS.map(|(_, operation, description)| {
        (operation.to_owned(), json!({"description": description}))
    });
    let described: Map<String, Value> = described.into_iter().collect();
    let figures = [
        measured(&text, &json!({})),
        measured(&text, &json!({"include": include})),
        measured(&text, &json!({"include": include, "overrides": described})),
    ];
    assert_text(
        figures.concat(),
        str![[r#"
4 of 20, 632390 tokens a task
10 of 20, 14028 tokens a task
18 of 20, 14298 tokens a task

"#]],
    );
}
