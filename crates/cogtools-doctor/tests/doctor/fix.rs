//! What `--fix` writes, and what it leaves alone.

use std::fs;

use crate::fixture::{Fixture, SETTINGS};

/// Asserts the summary before the fix, and that the settings are fixed to `after`, byte for byte,
/// with no findings left.
#[track_caller]
fn check(before: Option<&str>, summary: &str, after: &str) {
    let fixture = Fixture::new();
    let file = fixture.project.path(".gemini/settings.json");
    match before {
        Some(before) => fs::write(&file, before).unwrap(),
        None => fs::remove_file(&file).unwrap(),
    }
    let ended = fixture.run(&[]);
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    assert_eq!(
        ended.stdout.lines().last(),
        Some(summary),
        "{}",
        ended.stdout
    );
    let head = "fixed .gemini/settings.json\n\n";
    fixture.check_with(&["--fix"], head, &[], "no problems, no warnings");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    fixture.check(&[], "no problems, no warnings");
}

#[test]
fn settings_are_fixed() {
    let ours = "{
  \"toolDiscoveryCommand\": \"cogtools-discover\",
  \"toolCallCommand\": \"cogtools-call\",
  \"tools\": {
    \"discoveryCommand\": \"cogtools-discover\",
    \"callCommand\": \"cogtools-call\"
  }
}";
    let one = "1 problem, 2 warnings; cogtools doctor --fix can fix 1";
    let two = "2 problems, 2 warnings; cogtools doctor --fix can fix 2";
    let three = "3 problems, 2 warnings; cogtools doctor --fix can fix 3";
    check(None, one, &format!("{ours}\n"));
    check(Some(""), three, &format!("{ours}\n"));
    check(Some("{}"), two, ours);
    check(Some(&format!("\u{feff}{SETTINGS}")), three, SETTINGS);
    let comma = SETTINGS.replace("\"cogtools-call\"}", "\"cogtools-call\",},");
    check(Some(&comma), three, SETTINGS);
}

#[test]
fn invalid_settings_are_left_alone() {
    let fixture = Fixture::new();
    let before = "{\"tools\": }";
    fixture.file(".gemini/settings.json", before);
    let settings = "  problem  .gemini/settings.json:1:11: not JSON with comments: unexpected close brace: Gemini CLI does not start
           fix: edit .gemini/settings.json\n";
    let commands = "  ok       no discovery command is set
  ok       no call command is set\n";
    let again = "           fix: fix the problems above, then run cogtools doctor again\n";
    let discovery =
        format!("  warning  skipped: no settings file sets a discovery command\n{again}");
    let call = format!("  warning  skipped: no settings file sets a call command\n{again}");
    fixture.check_with(
        &["--fix"],
        "",
        &[
            ("settings", settings),
            ("commands", commands),
            ("discovery", &discovery),
            ("call", &call),
        ],
        "1 problem, 2 warnings",
    );
    let file = fixture.project.path(".gemini/settings.json");
    assert_eq!(fs::read_to_string(file).unwrap(), before);
}

#[test]
fn user_settings_are_left_alone() {
    let fixture = Fixture::new();
    fixture.file("../home/.gemini/settings.json", "\u{feff}{}");
    let settings = "  problem  ~/.gemini/settings.json:1:1: begins with a byte order mark: Gemini CLI does not start
           fix: edit ~/.gemini/settings.json
  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    fixture.check_with(
        &["--fix"],
        "",
        &[("settings", settings)],
        "1 problem, no warnings",
    );
}
