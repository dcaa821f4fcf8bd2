//! Hints for hosts that the tool contradicts.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::program::{CHANGING_COMMANDS, NETWORK, Role, base, is_among, is_in, words};
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
    let hints = &tool.annotations;
    let is_read_only = hints.read_only == Some(true);
    let sandbox = file.value("sandbox");
    let writes = sandbox.and_then(|node| node.get("write")?.items());
    let net = sandbox.and_then(|node| node.get("net"));
    let programs = programs(file);
    let runs = |names: &str| {
        let found = programs.iter().find(|name| is_in(name, names))?;
        Some(format!("`{found}` contradicts it"))
    };
    let command = || {
        let is_dry = words(file).iter().any(|it| it.text.contains("dry-run"));
        let mut commands = commands(file).into_iter();
        let found = commands.find(|(program, name)| is_among(CHANGING_COMMANDS, program, name));
        let found = found.filter(|_| !is_dry);
        found.map(|(program, name)| format!("`{program} {name}` contradicts it"))
    };
    let changes = runs(DESTROYS).or_else(|| runs(CHANGES));
    let changes = changes.or_else(command).or_else(|| changing_request(file));
    let mut report = |name: &str, is_said: bool, message: Option<String>| {
        let entry = file.value("annotations").and_then(|it| it.entry(name));
        if let Some((entry, message)) = entry.filter(|_| is_said).zip(message) {
            findings.report(entry.span, message);
        }
    };
    let said = |is: bool, text: &str| is.then(|| text.to_owned());
    let is_destructive = hints.destructive == Some(true);
    let message = said(is_destructive, "a tool that only reads destroys nothing");
    report("destructive", is_read_only, message);
    let again = "a tool that only reads can be called again without effect";
    let message = said(hints.idempotent == Some(false), again);
    report("idempotent", is_read_only, message);
    let writes = writes.is_some_and(|it| !it.is_empty());
    let message = said(writes, "its sandbox lets it write");
    report("read_only", is_read_only, message);
    report("read_only", is_read_only, changes);
    let is_harmless = hints.destructive == Some(false);
    report("destructive", is_harmless, runs(DESTROYS));
    let is_closed = hints.open_world == Some(false);
    let net = net.is_some_and(|it| it.to_json() == true);
    let message = said(net, "its sandbox gives it the network");
    report("open_world", is_closed, message);
    report("open_world", is_closed, runs(NETWORK));
}

/// The method of a request by `curl` that changes something.
fn changing_request(file: &LintFile) -> Option<String> {
    let words = words(file);
    let mut pairs = words.windows(2);
    let is_curl = words.first().is_some_and(|word| base(word.text) == "curl");
    let method = pairs.find_map(|pair| {
        let is_option = matches!(pair[0].text, "-X" | "--request");
        (is_option && is_in(pair[1].text, "DELETE PATCH PUT")).then_some(pair[1].text)
    });
    let method = method.filter(|_| is_curl)?;
    Some(format!("`curl -X {method}` contradicts it"))
}

/// The programs on the command line whose first argument is a command, with that.
pub(super) fn commands(file: &LintFile) -> Vec<(String, String)> {
    let words = words(file);
    let pairs = words.windows(2).filter(|pair| {
        let is_command = pair[1].text.starts_with(|c: char| c.is_ascii_lowercase());
        pair[0].role == Role::Program && is_command
    });
    let names = pairs.map(|pair| (base(pair[0].text).to_owned(), pair[1].text.to_owned()));
    names.collect()
}

/// The names of the programs that the tool runs, on its command line or in a shell script.
pub(super) fn programs(file: &LintFile) -> Vec<String> {
    let words = words(file);
    let words = words.iter().filter(|word| word.role == Role::Program);
    let mut found: Vec<String> = words.map(|word| base(word.text).to_owned()).collect();
    for script in tool_script::of(file) {
        // It can do what it likes with its own temporary files.
        let is_temporary = script.text().contains("mktemp");
        let commands = script.commands().into_iter();
        let names = commands.map(|name| base(&name).to_owned());
        found.extend(names.filter(|name| !is_temporary || is_in(name, NETWORK)));
    }
    found
}
