//! Quick fixes of the language server, and the fix of a whole file.

use serde_json::{Value, json};

use crate::server::{Client, position, project, text_at};

const HEAD: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greets people by the mood that they have
parameters:
  mood: {type: string, enum: [fast, slow], description: How}
  city: {type: string, description: Where}
";

/// The actions that are offered for all of `text`.
fn offered(text: &str, only: &Value) -> (Vec<Value>, String) {
    let project = project();
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", text);
    let uri = client.uri("tools/greet.yaml");
    let range = json!({"start": position(text, 0), "end": position(text, text.len())});
    let context = json!({"diagnostics": [], "only": only});
    let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
    client.ask("textDocument/codeAction", params);
    let actions = client.last_result().as_array().unwrap().clone();
    (actions, uri)
}

/// The title, the kind, the text that is replaced and its replacement, for each edit.
fn check(text: &str, only: &Value, expected: &[[&str; 4]]) {
    let (actions, uri) = offered(text, only);
    let mut found = Vec::new();
    for action in &actions {
        for edit in action["edit"]["changes"][&uri].as_array().unwrap() {
            let (title, kind) = (&action["title"], &action["kind"]);
            found.push([
                title.as_str().unwrap().to_owned(),
                kind.as_str().unwrap().to_owned(),
                text_at(text, &edit["range"]).to_owned(),
                edit["newText"].as_str().unwrap().to_owned(),
            ]);
        }
    }
    assert_eq!(found, expected, "{text}");
}

fn check_quick(implementation: &str, expected: &[[&str; 2]]) {
    let text = format!("{HEAD}implementation:{implementation}");
    let (actions, uri) = offered(&text, &json!(["quickfix"]));
    let edits = actions.iter().map(|it| &it["edit"]["changes"][&uri][0]);
    let found: Vec<[&str; 2]> = edits
        .map(|it| {
            [
                text_at(&text, &it["range"]),
                it["newText"].as_str().unwrap(),
            ]
        })
        .collect();
    assert_eq!(found, expected, "{text}");
    assert!(actions.iter().all(|it| it["isPreferred"] != true));
}

#[test]
fn a_name_that_was_meant_is_written() {
    check_quick(
        " |\n  {{ mood }}{{ citty }}{{ city }}\n",
        &[["citty", "city"]],
    );
    check_quick(" |\n  {{ mood }}{{ city | uper }}\n", &[["uper", "upper"]]);
    check_quick(
        "\n  js: |\n    return args.citty + args.mood + args.city;\n",
        &[["citty", "city"]],
    );
    check_quick(
        " \"it's {{ mood }}{{ citty }}{{ city }}\"\n",
        &[["citty", "city"]],
    );
    let unknown = " |\n  {{ mood }}{{ city }}\nanotations: {read_only: true}\n";
    check_quick(unknown, &[["anotations", "annotations"]]);
}

#[test]
fn a_value_of_an_enum_is_written_where_the_wrong_one_is() {
    check_quick(
        " |\n  {{ city }}{% if mood == \"Fast\" %}x{% endif %}\n",
        &[["Fast", "fast"]],
    );
    for code in [
        "return args.mood === \"Fast\" ? 1 : args.city;",
        "switch (args.mood) { case \"Fast\": return args.city; } return 2;",
        "return [\"Fast\"].includes(args.mood) ? 1 : args.city;",
    ] {
        check_quick(&format!("\n  js: |\n    {code}\n"), &[["Fast", "fast"]]);
    }
}

#[test]
fn each_name_has_its_own_action() {
    let text = format!("{HEAD}implementation: |\n  {{{{ mood }}}}{{{{ city }}}}\n");
    let text = text.replace(
        "  city:",
        "  citya: {type: string, description: A}\n  cityb:",
    );
    let text = text.replace("{{ city }}", "{{ cityc }}{{ citya }}{{ cityb }}");
    check(
        &text,
        &json!(["quickfix"]),
        &[
            ["Write `citya`", "quickfix", "cityc", "citya"],
            ["Write `cityb`", "quickfix", "cityc", "cityb"],
        ],
    );
}

#[test]
fn the_title_says_what_is_written() {
    let text = format!("{HEAD}implementation: '{{{{ mood }}}}{{{{ city }}}}'\n");
    let text = text.replace(
        "{type: string, description: Where}",
        "{type: str, description: Where}",
    );
    check(
        &text,
        &json!(["quickfix"]),
        &[["Write `string`", "quickfix", "str", "string"]],
    );
}

#[test]
fn advice_is_neither_preferred_nor_in_the_fix_of_the_file() {
    let head = HEAD.split("parameters:").next().unwrap();
    let text = format!("{head}implementation:\n  exec: [date]\n");
    let (actions, _) = offered(&text, &Value::Null);
    let kinds: Vec<&Value> = actions.iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["quickfix"], "{actions:?}");
    assert_eq!(actions[0]["isPreferred"], false);
}

#[test]
fn the_fix_of_the_file_has_no_edits_that_overlap() {
    let body = "implementation: '{{ mood }}{{ city }}'";
    let all = json!(["source"]);
    let title = "Fix what can be fixed safely";
    let one = |text: &str, replaced: &str, new: &str| {
        let text = format!("{HEAD}{text}");
        check(&text, &all, &[[title, "source.fixAll", replaced, new]]);
    };
    one(&format!("{body}  \n"), "  ", "");
    one(&format!("{body}\n\n\n"), "\n\n\n", "\n");
    one(body, "", "\n");
    let both = format!("{HEAD}{body}   ");
    let (actions, uri) = offered(&both, &all);
    let edits = actions[0]["edit"]["changes"][&uri].as_array().unwrap();
    assert_eq!(edits.len(), 1, "{edits:?}");
    check(&both, &json!(["refactor", "source.organizeImports"]), &[]);
}

#[test]
fn carriage_returns_go_with_their_line_feeds() {
    let text = format!("{HEAD}implementation: '{{{{ mood }}}}{{{{ city }}}}'\n");
    let text = text.replace('\n', "\r\n");
    let (actions, uri) = offered(&text, &json!(["source.fixAll"]));
    let edits = actions[0]["edit"]["changes"][&uri].as_array().unwrap();
    assert_eq!(edits.len(), text.matches('\n').count());
    for (index, edit) in edits.iter().enumerate() {
        let length = text.lines().nth(index).unwrap().len();
        let range = json!({
            "start": {"line": index, "character": length},
            "end": {"line": index + 1, "character": 0},
        });
        assert_eq!(*edit, json!({"range": range, "newText": "\n"}));
    }
}
