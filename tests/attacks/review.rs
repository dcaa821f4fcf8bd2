//! The review that `cogtools trust` shows before it asks: everything that would run, so that nothing
//! hides from its reader.
//!
//! Before, it ran discovery first, showed only names of tools, and never asked.

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::pseudo_terminal::Terminal;
use crate::run;

/// A project that is not trusted, with this tool.
fn with_tool(implementation: &str) -> Project {
    let project = Project::untrusted();
    project.file(".cogtoolrc.yaml", "").file(
        "tools/go.yaml",
        format!("name: go\ndescription: d\nparameters: {{}}\nimplementation: {implementation}\n"),
    );
    project
}

/// A project with a provider that leaves a trace when it runs.
fn with_provider() -> Project {
    let project = Project::untrusted();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{command: {discover: [sh, ./d], call: [sh, ./d], name: p, sandbox: {write: [.]}}}]\n",
        )
        .file("d", "echo >> ran; echo '[]'\n");
    project
}

fn dry_run(project: &Project, name: &str) -> Outcome {
    run("cogtools-trust", project)
        .args(["--dry-run", name])
        .run()
}

/// The output of `cogtools trust` with these arguments at a terminal, at which the `answers` are
/// typed after their questions.
fn at_a_terminal(project: &Project, args: &str, answers: &[(&str, &str)]) -> String {
    let mut terminal = Terminal::open(project, &format!("cogtools-trust {args}"));
    for (question, answer) in answers {
        terminal.answer(question, answer);
    }
    terminal.end("").1
}

#[test]
fn the_user_is_asked_after_everything_was_shown() {
    for (answer, agrees) in [
        ("y\n", true),
        ("YES\n", true),
        (" y \n", true),
        ("n\n", false),
        ("\n", false),
        // The end of the input.
        ("\u{4}", false),
        ("yes please\n", false),
        ("\u{443}\n", false),
    ] {
        let project = with_provider();
        let text = at_a_terminal(&project, "p", &[("approve this provider", answer)]);
        let shown = text.find("| echo >> ran; echo '[]'");
        let asked = text.find("approve this provider to run with your rights? [y/N]");
        assert!(shown.is_some() && shown < asked, "{answer:?}: {text}");
        assert_eq!(project.path("ran").exists(), agrees, "{answer:?}: {text}");
        let list = run("cogtools-trust", &project)
            .arg("--format=json")
            .run()
            .json();
        let state = if agrees { "approved" } else { "not approved" };
        assert_eq!(list["sources"][1]["state"], state, "{answer:?}");
    }
}

#[test]
fn without_names_each_is_asked_about() {
    let project = with_provider();
    project.file(
        "tools/go.yaml",
        "name: go\ndescription: d\nimplementation: {exec: [ls]}\n",
    );
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: tools}, {command: {discover: [sh, ./d], call: [sh, ./d], name: p}}]\n",
    );
    let text = at_a_terminal(
        &project,
        "",
        &[
            ("trust this project", "n\n"),
            ("approve this provider", "y\n"),
        ],
    );
    let (project_asked, provider_asked) =
        (text.find("trust this project"), text.find("approve this"));
    assert!(
        project_asked.is_some() && project_asked < provider_asked,
        "{text}"
    );
    let list = run("cogtools-trust", &project)
        .arg("--format=json")
        .run()
        .json();
    let states = ["not approved", "approved"];
    let found = [0, 1].map(|index| list["sources"][index]["state"].clone());
    assert_eq!(found, states.map(Value::from));
}

#[test]
fn without_a_terminal_nothing_is_approved() {
    let project = with_provider();
    for args in [&["p"][..], &["--format=json", "p"], &["."], &["p", "."]] {
        let outcome = run("cogtools-trust", &project)
            .args(args)
            .stdin("y\ny\n")
            .run();
        outcome.status(77);
        assert!(!project.path("ran").exists(), "{args:?}");
    }
    assert!(
        !project
            .path("../home/.local/state/cogtools/trust.json")
            .exists()
    );
    run("cogtools-trust", &project).arg(".").run().expect(
        77,
        "project . ([ROOT]), 0 tools running programs\n",
        str![[r#"
cogtools-trust: error[DENIED]: project:.: not approved: there is no terminal to ask at
hint: review what it runs, and repeat the command with --yes

"#]],
    );
}

#[test]
fn nothing_hides_in_a_command_line() {
    let far = " ".repeat(300);
    let project = with_tool(&format!("{{exec: [sh, -c, 'true{far}; evil']}}"));
    let shown = dry_run(&project, ".").text();
    assert!(!shown.contains("     ;"), "{shown}");
    assert!(shown.contains("·; evil'"), "{shown}");

    let project = with_tool(r#"{exec: [sh, -c, "a\e[2K\r\u202e\u200b\0\nb"]}"#);
    dry_run(&project, ".").outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  runs      sh -c 'a\u{1b}[2K\r\u{202e}\u{200b}\u{0}\nb'
  program   /usr/bin/sh
  may       do all that you may: it has no sandbox

"#]]);

    let project =
        with_tool(r#"{exec: ["{{ 'rm' }}", "{% include 'evil.njk' %}", "x\u00a0\u3000y"]}"#);
    project
        .file("tools/evil.njk", "{% include 'in/inner.njk' %}-rf")
        .file("tools/in/inner.njk", "{% include './home.njk' %}\n")
        .file("tools/in/home.njk", "/home\n");
    dry_run(&project, ".").outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  runs      "{{ 'rm' }}" "{% include 'evil.njk' %}" 'x··y'
  program   /usr/bin/rm
  includes  evil.njk (1 line, 31 bytes)
            | {% include 'in/inner.njk' %}-rf
  includes  in/inner.njk (1 line, 27 bytes)
            | {% include './home.njk' %}
  includes  in/home.njk (1 line, 6 bytes)
            | /home
  may       do all that you may: it has no sandbox

"#]]);
}

/// The end of a command line runs, too, wherever it is.
#[test]
fn a_long_command_line_is_shown_to_its_end() {
    let long = format!("{}echo EVIL", "true;".repeat(2_000));
    let project = with_tool(&format!("{{exec: [sh, -c, '{long}']}}"));
    let provider = format!("{{discover: [sh, -c, '{long}'], call: [sh, ./d], name: p}}");
    project.file(
        ".cogtoolrc.yaml",
        format!("tool_sources: [{{local: tools}}, {{command: {provider}}}]\n"),
    );
    for name in [".", "p"] {
        let shown = dry_run(&project, name).text();
        assert!(shown.contains("echo EVIL'\n"), "{shown}");
        assert!(!shown.contains('…'), "{shown}");
    }
}

/// The sandbox that is shown is the one that a call has, however the project leads to the package.
#[test]
fn the_sandbox_of_a_package_in_a_folder_is_shown() {
    let project = Project::new();
    let tool = "name: go\ndescription: d\nimplementation: {exec: [cat, ./secret]}\n";
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: ./node_modules/x/tools}]\n",
        )
        .file("node_modules/x/tools/go.yaml", tool);
    let shown = dry_run(&project, "x").text();
    let rights = "  may       read the project; write nothing; not use the network\n";
    assert!(shown.contains(rights), "{shown}");
    assert!(
        shown.contains("a program in a sandbox can still"),
        "{shown}"
    );
}

#[test]
fn nothing_hides_beside_the_command() {
    let project = with_tool(
        "{exec: [sh, {for: x in items, when: x, args: [-o, '{{ x }}']}], cwd: tool, stdin: \"true\\nevil {{ items }}\"}",
    );
    dry_run(&project, ".").outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  runs      sh [for x in items when x: -o '{{ x }}']
  stdin     2 lines, 21 bytes
            | true
            | evil {{ items }}
  in        the folder of its tool file
  program   /usr/bin/sh
  may       do all that you may: it has no sandbox

"#]]);
    let json = run("cogtools-trust", &project)
        .args(["--format=json", "--dry-run", "."])
        .run()
        .json();
    let program = &json["sources"][0]["programs"][0];
    assert_eq!(program["command"], json!(["sh", "-o", "{{ x }}"]));
    let condition = json!({"condition": "for x in items when x", "words": ["-o", "{{ x }}"]});
    assert_eq!(program["conditions"], json!([condition]));
    assert_eq!(program["stdin"], "true\nevil {{ items }}");
    assert_eq!(program["cwd"], "tool");
}

#[test]
fn nothing_hides_in_length() {
    // A long line, and a script with the rest far below.
    let long = "a".repeat(500);
    let project = with_tool(&format!("{{exec: [echo, {long}evil]}}"));
    let shown = dry_run(&project, ".").text();
    assert!(
        shown.lines().all(|line| line.chars().count() < 180),
        "{shown}"
    );
    let joined = shown.replace("\n            ↳ ", "");
    assert!(joined.contains(&format!("{long}evil")), "{shown}");

    let blank = "\\n".repeat(300);
    let project = with_tool(&format!("{{script: \"#!/bin/sh\\n{blank}evil\\n\"}}"));
    let shown = dry_run(&project, ".").text();
    assert!(shown.contains("script    302 lines, 315 bytes"), "{shown}");
    assert!(
        shown.contains("… 262 more lines: read them in the file"),
        "{shown}"
    );

    // Thousands of tools are counted, and each is shown.
    let project = with_tool("{exec: [ls]}");
    for index in 0..1_000 {
        let tool = format!("name: t{index}\ndescription: d\nimplementation: {{exec: [ls]}}\n");
        project.file(format!("tools/t{index}.yaml"), tool);
    }
    let shown = dry_run(&project, ".").text();
    assert!(shown.starts_with("project . "), "{shown}");
    assert!(
        shown
            .lines()
            .next()
            .is_some_and(|line| line.contains("1001 tools running programs"))
    );
    assert_eq!(shown.matches("\n  tool ").count(), 1_001);
}

#[test]
fn a_file_is_shown_with_its_text_and_its_target() {
    let project = with_tool("{exec: [./run, ../secret]}");
    project
        .program("tools/inner", "#!/bin/sh -e\nevil\n")
        .link("tools/run", "inner")
        .file("../home/token", "npm_secret\n")
        .link("secret", "../home/token");
    let shown = dry_run(&project, ".").text();
    assert!(shown.contains("            | evil\n"), "{shown}");
    assert!(
        shown.contains(", a link to [ROOT]/tools/inner)") || shown.contains("/tools/inner)"),
        "{shown}"
    );
    // Nothing of a file outside the project.
    assert!(!shown.contains("npm_secret"), "{shown}");
}

/// A tool that names a file of the user shows its name, and nothing of its content.
#[test]
fn a_file_outside_the_project_is_not_quoted() {
    let project = Project::untrusted();
    let secret = project.home().join(".npmrc");
    let secret = secret.display();
    project
        .file(".cogtoolrc.yaml", "")
        .file("../home/.npmrc", "//registry/:_authToken=npm_secret\n")
        .file(
            "tools/go.yaml",
            format!("name: go\ndescription: d\nimplementation: {{exec: [cat, {secret}, ../home/.npmrc]}}\n"),
        );
    dry_run(&project, ".").outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  runs      cat [HOME]/.npmrc ../home/.npmrc
  program   /usr/bin/cat
  file      [HOME]/.npmrc (34 bytes)
  file      ../home/.npmrc (34 bytes)
  may       do all that you may: it has no sandbox

"#]]);
}

#[test]
fn what_the_file_declares_is_shown() {
    let project = Project::untrusted();
    project.file(".cogtoolrc.yaml", "").file(
        "tools/go.yaml",
        "name: go\ndescription: d\nannotations: {open_world: true, destructive: true}\nenv: [TOKEN]\nimplementation: {exec: [no_such_program]}\n",
    );
    dry_run(&project, ".").outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  runs      no_such_program
  program   `no_such_program` is not on PATH now
  may       do all that you may: it has no sandbox
  sees      TOKEN
  declares  open world (it may use the network), destructive

"#]]);
}

/// A change while the user reads is not approved.
#[test]
fn exactly_what_was_shown_is_approved() {
    let project = with_provider();
    let mut terminal = Terminal::open(&project, "cogtools-trust p");
    terminal.answer("approve this provider", "");
    project.file("d", "echo >> ran; echo evil\n");
    terminal.type_keys("y\n");
    let (_, text) = terminal.end("");
    assert!(text.contains("it has changed since it was shown"), "{text}");
    assert!(!project.path("ran").exists());
}

/// Input from before the review does not answer its question.
#[test]
fn typed_ahead_answers_are_discarded() {
    let project = with_provider();
    let mut terminal = Terminal::open(&project, "sleep 1; cogtools-trust p");
    terminal
        .type_keys("y\ny\n")
        .answer("approve this provider", "\n");
    let (status, text) = terminal.end("");
    assert!(text.contains("not approved: provider p"), "{text}");
    assert_eq!(status, Some(77), "{text}");
    assert!(!project.path("ran").exists());
}

/// Before, the new text was shown after the approval, and of it only the descriptions.
#[test]
fn a_changed_tool_is_shown_whole_before_the_question() {
    let project = with_provider();
    let declare = |text: &str| {
        let schema = json!({
            "type": "object",
            "properties": {format!("{text}-argument"): {"type": "string", "default": format!("{text}-default")}},
        });
        let tool = json!({
            "name": "say", "title": format!("{text}-title"),
            "description": format!("{text}\u{200b}-description"), "inputSchema": schema,
        });
        project.file("list.json", json!([tool]).to_string());
    };
    project.file("d", "cat list.json\n");
    declare("old");
    let trust = run("cogtools-trust", &project).args(["p", "--yes"]).run();
    trust.succeeds().stdout_contains("  hidden    U+200B\n");
    let shown = dry_run(&project, "p").text();
    assert!(!shown.contains("old-"), "{shown}");
    declare("new");
    let texts = [
        "  tool      say\n            | new-description\n            | /title: new-title\n",
        "| /inputSchema/properties/new-argument/default: new-default\n",
        "  hidden    U+200B\n",
    ];
    let shown = dry_run(&project, "p").text();
    for text in texts {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let text = at_a_terminal(&project, "p", &[("approve this provider", "y\n")]);
    let (before, after) = text.split_once("[y/N]").expect("a question");
    assert!(before.contains("new-default"), "{text}");
    assert!(
        after.contains("approved provider p") && !after.contains("new-"),
        "{text}"
    );
}
