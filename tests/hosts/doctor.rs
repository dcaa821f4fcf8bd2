//! `cogtools doctor` compared with the newest Gemini CLI: its report is true.

use std::path::Path;

use cogtools_test_support::{FakeGemini, Outcome, Run, Turn, Version, difference};
use serde_json::json;

use super::host::{Host, assert_responses, output};

/// The programs of the project, whose manual is looked for.
const PROGRAMS: [&str; 6] = [
    "cogtools",
    "cogtools-call",
    "cogtools-confine",
    "cogtools-discover",
    "cogtools-doctor",
    "cogtools-init",
];

const HEAD: &str = "\
configuration
  ok       `.cogtoolrc.yaml` is valid
sources
  ok       no tool source needs approval
gemini
  ok       Gemini CLI 0.61.0 is `[GEMINI]/gemini`; it reads `tools.discoveryCommand` and `tools.callCommand`
";

const SETTINGS: &str = "\
settings
  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"
commands
  ok       `cogtools-discover` is `[PREFIX]/bin/cogtools-discover`, version 0.1.0
  ok       `cogtools-call` is `[PREFIX]/bin/cogtools-call`, version 0.1.0
";

/// Settings that no Gemini CLI reads.
const BROKEN: &str = "\
settings
  problem  .gemini/settings.json:1:1: begins with a byte order mark: Gemini CLI does not start
           fix: cogtools doctor --fix
  problem  no settings file sets `tools.discoveryCommand`, so Gemini CLI 0.61.0 has no tools
           fix: cogtools doctor --fix
  problem  no settings file sets `tools.callCommand`, so Gemini CLI 0.61.0 has no tools
           fix: cogtools doctor --fix
commands
  ok       no discovery command is set
  ok       no call command is set
";

const UNTRUSTED: &str = "\
trust
  warning  it is not set whether the folder is trusted: Gemini CLI asks on a terminal, and exits with status 55 without one
           fix: export GEMINI_CLI_TRUST_WORKSPACE=true
";

const TRUSTED: &str = "\
trust
  ok       the folder is trusted: listed in ~/.gemini/trustedFolders.json
";

const RUN: &str = "\
discovery
  ok       runs, and declares 1 tool: hello
call
  ok       `cogtools-call hello` answers with 12 bytes
";

const NOT_RUN: &str = "\
discovery
  warning  skipped: no settings file sets a discovery command
           hint: this is checked when the problems above are fixed
call
  warning  skipped: no settings file sets a call command
           hint: this is checked when the problems above are fixed
";

/// The fix for the next one.
const ALLOW: &str =
    "mkdir -p ~/.gemini/policies && cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml";

const HIDDEN: &str = "\
headless
  warning  headless mode (gemini -p) hides 1 of 1 tool: hello
           fix: mkdir -p ~/.gemini/policies && cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml
";

const ALLOWED: &str = "\
headless
  ok       every tool is allowed in headless mode (gemini -p)
";

const TAIL: &str = "\
mcp
  ok       no MCP servers in the settings
tools
  ok       1 tool is valid
manual
  ok       manual pages of version 0.1.0 are installed: 6
budget
  ok       1 tool costs about 124 tokens with every request

";

/// A host whose project has our programs and their manual installed next to it.
fn host() -> Host {
    let host = Host::bare(Version::NEWEST);
    for name in PROGRAMS {
        let page = crate::repository().join("man").join(format!("{name}.1"));
        host.project
            .copy(
                format!("../prefix/bin/{name}"),
                crate::programs().join(name),
            )
            .copy(format!("../prefix/share/man/man1/{name}.1"), page);
    }
    host
}

/// A shell command in the project of `host`, as a person would type it.
fn shell(host: &Host, line: &str) -> Outcome {
    let prefix = host.project.root().with_file_name("prefix");
    let etc = host.project.path("../etc/settings.json");
    Run::new("/bin/sh")
        .args(["-c", line])
        .project(&host.project)
        .path(host.gemini.bin())
        .path(prefix.join("bin"))
        .env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", etc)
        .redact(prefix.as_os_str(), "[PREFIX]")
        .redact(host.gemini.bin().as_os_str(), "[GEMINI]")
        .run()
}

#[track_caller]
fn check(host: &Host, line: &str, status: i32, expected: &[&str]) {
    let outcome = shell(host, line);
    let expected = expected.concat();
    // What sandboxes protect depends on the machine.
    let report = String::from_utf8_lossy(&outcome.stdout);
    let report = match report.split_once("\nsandbox\n") {
        Some((before, rest)) => {
            let (_, after) = rest.split_once("\nmanual\n").expect("a manual");
            format!("{before}\nmanual\n{after}")
        }
        None => report.into_owned(),
    };
    if let Some(difference) = difference(&expected, &report) {
        panic!("{line} (- expected, + found):\n{difference}");
    }
    outcome.status(status).stderr_is("");
}

/// Rewrites the settings as some editors save them.
fn spoil(host: &Host) {
    let file = host.project.path(".gemini/settings.json");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let text = text.replacen("\"cogtools-call\"\n  }\n", "\"cogtools-call\",\n  },\n", 1);
    host.project
        .file(".gemini/settings.json", format!("\u{feff}{text}"));
}

#[test]
fn the_doctors_report_matches_the_host() {
    let host = host();
    let init = shell(&host, "cogtools init --defaults --host gemini-commands");
    init.succeeds();

    let first = [HEAD, SETTINGS, UNTRUSTED, RUN, HIDDEN, TAIL];
    let reports = [first.concat(), "no problems, 2 warnings\n".into()];
    check(
        &host,
        "cogtools doctor",
        0,
        &reports.each_ref().map(String::as_str),
    );

    // The user follows the hint.
    let root = host.project.root();
    let trusted = json!({ root.display().to_string(): "TRUST_FOLDER" }).to_string();
    host.project
        .file("../home/.gemini/trustedFolders.json", trusted);
    check(&host, ALLOW, 0, &[]);
    let green = [HEAD, SETTINGS, TRUSTED, RUN, ALLOWED, TAIL].concat();
    let green = green + "no problems, no warnings\n";
    check(&host, "cogtools doctor", 0, &[&green]);

    let settings = std::fs::read(host.project.path(".gemini/settings.json")).ok();
    spoil(&host);
    let broken = [HEAD, BROKEN, TRUSTED, NOT_RUN, ALLOWED, TAIL].concat();
    let last = "3 problems, 2 warnings; cogtools doctor --fix can fix 3\n";
    check(&host, "cogtools doctor", 1, &[&broken, last]);
    let fixed = "fixed .gemini/settings.json\n\n";
    check(&host, "cogtools doctor --fix", 0, &[fixed, &green]);
    check(&host, "cogtools doctor", 0, &[&green]);
    let now = std::fs::read(host.project.path(".gemini/settings.json")).ok();
    assert_eq!(now, settings);

    // Success means that the host calls the tool without asking a user.
    let call = host.call("hello", json!({ "person": "Ada" }));
    let conversation = host.play_with(&[], [call]);
    assert_responses(&conversation, &[&[output("Hello, Ada!\n")]]);

    // A command that it reports as not starting does not start.
    spoil(&host);
    let fake = FakeGemini::for_host(Vec::<Turn>::new());
    let outcome = host
        .gemini
        .ask(&host.project, Path::new("/nowhere"), &fake, &[]);
    outcome.status(52).stdout_is("");
    assert!(fake.try_finish().is_ok(), "the model was asked");
}
