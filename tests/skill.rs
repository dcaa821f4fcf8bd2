//! `cogtools skill`: the tools of a project as Agent Skills.

use cogtools_test_support::{Project, assert_text, str};
use serde_json::Value;

use crate::run;

const BODY: &str = ".agents/skills/project-tools/SKILL.md";

fn scene() -> Project {
    let project = Project::new();
    project
        .file(
            ".cogtoolrc.yaml",
            "skill: {git: Use it before each commit.}\n",
        )
        .file(
            "tools/greet.yaml",
            "name: greet\ndescription: Greets a person. <b>Not</b> twice.\n\
             parameters: {person: string}\nimplementation: Hello {{ person }}!\n\
             examples: [{person: Ada}]\n",
        )
        .file("tools/greet.1.golden", "Hello Ada!\n```\n")
        .file(
            "tools/git/status.yaml",
            "name: status\ndescription: Shows changes\nimplementation: none\n",
        );
    project
}

#[test]
fn a_toolset_is_a_skill() {
    let project = scene();
    run("cogtools-skill", &project).run().outputs(str![[r#"
created .agents/skills/git/SKILL.md
created .agents/skills/git/references/status.md
created .agents/skills/project-tools/SKILL.md
created .agents/skills/project-tools/references/greet.md

"#]]);
    assert_text(
        project.read(BODY),
        str![[r#"
---
name: project-tools
description: "Tools of this project. greet: Greets a person. bNot/b twice"
metadata:
  generated-by: cogtools
---

<!-- cogtools:begin (`cogtools skill` writes this) -->

| Tool | What it is for | Arguments |
|---|---|---|
| `greet` | Greets a person. &lt;b>Not&lt;/b> twice. | `person` |

Before the first call of a tool, read `references/TOOL.md`: it has the arguments, and examples with their results.

```sh
cogtools run TOOL key=value other='a longer text'
cogtools-call TOOL <<'JSON'
{"key": "value"}
JSON
```

The result is on standard output. A call that fails prints `error[CODE]`, the reason and a hint on standard error:

- SCHEMA_VIOLATION, status 65: correct each argument that is listed, and call again
- TOOL_NOT_FOUND, status 127: the hint has the nearest name
- DENIED, status 77: a person has to approve the tool by `cogtools trust`; say so, and try no way around it
- TIMEOUT, status 124: the tool took too long; do less in one call
- TOOL_FAILED, status 1: the tool itself failed; the message says why

<!-- cogtools:end -->

"#]],
    );
    assert_text(
        project.read(".agents/skills/project-tools/references/greet.md"),
        str![[r#"
<!-- cogtools:begin (`cogtools skill` writes this) -->

# greet

Greets a person. <b>Not</b> twice.

## Arguments

The JSON Schema of the arguments:

```json
{
  "type": "object",
  "properties": {
    "person": {
      "type": "string"
    }
  },
  "required": [
    "person"
  ]
}
```

## Examples

```sh
cogtools-call greet <<'JSON'
{"person":"Ada"}
JSON
```

prints

````text
Hello Ada!
```
````

<!-- cogtools:end -->

"#]],
    );
    let git = project.read(".agents/skills/git/SKILL.md");
    assert!(
        git.contains("description: \"Use it before each commit.\""),
        "{git}"
    );
    let report = run("cogtools-skill", &project).arg("--json").run().json();
    assert_eq!(report["files"][0]["action"], "unchanged", "{report}");
    assert_eq!(report["skills"][1]["tools"][0], "greet", "{report}");
}

/// A permission stays until a person removes it, also one that a person has changed.
#[test]
fn a_permission_is_kept() {
    let project = scene();
    let skill = |args: &[&str]| run("cogtools-skill", &project).args(args).run();
    skill(&["--allow"]).succeeds();
    skill(&["--check"]).succeeds();
    let narrow = project.read(BODY).replace(" Bash(cogtools-call:*)", "");
    project.file(BODY, &narrow);
    let tool = "name: leave\ndescription: Leaves\nimplementation: bye\n";
    project.file("tools/leave.yaml", tool);
    skill(&[]).succeeds();
    let renewed = project.read(BODY);
    assert!(renewed.contains("| `leave` |"), "{renewed}");
    let permission = "\nallowed-tools: Bash(cogtools run:*)\nmetadata:\n";
    assert!(renewed.contains(permission), "{renewed}");
    project.file(BODY, renewed.replace(permission, "\nmetadata:\n"));
    skill(&["--check"]).succeeds();
}

#[test]
fn what_is_not_ours_is_kept() {
    let project = scene();
    run("cogtools-skill", &project).run().succeeds();
    let old = project.read(BODY);
    let own = old
        .replace("metadata:\n  generated-by: cogtools\n", "license: MIT\n")
        .replace("<!-- cogtools:begin", "# Mine\r\n\n<!-- cogtools:begin");
    project.file(BODY, format!("{own}\nAnd this.\n"));
    project.file(
        "tools/leave.yaml",
        "name: leave\ndescription: Leaves\nimplementation: bye\n",
    );
    let check = run("cogtools-skill", &project).arg("--check").run();
    check.status(1).stderr_contains("STALE");
    run("cogtools-skill", &project).run().succeeds();
    let new = project.read(BODY);
    assert!(new.contains("license: MIT\n---\n\n# Mine\r\n"), "{new}");
    assert!(
        new.ends_with("<!-- cogtools:end -->\n\nAnd this.\n"),
        "{new}"
    );
    assert!(new.contains("| `leave` | Leaves |  |"), "{new}");
    project.file(BODY, "---\nname: project-tools\n---\nMine\n");
    run("cogtools-skill", &project)
        .run()
        .status(77)
        .stderr_contains("by hand");
    assert_eq!(project.read(BODY), "---\nname: project-tools\n---\nMine\n");
}

#[test]
fn a_reference_without_its_tool_is_removed() {
    let project = scene();
    run("cogtools-skill", &project).run().succeeds();
    let folder = ".agents/skills/project-tools/references";
    let ours = project.read(format!("{folder}/greet.md"));
    project.file(format!("{folder}/gone.md"), &ours);
    project.file(format!("{folder}/mine.md"), format!("{ours}\nMine\n"));
    run("cogtools-skill", &project)
        .arg("--check")
        .run()
        .status(1)
        .stderr_contains("gone.md");
    let report = run("cogtools-skill", &project).run().text();
    assert!(
        report.ends_with("removed .agents/skills/project-tools/references/gone.md\n"),
        "{report}"
    );
    assert!(!project.path(format!("{folder}/gone.md")).exists());
    assert!(project.path(format!("{folder}/mine.md")).exists());
}

/// An agent would call tools that are gone.
#[test]
fn a_skill_without_its_toolset_is_removed() {
    let project = scene();
    let skill = |args: &[&str]| run("cogtools-skill", &project).args(args).run();
    skill(&[]).succeeds();
    let (git, mine) = (
        ".agents/skills/git/SKILL.md",
        ".agents/skills/mine/SKILL.md",
    );
    let ours = project.read(git);
    project.file(mine, format!("{ours}\nMine\n"));
    let plugin = "export COGTOOLS_TOOL_SOURCES=\"[{local: '$PLUGIN/tools'}]\"\ncogtools run";
    let plugin = ours.replace("cogtools run", plugin);
    project.file(".agents/skills/plugin/SKILL.md", plugin);
    skill(&["--check"]).succeeds();
    project.remove("tools/git/status.yaml");
    skill(&["--check", "project-tools"]).succeeds();
    let bad = "tools/bad.yaml";
    project.file(bad, "name: bad\n");
    skill(&["--check"]).status(0);
    project.remove(bad);
    skill(&["--check"]).expect(
        1,
        "",
        str![[r#"
cogtools-skill: error[STALE]: .agents/skills/git/SKILL.md: the skill is out of date
hint: run `cogtools skill`
cogtools-skill: error[STALE]: .agents/skills/git/references/status.md: the skill is out of date
hint: run `cogtools skill`

"#]],
    );
    skill(&[]).outputs(str![[r#"
unchanged .agents/skills/project-tools/SKILL.md
unchanged .agents/skills/project-tools/references/greet.md
removed .agents/skills/git/SKILL.md
removed .agents/skills/git/references/status.md

"#]]);
    assert!(!project.path(git).exists() && project.path(mine).exists());
    project.remove("tools/greet.yaml");
    skill(&[]).outputs(str![[r#"
removed .agents/skills/project-tools/SKILL.md
removed .agents/skills/project-tools/references/greet.md

"#]]);
    skill(&[]).status(127);
}

/// The limits of the specification and of hosts hold for any number of tools.
#[test]
fn a_body_is_small() {
    for (count, is_listed) in [(100, true), (2_000, false)] {
        let project = Project::new();
        project.dir(".git");
        for number in 0..count {
            let description = format!("Does the thing with number {number}. Call it in time.");
            project.file(
                format!("tools/number_{number}.yaml"),
                format!("name: number_{number}\ndescription: {description}\nimplementation: x\n"),
            );
        }
        run("cogtools-skill", &project).run().succeeds();
        let body = project.read(BODY);
        assert!(
            body.len() < 24_000 && body.lines().count() < 500,
            "{}",
            body.len()
        );
        assert_eq!(body.contains("`number_7`"), is_listed);
        let description = body.lines().nth(2).expect("a description");
        let description = description
            .strip_prefix("description: ")
            .expect("a description");
        let description: Value = serde_json::from_str(description).expect("a text");
        let description = description.as_str().expect("a text");
        assert!(description.chars().count() <= 1024, "{description}");
        let overview = ".agents/skills/project-tools/references/all.tools.md";
        assert_eq!(project.path(overview).exists(), !is_listed);
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_project() {
    let project = scene();
    let outside = project.path("../outside");
    std::fs::create_dir(&outside).expect("a folder");
    project.link(".agents", &outside);
    run("cogtools-skill", &project)
        .run()
        .status(78)
        .stderr_contains("points outside");
    assert_eq!(std::fs::read_dir(&outside).expect("a folder").count(), 0);
}

#[test]
fn a_folder_outside_the_project_is_refused() {
    let project = scene();
    let absolute = project.path("../outside").display().to_string();
    for folder in ["../outside", "a/../../outside", &absolute] {
        run("cogtools-skill", &project)
            .args(["--dir", folder])
            .run()
            .status(2)
            .stderr_contains("is not a folder of the project");
    }
    assert!(!project.path("../outside").exists());
}

/// `init` writes the files of this program and of `cogtools docs`, and the doctor looks after them.
#[test]
fn init_writes_the_same() {
    let project = Project::new();
    run("cogtools-init", &project)
        .args(["--defaults", "--host", "agents"])
        .run()
        .status(0);
    run("cogtools-skill", &project)
        .arg("--check")
        .run()
        .status(0);
    run("cogtools-docs", &project)
        .arg("--check")
        .run()
        .status(0);
    let doctor = || {
        run("cogtools-doctor", &project)
            .path(crate::programs())
            .run()
    };
    doctor().stdout_contains(&format!("skills are current: {BODY}"));
    project.file(
        "tools/bye.yaml",
        "name: bye\ndescription: Leaves\nimplementation: bye\n",
    );
    doctor().stdout_contains(&format!("skills are out of date: {BODY}"));
}
