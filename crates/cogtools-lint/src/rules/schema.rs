//! Schemas that are legal and do not do what they seem to.

use cogtools_core::Level;
use cogtools_core::schema::Role;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "required-with-default",
        level: Level::Warn,
        summary: "a property that `parameters_schema` requires and gives a default",
        why: "a default fills in what a call leaves out, and nothing required may be left out: it is never used, and models are told two things",
        fix: "take it out of `required`, or remove `default`",
        fixable: false,
        fails: case!("required-with-default/fails"),
        passes: case!("required-with-default/passes"),
        check: required_with_default,
    },
    Rule {
        name: "lone-exclusive-bound",
        level: Level::Warn,
        summary: "`exclusiveMinimum` or `exclusiveMaximum` without the bound it belongs to",
        why: "in OpenAPI 3.0 it only says how `minimum` or `maximum` is meant; alone it bounds nothing, and hosts are not told of it",
        fix: "add the bound, as in `minimum: 0` with `exclusiveMinimum: true`, or remove it",
        fixable: false,
        fails: case!("lone-exclusive-bound/fails"),
        passes: case!("lone-exclusive-bound/passes"),
        check: lone_bound,
    },
    Rule {
        name: "lone-nullable",
        level: Level::Warn,
        summary: "`nullable` without a `type` beside it",
        why: "it acts only beside `type`; Gemini CLI 0.35 and later gives up validation when it meets it, other hosts are not told of it",
        fix: "add `type`, or remove `nullable`",
        fixable: false,
        fails: case!("lone-nullable/fails"),
        passes: case!("lone-nullable/passes"),
        check: lone_nullable,
    },
    Rule {
        name: "untyped",
        level: Level::Warn,
        summary: "a parameter, a property or items that do not say of which type they are",
        why: "a model may send anything; OpenAI refuses it in strict mode",
        fix: "add `type`",
        fixable: false,
        fails: case!("untyped/fails"),
        passes: case!("untyped/passes"),
        check: untyped,
    },
];

fn required_with_default(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        if let Role::Property {
            name,
            required: true,
        } = site.role
            && site.schema.contains_key("default")
        {
            let span = file.keyword(&site, "default");
            findings.at(
                span,
                format!("`{name}` is required, so its default is never used"),
            );
        }
    }
}

fn lone_bound(file: &LintFile, findings: &mut Findings<'_>) {
    let pairs = [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ];
    for site in file.sites() {
        for (flag, bound) in pairs {
            let set = site.schema.get(flag) == Some(&Value::Bool(true));
            if set && !site.schema.contains_key(bound) {
                let span = file.keyword(&site, flag);
                findings.at(span, format!("`{flag}` without `{bound}` bounds nothing"));
            }
        }
    }
}

fn lone_nullable(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let set = site.schema.get("nullable") == Some(&Value::Bool(true));
        if set && !site.schema.contains_key("type") {
            let span = file.keyword(&site, "nullable");
            findings.at(span, "`nullable` without `type` does nothing");
        }
    }
}

fn untyped(file: &LintFile, findings: &mut Findings<'_>) {
    // `nullable` alone has a rule of its own.
    const TYPING_KEYWORDS: [&str; 7] =
        ["type", "$ref", "allOf", "anyOf", "oneOf", "not", "nullable"];
    for site in file.sites() {
        let says = site
            .schema
            .keys()
            .any(|key| TYPING_KEYWORDS.contains(&key.as_str()));
        // Parts of a composition take their type from what surrounds them.
        let composed = ["allOf", "anyOf", "oneOf", "not"];
        let part = site.pointer.split('/').any(|step| composed.contains(&step));
        if site.role != Role::Root && !says && !part {
            findings.at(file.locate(&site.pointer), "of no type");
        }
    }
}
