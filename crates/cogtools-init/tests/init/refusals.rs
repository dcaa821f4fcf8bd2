//! Settings files that are left alone, and what is said of them.

use crate::project::{CapturedRun, Project, failed};

/// Runs in a project with these settings: the program must say `stderr`, and
/// nothing may change.
fn check(settings: impl AsRef<[u8]>, stderr: &str) {
    let settings = settings.as_ref();
    let project = Project::with_settings(settings);
    for args in [&[][..], &["--dry-run"], &["--defaults"]] {
        assert_eq!(project.run(args), refused(78, stderr));
    }
    let files = vec![".gemini/", ".gemini/settings.json"];
    assert_eq!(project.files(), files);
    let after = std::fs::read(project.path(".gemini/settings.json")).unwrap();
    assert_eq!(after, settings);
}

/// A run that wrote nothing and said so in the end.
pub(crate) fn refused(status: u8, stderr: &str) -> CapturedRun {
    failed(status, format!("{stderr}hint: no file was written\n"))
}

#[test]
fn somebody_elses_commands() {
    check(
        "{\n  \"tools\": {\n    \"discoveryCommand\": \"my-discover --all\" // mine\n  }\n}\n",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:3:25: /tools/discoveryCommand: is set to "my-discover --all" already, but cogtools needs "cogtools-discover"
   |
 3 |     "discoveryCommand": "my-discover --all" // mine
   |                         ^^^^^^^^^^^^^^^^^^^
hint: if cogtools may take over, set it to "cogtools-discover" or take it out, then run this again
"#,
    );
    check(
        "{\"toolCallCommand\": null, \"toolDiscoveryCommand\": {\n\"a\": 1}}",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:21: /toolCallCommand: is set to null already, but cogtools needs "cogtools-call"
   |
 1 | {"toolCallCommand": null, "toolDiscoveryCommand": {
   |                     ^^^^
hint: if cogtools may take over, set it to "cogtools-call" or take it out, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:51: /toolDiscoveryCommand: is set to {… already, but cogtools needs "cogtools-discover"
   |
 1 | {"toolCallCommand": null, "toolDiscoveryCommand": {
   |                                                   ^
hint: if cogtools may take over, set it to "cogtools-discover" or take it out, then run this again
"#,
    );
}

#[test]
fn tools_of_another_shape() {
    check(
        "{\n\t\"tools\": [\"read_file\"]\n}\n",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:11: /tools: must be an object, but is an array
   |
 2 | ·"tools": ["read_file"]
   |           ^^^^^^^^^^^^^
hint: make it an object or take it out, then run this again
"#,
    );
    check(
        "{\"tools\": \"all\"}",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:11: /tools: must be an object, but is a string
   |
 1 | {"tools": "all"}
   |           ^^^^^
hint: make it an object or take it out, then run this again
"#,
    );
}

#[test]
fn no_object() {
    check(
        "[1, 2]\n",
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is an array
   |
 1 | [1, 2]
   | ^^^^^^
hint: make it an object or take it out, then run this again
",
    );
    check(
        "\u{feff}\"text\"",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is a string
   |
 1 | "text"
   | ^^^^^^
hint: make it an object or take it out, then run this again
"#,
    );
}

#[test]
fn the_same_key_twice() {
    check(
        "{\n  \"theme\": 1,\n  \"them\\u0065\": 2,\n  \"a/b\": [{\"x\": {}, \"x\": {}}]\n}\n",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:3:3: /theme: stands twice, first on line 2
   |
 3 |   "them\u0065": 2,
   |   ^^^^^^^^^^^^
hint: take one of the two out, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:4:21: /a~1b/0/x: stands twice, first on line 4
   |
 4 |   "a/b": [{"x": {}, "x": {}}]
   |                     ^^^
hint: take one of the two out, then run this again
"#,
    );
}

#[test]
fn no_json() {
    check(
        "{\n  \"theme\": \"x\"\n  \"b\": 1\n}\n",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:15: not JSON with comments: expected comma
   |
 2 |   "theme": "x"
   |               ^
hint: mend the file by hand, then run this again
"#,
    );
    check(
        "{\"a\": ",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:7: not JSON with comments: expected value after colon in object property
   |
 1 | {"a":
   |       ^
hint: mend the file by hand, then run this again
"#,
    );
    check(
        "{\"a\": 1} }",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:10: not JSON with comments: text cannot contain more than one JSON value
   |
 1 | {"a": 1} }
   |          ^
hint: mend the file by hand, then run this again
"#,
    );
    check(
        "{'a': 1}",
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:2: not JSON with comments: single-quoted strings are not allowed
   |
 1 | {'a': 1}
   |  ^
hint: mend the file by hand, then run this again
",
    );
    check(
        "{\"a\": .5}",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:7: not JSON with comments: leading or trailing decimal points on numbers are not allowed
   |
 1 | {"a": .5}
   |       ^
hint: mend the file by hand, then run this again
"#,
    );
    check(
        "/* never",
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: not JSON with comments: unterminated comment block
   |
 1 | /* never
   | ^^^^^^^^
hint: mend the file by hand, then run this again
",
    );
    check(
        "tools = []\n",
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: not JSON with comments: unexpected word
   |
 1 | tools = []
   | ^^^^^
hint: mend the file by hand, then run this again
",
    );
    check(
        "{\"a\": \"äö\\q\"}",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:10: not JSON with comments: invalid escape
   |
 1 | {"a": "äö\q"}
   |          ^^
hint: mend the file by hand, then run this again
"#,
    );
    check(
        "[".repeat(5000),
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:513: not JSON with comments: maximum nesting depth exceeded
   |
 1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
   |                                                             ^^
hint: mend the file by hand, then run this again
",
    );
}

#[test]
fn no_utf8() {
    check(
        b"{\n  \"name\": \"caf\xe9\"\n}\n",
        r#"cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:2:15: is not UTF-8
   |
 2 |   "name": "caf�"
   |               ^
hint: save it as UTF-8, then run this again
"#,
    );
    check(
        b"\xff\xfe{\0}\0",
        "cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: is not UTF-8
   |
 1 | ��{·}·
   | ^
hint: save it as UTF-8, then run this again
",
    );
}
