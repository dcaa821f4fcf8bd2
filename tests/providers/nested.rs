//! Another project as a provider: cogtools runs cogtools.

use cogtools_test_support::{Project, Run, assert_text, str};
use serde_json::json;

use crate::{programs, run};

const SAY: &str = "\
name: say
description: Say it
parameters: {text: string}
implementation: 'said: {{ text }}'
";

fn nested() -> (Project, impl Fn(&str) -> Run) {
    let project = Project::new();
    project
        .file("tools/ok.yaml", super::OK)
        .file("../other/tools/say.yaml", SAY)
        .file("../other/tools/broken.yaml", "name: [\n")
        .file(
            ".cogtoolrc.yaml",
            "\
tool_sources:
  - command:
      discover: cogtools-discover -C ../other
      call: cogtools-call -C ../other
      name: other
      prefix: other_
      sandbox: {read: [/], write: [., ../other, ~/]}
  - local: ./tools
",
        );
    let root = project.root();
    let home = project.home();
    let run = move |program: &str| {
        Run::new(programs().join(program))
            .cwd(&root)
            .home(&home)
            .path(programs())
    };
    (project, run)
}

#[test]
fn its_tools_are_declared_and_called() {
    let (project, nested) = nested();
    nested("cogtools-trust")
        .args(["--yes", "other"])
        .run()
        .outputs(format!(
            "\
provider other
  discover  cogtools-discover -C ../other
  call      cogtools-call -C ../other
  program   {0}/cogtools-discover
  program   {0}/cogtools-call
  may       read /; write . ../other ~/; not use the network
approved provider other
  tool      say
            | Say it
            | /parameters/properties/text
            | /parametersJsonSchema/properties/text
",
            programs().display()
        ));
    let declared = nested("cogtools-discover").run().json();
    assert_eq!(declared[0]["name"], "other_say");
    assert_eq!(declared[1]["name"], "ok");
    nested("cogtools-call")
        .arg("other_say")
        .stdin(json!({"text": "hello"}))
        .run()
        .outputs(str!["said: hello"]);
    // Without our programs on PATH the provider is not found.
    run("cogtools-discover", &project).run().expect(
        0,
        format!("[\n{}\n]\n", super::DECLARED),
        str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the provider `other` cannot be run: program `cogtools-discover` not found
hint: install it, or correct `command` under `tool_sources`

"#]],
    );
}

#[test]
fn a_project_that_is_its_own_provider_runs_once() {
    let (project, nested) = nested();
    let itself = "tool_sources: [{command: {discover: [sh, -c, cogtools-discover 2>told], call: cogtools-call, name: itself, prefix: i_, env: [HOME], sandbox: {read: [/], write: [., ~/]}}}, {local: ./tools}]\n";
    project.file(".cogtoolrc.yaml", itself);
    nested("cogtools-trust")
        .args(["--yes", "itself"])
        .run()
        .outputs(format!(
            "\
provider itself
  discover  sh -c 'cogtools-discover 2>told'
  call      cogtools-call
  sees      HOME
  program   /usr/bin/sh
  program   {}/cogtools-call
  may       read /; write . ~/; not use the network
  unhashed  sh -c 'cogtools-discover 2>told' (runs code that is not in a file, which may load other files)
approved provider itself
  tool      ok
            | d
",
            programs().display()
        ));
    nested("cogtools-discover").run().outputs(format!(
        "[\n{},\n{}\n]\n",
        super::DECLARED.replace("\"ok\"", "\"i_ok\""),
        super::DECLARED
    ));
    nested("cogtools-call")
        .arg("i_ok")
        .run()
        .outputs(str!["fine"]);
    nested("cogtools-call").arg("i_i_ok").run().fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: i_i_ok: no such tool
hint: did you mean `i_ok`?
hint: cogtools-discover lists all tools

"#]],
    );
    assert_text(
        project.read("told"),
        str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the provider `itself` is skipped: another provider of this project is being listed
hint: remove the source that leads back here from `tool_sources`

"#]],
    );
}

#[test]
fn a_declaration_that_has_changed_is_denied() {
    let (project, nested) = nested();
    nested("cogtools-trust")
        .args(["--yes", "other"])
        .run()
        .text();
    project.file("../other/tools/say.yaml", SAY.replace("Say it", "Run it"));
    nested("cogtools-discover").run().json();
    let call = || {
        nested("cogtools-call")
            .arg("other_say")
            .stdin(json!({"text": "x"}))
            .run()
    };
    call().fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: other_say: it runs commands and comes from the provider `other`, which has changed since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust other

"#]],
    );
    nested("cogtools-trust").run().outputs(str![[r#"
SOURCE  KIND      STATE     RUNS
.       project   approved
other   provider  changed   cogtools-discover -C ../other, cogtools-call -C ../other

"#]]);
    nested("cogtools-trust")
        .args(["--yes", "other"])
        .run()
        .text();
    call().outputs(str!["said: x"]);
    project.file("../other/tools/tell.yaml", SAY.replace("say", "tell"));
    nested("cogtools-call").arg("other_tell").stdin(json!({"text": "x"})).run().fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: other_tell: it runs commands, comes from the provider `other`, and is not approved yet
hint: only the user can approve it, after reviewing what it runs: cogtools trust other

"#]],
    );
}
