//! Editing a tool file with the real language server.

use std::fs;

use cogtools::schema::{EDITORS, editor_settings};
use serde_json::Value;

use crate::schema::repository;
use crate::schema::server::Server;

const MODELINE: &str = "# yaml-language-server: $schema=../docs/schema/tool.json\n";

const FILE: &str = "tools/facepalm.yaml";

/// The start of a tool file from `cogtools new`, with `rest` appended.
fn tool(rest: &str) -> String {
    format!(
        "#! /usr/bin/env cogtools-yaml\n{MODELINE}$schema: schema:agladysh-research.org,2025/cogtools:tool\n{rest}"
    )
}

#[test]
fn facepalm_has_no_diagnostics() {
    let text = fs::read_to_string(repository().join(FILE)).unwrap();
    let text = if text.contains(MODELINE) {
        text
    } else {
        text.replacen('\n', &format!("\n{MODELINE}"), 1)
    };
    let mut server = Server::open(FILE, &text);
    assert_eq!(server.diagnostics(FILE), Vec::<String>::new());
}

#[test]
fn an_unknown_key_is_reported_at_its_location() {
    let file = "tools/wrong.yaml";
    let text = tool("name: wrong\ndesciption: A\ndescription: A\nimplementation: a\n");
    let mut server = Server::open(file, &text);
    assert_eq!(
        server.diagnostics(file),
        ["5: Property desciption is not allowed."]
    );

    let text = tool(
        "name: wrong\ndescription: A\nparameters:\n  a:\n    type: string\n    optinal: true\nimplementation: a\n",
    );
    let mut server = Server::open(file, &text);
    assert_eq!(
        server.diagnostics(file),
        ["9: Property optinal is not allowed."]
    );
}

#[test]
fn a_key_is_described() {
    let file = "tools/hover.yaml";
    let text = tool(
        "name: hover\ndescription: A\nparameters:\n  a:\n    type: string\n    optional: true\nimplementation: a\n",
    );
    let mut server = Server::open(file, &text);
    for (line, column, words) in [
        (
            5,
            3,
            "The description for the model: what the tool does and when to call it",
        ),
        (9, 7, "a call may omit the parameter"),
        (10, 3, "A string is a Nunjucks template over the arguments"),
    ] {
        let shown = server.hover(file, line, column);
        assert!(shown.contains(words), "{line}:{column}: {shown}");
    }
}

#[test]
fn keys_and_values_are_completed() {
    let file = "tools/complete.yaml";
    let text = tool(
        "name: complete\ndescription: A\nimplementation: a\nparameters:\n  a:\n    type: \n    \n\n",
    );
    let mut server = Server::open(file, &text);
    let top = server.complete(file, 11, 1);
    for key in ["title", "examples", "annotations", "env", "timeout"] {
        assert!(top.iter().any(|label| label == key), "{key} in {top:?}");
    }
    let types = server.complete(file, 9, 11);
    for name in ["string", "integer", "string[]"] {
        assert!(
            types.iter().any(|label| label == name),
            "{name} in {types:?}"
        );
    }
    let inside = server.complete(file, 10, 5);
    for key in ["optional", "description", "enum", "default"] {
        assert!(
            inside.iter().any(|label| label == key),
            "{key} in {inside:?}"
        );
    }
}

#[test]
fn kinds_of_implementation_are_completed() {
    let file = "tools/complete.yaml";
    let text = tool("name: complete\ndescription: A\nimplementation:\n  \n");
    let mut server = Server::open(file, &text);
    let kinds = server.complete(file, 7, 3);
    for key in ["exec", "js", "njk_file", "script"] {
        assert!(kinds.iter().any(|label| label == key), "{key} in {kinds:?}");
    }
}

#[test]
fn items_are_completed_and_required() {
    let file = "tools/complete.yaml";
    let text = tool(
        "name: complete\ndescription: A\nimplementation: a\nparameters:\n  a:\n    type: array\n    \n",
    );
    let mut server = Server::open(file, &text);
    assert_eq!(server.diagnostics(file), ["8: Missing property \"items\"."]);
    let keys = server.complete(file, 10, 5);
    assert!(keys.iter().any(|label| label == "items"), "{keys:?}");
}

#[test]
fn keys_of_examples_are_completed() {
    let file = "tools/complete.yaml";
    let text = tool(
        "name: complete\ndescription: A\nimplementation: a\nexamples:\n  - arguments: {}\n    \n",
    );
    let mut server = Server::open(file, &text);
    let keys = server.complete(file, 9, 5);
    for key in ["contains", "fails", "matches", "name", "redact"] {
        assert!(keys.iter().any(|label| label == key), "{key} in {keys:?}");
    }
}

#[test]
fn rules_of_the_linter_are_completed_and_checked() {
    let file = ".cogtoolrc.yaml";
    let modeline = "# yaml-language-server: $schema=docs/schema/config.json\n";
    let text = format!("{modeline}lint:\n  rules:\n    no-exampels: off\n    \n");
    let mut server = Server::open(file, &text);
    let wrong = ["4: Property no-exampels is not allowed."];
    assert_eq!(server.diagnostics(file), wrong);
    let rules = server.complete(file, 5, 5);
    assert!(
        rules.iter().any(|label| label == "no-examples"),
        "{rules:?}"
    );
}

/// The schemas that the settings of VS Code assign, and the repository's own.
fn assigned_schemas() -> Value {
    let settings = editor_settings("vscode").unwrap();
    let (_, json) = settings.split_once('\n').unwrap();
    let json = json.replace(".cogtools/schema/", "docs/schema/");
    let settings: Value = serde_json::from_str(&json).unwrap();
    settings["yaml.schemas"].clone()
}

#[test]
fn settings_of_an_editor_replace_the_comment() {
    let file = "tools/assigned.yaml";
    let text = "name: assigned\ndescription: A\nimplementation: a\ntitel: A\n";
    let mut server = Server::open_with(&assigned_schemas(), file, text);
    let wrong = ["4: Property titel is not allowed."];
    assert_eq!(server.diagnostics(file), wrong);

    let file = ".cogtoolrc.yaml";
    let mut server = Server::open_with(&assigned_schemas(), file, "tool_source: []\n");
    let wrong = ["1: Property tool_source is not allowed."];
    assert_eq!(server.diagnostics(file), wrong);
}

#[test]
fn every_editor_assigns_the_same_schemas() {
    for (name, settings) in EDITORS {
        for part in [
            ".cogtools/schema/tool.json",
            ".cogtools/schema/config.json",
            ".cogtoolrc.yaml",
        ] {
            assert!(settings.contains(part), "{name}: {part}");
        }
        // Those that are JSON, TOML and XML are well-formed.
        let body = settings.split_once('\n').unwrap().1;
        match name {
            "vscode" | "zed" => drop(serde_json::from_str::<Value>(body).unwrap()),
            "helix" => drop(body.parse::<toml::Table>().unwrap()),
            "jetbrains" => drop(roxmltree::Document::parse(settings).unwrap()),
            _ => assert_eq!(settings.matches('(').count(), settings.matches(')').count()),
        }
    }
}

#[test]
fn files_of_new_have_no_diagnostics() {
    let file = "tools/begun.yaml";
    for template in ["njk", "js", "exec", "script"] {
        let starter = format!("crates/porcelain/cogtools/starter/{template}.yaml");
        let text = fs::read_to_string(repository().join(starter)).unwrap();
        let text = text
            .replace("@NAME@", "begun")
            .replace("@SCHEMA@", "../docs/schema/tool.json");
        let mut server = Server::open(file, &text);
        assert_eq!(server.diagnostics(file), Vec::<String>::new(), "{template}");
        assert!(
            server.hover(file, 6, 3).contains("The tool's name"),
            "{template}"
        );
    }
}

#[test]
fn a_configuration() {
    let file = ".cogtoolrc.yaml";
    let modeline = "# yaml-language-server: $schema=docs/schema/config.json\n";
    let own = fs::read_to_string(repository().join(file)).unwrap();
    let mut server = Server::open(file, &format!("{modeline}{own}"));
    assert_eq!(server.diagnostics(file), Vec::<String>::new());

    let text = format!("{modeline}tool_sources:\n  - local: tools\ntool_source: []\n");
    let mut server = Server::open(file, &text);
    let wrong = ["4: Property tool_source is not allowed."];
    assert_eq!(server.diagnostics(file), wrong);
    assert!(server.hover(file, 2, 3).contains("Where tools come from"));
}
