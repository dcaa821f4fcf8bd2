//! Schemas that `OpenAI`, `Anthropic` and MCP clients reject or do not receive.

use cogtools_core::schema::{Role, looks_around};
use cogtools_core::{HostLimit, Level};
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::parameter_types::is_open;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "composed-root",
        level: Level::Error,
        summary: "`allOf`, `anyOf`, `oneOf`, `not` or `enum` at the root of `parameters_schema`",
        why: "OpenAI and Anthropic would reject the whole request, because at the top level they accept only a plain object; so the tool is not declared for them, and MCP clients get it without the keyword",
        fix: "put all properties under `properties`, and explain in descriptions which of them go together",
        example: example!("composed-root"),
        check: composed_root,
    },
    Rule {
        name: "openai-strict",
        level: Level::Warn,
        summary: "a keyword that OpenAI's strict mode rejects, or look-around in a `pattern`",
        why: "a program that sets `strict: true` itself has its whole request rejected; `--format openai-strict` leaves the keyword out, or does without strict mode for maps, and the model may send invalid arguments",
        fix: "describe it in `description`, or turn the rule off if strict mode is not used",
        example: example!("openai-strict"),
        check: openai_strict,
    },
    Rule {
        name: "host-limit",
        level: Level::Warn,
        summary: "a schema with more properties, values or levels than a host accepts",
        why: "OpenAI rejects the whole request in strict mode; long enums cost tokens with every request to any host",
        fix: "take a text instead of a long enum, or split the tool",
        example: example!("host-limit"),
        check: host_limit,
    },
    Rule {
        name: "lost-keyword",
        level: Level::Warn,
        summary: "a keyword that JSON Schema does not have: `example`, `discriminator`, `externalDocs`, `xml`, `deprecated`",
        why: "Anthropic, OpenAI, MCP clients and Gemini CLI since 0.2.2 receive JSON Schema, which omits it: the model never sees it",
        fix: "describe it in `description`; examples of whole calls belong under the tool's `examples`",
        example: example!("lost-keyword"),
        check: lost_keyword,
    },
];

fn composed_root(file: &LintFile, findings: &mut Findings<'_>) {
    let root = file.sub_schemas().into_iter();
    for sub_schema in root.filter(|it| it.role == Role::Root) {
        for keyword in ["allOf", "anyOf", "oneOf", "not", "enum"] {
            if sub_schema.schema.contains_key(keyword) {
                let message = format!("`{keyword}` at the root of the parameters");
                findings.report(file.keyword(&sub_schema, keyword), message);
            }
        }
    }
}

fn openai_strict(file: &LintFile, findings: &mut Findings<'_>) {
    const UNSUPPORTED: &str = "allOf oneOf not minProperties maxProperties uniqueItems";
    for sub_schema in file.sub_schemas() {
        let pattern = sub_schema.schema.get("pattern").and_then(Value::as_str);
        if pattern.is_some_and(looks_around) {
            let message = "look-around in a pattern is not part of OpenAI's strict mode";
            findings.report(file.keyword(&sub_schema, "pattern"), message);
        }
        let open = is_open(sub_schema.schema).then_some("additionalProperties");
        let unsupported = UNSUPPORTED.split(' ');
        let unsupported = unsupported.filter(|keyword| sub_schema.schema.contains_key(*keyword));
        for keyword in unsupported.chain(open) {
            let message = format!("`{keyword}` is not part of OpenAI's strict mode");
            findings.report(file.keyword(&sub_schema, keyword), message);
        }
    }
}

fn host_limit(file: &LintFile, findings: &mut Findings<'_>) {
    let exceeded = file.schema().map(HostLimit::exceeded_by);
    for (pointer, message) in exceeded.unwrap_or_default() {
        findings.report(file.locate(&pointer), message);
    }
}

fn lost_keyword(file: &LintFile, findings: &mut Findings<'_>) {
    const OPENAPI_ONLY: &str = "example discriminator externalDocs xml deprecated";
    for sub_schema in file.sub_schemas() {
        // A note on what to use instead is a part of the description.
        let about = sub_schema.schema.get("description").and_then(Value::as_str);
        let is_noted = about.is_some_and(|it| it.starts_with("Deprecated: "));
        let keywords = OPENAPI_ONLY.split(' ');
        for keyword in keywords.filter(|keyword| sub_schema.schema.contains_key(*keyword)) {
            if keyword != "deprecated" || !is_noted {
                let message = format!("`{keyword}` does not reach hosts that use JSON Schema");
                findings.report(file.keyword(&sub_schema, keyword), message);
            }
        }
    }
}
