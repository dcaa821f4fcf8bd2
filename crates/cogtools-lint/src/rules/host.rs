//! What `OpenAI`, `Anthropic` and MCP clients refuse or are not told.

use cogtools_core::Level;
use cogtools_core::schema::Role;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "composed-root",
        level: Level::Error,
        summary: "`allOf`, `anyOf`, `oneOf`, `not` or `enum` at the root of `parameters_schema`",
        why: "OpenAI and Anthropic refuse the whole request: at the top they take a plain object only",
        fix: "put all properties under `properties`, and say in descriptions which go together",
        fixable: false,
        fails: case!("composed-root/fails"),
        passes: case!("composed-root/passes"),
        check: composed_root,
    },
    Rule {
        name: "openai-strict",
        level: Level::Warn,
        summary: "a keyword that OpenAI's strict mode refuses",
        why: "with `strict: true` OpenAI refuses the whole request; without it the model may send what does not fit",
        fix: "say it in `description`, or turn the rule off if strict mode is not used",
        fixable: false,
        fails: case!("openai-strict/fails"),
        passes: case!("openai-strict/passes"),
        check: strict,
    },
    Rule {
        name: "lost-keyword",
        level: Level::Warn,
        summary: "a keyword that JSON Schema does not have: `example`, `discriminator`, `externalDocs`, `xml`, `deprecated`",
        why: "Anthropic, OpenAI, MCP clients and Gemini CLI since 0.2.2 are sent JSON Schema, where it is left out: the model never sees it",
        fix: "say it in `description`; examples of whole calls belong under the tool's `examples`",
        fixable: false,
        fails: case!("lost-keyword/fails"),
        passes: case!("lost-keyword/passes"),
        check: lost,
    },
];

fn composed_root(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites().iter().filter(|site| site.role == Role::Root) {
        for word in ["allOf", "anyOf", "oneOf", "not", "enum"] {
            if site.schema.contains_key(word) {
                let message = format!("`{word}` at the root of the parameters");
                findings.at(file.keyword(site, word), message);
            }
        }
    }
}

fn strict(file: &LintFile, findings: &mut Findings<'_>) {
    const REFUSED: [&str; 6] = [
        "allOf",
        "oneOf",
        "not",
        "minProperties",
        "maxProperties",
        "uniqueItems",
    ];
    for site in file.sites() {
        let open = site
            .schema
            .get("additionalProperties")
            .is_some_and(|value| *value != Value::Bool(false));
        let open = open.then_some("additionalProperties");
        let refused = REFUSED
            .into_iter()
            .filter(|word| site.schema.contains_key(*word));
        for word in refused.chain(open) {
            let message = format!("`{word}` is not part of OpenAI's strict mode");
            findings.at(file.keyword(&site, word), message);
        }
    }
}

fn lost(file: &LintFile, findings: &mut Findings<'_>) {
    const OPENAPI_ONLY: [&str; 5] = [
        "example",
        "discriminator",
        "externalDocs",
        "xml",
        "deprecated",
    ];
    for site in file.sites() {
        for word in OPENAPI_ONLY
            .into_iter()
            .filter(|word| site.schema.contains_key(*word))
        {
            let message = format!("`{word}` does not reach hosts that take JSON Schema");
            findings.at(file.keyword(&site, word), message);
        }
    }
}
