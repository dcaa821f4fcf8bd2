//! Schemas that contradict themselves.

use cogtools_core::Level;
use cogtools_core::schema::{Role, SubSchema};
use cogtools_core::suggest::did_you_mean;
use serde_json::Value;

use crate::contradiction::ContradictionKind;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::required_names::undeclared;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "impossible-schema",
        level: Level::Error,
        summary: "a schema that no value satisfies: bounds that leave nothing, parts that exclude each other, a list that needs more than there is",
        why: "every call that has it fails, and if it is required, every call; hosts that generate arguments from the schema reject it or never end",
        fix: "correct the keyword that excludes the rest",
        fixable: false,
        fails: case!("impossible-schema/fails"),
        passes: case!("impossible-schema/passes"),
        check: impossible_schema,
    },
    Rule {
        name: "impossible-choice",
        level: Level::Error,
        summary: "a value of an enum, a branch or a property that the rest of the schema excludes, or that is there twice",
        why: "the declaration says that it may be sent, and the call fails",
        fix: "remove it, or correct what excludes it",
        fixable: false,
        fails: case!("impossible-choice/fails"),
        passes: case!("impossible-choice/passes"),
        check: impossible_choice,
    },
    Rule {
        name: "overlapping-branches",
        level: Level::Warn,
        summary: "branches of `oneOf` that take the same value, or branches that are equal",
        why: "`oneOf` rejects a value that two branches take, though each alone permits it",
        fix: "write `anyOf`, or make the branches exclude each other, as by a property with an enum of one value",
        fixable: false,
        fails: case!("overlapping-branches/fails"),
        passes: case!("overlapping-branches/passes"),
        check: overlapping_branches,
    },
    Rule {
        name: "undeclared-required",
        level: Level::Error,
        summary: "a name under `required` that `properties` does not have",
        why: "undeclared arguments are rejected, so every call fails: with the argument, and without it",
        fix: "declare the property, or correct the name",
        fixable: false,
        fails: case!("undeclared-required/fails"),
        passes: case!("undeclared-required/passes"),
        check: undeclared_required,
    },
    Rule {
        name: "useless-keyword",
        level: Level::Warn,
        summary: "a keyword that does nothing for the type beside it, such as `minLength` for an integer",
        why: "no value is checked against it, and OpenAI rejects some of them in strict mode",
        fix: "remove it, or correct the type",
        fixable: false,
        fails: case!("useless-keyword/fails"),
        passes: case!("useless-keyword/passes"),
        check: useless_keyword,
    },
];

/// The keywords that only values of one type are checked against.
const KEYWORDS: [(&str, &[&str]); 16] = [
    ("minLength", &["string"]),
    ("maxLength", &["string"]),
    ("pattern", &["string"]),
    ("minimum", &["integer", "number"]),
    ("maximum", &["integer", "number"]),
    ("exclusiveMinimum", &["integer", "number"]),
    ("exclusiveMaximum", &["integer", "number"]),
    ("multipleOf", &["integer", "number"]),
    ("items", &["array"]),
    ("minItems", &["array"]),
    ("maxItems", &["array"]),
    ("uniqueItems", &["array"]),
    ("properties", &["object"]),
    ("minProperties", &["object"]),
    ("maxProperties", &["object"]),
    ("required", &["object"]),
];

/// The formats of one type.
const FORMATS: [(&str, &str); 16] = [
    ("int32", "number"),
    ("int64", "number"),
    ("float", "number"),
    ("double", "number"),
    ("date", "string"),
    ("date-time", "string"),
    ("time", "string"),
    ("duration", "string"),
    ("email", "string"),
    ("uri", "string"),
    ("uuid", "string"),
    ("hostname", "string"),
    ("ipv4", "string"),
    ("ipv6", "string"),
    ("byte", "string"),
    ("password", "string"),
];

fn report(file: &LintFile, findings: &mut Findings<'_>, kind: ContradictionKind) {
    let found = file.contradictions().iter();
    for one in found.filter(|one| one.kind == kind) {
        findings.report(file.locate(&one.pointer), one.message.clone());
    }
}

fn impossible_schema(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, ContradictionKind::Schema);
}

fn impossible_choice(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, ContradictionKind::Choice);
}

fn overlapping_branches(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, ContradictionKind::Overlap);
}

fn undeclared_required(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    for one in undeclared(tool.schema()) {
        let finding = findings.report(
            file.locate(&one.pointer),
            format!("`{}` is required, but not declared", one.name),
        );
        if let Some(suggestion) = one.suggestion {
            finding.fix(suggestion);
        }
    }
}

fn useless_keyword(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let Some(kind) = sub_schema.schema.get("type").and_then(Value::as_str) else {
            continue;
        };
        let mut useless: Vec<&str> = KEYWORDS
            .iter()
            .filter(|(_, kinds)| !kinds.contains(&kind))
            .map(|(keyword, _)| *keyword)
            .filter(|keyword| sub_schema.schema.contains_key(*keyword))
            .collect();
        if kind != "object" && sub_schema.schema.contains_key("additionalProperties") {
            useless.push("additionalProperties");
        }
        if has_useless_format(&sub_schema, kind) {
            useless.push("format");
        }
        for keyword in useless {
            let message = format!("`{keyword}` does nothing for values of type `{kind}`");
            findings.report(file.keyword(&sub_schema, keyword), message);
        }
        if sub_schema.role == Role::Part && sub_schema.schema.contains_key("default") {
            let message = "`default` does nothing here: only a property can be left out";
            findings.report(file.keyword(&sub_schema, "default"), message);
        }
    }
}

/// Whether the format is one of another type, or of none at all.
fn has_useless_format(sub_schema: &SubSchema<'_>, kind: &str) -> bool {
    let Some(written) = sub_schema.schema.get("format").and_then(Value::as_str) else {
        return false;
    };
    let kind = if kind == "integer" { "number" } else { kind };
    match FORMATS.iter().find(|(name, _)| *name == written) {
        Some((_, of)) => *of != kind,
        None if [
            "datetime-local",
            "local-date-time",
            "timestamp",
            "url",
            "link",
        ]
        .contains(&written) =>
        {
            true
        }
        // Texts can have any format, but hardly one that is nearly spelt like another.
        None => kind != "string" || did_you_mean(written, FORMATS.map(|(name, _)| name)).is_some(),
    }
}
