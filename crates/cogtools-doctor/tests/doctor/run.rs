//! Good health, and what a run is like.

use cogtools_program::Terminals;
use serde_json::{Value, json};

use crate::patient::{Patient, report};

const WELL: &str = "no problems, no warnings";

#[test]
fn all_is_well() {
    let patient = Patient::new();
    patient.check(&[], WELL);
    // Nothing to mend, and nothing is touched.
    patient.check_with(&["--fix"], "", &[], WELL);
    assert_eq!(patient.run(&["--policy"]).stdout, "");
}

#[test]
fn json() {
    let patient = Patient::new();
    patient.file("tools/hello.yaml", "name: hello\n");
    let ended = patient.run(&["--format", "json"]);
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
            "message": "tools/hello.yaml:1:1: `description` is missing (and 1 more): no host is told of the tool",
            "fix": "add `description: …`; cogtools lint tools/hello.yaml",
            "fixable": false,
        })
    );
}

#[test]
fn colour_on_a_terminal_only() {
    let mut patient = Patient::new();
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    let root = patient.project.root();
    let coloured = patient.run_on(terminals, root.clone(), &[]).stdout;
    let plain = report(&[], WELL);
    let expected: String = plain
        .lines()
        .map(|line| match line.strip_prefix("  ok") {
            Some(rest) => format!("  \u{1b}[32mok\u{1b}[0m{rest}\n"),
            None if line.is_empty() || line == WELL => format!("{line}\n"),
            None => format!("\u{1b}[1m{line}\u{1b}[0m\n"),
        })
        .collect();
    assert_eq!(coloured, expected);
    patient.vars.insert("NO_COLOR".into(), "1".into());
    assert_eq!(patient.run_on(terminals, root, &[]).stdout, plain);
}

#[test]
fn a_folder_below_the_project() {
    let patient = Patient::new();
    patient.project.dir("src");
    let below = patient.project.path("src");
    let ended = patient.run_on(Terminals::default(), below, &[]);
    let section = "  ok       `.cogtoolrc.yaml` is valid
  warning  the project is `[HERE]/project`, and a host finds its settings only when it is started there
           fix: cd [HERE]/project\n";
    let expected = report(&[("configuration", section)], "no problems, 1 warning");
    assert_eq!((ended.status, ended.stdout), (0, expected));
}

#[test]
fn every_check_stands_in_the_manual() {
    let (_, text) = cogtools_doctor::PROGRAM.manual[0];
    for line in report(&[], WELL).lines() {
        let check = !line.is_empty() && !line.starts_with(' ') && line != WELL;
        assert!(
            !check || text.contains(&format!("{line}\n  ")),
            "{line} does not"
        );
    }
}
