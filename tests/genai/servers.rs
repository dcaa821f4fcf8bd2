//! Servers with the API of `OpenAI` from `PyPI`: llama.cpp's own, and one that breaks on request.

use cogtools_test_support::{Outcome, Project, Run, install};
use serde_json::Value;

use super::cache;
use super::litellm::ADD;
use crate::mcp::peer::Site;
use crate::{repository, run};

const LLAMA: [&str; 2] = ["xllamacpp==2026.10.11549", "gguf==0.19.0"];
const LLMOCK: [&str; 1] = ["llmock==0.2.2"];

fn project() -> Project {
    let project = Project::new();
    project.file("tools/add.yaml", ADD);
    project
}

fn ask(project: &Project, site: &Site, task: &str) -> Run {
    run("cogtools-ask", project)
        .env("OPENAI_BASE_URL", format!("{}/v1", site.url))
        .env("OPENAI_API_KEY", "a-key-for-tests")
        .args(["--provider=openai", "--model=tiny", "-q"])
        .arg(task)
        .limit(std::time::Duration::from_mins(1))
}

#[test]
fn llama_cpp_answers_by_its_messages_api() {
    let python = install::python(&cache(), "xllamacpp-2026.10.11549", &LLAMA);
    let project = project();
    let script = repository().join("tests/genai/llama_server.py");
    let site = Site::start(&project, python, [script]);
    for task in ["First", "Second"] {
        let outcome = run("cogtools-ask", &project)
            .env("ANTHROPIC_BASE_URL", &site.url)
            .args(["--provider=anthropic", "--model=tiny", "-q", "--json"])
            .args(["--session=s.jsonl", "--continue", "--max-tokens=8"])
            .arg(task)
            .limit(std::time::Duration::from_mins(1))
            .run();
        // It never says anything that ends.
        outcome.status(6);
        let summary: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
        assert_eq!(summary["usage"]["output"], 8, "{summary}");
    }
}

#[test]
fn llama_cpp_reads_each_message_of_a_conversation_once() {
    let python = install::python(&cache(), "xllamacpp-2026.10.11549", &LLAMA);
    let project = project();
    let script = repository().join("tests/genai/llama_server.py");
    let site = Site::start(&project, python, [script]);
    for task in 0..20 {
        // It never says anything that ends.
        ask(&project, &site, &format!("Task {task}"))
            .args(["--session=s.jsonl", "--continue"])
            .args(["--max-tokens=8", "--temperature=0"])
            .run()
            .status(6);
    }
    let log = project.read("s.jsonl");
    let lines = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let usage = lines.filter(|line: &Value| line["kind"] == "usage");
    let count = |line: &Value, key: &str| line[key].as_u64().expect("a number");
    let usage: Vec<(u64, u64)> = usage
        .map(|line| (count(&line, "prompt"), count(&line, "cached")))
        .collect();
    assert_eq!(usage.len(), 20);
    for pair in usage.windows(2) {
        assert!(pair[1].1 * 100 >= pair[0].0 * 95, "{usage:?}");
    }
}

/// The answer of a server with these faults, and its verdict on the client.
fn broken(faults: &[&str]) -> (Outcome, Outcome) {
    let python = install::python(&cache(), "llmock-0.2.2", &LLMOCK);
    let project = project();
    let script = repository().join("tests/genai/llmock_server.py");
    let args = [script.to_str().expect("UTF-8")];
    let site = Site::start(&project, &python, args.iter().chain(faults));
    let outcome = ask(&project, &site, "Please add 1 and 2").run();
    let report = Run::new(&python)
        .project(&project)
        .args(["-m", "llmock.cli", "report", "--strict", "--url"])
        .arg(&site.url)
        .run();
    (outcome, report)
}

#[test]
fn a_server_that_breaks_is_asked_again_and_not_believed() {
    for faults in [
        [].as_slice(),
        &["fail"],
        &["malformed_arguments"],
        &["unknown_tool"],
        &["disconnect"],
        &["truncate"],
        &["malformed"],
        &["fail", "truncate", "unknown_tool", "malformed"],
    ] {
        let (outcome, report) = broken(faults);
        outcome.status(0);
        report.status(0).stdout_contains("PASS");
    }
}
