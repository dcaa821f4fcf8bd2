//! Trials: verdicts, figures, budgets, errors, and what is done.

use cogtools_test_support::Project;
use serde_json::json;

use super::{CONVERT, MODEL, eval, project, report, requests, scripted};

const RIGHT: &str = "\
trials: 3
cases:
  - name: right
    task: right
    expect:
      calls: [{tool: convert, args: {amount: 5, unit: {contains: mile}, digits: 2}}]
      order: exact
      first_try: true
      never: [gr*]
      answer: {contains: [miles], matches: '3\\.\\d'}
      at_most: {turns: 2, calls: 1, tokens: 832}
";

#[test]
fn a_trial_passes_when_every_expectation_holds() {
    let project = project(RIGHT);
    let run = report(&scripted(&project, &["--format", "json"]), 0);
    let case = &run["cases"][0];
    for (key, expected) in [
        ("/case", json!("right")),
        ("/file", json!("tools/convert.evals.yaml")),
        ("/line", json!(3)),
        ("/tool", json!("convert")),
        ("/model", json!("command")),
        ("/trials", json!(3)),
        ("/passed", json!(3)),
        ("/ok", json!(true)),
        ("/pass_k", json!({"1": 1.0, "3": 1.0})),
        ("/first_try", json!({"passed": 3, "trials": 3, "rate": 1.0})),
        ("/rejected", json!({"calls": 0, "violations": []})),
        ("/mean/turns", json!(2.0)),
        ("/mean/calls", json!(1.0)),
        ("/mean/tokens", json!(832.0)),
        ("/results/0/verdict", json!("pass")),
    ] {
        assert_eq!(case.pointer(key), Some(&expected), "{key}: {case}");
    }
    assert_eq!(run["summary"]["passed"], 3);
    assert_eq!(run["status"], 0);
    assert_eq!(requests(&project), 6);
}

#[test]
fn done_trials_are_judged_anew_and_more_trials_add() {
    let project = project(RIGHT);
    assert_eq!(scripted(&project, &[]).status, 0);
    assert_eq!(requests(&project), 6);
    assert_eq!(scripted(&project, &[]).status, 0);
    assert_eq!(requests(&project), 6);
    assert_eq!(scripted(&project, &["--trials", "4"]).status, 0);
    assert_eq!(requests(&project), 8);
    project.file(
        "tools/convert.evals.yaml",
        RIGHT.replace("turns: 2", "turns: 1"),
    );
    let run = report(&scripted(&project, &["--format", "json"]), 1);
    assert_eq!(requests(&project), 8);
    assert_eq!(
        run["cases"][0]["results"][0]["failures"][0]["expect"],
        "/at_most/turns"
    );
}

#[test]
fn a_trial_that_was_stopped_goes_on_with_a_looser_limit() {
    let limited = |turns: u64| RIGHT.replace("turns: 2", &format!("turns: {turns}"));
    let project = project(&limited(1));
    assert_eq!(scripted(&project, &["--record"]).status, 1);
    assert_eq!(requests(&project), 3);
    // Neither the same limit nor a tighter one changes anything.
    for turns in [1, 0] {
        project.file("tools/convert.evals.yaml", limited(turns));
        assert_eq!(scripted(&project, &["--record"]).status, 1);
        assert_eq!(requests(&project), 3);
    }
    project.file("tools/convert.evals.yaml", limited(2));
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    assert_eq!(requests(&project), 9);
    assert_eq!(eval(&project, &["--replay"]).status, 0);
    // Cases that share a task do not share their limits.
    let two = "  - {name: NAME, task: repair, expect: {calls: [{tool: convert}], at_most: {turns: TURNS}}}\n";
    let case = |name, turns| two.replace("NAME", name).replace("TURNS", turns);
    let cases = [
        "trials: 1\ncases:\n",
        &case("short", "1"),
        &case("long", "9"),
    ]
    .concat();
    project.file("tools/convert.evals.yaml", cases);
    for _ in 0..2 {
        let run = report(&scripted(&project, &["--json"]), 1);
        assert_eq!(
            [0, 1].map(|index| run["cases"][index]["ok"].clone()),
            [false, true]
        );
        assert_eq!(requests(&project), 13);
    }
}

#[test]
fn a_trial_that_was_denied_goes_on_when_it_is_allowed() {
    let project = Project::untrusted();
    let exec = |program: &str| {
        let implementation = format!("implementation: {{exec: [sh, -c, '{program}']}}\n");
        CONVERT[..CONVERT.find("implementation").expect("a key")].to_owned() + &implementation
    };
    let case = "{trials: 1, cases: [{name: a, task: right, expect: {calls: [{tool: convert}]}}]}";
    project
        .file("tools/convert.yaml", exec("echo ran >> ran"))
        .program(
            "model.sh",
            MODEL.replace(r#"'"output"'*)"#, r#"'"output"'* | *'"error"'*)"#),
        )
        .file("tools/convert.evals.yaml", case);
    let ran = || project.path("ran").exists();
    let check = |args: &[&str], is_run: bool, asked: usize| {
        for _ in 0..2 {
            report(
                &scripted(&project, &[&["--json", "--record"], args].concat()),
                0,
            );
            assert_eq!((ran(), requests(&project)), (is_run, asked), "{args:?}");
        }
    };
    check(&[], false, 2);
    // The project is still not trusted.
    check(&["--allow", "convert"], false, 2);
    project.trust(".");
    check(&[], false, 2);
    check(&["--allow", "convert"], true, 4);
    // The file of the tool has changed: what was recorded is stale.
    project.file("tools/convert.yaml", exec("echo again >> ran"));
    assert_eq!(eval(&project, &["--replay"]).status, 1);
    check(&["--allow", "convert"], true, 6);
    assert_eq!(eval(&project, &["--replay"]).status, 0);
}

#[test]
fn known_weaknesses_give_known_figures() {
    let project = project(
        "\
trials: 4
cases:
  - {name: repairs, task: repair, expect: {calls: [{tool: convert}], first_try: true}}
  - {name: confuses, task: confuse, expect: {calls: [{tool: convert}], never: [greet]}}
  - {name: repairs-at-last, task: repair, threshold: 0, expect: {calls: [{tool: convert, args: {unit: miles}, times: 1}]}}
",
    );
    let run = report(&scripted(&project, &["--format", "json"]), 1);
    let [repairs, confuses, last] = [0, 1, 2].map(|index| &run["cases"][index]);
    assert_eq!(repairs["passed"], 0);
    assert_eq!(
        repairs["first_try"],
        json!({"passed": 0, "trials": 4, "rate": 0.0})
    );
    assert_eq!(repairs["repaired"], 4);
    assert_eq!(
        repairs["rejected"],
        json!({"calls": 4, "violations": [
            {"tool": "convert", "pointer": "/unit", "code": "SCHEMA_VIOLATION", "count": 4},
        ]})
    );
    assert_eq!(repairs["results"][0]["failures"][0]["expect"], "/first_try");
    let failures = confuses["results"][0]["failures"]
        .as_array()
        .expect("a list");
    let pointers: Vec<_> = failures
        .iter()
        .filter_map(|failed| failed["expect"].as_str())
        .collect();
    assert_eq!(pointers, ["/calls/0", "/never/0"]);
    assert_eq!(confuses["first_try"]["rate"], json!(null));
    assert_eq!(last["passed"], 4);
    assert!((last["low"].as_f64().expect("a number") - 0.510_109).abs() < 1e-6);
}

#[test]
fn fixtures_take_the_place_of_tools() {
    let project = project(
        "\
trials: 1
cases:
  - name: fixed
    task: right
    with: {convert: [{args: {amount: 6}, result: 1}, {args: {digits: 2}, result: {miles: 3}}]}
    expect: {calls: [{tool: convert}], answer: {contains: miles}}
  - name: none
    task: right
    with: {convert: [{args: {amount: 6}, result: 1}]}
    expect: {calls: [{tool: convert}], at_most: {turns: 3}}
",
    );
    let run = report(&scripted(&project, &["--format", "json"]), 1);
    assert_eq!(run["cases"][0]["ok"], true);
    // The model tries again and again what has no fixture.
    assert_eq!(
        run["cases"][1]["results"][0]["failures"][0]["expect"],
        "/at_most/turns"
    );
}

#[test]
fn an_error_is_no_failure() {
    let project =
        project("{trials: 2, cases: [{name: broken, task: broken, expect: {never: ['*']}}]}");
    let run = scripted(&project, &["--format", "json"]);
    let json = report(&run, 69);
    assert_eq!(json["cases"][0]["errors"], 2);
    assert_eq!(json["cases"][0]["trials"], 0);
    assert_eq!(json["cases"][0]["rate"], json!(null));
    assert!(run.stderr.contains("UNAVAILABLE"), "{}", run.stderr);
    assert_eq!(requests(&project), 2);
    scripted(&project, &[]);
    assert_eq!(requests(&project), 4);
}

#[test]
fn a_refusal_fails_whatever_is_expected() {
    let project = project(
        "{trials: 1, cases: [{name: a, task: [hello, refuse, right], expect: {never: [greet]}}]}",
    );
    project.program(
        "model.sh",
        MODEL.replace(
            "  *right*)",
            "  *refuse*) printf '{\"candidates\":[{\"finishReason\":\"SAFETY\"}]}' ;;\n  *right*)",
        ),
    );
    let run = report(&scripted(&project, &["--json"]), 1);
    assert_eq!(
        run["cases"][0]["results"][0]["failures"],
        json!([{"expect": "", "message": "the model refused to answer"}])
    );
    assert_eq!(requests(&project), 2);
}

#[test]
fn no_trial_begins_beyond_the_budget() {
    let project = project(RIGHT);
    let run = scripted(
        &project,
        &["--format", "json", "--budget", "trials=2", "-j", "1"],
    );
    let json = report(&run, 4);
    assert_eq!(json["cases"][0]["skipped"], 1);
    assert_eq!(json["cases"][0]["passed"], 2);
    assert_eq!(json["cases"][0]["ok"], false);
    let junit = scripted(&project, &["--format", "junit", "--budget", "trials=0"]);
    assert!(junit.stdout.contains("skipped=\"1\""), "{junit:?}");
    let rest = report(
        &scripted(&project, &["--format", "json", "--budget", "trials=2"]),
        0,
    );
    assert_eq!(rest["cases"][0]["passed"], 3);
    assert_eq!(requests(&project), 6);
}

#[test]
fn a_judge_has_to_quote_the_answer_and_is_paid_for() {
    let cases =
        "trials: 2\ncases: [{name: it, task: right, expect: {answer: {says: It has miles}}}]";
    let args = ["--format", "json", "-j", "1", "--judge", "judge"];
    for (quote, passed, status) in [("3.1 miles", 2, 0), ("3.1 Miles", 0, 1), ("", 0, 1)] {
        let project = project(cases);
        project.file("quote", quote);
        let run = scripted(&project, &args);
        let json = report(&run, status);
        assert_eq!(json["cases"][0]["passed"], passed, "{quote}: {run:?}");
        let failure = &json["cases"][0]["results"][0]["failures"][0]["expect"];
        assert_eq!(*failure == "/answer/says/0", passed == 0, "{json}");
        // What it has said is kept.
        let before = requests(&project);
        report(&scripted(&project, &args), status);
        assert_eq!(requests(&project), before);
    }
    // A judge that fails is asked again, and the trial does not run again.
    let project = project(cases);
    let failing = ["--json", "-j", "1", "--judge", "failing"];
    project.program(
        "model.sh",
        MODEL.replace(
            "cat)\n",
            "cat)\n[ \"$COGTOOLS_EVAL_MODEL\" != failing ] || exit 3\n",
        ),
    );
    report(&scripted(&project, &failing), 69);
    assert_eq!(requests(&project), 4);
    report(&scripted(&project, &failing), 69);
    assert_eq!(requests(&project), 4);
    let project = super::project(cases);
    project.file("quote", "3.1 miles");
    let run = scripted(
        &project,
        &[&args[..], &["--budget", "tokens=5000"]].concat(),
    );
    assert_eq!(report(&run, 4)["cases"][0]["skipped"], 1);
}

#[test]
fn reports_are_for_people_and_for_programs() {
    let project = project(RIGHT);
    let human = scripted(&project, &[]);
    assert!(
        human
            .stdout
            .starts_with("ok   right (command)  3/3 (0.44 to 1.00), first try 3/3, 2496 tokens\n"),
        "{}",
        human.stdout
    );
    let markdown = scripted(&project, &["--format", "markdown"]).stdout;
    assert!(
        markdown.starts_with("| case | command |\n|---|---|\n| right | ✓ 3/3"),
        "{markdown}"
    );
    let junit = scripted(&project, &["--format", "junit"]).stdout;
    assert!(
        junit.contains("<testsuite name=\"command\" tests=\"1\" failures=\"0\""),
        "{junit}"
    );
    assert!(
        junit.contains("<testcase classname=\"convert\" name=\"right\""),
        "{junit}"
    );
}

#[test]
fn a_failure_is_told_once_with_its_trials() {
    let cases =
        "{trials: 4, cases: [{name: no, task: nothing, expect: {calls: [{tool: convert}]}}]}";
    let project = project(cases);
    let human = scripted(&project, &[]).stdout;
    assert_eq!(human.matches("was not called").count(), 1, "{human}");
    assert!(
        human.contains("\n       1 to 4: /calls/0: `convert` was not called\n"),
        "{human}"
    );
    let markdown = scripted(&project, &["--format", "markdown"]).stdout;
    assert!(
        markdown
            .contains("- `no` (command), trial 1 to 4: `/calls/0` \\`convert\\` was not called\n"),
        "{markdown}"
    );
    let args = ["--format", "markdown", "--models", "a|b<img>`c"];
    let markdown = scripted(&project, &args).stdout;
    assert!(
        markdown.starts_with("| case | a\\|b\\<img>\\`c |\n"),
        "{markdown}"
    );
}

#[test]
fn tasks_without_tools_show_what_a_tool_earns() {
    let cases = RIGHT.replace("trials: 3", "trials: 10");
    let project = project(&cases);
    let run = report(&scripted(&project, &["--format", "json", "--without"]), 0);
    assert_eq!(run["compare"][0]["verdict"], "better");
    assert_eq!(run["compare"][0]["c"], 10);
    assert_eq!(run["overall"]["verdict"], "not_shown");
}

#[test]
fn decoys_make_choosing_hard() {
    let project = project(
        "{trials: 1, cases: [{name: a, task: right, tools: [convert], expect: {calls: [{tool: convert}]}}]}",
    );
    assert_eq!(scripted(&project, &["--with-decoys", "5"]).status, 0);
}

#[test]
fn a_name_selects_cases() {
    let project = project(RIGHT);
    let unknown = eval(&project, &["covnert"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("did you mean `convert`?"),
        "{}",
        unknown.stderr
    );
    assert_eq!(
        scripted(&project, &["convert", "-t", "convert/ri"]).status,
        0
    );
    assert_eq!(scripted(&project, &["-t", "nothing"]).status, 2);
}

/// A model that knows `digits` to be optional and leaves it out in every fifth trial, confuses the
/// tools in every fourth of five, and repairs a rejected call once in ten trials.
const WEAK: &str = r#"#!/bin/sh
input=$(cat)
count="$(dirname "$0")/count"
call() {
  printf '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"%s","args":%s}}]},"finishReason":"STOP"}]}' "$1" "$2"
}
case "$input" in
  *'"output"'*) echo Done. ; exit ;;
  *'required but missing'*) call convert '{"amount":5,"unit":"miles","digits":0}' ; exit ;;
esac
echo trial >> "$count"
number=$(wc -l < "$count")
case "$input" in
  *optional*)
    case $((number % 5)) in
      0) call convert '{"amount":5,"unit":"miles"}' ;;
      4) call greet '{"person":"Bob"}' ;;
      *) call convert '{"amount":5,"unit":"miles","digits":0}' ;;
    esac ;;
  *)
    case $((number % 10)) in
      0) call convert '{"amount":5,"digits":0}' ;;
      *) call convert '{"amount":5,"unit":"miles","digits":0}' ;;
    esac ;;
esac
"#;

#[test]
fn a_model_with_known_weaknesses_gives_known_rates_and_intervals() {
    let check = |task: &str, trials: u64, expected: [(&str, serde_json::Value); 7]| {
        let expect = "{calls: [{tool: convert, args: {digits: 0}}], first_try: true}";
        let project = project(&format!(
            "{{trials: {trials}, threshold: 0.6, cases: [{{name: a, task: {task}, expect: {expect}}}]}}"
        ));
        project.program("weak.sh", WEAK);
        let model = format!("'{}'", project.path("weak.sh").display());
        let args = ["--jobs", "1", "--format", "json", "--model-command", &model];
        let run = report(&eval(&project, &args), 0);
        let case = &run["cases"][0];
        let digits = |value: &serde_json::Value| value.as_f64().map(|it| (it * 1e6).round() / 1e6);
        for (key, expected) in expected {
            let value = case.pointer(key).expect(key);
            let is_same =
                *value == expected || (value.is_f64() && digits(value) == digits(&expected));
            assert!(is_same, "{key}: {value}, not {expected}");
        }
    };
    check(
        "optional",
        5,
        [
            ("/passed", json!(3)),
            ("/low", json!(0.230_724)),
            ("/high", json!(0.882_379)),
            ("/pass_k", json!({"1": 0.6, "5": 0.0})),
            ("/first_try", json!({"passed": 4, "trials": 4, "rate": 1.0})),
            ("/rejected", json!({"calls": 0, "violations": []})),
            ("/repaired", json!(0)),
        ],
    );
    check(
        "mends",
        20,
        [
            ("/passed", json!(18)),
            ("/low", json!(0.698_966)),
            ("/high", json!(0.972_134)),
            ("/pass_k", json!({"1": 0.9, "20": 0.0})),
            (
                "/first_try",
                json!({"passed": 18, "trials": 20, "rate": 0.9}),
            ),
            (
                "/rejected",
                json!({"calls": 2, "violations": [
                    {"tool": "convert", "pointer": "/unit", "code": "SCHEMA_VIOLATION", "count": 2},
                ]}),
            ),
            ("/repaired", json!(2)),
        ],
    );
}
