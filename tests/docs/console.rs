//! Console blocks, run as one session of a shell for each document.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run, difference, renews};

use super::block::Block;
use super::document::Document;
use super::documents;
use super::renewal::{Patch, renew};

/// Every command that is shown but not run here, by document. Each belongs to the
/// list of what cannot be: a build, the real Gemini CLI, a download.
const SKIPPED: [(&str, &str); 23] = [
    ("CONTRIBUTING.md", "cargo build"),
    ("CONTRIBUTING.md", "cargo test --workspace"),
    ("CONTRIBUTING.md", "cargo xtask test"),
    ("CONTRIBUTING.md", "cargo test -p cogtools-core"),
    (
        "CONTRIBUTING.md",
        "cargo test -p cogtools --test cogtools docs",
    ),
    (
        "CONTRIBUTING.md",
        "cargo clippy --workspace --all-targets -- -D warnings",
    ),
    ("CONTRIBUTING.md", "cargo xtask bless"),
    (
        "CONTRIBUTING.md",
        "cargo xtask bless --package cogtools-lint",
    ),
    (
        "CONTRIBUTING.md",
        "cargo xtask bless --package cogtools docs::console",
    ),
    ("README.md", "cargo xtask install"),
    ("README.md", "cargo xtask test"),
    ("README.md", "gemini"),
    (
        "docs/how-to/allow-tools-headless.md",
        "GEMINI_CLI_TRUST_WORKSPACE=true gemini -p 'Greet Ada.'",
    ),
    (
        "docs/how-to/allow-tools-headless.md",
        "gemini --allowed-tools discovered_tool_hello -p 'Greet Ada.'",
    ),
    (
        "docs/how-to/configure.md",
        "npm pkg set cogtools.env_priority=process",
    ),
    ("docs/how-to/install.md", "npm install --save-dev cogtools"),
    ("docs/how-to/install.md", "npx cogtools list"),
    ("docs/how-to/install.md", "npx gemini"),
    (
        "docs/how-to/install.md",
        "cargo xtask archive --target x86_64-unknown-linux-musl",
    ),
    (
        "docs/how-to/install.md",
        "cargo install --locked --path crates/cogtools",
    ),
    (
        "docs/how-to/install.md",
        "cargo xtask completions completions",
    ),
    ("docs/tutorial.md", "gemini"),
    (
        "docs/tutorial.md",
        "GEMINI_CLI_TRUST_WORKSPACE=true gemini -p 'Why does it hang? Ask the duck first.'",
    ),
];

/// Why a command may be skipped, and which programs that is true of.
const REASONS: [(&str, &str); 4] = [
    ("needs cargo", "cargo"),
    ("needs Gemini CLI", "gemini"),
    ("needs npm", "npm"),
    ("needs npx", "npx"),
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
    indent: usize,
    command: String,
    expected: String,
}

#[test]
fn console_blocks_run() {
    let documents = documents();
    let wrong: String = documents.iter().map(mistakes).collect();
    assert!(wrong.is_empty(), "- as documented, + as it is:\n{wrong}");
}

#[test]
fn only_known_commands_are_skipped() {
    let mut skipped = Vec::new();
    for document in documents() {
        for block in &document.blocks {
            let Some(reason) = block.option("skip") else {
                continue;
            };
            let at = format!("{}:{}", document.name, block.line);
            let known = REASONS.iter().find(|(known, _)| *known == reason);
            let (_, program) = known.unwrap_or_else(|| panic!("{at}: `{reason}` is no reason"));
            for step in steps(block) {
                assert_eq!(step.program(), Some(*program), "{at}: {}", step.command);
                skipped.push((document.name.clone(), step.command));
            }
        }
    }
    let skipped = skipped.iter();
    let skipped: Vec<(&str, &str)> = skipped
        .map(|(name, command)| (name.as_str(), command.as_str()))
        .collect();
    assert_eq!(skipped, SKIPPED);
}

/// What a document says otherwise than it is.
fn mistakes(document: &Document) -> String {
    let (script, steps) = session(document);
    if steps.is_empty() {
        return String::new();
    }
    let output = run(&script).text();
    let outputs: Vec<&str> = output.split(MARK).skip(1).collect();
    assert_eq!(outputs.len(), steps.len(), "{}: {output}", document.name);
    let compared = steps.iter().zip(outputs);
    if renews() {
        let patches: Vec<Patch> = compared
            .filter(|(step, output)| step.difference(output).is_some())
            .map(|(step, output)| step.patch(output))
            .collect();
        if !patches.is_empty() {
            renew(document, &patches);
        }
        return String::new();
    }
    let wrong = compared.filter_map(|(step, output)| {
        let difference = step.difference(output)?;
        let Step { line, command, .. } = step;
        Some(format!(
            "{}:{line}: {command}\n{difference}\n",
            document.name
        ))
    });
    wrong.collect()
}

/// The script that runs a document's commands and saves its files, and the
/// commands in it.
fn session(document: &Document) -> (String, Vec<Step>) {
    let mut script = "exec 2>&1\nlast=0\n".to_owned();
    let mut commands = Vec::new();
    for block in &document.blocks {
        if let Some(file) = block.option("file") {
            let end = "END OF BLOCK";
            let text = &block.content;
            let _ = writeln!(script, "mkdir -p \"$(dirname '{file}')\"");
            let _ = write!(script, "cat > '{file}' <<'{end}'\n{text}{end}\n");
        }
        if block.language == "console" && block.option("skip").is_none() {
            for step in steps(block) {
                // A command finds the status of the one before, as at a prompt.
                script.push_str("printf '\\1next\\1\\n'\n(exit $last)\n");
                let _ = writeln!(script, "{}\nlast=$?", step.command);
                commands.push(step);
            }
        }
    }
    (script, commands)
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
    project.file("../session", script);
    Run::new("/bin/bash")
        .arg("../session")
        .project(&project)
        .path(crate::programs())
        .limit(Duration::from_mins(1))
        .run()
}

/// The commands of a block with what is shown under each.
fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in (block.line..).zip(block.content.lines()) {
        if let Some(command) = text.strip_prefix("$ ") {
            steps.push(Step {
                line,
                indent: block.indent,
                command: command.to_owned(),
                expected: String::new(),
            });
            continue;
        }
        let step = steps.last_mut();
        let step = step.unwrap_or_else(|| panic!("line {line}: a console block begins with `$ `"));
        match text.strip_prefix("> ") {
            Some(more) if step.expected.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            _ => {
                step.expected.push_str(text);
                step.expected.push('\n');
            }
        }
    }
    steps
}

impl Step {
    /// The name of the program that it runs, behind variables set for it.
    fn program(&self) -> Option<&str> {
        let mut words = self.command.split_whitespace();
        words.find(|word| !word.contains('='))
    }

    /// Where its output is not what is shown.
    fn difference(&self, output: &str) -> Option<String> {
        difference(&self.expected, ended(output))
    }

    /// What makes the document show this output.
    fn patch(&self, output: &str) -> Patch {
        Patch {
            line: self.line + self.command.lines().count(),
            count: self.expected.lines().count(),
            indent: self.indent,
            text: ended(output),
        }
    }
}

/// An output as a page shows it, which cannot show that the last line has no end.
fn ended(output: &str) -> String {
    let ended = output.is_empty() || output.ends_with('\n');
    format!("{output}{}", if ended { "" } else { "\n" })
}
