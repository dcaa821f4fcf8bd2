//! Findings about the host: its version, its settings, its commands.

use crate::fixture::{Fixture, SETTINGS};

const RERUN: &str = "           hint: this is checked when the problems above are fixed\n";

#[test]
fn no_gemini() {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.project.path("../prefix/bin/gemini")).unwrap();
    let gemini =
        "  warning  no `gemini` is on PATH, in node_modules or in npx's cache; the other checks assume version 0.61.0
           fix: npm install --global @google/gemini-cli\n";
    fixture.check(&[("gemini", gemini)], "no problems, 1 warning");
}

#[test]
fn an_old_gemini_reads_other_keys() {
    let fixture = Fixture::new();
    fixture.install_gemini("0.1.5");
    let gemini = "  ok       Gemini CLI 0.1.5 is `[HERE]/prefix/bin/gemini`; it reads \
                  `toolDiscoveryCommand` and `toolCallCommand`\n";
    let settings = "  ok       `.gemini/settings.json` (project) can be read
  ok       `toolDiscoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `toolCallCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    let trust = "  ok       skipped: Gemini CLI 0.1.5 does not ask for trust\n";
    let headless = "  ok       skipped: Gemini CLI 0.1.5 has no policies\n";
    fixture.check(
        &[
            ("gemini", gemini),
            ("settings", settings),
            ("trust", trust),
            ("headless", headless),
        ],
        "no problems, no warnings",
    );
}

#[test]
fn a_second_gemini_reads_other_keys() {
    let fixture = Fixture::new();
    fixture
        .file(".gemini/settings.json", "{\"tools\": {\"discoveryCommand\": \"cogtools-discover\", \"callCommand\": \"cogtools-call\"}}\n")
        .file("node_modules/@google/gemini-cli/package.json", "{\"version\": \"0.2.2\", \"bin\": {\"gemini\": \"x\"}}")
        .project
        .program("node_modules/.bin/gemini", "#!/bin/sh\n");
    let gemini = "  ok       Gemini CLI 0.61.0 is `[HERE]/prefix/bin/gemini`; it reads `tools.discoveryCommand` and `tools.callCommand`
  ok       Gemini CLI 0.2.2 is `node_modules/.bin/gemini`, started by `npx gemini`; it reads `toolDiscoveryCommand` and `toolCallCommand`\n";
    let settings = "  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"
  problem  no settings file sets `toolDiscoveryCommand`, so Gemini CLI 0.2.2 has no tools
           fix: cogtools doctor --fix
  problem  no settings file sets `toolCallCommand`, so Gemini CLI 0.2.2 has no tools
           fix: cogtools doctor --fix\n";
    fixture.check(
        &[("gemini", gemini), ("settings", settings)],
        "2 problems, no warnings; cogtools doctor --fix can fix 2",
    );
}

#[test]
fn a_gemini_without_a_version_in_its_package() {
    let mut fixture = Fixture::new();
    let script = "#!/bin/sh\necho 0.40.0-preview.1\n";
    fixture.project.program("../other/gemini", script);
    let bin = fixture.project.path("../prefix/bin");
    let other = fixture.project.root().with_file_name("other");
    let path = std::env::join_paths([other, bin.canonicalize().unwrap()]).unwrap();
    fixture.vars.insert("PATH".into(), path);
    let gemini = "  ok       Gemini CLI 0.40.0 is `[HERE]/other/gemini`; it reads `tools.discoveryCommand` and `tools.callCommand`
  ok       Gemini CLI 0.61.0 is `[HERE]/prefix/bin/gemini`, hidden by an earlier one on PATH; it reads `tools.discoveryCommand` and `tools.callCommand`\n";
    fixture.check(&[("gemini", gemini)], "no problems, no warnings");
}

#[test]
fn settings_that_name_another_program() {
    let fixture = Fixture::new();
    let settings = SETTINGS.replace(
        "\"discoveryCommand\": \"cogtools-discover\"",
        "\"discoveryCommand\": \"theirs --all\"",
    );
    fixture.file(".gemini/settings.json", settings);
    let settings = "  ok       `.gemini/settings.json` (project) can be read
  problem  `tools.discoveryCommand` in `.gemini/settings.json` is \"theirs --all\", so Gemini CLI 0.61.0 does not use cogtools
           hint: set `tools.discoveryCommand` in .gemini/settings.json to \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    let commands = "  problem  `theirs` is not on PATH in the project: Gemini CLI does not start
           fix: export PATH=[HERE]/prefix/bin:\"$PATH\"
  ok       `cogtools-call` is `[HERE]/prefix/bin/cogtools-call`, version 0.1.0\n";
    let discovery = format!("  warning  skipped: `theirs` is not on PATH\n{RERUN}");
    fixture.check(
        &[
            ("settings", settings),
            ("commands", commands),
            ("discovery", &discovery),
        ],
        "2 problems, 1 warning",
    );
}

#[test]
fn a_command_of_an_untrusted_folder_is_not_run() {
    let fixture = Fixture::new();
    let settings = SETTINGS.replace("\"cogtools-discover\"", "\"./cogtools-discover > x\"");
    fixture
        .file(".gemini/settings.json", settings)
        .file("../home/.gemini/trustedFolders.json", "{}")
        .project
        .program("cogtools-discover", "#!/bin/sh\necho > ran\n");
    let settings = "  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"./cogtools-discover > x\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    let commands = "  ok       `./cogtools-discover` is `cogtools-discover`, not started here
  warning  `>` in the discovery command is dropped: Gemini CLI does not start a shell
           hint: put the command line into a script, and name the script
  ok       `cogtools-call` is `[HERE]/prefix/bin/cogtools-call`, version 0.1.0\n";
    let trust = "  warning  it is not set whether the folder is trusted: Gemini CLI asks on a terminal, and exits with status 55 without one
           fix: export GEMINI_CLI_TRUST_WORKSPACE=true\n";
    let discovery = format!(
        "  warning  skipped: `./cogtools-discover` is not a cogtools program, and the folder is not trusted\n{RERUN}"
    );
    fixture.check(
        &[
            ("settings", settings),
            ("commands", commands),
            ("trust", trust),
            ("discovery", &discovery),
        ],
        "no problems, 3 warnings",
    );
    assert!(!fixture.project.path("ran").exists());
}

#[test]
fn a_call_command_with_arguments_and_another_version() {
    let fixture = Fixture::new();
    let settings = SETTINGS.replace("\"cogtools-call\"", "\"npx cogtools-call\"");
    fixture.file(".gemini/settings.json", settings);
    let old = crate::fixture::program("cogtools-discover", "0.0.9", crate::fixture::DISCOVER);
    fixture
        .project
        .program("../prefix/bin/cogtools-discover", old);
    let settings = "  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"npx cogtools-call\"\n";
    let commands = "  warning  `cogtools-discover` is `[HERE]/prefix/bin/cogtools-discover`, which reports `cogtools-discover 0.0.9`; this is version 0.1.0
           fix: export PATH=[HERE]/prefix/bin:\"$PATH\"
  problem  `npx cogtools-call` is a single name to Gemini CLI, spaces included, and no program has it: every tool call fails
           hint: set the call command to \"cogtools-call\"\n";
    let call = format!("  warning  skipped: `npx cogtools-call` is not on PATH\n{RERUN}");
    let manual = "  ok       manual pages of version 0.1.0 are installed: 1\n";
    fixture.check(
        &[
            ("settings", settings),
            ("commands", commands),
            ("call", &call),
            ("manual", manual),
        ],
        "1 problem, 2 warnings",
    );
}
