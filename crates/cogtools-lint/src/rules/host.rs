//! What `OpenAI`, `Anthropic` and MCP clients reject or do not receive.

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
        why: "OpenAI and Anthropic would reject the whole request, because at the top level they accept only a plain object; so the tool is not declared for them, and MCP clients get it without the keyword",
        fix: "put all properties under `properties`, and explain in descriptions which of them go together",
        fixable: false,
        fails: case!("composed-root/fails"),
        passes: case!("composed-root/passes"),
        check: composed_root,
    },
    Rule {
        name: "openai-strict",
        level: Level::Warn,
        summary: "a keyword that OpenAI's strict mode rejects",
        why: "with `strict: true` OpenAI rejects the whole request; without it the model may send invalid arguments",
        fix: "describe it in `description`, or turn the rule off if strict mode is not used",
        fixable: false,
        fails: case!("openai-strict/fails"),
        passes: case!("openai-strict/passes"),
        check: openai_strict,
    },
    Rule {
        name: "lost-keyword",
        level: Level::Warn,
        summary: "a keyword that JSON Schema does not have: `example`, `discriminator`, `externalDocs`, `xml`, `deprecated`",
        why: "Anthropic, OpenAI, MCP clients and Gemini CLI since 0.2.2 receive JSON Schema, which omits it: the model never sees it",
        fix: "describe it in `description`; examples of whole calls belong under the tool's `examples`",
        fixable: false,
        fails: case!("lost-keyword/fails"),
        passes: case!("lost-keyword/passes"),
        check: lost_keyword,
    },
];

fn composed_root(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file
        .sub_schemas()
        .iter()
        .filter(|sub_schema| sub_schema.role == Role::Root)
    {
        for keyword in ["allOf", "anyOf", "oneOf", "not", "enum"] {
            if sub_schema.schema.contains_key(keyword) {
                let message = format!("`{keyword}` at the root of the parameters");
                findings.report(file.keyword(sub_schema, keyword), message);
            }
        }
    }
}

fn openai_strict(file: &LintFile, findings: &mut Findings<'_>) {
    const UNSUPPORTED: [&str; 6] = [
        "allOf",
        "oneOf",
        "not",
        "minProperties",
        "maxProperties",
        "uniqueItems",
    ];
    for sub_schema in file.sub_schemas() {
        let open = sub_schema
            .schema
            .get("additionalProperties")
            .is_some_and(|value| *value != Value::Bool(false));
        let open = open.then_some("additionalProperties");
        let unsupported = UNSUPPORTED
            .into_iter()
            .filter(|keyword| sub_schema.schema.contains_key(*keyword));
        for keyword in unsupported.chain(open) {
            let message = format!("`{keyword}` is not part of OpenAI's strict mode");
            findings.report(file.keyword(&sub_schema, keyword), message);
        }
    }
}

fn lost_keyword(file: &LintFile, findings: &mut Findings<'_>) {
    const OPENAPI_ONLY: [&str; 5] = [
        "example",
        "discriminator",
        "externalDocs",
        "xml",
        "deprecated",
    ];
    for sub_schema in file.sub_schemas() {
        for keyword in OPENAPI_ONLY
            .into_iter()
            .filter(|keyword| sub_schema.schema.contains_key(*keyword))
        {
            let message = format!("`{keyword}` does not reach hosts that use JSON Schema");
            findings.report(file.keyword(&sub_schema, keyword), message);
        }
    }
}
