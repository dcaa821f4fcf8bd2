//! The settings that Gemini CLI needs: its discovery command and its call command.

use cogtools_edit::Edit;
use serde_json::{Map, Value, json};

use crate::Paths;

/// Our discovery command.
pub const DISCOVER: &str = "cogtools-discover";
/// Our call command.
pub const CALL: &str = "cogtools-call";

/// Returns the merge into a project's `.gemini/settings.json`.
///
/// There are two generations of keys: releases up to 0.2 and from 0.10 to 0.20 read
/// the flat ones, releases from 0.3 those below `tools`. Each ignores the other's,
/// so a file with both works everywhere.
pub fn edit() -> Edit {
    let mut wanted = Map::new();
    wanted.insert("toolDiscoveryCommand".into(), Value::from(DISCOVER));
    wanted.insert("toolCallCommand".into(), Value::from(CALL));
    let tools = json!({"discoveryCommand": DISCOVER, "callCommand": CALL});
    wanted.insert("tools".into(), tools);
    Edit::merge(Paths::settings(), wanted)
}
