//! The files that `--fix` writes, and the files that it leaves alone.

use std::fs;

use crate::fixture::{Fixture, SERVED, SETTINGS};

/// Asserts the summary before the fix, and that the settings are fixed to `after`, byte for byte,
/// with no findings left.
#[track_caller]
fn check(before: &str, summary: &str, after: &str) {
    let fixture = Fixture::new();
    let file = fixture.project.path(".gemini/settings.json");
    fs::write(&file, before).unwrap();
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
    let three = "3 problems, 2 warnings; cogtools doctor --fix can fix 3";
    check(&format!("\u{feff}{SETTINGS}"), three, SETTINGS);
    let comma = SETTINGS.replace("\"cogtools-call\"}", "\"cogtools-call\",},");
    check(&comma, three, SETTINGS);
    let half = SETTINGS.replace("\"discoveryCommand\": \"cogtools-discover\", ", "");
    let whole = SETTINGS.replace(
        "{\"discoveryCommand\": \"cogtools-discover\", \"callCommand\": \"cogtools-call\"}",
        "{\"callCommand\": \"cogtools-call\", \"discoveryCommand\": \"cogtools-discover\"}",
    );
    let one = "1 problem, 1 warning; cogtools doctor --fix can fix 1";
    check(&half, one, &whole);
}

/// Settings without a connection, and how many findings they have.
const UNCONNECTED: [(Option<&str>, usize); 3] = [(None, 1), (Some(""), 3), (Some("{}"), 2)];

/// A project with such settings.
fn unconnected(before: Option<&str>) -> Fixture {
    let fixture = Fixture::new();
    let file = fixture.project.path(".gemini/settings.json");
    match before {
        Some(before) => fs::write(&file, before).unwrap(),
        None => fs::remove_file(&file).unwrap(),
    }
    fixture
}

#[test]
fn settings_without_a_connection_get_the_server() {
    for (before, problems) in UNCONNECTED {
        let fixture = unconnected(before);
        let noun = if problems == 1 { "problem" } else { "problems" };
        let summary =
            format!("{problems} {noun}, 2 warnings; cogtools doctor --fix can fix {problems}");
        let ended = fixture.run(&[]);
        assert_eq!(
            ended.stdout.lines().last(),
            Some(summary.as_str()),
            "{before:?}"
        );
        fixture.serve();
        let head = "fixed .gemini/settings.json\n\n";
        fixture.check_with(&["--fix"], head, &SERVED, "no problems, no warnings");
        let after = fs::read_to_string(fixture.project.path(".gemini/settings.json")).unwrap();
        let expected = "{
  \"mcpServers\": {
    \"cogtools\": {
      \"command\": \"cogtools\",
      \"args\": [\"mcp\"]
    }
  }
}";
        assert_eq!(after.trim_end(), expected);
        fixture.check(&SERVED, "no problems, no warnings");
    }
}

#[test]
fn settings_of_an_older_version_get_the_commands() {
    for (before, _) in UNCONNECTED {
        let fixture = unconnected(before);
        fixture.install_gemini("0.34.0");
        fixture.run(&["--fix"]);
        let after = fs::read_to_string(fixture.project.path(".gemini/settings.json")).unwrap();
        let expected = "{
  \"toolDiscoveryCommand\": \"cogtools-discover\",
  \"toolCallCommand\": \"cogtools-call\",
  \"tools\": {
    \"discoveryCommand\": \"cogtools-discover\",
    \"callCommand\": \"cogtools-call\"
  }
}";
        assert_eq!(after.trim_end(), expected);
    }
}

#[test]
fn invalid_settings_are_left_alone() {
    let fixture = Fixture::new();
    let before = "{\"tools\": }";
    fixture.file(".gemini/settings.json", before);
    let settings = "  problem  .gemini/settings.json:1:11: not JSON with comments: unexpected close brace: Gemini CLI does not start
           hint: correct .gemini/settings.json\n";
    let commands = "  ok       no discovery command is set
  ok       no call command is set\n";
    let again = "           hint: this is checked when the problems above are fixed\n";
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
           hint: correct ~/.gemini/settings.json
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
