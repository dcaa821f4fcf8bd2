//! Declarations of the servers' tools, compared with the servers' own lists.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_test_support::gemini_complaints;
use serde_json::Value;

use super::{Scene, own_list};

/// Tools that the Gemini API cannot have, because they require a parameter that it rejects.
const NOT_FOR_GEMINI: [&str; 3] = [
    "ms365_update-planner-bucket",
    "ms365_update-planner-task",
    "ms365_update-planner-task-details",
];

#[test]
fn every_tool_of_every_server_is_declared() {
    let scene = Scene::shared();
    let list = scene.run("cogtools-list").arg("--json").run().json();
    let tools = list["tools"].as_array().expect("a list").iter();
    // The file of a tool of a server is its source, and its name there.
    let tools: BTreeMap<String, String> = tools
        .map(|tool| (text(&tool["file"]), text(&tool["name"])))
        .collect();
    let listed: BTreeSet<String> = tools.keys().cloned().collect();
    super::assert_same(&listed, &own_list::all());
    for (file, name) in &tools {
        assert!(name.len() <= 47, "{name}");
        let (source, own) = file.split_once(": ").expect("a source and a name");
        let prefixed = format!("{source}_{own}");
        assert!(prefixed.len() > 47 || *name == prefixed, "{name}");
    }
    let all: BTreeSet<String> = tools.into_values().collect();
    for format in ["openai", "openai-strict", "anthropic"] {
        let discover = scene.run("cogtools-discover").args(["--format", format]);
        let outcome = discover.run();
        outcome.status(0).stderr_is("");
        super::assert_same(&super::names(&outcome.json()), &all);
    }
    for (format, api) in [
        ("gemini", "the Gemini API"),
        ("mcp", "the Gemini API, which the client may use,"),
    ] {
        let outcome = scene
            .run("cogtools-discover")
            .args(["--format", format])
            .run();
        let names = NOT_FOR_GEMINI.join(", ");
        outcome.status(0).stderr_is(format!(
            "cogtools-discover: warning[INVALID_TOOL]: ms365: 3 tools not declared for {format}: \
             {api} rejects names of their parameters: {names}\n\
             hint: use letters from a to z, digits and `_`, at most 64, and no digit first\n\
             hint: --verbose shows all of it\n"
        ));
        let declared: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
        if format == "gemini" {
            assert_eq!(gemini_complaints(&declared), Vec::<String>::new());
        }
        let declared = super::names(&declared);
        let left_out: BTreeSet<&str> = all.difference(&declared).map(String::as_str).collect();
        assert_eq!(left_out, BTreeSet::from(NOT_FOR_GEMINI), "{format}");
        assert!(declared.is_subset(&all), "{format}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
