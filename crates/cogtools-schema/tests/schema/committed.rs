//! What is committed is what is generated, and what the program prints.

use cogtools_program::{Ended, Terminals};
use cogtools_schema::{Document, PROGRAM};
use cogtools_test_support::{Expected, assert_text};

use crate::repository;

fn run(args: &[&str]) -> Ended {
    PROGRAM.rehearse(&repository(), Terminals::default(), args)
}

#[test]
fn the_committed_schemas_are_current() {
    for (document, file) in Document::COMMITTED {
        assert_text(document.text(), Expected::file(repository().join(file)));
    }
}

#[test]
fn the_program_prints_them() {
    assert_eq!(run(&[]), Ended::done(Document::Tool.text()));
    assert_eq!(run(&["tool"]), Ended::done(Document::Tool.text()));
    assert_eq!(run(&["config"]), Ended::done(Document::Config.text()));
    assert_eq!(run(&["prompt"]).status, 2);
}
