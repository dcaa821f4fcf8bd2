//! Skills of `.agents/skills`, which an agent reads when it needs them.

use super::*;

const SKILL: &str = "\
---
name: forms
description: >-
  Fills forms.
  Use it for PDF files.
---

# Forms

Read references/fields.md, then run scripts/fill.sh.
";

fn project_with_skill(project: Project) -> Project {
    project.file("tools/greet.yaml", GREET);
    project.file(".agents/skills/forms/SKILL.md", SKILL);
    project.file(".agents/skills/forms/references/fields.md", "field: name\n");
    project.file(
        ".agents/skills/forms/scripts/fill.sh",
        "cat AGENTS.md; echo \"filled for $1\"; echo no > out.txt || echo kept\n",
    );
    project.file("AGENTS.md", "Be polite.\n");
    project
}

/// The results of the calls in the last request.
fn results(requests: &[&cogtools_test_support::Request]) -> Vec<Value> {
    let last = requests.last().expect("a request").responses();
    last.into_iter().cloned().collect()
}

fn system(request: &cogtools_test_support::Request) -> String {
    let text = request.body["systemInstruction"]["parts"][0]["text"].as_str();
    text.unwrap_or_default().to_owned()
}

#[test]
fn an_agent_reads_a_skill_and_its_files_and_runs_its_script_in_a_sandbox() {
    let project = project_with_skill(Project::new());
    let read = |file: &str| ("read_skill", json!({"name": "forms", "file": file}));
    let fake = FakeGemini::start([
        Turn::calls([
            ("read_skill", json!({"name": "forms"})),
            read("references/fields.md"),
            read("../../../AGENTS.md"),
            read("/etc/passwd"),
            read("absent.md"),
            ("read_skill", json!({"name": "form"})),
        ]),
        Turn::call(
            "run_skill_script",
            json!({"name": "forms", "script": "scripts/fill.sh", "args": ["Ada"]}),
        ),
        Turn::text("Done."),
    ]);
    let args = ["--allow=run_skill_script", "Fill the form"];
    quietly(&project, &fake, &args).outputs("Done.\n");
    assert!(!project.path("out.txt").exists());
    let conversation = fake.finish();
    let requests = conversation.main();
    let text = system(requests[0]);
    assert!(
        text.ends_with("\n\n- forms: Fills forms. Use it for PDF files."),
        "{text}"
    );
    assert!(!text.contains("# Forms"), "{text}");
    let mut all = results(&requests[..2]);
    all.extend(results(&requests));
    assert_text(
        format!("{:#}", Value::from(all)),
        str![[r##"
[
  {
    "id": "call-1-1",
    "name": "read_skill",
    "response": {
      "output": "# Forms\n\nRead references/fields.md, then run scripts/fill.sh.\n\n[files of this skill: references/fields.md, scripts/fill.sh]\n"
    }
  },
  {
    "id": "call-1-2",
    "name": "read_skill",
    "response": {
      "output": "field: name\n"
    }
  },
  {
    "id": "call-1-3",
    "name": "read_skill",
    "response": {
      "error": "`../../../AGENTS.md` is outside the skill\nhint: a file of forms is relative to the skill's folder",
      "code": "TOOL_FAILED"
    }
  },
  {
    "id": "call-1-4",
    "name": "read_skill",
    "response": {
      "error": "`/etc/passwd` is outside the skill\nhint: a file of forms is relative to the skill's folder",
      "code": "TOOL_FAILED"
    }
  },
  {
    "id": "call-1-5",
    "name": "read_skill",
    "response": {
      "error": "the skill has no file `absent.md`\nhint: [files of this skill: references/fields.md, scripts/fill.sh]",
      "code": "TOOL_FAILED"
    }
  },
  {
    "id": "call-1-6",
    "name": "read_skill",
    "response": {
      "error": "no skill is named `form`\nhint: did you mean `forms`?",
      "code": "TOOL_FAILED"
    }
  },
  {
    "id": "call-2-1",
    "name": "run_skill_script",
    "response": {
      "output": "Be polite.\nfilled for Ada\nkept\n"
    }
  }
]
"##]],
    );
}

#[test]
fn links_secrets_and_invalid_skills_cost_themselves() {
    let project = project_with_skill(Project::new());
    project.file(".agents/skills/forms/.env", "KEY=1\n");
    project.file(".agents/skills/broken/SKILL.md", "no fields\n");
    project.file(
        ".agents/skills/other/SKILL.md",
        "---\nname: forms\ndescription: x\n---\n",
    );
    project.file(
        "../elsewhere/SKILL.md",
        "---\nname: linked\ndescription: x\n---\nsecret\n",
    );
    project.file("../secret", "secret\n");
    let skills = project.path(".agents/skills");
    std::os::unix::fs::symlink("../../../elsewhere", skills.join("linked")).expect("a link");
    std::os::unix::fs::symlink("../../../../secret", skills.join("forms/linked")).expect("a link");
    let read = |file: &str| ("read_skill", json!({"name": "forms", "file": file}));
    let fake = FakeGemini::start([
        Turn::calls([read("linked"), read(".env")]),
        Turn::text("Done."),
    ]);
    let outcome = ask(&project, &fake).args(["--json", "Read"]).run();
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let warnings: Vec<&str> = stderr.lines().filter(|it| it.contains("warning")).collect();
    assert_text(
        warnings.join("\n"),
        str![[r#"
cogtools-ask: warning[INVALID_CONFIG]: the skill `.agents/skills/broken/SKILL.md` is left out: it does not begin with `---` and fields
cogtools-ask: warning[INVALID_CONFIG]: the skill `.agents/skills/linked/SKILL.md` is left out: its folder is a link that points outside
cogtools-ask: warning[INVALID_CONFIG]: the skill `.agents/skills/other/SKILL.md` is left out: `name` is not that of its folder, `other`
"#]],
    );
    let conversation = fake.finish();
    let requests = conversation.main();
    let text = system(requests[0]);
    assert!(
        text.contains("\n- forms: ") && !text.contains("linked"),
        "{text}"
    );
    assert_text(
        format!("{:#}", Value::from(results(&requests))),
        str![[r#"
[
  {
    "id": "call-1-1",
    "name": "read_skill",
    "response": {
      "error": "`linked` is outside the skill\nhint: a file of forms is relative to the skill's folder",
      "code": "TOOL_FAILED"
    }
  },
  {
    "id": "call-1-2",
    "name": "read_skill",
    "response": {
      "error": "`.env` may contain secrets and is not read\nhint: a file of forms is relative to the skill's folder",
      "code": "TOOL_FAILED"
    }
  }
]
"#]],
    );
}

#[test]
fn skills_of_a_project_that_is_not_trusted_are_not_used() {
    let project = project_with_skill(Project::untrusted());
    let users = "---\nname: mine\ndescription: My own skill\n---\nBe brief.\n";
    project.file("../home/.agents/skills/mine/SKILL.md", users);
    let args = ["--dry-run", "--json", "Hello"];
    let outcome = run("cogtools-ask", &project).args(args).run();
    outcome.stderr_is(str![[r#"
cogtools-ask: the project is not trusted: its skills are not used
cogtools-ask: the project is not trusted: its instructions, templates and files are not used

"#]]);
    let found: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    let request = found["request"].to_string();
    assert!(request.contains("- mine: My own skill"), "{request}");
    assert!(request.contains("read_skill"), "{request}");
    assert!(!request.contains("forms"), "{request}");
    assert!(!request.contains("run_skill_script"), "{request}");
}

#[test]
fn an_agent_that_is_a_tool_reads_skills_if_its_file_names_read_skill() {
    let project = project_with_skill(Project::new());
    let agent = |name: &str, tools: &str| {
        let text = format!(
            "name: {name}\ndescription: Fills a form\nimplementation:\n  agent:\n    \
             system: You fill forms.\n    prompt: Fill it.\n    tools: [{tools}]\n"
        );
        project.file(format!("tools/{name}.yaml"), &text);
    };
    agent("filler", "read_skill");
    agent("greeter", "greet");
    for (name, expected) in [("filler", true), ("greeter", false)] {
        let fake = FakeGemini::start([Turn::text("Filled.")]);
        let outcome = run("cogtools-call", &project)
            .arg(name)
            .stdin("{}")
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url())
            .run();
        outcome.outputs("Filled.");
        let conversation = fake.finish();
        let text = system(conversation.main()[0]);
        assert_eq!(text.contains("- forms: Fills forms."), expected, "{text}");
    }
}

#[test]
fn skills_are_not_listed_if_read_skill_is_a_tool_of_the_project() {
    let project = project_with_skill(Project::new());
    let own = "name: read_skill\ndescription: Reads a skill\nimplementation: Mine\n";
    project.file("tools/read_skill.yaml", own);
    let args = ["-q", "--dry-run", "--json", "Hello"];
    let request = run("cogtools-ask", &project).args(args).run().json()["request"].to_string();
    assert!(request.contains("Reads a skill"), "{request}");
    assert!(!request.contains("- forms: "), "{request}");
}

#[test]
fn descriptions_of_skills_have_a_budget() {
    let project = project();
    for index in 0..60 {
        let text = format!(
            "---\nname: skill-{index:02}\ndescription: {}\n---\nx\n",
            "word ".repeat(180)
        );
        project.file(format!(".agents/skills/skill-{index:02}/SKILL.md"), &text);
    }
    let args = ["-q", "--dry-run", "--json", "Hello"];
    let request = run("cogtools-ask", &project).args(args).run().json()["request"].clone();
    let text = request["systemInstruction"]["parts"][0]["text"].to_string();
    assert!(text.len() < 24_000, "{}", text.len());
    let names = text
        .split("which read_skill describes: ")
        .nth(1)
        .unwrap_or_default();
    assert!(names.ends_with("skill-58, skill-59\""), "{names}");
}

#[test]
fn skills_that_cogtools_writes_of_its_own_tools_are_left_out() {
    let project = project();
    run("cogtools-skill", &project).run().status(0);
    let args = ["-q", "--dry-run", "--json", "Hello"];
    let request = run("cogtools-ask", &project).args(args).run().json()["request"].to_string();
    assert!(!request.contains("project-tools"), "{request}");
}
