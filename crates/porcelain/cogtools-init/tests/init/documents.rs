//! `--docs` and the script that renews the table; the hook needs git, which
//! `tests/tables.rs` has.

use cogtools_test_support::{assert_text, outcome, str};

use crate::project::Project;

const DOCS: [&str; 3] = ["--defaults", "--docs", "--host=gemini-commands,claude-code"];

/// The project has both documents.
fn with_documents() -> Project {
    let project = Project::new();
    project.write("GEMINI.md", "# Context\n");
    project.write("CLAUDE.md", "No line end");
    project
}

#[test]
fn the_table_has_the_tool_that_the_same_run_writes() {
    let project = with_documents();
    let run = project.run(&DOCS);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let (summary, _) = run.stdout.split_once("\nnext steps").unwrap();
    assert_text(
        summary,
        str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json
created .mcp.json
updated GEMINI.md
updated CLAUDE.md

"#]],
    );
    assert_eq!(run.stdout.find("- show people"), None);
    let table = str![[r#"
# Context

<!-- cogtools:begin (`cogtools docs` writes this table) -->

| Tool | What it is for | Arguments |
|---|---|---|
| `hello` | Greet a person by name. Call this tool when someone is introduced to you. | `person`, `tone` (optional), `remarks` (optional) |

<!-- cogtools:end -->

"#]];
    assert_text(project.read("GEMINI.md"), table);
    let claude = project.read("CLAUDE.md");
    let gemini = project.read("GEMINI.md");
    assert_eq!(claude, gemini.replace("# Context", "No line end"));
    let again = project.run(&DOCS);
    assert!(
        again
            .stdout
            .contains("unchanged GEMINI.md\nunchanged CLAUDE.md\n")
    );
    assert!(again.stdout.contains("nothing to do"), "{}", again.stdout);
}

#[test]
fn without_the_option_no_document_is_written() {
    let project = with_documents();
    project.run(&["--defaults"]);
    assert_eq!(project.read("GEMINI.md"), "# Context\n");
    assert_eq!(project.read("CLAUDE.md"), "No line end");
}

#[test]
fn a_dry_run_shows_the_table() {
    let project = with_documents();
    let run = project.run(&["--dry-run", "--docs"]);
    let at = run.stdout.find("diff --git a/GEMINI.md").unwrap();
    assert_text(
        &run.stdout[at..],
        str![[r#"
diff --git a/GEMINI.md b/GEMINI.md
--- a/GEMINI.md
+++ b/GEMINI.md
@@ -1 +1,9 @@
 # Context
+
+<!-- cogtools:begin (`cogtools docs` writes this table) -->
+
+| Tool | What it is for | Arguments |
+|---|---|---|
+| `hello` | Greet a person by name. Call this tool when someone is introduced to you. | `person`, `tone` (optional), `remarks` (optional) |
+
+<!-- cogtools:end -->

"#]],
    );
    assert_eq!(project.files(), ["CLAUDE.md", "GEMINI.md"]);
}

#[test]
fn what_prevents_the_table_prevents_everything() {
    let project = Project::new();
    outcome!(project.run(&["--defaults", "--docs"])).fails(
        2,
        str![[r#"
cogtools-init: error[USAGE]: there is no document for the table of tools that the hosts read
hint: create one with `cogtools docs GEMINI.md`
hint: no file was written

"#]],
    );
    assert_eq!(project.files(), Vec::<String>::new());
    for (content, expected) in [
        (
            &b"<!-- cogtools:begin -->\n"[..],
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: GEMINI.md:1:1: `cogtools:begin` without a `cogtools:end` after it
   |
 1 | <!-- cogtools:begin -->
   | ^^^^^^^^^^^^^^^^^^^^^^^
hint: write `<!-- cogtools:end -->` on a separate line after it
hint: no file was written

"#]],
        ),
        (
            b"```\ncode\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: `GEMINI.md` ends inside a block of code or HTML, which would contain the table
hint: close the block, or write the markers where the table belongs
hint: no file was written

"#]],
        ),
        (
            b"\xff\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: GEMINI.md: is not UTF-8
hint: add the table with `cogtools docs GEMINI.md`, which preserves every byte
hint: no file was written

"#]],
        ),
    ] {
        let project = Project::new();
        project.write("GEMINI.md", content);
        outcome!(project.run(&["--defaults", "--docs"])).fails(78, expected);
        assert_eq!(project.files(), ["GEMINI.md"]);
    }
}

#[test]
fn a_script_is_added_and_never_replaced() {
    let refresh = [&DOCS[..], &["--docs-refresh", "npm-script"]].concat();
    for (before, after) in [
        (
            "{\n  \"name\": \"p\",\n  \"scripts\": {\n    \"test\": \"t\"\n  }\n}\n",
            "{\n  \"name\": \"p\",\n  \"scripts\": {\n    \"test\": \"t\",\n    \"cogtools-docs\": \"cogtools docs\"\n  }\n}\n",
        ),
        (
            "{\"name\": \"p\"}",
            "{\"name\": \"p\", \"scripts\": {\"cogtools-docs\": \"cogtools docs\"}}",
        ),
    ] {
        let project = with_documents();
        project.write("package.json", before);
        let run = project.run(&refresh);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert_eq!(project.read("package.json"), after);
        project.run(&refresh);
        assert_eq!(project.read("package.json"), after);
    }
    let project = with_documents();
    project.write("package.json", "{}");
    let with_skills = [&refresh[..], &["--host", "agents"]].concat();
    assert_eq!(project.run(&with_skills).status, 0);
    let script = r#""cogtools-docs": "cogtools docs && cogtools skill""#;
    assert!(project.read("package.json").contains(script));
    let project = with_documents();
    let other = r#"{"scripts": {"cogtools-docs": "mine"}}"#;
    project.write("package.json", other);
    outcome!(project.run(&refresh)).fails(78, str![[r#"
cogtools-init: error[INVALID_CONFIG]: package.json:1:31: /scripts/cogtools-docs: is already set to "mine", but cogtools needs "cogtools docs"
hint: to let cogtools take over, set it to "cogtools docs" or remove it, then run this again
hint: no file was written

"#]]);
    assert_eq!(project.read("package.json"), other);
    assert_eq!(project.files().len(), 3);
    let project = with_documents();
    outcome!(project.run(&refresh)).fails(
        74,
        str![[r#"
cogtools-init: error[IO_FAILED]: package.json: does not exist
hint: create it with `npm init -y`, or leave out --docs-refresh npm-script
hint: no file was written

"#]],
    );
    assert_eq!(project.files().len(), 2);
}
