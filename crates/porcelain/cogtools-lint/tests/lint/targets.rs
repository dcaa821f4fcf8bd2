//! Tools by name, and a file on standard input.

use std::io::Cursor;

use cogtools_program::Input;
use cogtools_test_support::{Project, outcome, str};

use crate::project::{run, run_with};

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
        74,
        "",
        str![[r#"
cogtools-lint: error[IO_FAILED]: `sya` is neither a file nor a tool of this project
hint: did you mean `say`?

"#]],
    );
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
