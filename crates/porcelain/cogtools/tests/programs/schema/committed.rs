//! The committed schemas are those that are generated and printed.

use cogtools::schema::{Document, PROGRAM};
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Expected, assert_text, outcome, str};

use crate::schema::repository;

fn run(args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&repository(), Terminals::default(), args)
}

#[test]
fn the_committed_schemas_are_current() {
    for (document, file) in Document::COMMITTED {
        assert_text(document.text(), Expected::file(repository().join(file)));
    }
}

#[test]
fn the_program_prints_them() {
    outcome!(run(&[])).outputs(Document::Tool.text());
    outcome!(run(&["tool"])).outputs(Document::Tool.text());
    outcome!(run(&["config"])).outputs(Document::Config.text());
    outcome!(run(&["output"])).outputs(Document::Output.text());
    outcome!(run(&["prompt"])).fails(2, str![[r#"
cogtools-schema: error[USAGE]: invalid value 'prompt' for '[DOCUMENT]' [possible values: tool, config, session, output]
hint: usage: cogtools-schema [OPTIONS] [DOCUMENT]
hint: --help explains every option

"#]]);
}
