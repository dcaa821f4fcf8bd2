//! Schemas that are valid but do not do what they seem to.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_core::Level;
use cogtools_core::pointer::child;
use cogtools_core::schema::{Role, Schema, SubSchema};
use cogtools_core::suggest::Suggestion;
use serde_json::{Map, Value};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::parameter_types::is_open;
use crate::program::is_in;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "required-with-default",
        level: Level::Warn,
        summary: "a property of `parameters_schema` that is required and has a default",
        why: "a default replaces an omitted property, and a required property cannot be omitted: the default is never used, and models get contradictory information",
        fix: "remove it from `required`, or remove `default`",
        example: example!("required-with-default"),
        check: required_with_default,
    },
    Rule {
        name: "lone-exclusive-bound",
        level: Level::Warn,
        summary: "`exclusiveMinimum` or `exclusiveMaximum` without the bound that it modifies",
        why: "in OpenAPI 3.0 it only modifies `minimum` or `maximum`; alone it has no effect, and hosts do not receive it",
        fix: "add the bound, as in `minimum: 0` with `exclusiveMinimum: true`, or remove it",
        example: example!("lone-exclusive-bound"),
        check: lone_exclusive_bound,
    },
    Rule {
        name: "lone-nullable",
        level: Level::Warn,
        summary: "`nullable` that permits nothing: without `type`, or beside an enum without null",
        why: "it has an effect only together with `type`, and only if null is among the values of the enum; Gemini CLI 0.35 and later stops validating when it finds it without `type`, and other hosts do not receive it then",
        fix: "add `type`, or null to the enum, or remove `nullable`",
        example: example!("lone-nullable"),
        check: lone_nullable,
    },
    Rule {
        name: "untyped",
        level: Level::Warn,
        summary: "a parameter, a property or items without a type",
        why: "a model may send anything; OpenAI rejects it in strict mode",
        fix: "add `type`",
        example: example!("untyped"),
        check: untyped,
    },
    Rule {
        name: "impossible-schema",
        level: Level::Error,
        summary: "a schema that no value satisfies: bounds that leave nothing, parts that exclude each other, a list that needs more than there is",
        why: "every call that has it fails, and if it is required, every call; hosts that generate arguments from the schema reject it or never end",
        fix: "correct the keyword that excludes the rest",
        example: example!("impossible-schema"),
        check: contradicted,
    },
    Rule {
        name: "impossible-choice",
        level: Level::Error,
        summary: "a value of an enum, a branch or a property that the rest of the schema excludes, or that is there twice",
        why: "the declaration says that it may be sent, and the call fails",
        fix: "remove it, or correct what excludes it",
        example: example!("impossible-choice"),
        check: contradicted,
    },
    Rule {
        name: "overlapping-branches",
        level: Level::Warn,
        summary: "branches of `oneOf` that take the same value, or branches that are equal",
        why: "`oneOf` rejects a value that two branches take, though each alone permits it",
        fix: "write `anyOf`, or make the branches exclude each other, as by a property with an enum of one value",
        example: example!("overlapping-branches"),
        check: contradicted,
    },
    Rule {
        name: "undeclared-required",
        level: Level::Error,
        summary: "a name under `required` that `properties` does not have",
        why: "undeclared arguments are rejected, so every call fails: with the argument, and without it",
        fix: "declare the property, or correct the name",
        example: example!("undeclared-required"),
        check: undeclared_required,
    },
    Rule {
        name: "useless-keyword",
        level: Level::Warn,
        summary: "a keyword that does nothing for the type beside it, such as `minLength` for an integer",
        why: "no value is checked against it, and OpenAI rejects some of them in strict mode",
        fix: "remove it, or correct the type",
        example: example!("useless-keyword"),
        check: useless_keyword,
    },
];

/// The keywords that only values of one type are checked against, by type.
const KEYWORDS: [(&str, &str); 4] = [
    ("string", "minLength maxLength pattern"),
    (
        "integer number",
        "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    ),
    ("array", "items minItems maxItems uniqueItems"),
    ("object", "properties minProperties maxProperties required"),
];

/// The formats of numbers, and of texts.
const FORMATS: [(&str, &str); 2] = [
    ("number", "int32 int64 float double"),
    (
        "string",
        "date date-time time duration email uri uuid hostname ipv4 ipv6 byte password",
    ),
];

fn required_with_default(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        if let Role::Property { name, required } = sub_schema.role
            && required
            && sub_schema.schema.contains_key("default")
        {
            let message = format!("`{name}` is required, so its default is never used");
            findings.report(file.keyword(&sub_schema, "default"), message);
        }
    }
}

fn lone_exclusive_bound(file: &LintFile, findings: &mut Findings<'_>) {
    let pairs = [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ];
    for sub_schema in file.sub_schemas() {
        for (flag, bound) in pairs {
            let set = sub_schema.schema.get(flag) == Some(&Value::Bool(true));
            if set && !sub_schema.schema.contains_key(bound) {
                let span = file.keyword(&sub_schema, flag);
                findings.report(span, format!("`{flag}` without `{bound}` has no effect"));
            }
        }
    }
}

fn lone_nullable(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let set = sub_schema.schema.get("nullable") == Some(&Value::Bool(true));
        if set && !sub_schema.schema.contains_key("type") {
            let span = file.keyword(&sub_schema, "nullable");
            findings.report(span, "`nullable` without `type` has no effect");
        }
    }
    contradicted(file, findings);
}

/// Reports the contradictions of the rule.
fn contradicted(file: &LintFile, findings: &mut Findings<'_>) {
    let rule = findings.rule();
    let found = file.contradictions().iter();
    for one in found.filter(|one| one.rule == rule) {
        findings.report(file.locate(&one.pointer), one.message.clone());
    }
}

fn untyped(file: &LintFile, findings: &mut Findings<'_>) {
    // `nullable` alone has a separate rule.
    const TYPING_KEYWORDS: [&str; 7] =
        ["type", "$ref", "allOf", "anyOf", "oneOf", "not", "nullable"];
    for sub_schema in file.sub_schemas() {
        let mut keys = sub_schema.schema.keys();
        let typed = keys.any(|key| TYPING_KEYWORDS.contains(&key.as_str()));
        // Parts of a composition take their type from the schema that contains them.
        let mut steps = sub_schema.pointer.split('/');
        let part = steps.any(|step| step == "not" || COMPOSITION.contains(&step));
        if sub_schema.role != Role::Root && !typed && !part {
            findings.report(file.locate(&sub_schema.pointer), "no `type`");
        }
    }
}

/// The keywords that compose a schema of others.
const COMPOSITION: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The pointer of the schema that the one at `pointer` is a part of, perhaps itself; none for a
/// part of `not`, which is no value of a call.
fn whole(pointer: &str) -> Option<&str> {
    let mut at = pointer;
    loop {
        let steps: Vec<&str> = at.rsplitn(4, '/').collect();
        match steps.as_slice() {
            [_, keyword, before, ..]
                if COMPOSITION.contains(keyword) && *before != "properties" =>
            {
                at = &at[..at.len() - steps[0].len() - keyword.len() - 2];
            }
            [_, keyword] if COMPOSITION.contains(keyword) => return Some(""),
            ["not", before, ..] if *before != "properties" => return None,
            _ => return Some(at),
        }
    }
}

/// Reports required names that are not declared: an object has only declared properties, unless
/// a schema says otherwise.
fn undeclared_required(file: &LintFile, findings: &mut Findings<'_>) {
    let all = file.sub_schemas();
    if file.schema().is_none_or(Schema::is_recovered) {
        return;
    }
    let mut families: BTreeMap<&str, Vec<&SubSchema<'_>>> = BTreeMap::new();
    for part in &all {
        if let Some(base) = whole(&part.pointer) {
            families.entry(base).or_default().push(part);
        }
    }
    let takes_others =
        |part: &&SubSchema<'_>| part.schema.contains_key("$ref") || is_open(part.schema);
    families.retain(|_, family| !family.iter().any(takes_others));
    for (base, family) in families {
        let properties = family
            .iter()
            .filter_map(|part| part.schema.get("properties")?.as_object());
        let declared: BTreeSet<&str> = properties.flat_map(Map::keys).map(String::as_str).collect();
        if declared.is_empty() && !base.is_empty() {
            continue;
        }
        let names = family.iter().flat_map(|own| {
            let names = own.schema.get("required").and_then(Value::as_array);
            let names = names.into_iter().flatten().enumerate();
            names.map(|(index, name)| (*own, index, name))
        });
        for (own, index, name) in names {
            let Some(name) = name.as_str().filter(|name| !declared.contains(name)) else {
                continue;
            };
            let pointer = format!("{}/{index}", child(&own.pointer, "required"));
            let message = format!("`{name}` is required, but not declared");
            findings
                .report(file.locate(&pointer), message)
                .meant_among(name, declared.iter().copied());
        }
    }
}

fn useless_keyword(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let Some(kind) = sub_schema.schema.get("type").and_then(Value::as_str) else {
            continue;
        };
        let others = KEYWORDS.iter().filter(|(kinds, _)| !is_in(kind, kinds));
        let others = others.flat_map(|(_, keywords)| keywords.split(' '));
        let mut useless: Vec<&str> = others
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

/// Returns true if the format is one of another type, or of none at all.
fn has_useless_format(sub_schema: &SubSchema<'_>, kind: &str) -> bool {
    let Some(written) = sub_schema.schema.get("format").and_then(Value::as_str) else {
        return false;
    };
    let kind = if kind == "integer" { "number" } else { kind };
    let is_of = |names: &str| is_in(written, names);
    match FORMATS.iter().find(|(_, names)| is_of(names)) {
        Some((of, _)) => *of != kind,
        None if is_of("datetime-local local-date-time timestamp url link") => true,
        // Texts can have any format, but hardly one that is nearly spelt like another.
        None => {
            let known = FORMATS.iter().flat_map(|(_, names)| names.split(' '));
            kind != "string" || Suggestion::of(written, known).is_some()
        }
    }
}
