//! A healthy project, formats and colours.

use cogtools_program::Terminals;
use serde_json::{Value, json};

use crate::fixture::{Fixture, report};

const HEALTHY: &str = "no problems, no warnings";

#[test]
fn a_healthy_project_has_no_findings() {
    let fixture = Fixture::new();
    fixture.check(&[], HEALTHY);
    // There is nothing to fix, and nothing is changed.
    fixture.check_with(&["--fix"], "", &[], HEALTHY);
    assert_eq!(fixture.run(&["--policy"]).stdout, "");
}

#[test]
fn json() {
    let fixture = Fixture::new();
    fixture.file("tools/hello.yaml", "name: hello\n");
    let ended = fixture.run(&["--format", "json"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["project", "findings", "fixed", "problems", "warnings"]
    );
    assert_eq!(report["project"], "[HERE]/project");
    assert_eq!(report["problems"], 1);
    assert_eq!(report["fixed"], json!([]));
    let findings = report["findings"].as_array().unwrap();
    let problems: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["state"] == "problem")
        .collect();
    assert_eq!(
        problems[0],
        &json!({
            "check": "tools",
            "state": "problem",
            "message": "tools/hello.yaml:1:1: `description` is missing (and 1 more): no host sees the tool",
            "hint": "add `description: …`; cogtools lint tools/hello.yaml shows all of it",
            "fixable": false,
        })
    );
}

#[test]
fn colour_on_a_terminal_only() {
    let mut fixture = Fixture::new();
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    let root = fixture.project.root();
    let coloured = fixture.run_on(terminals, root.clone(), &[]).stdout;
    let plain = report(&[], HEALTHY);
    let expected: String = plain
        .lines()
        .map(|line| match line.strip_prefix("  ok") {
            Some(rest) => format!("  \u{1b}[32mok\u{1b}[0m{rest}\n"),
            None if line.is_empty() || line == HEALTHY => format!("{line}\n"),
            None if line.starts_with(' ') => format!("{line}\n"),
            None => format!("\u{1b}[1m{line}\u{1b}[0m\n"),
        })
        .collect();
    assert_eq!(coloured, expected);
    fixture.vars.insert("NO_COLOR".into(), "1".into());
    assert_eq!(fixture.run_on(terminals, root, &[]).stdout, plain);
}

#[test]
fn a_folder_below_the_project() {
    let fixture = Fixture::new();
    fixture.project.dir("src");
    let below = fixture.project.path("src");
    let ended = fixture.run_on(Terminals::default(), below, &[]);
    let section = "  ok       `.cogtoolrc.yaml` is valid
  warning  the project is `[HERE]/project`; a host finds its settings only if it is started there
           fix: cd [HERE]/project\n";
    let expected = report(&[("configuration", section)], "no problems, 1 warning");
    assert_eq!((ended.status, ended.stdout), (0, expected));
}

#[test]
fn every_check_is_in_the_manual() {
    let (_, text) = cogtools_doctor::PROGRAM.manual[0];
    for line in report(&[], HEALTHY).lines() {
        let check = !line.is_empty() && !line.starts_with(' ') && line != HEALTHY;
        assert!(
            !check || text.contains(&format!("{line}\n  ")),
            "{line} is not in the manual"
        );
    }
}
