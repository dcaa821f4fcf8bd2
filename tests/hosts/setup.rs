//! Projects set up for the CLI: by `cogtools init`, and this repository.

use std::fs;
use std::path::Path;

use cogtools_test_support::{Run, Turn, Version, assert_text, str};
use serde_json::json;

use super::facepalm;
use super::host::{Host, assert_responses, output};

/// The files that make this repository a project.
const REPOSITORY: [&str; 3] = [
    ".gemini/settings.json",
    ".cogtoolrc.yaml",
    "tools/facepalm.yaml",
];

/// The first tool of a new project, and arguments for it.
const EXAMPLE: &str = "hello";

fn fresh_project_works(version: Version) {
    let host = Host::bare(version);
    let outcome = Run::new(crate::programs().join("cogtools"))
        .args(["init", "--non-interactive", "--defaults"])
        .project(&host.project)
        .path(crate::programs())
        .path(host.gemini.bin())
        .run();
    outcome.succeeds();

    let arguments = json!({ "person": "Ada" });
    let greeting = host.directly(EXAMPLE, &arguments).text();
    assert_text(
        &greeting,
        str![[r#"
Hello, Ada!

"#]],
    );
    // Releases that follow the changes of an MCP server get the server.
    let is_served = version == Version::NEWEST;
    let (call, answer) = if is_served {
        let text = format!("<untrusted_context>\n{greeting}\n</untrusted_context>");
        (Turn::call("mcp_cogtools_hello", arguments), text)
    } else {
        (host.call(EXAMPLE, arguments), greeting)
    };
    let conversation = host.play([call]);
    assert_responses(&conversation, &[&[output(&answer)]]);
}

#[test]
fn fresh_project_works_in_the_oldest() {
    fresh_project_works(Version::OLDEST);
}

#[test]
fn fresh_project_works_in_the_strict() {
    fresh_project_works(Version::STRICT);
}

#[test]
fn fresh_project_works_in_the_newest() {
    fresh_project_works(Version::NEWEST);
}

#[test]
fn this_repository_is_set_up() {
    let host = Host::bare(Version::NEWEST);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for name in REPOSITORY {
        let content = fs::read(repository.join(name));
        let content = content.unwrap_or_else(|error| panic!("{name}: {error}"));
        host.project.file(name, content);
    }
    let conversation = host.play([host.call("facepalm", facepalm::arguments())]);
    assert_responses(&conversation, &[&[output(facepalm::RENDERED)]]);
}
