//! A corpus of tools with one planted defect each, and of correct twins: how many of the defects
//! the linter finds, and that it is silent about what is correct.
//!
//! A file of the corpus has the cases of one class. A case begins with `=== bad` or `=== good`;
//! then follow the parameters, `---` and the template. `output: json` before the parameters
//! declares that, and `+++ NAME` begins another file. Without `---` it is the tool file, of which
//! the name, the description and the implementation can be left out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cogtools_core::file::ReadScope;
use cogtools_lint::{Levels, LintFile, Linter};
use cogtools_test_support::{Expected, Project, assert_text};

struct Case {
    bad: bool,
    tool: String,
    files: Vec<(String, String)>,
}

/// Rules that are not about the classes of the corpus.
const OF_ALL: [&str; 12] = [
    "no-sandbox",
    "no-schema",
    "no-examples",
    "missing-description",
    "gemini-keyword",
    "gemini-empty-object",
    "gemini-enum",
    "gemini-format",
    "openai-strict",
    "composed-root",
    "untyped",
    "uncovered-parameter",
];

fn parse(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in format!("\n{text}").split("\n=== ").skip(1) {
        let (kind, rest) = part.split_once('\n').unwrap();
        let mut files = rest.split("\n+++ ");
        let tool = tool(files.next().unwrap());
        let files = files.map(|file| {
            let (name, text) = file.split_once('\n').unwrap();
            (name.to_owned(), text.trim_end().to_owned())
        });
        cases.push(Case {
            bad: match kind {
                "bad" => true,
                "good" => false,
                other => panic!("a case is `bad` or `good`, not `{other}`"),
            },
            tool,
            files: files.collect(),
        });
    }
    cases
}

/// The tool file of a case.
fn tool(text: &str) -> String {
    if let Some((head, template)) = text.split_once("---\n") {
        let is_json = head.contains("output: json\n");
        let output = if is_json {
            "output: {type: json}\n"
        } else {
            ""
        };
        let parameters = indent(&head.replace("output: json\n", ""));
        let template = indent(template.trim_end());
        return format!(
            "name: say\ndescription: Say it\nparameters:\n{parameters}{output}implementation: |\n{template}"
        );
    }
    let has = |key: &str| text.starts_with(key) || text.contains(&format!("\n{key}"));
    let mut tool = String::new();
    for (key, line) in [
        ("name:", "name: say\n"),
        ("description:", "description: Say it\n"),
    ] {
        if !has(key) {
            tool.push_str(line);
        }
    }
    tool.push_str(text.trim_end());
    if !has("implementation:") {
        tool.push_str("\nimplementation: {exec: [cat]}");
    }
    tool + "\n"
}

fn indent(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "  {line}");
        all
    })
}

/// The rules that a case breaks.
fn broken(case: &Case) -> Vec<&'static str> {
    let project = Project::new();
    let name = case
        .tool
        .lines()
        .find_map(|line| line.strip_prefix("name: "));
    let path = format!("{}.yaml", name.unwrap_or("say"));
    project.file(&path, &case.tool);
    for (name, text) in &case.files {
        project.file(name, text);
    }
    let file = LintFile::read(&project.path(&path), path.as_ref(), &ReadScope::User).unwrap();
    assert!(file.tool.is_some(), "{}: {:?}", case.tool, file.diagnostics);
    Linter::new(Levels::default())
        .check(&file)
        .iter()
        .map(|finding| finding.rule.name)
        .collect()
}

/// The rules that a correct tool breaks.
fn alarmed(case: &Case) -> Vec<&'static str> {
    let all = broken(case).into_iter();
    all.filter(|rule| !OF_ALL.contains(rule)).collect()
}

#[test]
fn recall_and_precision_over_the_planted_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let (mut planted, mut found, mut correct, mut alarms) = (0, 0, 0, 0);
    let mut table = String::new();
    for path in &paths {
        let class = path.file_stem().unwrap().to_string_lossy().into_owned();
        let cases = parse(&fs::read_to_string(path).unwrap());
        let (bad, good): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.bad);
        let hit = |case: &&&Case| broken(case).contains(&class.as_str());
        let hits = bad.iter().filter(hit).count();
        assert!(bad.len() >= 3 && !good.is_empty(), "{class} is too small");
        for case in bad.iter().filter(|case| !hit(case)) {
            eprintln!("missed in {class}: {:?}\n{}\n", broken(case), case.tool);
        }
        for case in good.iter().filter(|case| !alarmed(case).is_empty()) {
            alarms += 1;
            eprintln!("alarm in {class}: {:?}\n{}\n", alarmed(case), case.tool);
        }
        let _ = writeln!(table, "{class}: {hits} of {}", bad.len());
        planted += bad.len();
        found += hits;
        correct += good.len();
    }
    let _ = writeln!(table, "recall: {found} of {planted}");
    let _ = writeln!(table, "false alarms: {alarms} of {correct}");
    eprintln!("{table}");
    assert_eq!((found, alarms), (planted, 0), "see above");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint/recall.txt");
    assert_text(table, Expected::file(path));
}
