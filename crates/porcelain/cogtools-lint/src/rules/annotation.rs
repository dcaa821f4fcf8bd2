//! Hints for hosts that the tool contradicts.

use cogtools_core::Level;
use cogtools_core::text::Span;
use cogtools_core::tool::Annotations;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::program::{Deed, Role, deeds_of, words};
use crate::rule::{Rule, case};
use crate::{script_call, tool_script};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "false-annotation",
    level: Level::Error,
    summary: "an annotation that another one, the sandbox or the commands contradict, such as `read_only` beside `rm`",
    why: "hosts call a tool without asking if it says that it only reads; they show and allow what the annotations say",
    fix: "correct the annotation, or remove it: a host then asks",
    fixable: false,
    fails: case!("false-annotation/fails"),
    passes: case!("false-annotation/passes"),
    check: false_annotation,
}];

fn false_annotation(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let hints = tool.annotations();
    let is_read_only = hints.read_only == Some(true);
    let span = |name: &str| {
        let annotations = file.value("annotations")?;
        let entries = annotations.entries()?;
        entries
            .iter()
            .find(|entry| entry.key == name)
            .map(|entry| entry.span)
    };
    if is_read_only && hints.destructive == Some(true) {
        report(
            findings,
            span("destructive"),
            "a tool that only reads destroys nothing",
        );
    }
    if is_read_only && hints.idempotent == Some(false) {
        report(
            findings,
            span("idempotent"),
            "a tool that only reads can be called again without effect",
        );
    }
    let sandbox = file.value("sandbox");
    let writes = sandbox.and_then(|node| node.get("write")?.items());
    if is_read_only && writes.is_some_and(|paths| !paths.is_empty()) {
        report(findings, span("read_only"), "its sandbox lets it write");
    }
    let has_net = sandbox
        .and_then(|node| node.get("net"))
        .is_some_and(|node| node.to_json() == true);
    if hints.open_world == Some(false) && has_net {
        report(
            findings,
            span("open_world"),
            "its sandbox gives it the network",
        );
    }
    contradicted_by_deeds(file, *hints, &span, findings);
}

/// The hints that the commands contradict.
fn contradicted_by_deeds(
    file: &LintFile,
    hints: Annotations,
    span: &dyn Fn(&str) -> Option<Span>,
    findings: &mut Findings<'_>,
) {
    let is_read_only = hints.read_only == Some(true);
    let deeds = deeds(file);
    let worst = |of: &[Deed]| {
        let known = deeds.iter().filter(|(deed, _)| of.contains(deed));
        known
            .max_by_key(|(deed, _)| *deed)
            .map(|(_, what)| format!("`{what}` contradicts it"))
    };
    let contradicted = [
        (
            is_read_only,
            "read_only",
            worst(&[Deed::Changes, Deed::Destroys]),
        ),
        (
            hints.destructive == Some(false),
            "destructive",
            worst(&[Deed::Destroys]),
        ),
        (
            hints.open_world == Some(false),
            "open_world",
            worst(&[Deed::Connects]),
        ),
    ];
    for (is_said, name, message) in contradicted {
        if let Some(message) = message.filter(|_| is_said) {
            report(findings, span(name), &message);
        }
    }
}

fn report(findings: &mut Findings<'_>, span: Option<Span>, message: &str) {
    if let Some(span) = span {
        findings.report(span, message);
    }
}

/// What the tool does, as far as that is known, and its commands.
fn deeds(file: &LintFile) -> Vec<(Deed, String)> {
    let mut deeds = Vec::new();
    let mut add = |words: &[&str], is_temporary: bool| {
        let found = deeds_of(words).into_iter();
        let found = found.filter(|deed| !is_temporary || *deed == Deed::Connects);
        deeds.extend(found.map(|deed| (deed, command(words))));
    };
    let all = words(file);
    for (index, _) in all
        .iter()
        .enumerate()
        .filter(|(_, word)| word.role == Role::Program)
    {
        let texts: Vec<&str> = all[index..].iter().map(|word| word.text).collect();
        add(&texts, false);
    }
    let mut scripts = Vec::new();
    for script in tool_script::of(file) {
        // It can do what it likes with its own temporary files.
        let is_temporary = ["mktemp", "tempfile"]
            .iter()
            .any(|it| script.text().contains(it));
        for (_, words) in script.script().commands() {
            add(&words, is_temporary);
        }
        for words in script.script().started() {
            add(&words, is_temporary);
        }
        scripts.push((script, is_temporary));
    }
    for (script, is_temporary) in &scripts {
        if script.script().redirects() && !is_temporary {
            deeds.push((Deed::Changes, ">".to_owned()));
        }
        deeds.extend(script_call::deeds(script, *is_temporary));
    }
    deeds
}

/// The program and its subcommand.
fn command(words: &[&str]) -> String {
    let first = words.first().copied().unwrap_or_default();
    let second = words
        .get(1)
        .filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"))
}
