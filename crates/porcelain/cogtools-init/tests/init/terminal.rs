//! Runs at a terminal.

use crate::project::Project;
use cogtools_test_support::outcome;

fn question(project: &Project) -> String {
    let diff = project.run(&["--dry-run"]).stdout;
    format!("{diff}\nwrite these files? [Y/n] ")
}

#[test]
fn yes_writes() {
    for answer in ["\n", "y\n", "Yes\r\n", "y"] {
        let project = Project::new();
        let question = question(&project);
        let silent = Project::new().run(&["--defaults"]).stdout;
        let output = project.answer(&[], answer);
        outcome!(output).outputs(format!("{question}{silent}"));
    }
}

#[test]
fn any_other_answer_writes_nothing() {
    for answer in ["n\n", "no\n", "what?\n", ""] {
        let project = Project::new();
        let question = question(&project);
        let output = project.answer(&[], answer);
        outcome!(output).outputs(format!("{question}nothing was written\n"));
        assert_eq!(project.files(), Vec::<String>::new());
    }
}

#[test]
fn flags_suppress_the_question() {
    for flag in ["--defaults", "--non-interactive"] {
        let expected = Project::new().run(&[]);
        assert_eq!(Project::new().answer(&[flag], "n\n"), expected);
    }
}

#[test]
fn no_question_when_there_is_nothing_to_do() {
    let project = Project::new();
    project.run(&[]);
    let expected = project.run(&[]);
    assert_eq!(project.answer(&[], "n\n"), expected);
}

#[test]
fn a_dry_run_asks_nothing() {
    let project = Project::new();
    let expected = project.run(&["--dry-run"]);
    assert_eq!(project.answer(&["--dry-run"], "y\n"), expected);
    assert_eq!(project.files(), Vec::<String>::new());
}
