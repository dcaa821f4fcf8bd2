//! The file of a tool: its first lines, its extension, its permissions.

use cogtools_core::text::Span;
use cogtools_core::{Level, Tool, shebang};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "no-schema",
        level: Level::Warn,
        summary: "a tool file without `$schema`",
        why: "editors and other programs cannot tell that it is a tool, nor which version of the format it uses",
        fix: "add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key",
        fixable: true,
        fails: case!("no-schema/fails"),
        passes: case!("no-schema/passes"),
        check: no_schema,
    },
    Rule {
        name: "no-shebang",
        level: Level::Off,
        summary: "a tool file without `#! /usr/bin/env cogtools-yaml` as its first line",
        why: "the file cannot be run by its own name, as in `./tools/say.yaml < arguments.json`",
        fix: "add the line, and make the file executable with `chmod +x`",
        fixable: true,
        fails: case!("no-shebang/fails"),
        passes: case!("no-shebang/passes"),
        check: no_shebang,
    },
    Rule {
        name: "not-executable",
        level: Level::Warn,
        summary: "a file with a `#!` line that is not executable",
        why: "running it by its own name, as in `./tools/say.yaml < arguments.json`, fails with `permission denied`, although its first line suggests that it runs",
        fix: "run `chmod +x` on it, or remove the first line",
        fixable: false,
        fails: case!("not-executable/fails"),
        passes: case!("not-executable/passes"),
        check: not_executable,
    },
    Rule {
        name: "yml-ending",
        level: Level::Warn,
        summary: "a tool in a file with the extension `.yml`",
        why: "only `.yaml` files are tools, so that each name has one file: no host ever sees this one",
        fix: "change the extension to `.yaml`",
        fixable: false,
        fails: case!("yml-ending/fails": "tools/say.yml"),
        passes: case!("yml-ending/passes": "tools/say.yaml"),
        check: yml_ending,
    },
];

fn no_schema(file: &LintFile, findings: &mut Findings<'_>) {
    let entries = file
        .document
        .as_ref()
        .and_then(|document| document.entries());
    let Some(first) = entries.and_then(<[_]>::first) else {
        return;
    };
    if file.entry("$schema").is_some() || !file.looks_like_a_tool() {
        return;
    }
    let finding = findings.report(first.span, "no `$schema`");
    let before = &file.text.as_str()[..first.span.start];
    // In a flow mapping, or after a quote or an anchor, no line can be inserted before it.
    if before.is_empty() || before.ends_with('\n') {
        let line_ending = if file.text.as_str().contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let line = format!("$schema: {}{line_ending}", Tool::SCHEMA);
        finding.edit(start(first.span.start), line);
    }
}

fn no_shebang(file: &LintFile, findings: &mut Findings<'_>) {
    if file.looks_like_a_tool() && !file.text.as_str().starts_with("#!") {
        findings
            .report_file("no `#!` line")
            .edit(start(0), shebang::LINE);
    }
}

fn not_executable(file: &LintFile, findings: &mut Findings<'_>) {
    if file.text.as_str().starts_with("#!") && !shebang::is_executable(&file.path) {
        let line = file.text.as_str().find('\n').unwrap_or(2);
        findings.report(
            Span {
                start: 0,
                end: line,
            },
            "the file is not executable",
        );
    }
}

fn yml_ending(file: &LintFile, findings: &mut Findings<'_>) {
    let is_yml = file
        .path
        .extension()
        .is_some_and(|extension| extension == "yml");
    if is_yml && file.looks_like_a_tool() {
        findings.report_file("a tool in a `.yml` file");
    }
}

const fn start(at: usize) -> Span {
    Span { start: at, end: at }
}
