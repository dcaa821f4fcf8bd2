//! Code in JavaScript, checked against the parameters and against what exists.

use std::time::Duration;

use cogtools_code::{Explanation, Scope};
use cogtools_core::javascript::{Script, ScriptErrorKind};
use cogtools_core::tool::CodeTask;
use cogtools_core::yaml::Node;
use cogtools_core::{AskConfig, Cancel, Context, Hint, Level};
use serde_json::Value;

use super::example::nodes;
use crate::finding::Findings;
use crate::js_types::Misuse;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::program::is_in;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "js-error",
        level: Level::Error,
        summary: "JavaScript that is not the body of a function, or fails for an example of its tool",
        why: "the call fails; the model can do nothing about it",
        fix: "correct the code; an example of a call that has to fail says so with `fails`",
        example: example!("js-error"),
        check: js_error,
    },
    Rule {
        name: "js-undeclared-name",
        level: Level::Error,
        summary: "a name in JavaScript that is declared nowhere, or a property of `args` that no parameter declares",
        why: "a call fails when it reaches the name: only the language itself exists; no call can set the property",
        fix: "declare it, or correct the name",
        example: example!("js-undeclared-name"),
        check: undeclared_name,
    },
    Rule {
        name: "js-unused-parameter",
        level: Level::Warn,
        summary: "a parameter that the JavaScript never reads",
        why: "a model spends tokens on a value that changes nothing",
        fix: "read it from `args`, or remove it",
        example: example!("js-unused-parameter"),
        check: unused_parameter,
    },
    Rule {
        name: "js-no-return",
        level: Level::Error,
        summary: "JavaScript that returns no value, or none on a way to its end",
        why: "the code is the body of a function: without `return`, a call gets nothing",
        fix: "write `return` before the result; `return ''` where there is none",
        example: example!("js-no-return"),
        check: no_return,
    },
    Rule {
        name: "js-async",
        level: Level::Error,
        summary: "an async function or an import in JavaScript",
        why: "nothing waits for a promise: what follows never runs, and a promise is not a result",
        fix: "compute the result without promises",
        example: example!("js-async"),
        check: async_code,
    },
    Rule {
        name: "js-tools",
        level: Level::Error,
        summary: "a name under `tools` beside `js` that no tool and no toolset of the project has, and a call in the code that does not fit the types of the tool",
        why: "the call fails: the code runs only if its calls fit",
        fix: "correct the name or the arguments, or write the tool",
        example: example!("js-tools": ["tools/say.yaml", "tools/tax.yaml"], ["tools/say.yaml", "tools/tax.yaml"]),
        check: js_tools,
    },
    Rule {
        name: "js-unknown-member",
        level: Level::Error,
        summary: "a member in JavaScript that the value does not have: one that the schema does not declare, or a method of another type",
        why: "it is undefined, or the call fails; the schema says that no call can have it",
        fix: "correct the name, or declare the property",
        example: example!("js-unknown-member"),
        check: misused,
    },
    Rule {
        name: "js-unguarded-optional",
        level: Level::Error,
        summary: "a member in JavaScript of a value that can be missing or null, without a check",
        why: "a call that omits the value fails with a TypeError",
        fix: "write `?.`, check it before, or give the parameter a default",
        example: example!("js-unguarded-optional"),
        check: misused,
    },
    Rule {
        name: "js-impossible-comparison",
        level: Level::Error,
        summary: "a comparison in JavaScript that can never hold: with a value that the enum does not have, or of another type",
        why: "the branch is never taken, or always",
        fix: "correct the value, or add it to the schema",
        example: example!("js-impossible-comparison"),
        check: misused,
    },
    Rule {
        name: "js-wrong-operand",
        level: Level::Error,
        summary: "an operation in JavaScript on a value of another type: arithmetic with text, a loop over a number, an object as text",
        why: "the result is `NaN` or `[object Object]`, or the call fails",
        fix: "apply it to another value",
        example: example!("js-wrong-operand"),
        check: misused,
    },
    Rule {
        name: "js-result",
        level: Level::Error,
        summary: "a result of JavaScript that `output.schema` does not allow: of another type, without a required member, or with one that is not declared",
        why: "every call fails, and its caller can do nothing about it",
        fix: "return what the schema declares, or correct the schema",
        example: example!("js-result"),
        check: misused,
    },
];

/// Names that the language defines, as far as they exist here.
const GLOBALS: &str = "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt \
    BigInt64Array BigUint64Array Boolean DataView Date DisposableStack \
    Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array \
    Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError \
    ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder \
    TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet arguments atob \
    btoa console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis \
    isFinite isNaN parseFloat parseInt self structuredClone undefined unescape";
/// Names that exist in code that calls tools, besides.
const PROGRAM_GLOBALS: &str = "ToolError describe parallel print search_tools store tools";
/// Names that exist, and fail when they are called.
const FORBIDDEN: &str = "WebSocket XMLHttpRequest caches fetch importScripts indexedDB";

fn js_error(file: &LintFile, findings: &mut Findings<'_>) {
    for analysis in file.codes() {
        for (message, span) in &analysis.errors {
            findings.report_at(analysis.location(*span), lower_case(message));
        }
    }
    if file.codes().iter().all(|code| code.errors.is_empty()) {
        failing_example(file, findings);
    }
}

/// The number of examples that are run.
const MAX_RUNS: usize = 8;
/// The time that each of them may take.
const RUN_TIME: Duration = Duration::from_secs(2);

/// Runs the code of a tool with its examples, if the program that evaluates is installed: in a
/// process that reaches nothing, as calls do. Only the first failure is reported.
fn failing_example(file: &LintFile, findings: &mut Findings<'_>) {
    let Some((tool, programs)) = file.tool.as_ref().zip(file.programs.as_deref()) else {
        return;
    };
    let (Some(source), Ok(validator)) = (tool.js(), tool.schema.validator()) else {
        return;
    };
    if !source.tools().is_empty() {
        // A call of a tool may have an effect.
        return;
    }
    for (test, node) in tool.tests().iter().zip(nodes(file)).take(MAX_RUNS) {
        let mut arguments = test.arguments();
        let value = Value::Object(arguments.clone());
        if test.fails.is_some() || !validator.violations(&tool.schema, &value).is_empty() {
            continue;
        }
        tool.schema.apply_defaults(&mut arguments);
        let script = Script {
            code: source.source().to_owned(),
            args: Value::Object(arguments).to_string(),
            timeout: RUN_TIME,
            now: None,
            is_tool: true,
        };
        let Err(error) = script.run(Some(programs), &Cancel::default()) else {
            continue;
        };
        if let ScriptErrorKind::Runtime(_) | ScriptErrorKind::Result(_) = error.kind {
            let location = match error.position {
                Some((line, column)) => source.location(line, column, 1),
                None => file.text.location(node.span),
            };
            let message = format!("{FAILING} fails: {}", error.kind);
            findings.report_at(location, message);
            return;
        }
    }
}

/// The beginning of the message about an example that fails.
pub(crate) const FAILING: &str = "a call like an example";

/// Reports the contradictions of the rule, in code and in scripts.
fn misused(file: &LintFile, findings: &mut Findings<'_>) {
    let rule = findings.rule();
    let mut report = |location, misuse: &Misuse| {
        if misuse.rule == rule {
            let finding = findings.report_at(location, misuse.message.clone());
            if let Some(fix) = &misuse.fix {
                finding.fix(fix.clone());
            }
        }
    };
    for analysis in file.codes() {
        for misuse in &analysis.misuses {
            report(analysis.location(misuse.span), misuse);
        }
    }
    for (script, misuse) in super::script::misuses(file) {
        let at = script
            .text()
            .floor_char_boundary(misuse.span.start as usize);
        report(
            script.location(file, at, misuse.span.size() as usize),
            &misuse,
        );
    }
}

/// A parser's message as ours are written.
fn lower_case(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

fn undeclared_name(file: &LintFile, findings: &mut Findings<'_>) {
    for analysis in file.codes() {
        let names = analysis.names.as_deref().unwrap_or_default();
        let is_name = |name: &str| names.iter().any(|it| it == name);
        for (name, span) in &analysis.globals {
            let name = name.as_str();
            if is_in(name, GLOBALS) || analysis.calls_tools() && is_in(name, PROGRAM_GLOBALS) {
                continue;
            }
            let location = analysis.location(*span);
            if is_in(name, FORBIDDEN) {
                findings
                    .report_at(location, format!("`{name}` is forbidden"))
                    .fix("compute with `args` alone, or write a tool that runs a program");
                continue;
            }
            let finding = findings.report_at(location, format!("`{name}` is not declared"));
            if is_name(name) {
                finding.fix(format!("write `args.{name}`"));
            } else {
                finding.meant_among(name, GLOBALS.split(' '));
            }
        }
        if analysis.names.is_none() {
            continue;
        }
        for (name, span) in &analysis.reads {
            if is_name(name) {
                continue;
            }
            let is_node = file.flow().is_some_and(|flow| flow.node(name).is_some());
            let location = analysis.location(*span);
            match &analysis.node {
                Some(node) if is_node => {
                    let message = format!("`{node}` does not need `{name}`");
                    findings
                        .report_at(location, message)
                        .fix(format!("write `needs: [{name}]`"));
                }
                node => {
                    let what = if node.is_some() {
                        "parameter or node is"
                    } else {
                        "parameter is"
                    };
                    findings
                        .report_at(location, format!("no {what} named `{name}`"))
                        .meant_among(name, names.iter().map(String::as_str));
                }
            }
        }
    }
}

fn unused_parameter(file: &LintFile, findings: &mut Findings<'_>) {
    let own = file.codes().iter().find(|code| code.node.is_none());
    let Some(analysis) = own else {
        return;
    };
    if !analysis.errors.is_empty() {
        return;
    }
    for (name, _, sub_schema) in file.parameters() {
        if !analysis.may_read(name) {
            let message = format!("the code never reads `args.{name}`");
            findings.report(file.locate(&sub_schema.pointer), message);
        }
    }
}

fn no_return(file: &LintFile, findings: &mut Findings<'_>) {
    for code in file.codes() {
        let message = match code {
            code if !code.returns => "the code returns no value",
            code if code.falls_through => "the code returns no value on a way to its end",
            _ => continue,
        };
        let span = match &code.node {
            Some(id) => {
                let is_list = file.flow().and_then(|flow| flow.node(id));
                let is_list = is_list.is_some_and(|node| node.kind() == "each");
                let way: &[&str] = if is_list { &["each", "js"] } else { &["js"] };
                file.node_span(id, way)
            }
            None => match file.implementation("js") {
                Some(node) => node.span,
                None => continue,
            },
        };
        findings.report(span, message);
    }
}

/// Reports the names under `tools` that nothing has, and the calls that do not fit.
fn js_tools(file: &LintFile, findings: &mut Findings<'_>) {
    let all = &file.neighbours;
    let (Some(tool), Some(registry)) = (&file.tool, all.registry()) else {
        return;
    };
    for analysis in file.codes().iter().filter(|code| code.calls_tools()) {
        let source = analysis.source();
        let tools = match &analysis.node {
            Some(id) => file
                .implementation("flow")
                .and_then(|it| it.get("nodes")?.get(id))
                .and_then(|it| it.get("tools").or_else(|| it.get("each")?.get("tools"))),
            None => file.implementation("tools"),
        };
        for node in tools.and_then(Node::items).into_iter().flatten() {
            let Some(name) = node.text() else { continue };
            if registry.select(&[name.to_owned()]).is_empty() {
                findings
                    .report(node.span, format!("there is no tool `{name}`"))
                    .meant_among(name, all.names());
            }
        }
        let task = CodeTask {
            tool: tool.name().to_string(),
            tools: source.tools().to_vec(),
            ..CodeTask::default()
        };
        let cx = Context::default();
        let scope = Scope::of_task(registry.clone(), cx, &AskConfig::default(), &task);
        for mistake in Explanation::of(source.source(), &scope).mistakes {
            let Some(at) = &mistake.location else {
                continue;
            };
            let location = source.location(at.line, at.column, 1);
            let finding = findings.report_at(location, mistake.message.clone());
            if let Some(hint @ (Hint::Text(_) | Hint::Names(_))) = mistake.hints.first() {
                finding.fix(hint.clone());
            }
        }
    }
}

fn async_code(file: &LintFile, findings: &mut Findings<'_>) {
    for analysis in file.codes() {
        for (what, span) in &analysis.awaits {
            findings.report_at(analysis.location(*span), format!("{what} never ends here"));
        }
    }
}
