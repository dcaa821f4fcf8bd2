//! The project's own tools, checked by the project's own rules.

use std::fs;
use std::path::Path;

use cogtools_test_support::{Project, Run, str};

use crate::layout::{files, list, read};
use crate::run;

/// Our own tool files, read without our programs.
fn tools() -> Vec<serde_yaml::Value> {
    let folder = crate::repository().join("tools");
    let entries = fs::read_dir(folder).expect("our tools can be listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_tool = |path: &Path| {
        let name = path.to_string_lossy();
        name.ends_with(".yaml") && !name.ends_with(".evals.yaml")
    };
    let files = paths.filter(|path| is_tool(path));
    let tools = files.map(|path| {
        let text = fs::read_to_string(&path).expect("a tool file is text");
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let tools: Vec<_> = tools.collect();
    assert!(!tools.is_empty(), "we have no tools");
    tools
}

#[test]
fn the_table_in_gemini_md_is_current() {
    Run::new(crate::programs().join("cogtools-docs"))
        .project(&Project::new())
        .arg("--check")
        .cwd(crate::repository())
        .run()
        .outputs(str![[r#"
unchanged GEMINI.md

"#]]);
}

#[test]
fn our_tools_have_no_findings() {
    Run::new(crate::programs().join("cogtools-lint"))
        .project(&Project::new())
        .arg("--deny-warnings")
        .cwd(crate::repository())
        .run()
        .outputs(format!("{} files: nothing to report\n", tools().len()));
}

/// A host sends all declarations with every request.
#[test]
fn our_tools_cost_at_most_4500_tokens() {
    let outcome = Run::new(crate::programs().join("cogtools-list"))
        .project(&Project::new())
        .args(["--format", "json"])
        .cwd(crate::repository())
        .limit(std::time::Duration::from_mins(1))
        .run();
    let report = outcome.json();
    let listed = report["tools"].as_array().expect("the report has tools");
    assert_eq!(listed.len(), tools().len(), "not all tools are listed");
    let costs = listed.iter().map(|tool| tool["tokens"].as_u64());
    let total: u64 = costs
        .map(|cost| cost.expect("a tool has a number of tokens"))
        .sum();
    assert!(total <= 4500, "our tools cost {total} tokens");
}

#[test]
fn our_tools_have_an_example_with_objections() {
    for tool in tools() {
        let name = tool["name"].as_str().expect("a tool has a name");
        let examples = tool["examples"].as_sequence().expect("a tool has examples");
        let goldens = (1..=examples.len()).map(|number| {
            let golden = format!("tools/{name}.{number}.golden");
            fs::read_to_string(crate::repository().join(golden)).expect("a golden file is text")
        });
        let (objecting, content): (Vec<_>, Vec<_>) = goldens
            .partition(|golden| golden.contains("## Objections") || golden.contains("## Not done"));
        assert!(!content.is_empty(), "{name} always objects");
        assert!(
            name == "facepalm" || !objecting.is_empty(),
            "{name} never objects"
        );
    }
}

#[test]
fn the_page_about_our_tools_names_them_all_and_shows_real_results() {
    let read = |file: &str| fs::read_to_string(crate::repository().join(file)).expect("a text");
    let page = read("docs/how-to/think-with-the-tools.md");
    for tool in tools() {
        let name = tool["name"].as_str().expect("a tool has a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name} has no row");
    }
    let blocks = page.split("```markdown\n").skip(1);
    let shown: Vec<_> = blocks
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    let done = read("tools/definition_of_done.3.golden");
    let verdict = done.find("## Not done").expect("the example is not done");
    let rendered = read("tools/loop_breaker.1.golden");
    assert_eq!(shown, [&done[verdict..], &rendered]);
}

#[test]
fn the_table_is_the_same_for_all_programs() {
    let project = Project::new();
    let tool = "name: mine\ndescription: Nobody else has it\nimplementation: mine\n";
    project
        .file(".cogtoolrc.yaml", "")
        .file("tools/ours.yaml", tool.replace("mine", "ours"))
        .file("../home/.gemini/tools/mine.yaml", tool)
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            "tool_sources:\n  - local: ./tools\n",
        );
    run("cogtools-docs", &project)
        .arg("--print")
        .run()
        .outputs(str![[r#"
| Tool | What it is for | Arguments |
|---|---|---|
| `ours` | Nobody else has it |  |

"#]]);
}

#[test]
fn our_tools_match_their_golden_files() {
    let outcome = Run::new(crate::programs().join("cogtools-test"))
        .project(&Project::new())
        .args(["--format", "json", "--spawn"])
        .cwd(crate::repository())
        .limit(std::time::Duration::from_mins(1))
        .run();
    let report = outcome.json();
    let tools = tools();
    let examples = tools.iter().map(|tool| tool["examples"].as_sequence());
    let summary = serde_json::json!({
        "tools": tools.len(),
        "examples": examples.flatten().map(Vec::len).sum::<usize>(),
        "failures": 0,
        "without_examples": 0,
        "written": 0,
        "removed": 0,
    });
    assert_eq!(report["summary"], summary);
}

/// Checks all tools of a project, and calls each with each of its examples.
#[track_caller]
fn tools_work(project: &Project) {
    run("cogtools-discover", project)
        .arg("--strict")
        .run()
        .json();
    let declared = run("cogtools-discover", project)
        .arg("--format=anthropic")
        .run()
        .json();
    let declared = declared.as_array().expect("a list of tools");
    assert!(!declared.is_empty(), "there is no tool");
    for tool in declared {
        let name = tool["name"].as_str().expect("a tool has a name");
        assert!(tool["input_examples"].is_array(), "{name} has no example");
        for example in list(tool, "input_examples") {
            let text = run("cogtools-call", project)
                .arg(name)
                .stdin(example)
                .run()
                .text();
            assert!(!text.trim().is_empty(), "{name} says nothing to {example}");
        }
    }
}

#[test]
fn our_own_tools_work() {
    let project = Project::new();
    for file in files("yaml")
        .iter()
        .filter(|file| file.starts_with("tools"))
    {
        project.file(file, read(file));
    }
    tools_work(&project);
}

#[test]
fn tools_that_init_writes_work() {
    let project = Project::new();
    let init = run("cogtools-init", &project)
        .args(["--non-interactive", "--defaults"])
        .run();
    init.succeeds();
    tools_work(&project);
}
