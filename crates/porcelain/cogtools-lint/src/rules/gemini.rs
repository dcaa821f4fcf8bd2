//! Schemas that Gemini's `parameters` cannot express: a declaration leaves out what the API rejects,
//! and models that read it do not see it.

use cogtools_core::schema::{GEMINI_KEYWORDS, Role};
use cogtools_core::{Level, Target};
use serde_json::{Map, Value};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "gemini-keyword",
        level: Level::Warn,
        summary: "a keyword that Gemini's `parameters` does not support",
        why: "`parameters` is declared without it, so models behind Gemini CLI 0.1 and programs that send `parameters` do not see it; the Gemini API rejects a whole request that has it",
        fix: "describe it in `description`, or turn the rule off if no such host is used",
        example: example!("gemini-keyword"),
        check: gemini_keyword,
    },
    Rule {
        name: "gemini-enum",
        level: Level::Warn,
        summary: "an enum with values that are not strings, or with the empty string",
        why: "`parameters` is declared without the enum, so models behind Gemini CLI 0.1 and programs that send `parameters` do not see it; the Gemini API rejects a whole request that has it",
        fix: "write the values in quotes with `type: string`, or use `minimum` and `maximum`",
        example: example!("gemini-enum"),
        check: gemini_enum,
    },
    Rule {
        name: "gemini-format",
        level: Level::Warn,
        summary: "a string `format` other than `date-time` and `enum`",
        why: "`parameters` is declared without it, because the Gemini API rejects a whole request that has it; Gemini CLI 0.2.2 throws on it",
        fix: "describe the format in `description`, or add a `pattern`",
        example: example!("gemini-format"),
        check: gemini_format,
    },
    Rule {
        name: "gemini-empty-object",
        level: Level::Warn,
        summary: "an object that does not name its properties",
        why: "models know nothing of what belongs in it, the Gemini API rejects `properties: {}`, and OpenAI's strict mode rejects maps",
        fix: "name the properties, or use a list of objects with a key and a value",
        example: example!("gemini-empty-object"),
        check: gemini_empty_object,
    },
    Rule {
        name: "gemini-parameter-name",
        level: Level::Error,
        summary: "a parameter or property whose name is not `[a-zA-Z_][a-zA-Z0-9_]{0,63}`",
        why: "the Gemini API would reject the whole request with status 400, so the tool is not declared to Gemini CLI and to MCP clients; a template cannot refer to the name either",
        fix: "use letters, digits and underscores",
        example: example!("gemini-parameter-name"),
        check: gemini_parameter_name,
    },
];

fn gemini_keyword(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let keys = sub_schema.schema.keys();
        for key in keys.filter(|key| !GEMINI_KEYWORDS.contains(&key.as_str())) {
            let message = format!("`{key}` is not a keyword of Gemini's `parameters`");
            findings.report(file.keyword(&sub_schema, key), message);
        }
    }
}

fn gemini_enum(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let values = sub_schema.schema.get("enum").and_then(Value::as_array);
        let mut values = values.into_iter().flatten();
        if let Some(other) = values.find(|value| value.as_str().is_none_or(str::is_empty)) {
            let span = file.keyword(&sub_schema, "enum");
            if other.is_string() {
                findings
                    .report(span, "Gemini does not support the empty string in an enum")
                    .fix("leave it out, and make the parameter optional");
            } else {
                findings.report(span, format!("{other} is not a string"));
            }
        }
    }
}

fn gemini_format(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let text = |key: &str| sub_schema.schema.get(key).and_then(Value::as_str);
        let format = text("format").filter(|_| text("type") == Some("string"));
        let unsupported = format.filter(|format| !matches!(*format, "enum" | "date-time"));
        if let Some(format) = unsupported {
            let message = format!("Gemini does not support the string format `{format}`");
            findings.report(file.keyword(&sub_schema, "format"), message);
        }
    }
}

fn gemini_empty_object(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let schema = sub_schema.schema;
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        let properties = schema.get("properties").and_then(Value::as_object);
        if is_object && sub_schema.role != Role::Root && properties.is_none_or(Map::is_empty) {
            let span = file.keyword(&sub_schema, "type");
            findings.report(span, "an object without properties");
        }
    }
}

fn gemini_parameter_name(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        if let Role::Property { name, .. } = sub_schema.role
            && !Target::Gemini.accepts_parameter(name)
        {
            let message = format!("`{name}` is not a name that Gemini accepts");
            findings.report(file.locate(&sub_schema.pointer), message);
        }
    }
}
