//! What Gemini CLI must be told: who lists the tools and who calls them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::edit::{Edit, Format};

/// The merge into a project's `.gemini/settings.json`.
///
/// Two generations of keys: releases up to 0.2 and from 0.10 to 0.20 read the
/// flat ones, releases from 0.3 the ones below `tools`; each passes over the
/// other's, so that a file with both works everywhere.
pub(crate) fn edit() -> Edit {
    let mut wanted = Map::new();
    wanted.insert(
        "toolDiscoveryCommand".into(),
        Value::from("cogtools-discover"),
    );
    wanted.insert("toolCallCommand".into(), Value::from("cogtools-call"));
    let tools = json!({
        "discoveryCommand": "cogtools-discover",
        "callCommand": "cogtools-call",
    });
    wanted.insert("tools".into(), tools);
    Edit {
        file: settings(),
        format: Format::Jsonc,
        wanted,
    }
}

fn settings() -> PathBuf {
    Path::new(".gemini").join("settings.json")
}
