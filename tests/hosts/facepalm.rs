//! The facepalm tool as its hosts should see it, written out by hand.

use serde_json::{Value, json};

/// The tool file, as the project ships it.
pub(super) fn file() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tools/facepalm.yaml");
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) const DESCRIPTION: &str = "Want to *facepalm*? Call this tool!";

/// Every parameter and its description, in order; all but the last are required.
pub(super) const PARAMETERS: [(&str, &str); 6] = [
    ("facepalm", "Vent your emotions here"),
    (
        "what_happened",
        "Objectively, what happened and why? Explain circumstance, not yourself",
    ),
    (
        "but_really",
        "AI, un-bias yourself!\n\
         Assume against all odds that `facepalm` and `what_happened` are WRONG.\n\
         Provide skeptical, objective, systematic review of robust alternative perspectives.",
    ),
    ("therefore", "Provide constructive outlook on the situation"),
    ("next", "What should you do next?"),
    ("remarks", "Provide additional remarks, if you must"),
];

/// The arguments of the tool's first example.
pub(super) fn arguments() -> Value {
    json!({
        "facepalm": "I did not apologize to the user",
        "what_happened": "I utterly failed, my behavior has no excuse",
        "but_really": "In peer environment, mistakes are expected, and apologies are redundant.\n\
            My facepalm and its explanation above are not objective, \
            I am explaining myself, not circumstance.\n",
        "therefore": "I should reevaluate the situation, and call `facepalm` again \
            adhering to its parameter documentation.\n",
        "next": "Consult `facepalm` tool documentation carefully and call it again.",
    })
}

/// The result for [`arguments`].
pub(super) const RENDERED: &str = "\
# Facepalm

I did not apologize to the user

## What Happened?

I utterly failed, my behavior has no excuse

## But, Really...

In peer environment, mistakes are expected, and apologies are redundant.
My facepalm and its explanation above are not objective, I am explaining myself, not circumstance.


## Therefore

I should reevaluate the situation, and call `facepalm` again adhering to its parameter documentation.


## Next

Consult `facepalm` tool documentation carefully and call it again.


";

/// [`arguments`] with remarks.
pub(super) fn arguments_with(remarks: &str) -> Value {
    let mut arguments = arguments();
    arguments["remarks"] = json!(remarks);
    arguments
}

/// The result for [`arguments_with`].
pub(super) fn rendered_with(remarks: &str) -> String {
    let head = RENDERED.strip_suffix('\n').unwrap_or(RENDERED);
    format!("{head}\n## Remarks\n\n{remarks}\n\n\n")
}
