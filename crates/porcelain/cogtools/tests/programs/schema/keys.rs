//! The schema describes exactly the keys that the parser knows.

use cogtools::schema::Document;
use cogtools_core::Config;
use cogtools_core::schema::KEYWORDS;
use cogtools_core::tool::{Annotations, Example, IMPLEMENTATION_KEYS, Key, Output};
use cogtools_lint::{RETIRED_RULES, rules};
use serde_json::Value;

/// The keys of the map at `pointer`, each of which must be described.
#[track_caller]
fn keys<'s>(schema: &'s Value, pointer: &str) -> Vec<&'s str> {
    let properties = schema.pointer(pointer).and_then(Value::as_object);
    let properties = properties.unwrap_or_else(|| panic!("nothing at {pointer}"));
    for (key, property) in properties {
        let description = property["description"].as_str().unwrap_or_default();
        assert!(!description.is_empty(), "{pointer}/{key} is not described");
        assert!(!description.contains('\n'), "{pointer}/{key}");
    }
    properties.keys().map(String::as_str).collect()
}

#[test]
fn tool_files() {
    let schema = Document::Tool.schema();
    assert_eq!(keys(&schema, "/properties"), Key::ALL.map(Key::as_str));
    for key in Key::ALL {
        let described = &schema["properties"][key.as_str()]["description"];
        assert_eq!(*described, key.description());
    }
    assert_eq!(
        keys(&schema, "/properties/annotations/properties"),
        Annotations::NAMES
    );
    assert_eq!(keys(&schema, "/properties/output/properties"), Output::KEYS);
    assert_eq!(
        keys(&schema, "/properties/examples/items/anyOf/0/properties"),
        Example::KEYS
    );
    let codes = &schema["properties"]["examples"]["items"]["anyOf"][0]["properties"]["fails"];
    let offered = codes.to_string();
    for code in Example::CODES {
        assert!(
            offered.contains(code.name()),
            "{} in {offered}",
            code.name()
        );
    }
    let mut kinds = keys(&schema, "/properties/implementation/properties");
    // They stand beside `js` and `exec`.
    kinds.retain(|key| !["tools", "stdin", "cwd"].contains(key));
    assert_eq!(kinds, IMPLEMENTATION_KEYS);
}

#[test]
fn parameters() {
    let schema = Document::Tool.schema();
    let all: Vec<&str> = KEYWORDS.iter().map(|(name, _)| *name).collect();
    let mut sugar = all.clone();
    sugar.retain(|name| *name != "required");
    assert_eq!(keys(&schema, "/definitions/SchemaObject/properties"), all);
    assert_eq!(
        keys(&schema, "/definitions/Inner/anyOf/0/properties"),
        sugar
    );
    sugar.push("optional");
    assert_eq!(
        keys(&schema, "/definitions/Entry/anyOf/0/properties"),
        sugar
    );
}

#[test]
fn configuration() {
    let schema = Document::Config.schema();
    let known = Config::keys().into_iter().map(|key| key.name);
    let known: Vec<String> = known.filter(|key| !key.contains('.')).collect();
    assert_eq!(keys(&schema, "/properties"), known);
    assert_eq!(
        keys(&schema, "/properties/lint/properties/rules/properties"),
        rules()
            .map(|rule| rule.name)
            .chain(RETIRED_RULES)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        keys(&schema, "/properties/tool_sources/items/oneOf/3/properties"),
        ["local"]
    );
}
