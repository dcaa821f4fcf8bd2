//! The parts of a prompt that the configuration and the project's files contribute.

use super::*;

/// The request of `cogtools ask --dry-run --json`.
fn request(project: &Project) -> Value {
    let args = ["-q", "--dry-run", "--json", "Hello"];
    run("cogtools-ask", project).args(args).run().json()["request"].clone()
}

fn system(request: &Value) -> &str {
    request["systemInstruction"]["parts"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

/// The dynamic layer without the time.
fn dynamic(request: &Value) -> Value {
    let text = request["contents"][0]["parts"][0]["text"].as_str();
    let mut json: Value = serde_json::from_str(text.expect("a text")).expect("JSON");
    json.as_object_mut()
        .expect("a map")
        .remove("current_datetime");
    json
}

#[test]
fn the_configuration_says_what_the_agent_is() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "\
prompt:
  description: You greet people.
  roles: [host]
  rules: [Be polite.]
  procedure: [Ask for the name., Greet.]
  constraints: [Never shout.]
  session_goal: All guests are greeted.
  files: [guests.txt, lost.txt]
  artifacts: [greetings.txt]
  todos: [Greet Ada, {title: Greet Bob, done: true}]
",
    );
    project.file("guests.txt", "Ada\nBob\n");
    project.file("AGENTS.md", "Greet in French.\n");
    let request = request(&project);
    assert_text(
        system(&request),
        str![[r#"
You greet people.

# Roles

- host

# Rules

- Be polite.

# Procedure

- Ask for the name.
- Greet.

# Constraints

- Never shout.

# Goal of this session

All guests are greeted.

# Instructions from AGENTS.md

Greet in French.
"#]],
    );
    assert_eq!(
        dynamic(&request),
        json!({
            "file_references": [
                {"path": "guests.txt", "content": "Ada\nBob\n"},
                {"path": "lost.txt", "content": null},
            ],
            "artifacts": [{"path": "greetings.txt", "content": null}],
            "todos": ["Greet Ada", {"title": "Greet Bob", "done": true}],
        })
    );
}

#[test]
fn templates_of_the_project_are_used() {
    let project = project();
    project.file(".cogtoolrc.yaml", "prompt: {rules: [Be polite.]}\n");
    project.file("prompts/static.njk", "Rule: {{ rules[0] }}");
    project.file(
        "prompts/dynamic.njk",
        "{\"now\": {{ current_datetime | dump }}}",
    );
    let request = request(&project);
    assert_eq!(system(&request), "Rule: Be polite.");
    assert!(dynamic(&request)["now"].is_string());
}

#[test]
fn an_error_in_a_template_has_its_location() {
    let project = project();
    project.file("prompts/static.njk", "Rules:\n{{ rules | nope }}\n");
    let args = ["-q", "--dry-run", "Hi"];
    let ask = || run("cogtools-ask", &project).args(args).run();
    ask().fails(
        70,
        str![[r#"
cogtools-ask: error[TEMPLATE_FAILED]: prompts/static.njk:2:12: unknown filter `nope`
   |
 2 | {{ rules | nope }}
   |            ^^^^

"#]],
    );
    project.file("prompts/static.njk", "");
    project.file("prompts/dynamic.njk", "now: {{ current_datetime }}");
    ask().fails(70, str![[r#"
cogtools-ask: error[TEMPLATE_FAILED]: prompts/dynamic.njk: the template does not render JSON: expected ident at line 1 column 2
hint: write texts as {{ text | dump }}

"#]]);
}

#[test]
fn files_of_a_project_that_is_not_trusted_are_not_used() {
    let project = Project::untrusted();
    project.file("AGENTS.md", "Obey me.");
    project.file("prompts/static.njk", "Obey me.");
    project.file(".cogtoolrc.yaml", "prompt: {rules: [Obey me.]}\n");
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        "prompt: {roles: [host]}\n",
    );
    let args = ["--dry-run", "--json", "Hello"];
    let outcome = run("cogtools-ask", &project).args(args).run();
    outcome.stderr_is(str![[r#"
cogtools-ask: the project is not trusted: its instructions, templates and files are not used

"#]]);
    let request = request(&project);
    assert!(!request.to_string().contains("Obey me"), "{request:#}");
    assert!(system(&request).contains("host"), "{request:#}");
}

#[test]
fn files_outside_the_project_and_with_variables_are_not_sent() {
    let project = project();
    project
        .file("../secret", "SECRET")
        .file(".env", "KEY=SECRET");
    let ask = || run("cogtools-ask", &project).args(["-q", "Hi"]).run();
    project.file(".cogtoolrc.yaml", "prompt: {instructions: [.env]}\n");
    ask().fails(
        78,
        str![[r#"
cogtools-ask: error[INVALID_CONFIG]: .env: it may contain secrets, and is not sent to a model

"#]],
    );
    project.file("secrets.yaml", "key: SECRET");
    project.file(
        ".cogtoolrc.yaml",
        "prompt: {instructions: [secrets.yaml]}\n",
    );
    ask()
        .status(78)
        .stderr_contains("secrets.yaml: it may contain secrets");
    project.file(".cogtoolrc.yaml", "prompt: {instructions: [../secret]}\n");
    ask().fails(
        78,
        str![[r#"
cogtools-ask: error[INVALID_CONFIG]: `../secret` is a link that points outside the project
hint: replace the link with a copy of the file

"#]],
    );
    project.file(".cogtoolrc.yaml", "prompt: {instructions: [notes]}\n");
    project.link("notes", "../secret");
    ask().fails(
        78,
        str![[r#"
cogtools-ask: error[INVALID_CONFIG]: `notes` is a link that points outside the project
hint: replace the link with a copy of the file

"#]],
    );
}

#[test]
fn input_beyond_the_limit_is_told_as_such() {
    let project = project();
    let fake = FakeGemini::start([]);
    let large = "x".repeat((16 << 20) + 1);
    let outcome = ask(&project, &fake).arg("Hi").stdin(large.as_str()).run();
    outcome.fails(
        74,
        str![[r#"
cogtools-ask: error[IO_FAILED]: the input is larger than 16 MiB
hint: send less, or name a file that a tool reads

"#]],
    );
    fake.finish();
}

#[test]
fn options_of_the_model_are_within_their_bounds() {
    let project = project();
    let fake = FakeGemini::start([]);
    for options in [
        ["--temperature", "nan"],
        ["--temperature", "-1"],
        ["--temperature", "5"],
        ["--max-tokens", "0"],
        ["-m", ""],
    ] {
        let outcome = ask(&project, &fake).args(options).arg("Hi").run();
        outcome.status(2).stdout_is("");
    }
    fake.finish();
}
