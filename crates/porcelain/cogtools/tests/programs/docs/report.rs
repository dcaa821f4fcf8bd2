//! Reports, checks and the printed table.

use cogtools_test_support::{Project, outcome, str};

use super::{TABLE, block, project, read, run};

#[test]
fn only_files_with_markers_are_written() {
    let project = project();
    project
        .file("GEMINI.md", "# nothing\n")
        .file("AGENTS.md", block().replace("ping", "pong"))
        .file("CLAUDE.md", block());
    let ended = run(&project, &["--format", "json"]);
    let json = str![[r#"
{
  "files": [
    {
      "file": "AGENTS.md",
      "action": "updated"
    },
    {
      "file": "CLAUDE.md",
      "action": "unchanged"
    }
  ],
  "tools": 2
}

"#]];
    outcome!(ended).outputs(json);
    assert_eq!(read(&project, "GEMINI.md"), b"# nothing\n");
    assert_eq!(read(&project, "AGENTS.md"), block().as_bytes());
}

#[test]
fn check_reports_a_stale_table_and_leaves_it() {
    let project = project();
    let stale = format!("# Us\r\n\n{}", block().replace("Say ping", "Say\u{7} pong"));
    project.file("GEMINI.md", &stale);
    let diff = r"--- GEMINI.md
+++ GEMINI.md
@@ -5,6 +5,6 @@
 | Tool | What it is for | Arguments |
 |---|---|---|
 | `ask` | Ask &lt;!-- cogtools:end --> \| \`nothing\` else. | `question`, `why` (optional) |
-| `ping` | Say\u{7} pong |  |
+| `ping` | Say ping |  |
 
 <!-- cogtools:end -->
";
    let message = "\
cogtools-docs: error[STALE]: GEMINI.md: the table of tools is out of date
hint: run `cogtools docs`
";
    outcome!(run(&project, &["--check"])).fails(1, format!("{message}{diff}"));
    let named = message.replace("docs`", "docs GEMINI.md`");
    outcome!(run(&project, &["--check", "GEMINI.md"])).fails(1, format!("{named}{diff}"));
    let json = str![[r#"
{"severity":"error","code":"STALE","program":"cogtools-docs","subject":"GEMINI.md","message":"the table of tools is out of date","hints":["run `cogtools docs`"]}

"#]];
    outcome!(run(&project, &["--check", "--error-format", "json"])).fails(1, json);
    assert_eq!(read(&project, "GEMINI.md"), stale.as_bytes());
    assert_eq!(run(&project, &["--check", "NEW.md"]).status, 1);
    assert!(!project.path("NEW.md").exists());
}

#[test]
fn print_shows_the_table() {
    let project = project();
    outcome!(run(&project, &["--print"])).outputs(TABLE);
    let json = str![[r#"
{
  "tools": [
    {
      "name": "ask",
      "purpose": "Ask <!-- cogtools:end --> | `nothing` else.",
      "arguments": [
        {
          "name": "question",
          "required": true
        },
        {
          "name": "why",
          "required": false
        }
      ]
    },
    {
      "name": "ping",
      "purpose": "Say ping",
      "arguments": []
    }
  ]
}

"#]];
    outcome!(run(&project, &["--print", "--format=json"])).outputs(json);
    let nothing = Project::new();
    outcome!(run(&nothing, &["--print"])).outputs(str![[r#"
This project has no tools.

"#]]);
}
