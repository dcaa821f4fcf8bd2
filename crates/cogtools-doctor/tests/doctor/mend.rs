//! What `--fix` writes, and what it leaves alone.

use std::fs;

use crate::patient::{Patient, SETTINGS};

/// Settings that are mended to `after`, byte for byte; then all is well.
#[track_caller]
fn check(before: Option<&str>, after: &str) {
    let patient = Patient::new();
    let file = patient.project.path(".gemini/settings.json");
    match before {
        Some(before) => fs::write(&file, before).unwrap(),
        None => fs::remove_file(&file).unwrap(),
    }
    let ended = patient.run(&[]);
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    assert!(
        ended.stdout.contains("cogtools doctor --fix mends"),
        "{}",
        ended.stdout
    );
    let head = "fixed .gemini/settings.json\n\n";
    patient.check_with(&["--fix"], head, &[], "no problems, no warnings");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    patient.check(&[], "no problems, no warnings");
}

#[test]
fn settings_are_mended() {
    let ours = "{
  \"toolDiscoveryCommand\": \"cogtools-discover\",
  \"toolCallCommand\": \"cogtools-call\",
  \"tools\": {
    \"discoveryCommand\": \"cogtools-discover\",
    \"callCommand\": \"cogtools-call\"
  }
}";
    check(None, &format!("{ours}\n"));
    check(Some(""), &format!("{ours}\n"));
    check(Some("{}"), ours);
    check(Some(&format!("\u{feff}{SETTINGS}")), SETTINGS);
    let comma = SETTINGS.replace("\"cogtools-call\"}", "\"cogtools-call\",},");
    check(Some(&comma), SETTINGS);
}

#[test]
fn what_cannot_be_mended_is_left_alone() {
    let patient = Patient::new();
    let before = "{\"tools\": }";
    patient.file(".gemini/settings.json", before);
    let settings = "  problem  .gemini/settings.json:1:11: not JSON with comments: unexpected close brace: Gemini CLI does not start
           fix: edit .gemini/settings.json
  problem  no settings have `tools.discoveryCommand`, so Gemini CLI 0.61.0 has no tools
           fix: cogtools init --dry-run, which names what stands in the way
  problem  no settings have `tools.callCommand`, so Gemini CLI 0.61.0 has no tools
           fix: cogtools init --dry-run, which names what stands in the way\n";
    let commands = "  ok       no discovery command to look for
  ok       no call command to look for\n";
    let again = "           fix: mend what is named above, then run cogtools doctor again\n";
    let discovery =
        format!("  warning  was not run: no settings name a discovery command\n{again}");
    let call = format!("  warning  was not made: no settings name a call command\n{again}");
    patient.check_with(
        &["--fix"],
        "",
        &[
            ("settings", settings),
            ("commands", commands),
            ("discovery", &discovery),
            ("call", &call),
        ],
        "3 problems, 2 warnings",
    );
    let file = patient.project.path(".gemini/settings.json");
    assert_eq!(fs::read_to_string(file).unwrap(), before);
}

#[test]
fn settings_of_the_user_are_left_alone() {
    let patient = Patient::new();
    patient.file("../home/.gemini/settings.json", "\u{feff}{}");
    let settings = "  problem  ~/.gemini/settings.json:1:1: begins with a byte order mark: Gemini CLI does not start
           fix: edit ~/.gemini/settings.json
  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    patient.check_with(
        &["--fix"],
        "",
        &[("settings", settings)],
        "1 problem, no warnings",
    );
}
