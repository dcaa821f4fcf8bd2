//! Hints for hosts that the tool contradicts.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::program::{NETWORK, Role, base, is_in, words};
use crate::tool_script;

pub(super) static RULES: &[Rule] = &[Rule {
    name: "false-annotation",
    level: Level::Error,
    summary: "an annotation that another one, the sandbox or the commands contradict, such as `read_only` beside `rm`",
    why: "hosts call a tool without asking if it says that it only reads; they show and allow what the annotations say",
    fix: "correct the annotation, or remove it: a host then asks",
    example: example!("false-annotation"),
    check: false_annotation,
}];

/// Programs that create or change files, whatever their arguments are.
const CHANGES: &str = "chgrp chmod chown cp install ln mkdir mkfifo mktemp patch tee touch";
/// Programs that delete or overwrite.
const DESTROYS: &str = "dd dropdb mkfs mv rm rmdir shred shutdown truncate unlink wipefs";

fn false_annotation(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let hints = tool.annotations();
    let is_read_only = hints.read_only == Some(true);
    let sandbox = file.value("sandbox");
    let writes = sandbox.and_then(|node| node.get("write")?.items());
    let net = sandbox.and_then(|node| node.get("net"));
    let programs = programs(file);
    let runs = |names: &str| {
        let found = programs.iter().find(|name| is_in(name, names))?;
        Some(format!("`{found}` contradicts it"))
    };
    let changes = runs(DESTROYS).or_else(|| runs(CHANGES));
    let is_closed = hints.open_world == Some(false);
    let said = |is: bool, text: &str| is.then(|| text.to_owned());
    let contradictions = [
        (
            is_read_only && hints.destructive == Some(true),
            "destructive",
            said(true, "a tool that only reads destroys nothing"),
        ),
        (
            is_read_only && hints.idempotent == Some(false),
            "idempotent",
            said(
                true,
                "a tool that only reads can be called again without effect",
            ),
        ),
        (
            is_read_only,
            "read_only",
            said(
                writes.is_some_and(|it| !it.is_empty()),
                "its sandbox lets it write",
            ),
        ),
        (is_read_only, "read_only", changes),
        (
            hints.destructive == Some(false),
            "destructive",
            runs(DESTROYS),
        ),
        (
            is_closed,
            "open_world",
            said(
                net.is_some_and(|it| it.to_json() == true),
                "its sandbox gives it the network",
            ),
        ),
        (is_closed, "open_world", runs(NETWORK)),
    ];
    let entries = file.value("annotations").and_then(|node| node.entries());
    for (is_said, name, message) in contradictions {
        let mut entries = entries.into_iter().flatten();
        let entry = entries.find(|entry| entry.key == name).filter(|_| is_said);
        if let Some((entry, message)) = entry.zip(message) {
            findings.report(entry.span, message);
        }
    }
}

/// The names of the programs that the tool runs, on its command line or in a shell script.
pub(super) fn programs(file: &LintFile) -> Vec<String> {
    let words = words(file);
    let words = words.iter().filter(|word| word.role == Role::Program);
    let mut found: Vec<String> = words.map(|word| base(word.text).to_owned()).collect();
    for script in tool_script::of(file) {
        // It can do what it likes with its own temporary files.
        let is_temporary = script.text().contains("mktemp");
        let commands = script.script().commands().into_iter();
        let names = commands.map(|(_, name)| base(name).to_owned());
        found.extend(names.filter(|name| !is_temporary || is_in(name, NETWORK)));
    }
    found
}
