//! The model that a document talks to: a fake that plays what the page shows.

use cogtools_test_support::{FakeGemini, Run, Turn};
use serde_json::json;

use super::document::Document;

/// The pages with a model.
const AGENT: &str = "docs/agent.md";
const PLAN: &str = "docs/how-to/check-a-plan.md";
const AUTHOR: &str = "docs/tutorial-authoring.md";
const EDITOR: &str = "docs/how-to/use-your-editor.md";

/// The tool that the model writes.
const TRIP: &str = "\
$schema: schema:agladysh-research.org,2025/cogtools:tool
name: trip
description: Converts the length of a trip from kilometres to miles.
parameters:
  km: {type: number, description: The length in kilometres}
examples:
  - {km: 5}
implementation: \"{{ (km * 0.621371) | round(2) }} miles\"
";

/// The answers of the model of a page, in order; empty if it has none.
fn turns(page: &str) -> Vec<Turn> {
    let greet = |person: &str| Turn::call("hello", json!({"person": person}));
    match page {
        AGENT => vec![
            greet("Ada"),
            Turn::text("Hello, Ada! I used the tool hello."),
            greet("Grace"),
            Turn::text("Hello, Grace!"),
            Turn::text("A semicolon."),
        ],
        AUTHOR => {
            let path = "tools/trip.yaml";
            let draft = TRIP.replace("(km *", "(kilometres *");
            vec![
                Turn::call("lint_tool", json!({"path": path, "text": draft})),
                Turn::call("write_tool", json!({"path": path, "text": TRIP})),
                Turn::call("test_tool", json!({"path": path, "update": true})),
                Turn::text(
                    "I wrote tools/trip.yaml: it converts kilometres, and its example passes.",
                ),
            ]
        }
        EDITOR => vec![
            Turn::call("get_selected_text", json!({})),
            Turn::text("A function that does nothing."),
        ],
        PLAN => {
            let steps = json!([{
                "need_tool": true, "tool": "hello", "reason": "to greet",
                "args": {"person": "Ada"}, "save_as": "greeting",
            }]);
            let plan = json!({
                "restatement": "Greet Ada", "visible_reply": "{{tool.greeting}}",
                "thinking_log": [], "tool_plan": steps,
            });
            vec![Turn::text(plan.to_string())]
        }
        _ => Vec::new(),
    }
}

/// Runs the session of `document`, with a model if it needs one.
pub(super) fn with_model(
    document: &Document,
    run: impl FnOnce(&dyn Fn(Run) -> Run) -> String,
) -> String {
    let turns = turns(document.name.as_str());
    if turns.is_empty() {
        return run(&|session| session);
    }
    let fake = FakeGemini::start(turns);
    let url = fake.url();
    let output = run(&|session| {
        session
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", &url)
    });
    fake.finish();
    output
}
