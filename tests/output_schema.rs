//! Output as JSON: each program that prints it has a definition in `cogtools schema output`.

use std::collections::BTreeSet;

use clap::Command;
use cogtools::schema::Document;
use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::{Value, json};

use crate::run;

/// Asserts that `value` is as the definition `name` says.
#[track_caller]
pub(crate) fn conforms(name: &str, value: &Value) {
    let mut schema = Document::Output.schema();
    schema["$ref"] = format!("#/definitions/{}", name.replace(' ', "%20")).into();
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    let errors = validator.iter_errors(value);
    let errors: Vec<String> = errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{value:#}");
}

/// The command lines below `command` that take `--json`, and those that do not.
fn of_json(command: &Command, line: &str, found: &mut [BTreeSet<String>; 2]) {
    let mut options = command.get_arguments();
    let has_option = options.any(|option| option.get_long() == Some("json"));
    if has_option || !command.has_subcommands() {
        found[usize::from(!has_option)].insert(line.to_owned());
    }
    for inner in command.get_subcommands() {
        let line = format!("{line} {}", inner.get_name());
        of_json(inner, &line, found);
    }
}

/// Programs whose output is one line, is JSON anyway, is a tool file, or is what a tool or a model
/// has said.
const OTHERS: [&str; 16] = [
    "cogtools",
    "call",
    "completions",
    "discover",
    "expand",
    "http",
    "import",
    "js",
    "json",
    "lsp",
    "mcp",
    "mcp-client",
    "run",
    "schema",
    "ui",
    "yaml",
];

/// Subcommands of other programs, for the same reasons.
const OTHER_COMMANDS: [&str; 26] = [
    "code call",
    "code check",
    "code types",
    "config set",
    "config unset",
    "editor ask",
    "editor install",
    "editor open",
    "flow call",
    "flow node",
    "flow output",
    "flow resume",
    "flow route",
    "flow run",
    "plan check",
    "plan hydrate",
    "plan replan",
    "plan resolve",
    "plan resume",
    "plan run",
    "session example",
    "session export",
    "session fork",
    "session rerun",
    "session resume",
    "session verify",
];

#[test]
fn every_program_that_prints_a_report_prints_it_as_json_with_a_schema() {
    let schema = Document::Output.schema();
    let mut others = BTreeSet::new();
    for program in cogtools::PROGRAMS.iter() {
        let name = program.name.trim_start_matches("cogtools-");
        if OTHERS.contains(&name) {
            continue;
        }
        let mut found = [BTreeSet::new(), BTreeSet::new()];
        of_json(&(program.command)(), name, &mut found);
        let [found, without] = found;
        for line in &found {
            let definition = &schema["definitions"][line];
            assert!(definition.is_object(), "no schema of `{line}`");
        }
        assert!(
            !found.is_empty(),
            "`{name}` prints no report as JSON: add it to `OTHERS`"
        );
        others.extend(without);
    }
    let known = OTHER_COMMANDS.map(str::to_owned);
    assert_eq!(others, BTreeSet::from(known));
}

/// A project with something of everything that is reported.
fn project() -> Project {
    let project = Project::new();
    let greet = "name: greet\ndescription: Greets\nparameters:\n  person: string\n  loud: {type: boolean, default: false}\n\
        examples:\n  - person: Ada\n  - {name: wrong, arguments: {person: Bob}, contains: Hi}\n\
        implementation: '{% if loud %}HELLO{% else %}Hello{% endif %} {{ person }}'\n";
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: ./tools}, {local: ./more}]\nenv_priority: process\n",
        )
        .file("tools/greet.yaml", greet)
        .file("more/greet.yaml", greet)
        .file("tools/wrong.yaml", "name: wrong\ndescription: d\n")
        .file(
            "tools/runs.yaml",
            "name: runs\ndescription: Runs\nenv: [TOKEN, PATH]\nimplementation: {exec: [echo, a]}\n",
        )
        .file(
            "tools/f.yaml",
            "name: f\ndescription: A flow\nparameters: {q: string}\nimplementation:\n  flow:\n    nodes:\n      \
             a: {text: '{{ q }}'}\n      b: {when: a == 'x', text: '{{ a }}'}\n    output: '{{ a }}'\n",
        )
        .file(".env", "TOKEN=t\nUNUSED=u\nPATH=/x\n")
        .file("GEMINI.md", "# Ours\n")
        .file("asked.jsonl", include_str!("old_projects/runs/ask.jsonl"));
    project
}

/// Each command line is run with --json, and its output has the form that the schema declares.
#[test]
fn output_is_as_the_schema_says() {
    let project = project();
    let cogtools = |line: &str| run("cogtools", &project).args(line.split(' ')).run();
    cogtools("flow run f q=x").status(0);
    for (name, line) in [
        ("list", "list"),
        ("lint", "lint"),
        ("test", "test --coverage"),
        ("test", "test greet"),
        ("new", "new one"),
        ("new", "new greet --dir more/deep"),
        ("docs", "docs GEMINI.md"),
        ("docs", "docs"),
        ("docs", "docs --print"),
        ("skill", "skill"),
        ("skill", "skill --check"),
        ("config list", "config list"),
        ("config get", "config get tool_sources"),
        ("config env", "config env"),
        ("config env", "config env --explain"),
        ("trust", "trust --list"),
        ("doctor", "doctor"),
        ("editor status", "editor status"),
        ("editor print", "editor print zed"),
        ("flow list", "flow list"),
        ("flow test", "flow test --update"),
        ("flow show", "flow show f"),
        ("flow trace", "flow trace"),
        ("session list", "session list --all"),
        ("session show", "session show"),
        ("session stats", "session stats"),
        ("session tree", "session tree"),
        ("session eval", "session eval asked.jsonl"),
        ("session prune", "session prune --keep 0 --dry-run"),
        ("init", "init --host claude-code --dry-run"),
        ("init", "init --host claude-code --defaults"),
    ] {
        let outcome = cogtools(&format!("{line} --json"));
        let text = String::from_utf8_lossy(&outcome.stdout);
        let value = serde_json::from_str(&text);
        let value = value.unwrap_or_else(|error| panic!("{line}: {error}: {outcome:?}"));
        conforms(name, &value);
    }
    let id = &cogtools("session list --all --json").json()[0]["session"];
    let id = id.as_str().expect("a session");
    let line = format!("session diff {id} {id} --json");
    conforms("session diff", &cogtools(&line).json());
    let plan = r#"{"restatement": "Greet", "thinking_log": [], "visible_reply": "Done",
        "tool_plan": [{"need_tool": true, "tool": "greet", "reason": "r", "args": {"person": "Ada"}}]}"#;
    project.file("plan.json", plan);
    for name in ["plan show", "plan explain"] {
        let of_file = format!("{name} plan.json --json");
        conforms(name, &cogtools(&of_file).json());
        cogtools("plan run plan.json").status(0);
        conforms(name, &cogtools(&format!("{name} --json")).json());
    }
    project.remove("tools/wrong.yaml");
    conforms("package", &cogtools("package dist/plugin --json").json());
    for line in ["lock --json", "lock --check --json"] {
        conforms("lock", &cogtools(line).json());
    }
}

#[test]
fn a_failure_is_as_the_schema_says() {
    let project = project();
    project.file("bad.yaml", "name: [\n");
    for line in [
        "list --error-format=json",
        "run none --error-format=json",
        "run greet persn=Ada --error-format=json",
        "run runs --error-format=json",
        "lint --nonsense --error-format=json",
        "test wrong --error-format=json",
    ] {
        let outcome = run("cogtools", &project).args(line.split(' ')).run();
        let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
        for line in text.lines() {
            conforms("failure", &serde_json::from_str(line).expect("JSON"));
        }
    }
}

#[test]
fn an_answer_is_as_the_schema_says() {
    let project = Project::new();
    let fake = FakeGemini::start([Turn::text("Hello.")]);
    let ask = |args: &[&str]| {
        run("cogtools-ask", &project)
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url())
            .args(args)
            .run()
            .json()
    };
    conforms("ask", &ask(&["-q", "--json", "Say hello"]));
    let planned = ask(&["-q", "--json", "--dry-run", "Say hello"]);
    let keys: Vec<&String> = planned.as_object().expect("an object").keys().collect();
    assert_eq!(json!(keys), json!(["layers", "request", "cache"]));
    fake.finish();
}

/// A program may fail wherever it is started, but never for a reason that it does not list.
#[test]
fn an_empty_folder_is_no_internal_error() {
    let project = Project::new();
    // The server of `ui` does not end.
    let all = cogtools::PROGRAMS.iter();
    for program in all.filter(|program| program.name != "cogtools-ui") {
        let outcome = run(program.name, &project).run();
        let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(!text.contains("INTERNAL"), "{text}");
    }
}
