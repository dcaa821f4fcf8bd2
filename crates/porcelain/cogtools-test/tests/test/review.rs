//! `--review`: results are accepted one by one.

use cogtools_test_support::{outcome, str};

use crate::{PASSED, answer, project, run_as_user};

#[test]
fn each_result_is_shown_and_asked_about() {
    let project = project();
    project
        .file("tools/say.1.golden", "hello Eda\n")
        .remove("tools/say.2.golden")
        .file("tools/say.7.golden", "");
    outcome!(answer(&project, &["--review"], "what\na\nreject\ns\n")).expect(
        1,
        str![[r#"
  tools/say.yaml: stale: `tools/say.7.golden` has no example
  tools/say.yaml:7:5: example 1: golden: the result differs from `tools/say.1.golden`
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello Eda
    +hello Ada
  tools/say.yaml:8:5: example 2: missing: `tools/say.2.golden` does not exist
    --- tools/say.2.golden
    +++ the result
    @@ -0,0 +1 @@
    +hello Bob!

3 results: 1 accepted, 1 rejected, 1 skipped

FAILED say (2 examples)
  removed tools/say.7.golden
  tools/say.yaml:7:5: example 1: golden: the result differs from `tools/say.1.golden`
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello Eda
    +hello Ada
    hint: if the result is right: cogtools test --update say
  tools/say.yaml:8:5: example 2: missing: `tools/say.2.golden` does not exist
    hint: cogtools test --update say

1 tool, 2 examples: 2 failures; 1 golden file removed

"#]],
        str![[r#"
  (3 left) accept, reject, skip or quit? [a/r/s/q]   (3 left) accept, reject, skip or quit? [a/r/s/q]   (2 left) accept, reject, skip or quit? [a/r/s/q]   (1 left) accept, reject, skip or quit? [a/r/s/q] cogtools-test: error[TEST_FAILED]: 2 failures
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
    assert!(!project.path("tools/say.7.golden").exists());
    assert_eq!(project.read("tools/say.1.golden"), "hello Eda\n");
    assert!(!project.path("tools/say.2.golden").exists());
}

#[test]
fn accepted_results_pass() {
    let project = project();
    project
        .file("tools/say.1.golden", "hello Eda\n")
        .remove("tools/say.2.golden");
    outcome!(answer(&project, &["--review", "say"], "a\ny\n")).expect(
        0,
        str![[r#"
  tools/say.yaml:7:5: example 1: golden: the result differs from `tools/say.1.golden`
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello Eda
    +hello Ada
  tools/say.yaml:8:5: example 2: missing: `tools/say.2.golden` does not exist
    --- tools/say.2.golden
    +++ the result
    @@ -0,0 +1 @@
    +hello Bob!

2 results: 2 accepted, 0 rejected, 0 skipped

ok say (2 examples)
  wrote tools/say.1.golden
  wrote tools/say.2.golden

1 tool, 2 examples: all passed; 2 golden files written

"#]],
        "  (2 left) accept, reject, skip or quit? [a/r/s/q]   (1 left) accept, reject, skip or quit? [a/r/s/q] ",
    );
    outcome!(run_as_user(&project, &[])).outputs(PASSED);
}

#[test]
fn the_end_of_the_input_quits() {
    let project = project();
    project
        .file("tools/say.1.golden", "hello Eda\n")
        .remove("tools/say.2.golden");
    for input in ["", "q\n"] {
        let ended = answer(&project, &["--review"], input);
        assert_eq!(ended.status, 1);
        let summary = "\n2 results: 0 accepted, 0 rejected, 2 skipped\n";
        assert!(ended.stdout.contains(summary), "{}", ended.stdout);
    }
    assert_eq!(project.read("tools/say.1.golden"), "hello Eda\n");
}

#[test]
fn nothing_to_review() {
    outcome!(answer(&project(), &["--review"], "")).outputs(str![[r#"
nothing to review

ok say (2 examples)

1 tool, 2 examples: all passed

"#]]);
}

#[test]
fn a_review_needs_a_terminal_and_its_own_options() {
    let project = project();
    outcome!(run_as_user(&project, &["--review", "say", "odd name"])).fails(
        2,
        str![[r#"
cogtools-test: error[USAGE]: --review asks about each result, and standard input is not a terminal
hint: `cogtools test --update say 'odd name'` accepts all results; review them first

"#]],
    );
    outcome!(answer(&project, &["--review", "--format=json"], "")).fails(
        2,
        str![[r#"
cogtools-test: error[USAGE]: --review supports only the format human
hint: omit --format or --review

"#]],
    );
    assert_eq!(answer(&project, &["--review", "--update"], "").status, 2);
    assert_eq!(answer(&project, &["--review", "--watch"], "").status, 2);
}
