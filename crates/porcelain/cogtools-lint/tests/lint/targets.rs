//! Tools by name, and a file on standard input.

use std::io::Cursor;

use cogtools_program::Input;
use cogtools_test_support::{Project, outcome, str};

use crate::project::{run, run_with};
use crate::server::Client;

const TOOL: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: Say it
examples: [{}]
implementation: Hello
";

fn input(text: String) -> Input {
    Input::new(Cursor::new(text.into_bytes()), false)
}

#[test]
fn a_tool_is_checked_by_its_name() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/say.yaml", TOOL)
        .file("tools/tell.yaml", "name: tell\n");
    outcome!(run(&project, &["say"])).outputs("1 file: nothing to report\n");
    outcome!(run(&project, &["sya"])).expect(
        127,
        "",
        str![[r#"
cogtools-lint: error[TOOL_NOT_FOUND]: `sya` is neither a file nor a tool with a file in this project
hint: did you mean `say`?

"#]],
    );
}

#[test]
fn files_beside_tools_are_none() {
    let project = Project::new();
    project.dir(".gemini").file("tools/say.yaml", TOOL);
    for name in ["shared.yaml", "t.shared.yaml", "say.evals.yaml"] {
        project.file(format!("tools/{name}"), "part: {type: string}\n");
        let files = ["tools/say.yaml", &format!("tools/{name}")];
        outcome!(run(&project, &files)).outputs("1 file: nothing to report\n");
    }
    project.file("tools/shared.yaml", TOOL.replace("say", "shared"));
    let files = ["tools/say.yaml", "tools/shared.yaml"];
    outcome!(run(&project, &files)).outputs("2 files: nothing to report\n");
}

#[test]
fn an_editor_has_nothing_to_say_about_files_beside_tools() {
    let project = Project::new();
    project.dir(".gemini").file("tools/say.yaml", TOOL);
    for name in ["tools/t.shared.yaml", "tools/say.evals.yaml"] {
        let text = "name: [\n";
        project.file(name, text);
        let mut client = Client::new(&project);
        client.open(name, text);
        let said = client.end().into_iter();
        let found = said.filter(|it| it["method"] == "textDocument/publishDiagnostics");
        let found: Vec<_> = found
            .map(|it| it["params"]["diagnostics"].clone())
            .collect();
        assert!(
            found.iter().all(|it| it == &serde_json::json!([])),
            "{found:?}"
        );
    }
}

#[test]
fn a_tool_without_a_file_cannot_be_executable() {
    let project = Project::new();
    let tool = format!("#! /usr/bin/env cogtools-yaml\n{TOOL}");
    outcome!(run_with(&project, &["-"], input(tool))).outputs("1 file: nothing to report\n");
}

#[test]
fn a_file_on_standard_input_has_the_name_that_it_is_given() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/hello.njk", "Hello {{ name }} {{ args.word }}\n");
    let tool = TOOL.replace(
        "implementation: Hello",
        "implementation: {njk_file: hello.njk}",
    );
    let args = ["-", "--stdin-filename", "tools/say.yaml"];
    outcome!(run_with(&project, &args, input(tool))).expect(
        78,
        str![[r#"
tools/hello.njk:1:10: error[undeclared-variable]: no parameter is named `name`
   |
 1 | Hello {{ name }} {{ args.word }}
   |          ^^^^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: declare the parameter, or correct the name

tools/hello.njk:1:21: error[undeclared-variable]: no parameter is named `args`
   |
 1 | Hello {{ name }} {{ args.word }}
   |                     ^^^^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: the parameters are the variables: `{{ name }}`

1 file: 2 errors

"#]],
        "",
    );
    let tool = TOOL.replace("Say it", "TODO");
    outcome!(run_with(&project, &["-"], input(tool))).expect(
        0,
        str![[r#"
say.yaml:3:14: warning[placeholder]: a placeholder: `TODO`
   |
 3 | description: TODO
   |              ^^^^
why: the model reads it literally, and learns neither when to call the tool nor what to send
fix: write what the tool or the parameter is for

1 file: 1 warning

"#]],
        "",
    );
    outcome!(run_with(&project, &["-", "--fix"], input(TOOL.to_owned()))).expect(
        2,
        "",
        str![[r#"
cogtools-lint: error[USAGE]: --fix: standard input cannot be fixed
hint: name the file

"#]],
    );
}

/// A broken tool has a name: that another name is wrong is still said.
#[test]
fn names_are_checked_beside_a_broken_tool() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/say.yaml", "name: say\n")
        .file(
            "tools/all.yaml",
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: all\n\
             description: Says all\nexamples: [{}]\n\
             implementation: {flow: {nodes: {a: {tool: say}, b: {tool: sya}}}}\n",
        )
        .file(
            "tools/helper.yaml",
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: helper\n\
             description: Helps with words\nexamples: [{}]\n\
             implementation: {agent: {system: Help, prompt: Help me, tools: [say, sya]}}\n",
        );
    for (tool, rule) in [("all", "flow-target"), ("helper", "agent-tools")] {
        let ended = run(&project, &[tool, "--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let found: Vec<_> = found.as_array().unwrap().iter().collect();
        assert_eq!(found.len(), 1, "{}", ended.stdout);
        assert_eq!(
            (&found[0]["rule"], &found[0]["message"]),
            (&rule.into(), &"there is no tool `sya`".into())
        );
    }
}

#[test]
fn a_file_of_another_kind_is_no_tool() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file(".cogtoolrc.yaml", "tool_sources: [{local: ./tools}]\n")
        .file("tools/part.njk", "{{ a }}\n");
    outcome!(run(&project, &[".cogtoolrc.yaml", "tools/part.njk"])).expect(
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_TOOL]: `.cogtoolrc.yaml` is the configuration of a project, not a tool
hint: every program checks it when it starts: `cogtools config` shows what it says
cogtools-lint: error[INVALID_TOOL]: `tools/part.njk` is a template, not a tool
hint: lint the tools that load it

"#]],
    );
}
