//! Cases recorded from the routing that flows come from.

use cogtools_test_support::conformance;

use super::*;

/// The tool that `route` finds among tools with these capabilities.
fn route(tools: &[(String, Vec<String>)], capability: &str) -> Option<String> {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", ALIASES);
    for (name, capabilities) in tools {
        let name = name.replace('-', "_");
        let capabilities = Value::from(capabilities.clone());
        project.file(
            format!("tools/{name}.yaml"),
            format!(
                "name: {name}\ndescription: d\ncapabilities: {capabilities}\nimplementation: i\n"
            ),
        );
    }
    let outcome = flow_run(&project, &["route", "--", capability]).run();
    match outcome.stdout.as_slice() {
        [] => {
            outcome.status(127);
            None
        }
        name => Some(String::from_utf8_lossy(name).trim().to_owned()),
    }
}

#[test]
fn recorded_capabilities_find_their_tool() {
    let test = "recorded_capabilities_find_their_tool";
    let Some(rows) = conformance::recorded("agents/000_capability.jsonl", test) else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let input = &row["input"];
        if row["fn"] == "normalizeCapability" {
            let capability = input.as_str().expect("a text");
            let expected = row["expected"].as_str().unwrap_or_default();
            // A tool declares `provider.operation`; what has another form matches nothing.
            let is_valid = expected.split('.').count() > 1
                && expected
                    .split('.')
                    .all(|part| !part.is_empty() && !part.contains(' '));
            let tools = is_valid.then(|| ("t".to_owned(), vec![expected.to_owned()]));
            let found = route(&Vec::from_iter(tools), capability);
            assert_eq!(found.is_some(), is_valid, "{id}");
            continue;
        }
        let texts = |value: &Value| {
            let items = value.as_array().into_iter().flatten();
            items
                .filter_map(|item| Some(item.as_str()?.to_owned()))
                .collect()
        };
        let tools = input["tools"].as_array().expect("tools").iter();
        let tools: Vec<(String, Vec<String>)> = tools
            .map(|tool| {
                (
                    tool["id"].as_str().expect("an id").to_owned(),
                    texts(&tool["capabilities"]),
                )
            })
            .collect();
        let found = route(&tools, input["capability"].as_str().unwrap_or_default());
        let expected = row["expected"].as_str().map(|name| name.replace('-', "_"));
        assert_eq!(found, expected, "{id}");
    }
}
