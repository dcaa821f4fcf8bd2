//! The three output formats, complete.

use cogtools_core::Level;
use cogtools_lint::{find, rules};
use cogtools_program::Terminals;
use cogtools_test_support::{Project, outcome, str};
use serde_json::{Value, json};

use crate::project::{run, run_in, run_on};

const TOOL: &str = "name: say
description: Say it
parameters:
  times: {type: int, description: How often}
examples:
  - times: 2
implementation: \"{{ times }}\"
";

fn project() -> Project {
    let project = Project::new();
    project.dir(".gemini").file("tools/say.yaml", TOOL);
    project
}

#[test]
fn human_format() {
    let (schema, spelling) = (find("no-schema").unwrap(), find("type-spelling").unwrap());
    let expected = format!(
        "tools/say.yaml:1:1: warning[no-schema]: no `$schema`\n   |\n 1 | name: say\n   | ^^^^\n\
         why: {}\nfix: {} (`--fix` does it)\n\n\
         tools/say.yaml:4:17: error[type-spelling]: `int` is not a type\n   |\n \
         4 |   times: {{type: int, description: How often}}\n   |                 ^^^\n\
         why: {}\nfix: write `integer` (`--fix` does it)\n\n\
         1 file: 1 error, 1 warning, `--fix` can fix 2\n",
        schema.why, schema.fix, spelling.why,
    );
    outcome!(run(&project(), &[])).expect(78, expected, "");
    outcome!(run(&project(), &["--fix"])).expect(
        0,
        str![[r#"
tools/say.yaml:1:1: fixed[no-schema]: no `$schema`

tools/say.yaml:4:17: fixed[type-spelling]: `int` is not a type

1 file: 2 fixed, nothing to report

"#]],
        "",
    );
}

#[test]
fn colour_on_a_terminal_only() {
    let terminals = Terminals {
        stdout: true,
        stderr: false,
    };
    let ended = run_on(&project(), &[], terminals);
    let first = "tools/say.yaml:1:1: \u{1b}[1m\u{1b}[33mwarning[no-schema]\u{1b}[0m: no `$schema`";
    assert_eq!(ended.stdout.lines().next(), Some(first));
    let second = "tools/say.yaml:4:17: \u{1b}[1m\u{1b}[31merror[type-spelling]\u{1b}[0m: `int` is not a type";
    assert_eq!(ended.stdout.lines().nth(7), Some(second));
}

#[test]
fn json_format() {
    let ended = run(&project(), &["--format", "json"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (78, ""));
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    let expected = json!([
        {
            "rule": "no-schema", "severity": "warning", "file": "tools/say.yaml",
            "line": 1, "column": 1, "endColumn": 5, "message": "no `$schema`",
            "why": find("no-schema").unwrap().why, "fix": find("no-schema").unwrap().fix,
            "fixable": true, "fixed": false,
        },
        {
            "rule": "type-spelling", "severity": "error", "file": "tools/say.yaml",
            "line": 4, "column": 17, "endColumn": 20, "message": "`int` is not a type",
            "why": find("type-spelling").unwrap().why, "fix": "write `integer`",
            "fixable": true, "fixed": false,
        },
    ]);
    assert_eq!(found, expected);
}

/// `result` with the fix that writes `text` instead of `region`.
fn fixed(mut result: Value, region: [u32; 4], text: &str) -> Value {
    let description = result["message"]["text"].as_str().unwrap();
    let description = description.rsplit_once("; ").unwrap().1.to_owned();
    result["fixes"] = json!([{
        "description": {"text": description},
        "artifactChanges": [{
            "artifactLocation": {"uri": "tools/say.yaml"},
            "replacements": [{
                "deletedRegion": {
                    "startLine": region[0], "startColumn": region[1],
                    "endLine": region[2], "endColumn": region[3],
                },
                "insertedContent": {"text": text},
            }],
        }],
    }]);
    result
}

/// The fingerprint of the only finding of a rule on a line.
fn fingerprint(rule: &str, line: u32) -> String {
    let line = TOOL.lines().nth(line as usize - 1).unwrap().trim();
    let text = format!("{rule}\0tools/say.yaml\0{line}");
    format!("{}:1", cogtools_core::digest::bytes(text.as_bytes()))
}

#[test]
fn paths_in_sarif_are_relative_to_the_root_from_any_folder() {
    let project = project();
    project.dir("tools/deep");
    let of = |value: &Value| -> Vec<Value> {
        let results = value["runs"][0]["results"].as_array().unwrap().iter();
        let results = results.map(|it| {
            let uri = &it["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            json!([uri, it["partialFingerprints"]])
        });
        results.collect()
    };
    let at = |folder: &str, args: &[&str]| -> Value {
        let ended = run_in(&project, folder, args);
        assert_eq!((ended.status, ended.stderr.as_str()), (78, ""));
        serde_json::from_str(&ended.stdout).unwrap()
    };
    let expected = of(&at("", &["--format", "sarif"]));
    assert_eq!(expected[0][0], "tools/say.yaml");
    assert_eq!(
        of(&at("tools/deep", &["--format", "sarif", "../say.yaml"])),
        expected
    );
    assert_eq!(
        of(&at("tools", &["--format", "sarif", "./say.yaml"])),
        expected
    );
    assert_eq!(of(&at("tools/deep", &["--format", "sarif"])), expected);
}

#[test]
fn sarif_format() {
    let ended = run(&project(), &["--format", "sarif"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (78, ""));
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    let index = |name: &str| rules().position(|rule| rule.name == name).unwrap();
    let descriptors: Vec<Value> = rules()
        .map(|rule| {
            let level = ["none", "note", "warning", "error"][rule.level as usize];
            json!({
                "id": rule.name,
                "shortDescription": {"text": rule.summary},
                "fullDescription": {"text": rule.why},
                "help": {"text": rule.fix},
                "helpUri": format!("schema:agladysh-research.org,2025/cogtools:lint-rules#{}", rule.name),
                "defaultConfiguration": {"enabled": rule.level != Level::Off, "level": level},
            })
        })
        .collect();
    let result = |rule: &str, level: &str, message: &str, at: (u32, u32, u32)| {
        json!({
            "ruleId": rule, "ruleIndex": index(rule), "level": level, "message": {"text": message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "tools/say.yaml"},
                "region": {"startLine": at.0, "startColumn": at.1, "endColumn": at.2},
            }}],
            "partialFingerprints": {"cogtoolsLint/v1": fingerprint(rule, at.0)},
        })
    };
    let expected = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cogtools-lint", "version": env!("CARGO_PKG_VERSION"), "rules": descriptors,
            }},
            "columnKind": "unicodeCodePoints",
            "results": [
                fixed(
                    result("no-schema", "warning", &format!("no `$schema`; {}", find("no-schema").unwrap().fix), (1, 1, 5)),
                    [1, 1, 1, 1],
                    "$schema: schema:agladysh-research.org,2025/cogtools:tool\n",
                ),
                fixed(
                    result("type-spelling", "error", "`int` is not a type; write `integer`", (4, 17, 20)),
                    [4, 17, 4, 20],
                    "integer",
                ),
            ],
        }],
    });
    assert_eq!(found, expected);
}
