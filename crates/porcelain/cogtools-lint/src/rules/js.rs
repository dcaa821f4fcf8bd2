//! Code in JavaScript, checked against the parameters and against what exists.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::tool::{Flow, FlowNode, JsSource};
use cogtools_core::{Level, Tool};

use crate::finding::Findings;
use crate::js_analysis::JsAnalysis;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::program::is_in;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "js-error",
        level: Level::Error,
        summary: "JavaScript that is not the body of a function",
        why: "every call fails; the model can do nothing about it",
        fix: "correct the code",
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
        summary: "JavaScript that returns no value",
        why: "the code is the body of a function: without `return`, every call gets nothing",
        fix: "write `return` before the result",
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
];

/// The property of `args` with the number of an item of a list.
const INDEX: &str = "index";
/// Names that the language defines, as far as they exist here.
const GLOBALS: &str = "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date \
    Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array \
    Int32Array Int8Array Iterator JSON Map Math NaN Number Object Promise Proxy RangeError \
    ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError \
    URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet arguments \
    console decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis \
    isFinite isNaN parseFloat parseInt self undefined unescape";
/// Names that exist, and fail when they are called.
const FORBIDDEN: &str = "WebSocket XMLHttpRequest caches fetch importScripts indexedDB";

/// Code of a tool, or of a node of a flow.
struct Code<'f> {
    source: JsSource,
    /// The node that has it.
    node: Option<&'f FlowNode>,
    /// The properties of `args`, if they are known.
    names: Option<Vec<&'f str>>,
}

fn codes(file: &LintFile) -> Vec<Code<'_>> {
    let Some(tool) = &file.tool else {
        return Vec::new();
    };
    let own = tool.js().map(|source| Code {
        source,
        node: None,
        names: tool.schema().names(),
    });
    let nodes = file.flow().into_iter().flat_map(Flow::nodes);
    let of_nodes = nodes.filter_map(|node| {
        let names = tool.schema().names().map(|mut names| {
            names.extend(node.needs.iter().map(|need| need.node.as_str()));
            let item = node.item_variable();
            names.extend(item.into_iter().chain(item.map(|_| INDEX)));
            names
        });
        Some(Code {
            source: node.js(tool.text())?,
            node: Some(node),
            names,
        })
    });
    own.into_iter().chain(of_nodes).collect()
}

fn js_error(file: &LintFile, findings: &mut Findings<'_>) {
    for code in codes(file) {
        let analysis = JsAnalysis::of(&code.source);
        for (message, span) in &analysis.errors {
            findings.report_at(analysis.location(*span), lower_case(message));
        }
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
    for code in codes(file) {
        let analysis = JsAnalysis::of(&code.source);
        let names = code.names.as_deref().unwrap_or_default();
        for (name, span) in &analysis.globals {
            let name = name.as_str();
            if is_in(name, GLOBALS) {
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
            if names.contains(&name) {
                finding.fix(format!("write `args.{name}`"));
            } else if let Some(suggestion) = did_you_mean(name, GLOBALS.split(' ')) {
                finding.fix(suggestion);
            }
        }
        if code.names.is_none() {
            continue;
        }
        for (name, span) in &analysis.reads {
            if names.contains(&name.as_str()) {
                continue;
            }
            let is_node = file.flow().is_some_and(|flow| flow.node(name).is_some());
            let location = analysis.location(*span);
            match code.node {
                Some(node) if is_node => {
                    let message = format!("`{}` does not need `{name}`", node.id);
                    findings
                        .report_at(location, message)
                        .fix(format!("write `needs: [{name}]`"));
                }
                node => {
                    let what = node.map_or("parameter is", |_| "parameter or node is");
                    let message = format!("no {what} named `{name}`");
                    let finding = findings.report_at(location, message);
                    if let Some(suggestion) = did_you_mean(name, names.iter().copied()) {
                        finding.fix(suggestion);
                    }
                }
            }
        }
    }
}

fn unused_parameter(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(source) = file.tool.as_ref().and_then(Tool::js) else {
        return;
    };
    let analysis = JsAnalysis::of(&source);
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
    for code in codes(file) {
        if JsAnalysis::of(&code.source).returns {
            continue;
        }
        let span = match code.node {
            Some(node) if node.kind() == "each" => file.node_span(&node.id, &["each", "js"]),
            Some(node) => file.node_span(&node.id, &["js"]),
            None => match file.value("implementation").and_then(|node| node.get("js")) {
                Some(node) => node.span,
                None => continue,
            },
        };
        findings.report(span, "the code returns no value");
    }
}

fn async_code(file: &LintFile, findings: &mut Findings<'_>) {
    for code in codes(file) {
        let analysis = JsAnalysis::of(&code.source);
        for (what, span) in &analysis.awaits {
            findings.report_at(analysis.location(*span), format!("{what} never ends here"));
        }
    }
}
