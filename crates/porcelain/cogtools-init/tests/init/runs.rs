//! Whole runs: the output and the resulting files.

use cogtools_core::Hint;
use cogtools_edit::{Change, Plan, Step};
use cogtools_test_support::{Snapshot, outcome, str};

use crate::project::Project;

const CREATED: Snapshot = str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json

next steps:
- print the tools as Gemini CLI will see them (cogtools-discover and cogtools-call
  must be on PATH, or Gemini CLI cannot start here):
    cogtools-discover
- call the example:
    echo '{"person": "Ada"}' | cogtools-call hello
- start gemini in this directory, and trust the folder when it asks
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow each tool by name in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies its calls:
    [[rule]]
    toolName = ["discovered_tool_hello"]
    decision = "allow"
    priority = 100
  or, for a single run: gemini --allowed-tools discovered_tool_hello -p '...'

"#]];

const UNCHANGED: Snapshot = str![[r#"
unchanged .cogtoolrc.yaml
unchanged tools/hello.yaml
unchanged .gemini/settings.json

nothing to do: everything is set up already

"#]];

const SETTINGS: &str = r#"{
  "toolDiscoveryCommand": "cogtools-discover",
  "toolCallCommand": "cogtools-call",
  "tools": {
    "discoveryCommand": "cogtools-discover",
    "callCommand": "cogtools-call"
  }
}
"#;

#[test]
fn an_empty_directory() {
    for args in [&[][..], &["--non-interactive", "--defaults"]] {
        let project = Project::new();
        outcome!(project.run(args)).outputs(CREATED);
        assert_eq!(
            project.read(".cogtoolrc.yaml"),
            include_str!("../../starter/cogtoolrc.yaml")
        );
        assert_eq!(
            project.read("tools/hello.yaml"),
            include_str!("../../starter/hello.yaml")
        );
        assert_eq!(project.read(".gemini/settings.json"), SETTINGS);
        let files = project.files();
        assert_eq!(
            files,
            [
                ".cogtoolrc.yaml",
                ".gemini/",
                ".gemini/settings.json",
                "tools/",
                "tools/hello.1.golden",
                "tools/hello.2.golden",
                "tools/hello.yaml"
            ]
        );
    }
}

#[test]
fn a_second_run_changes_nothing() {
    let project = Project::with_settings("{ \"theme\": \"x\", } // mine");
    project.run(&[]);
    let settings = project.read(".gemini/settings.json");
    outcome!(project.run(&[])).expect(0, UNCHANGED, "");
    outcome!(project.run(&["--dry-run"])).outputs("");
    assert_eq!(project.read(".gemini/settings.json"), settings);
}

#[test]
fn a_dry_run() {
    let project = Project::with_settings("{\r\n  // mine\r\n  \"theme\": \"x\"\r\n}");
    project.write("tools/mine.yaml", "");
    project.write(".cogtoolrc.yaml", "");
    let before = project.files();
    let stdout = concat!(
        "diff --git a/.gemini/settings.json b/.gemini/settings.json\n",
        "--- a/.gemini/settings.json\n",
        "+++ b/.gemini/settings.json\n",
        "@@ -1,4 +1,10 @@\n",
        " {\r\n",
        "   // mine\r\n",
        "-  \"theme\": \"x\"\r\n",
        "+  \"theme\": \"x\",\r\n",
        "+  \"toolDiscoveryCommand\": \"cogtools-discover\",\r\n",
        "+  \"toolCallCommand\": \"cogtools-call\",\r\n",
        "+  \"tools\": {\r\n",
        "+    \"discoveryCommand\": \"cogtools-discover\",\r\n",
        "+    \"callCommand\": \"cogtools-call\"\r\n",
        "+  }\r\n",
        " }\n",
        "\\ No newline at end of file\n",
    );
    outcome!(project.run(&["--dry-run"])).outputs(stdout);
    assert_eq!(project.files(), before);
}

#[test]
fn a_dry_run_in_an_empty_directory() {
    let project = Project::new();
    let file = |name: &str, mode: u32, text: &str| {
        let lines = match text.lines().count() {
            1 => String::new(),
            lines => format!(",{lines}"),
        };
        format!(
            "diff --git a/{name} b/{name}\nnew file mode {mode}\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1{lines} @@\n+{}",
            text.replace('\n', "\n+").trim_end_matches('+')
        )
    };
    let stdout = [
        file(
            ".cogtoolrc.yaml",
            100_644,
            include_str!("../../starter/cogtoolrc.yaml"),
        ),
        file(
            "tools/hello.yaml",
            100_755,
            include_str!("../../starter/hello.yaml"),
        ),
        file(
            "tools/hello.1.golden",
            100_644,
            include_str!("../../starter/hello.1.golden"),
        ),
        file(
            "tools/hello.2.golden",
            100_644,
            include_str!("../../starter/hello.2.golden"),
        ),
        file(".gemini/settings.json", 100_644, SETTINGS),
    ];
    outcome!(project.run(&["--dry-run"])).outputs(stdout.concat());
    assert_eq!(project.files(), Vec::<String>::new());
}

#[test]
fn a_file_that_changes_before_it_is_written_is_preserved() {
    let project = Project::new();
    let change = |before: Option<&str>| Plan {
        steps: vec![Step::Write(Change::new(
            &project.path(""),
            "file".into(),
            before.map(str::to_owned),
            "ours".to_owned(),
        ))],
    };
    project.write("file", "theirs");
    for before in [None, Some("before")] {
        let error = change(before).apply().unwrap_err();
        let diagnostic = error.diagnostic();
        assert_eq!(
            diagnostic.summary(),
            "file: was changed by another program in the meantime"
        );
        assert_eq!(
            diagnostic.hints,
            [
                Hint::from("run this again to take its new content into account"),
                Hint::from("no file was written"),
            ]
        );
        assert_eq!(project.read("file"), "theirs");
        assert_eq!(project.files(), ["file"]);
    }
    change(Some("theirs")).apply().unwrap();
    assert_eq!(project.read("file"), "ours");
}

#[test]
fn an_interrupted_plan_lists_what_was_written() {
    let project = Project::new();
    let create = |file: &str| {
        let root = project.path("");
        Step::Write(Change::new(&root, file.into(), None, String::new()))
    };
    project.write("b", "theirs");
    let steps = vec![create("new/a"), create("b"), create("c")];
    let diagnostic = Plan { steps }.apply().unwrap_err().diagnostic();
    let written = Hint::from("already written: `new/a`");
    assert_eq!(diagnostic.hints.last(), Some(&written));
    assert_eq!(project.files(), ["b", "new/", "new/a"]);
}

#[test]
fn wrong_usage() {
    let project = Project::new();
    outcome!(project.run(&["--unknown"])).fails(
        2,
        str![[r#"
cogtools-init: error[USAGE]: unexpected argument '--unknown' found
hint: usage: cogtools-init [OPTIONS]
hint: --help explains every option

"#]],
    );
    assert_eq!(project.files(), Vec::<String>::new());
}

#[test]
fn json() {
    let project = Project::with_settings(SETTINGS);
    project.write(".cogtoolrc.yaml", "");
    let shown = project.run(&["--format=json", "--dry-run"]);
    outcome!(shown).outputs(str![[r#"
{
  "written": false,
  "files": [
    {
      "file": ".cogtoolrc.yaml",
      "action": "unchanged"
    },
    {
      "file": "tools/hello.yaml",
      "action": "created",
      "diff": "diff --git a/tools/hello.yaml b/tools/hello.yaml\nnew file mode 100755\n--- /dev/null\n+++ b/tools/hello.yaml\n@@ -0,0 +1,48 @@\n+#! /usr/bin/env cogtools-yaml\n+$schema: schema:agladysh-research.org,2025/cogtools:tool\n+\n+# Each file defines one tool, named after the file without `.yaml`. To add another\n+# tool, copy this file under a new name and change `name` to match.\n+name: hello\n+\n+# The model reads this to decide whether to call the tool. Say when to call it, and\n+# be brief: the description is sent with every request.\n+description: |\n+  Greet a person by name. Call this tool when someone is introduced to you.\n+\n+# The arguments of a call. A parameter is required unless it has `optional: true` or\n+# a `default`. `cogtools-discover --yaml` prints the resulting schema.\n+parameters:\n+  person:\n+    type: string\n+    description: |\n+      Whom to greet\n+\n+  tone:\n+    enum: [plain, warm]\n+    default: plain\n+    description: |\n+      How the greeting should sound\n+\n+  remarks:\n+    type: string\n+    optional: true\n+    description: |\n+      Anything else to say\n+\n+# Example calls. They serve as documentation and as tests: each must be valid for\n+# the parameters above.\n+examples:\n+  - person: Ada\n+\n+  - person: Grace\n+    tone: warm\n+    remarks: The compiler is ready when you are.\n+\n+# The result of a call: a Nunjucks template, rendered with the arguments. `-%}`\n+# removes the line break after it.\n+implementation: | # njk\n+  {{ \"Welcome\" if tone == \"warm\" else \"Hello\" }}, {{ person }}!\n+  {% if remarks %}\n+  {{ remarks }}\n+  {% endif -%}\n"
    },
    {
      "file": "tools/hello.1.golden",
      "action": "created",
      "diff": "diff --git a/tools/hello.1.golden b/tools/hello.1.golden\nnew file mode 100644\n--- /dev/null\n+++ b/tools/hello.1.golden\n@@ -0,0 +1 @@\n+Hello, Ada!\n"
    },
    {
      "file": "tools/hello.2.golden",
      "action": "created",
      "diff": "diff --git a/tools/hello.2.golden b/tools/hello.2.golden\nnew file mode 100644\n--- /dev/null\n+++ b/tools/hello.2.golden\n@@ -0,0 +1,3 @@\n+Welcome, Grace!\n+\n+The compiler is ready when you are.\n"
    },
    {
      "file": ".gemini/settings.json",
      "action": "unchanged"
    }
  ]
}

"#]]);
    assert!(!project.files().iter().any(|file| file.starts_with("tools")));
    let json = str![[r#"
{
  "written": true,
  "files": [
    {
      "file": ".cogtoolrc.yaml",
      "action": "unchanged"
    },
    {
      "file": "tools/hello.yaml",
      "action": "created"
    },
    {
      "file": "tools/hello.1.golden",
      "action": "created"
    },
    {
      "file": "tools/hello.2.golden",
      "action": "created"
    },
    {
      "file": ".gemini/settings.json",
      "action": "unchanged"
    }
  ]
}

"#]];
    outcome!(project.run(&["--format=json"])).expect(0, json, "");
    assert!(
        project
            .files()
            .iter()
            .any(|file| file == "tools/hello.yaml")
    );
}
