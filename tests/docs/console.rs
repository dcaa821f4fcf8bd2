//! Console blocks, run as one session of a shell for each document.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run, difference, is_blessing};

use super::block::Block;
use super::document::Document;
use super::documents;
use super::model::with_model;
use super::renewal::{Patch, renew};

/// Why a command is shown but not run here. A fence names one of these in
/// `skip="…"`; nothing else skips a block, and a new reason is a new variant.
#[derive(Clone, Copy, Debug)]
enum Skip {
    Cargo,
    GeminiCli,
    Npm,
    Npx,
    Restate,
}

impl Skip {
    const ALL: [Self; 5] = [
        Self::Cargo,
        Self::GeminiCli,
        Self::Npm,
        Self::Npx,
        Self::Restate,
    ];

    /// The text in the fence, and the only program that may be skipped for this reason.
    const fn reason(self) -> (&'static str, &'static str) {
        match self {
            Self::Cargo => ("needs cargo", "cargo"),
            Self::GeminiCli => ("needs Gemini CLI", "gemini"),
            Self::Npm => ("needs npm", "npm"),
            Self::Npx => ("needs npx", "npx"),
            Self::Restate => ("needs Restate", "cogtools-restate"),
        }
    }
}

/// The separator between the outputs of two commands; no program prints it.
const MARK: &str = "\u{1}next\u{1}\n";

/// The files of the repository that a reader has.
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

/// A reader sits at a terminal, where a program could wait for keys: nothing is typed, nothing
/// asks, and the output is the one of an empty input.
#[test]
#[cfg(target_os = "linux")]
fn console_blocks_run_with_a_terminal_as_input() {
    let wrong: String = documents().iter().map(mistakes_at_a_terminal).collect();
    assert!(
        wrong.is_empty(),
        "- as documented, + at a terminal:\n{wrong}"
    );
}

#[cfg(target_os = "linux")]
fn mistakes_at_a_terminal(document: &Document) -> String {
    let (script, steps) = session(document);
    if steps.is_empty() {
        return String::new();
    }
    let project = project(document);
    project.file("../session", script).dir("../temporary");
    // Nobody types, and the input never ends: the other end of the terminal stays open.
    project.file(
        "../at-terminal",
        "mkfifo ../typed && exec 3<>../typed\n\
         script -qefc 'bash ../session > ../output 2>&1' /dev/null <&3 > ../screen 2>&1\n\
         cat ../output\n",
    );
    let output = with_model(document, |model| {
        let run = Run::new("/bin/bash")
            .arg("../at-terminal")
            .project(&project)
            .path(crate::programs())
            .env("TMPDIR", project.path("../temporary"))
            .limit(Duration::from_mins(2));
        model(run).run().text()
    });
    let outputs: Vec<&str> = output.split(MARK).skip(1).collect();
    if outputs.len() != steps.len() {
        let last = outputs
            .len()
            .checked_sub(1)
            .and_then(|last| steps.get(last));
        let command = last.map_or("", |step| step.command.as_str());
        return format!("{}: the session ends at `{command}`\n", document.name);
    }
    let wrong = steps.iter().zip(outputs).filter_map(|(step, output)| {
        let difference = step.difference(output)?;
        let Step { line, command, .. } = step;
        Some(format!(
            "{}:{line}: {command}\n{difference}\n",
            document.name
        ))
    });
    wrong.collect()
}

#[test]
fn blocks_are_skipped_for_known_reasons_only() {
    let mut used = BTreeSet::new();
    for document in documents() {
        for block in &document.blocks {
            let Some(reason) = block.option("skip") else {
                continue;
            };
            let at = format!("{}:{}", document.name, block.line);
            let mut reasons = Skip::ALL.map(Skip::reason).into_iter();
            let known = reasons.find(|(known, _)| *known == reason);
            let (_, program) = known.unwrap_or_else(|| panic!("{at}: unknown reason `{reason}`"));
            for step in steps(block) {
                assert_eq!(step.program(), Some(program), "{at}: {}", step.command);
            }
            used.insert(program);
        }
    }
    let all: BTreeSet<&str> = Skip::ALL.iter().map(|skip| skip.reason().1).collect();
    assert_eq!(used, all, "a reason that no block has any more goes");
}

/// The first command of a how-to page: what it shows is neither in the way of a reader's own
/// files nor changed by them.
const NEW_PROJECT: &str = "cd \"$(mktemp -d)\" && cogtools init --defaults > /dev/null";

#[test]
fn how_to_pages_begin_in_a_new_project() {
    for document in documents().iter().filter(|it| is_how_to(it)) {
        let (_, steps) = session(document);
        let first = steps.first().map(|step| step.command.as_str());
        assert!(
            matches!(first, None | Some(NEW_PROJECT)),
            "{}: {first:?}",
            document.name
        );
        let files = document
            .blocks
            .iter()
            .position(|it| it.option("file").is_some());
        let console = document
            .blocks
            .iter()
            .position(|it| it.language == "console");
        assert!(files.is_none() || files > console, "{}", document.name);
    }
}

fn is_how_to(document: &Document) -> bool {
    document.name.starts_with("docs/how-to/")
}

/// The differences between a document and the real output.
fn mistakes(document: &Document) -> String {
    let (script, steps) = session(document);
    if steps.is_empty() {
        return String::new();
    }
    let output = with_model(document, |model| {
        run(&script, &project(document), model).text()
    });
    let outputs: Vec<&str> = output.split(MARK).skip(1).collect();
    assert_eq!(outputs.len(), steps.len(), "{}: {output}", document.name);
    let compared = steps.iter().zip(outputs);
    if is_blessing() {
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
                // `$?` is the status of the command before, as at a prompt.
                script.push_str("printf '\\1next\\1\\n'\n(exit $last)\n");
                let _ = writeln!(script, "{}\nlast=$?", step.command);
                commands.push(step);
            }
        }
    }
    (script, commands)
}

/// The files of a reader of `document`: the repository, and for a how-to page nothing.
fn project(document: &Document) -> Project {
    if is_how_to(document) {
        return Project::untrusted();
    }
    let project = Project::new();
    for name in PROJECT {
        let original = Document::root().join(name);
        let content = fs::read(&original).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mode = fs::metadata(&original).map(|data| data.permissions().mode());
        project
            .file(name, content)
            .mode(name, mode.unwrap_or(0o644));
    }
    project
}

fn run(script: &str, project: &Project, model: &dyn Fn(Run) -> Run) -> Outcome {
    project.file("../session", script).dir("../temporary");
    let session = Run::new("/bin/bash")
        .arg("../session")
        .project(project)
        .path(crate::programs())
        .env("TMPDIR", project.path("../temporary"))
        .limit(Duration::from_mins(1));
    model(session).run()
}

/// The commands of a block with the output shown for each.
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
    /// The name of the program that it runs, after variables set for it.
    fn program(&self) -> Option<&str> {
        let mut words = self.command.split_whitespace();
        words.find(|word| !word.contains('='))
    }

    /// The difference between its output and the shown one.
    fn difference(&self, output: &str) -> Option<String> {
        difference(&self.expected, ended(output))
    }

    /// The patch that makes the document show this output.
    fn patch(&self, output: &str) -> Patch {
        Patch {
            line: self.line + self.command.lines().count(),
            count: self.expected.lines().count(),
            indent: self.indent,
            text: ended(output),
        }
    }
}

/// An output as a page shows it: a page cannot show that the last line end is missing.
fn ended(output: &str) -> String {
    let ended = output.is_empty() || output.ends_with('\n');
    format!("{output}{}", if ended { "" } else { "\n" })
}
