//! `--host agents`: skills and a table in AGENTS.md.

use cogtools_test_support::{assert_text, str};

use crate::project::Project;

const AGENTS: [&str; 2] = ["--defaults", "--host=agents"];
const SKILL: &str = ".agents/skills/project-tools/SKILL.md";

#[test]
fn the_tool_that_the_same_run_writes_is_a_skill() {
    let project = Project::new();
    let run = project.run(&AGENTS);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_text(
        &run.stdout,
        str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created AGENTS.md
created .agents/skills/project-tools/SKILL.md
created .agents/skills/project-tools/references/hello.md

next steps:
- call the example:
    echo '{"person": "Ada"}' | cogtools-call hello
- start an agent that reads AGENTS.md or .agents/skills in this directory; it calls
  the tools in a shell (cogtools must be on PATH). After a change of the tools:
    cogtools skill && cogtools docs

"#]],
    );
    assert_text(
        project.read("AGENTS.md"),
        str![[r#"
<!-- cogtools:begin (`cogtools docs` writes this table) -->

| Tool | What it is for | Arguments |
|---|---|---|
| `hello` | Greet a person by name. Call this tool when someone is introduced to you. | `person`, `tone` (optional), `remarks` (optional) |

<!-- cogtools:end -->

"#]],
    );
    let skill = project.read(SKILL);
    assert!(skill.starts_with("---\nname: project-tools\n"), "{skill}");
    let reference = project.read(".agents/skills/project-tools/references/hello.md");
    assert!(reference.contains("Hello, Ada!"), "{reference}");
    let again = project.run(&AGENTS);
    let (summary, _) = again.stdout.split_once("\n\n").unwrap();
    assert_eq!(summary.matches("unchanged ").count(), 5, "{summary}");
}

#[test]
fn an_existing_document_gets_the_table_at_its_end() {
    let project = Project::new();
    project.write("AGENTS.md", "# Mine\n");
    let dry = project.run(&["--dry-run", "--host=agents"]);
    assert!(
        dry.stdout.contains("+<!-- cogtools:begin"),
        "{}",
        dry.stdout
    );
    assert_eq!(project.read("AGENTS.md"), "# Mine\n");
    project.run(&AGENTS);
    let document = project.read("AGENTS.md");
    assert!(
        document.starts_with("# Mine\n\n<!-- cogtools:begin"),
        "{document}"
    );
}

#[test]
fn a_skill_of_others_stops_the_run() {
    let project = Project::new();
    project.write(SKILL, "---\nname: project-tools\n---\nMine.\n");
    let run = project.run(&AGENTS);
    assert_eq!(run.status, 77);
    assert_text(
        &run.stderr,
        str![[r#"
cogtools-init: error[DENIED]: `.agents/skills/project-tools/SKILL.md` was written by hand
hint: write `<!-- cogtools:begin -->` and `<!-- cogtools:end -->` on lines of their own, where the tools belong
hint: no file was written

"#]],
    );
    assert_eq!(
        project.read(SKILL),
        "---\nname: project-tools\n---\nMine.\n"
    );
}

#[test]
fn files_are_printed() {
    let project = Project::new();
    let run = project.run(&["--print", "--host=agents"]);
    let files: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("==> "))
        .collect();
    assert_eq!(files.len(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("| `hello` |"), "{}", run.stdout);
}
