//! Settings files that are left unchanged, and the messages about them.

use cogtools_test_support::{Expected, outcome, str};

use crate::project::Project;

/// Checks that a run in a project with these settings fails with `stderr` and
/// changes nothing.
#[track_caller]
fn check(settings: impl AsRef<[u8]>, stderr: impl Into<Expected> + Copy) {
    let settings = settings.as_ref();
    let project = Project::with_settings(settings);
    for args in [&[][..], &["--dry-run"], &["--defaults"]] {
        outcome!(project.run(args)).fails(78, stderr);
    }
    let files = vec![".gemini/", ".gemini/settings.json"];
    assert_eq!(project.files(), files);
    let after = std::fs::read(project.path(".gemini/settings.json")).unwrap();
    assert_eq!(after, settings);
}

#[test]
fn conflicting_commands() {
    check(
        "{\n  \"tools\": {\n    \"discoveryCommand\": \"my-discover --all\" // mine\n  }\n}\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:3:25: /tools/discoveryCommand: is already set to "my-discover --all", but cogtools needs "cogtools-discover"
hint: to let cogtools take over, set it to "cogtools-discover" or remove it, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"toolCallCommand\": null, \"toolDiscoveryCommand\": {\n\"a\": 1}}",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:21: /toolCallCommand: is already set to null, but cogtools needs "cogtools-call"
hint: to let cogtools take over, set it to "cogtools-call" or remove it, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:51: /toolDiscoveryCommand: is already set to {…, but cogtools needs "cogtools-discover"
hint: to let cogtools take over, set it to "cogtools-discover" or remove it, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn tools_of_the_wrong_type() {
    check(
        "{\n\t\"tools\": [\"read_file\"]\n}\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:11: /tools: must be an object, but is an array
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"tools\": \"all\"}",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:11: /tools: must be an object, but is a string
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn settings_that_are_not_an_object() {
    check(
        "[1, 2]\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is an array
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
    );
    check(
        "\u{feff}\"text\"",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is a string
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn duplicate_keys() {
    check(
        "{\n  \"theme\": 1,\n  \"them\\u0065\": 2,\n  \"a/b\": [{\"x\": {}, \"x\": {}}]\n}\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:3:3: /theme: duplicate key, first set on line 2
hint: remove one of the two, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:4:21: /a~1b/0/x: duplicate key, first set on line 4
hint: remove one of the two, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn settings_that_are_not_json() {
    check(
        "{\n  \"theme\": \"x\"\n  \"b\": 1\n}\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:15: not JSON with comments: expected comma
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"a\": ",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:7: not JSON with comments: expected value after colon in object property
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"a\": 1} }",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:10: not JSON with comments: text cannot contain more than one JSON value
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "{'a': 1}",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:2: not JSON with comments: single-quoted strings are not allowed
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"a\": .5}",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:7: not JSON with comments: leading or trailing decimal points on numbers are not allowed
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "/* never",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: not JSON with comments: unterminated comment block
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "tools = []\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: not JSON with comments: unexpected word
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "{\"a\": \"äö\\q\"}",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:10: not JSON with comments: invalid escape
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
    check(
        "[".repeat(5000),
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:513: not JSON with comments: maximum nesting depth exceeded
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn settings_that_are_not_utf8() {
    check(
        b"{\n  \"name\": \"caf\xe9\"\n}\n",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:15: is not UTF-8
hint: save it as UTF-8, then run this again
hint: no file was written

"#]],
    );
    check(
        b"\xff\xfe{\0}\0",
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: is not UTF-8
hint: save it as UTF-8, then run this again
hint: no file was written

"#]],
    );
}
