//! Schema and parser accept the same tool files and configurations.

use std::fs;
use std::path::Path;

use cogtools::schema::Document;
use cogtools_core::owner::Owners;
use cogtools_core::text::Text;
use cogtools_core::{Config, ConfigPaths, Project, Tool};
use jsonschema::Validator;
use serde_json::Value;

use crate::schema::configurations::CONFIGURATIONS;
use crate::schema::repository;

/// A valid tool file to append to.
const SOUND: &str = "name: a\ndescription: A\n";

fn validator(document: Document) -> Validator {
    jsonschema::draft7::new(&document.schema()).expect("a JSON Schema of draft 7")
}

fn value(yaml: &str) -> Value {
    serde_yaml::from_str(yaml).expect("YAML")
}

#[test]
fn the_projects_own_tools_are_valid() {
    let validator = validator(Document::Tool);
    let mut seen = 0;
    for entry in fs::read_dir(repository().join("tools")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy();
        if name.ends_with(".yaml") && !name.ends_with(".evals.yaml") {
            let tool = value(&fs::read_to_string(&path).unwrap());
            let wrong: Vec<String> = validator
                .iter_errors(&tool)
                .map(|error| error.to_string())
                .collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn tools() {
    let validator = validator(Document::Tool);
    for (rest, fine) in TOOLS {
        let yaml = if rest.contains("implementation") {
            format!("{SOUND}{rest}\n")
        } else {
            format!("{SOUND}implementation: a\n{rest}\n")
        };
        let text = Text::new("a.yaml", yaml.clone().into_bytes()).unwrap();
        assert_eq!(Tool::parse(text).is_ok(), *fine, "the parser on\n{yaml}");
        assert_eq!(
            validator.is_valid(&value(&yaml)),
            *fine,
            "the schema on\n{yaml}"
        );
    }
}

const TOOLS: &[(&str, bool)] = &[
    ("", true),
    ("titel: A", false),
    ("title: ' '", false),
    ("title: 1", false),
    (
        "$schema: schema:agladysh-research.org,2025/cogtools:tool",
        true,
    ),
    ("$schema: https://example.org/tool", false),
    ("parameters:", true),
    ("parameters: [a]", false),
    ("parameters: {a: string}", true),
    ("parameters: {a: 'integer[][]'}", true),
    ("parameters: {a: int}", false),
    ("parameters: {a: array}", false),
    ("parameters: {a: {type: array}}", false),
    ("parameters: {a: {type: array, items: string}}", true),
    (
        "parameters_schema: {type: object, properties: {a: {type: array}}}",
        false,
    ),
    ("parameters: {a: }", false),
    ("parameters: {a: {type: 'string[]', optional: true}}", true),
    (
        "parameters: {a: {type: string, optional: yes please}}",
        false,
    ),
    ("parameters: {a: {type: string, desciption: A}}", false),
    ("parameters: {a: {type: string, required: [b]}}", false),
    ("parameters: {a: {enum: [b, c], default: b}}", true),
    ("parameters: {a: {enum: []}}", false),
    (
        "parameters: {a: {type: array, items: {type: string, minLength: 1}}}",
        true,
    ),
    (
        "parameters: {a: {type: array, items: {type: string, optional: true}}}",
        false,
    ),
    (
        "parameters: {a: {type: object, properties: {b: {type: string, optional: true}}}}",
        true,
    ),
    (
        "parameters: {a: {type: object, properties: {b: {kind: string}}}}",
        false,
    ),
    ("parameters: {a: {type: string, minLength: -1}}", false),
    (
        "parameters: {a: {type: number, exclusiveMinimum: 3}}",
        false,
    ),
    ("parameters: {a: {type: string, x-note: [1]}}", true),
    ("parameters: {a: {oneOf: [string, integer]}}", true),
    (
        "parameters_schema: {type: object, properties: {a: {type: string}}, required: [a]}",
        true,
    ),
    (
        "parameters_schema: {type: object, properties: {a: {type: 'string[]'}}}",
        false,
    ),
    (
        "parameters_schema: {type: object, properties: {a: string}}",
        false,
    ),
    ("parameters_schema: {type: string}", false),
    ("parameters_schema: {properties: {}}", false),
    (
        "parameters: {a: string}\nparameters_schema: {type: object}",
        false,
    ),
    ("examples: [{}]", true),
    ("examples: [{name: a, arguments: {}, redact: b}]", true),
    (
        "examples: [{arguments: {}, fails: TIMEOUT, contains: [a, b], matches: c}]",
        true,
    ),
    ("examples: {}", false),
    ("examples: [a]", false),
    ("implementation: {exec: [echo, '{{ a }}']}", true),
    ("implementation: {exec: []}", false),
    ("implementation: {script: \"#! /bin/sh\\ntrue\"}", true),
    ("implementation: {script: 'true'}", false),
    ("implementation: {njk_file: a.njk}", true),
    ("implementation: {njk_file: parts/a.njk}", true),
    ("implementation: {njk_file: ../a.njk}", false),
    ("implementation: {njk_file: parts/../a.njk}", false),
    ("implementation: {njk_file: /a.njk}", false),
    ("implementation: {njk_file: ''}", false),
    ("implementation: [a]", false),
    ("implementation: {}", false),
    ("implementation: {njk: a}", false),
    ("implementation: {njk_file: a.njk, exec: [a]}", false),
    ("implementation: {js: return 1}", true),
    ("implementation: {js: ' '}", false),
    ("implementation: {js: [1]}", false),
    ("implementation: {js: return 1, exec: [a]}", false),
    ("implementation: ''", false),
    ("output: {type: text}", true),
    ("output: {type: json}", true),
    ("output: {type: json, schema: {type: string}}", true),
    (
        "output: {type: json, schema: {type: array, items: {type: integer}}}",
        true,
    ),
    ("output: {type: json, schema: {type: int}}", false),
    ("output: {type: json, schema: string}", false),
    ("output: {type: text, schema: {type: string}}", false),
    ("output: {schema: {type: string}}", false),
    ("output: {type: yaml}", false),
    ("output: {type: json, shema: {}}", false),
    ("output: {}", false),
    ("output: json", false),
    ("annotations: {read_only: true}", true),
    ("annotations: {read_only: }", false),
    ("annotations: {readonly: true}", false),
    ("capabilities: [search.web]", true),
    ("capabilities: [search]", false),
    ("env: [API_KEY]", true),
    ("env: [API-KEY]", false),
    ("timeout: 0.5", true),
    ("timeout: 0", false),
    ("timeout: 10s", false),
];

#[test]
fn configurations() {
    let validator = validator(Document::Config);
    let project = cogtools_test_support::Project::new();
    for (yaml, fine) in CONFIGURATIONS {
        let (yaml, fine) = (*yaml, *fine);
        project.file(".cogtoolrc.yaml", yaml);
        let parsed = Config::load(
            &Project::find(&project.root(), None::<&Path>, &Owners::default()),
            &ConfigPaths {
                home: Some(project.home()),
                ..ConfigPaths::default()
            },
        );
        assert_eq!(parsed.is_ok(), fine, "the parser on {yaml}");
        assert_eq!(
            validator.is_valid(&value(yaml)),
            fine,
            "the schema on {yaml}"
        );
    }
}
