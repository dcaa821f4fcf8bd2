//! Work for authors: cases made of examples, and descriptions that are shown to be better.

use std::fmt::Write as _;

use cogtools_program::CapturedRun;
use cogtools_test_support::Project;

use super::{CONVERT, eval, project};

/// A model that phrases requests, at first with the name of a tool.
const WRITER: &str = r#"#!/bin/sh
input=$(cat)
echo request >> "$(dirname "$0")/requests"
case "$input" in
  *'cannot be used'*'Ada'*) printf '{"request": "Please greet my colleague Ada."}' ;;
  *'Who: '*) printf '{"request": "Please greet Ada with the function greet."}' ;;
  *'cannot be used'*) printf '{"request": "How many km is 1?\\nRound it."}' ;;
  *'How much: '*) printf '{"request": "How many km is 1, with unit: km?"}' ;;
  *) exit 3 ;;
esac
"#;

fn authored(project: &Project, args: &[&str]) -> CapturedRun {
    project.program("writer.sh", WRITER);
    let model = format!("'{}'", project.path("writer.sh").display());
    eval(project, &[args, &["--model-command", &model]].concat())
}

const CASES: &str = "\
# Ours.
trials: 2
cases:
- name: example-1 # taken
  task: right
  expect: {calls: [{tool: convert, args: {amount: 5}}]}
# end
";

#[test]
fn examples_become_cases_and_every_other_byte_is_kept() {
    let project = project(CASES);
    let args = ["--from-examples", "convert"];
    let run = authored(&project, &args);
    assert_eq!(run.status, 0, "{run:?}");
    let diff = "\
diff --git a/tools/convert.evals.yaml b/tools/convert.evals.yaml
--- a/tools/convert.evals.yaml
+++ b/tools/convert.evals.yaml
@@ -4,4 +4,14 @@
 - name: example-1 # taken
   task: right
   expect: {calls: [{tool: convert, args: {amount: 5}}]}
+- name: example-1-2
+  task: |-
+    How many km is 1?
+    Round it.
+  expect:
+    calls:
+    - tool: convert
+      args:
+        amount: 1
+        unit: km
 # end
";
    assert_eq!(run.stdout, diff);
    assert!(run.stderr.contains("--yes approves"), "{}", run.stderr);
    assert_eq!(project.read("tools/convert.evals.yaml"), CASES);
    let run = authored(&project, &[args.as_slice(), &["--yes"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        run.stdout,
        format!("{diff}updated tools/convert.evals.yaml\n")
    );
    assert!(
        project
            .read("tools/convert.evals.yaml")
            .starts_with(CASES.trim_end_matches("# end\n"))
    );
    // The example has a case now: nothing is asked.
    let requests = project.read("requests");
    let run = authored(&project, &args);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (0, "every example has a case\n")
    );
    assert_eq!(project.read("requests"), requests);
}

#[test]
fn a_request_that_names_the_tool_is_a_failure() {
    let project = project(CASES);
    let run = authored(&project, &["--from-examples", "--yes"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.stderr.contains("error[EVAL_FAILED]: greet: example-1: the request of command cannot be used: it names `greet`, which the person does not know"),
        "{}",
        run.stderr
    );
    // The other is written.
    assert!(
        project
            .read("tools/convert.evals.yaml")
            .contains("example-1-2")
    );
    assert!(!project.path("tools/greet.evals.yaml").exists());
    assert_eq!(project.read("requests").lines().count(), 4);
}

#[test]
fn a_file_that_is_entangled_or_outside_is_left_alone() {
    let inline = "cases: [{name: a, task: t, expect: {never: [x]}}]\n";
    let project = project(inline);
    let run = authored(&project, &["--from-examples", "convert", "--yes"]);
    assert_eq!(run.status, 78, "{run:?}");
    assert!(
        run.stderr.contains("so that no case can be added"),
        "{}",
        run.stderr
    );
    assert_eq!(project.read("tools/convert.evals.yaml"), inline);
    let run = authored(&project, &["--from-examples", "covnert"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("did you mean `convert`?"),
        "{}",
        run.stderr
    );
    #[cfg(unix)]
    {
        let other = Project::new();
        other.file("greet.evals.yaml", CASES.replace("convert", "greet"));
        let link = project.path("tools/greet.evals.yaml");
        std::os::unix::fs::symlink(other.path("greet.evals.yaml"), link).expect("a link");
        let run = authored(&project, &["--from-examples", "greet", "--yes"]);
        assert_ne!(run.status, 0, "{run:?}");
        assert!(!other.read("greet.evals.yaml").contains("Ada"), "{run:?}");
    }
}

/// A model that calls the tool if its description says more than that it converts lengths, and
/// that writes such a description.
const IMPROVER: &str = r#"#!/bin/sh
input=$(cat)
case "$input" in
  *'at most 60 tokens'*'cannot be used'*) printf '{"description": "Converts: a number of kilometres to miles"}' ;;
  *'at most 60 tokens'*)
    printf '%s' "$input" > "$(dirname "$0")/prompt"
    printf '{"description": "'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf 'Converts a length to miles. '; done; printf '"}' ;;
  *'at most 70 tokens'*) printf '{"description": "Converts what is long"}' ;;
  *'"output"'*) printf 'Done.' ;;
  *'to miles'*) printf '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"convert","args":{"amount":5,"unit":"miles"}}}]},"finishReason":"STOP"}]}' ;;
  *) printf 'I do not know.' ;;
esac
"#;

/// Cases of which `held` are held out, and two are not.
fn cases(held: usize) -> String {
    let held = [1, 2, 3, 5, 7, 8, 9].into_iter().take(held);
    let mut text = "trials: 1\ncases:\n".to_owned();
    for number in [4, 6].into_iter().chain(held) {
        let expect = "{calls: [{tool: convert}]}";
        let _ = writeln!(
            text,
            "  - {{name: c{number}, task: How far is it?, expect: {expect}}}"
        );
    }
    text
}

fn improve(project: &Project, args: &[&str]) -> CapturedRun {
    project.program("improver.sh", IMPROVER);
    let model = format!("'{}'", project.path("improver.sh").display());
    let all = [&["--improve", "convert", "--model-command", &model], args].concat();
    eval(project, &all)
}

#[test]
fn a_description_that_is_shown_to_be_better_is_kept() {
    let project = project(&cases(6));
    let text = format!(
        "# Ours.\n{}",
        CONVERT.replace("Converts lengths", "'Converts lengths' # short")
    );
    project.file("tools/convert.yaml", &text);
    let run = improve(&project, &[]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.stdout.contains("in all: better (p 0.031)"),
        "{}",
        run.stdout
    );
    let diff = "\
-description: 'Converts lengths' # short
+description: \"Converts: a number of kilometres to miles\" # short
";
    assert!(run.stdout.contains(diff), "{}", run.stdout);
    assert_eq!(project.read("tools/convert.yaml"), text);
    // Only the cases that are not held out are in the request.
    let prompt = project.read("prompt");
    assert_eq!(prompt.matches("Task: ").count(), 2, "{prompt}");
    assert!(prompt.contains("`convert` was not called"), "{prompt}");
    let run = improve(&project, &["--yes"]);
    assert_eq!(run.status, 0, "{run:?}");
    let new = "\"Converts: a number of kilometres to miles\"";
    assert_eq!(
        project.read("tools/convert.yaml"),
        text.replace("'Converts lengths'", new)
    );
}

#[test]
fn a_description_that_is_not_shown_to_be_better_is_not_kept() {
    let project = project(&cases(6));
    let run = improve(&project, &["--yes", "--description-tokens", "70"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.stdout
            .contains("+description: \"Converts what is long\""),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("is not shown to be better"),
        "{}",
        run.stderr
    );
    assert_eq!(project.read("tools/convert.yaml"), CONVERT);
}

#[test]
fn too_few_cases_are_held_out() {
    let project = project(&cases(5));
    let run = improve(&project, &["--yes"]);
    assert_eq!(run.status, 2, "{run:?}");
    let message = "5 are held out of 7 cases, and fewer than 6 cannot show a difference\n\
        hint: write 1 more whose names are held out, such as case-";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    // Two models make twice as many pairs.
    let run = improve(&project, &["--yes", "--models", "a,b"]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn files_of_others_are_not_changed() {
    let project = project(CASES);
    let text = CONVERT.replace("convert", "theirs");
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: ./tools}, node_modules]\n",
        )
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file("node_modules/pk/tools/theirs.yaml", &text)
        .file("evals/theirs.yaml", cases(6));
    let listed = authored(&project, &["--from-examples", "theirs", "--yes"]);
    assert_eq!(listed.status, 2, "{listed:?}");
    project.program("improver.sh", IMPROVER);
    let model = format!("'{}'", project.path("improver.sh").display());
    let run = eval(
        &project,
        &["--improve", "theirs", "--yes", "--model-command", &model],
    );
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr
            .contains("no tool of that name is in the project"),
        "{}",
        run.stderr
    );
    assert_eq!(project.read("node_modules/pk/tools/theirs.yaml"), text);
}
