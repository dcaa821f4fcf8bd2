//! Hints for hosts that the tool contradicts.

use cogtools_core::Level;
use cogtools_core::text::Span;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::program::{Deed, Role, deed_of, words};
use crate::rule::{Rule, case};
use crate::tool_script;

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

/// What scripts call that changes, destroys or connects.
const CALLS: [(Deed, &[&str]); 3] = [
    (
        Deed::Destroys,
        &[
            "shutil.rmtree(",
            "os.remove(",
            "os.unlink(",
            "os.rmdir(",
            ".rmSync(",
            "fs.rm(",
            ".unlinkSync(",
            "File.delete(",
            "FileUtils.rm",
            "DROP TABLE",
            "DELETE FROM",
        ],
    ),
    (
        Deed::Changes,
        &[
            ".writeFile",
            ".appendFile",
            "os.makedirs(",
            "os.rename(",
            "shutil.move(",
            "os.mkdir(",
            "shutil.copy",
            ".write_text(",
            ".write_bytes(",
            "File.write(",
            ".mkdirSync(",
            ", \"w\")",
            ", 'w')",
            ", \"a\")",
            ", 'a')",
            ", \"wb\")",
            "mode=\"w\"",
            "mode='w'",
            "requests.post(",
            "requests.put(",
            "INSERT INTO",
            "requests.patch(",
            "requests.delete(",
        ],
    ),
    (
        Deed::Connects,
        &[
            "import requests",
            "urllib.request",
            "http.client",
            "import httpx",
            "fetch(\"http",
            "fetch('http",
            "fetch(`http",
            "Net::HTTP",
            "https.get(",
        ],
    ),
];

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
    let Some((deed, what)) = deed(file) else {
        return;
    };
    let message = format!("`{what}` contradicts it");
    match deed {
        Deed::Connects if hints.open_world == Some(false) => {
            report(findings, span("open_world"), &message);
        }
        Deed::Changes | Deed::Destroys if is_read_only => {
            report(findings, span("read_only"), &message);
        }
        Deed::Destroys if hints.destructive == Some(false) => {
            report(findings, span("destructive"), &message);
        }
        _ => {}
    }
}

fn report(findings: &mut Findings<'_>, span: Option<Span>, message: &str) {
    if let Some(span) = span {
        findings.report(span, message);
    }
}

/// The worst that the tool does, as far as that is known, and its command.
fn deed(file: &LintFile) -> Option<(Deed, String)> {
    let mut deeds = Vec::new();
    let all = words(file);
    for (index, _) in all
        .iter()
        .enumerate()
        .filter(|(_, word)| word.role == Role::Program)
    {
        let texts: Vec<&str> = all[index..].iter().map(|word| word.text).collect();
        deeds.push((deed_of(&texts), command(&texts)));
    }
    for script in tool_script::of(file) {
        // It can do what it likes with its own temporary files.
        let is_temporary = ["mktemp", "tempfile"]
            .iter()
            .any(|it| script.text().contains(it));
        for (_, words) in script.script().commands().iter().filter(|_| !is_temporary) {
            deeds.push((deed_of(words), command(words)));
        }
        if script.script().redirects() && !is_temporary {
            deeds.push((Some(Deed::Changes), ">".to_owned()));
        }
        for (deed, calls) in CALLS {
            let found = calls.iter().find(|call| script.text().contains(**call));
            let found = found.filter(|_| !is_temporary || deed == Deed::Connects);
            deeds.extend(found.map(|call| (Some(deed), call.trim_end_matches('(').to_owned())));
        }
    }
    let rank = |deed: Deed| match deed {
        Deed::Connects => 0,
        Deed::Changes => 1,
        Deed::Destroys => 2,
    };
    let known = deeds
        .into_iter()
        .filter_map(|(deed, what)| Some((deed?, what)));
    known.max_by_key(|(deed, _)| rank(*deed))
}

/// The program and its subcommand.
fn command(words: &[&str]) -> String {
    let first = words.first().copied().unwrap_or_default();
    let second = words
        .get(1)
        .filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"))
}
