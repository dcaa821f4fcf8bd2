//! A project that `cogtools init` has set up works in every version.

use cogtools_testing::{Run, Version};
use serde_json::json;

use super::host::{Host, responses};

/// The tool that a new project begins with, and arguments for it.
const EXAMPLE: &str = "hello";

fn fresh_project_works(version: Version) {
    let host = Host::bare(version);
    let outcome = Run::new(crate::programs().join("cogtools"))
        .args(["init", "--non-interactive", "--defaults"])
        .project(&host.project)
        .path(crate::programs())
        .run();
    outcome.expect(0, &outcome.stdout, "");

    let arguments = json!({ "name": "Ada" });
    let greeting = host.directly(EXAMPLE, &arguments).text();
    assert!(greeting.contains("Ada"), "{greeting}");
    let conversation = host.play([host.call(EXAMPLE, arguments)]);
    assert_eq!(responses(&conversation), [[json!({ "output": greeting })]]);
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
