//! What is committed is what is generated, and what the program prints.

use std::fs;

use cogtools_program::{CapturedRun, Terminals};
use cogtools_schema::{Document, PROGRAM};
use cogtools_test_support::difference;

use crate::repository;

fn run(args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&repository(), Terminals::default(), args)
}

#[test]
fn the_committed_schemas_are_current() {
    for (document, file) in Document::COMMITTED {
        let committed = fs::read_to_string(repository().join(file)).unwrap_or_default();
        if let Some(difference) = difference(document.text(), committed) {
            panic!(
                "{file} is out of date; run `cargo run -p cogtools-schema --example write`\n{difference}"
            );
        }
    }
}

#[test]
fn the_program_prints_them() {
    assert_eq!(run(&[]), CapturedRun::done(Document::Tool.text()));
    assert_eq!(run(&["tool"]), CapturedRun::done(Document::Tool.text()));
    assert_eq!(run(&["config"]), CapturedRun::done(Document::Config.text()));
    assert_eq!(run(&["prompt"]).status, 2);
}

#[test]
fn help_and_version() {
    let version = format!("{} {}\n", PROGRAM.name, env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]), CapturedRun::done(version));
    let help = PROGRAM.command().render_long_help().to_string();
    assert_eq!(run(&["--help"]), CapturedRun::done(help));
}
