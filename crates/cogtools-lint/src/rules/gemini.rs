//! What Gemini's `parameters` cannot carry: the API answers 400 to the whole
//! request, with all its other tools.

use cogtools_core::Level;
use cogtools_core::schema::Role;
use serde_json::{Map, Value};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "gemini-keyword",
        level: Level::Warn,
        summary: "a keyword that Gemini's `parameters` does not have",
        why: "the Gemini API answers the whole request with 400; Gemini CLI 0.1 and programs that send `parameters` themselves lose every tool",
        fix: "say it in `description`, or turn the rule off if no such host is used",
        fixable: false,
        fails: case!("gemini-keyword/fails"),
        passes: case!("gemini-keyword/passes"),
        check: keyword,
    },
    Rule {
        name: "gemini-enum",
        level: Level::Warn,
        summary: "an enum with values that are not strings",
        why: "the Gemini API answers the whole request with 400",
        fix: "write the values in quotes with `type: string`, or give `minimum` and `maximum`",
        fixable: false,
        fails: case!("gemini-enum/fails"),
        passes: case!("gemini-enum/passes"),
        check: enumeration,
    },
    Rule {
        name: "gemini-format",
        level: Level::Warn,
        summary: "a `format` of strings other than `date-time` and `enum`",
        why: "the Gemini API answers the whole request with 400, and Gemini CLI 0.2.2 throws on it",
        fix: "describe the form in `description`, or hold it to a `pattern`",
        fixable: false,
        fails: case!("gemini-format/fails"),
        passes: case!("gemini-format/passes"),
        check: format_,
    },
    Rule {
        name: "gemini-empty-object",
        level: Level::Warn,
        summary: "an object that does not name its properties",
        why: "the Gemini API answers the whole request with 400, and OpenAI refuses it in strict mode",
        fix: "name the properties, or take a list of objects with a key and a value",
        fixable: false,
        fails: case!("gemini-empty-object/fails"),
        passes: case!("gemini-empty-object/passes"),
        check: empty_object,
    },
    Rule {
        name: "gemini-parameter-name",
        level: Level::Error,
        summary: "a parameter or property whose name is not `[a-zA-Z_][a-zA-Z0-9_]{0,63}`",
        why: "the Gemini API answers the whole request with 400, and a template cannot name it either",
        fix: "use letters, digits and underscores",
        fixable: false,
        fails: case!("gemini-parameter-name/fails"),
        passes: case!("gemini-parameter-name/passes"),
        check: parameter_name,
    },
];

const KEYWORDS: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "default",
    "example",
    "propertyOrdering",
];
const LONGEST: usize = 64;

fn keyword(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let strange = site
            .schema
            .keys()
            .filter(|key| !KEYWORDS.contains(&key.as_str()));
        for key in strange {
            let message = format!("`{key}` is not a keyword of Gemini's `parameters`");
            findings.at(file.keyword(&site, key), message);
        }
    }
}

fn enumeration(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let values = site.schema.get("enum").and_then(Value::as_array);
        let other = values
            .into_iter()
            .flatten()
            .find(|value| !value.is_string());
        if let Some(other) = other {
            let message = format!("{other} is not a string");
            findings.at(file.keyword(&site, "enum"), message);
        }
    }
}

fn format_(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let text = site.schema.get("type").is_some_and(|kind| kind == "string");
        let format = site.schema.get("format").and_then(Value::as_str);
        let strange = format.filter(|format| !matches!(*format, "enum" | "date-time"));
        if let Some(format) = strange.filter(|_| text) {
            let message = format!("Gemini has no strings of format `{format}`");
            findings.at(file.keyword(&site, "format"), message);
        }
    }
}

fn empty_object(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let object = site.schema.get("type").is_some_and(|kind| kind == "object");
        let properties = site.schema.get("properties").and_then(Value::as_object);
        if object && site.role != Role::Root && properties.is_none_or(Map::is_empty) {
            findings.at(file.keyword(&site, "type"), "an object without properties");
        }
    }
}

fn parameter_name(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        if let Role::Property { name, .. } = site.role
            && !is_name(name)
        {
            let message = format!("`{name}` is not a name that Gemini accepts");
            findings.at(file.locate(&site.pointer), message);
        }
    }
}

fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let other = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(first) && name.chars().all(other) && name.len() <= LONGEST
}
