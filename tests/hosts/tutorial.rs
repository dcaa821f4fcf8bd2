//! The tutorial's project, as its readers have it in the end.

use cogtools_test_support::{Run, Turn, Version};
use serde_json::json;

use super::host::{Host, assert_responses, output};
use crate::docs::{content, saved, shows};

/// The document.
const TUTORIAL: &str = "docs/tutorial.md";

/// The output that the document shows for a call with these arguments.
const SHOWN: &str = "\
You say: It hangs

1. it starts: have you seen this, or do you assume it?
2. it stops: have you seen this, or do you assume it?

Which of these steps have you looked at last?
";

/// Its steps: `init`, `new`, the file that it saves, the policy that it shows, and
/// a run without a terminal in which nothing else is allowed.
#[test]
fn the_tutorials_tool_is_called() {
    assert!(shows(TUTORIAL, SHOWN), "{TUTORIAL} shows another answer");
    let host = Host::bare(Version::NEWEST);
    for args in [&["init", "--defaults"][..], &["new", "duck"]] {
        let outcome = Run::new(crate::programs().join("cogtools"))
            .args(args)
            .project(&host.project)
            .path(crate::programs())
            .path(host.gemini.bin())
            .run();
        outcome.succeeds();
    }
    for (file, content) in saved(TUTORIAL) {
        host.project.file(file, content);
    }
    let policy = content(TUTORIAL, "toml");
    let place = policy.lines().next().unwrap_or_default();
    let place = place
        .strip_prefix("# ~/")
        .expect("the policy names its file");
    host.project.file(format!("../home/{place}"), &policy);

    let arguments = json!({"problem": "It hangs", "steps": ["it starts", "it stops"]});
    let call = Turn::call("mcp_cogtools_duck", arguments);
    let conversation = host.play_with(&[], [call]);
    let shown = format!("<untrusted_context>\n{SHOWN}\n</untrusted_context>");
    assert_responses(&conversation, &[&[output(&shown)]]);
}
