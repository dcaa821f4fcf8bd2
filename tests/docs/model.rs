//! The model that a document talks to: a fake that plays what the page shows.

use cogtools_test_support::{FakeGemini, Run, Turn};
use serde_json::json;

use super::document::Document;

/// The page with a model.
const AGENT: &str = "docs/agent.md";

/// Runs the session of `document`, with a model if it needs one.
pub(super) fn with_model(
    document: &Document,
    run: impl FnOnce(&dyn Fn(Run) -> Run) -> String,
) -> String {
    if document.name != AGENT {
        return run(&|session| session);
    }
    let fake = FakeGemini::start([
        Turn::call("hello", json!({"person": "Ada"})),
        Turn::text("Hello, Ada! I used the tool hello."),
        Turn::call("hello", json!({"person": "Grace"})),
        Turn::text("Hello, Grace!"),
        Turn::text("A semicolon."),
    ]);
    let url = fake.url();
    let output = run(&|session| {
        session
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", &url)
    });
    fake.finish();
    output
}
