//! The reports for programs.

use cogtools_test_support::{Project, assert_text, outcome, str};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::{project, run};

/// A project with most kinds of failures, and characters that XML forbids.
fn failing_project() -> Project {
    let project = project();
    project
        .file(
            "tools/say.1.golden",
            "<a b=\"c\">&amp;]]>\u{1b}[1m\u{0}\u{ffff}é\n",
        )
        .file("tools/say.9.golden", "")
        .file(
            "tools/bad.yaml",
            "name: bad\ndescription: <&\"'>\n\u{7}: x\n",
        )
        .file(
            "tools/bare.yaml",
            "name: bare\ndescription: d\nimplementation: x\n",
        );
    project
}

fn attributes<'d>(node: Node<'d, 'd>) -> Vec<(&'d str, &'d str)> {
    let attributes = node.attributes();
    attributes.map(|it| (it.name(), it.value())).collect()
}

/// The report with every time as `…`; each must be a number of seconds with three decimals.
fn without_times(xml: &str) -> String {
    let mut parts = xml.split(" time=\"");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (time, rest) = part.split_once('"').expect("the end of a time");
        let (seconds, decimals) = time.split_once('.').expect("decimals");
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        assert!(
            digits(seconds) && digits(decimals) && decimals.len() == 3,
            "{time}"
        );
        text.push_str(" time=\"…\"");
        text.push_str(rest);
    }
    text
}

#[test]
fn junit_report_without_failures() {
    let xml = str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cogtools test" tests="2" failures="0" errors="0" skipped="0" time="…">
  <testsuite name="say" file="tools/say.yaml" tests="2" failures="0" errors="0" skipped="0" time="…">
    <testcase classname="say" name="example 1" file="tools/say.yaml" line="7" time="…"/>
    <testcase classname="say" name="example 2" file="tools/say.yaml" line="8" time="…"/>
  </testsuite>
</testsuites>

"#]];
    let mut ended = run(&project(), &["--format", "junit"]);
    ended.stdout = without_times(&ended.stdout);
    outcome!(ended).outputs(xml);
}

#[test]
fn junit_is_well_formed() {
    let ended = run(&failing_project(), &["--format=junit"]);
    assert_eq!(ended.status, 1);
    let document = Document::parse(&ended.stdout).expect("well-formed XML");
    let root = document.root_element();
    let totals = [
        ("tests", "5"),
        ("failures", "2"),
        ("errors", "1"),
        ("skipped", "1"),
    ];
    assert_eq!(attributes(root)[1..5], totals);
    let cases: Vec<_> = root
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .map(|case| {
            let child = case.first_element_child();
            (
                case.attribute("classname").unwrap(),
                case.attribute("name").unwrap(),
                child.map(|child| (child.tag_name().name(), child.attribute("type"))),
            )
        })
        .collect();
    let expected = [
        ("bad", "tool", Some(("error", Some("broken")))),
        ("bare", "examples", Some(("skipped", None))),
        ("say", "tool", Some(("failure", Some("stale")))),
        ("say", "example 1", Some(("failure", Some("golden")))),
        ("say", "example 2", None),
    ];
    assert_eq!(cases, expected);
    let mut texts = root.descendants().filter_map(|node| node.text());
    let failure = texts.find(|text| text.contains("golden:"));
    let expected = "  \
  tools/say.yaml:7:5: example 1: golden: the result differs from `tools/say.1.golden`
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -<a b=\"c\">&amp;]]>\\u{1b}[1m\\u{0}\\u{ffff}é
    +hello Ada
    hint: if the result is right: cogtools test --update say
";
    assert_eq!(failure, Some(expected));
}

#[test]
fn json_report_of_a_failure() {
    let project = project();
    project.file("tools/say.1.golden", "hi\n");
    let ended = run(&project, &["--format=json"]);
    assert_eq!(ended.status, 1);
    let example = |number: usize, line: usize, failures: Value| {
        let failed = failures.as_array().is_some_and(|all| !all.is_empty());
        json!({
            "number": number,
            "file": "tools/say.yaml",
            "line": line,
            "column": 5,
            "golden": format!("tools/say.{number}.golden"),
            "status": if failed { "failed" } else { "passed" },
            "written": false,
            "failures": failures,
        })
    };
    let failure = json!({
        "at": "golden",
        "message": "the result differs from `tools/say.1.golden`",
        "detail": "--- tools/say.1.golden\n+++ the result\n@@ -1 +1 @@\n-hi\n+hello Ada\n",
        "faults": [],
        "hints": ["if the result is right: cogtools test --update say"],
    });
    let expected = json!({
        "tools": [{
            "name": "say",
            "file": "tools/say.yaml",
            "status": "failed",
            "examples": [example(1, 7, json!([failure])), example(2, 8, json!([]))],
            "failures": [],
            "removed": [],
        }],
        "summary": {
            "tools": 1,
            "examples": 2,
            "failures": 1,
            "without_examples": 0,
            "written": 0,
            "removed": 0,
        },
    });
    assert_eq!(ended.stdout, format!("{expected:#}\n"));
}

#[test]
fn json_report_of_each_status() {
    let ended = run(&failing_project(), &["--format=json"]);
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let tools = report["tools"].as_array().expect("a list");
    let states: Vec<_> = tools
        .iter()
        .map(|tool| {
            (
                tool["name"].as_str().unwrap(),
                tool["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        states,
        [("bad", "failed"), ("bare", "empty"), ("say", "failed")]
    );
    let diagnostic = &tools[0]["failures"][0]["faults"][0];
    assert_eq!(diagnostic["code"], "INVALID_TOOL", "{report:#}");
    let again = run(&failing_project(), &["--format=json"]);
    assert_eq!(again.stdout, ended.stdout);
}

#[test]
fn reports_without_tools() {
    let project = Project::new();
    let xml = str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cogtools test" tests="0" failures="0" errors="0" skipped="0" time="…">
</testsuites>

"#]];
    let stdout = run(&project, &["--format=junit"]).stdout;
    assert_text(without_times(&stdout), xml);
    let json: Value = serde_json::from_str(&run(&project, &["--format=json"]).stdout).unwrap();
    assert_eq!(json["tools"], json!([]));
}
