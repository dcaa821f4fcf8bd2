//! What Gemini CLI must be told: who lists the tools and who calls them.

use cogtools_edit::Edit;
use serde_json::{Map, Value, json};

use crate::place::Places;

/// The program of ours that lists tools.
pub const DISCOVER: &str = "cogtools-discover";
/// The program of ours that calls them.
pub const CALL: &str = "cogtools-call";

/// The merge into a project's `.gemini/settings.json`.
///
/// Two generations of keys: releases up to 0.2 and from 0.10 to 0.20 read the
/// flat ones, releases from 0.3 the ones below `tools`; each passes over the
/// other's, so that a file with both works everywhere.
pub fn edit() -> Edit {
    let mut wanted = Map::new();
    wanted.insert("toolDiscoveryCommand".into(), Value::from(DISCOVER));
    wanted.insert("toolCallCommand".into(), Value::from(CALL));
    let tools = json!({"discoveryCommand": DISCOVER, "callCommand": CALL});
    wanted.insert("tools".into(), tools);
    Edit::merge(Places::settings(), wanted)
}
