//! Which tools are selected: by options, by configuration, for one host.

use cogtools_test_support::{Outcome, Project, Run, str};
use serde_json::Value;

use crate::run;

const SOURCES: &str = "tool_sources: [{local: tools}, {local: more}]\n";

const FILES: [&str; 7] = [
    "tools/plain.yaml",
    "tools/git/git_add.yaml",
    "tools/git/git_push.yaml",
    "tools/git/hooks/git_hook.yaml",
    "tools/gitlab/lab.yaml",
    "more/git/git_add.yaml",
    "more/git/git_tag.yaml",
];

/// Tools in two sources, two toolsets of which share a name.
fn project(configuration: &str) -> Project {
    let project = Project::new();
    for file in FILES {
        let name = stem(file);
        let text = format!("name: {name}\ndescription: d\nimplementation: {file}\n");
        project.file(file, text);
    }
    project.file(".cogtoolrc.yaml", format!("{SOURCES}{configuration}"));
    project
}

fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.trim_end_matches(".yaml")
}

/// The names that a program prints, with spaces between them.
#[track_caller]
fn names(run: Run) -> String {
    let outcome = run.run();
    outcome.stderr_is("");
    printed_names(&outcome)
}

/// The names in the output, with spaces between them.
#[track_caller]
fn printed_names(outcome: &Outcome) -> String {
    let json: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    let tools = json.get("tools").unwrap_or(&json).as_array().cloned();
    let tools = tools.unwrap_or_default();
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap_or_default());
    names.collect::<Vec<_>>().join(" ")
}

/// Patterns that match nothing, with their key and the hint.
const MISSPELT: [(&str, &str, &str); 2] = [
    ("Lab", "tools", "did you mean `lab`?"),
    (
        "nosuch",
        "exclude",
        "correct it, or remove it from `exclude`",
    ),
];

/// The list that both `discover` and `list` print; every tool in it, and no
/// other, can be called.
#[track_caller]
fn check(configuration: &str, options: &[&str], expected: &str) {
    const ALL: [&str; 6] = ["plain", "git_add", "git_push", "git_hook", "lab", "git_tag"];
    let project = project(configuration);
    let with = |program: &str| run(program, &project).args(options);
    for program in ["cogtools-discover", "cogtools-list"] {
        let json = (program == "cogtools-list").then_some("--json");
        let outcome = with(program).args(json).run();
        assert_eq!(printed_names(&outcome), expected, "{options:?}");
        let misspelt = MISSPELT.iter().find(|(name, ..)| options.contains(name));
        outcome.stderr_is(misspelt.map_or_else(String::new, |(name, key, hint)| {
            format!("{program}: warning[INVALID_CONFIG]: the pattern `{name}` in `{key}` of a filter matches no tool\nhint: {hint}\n")
        }));
    }
    for name in ALL {
        let called = with("cogtools-call").arg(name).run();
        if expected.split(' ').any(|there| there == name) {
            called.succeeds();
        } else {
            called.status(127).stdout_is("");
            assert_filtered_out(&called, name);
        }
    }
}

/// Asserts the message and its first hint; suggestions of other names may follow.
#[track_caller]
fn assert_filtered_out(called: &Outcome, name: &str) {
    let file = FILES.iter().find(|file| stem(file) == name);
    let stderr = String::from_utf8_lossy(&called.stderr);
    let lines: Vec<&str> = stderr.lines().take(2).collect();
    let expected = [
        format!("cogtools-call: error[TOOL_NOT_FOUND]: {name}: no such tool"),
        format!(
            "hint: a filter excludes `{}`: an option such as --exclude, or `filter` or `hosts` in \
             the configuration",
            file.unwrap_or(&name)
        ),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn by_options() {
    let all = "plain git_add git_push git_hook lab git_tag";
    for (options, expected) in [
        (&[][..], all),
        (&["--tools", "lab"], "lab"),
        (&["--tools", "lab,plain"], "plain lab"),
        (&["--tools", "lab", "--tools=plain"], "plain lab"),
        (&["--tools", "git_*"], "git_add git_push git_hook git_tag"),
        (&["--tools", "git_ad?"], "git_add"),
        (&["--tools", "Lab"], ""),
        (&["--tools", "*", "--exclude", "*_*"], "plain lab"),
        (&["--exclude", "nosuch"], all),
        (&["--exclude", "*"], ""),
        (&["--toolset", "git"], "git_add git_push git_hook git_tag"),
        (&["--toolset", "git/hooks"], "git_hook"),
        (
            &["--toolset", "git*"],
            "git_add git_push git_hook lab git_tag",
        ),
        (&["--toolset", "*/hooks,gitlab"], "git_hook lab"),
        (
            &["--toolset", "git", "--exclude", "git_push"],
            "git_add git_hook git_tag",
        ),
        (&["--toolset", "git", "--tools", "plain"], ""),
    ] {
        check("", options, expected);
    }
}

#[test]
fn by_configuration() {
    for (configuration, options, expected) in [
        ("filter: {tools: [lab]}\n", &[][..], "lab"),
        ("filter: {tools: []}\n", &["--tools", "lab"], "lab"),
        (
            "filter: {toolsets: [git], exclude: ['git_h*']}\n",
            &[],
            "git_add git_push git_tag",
        ),
        // An option replaces the same key, and leaves the others.
        ("filter: {tools: [lab]}\n", &["--tools", "plain"], "plain"),
        (
            "filter: {exclude: [lab]}\n",
            &["--tools", "lab,plain"],
            "plain",
        ),
        // The filter of a host applies in addition to the one for all.
        (
            "filter: {exclude: [lab]}\nhosts: {gemini: {tools: [lab, plain]}}\n",
            &["--host", "gemini"],
            "plain",
        ),
        (
            "hosts: {mcp: {toolsets: [git]}}\n",
            &["--host", "mcp", "--exclude", "*_push"],
            "git_add git_hook git_tag",
        ),
        (
            "hosts: {mcp: {tools: [lab]}}\n",
            &["--host", "openai"],
            "plain git_add git_push git_hook lab git_tag",
        ),
    ] {
        check(configuration, options, expected);
    }
}

#[test]
fn the_format_of_discovery_implies_the_host() {
    let project = project("hosts:\n  gemini: {tools: [plain]}\n  mcp: {tools: [lab]}\n");
    let discover = |options: &[&str]| names(run("cogtools-discover", &project).args(options));
    assert_eq!(discover(&[]), "plain");
    assert_eq!(discover(&["--format", "mcp"]), "lab");
    assert_eq!(discover(&["--format", "mcp", "--host", "gemini"]), "plain");
    // A call knows its host only from `--host`, and rejects none otherwise.
    let call = |options: &[&str]| {
        run("cogtools-call", &project)
            .args(options)
            .arg("lab")
            .run()
    };
    call(&[]).outputs(str!["tools/gitlab/lab.yaml"]);
    call(&["--host", "mcp"]).outputs(str!["tools/gitlab/lab.yaml"]);
    call(&["--host", "gemini"]).fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: lab: no such tool
hint: a filter excludes `tools/gitlab/lab.yaml`: an option such as --exclude, or `filter` or `hosts` in the configuration
hint: cogtools-discover lists all tools

"#]],
    );
}

/// A host that takes so many tools: `list` says so, and a limit leaves a search for the others.
#[test]
fn a_host_has_a_number_of_tools() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "hosts: {mcp: {exclude: [t101]}}\n");
    let add = |number: usize| {
        let text = format!("name: t{number}\ndescription: d\nimplementation: x\n");
        project.file(format!("tools/t{number}.yaml"), text);
    };
    (1..=101).for_each(add);
    let list = |host: &str| {
        run("cogtools-list", &project)
            .args(["--json", "--host", host])
            .run()
    };
    for host in ["antigravity", "claude-code", "mcp"] {
        list(host).status(0).stderr_is("");
    }
    add(102);
    list("claude-code").stderr_is("");
    list("antigravity").status(0).stderr_is(str![[r#"
cogtools-list: warning[INVALID_CONFIG]: Antigravity takes at most 100 tools of all servers, and here are 101
hint: cogtools mcp --max-tools 100 serves the first, and finds the others
hint: cogtools skill describes all of them to agents that have a shell

"#]]);
    let discover = |options: &[&str]| names(run("cogtools-discover", &project).args(options));
    assert_eq!(discover(&["--max-tools", "102"]).split(' ').count(), 102);
    assert_eq!(discover(&["--max-tools", "3"]), "t1 find_tool call_tool");
    assert_eq!(
        discover(&["--max-tools", "3", "--budget", "230"]),
        "find_tool call_tool"
    );
    let too_few = run("cogtools-discover", &project).args(["--max-tools", "1"]);
    too_few.run().status(2);
}

#[test]
fn variables_filter_too() {
    let project = project("filter: {tools: [plain, lab]}\n");
    let with = |name: &str, value: &str| names(run("cogtools-discover", &project).env(name, value));
    assert_eq!(with("COGTOOLS_TOOLS", "lab, git_t*"), "lab");
    assert_eq!(with("COGTOOLS_EXCLUDE", "plain, other"), "lab");
    assert_eq!(with("COGTOOLS_TOOLSETS", "git"), "");
}

/// A name means one tool, whatever the filter: a call runs the declared tool.
#[test]
fn a_filter_brings_nothing_back() {
    let project = project("hosts: {mcp: {toolsets: [git]}}\n");
    let text = "name: git_tag\ndescription: d\nimplementation: first\n";
    project.file("tools/git_tag.yaml", text);
    let discover = run("cogtools-discover", &project).args(["--format", "mcp"]);
    assert_eq!(names(discover), "git_add git_push git_hook");
    let call = run("cogtools-call", &project).arg("git_tag").run();
    call.outputs(str!["first"]);
}

#[test]
fn omitted_tools_are_counted() {
    let project = project("");
    run("cogtools-discover", &project)
        .args(["--verbose", "--tools", "nosuch"])
        .run()
        .expect(
            0,
            str![[r#"
[]

"#]],
            str![[r#"
cogtools-discover: more/git/git_add.yaml is shadowed by tools/git/git_add.yaml
cogtools-discover: 0 tools declared, 6 excluded by a filter
cogtools-discover: warning[INVALID_CONFIG]: the pattern `nosuch` in `tools` of a filter matches no tool
hint: correct it, or remove it from `tools`

"#]],
        );
    run("cogtools-list", &project)
        .args(["--tools", "nosuch"])
        .run()
        .expect(
            0,
            "",
            str![[r#"
cogtools-list: warning[INVALID_CONFIG]: the pattern `nosuch` in `tools` of a filter matches no tool
hint: correct it, or remove it from `tools`
cogtools-list: warning[TOOL_NOT_FOUND]: a filter excludes all tools: 6 tools
hint: filters are set by --tools, --exclude, --toolset or --host, or by the configuration

"#]],
        );
    let nothing = serde_json::json!({"tools": [], "total_tokens": 0});
    let list = run("cogtools-list", &project).args(["--json", "--tools", "nosuch"]);
    let outcome = list.run();
    outcome.stderr_is(str![[r#"
cogtools-list: warning[INVALID_CONFIG]: the pattern `nosuch` in `tools` of a filter matches no tool
hint: correct it, or remove it from `tools`

"#]]);
    let printed: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(printed, nothing);
}
