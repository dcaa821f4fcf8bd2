//! Schemas that are valid but do not do what they seem to.

use cogtools_core::Level;
use cogtools_core::schema::Role;
use serde_json::Value;

use crate::contradiction::ContradictionKind;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "required-with-default",
        level: Level::Warn,
        summary: "a property of `parameters_schema` that is required and has a default",
        why: "a default replaces an omitted property, and a required property cannot be omitted: the default is never used, and models get contradictory information",
        fix: "remove it from `required`, or remove `default`",
        fixable: false,
        fails: case!("required-with-default/fails"),
        passes: case!("required-with-default/passes"),
        check: required_with_default,
    },
    Rule {
        name: "lone-exclusive-bound",
        level: Level::Warn,
        summary: "`exclusiveMinimum` or `exclusiveMaximum` without the bound that it modifies",
        why: "in OpenAPI 3.0 it only modifies `minimum` or `maximum`; alone it has no effect, and hosts do not receive it",
        fix: "add the bound, as in `minimum: 0` with `exclusiveMinimum: true`, or remove it",
        fixable: false,
        fails: case!("lone-exclusive-bound/fails"),
        passes: case!("lone-exclusive-bound/passes"),
        check: lone_exclusive_bound,
    },
    Rule {
        name: "lone-nullable",
        level: Level::Warn,
        summary: "`nullable` that permits nothing: without `type`, or beside an enum without null",
        why: "it has an effect only together with `type`, and only if null is among the values of the enum; Gemini CLI 0.35 and later stops validating when it finds it without `type`, and other hosts do not receive it then",
        fix: "add `type`, or null to the enum, or remove `nullable`",
        fixable: false,
        fails: case!("lone-nullable/fails"),
        passes: case!("lone-nullable/passes"),
        check: lone_nullable,
    },
    Rule {
        name: "untyped",
        level: Level::Warn,
        summary: "a parameter, a property or items without a type",
        why: "a model may send anything; OpenAI rejects it in strict mode",
        fix: "add `type`",
        fixable: false,
        fails: case!("untyped/fails"),
        passes: case!("untyped/passes"),
        check: untyped,
    },
];

fn required_with_default(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        if let Role::Property {
            name,
            required: true,
        } = sub_schema.role
            && sub_schema.schema.contains_key("default")
        {
            let span = file.keyword(&sub_schema, "default");
            findings.report(
                span,
                format!("`{name}` is required, so its default is never used"),
            );
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
    let found = file.contradictions().iter();
    for one in found.filter(|one| one.kind == ContradictionKind::Nullable) {
        findings.report(file.locate(&one.pointer), one.message.clone());
    }
}

fn untyped(file: &LintFile, findings: &mut Findings<'_>) {
    // `nullable` alone has a separate rule.
    const TYPING_KEYWORDS: [&str; 7] =
        ["type", "$ref", "allOf", "anyOf", "oneOf", "not", "nullable"];
    for sub_schema in file.sub_schemas() {
        let typed = sub_schema
            .schema
            .keys()
            .any(|key| TYPING_KEYWORDS.contains(&key.as_str()));
        // Parts of a composition take their type from the schema that contains them.
        let compositions = ["allOf", "anyOf", "oneOf", "not"];
        let part = sub_schema
            .pointer
            .split('/')
            .any(|step| compositions.contains(&step));
        if sub_schema.role != Role::Root && !typed && !part {
            findings.report(file.locate(&sub_schema.pointer), "no `type`");
        }
    }
}
