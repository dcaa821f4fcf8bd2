//! The CLI's declarations of our tools to the model.

use cogtools_test_support::{Conversation, Request, Version};
use serde_json::{Map, Value, json};

use super::facepalm;
use super::host::Host;

/// Every version puts this into the description of every discovered tool.
const DISCOVERED: &str = "\n\nThis tool was discovered from the project";

/// Asserts that facepalm and no other tool is declared, in every request.
pub(super) fn assert_only_facepalm(host: &Host, conversation: &Conversation) {
    for request in conversation.main() {
        assert_eq!(discovered(request), [host.version.declared("facepalm")]);
        assert_declaration(host, request);
    }
}

fn assert_declaration(host: &Host, request: &Request) {
    let declaration = request.declaration(&host.version.declared("facepalm"));

    let description = declaration["description"].as_str().unwrap_or_default();
    let ours = description.split(DISCOVERED).next().unwrap_or_default();
    assert_eq!(ours.trim_end(), facepalm::DESCRIPTION);

    let schema = settled(&declaration[host.version.schema]);
    let properties = schema["properties"].as_object();
    let properties = properties.unwrap_or_else(|| panic!("the model sees {declaration:#}"));
    let names: Vec<&String> = properties.keys().collect();
    let mut expected = facepalm::PARAMETERS.map(|(name, _)| name).to_vec();
    let required = json!(expected[..5]);
    if host.version == Version::NEWEST {
        expected.push("wait_for_previous");
    }
    assert_eq!(names, expected);
    let properties: Map<String, Value> = facepalm::PARAMETERS
        .iter()
        .map(|(name, description)| {
            let property = json!({ "type": "string", "description": description });
            ((*name).to_owned(), property)
        })
        .collect();
    let mut found = schema.clone();
    if let Some(found) = found["properties"].as_object_mut() {
        found.remove("wait_for_previous");
    }
    let expected = json!({ "type": "object", "properties": properties, "required": required });
    assert_eq!(found, expected);
}

/// The names of the tools that were discovered.
fn discovered(request: &Request) -> Vec<&str> {
    let declarations = request.declarations().into_iter();
    declarations
        .filter(|entry| {
            let description = entry["description"].as_str();
            description.is_some_and(|text| text.contains(DISCOVERED))
        })
        .filter_map(|entry| entry["name"].as_str())
        .collect()
}

/// A schema in which differences between versions without meaning are made
/// equal: the case of types, the line ends that YAML leaves in descriptions.
fn settled(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let value = match (key.as_str(), value.as_str()) {
                    ("type", Some(kind)) => json!(kind.to_lowercase()),
                    ("description", Some(text)) => json!(text.trim_end()),
                    _ => settled(value),
                };
                (key.clone(), value)
            })
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
