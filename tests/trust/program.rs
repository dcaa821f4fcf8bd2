//! `cogtools trust` itself.

use serde_json::json;

use cogtools_core::sandbox::LIMITATIONS;
use cogtools_test_support::{Project, str};

use super::{call, discover, trust, warning, with_package, with_provider};

#[test]
fn nothing_to_say() {
    let project = Project::new();
    trust(&project, &[]).outputs(str![[r#"
SOURCE  KIND     STATE     RUNS
.       project  approved

"#]]);
    trust(&project, &["--format=json"]).outputs_json(&json!({"sources": [{
        "name": ".", "kind": "project", "state": "approved", "runs": [], "files": [],
        "programs": [], "uncovered": [],
    }]}));
    let project = with_package();
    project.remove("node_modules/pk/tools/pk_run.yaml");
    trust(&project, &[]).outputs(str![[r#"
SOURCE  KIND     STATE     RUNS
.       project  approved

"#]]);
}

/// A model reads all texts of a tool, so the person who approves it sees them all.
#[test]
fn descriptions_are_shown_whole() {
    let project = with_provider();
    let long = "word ".repeat(60);
    let tool = json!({
        "name": "say", "description": format!("One\nTwo {long}\u{1b}[2J"),
        "parameters": {"type": "object", "properties": {
            "to": {"type": "string", "description": "Whom"},
            "parts": {"type": "array", "items": {"type": "string", "description": "Each"}},
        }},
    });
    project.program(
        "d",
        format!(
            "echo '{}'\n",
            json!([tool]).to_string().replace('\\', "\\\\")
        ),
    );
    let outcome = trust(&project, &["other"]);
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let shown = text
        .split_once("approved provider other\n")
        .map(|(_, shown)| shown);
    let second = format!("Two {}", long.trim_end());
    let (first, rest) = second.split_at(160);
    assert_eq!(
        shown,
        Some(format!(
            "  tool      say\n            | One\n            | {first}\n            ↳ {rest} [2J\n            \
             | /parameters/properties/to: Whom\n            | /parameters/properties/parts/items: Each\n  hidden    U+001B\n"
        ))
        .as_deref()
    );
}

#[test]
fn a_missing_name() {
    let project = with_provider();
    for args in [
        &["othr"][..],
        &["--revoke", "othr"],
        &["--dry-run", "othr", "other"],
    ] {
        trust(&project, args).fails(
            2,
            str![[r#"
cogtools-trust: error[USAGE]: othr: no source of that name requires approval here
hint: did you mean `other`?
hint: cogtools trust --list lists those that do

"#]],
        );
    }
    trust(&project, &["--revoke"]).fails(
        2,
        str![[r#"
cogtools-trust: error[USAGE]: the following required arguments were not provided: <SOURCE>...
hint: usage: cogtools-trust [OPTIONS] [SOURCE]...
hint: --help explains every option

"#]],
    );
}

/// The list of sources, with the provider in that state.
fn table(state: &str) -> String {
    let width = state.len();
    format!(
        "SOURCE  KIND      {:width$}  RUNS\n.       project   approved\nother   provider  {state}  sh ./d, sh ./c\n",
        "STATE"
    )
}

#[test]
fn from_listing_to_revocation() {
    let project = with_provider();
    trust(&project, &[]).outputs(table("not approved"));
    let lines = "\
provider other
  discover  sh ./d
  call      sh ./c
  program   /usr/bin/sh
  may       read the project; write .; not use the network
  file      ./c (30 bytes)
            | echo >> ran
            | echo \"$1: $(cat)\"
  file      ./d (57 bytes)
            | echo >> ran
            | echo '[{\"name\": \"say\", \"description\": \"d\"}]'
  unhashed  files beside `c` (may be loaded from the project)
  unhashed  files beside `d` (may be loaded from the project)
";
    let uncovered = json!([
        {"what": "files beside `c`", "why": "may be loaded from the project"},
        {"what": "files beside `d`", "why": "may be loaded from the project"},
    ]);
    let shown = format!("{}\n{lines}", crate::attacks::limitations());
    trust(&project, &["--dry-run", "other"]).outputs(shown);
    let limitations = LIMITATIONS.map(|one| json!({"what": one.what, "note": one.note}));
    let sandbox =
        json!({"read": null, "write": ["."], "net": null, "memory": null, "processes": null});
    trust(&project, &[]).outputs(table("not approved"));
    trust(&project, &["other"]).outputs(format!(
        "{lines}approved provider other\n  tool      say\n            | d\n"
    ));
    trust(&project, &[]).outputs(table("approved"));
    trust(&project, &["--format=json"]).outputs_json(&json!({"sources": [{
        "name": ".", "kind": "project", "state": "approved", "runs": [], "files": [],
        "programs": [], "uncovered": [],
    }, {
        "name": "other", "kind": "provider", "state": "approved",
        "runs": ["sh ./d", "sh ./c"], "files": ["./c", "./d"], "sandbox": sandbox,
        "uncovered": uncovered,
    }], "limitations": limitations}));
    trust(&project, &["--format=json", "other"]).outputs_json(&json!({"sources": [{
        "name": "other", "kind": "provider", "state": "approved",
        "runs": ["sh ./d", "sh ./c"], "files": ["./c", "./d"], "sandbox": sandbox,
        "uncovered": uncovered, "tools": ["say"],
    }], "limitations": limitations}));
    call(&project, "say").outputs(str![[r#"
say: {}

"#]]);
    trust(&project, &["--revoke", "other"]).outputs(str![[r#"
revoked provider other

"#]]);
    trust(&project, &["--revoke", "other"]).outputs(str![[r#"
was not approved: provider other

"#]]);
    trust(&project, &[]).outputs(table("not approved"));
    discover(&project).expect(
        0,
        str![[r#"
[]

"#]],
        warning("is not approved yet"),
    );
}

#[test]
fn a_provider_that_fails_during_approval() {
    let project = with_provider();
    project.file("d", "echo sorry >&2; exit 3\n");
    trust(&project, &["other"]).expect(
        1,
        str![[r#"
provider other
  discover  sh ./d
  call      sh ./c
  program   /usr/bin/sh
  may       read the project; write .; not use the network
  file      ./c (30 bytes)
            | echo >> ran
            | echo "$1: $(cat)"
  file      ./d (23 bytes)
            | echo sorry >&2; exit 3
  unhashed  files beside `c` (may be loaded from the project)
  unhashed  files beside `d` (may be loaded from the project)

"#]],
        str![[r#"
cogtools-trust: error[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 3
  | sorry
hint: its command is now approved, but none of its tools is

"#]],
    );
    trust(&project, &[]).expect(
        0,
        str![[r#"
SOURCE  KIND      STATE     RUNS
.       project   approved
other   provider  approved  sh ./d, sh ./c

"#]],
        str![[r#"
cogtools-trust: warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 3
  | sorry

"#]],
    );
}
