//! Scripts beside a tool that an interpreter runs: `{{ tool_dir }}`, and `./` in a package.

use cogtools_test_support::{Outcome, Project};
use serde_json::json;

use crate::packages::depend_on_pk;
use crate::run;

fn call(project: &Project, tool: &str, arguments: &serde_json::Value) -> Outcome {
    run("cogtools-call", project)
        .arg(tool)
        .stdin(arguments.to_string())
        .run()
}

fn tool(name: &str, exec: &str) -> String {
    format!(
        "name: {name}\ndescription: Says where\nparameters:\n  who: {{type: string, description: \
         Who, default: Ada}}\nimplementation: {{exec: {exec}}}\n"
    )
}

#[test]
fn a_tool_runs_a_script_beside_it() {
    let project = Project::new();
    let text = tool("say", r#"[sh, "{{ tool_dir }}/say.sh", "{{ who }}"]"#);
    project
        .file("tools/say.yaml", text)
        .file("tools/say.sh", "echo \"tool: $1\"\n");
    call(&project, "say", &json!({})).outputs("tool: Ada\n");
    let linted = run("cogtools-lint", &project).arg("tools/say.yaml").run();
    let linted = String::from_utf8_lossy(&linted.stdout).into_owned();
    for rule in ["program-from-argument", "undeclared-variable"] {
        assert!(!linted.contains(rule), "{linted}");
    }
    // A declared parameter of that name is one.
    let text = "name: own\ndescription: Says where\nparameters:\n  tool_dir: {type: string, \
                description: A folder}\nimplementation: {exec: [echo, \"{{ tool_dir }}\"]}\n";
    project.file("tools/own.yaml", text);
    call(&project, "own", &json!({"tool_dir": "mine"})).outputs("mine\n");
}

#[test]
fn an_argument_of_a_caller_is_not_the_folder() {
    let project = Project::new();
    let text = "name: open\ndescription: Says where\nparameters_schema: {type: object, \
                additionalProperties: true}\nimplementation: {exec: [sh, \"{{ tool_dir \
                }}/say.sh\"]}\n";
    project
        .file("tools/open.yaml", text)
        .file("tools/say.sh", "echo tool\n")
        .file("evil/say.sh", "echo evil\n");
    let evil = project.path("evil").display().to_string();
    call(&project, "open", &json!({"tool_dir": evil})).outputs("tool\n");
}

#[test]
fn a_package_ships_a_script_for_an_interpreter() {
    let project = Project::new();
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file(
            "node_modules/pk/tools/dotted.yaml",
            tool("dotted", r#"[sh, ./say.sh, "{{ who }}"]"#),
        )
        .file(
            "node_modules/pk/tools/dir.yaml",
            tool("dir", r#"[sh, "{{ tool_dir }}/say.sh", "{{ who }}"]"#),
        )
        .file("node_modules/pk/tools/say.sh", "echo \"package: $1\"\n")
        // The project has a file of that name, too.
        .file("say.sh", "echo evil\n");
    run("cogtools-trust", &project)
        .args(["--yes", "package:pk"])
        .run()
        .status(0);
    for tool in ["dotted", "dir"] {
        call(&project, tool, &json!({})).outputs("package: Ada\n");
    }
    // What a caller names is not a file of the package.
    call(&project, "dir", &json!({"who": "./say.sh"})).outputs("package: ./say.sh\n");
    project.file("node_modules/pk/tools/say.sh", "echo changed\n");
    for tool in ["dotted", "dir"] {
        call(&project, tool, &json!({}))
            .stdout_is("")
            .stderr_contains("has changed");
    }
}

#[test]
fn a_script_that_is_not_there_is_no_file_of_the_project() {
    let project = Project::new();
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file(
            "node_modules/pk/tools/dotted.yaml",
            tool("dotted", "[sh, ./say.sh]"),
        )
        .file("say.sh", "echo evil\n");
    let trusted = run("cogtools-trust", &project)
        .args(["--yes", "package:pk"])
        .run();
    trusted.stderr_contains("which is outside its package");
    call(&project, "dotted", &json!({})).stdout_is("");
}
