//! Skills and plugins of the tools of all servers, and the cost of a hundred of them on each road.

use cogtools_core::estimate_tokens;
use cogtools_test_support::{Project, assert_text};
use serde_json::{Value, json};

use super::Scene;
use crate::validators::shipped;
use crate::{repository, run};

/// All servers have at least so many tools.
const MOST: usize = 447;
/// The task whose tool the model looks for, and that tool.
const TASK: &str = "read a text file";
const TOOL: &str = "filesystem_read_text_file";

/// A project with the first `most` of the tools as files, without their servers.
fn project(scene: &Scene, most: usize) -> Project {
    let discover = scene.run("cogtools-discover").run();
    let tools: Value = serde_json::from_slice(&discover.status(0).stdout).expect("JSON");
    let tools = tools.as_array().expect("tools");
    let project = Project::new();
    project.dir(".git");
    for tool in tools.iter().take(most) {
        let name = tool["name"].as_str().expect("a name");
        let file = json!({
            "name": name, "description": tool["description"], "implementation": "x",
            "parameters_schema": tool.get("parameters").unwrap_or(&json!({"type": "object"})),
        });
        project.file(format!("tools/{name}.yaml"), file.to_string());
    }
    project
}

#[test]
fn skills_of_every_tool_are_valid() {
    let scene = Scene::shared();
    scene.run("cogtools-skill").run().status(0);
    let skills = scene.project.path(".agents/skills");
    assert!(shipped::are_skills(&skills) > 0);
    let references = scene.project.files().into_iter().filter(|file| {
        let is_reference = file
            .components()
            .any(|part| part.as_os_str() == "references");
        is_reference && !file.ends_with("all.tools.md")
    });
    let count = references.count();
    assert!(count >= MOST, "{count}");
    let project = project(&scene, count);
    shipped::is_valid(&project);
    let references = project.path("dist/skills/shipped/references");
    let count = references.read_dir().expect("references").count();
    assert!(count >= MOST, "{count}");
}

/// The estimated tokens of the declarations of `project`.
fn declared(project: &Project, args: &[&str]) -> usize {
    let discover = run("cogtools-discover", project).args(["--format", "anthropic"]);
    let tools = discover.args(args).run().json();
    let tools = tools.as_array().expect("tools").iter();
    tools.map(|tool| estimate_tokens(&tool.to_string())).sum()
}

#[test]
fn the_table_of_costs_is_measured() {
    let scene = Scene::shared();
    let project = project(&scene, 100);
    run("cogtools-skill", &project).run().status(0);
    let skill = ".agents/skills/project-tools";
    let body = project.read(format!("{skill}/SKILL.md"));
    let front: Vec<&str> = body.lines().skip(1).take(2).collect();
    let listed = estimate_tokens(&front.join("\n"));
    let overview = format!("{skill}/references/all.tools.md");
    let read = [
        format!("{skill}/SKILL.md"),
        overview,
        format!("{skill}/references/{TOOL}.md"),
    ];
    let read = read.iter().filter(|file| project.path(file).exists());
    let read: usize = read.map(|file| estimate_tokens(&project.read(file))).sum();
    let query = json!({"query": TASK});
    let found = run("cogtools-call", &project)
        .arg("find_tool")
        .stdin(&query)
        .run()
        .text();
    assert!(found.contains(TOOL), "{found}");
    let found = estimate_tokens(&query.to_string()) + estimate_tokens(&found);
    let all = declared(&project, &[]);
    let two = declared(&project, &["--budget", "250"]);
    let rows = [
        ("the server", all, 0),
        (
            "the server with the smallest budget: `find_tool`",
            two,
            found,
        ),
        ("a skill", listed, read),
        ("a plugin in a host that starts its server", all + listed, 0),
    ];
    let rows = rows.map(|(road, always, once)| format!("| {road} | {always} | {once} |\n"));
    let head = "| road | with every request | to find one tool |\n|---|---|---|\n";
    let table = format!("{head}{}", rows.concat());
    let file = "docs/how-to/many-tools.md";
    let text = std::fs::read_to_string(repository().join(file)).expect("the document");
    let begin = text.find(head).unwrap_or_default();
    let lines = text[begin..].lines().take(2 + rows.len());
    let held = lines.fold(String::new(), |all, line| all + line + "\n");
    assert_text(table, held);
}
