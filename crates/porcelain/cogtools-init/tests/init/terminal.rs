//! Runs at a terminal.

use crate::project::Project;

const QUESTION: &str = "\nwrite these files? [Y/n] ";

#[test]
fn yes_writes() {
    for answer in ["\n", "y\n", "Yes\r\n", "y"] {
        let project = Project::new();
        let diff = project.run(&["--dry-run"]).stdout;
        let silent = Project::new().run(&["--defaults"]).stdout;
        let output = project.answer(&[], answer);
        assert_eq!((output.status, output.stderr.as_str()), (0, QUESTION));
        assert_eq!(output.stdout, format!("{diff}{silent}"));
    }
}

#[test]
fn any_other_answer_writes_nothing() {
    for answer in ["n\n", "no\n", "what?\n", ""] {
        let project = Project::new();
        let diff = project.run(&["--dry-run"]).stdout;
        let output = project.answer(&[], answer);
        assert_eq!((output.status, output.stderr.as_str()), (0, QUESTION));
        assert_eq!(output.stdout, format!("{diff}nothing was written\n"));
        assert_eq!(project.files(), Vec::<String>::new());
    }
}

#[test]
fn nobody_is_asked_when_the_output_goes_into_a_pipe() {
    let expected = Project::new().run(&["--defaults"]);
    assert_eq!(Project::new().piped(&[]), expected);
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
