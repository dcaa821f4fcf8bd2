//! The SDKs of `PyPI`: declarations validated by their pydantic types, and every
//! schema against the meta-schema of JSON Schema 2020-12.

use std::time::Duration;

use cogtools_test_support::{Project, Run, install, str};

use super::{cache, declared, expected, projects};
use crate::mcp::peer::Site;
use crate::{repository, run};

const PACKAGES: [&str; 5] = [
    "openai==3.54.0",
    "anthropic==2.12.0",
    "mcp==2.3.0",
    "pydantic==2.14.3",
    "jsonschema==4.26.0",
];

fn check(format: &str) {
    let python = install::python(&cache(), "sdk-python-1", &PACKAGES);
    for (project, names) in projects(format) {
        Run::new(&python)
            .project(&project)
            .arg(repository().join("tests/sdk/check.py"))
            .arg(format)
            .stdin(declared(&project, format))
            .limit(Duration::from_mins(1))
            .run()
            .outputs(expected(&names));
    }
}

#[test]
fn openai() {
    check("openai");
}

#[test]
fn openai_strict() {
    check("openai-strict");
}

#[test]
fn anthropic() {
    check("anthropic");
}

/// Requests for messages, as the client of the model sends them.
#[test]
fn messages() {
    let python = install::python(&cache(), "sdk-python-1", &PACKAGES);
    let project = Project::new();
    let greet = "description: Greets a person\nparameters:\n  person: string\n\
                 implementation: Hello {{ person }}!\n";
    project.file("tools/greet.yaml", format!("name: greet\n{greet}"));
    let script = repository().join("tests/ask/peers/anthropic.py");
    let site = Site::start(&project, "python3", [script]);
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    project.file("schema.json", schema);
    for args in [
        &[
            "--model=claude-sonnet-5",
            "--option=thinking=high",
            "Greet Ada",
        ][..],
        &[
            "--model=claude-sonnet-4-5",
            "--option=thinking=low",
            "And Grace",
        ],
        &[
            "--model=claude-sonnet-5",
            "--max-tokens=100",
            "--schema=schema.json",
            "And Joan",
        ],
    ] {
        // An answer that does not match the schema is no answer.
        let _ = run("cogtools-ask", &project)
            .env("ANTHROPIC_BASE_URL", &site.url)
            .args([
                "-q",
                "--provider=anthropic",
                "--session=s.jsonl",
                "--continue",
            ])
            .args(args)
            .run();
    }
    let asked = project.read("asked");
    let bodies = asked.lines().map(|line| {
        let body = line.find('{').expect("a body");
        format!("{}\n", &line[body..])
    });
    let bodies: String = bodies.collect();
    assert!(bodies.contains("json_schema"), "{bodies}");
    let outcome = Run::new(&python)
        .arg(repository().join("tests/sdk/messages.py"))
        .stdin(bodies.as_str())
        .limit(Duration::from_mins(1))
        .run();
    outcome.status(0);
    let roles = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert_eq!(roles.lines().count(), asked.lines().count(), "{roles}");
    assert!(roles.starts_with("user\nuser assistant user\n"), "{roles}");
}

#[test]
fn mcp() {
    check("mcp");
}

#[test]
fn mismatching_results_are_rejected() {
    let python = install::python(&cache(), "sdk-python-1", &PACKAGES);
    let schema = r#"{"type": "object"}"#;
    let bad = r#"{"type": "object", "properties": {"a": {"exclusiveMinimum": true}}}"#;
    let function = |more: &str, schema: &str| {
        format!(
            r#"[{{"type": "function", "function": {{"name": "a"{more}, "parameters": {schema}}}}}]"#
        )
    };
    let named = |key: &str, schema: &str| format!(r#"[{{"name": "a", "{key}": {schema}}}]"#);
    for (format, tools, fine) in [
        ("openai", function("", schema), true),
        ("openai", function(r#", "title": "x""#, schema), false),
        ("openai", function("", bad), false),
        (
            "openai-strict",
            function(r#", "strict": false"#, schema),
            true,
        ),
        (
            "openai-strict",
            function(r#", "strict": true"#, schema),
            false,
        ),
        ("anthropic", named("input_schema", schema), true),
        ("anthropic", named("parameters", schema), false),
        ("anthropic", named("input_schema", bad), false),
        ("mcp", named("inputSchema", schema), true),
        ("mcp", named("inputSchema", bad), false),
        ("mcp", named("input_schema", schema), false),
    ] {
        let outcome = Run::new(&python)
            .arg(repository().join("tests/sdk/check.py"))
            .arg(format)
            .stdin(tools.as_str())
            .limit(Duration::from_mins(1))
            .run();
        if fine {
            outcome.outputs(str![[r#"
a

"#]]);
        } else {
            outcome.status(1).stdout_is("");
        }
    }
}
