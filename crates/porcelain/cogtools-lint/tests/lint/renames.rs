//! New names in the language server: all that has the old one changes, or nothing does.

use std::collections::BTreeMap;

use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::server::{Client, position, project, text_at};

const HEAD: &str = "name: greet
description: Greet them
parameters:
  city: {type: string, description: Where}
  town: {type: string, description: Where else}
implementation:";

/// Renames what is behind `needle` in `text`: the response.
fn renamed(project: &Project, text: &str, needle: &str, new: &str) -> Value {
    let mut client = Client::new(project);
    client.open("tools/greet.yaml", text);
    let more = json!({"newName": new});
    client.ask_at("rename", "tools/greet.yaml", text, needle, &more);
    let said = client.end();
    let response = said.into_iter().find(|it| it["id"] == 3);
    response.unwrap()
}

fn refused(project: &Project, implementation: &str, new: &str, expected: &str) {
    let text = format!("{HEAD}{implementation}");
    let response = renamed(project, &text, "\n  city", new);
    assert_eq!(response["error"]["code"], -32803, "{response}");
    assert_eq!(response["error"]["message"], expected, "{text}");
}

/// The text with the edits of the response for its file.
fn edited(text: &str, response: &Value) -> String {
    let changes: BTreeMap<String, Value> =
        serde_json::from_value(response["result"]["changes"].clone()).unwrap();
    assert_eq!(changes.len(), 1, "{response}");
    let mut edits = changes
        .into_values()
        .next()
        .unwrap()
        .as_array()
        .unwrap()
        .clone();
    let start = |edit: &Value| {
        let start = &edit["range"]["start"];
        [
            start["line"].as_u64().unwrap(),
            start["character"].as_u64().unwrap(),
        ]
    };
    edits.sort_by_key(start);
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let end = json!({"start": edit["range"]["end"], "end": position(&text, text.len())});
        let after = text.len() - text_at(&text, &end).len();
        let length = text_at(&text, &edit["range"]).len();
        text.replace_range(after - length..after, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let project = project();
    let both = " '{{ city }}{{ town }}'\n";
    for (implementation, new, expected) in [
        (both, "town", "`town` exists already"),
        (both, "null", "`null` is a word of the language"),
        (both, "True", "`True` is a word of the language"),
        (both, "NULL", "`NULL` is a word of the language"),
        (
            " \"{{ c\\u0069ty }}{{ city }}{{ town }}\"\n",
            "place",
            "`city` is written with an escape or in parts: write it plainly first",
        ),
        (
            " \"{{\\ncity }}{{ city }}{{ town }}\"\n",
            "place",
            "`city` is written with an escape or in parts: write it plainly first",
        ),
        (
            both,
            "no good",
            "`no good` is not a name: write letters, digits and underscores",
        ),
        (
            " '{% for t in [1] %}{{ t }}{{ city }}{{ town }}{% endfor %}'\n",
            "t",
            "a template has a `t` already",
        ),
        (
            "\n  js: |\n    const t = 1; return t + args.city + args.town;\n",
            "t",
            "the code has a `t` already",
        ),
        (
            "\n  js: |\n    const {city} = args; return city + args.town;\n",
            "class",
            "`class` is a word of the language",
        ),
        (
            "\n  script: |\n    #!/usr/bin/env python3\n    import json, sys\n    print(json.load(sys.stdin)[\"city\"])\n",
            "place",
            "a script uses `city`: rename it there first",
        ),
    ] {
        refused(&project, implementation, new, expected);
    }
}

#[test]
fn a_template_of_another_tool_is_not_changed() {
    let project = project();
    let other = HEAD.replace("name: greet", "name: other");
    project.file("tools/part.njk", "{{ city }}\n");
    let own = " |\n  {{ town }}{% include \"part.njk\" %}\n";
    let text = format!("{HEAD}{own}");
    let response = renamed(&project, &text, "\n  city", "place");
    assert_eq!(response["result"]["changes"].as_object().unwrap().len(), 2);
    for use_of_it in [own, " {njk_file: part.njk}\n"] {
        project.file("tools/other.yaml", format!("{other}{use_of_it}"));
        let expected = "`other.yaml` loads a template that would change, too";
        refused(&project, own, "place", expected);
    }
}

#[test]
fn the_schema_changes_wherever_it_names_a_property() {
    let text = "name: greet
description: Greet them
parameters_schema:
  type: object
  required: [city, \"town\"]
  anyOf: [{required: [city]}, {required: [town]}]
  properties:
    city: {type: object, properties: {name: {type: string}}, required: [name]}
    town: {$ref: '#/properties/city'}
    cities: {type: array, items: {$ref: \"#/properties/city\"}}
    label: {$ref: '#/properties/city/properties/name'}
implementation: '{{ city.name }}{{ town.name }}{{ cities | length }}{{ label }}'
";
    let project = project();
    let response = renamed(&project, text, "\n    city", "place");
    let expected = text.replace("city", "place");
    assert_eq!(edited(text, &response), expected);
    let response = renamed(&project, text, "properties: {name", "title");
    let expected = text
        .replace("{name: ", "{title: ")
        .replace("required: [name]", "required: [title]")
        .replace("properties/name", "properties/title")
        .replace("city.name", "city.title");
    assert_eq!(edited(text, &response), expected);
}

#[test]
fn quotes_stay_around_a_name() {
    let text = r#"{"name":"greet","description":"Greet them",
"parameters":{"who":{"type":"string","description":"Who"}},
"examples":[{"who":"Ada"},{'arguments':{'who':'Bob'}}],
"implementation":"Hello {{ who }}"}
"#;
    let project = project();
    let response = renamed(&project, text, "\n\"parameters\":{\"w", "guest");
    let mut expected = text.to_owned();
    for place in ["\"who\"", "'who'", "{ who "] {
        expected = expected.replace(place, &place.replace("who", "guest"));
    }
    assert_eq!(edited(text, &response), expected);
}

#[test]
fn a_byte_order_mark_is_a_character_of_the_client() {
    let project = project();
    let text = format!("\u{feff}{HEAD} '{{{{ city }}}}{{{{ town }}}}'\n");
    let response = renamed(&project, &text, "\n  city", "place");
    assert_eq!(edited(&text, &response), text.replace("city", "place"));
    let text = "\u{feff}{name: greet, description: d, parameters: {a: {type: string}}, implementation: '{{ a }}'}";
    let response = renamed(&project, text, "{{ a", "b");
    let expected = text.replace("{a:", "{b:").replace("{{ a }}", "{{ b }}");
    assert_eq!(edited(text, &response), expected);
    // What is changed behind the mark, and the mark itself.
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", text);
    let mut replace = |from: u64, to: u64, new: &str| {
        let at = |character: u64| json!({"line": 0, "character": character});
        let range = json!({"start": at(from), "end": at(to)});
        let uri = client.uri("tools/greet.yaml");
        client.tell(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": uri, "version": 2},
                "contentChanges": [{"range": range, "text": new}],
            }),
        );
    };
    replace(8, 13, "other");
    replace(0, 1, "");
    let text = text.replace("greet", "other").replace('\u{feff}', "");
    let more = json!({"newName": "b"});
    client.ask_at("rename", "tools/greet.yaml", &text, "{{ a", &more);
    let said = client.end();
    let response = said.into_iter().find(|it| it["id"] == 5);
    let expected = text.replace("{a:", "{b:").replace("{{ a }}", "{{ b }}");
    assert_eq!(edited(&text, &response.unwrap()), expected);
}
