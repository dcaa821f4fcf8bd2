//! A corpus of tools with one planted defect each, and of correct twins: how many of the defects
//! the linter finds, and that it is silent about what is correct.
//!
//! A file of the corpus has the cases of one class. A case begins with `=== bad` or `=== good`;
//! then follow the parameters, `---` and the template. `output: json` before the parameters
//! declares that, and `+++ NAME` begins another file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cogtools_core::file::ReadScope;
use cogtools_lint::{Levels, LintFile, Linter};
use cogtools_test_support::{Project, assert_text, str};

struct Case {
    bad: bool,
    json: bool,
    parameters: String,
    template: String,
    files: Vec<(String, String)>,
}

fn parse(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in format!("\n{text}").split("\n=== ").skip(1) {
        let (kind, rest) = part.split_once('\n').unwrap();
        let (head, rest) = rest.split_once("---\n").unwrap();
        let mut files = rest.split("\n+++ ");
        let template = files.next().unwrap().trim_end().to_owned();
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
            json: head.contains("output: json\n"),
            parameters: head.replace("output: json\n", ""),
            template,
            files: files.collect(),
        });
    }
    cases
}

/// The rules that a case breaks, except for those that every case breaks.
fn broken(case: &Case) -> Vec<&'static str> {
    let project = Project::new();
    let indent = |text: &str| -> String {
        let lines = text.lines();
        lines.fold(String::new(), |mut all, line| {
            let _ = writeln!(all, "  {line}");
            all
        })
    };
    let output = if case.json {
        "output: {type: json}\n"
    } else {
        ""
    };
    project.file(
        "say.yaml",
        format!(
            "name: say\ndescription: Say it\nparameters:\n{}{output}implementation: |\n{}",
            indent(&case.parameters),
            indent(&case.template)
        ),
    );
    for (name, text) in &case.files {
        project.file(name, text);
    }
    let file = LintFile::read(
        &project.path("say.yaml"),
        "say.yaml".as_ref(),
        &ReadScope::User,
    )
    .unwrap();
    assert!(
        file.tool.is_some(),
        "{}: {:?}",
        case.parameters,
        file.diagnostics
    );
    Linter::new(Levels::default())
        .check(&file)
        .iter()
        .map(|finding| finding.rule.name)
        .filter(|rule| {
            ![
                "no-schema",
                "no-examples",
                "missing-description",
                "gemini-keyword",
                "gemini-empty-object",
                "gemini-enum",
                "gemini-format",
                "openai-strict",
                "untyped",
            ]
            .contains(rule)
        })
        .collect()
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
            eprintln!("missed in {class}: {:?}\n{}\n", broken(case), case.template);
        }
        for case in good.iter().filter(|case| !broken(case).is_empty()) {
            alarms += 1;
            eprintln!("alarm in {class}: {:?}\n{}\n", broken(case), case.template);
        }
        let _ = writeln!(table, "{class}: {hits} of {}", bad.len());
        planted += bad.len();
        found += hits;
        correct += good.len();
    }
    let _ = writeln!(table, "recall: {found} of {planted}");
    let _ = writeln!(table, "false alarms: {alarms} of {correct}");
    eprintln!("{table}");
    assert_text(
        table,
        str![[r#"
dropped-value: 15 of 15
impossible-comparison: 25 of 25
jinja-habit: 13 of 13
macro-arguments: 10 of 10
missing-case: 6 of 6
not-json: 18 of 18
printed-object: 14 of 14
unguarded-optional: 20 of 20
unknown-member: 40 of 40
unreachable-branch: 14 of 14
unsafe-include: 7 of 7
unused-definition: 9 of 9
unused-parameter: 5 of 5
wrong-loop: 8 of 8
wrong-operand: 10 of 10
recall: 214 of 214
false alarms: 0 of 65

"#]],
    );
}
