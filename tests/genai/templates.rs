//! Requests of long conversations, rendered with the chat templates of Mistral and Gemma.

use cogtools_test_support::{Project, Run, install};

use super::cache;
use crate::mcp::peer::Site;
use crate::{repository, run};

/// Jinja, and Mistral's own generator of its templates.
const RENDERER: [&str; 2] = ["jinja2==3.1.6", "mistral-common==1.13.1"];
/// The templates of Gemma, and others of Mistral; what this package requires is large.
const TEMPLATES: [&str; 2] = ["--no-deps", "axolotl==0.19.0"];

/// A conversation of 20 turns with a server that renders `kind` templates. The run that has the
/// task `interrupted` ends before the model has read its result.
fn converse(project: &Project, kind: &str, interrupted: Option<usize>) {
    let python = install::python(&cache(), "mistral-common-1.13.1", &RENDERER);
    install::python(&cache(), "axolotl-0.19.0", &TEMPLATES);
    let script = repository().join("tests/genai/templates.py");
    let templates = cache().join("axolotl-0.19.0");
    let args = [script.as_os_str(), kind.as_ref(), templates.as_os_str()];
    let site = Site::start(project, python, args);
    let ask = |task: usize| -> Run {
        run("cogtools-ask", project)
            .env("OPENAI_BASE_URL", format!("{}/v1", site.url))
            .args(["--provider=openai", "--model=small", "-q"])
            .args(["--session=s.jsonl", "--continue"])
            .arg(format!("Task {task}"))
    };
    for task in 0..20 {
        if interrupted == Some(task) {
            ask(task).arg("--budget=turns=1").run().status(4);
        } else {
            ask(task).run().status(0);
        }
    }
}

#[test]
fn conversations_are_accepted_by_templates_without_tools() {
    converse(&Project::new(), "text", None);
}

#[test]
fn calls_are_accepted_by_templates_with_tools() {
    let project = Project::new();
    project.file(
        "tools/greet.yaml",
        "\
name: greet
description: Greets a person by name
parameters:
  person: string
examples:
  - person: Ada
implementation: Hello {{ person }}!
",
    );
    project.file(
        ".cogtoolrc.yaml",
        "prompt: {description: You greet people.}\n",
    );
    converse(&project, "tools", Some(9));
    let log = project.read("s.jsonl");
    assert_eq!(log.matches("\"kind\":\"result\"").count(), 20, "{log}");
}
