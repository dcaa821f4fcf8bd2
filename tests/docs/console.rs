//! Console blocks, run as one session of a shell for each document.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use cogtools_testing::{Outcome, Project, Run, difference};

use super::block::Block;
use super::document::Document;
use super::documents;

/// Every command that is shown but not run here, by document. Each belongs to the
/// list of what cannot be: a build, the real Gemini CLI, a download.
const SKIPPED: [(&str, &str); 0] = [];

/// Why a command may be skipped, and how such a command begins.
const REASONS: [(&str, &str); 3] = [
    ("needs cargo", "cargo "),
    ("needs Gemini CLI", "gemini"),
    ("needs npm", "npm "),
];

/// What separates the outputs of two commands; no program prints it.
const MARK: &str = "\u{1}next\u{1}\n";

/// What of the repository a reader has around.
const PROJECT: [&str; 3] = [
    ".cogtoolrc.yaml",
    ".gemini/settings.json",
    "tools/facepalm.yaml",
];

/// One command of a session and what it must print.
#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    expected: String,
}

#[test]
fn console_blocks_run() {
    let mut wrong = String::new();
    for document in documents() {
        wrong.push_str(&mistakes(&document));
    }
    assert!(wrong.is_empty(), "- as documented, + as it is:\n{wrong}");
}

#[test]
fn only_known_commands_are_skipped() {
    let mut skipped = Vec::new();
    for document in documents() {
        for block in document
            .blocks
            .iter()
            .filter(|block| block.language == "console")
        {
            let Some(reason) = block.option("skip") else {
                continue;
            };
            let beginning = REASONS.iter().find(|(known, _)| *known == reason);
            let Some((_, beginning)) = beginning else {
                panic!(
                    "{}:{}: `{reason}` is no reason to skip",
                    document.name, block.line
                );
            };
            for step in steps(block) {
                let command = step.command.split("; ").next().unwrap_or_default();
                assert!(
                    command.starts_with(beginning),
                    "{}:{}",
                    document.name,
                    step.line
                );
                skipped.push((document.name.clone(), step.command));
            }
        }
    }
    let skipped: Vec<_> = skipped
        .iter()
        .map(|(name, command)| (name.as_str(), command.as_str()))
        .collect();
    assert_eq!(skipped, SKIPPED);
}

/// What a document says otherwise than it is.
fn mistakes(document: &Document) -> String {
    let mut script = "exec 2>&1\nlast=0\n".to_owned();
    let mut expected = Vec::new();
    for block in &document.blocks {
        match (
            block.language.as_str(),
            block.option("file"),
            block.option("skip"),
        ) {
            ("console", _, None) => {
                for step in steps(block) {
                    // A command finds the status of the one before, as at a prompt.
                    let _ = writeln!(
                        script,
                        "printf '\\1next\\1\\n'\n(exit $last)\n{}\nlast=$?",
                        step.command
                    );
                    expected.push(step);
                }
            }
            (_, Some(file), _) => {
                let _ = write!(
                    script,
                    "mkdir -p \"$(dirname {file})\"\ncat > {file} <<'END OF BLOCK'\n{}END OF BLOCK\n",
                    block.content
                );
            }
            _ => {}
        }
    }
    if expected.is_empty() {
        return String::new();
    }
    let output = run(&script).text();
    let outputs: Vec<&str> = output.split(MARK).skip(1).collect();
    assert_eq!(outputs.len(), expected.len(), "{}: {output}", document.name);
    expected
        .iter()
        .zip(outputs)
        .fold(String::new(), |wrong, (step, output)| {
            // A page cannot show that the last line has no end.
            let end = if output.is_empty() || output.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            match difference(&step.expected, format!("{output}{end}")) {
                None => wrong,
                Some(text) => format!(
                    "{wrong}{}:{}: {}\n{text}\n",
                    document.name, step.line, step.command
                ),
            }
        })
}

/// Runs a script in a fresh scratch copy of the project.
fn run(script: &str) -> Outcome {
    let project = Project::new();
    for name in PROJECT {
        let original = Document::root().join(name);
        let content = fs::read(&original).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mode = fs::metadata(&original).map(|data| data.permissions().mode());
        project
            .file(name, content)
            .mode(name, mode.unwrap_or(0o644));
    }
    project.file("../home/session", script);
    Run::new("/bin/bash")
        .arg(project.path("../home/session"))
        .project(&project)
        .path(crate::programs())
        .limit(Duration::from_mins(1))
        .run()
}

/// The commands of a block with what is shown under each.
fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in (block.line..).zip(block.content.lines()) {
        let last = steps.last_mut();
        match (text.strip_prefix("$ "), text.strip_prefix("> "), last) {
            (Some(command), _, _) => steps.push(Step {
                line,
                command: command.to_owned(),
                expected: String::new(),
            }),
            (None, Some(more), Some(step)) if step.expected.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            (None, _, Some(step)) => {
                step.expected.push_str(text);
                step.expected.push('\n');
            }
            (None, _, None) => panic!("line {line}: a console block begins with `$ `"),
        }
    }
    steps
}
