//! Prompts and skills of one host that `cogtools import` makes tools of: nothing is lost, and what
//! cannot be said is named.

use cogtools_test_support::{Outcome, Project, str};
use serde_json::json;

use crate::run;

fn import(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-import", project).args(args).run()
}

fn written(project: &Project, file: &str, text: &str) -> String {
    project.file(file, text);
    import(project, &["prompt", "--write", file]).status(0);
    let name = file
        .rsplit('/')
        .next()
        .and_then(|name| name.split('.').next());
    project.read(format!("tools/{}.yaml", name.expect("a name")))
}

fn call(project: &Project, tool: &str, arguments: &serde_json::Value) -> Outcome {
    run("cogtools-call", project)
        .arg(tool)
        .stdin(arguments.to_string())
        .run()
}

#[test]
fn no_text_of_a_prompt_becomes_part_of_a_template() {
    let project = Project::new();
    let text = "prompt = \"{{{args}}} {% endraw %}{{ 7 * 7 }}\"\n";
    written(&project, "braces.toml", text);
    let called = call(&project, "braces", &json!({"args": "x"}));
    called.outputs("{x} {% endraw %}{{ 7 * 7 }}");
}

#[test]
fn a_brace_before_code_of_a_template_stays_text() {
    let project = Project::new();
    let tool = written(&project, "ends.toml", "prompt = \"{\"\n");
    let called = call(&project, "ends", &json!({"args": "x"}));
    called.outputs("{\n\nx");
    assert!(!tool.contains("{{%"), "{tool}");
    written(&project, "kept.md", "{!`echo {{ 7 * 7 }}`\n");
    call(&project, "kept", &json!({})).outputs("{!`echo {{ 7 * 7 }}`\n");
}

#[test]
fn no_name_of_a_script_becomes_a_template() {
    for (script, first, shown) in [
        (
            r#"{{ "ev" ~ "il" }}.sh"#,
            "",
            r#"vendor/forms/scripts/{{ "ev" ~ "il" }}.sh"#,
        ),
        (
            "{% if 1 %}evil.sh",
            "#!/bin/sh\n",
            "vendor/forms/scripts/{% if 1 %}evil.sh",
        ),
        ("good.sh", "#!/bin/{{'s'}}h\n", "/bin/{{'s'}}h"),
    ] {
        let project = Project::new();
        project
            .file(
                "vendor/forms/SKILL.md",
                "---\nname: forms\ndescription: d\n---\nRun it.\n",
            )
            .file("vendor/forms/scripts/evil.sh", "echo EVIL\n")
            .file(
                format!("vendor/forms/scripts/{script}"),
                format!("{first}echo REVIEWED\n"),
            );
        import(&project, &["skill", "--write", "vendor/forms"]).fails(
            78,
            format!(
                "cogtools-import: error[INVALID_CONFIG]: vendor/forms: `{shown}` in the command of \
                 `{script}` would be a template\nhint: remove the braces from the name or the first \
                 line\n"
            ),
        );
        assert!(!project.path("tools").exists());
    }
}

#[test]
fn a_command_of_gemini_cli_becomes_a_template() {
    let project = Project::new();
    let text = "description = \"Reviews a change\"\nextra = 1\nprompt = \"\"\"\nReview \
                {{args}} with {{ braces }}.\n!{git diff {a}}\n@{docs/style.md}\"\"\"\n";
    project.file(".gemini/commands/review.toml", text);
    import(&project, &["prompt", ".gemini/commands/review.toml"]).outputs(str![[r#"
--- tools/review.yaml
+++ tools/review.yaml
@@ -0,0 +1,20 @@
+# kept as text: the command !{git diff {a}}
+# kept as text: the file @{docs/style.md}
+# left out: extra
+
+$schema: schema:agladysh-research.org,2025/cogtools:tool
+
+name: review
+
+description: Reviews a change
+
+parameters:
+  args:
+    type: string
+    description: What the user has written after the command
+    default: ''
+
+implementation: |-
+  Review {{ args }}{% raw %} with {{ braces }}.
+  {% endraw %}!{git diff {a}}
+  @{docs/style.md}

"#]]);
    assert!(!project.path("tools").exists());
    written(&project, ".gemini/commands/review.toml", text);
    call(&project, "review", &json!({"args": "{{ 6 * 7 }}"})).outputs(str![[r#"
Review {{ 6 * 7 }} with {{ braces }}.
!{git diff {a}}
@{docs/style.md}
"#]]);
    // Another command of that name does not replace it.
    project.file("other/review.toml", "prompt = 'Other'");
    let outcome = import(&project, &["prompt", "--write", "other/review.toml"]);
    outcome.status(2).stderr_is(str![[r#"
cogtools-import: error[USAGE]: tools/review.yaml: it exists, with other content
hint: remove or rename it, or merge the diff by hand

"#]]);
}

#[test]
fn arguments_are_appended_where_a_prompt_names_none() {
    let project = Project::new();
    written(&project, "fix.toml", "prompt = 'Fix it.'");
    call(&project, "fix", &json!({"args": "#12"})).outputs("Fix it.\n\n#12");
    call(&project, "fix", &json!({})).outputs("Fix it.");
}

#[test]
fn a_slash_command_of_claude_code_becomes_a_template() {
    let project = Project::new();
    let text = "---\ndescription: Fixes an issue\nargument-hint: \"[number] [priority]\"\n\
                allowed-tools: Bash(git:*)\nmodel: opus\n---\n\nFix $1 ($2) for $ARGUMENTS, as \
                me@example.org says in @docs/rules.md.\nState: !`git status`\nIt costs $5.\n";
    let tool = written(&project, ".claude/commands/fix.md", text);
    cogtools_test_support::assert_text(
        tool,
        str![[r##"
# kept as text: the file @docs/rules.md.
# kept as text: the command !`git status`
# left out: allowed-tools
# left out: model

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: fix

description: Fixes an issue

parameters:
  argument_1:
    type: string
    description: 'Argument 1: [number] [priority]'
    default: ''
  argument_2:
    type: string
    description: 'Argument 2: [number] [priority]'
    default: ''
  arguments:
    type: string
    description: '[number] [priority]'
    default: ''
  argument_5:
    type: string
    description: 'Argument 5: [number] [priority]'
    default: ''

implementation: |
  Fix {{ argument_1 }} ({{ argument_2 }}) for {{ arguments }}, as me@example.org says in @docs/rules.md.
  State: !`git status`
  It costs {{ argument_5 }}.

"##]],
    );
    let arguments = json!({"arguments": "all", "argument_1": "7", "argument_2": "high"});
    call(&project, "fix", &arguments).outputs(str![[r#"
Fix 7 (high) for all, as me@example.org says in @docs/rules.md.
State: !`git status`
It costs .

"#]]);
}

#[test]
fn a_dotprompt_becomes_an_agent() {
    let project = Project::new();
    let text = "---\nmodel: googleai/gemini-flash-latest\ndescription: Greets\nconfig:\n  \
                temperature: 0.5\n  topK: 3\ninput:\n  schema:\n    person: string, who is \
                greeted\n    loud?: boolean\n    tags(array): string\n  default: {person: Ada, mood: glad}\n\
                output: {format: json}\n---\n{{role \"system\"}}You greet.\n{{role \"user\"}}Greet \
                {{person}}.{{#if loud}} Shout.{{/if}}\n";
    let tool = written(&project, "greet.prompt", text);
    cogtools_test_support::assert_text(
        tool,
        str![[r##"
# left out: mood
# kept as text: Handlebars {{#if loud}}
# kept as text: Handlebars {{/if}}
# left out: output
# left out: topK

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: greet

description: Greets

parameters:
  person:
    type: string
    description: who is greeted
    default: Ada
  loud:
    type: boolean
    optional: true
  tags:
    type: array
    items:
      type: string

implementation:
  agent:
    system: You greet.
    prompt: Greet {{ person }}.{% raw %}{{#if loud}}{% endraw %} Shout.{% raw %}{{/if}}{% endraw %}
    model: gemini-flash-latest
    temperature: 0.5

"##]],
    );
}

#[test]
fn fields_of_picoschema_are_parameters() {
    let project = Project::new();
    let text = "---\ninput:\n  schema:\n    tags?(array, the labels to use): string, a label\n    \
                kind(enum, how to write): [plain, warm]\n    who(object): {name: string, age?: \
                integer}\n    extra: any\n---\n{{#if tags}}{{#each tags}}{{this}} {{name}}{{/each}}\
                {{else}}none{{/if}} for {{who.name}} in {{place}}.\n";
    let tool = written(&project, "tag.prompt", text);
    cogtools_test_support::assert_text(
        tool,
        str![[r##"
# left out: the type any of extra
# kept as text: Handlebars {{#if tags}}
# kept as text: Handlebars {{#each tags}}
# kept as text: Handlebars {{this}}
# kept as text: Handlebars {{name}}
# kept as text: Handlebars {{/each}}
# kept as text: Handlebars {{else}}
# kept as text: Handlebars {{/if}}

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: tag

description: 'TODO: say when to call tag'

parameters:
  tags:
    type: array
    items:
      type: string
      description: a label
    description: the labels to use
    optional: true
  kind:
    enum:
    - plain
    - warm
    description: how to write
  who:
    type: object
    properties:
      name:
        type: string
      age:
        type: integer
        optional: true
  extra:
    type: string
  place:
    type: string
    description: TODO
    default: ''

implementation:
  agent:
    system: Do what you are asked.
    prompt: '{% raw %}{{#if tags}}{% endraw %}{% raw %}{{#each tags}}{% endraw %}{% raw %}{{this}}{% endraw %} {% raw %}{{name}}{% endraw %}{% raw %}{{/each}}{% endraw %}{% raw %}{{else}}{% endraw %}none{% raw %}{{/if}}{% endraw %} for {{ who.name }} in {{ place }}.'

"##]],
    );
}

#[test]
fn a_prompty_becomes_an_agent() {
    let project = Project::new();
    let text = "---\nname: Basic\ndescription: Answers\nauthors: [me]\nmodel:\n  api: chat\n  \
                configuration: {type: azure_openai, azure_deployment: gpt}\n  parameters: \
                {max_tokens: 100, temperature: 0.2, top_p: 1}\nsample:\n  question: Why?\n---\n\
                system:\nYou answer.\n\nuser:\n{{question}}\n";
    let tool = written(&project, "basic.prompty", text);
    cogtools_test_support::assert_text(
        tool,
        str![[r##"
# left out: authors
# left out: api
# left out: type
# left out: top_p

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: basic

description: Answers

parameters:
  question:
    type: string
    description: TODO

implementation:
  agent:
    system: You answer.
    prompt: '{{question}}'
    model: gpt
    temperature: 0.2
    max_tokens: 100

"##]],
    );
}

#[test]
fn a_note_stays_in_its_comment() {
    let project = Project::new();
    let text = "---\ndescription: d\n\"a\\r\\nimplementation: {exec: [sh]}\": evil\n---\nText\n";
    let tool = written(&project, "evil.md", text);
    assert!(!tool.contains('\r'), "{tool}");
    let tool = tool
        .lines()
        .filter(|line| line.starts_with("implementation"))
        .count();
    assert_eq!(tool, 1);
}

#[test]
fn scripts_of_a_skill_become_tools_and_its_text_a_skill() {
    let project = Project::new();
    project
        .file(
            "vendor/forms/SKILL.md",
            "---\nname: forms\ndescription: Fills forms\n---\nRun scripts/fill.sh.\n",
        )
        .file("vendor/forms/references/fields.md", "name\n")
        .file("vendor/forms/references/more/dates.md", "date\n")
        .file("vendor/forms/assets/form.txt", "x\n")
        .file("vendor/forms/scripts/fill.sh", "echo \"filled $1\"\n")
        .file("vendor/forms/scripts/README.md", "Fills\n")
        .file("vendor/forms/scripts/__init__.py", "")
        .program(
            "vendor/forms/scripts/other",
            "#!/bin/sh\necho \"other $1\"\n",
        );
    let imported = import(&project, &["skill", "--write", "vendor/forms"]);
    imported.status(0).stdout_is(str![[r#"
created tools/forms_fill.yaml
created tools/forms_other.yaml
created .agents/skills/forms/SKILL.md
created .agents/skills/forms/references/fields.md

"#]]);
    imported.stderr_is(str![[r#"
cogtools-import: warning[INVALID_CONFIG]: forms: `scripts/README.md` is no script
hint: a script begins with `#!`, is executable, or has the extension of its language
cogtools-import: warning[INVALID_CONFIG]: forms: `scripts/__init__.py` is no script
hint: a script begins with `#!`, is executable, or has the extension of its language
cogtools-import: warning[INVALID_CONFIG]: forms: `assets` is not copied
hint: copy it to .agents/skills/forms, if the skill needs it
cogtools-import: warning[INVALID_CONFIG]: forms: `references/more` is not copied
hint: copy it to .agents/skills/forms, if the skill needs it

"#]]);
    for (tool, expected) in [
        ("forms_fill", "filled Ada\n"),
        ("forms_other", "other Ada\n"),
    ] {
        call(&project, tool, &json!({"args": ["Ada"]})).outputs(expected);
    }
    import(&project, &["skill", "--write", ".."]).status(78);
    let long = "a".repeat(65);
    for name in ["../../x", "UP", "x y", "é", "con.", "''", "a/b", &long] {
        project.file(
            "evil/SKILL.md",
            format!("---\nname: {name}\ndescription: d\n---\nx\n"),
        );
        let name = name.replace("''", "");
        import(&project, &["skill", "--write", "evil"]).fails(
            78,
            format!(
                "cogtools-import: error[INVALID_CONFIG]: evil: `{name}` is no name of a skill, which \
                 agents would accept\nhint: a name has 1 to 64 of the characters a-z, 0-9 and -\n"
            ),
        );
    }
}

#[test]
fn no_value_that_is_left_out_is_in_the_tool() {
    let project = Project::new();
    let text = "---\nname: Basic\nmodel:\n  configuration: {api_key: sk-s3cr3t}\nheaders: {Authorization: \
                Bearer s3cr3t}\n---\nuser:\nHello\n";
    let tool = written(&project, "basic.prompty", text);
    assert!(
        tool.starts_with("# left out: headers\n# left out: api_key\n\n"),
        "{tool}"
    );
    assert!(!tool.contains("s3cr3t"), "{tool}");
}

#[test]
fn a_value_of_handlebars_that_is_not_escaped_is_a_parameter() {
    let project = Project::new();
    let text = "---\ninput: {schema: {raw: string}}\n---\nSay {{{raw}}}, then {{raw}}.\n";
    let tool = written(&project, "say.prompt", text);
    assert!(
        tool.contains("prompt: Say {{ raw }}, then {{ raw }}.\n"),
        "{tool}"
    );
}

#[test]
fn invisible_characters_are_removed_and_named() {
    let project = Project::new();
    let text = "description = \"Reviews\\u202E\\u200B a change\"\nprompt = \"Re\\u200Bview\"\n\
                \"e\\u2066x\" = 1\n";
    let tool = written(&project, "review.toml", text);
    let head = "# left out: ex\n# left out: invisible characters: U+200B, U+202E, U+2066\n\n\
                $schema: schema:agladysh-research.org,2025/cogtools:tool\n\nname: review\n\ndescription: Reviews a change\n";
    assert!(tool.starts_with(head), "{tool}");
    run("cogtools-lint", &project)
        .arg("tools/review.yaml")
        .run()
        .status(0);
}

#[test]
fn scripts_of_one_stem_and_long_names_become_tools_of_their_own() {
    let project = Project::new();
    let long = "a".repeat(50);
    for (skill, scripts) in [("s", ["run.py", "run.sh"]), (&long, ["b.sh", "c.sh"])] {
        let text = format!("---\nname: {skill}\ndescription: d\n---\n");
        project.file(format!(".agents/skills/{skill}/SKILL.md"), text);
        for script in scripts {
            project.file(
                format!(".agents/skills/{skill}/scripts/{script}"),
                "echo 1\n",
            );
        }
        let dir = format!(".agents/skills/{skill}");
        import(&project, &["skill", "--write", &dir]).status(0);
    }
    let mut names: Vec<_> = std::fs::read_dir(project.path("tools"))
        .expect("the tools")
        .map(|entry| {
            entry
                .expect("a tool")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort_unstable();
    let expected = [
        format!("{}.yaml", "a".repeat(47)),
        format!("{}_2.yaml", "a".repeat(45)),
        "s_run.yaml".to_owned(),
        "s_run_sh.yaml".to_owned(),
    ];
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_tool_is_written_to_the_first_folder_of_the_project() {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [{local: ./my/tools}]\n")
        .file("fix.toml", "prompt = 'Fix it.'")
        .file("s/SKILL.md", "---\nname: s\ndescription: d\n---\n")
        .program("s/scripts/go", "#!/bin/sh\necho gone\n");
    import(&project, &["prompt", "--write", "fix.toml"]).outputs("created my/tools/fix.yaml\n");
    import(&project, &["skill", "--write", "s"]).status(0);
    call(&project, "s_go", &json!({})).outputs("gone\n");
    project.file(".cogtoolrc.yaml", "tool_sources: []\n");
    import(&project, &["prompt", "--write", "fix.toml"]).fails(
        2,
        str![[r#"
cogtools-import: error[USAGE]: the project has no folder of tools within it, or not as the first
hint: put `- local: ./tools` first in `tool_sources` in `.cogtoolrc.yaml`

"#]],
    );
}

#[test]
fn a_hint_in_brackets_is_a_text() {
    let project = Project::new();
    let hint = "[pr-number] [priority] [assignee]";
    let text = format!("---\nargument-hint: {hint}\ndescription: Review\n---\nReview $1\n");
    let tool = written(&project, "review.md", &text);
    assert!(tool.contains(&format!("Argument 1: {hint}")), "{tool}");
    let text = "---\r\ndescription: Review: all of it\r\nallowed-tools: *\r\n---\r\nReview\r\n";
    let tool = written(&project, "all.md", text);
    assert!(tool.contains("'Review: all of it'"), "{tool}");
    project.file("bad.md", "---\ntitle: [a] b [\n---\nx\n");
    import(&project, &["prompt", "bad.md"]).fails(
        78,
        str![[r#"
cogtools-import: error[INVALID_CONFIG]: bad.md: text follows the list or map of `title`
hint: import a prompt that its own host accepts

"#]],
    );
}

#[cfg(unix)]
#[test]
fn a_script_outside_the_skill_is_no_tool() {
    let project = Project::new();
    project
        .file("s/SKILL.md", "---\nname: s\ndescription: d\n---\n")
        .file("s/scripts/go.sh", "echo gone\n")
        .file("out.sh", "echo out\n");
    std::os::unix::fs::symlink("../../out.sh", project.path("s/scripts/out.sh")).unwrap();
    let import = import(&project, &["skill", "--write", "s"]);
    let stdout = "created tools/s_go.yaml\ncreated .agents/skills/s/SKILL.md\n";
    import.status(0).stdout_is(stdout).stderr_contains(
        "s: `scripts/out.sh` is a link out of the skill\nhint: put the script itself there",
    );
}

#[test]
fn a_script_of_a_skill_runs_by_its_first_line() {
    let project = Project::new();
    let skill = "---\nname: forms\ndescription: Fills forms\n---\nRun it.\n";
    let scripts = "vendor/forms/scripts";
    project
        .file("vendor/forms/SKILL.md", skill)
        .file(
            format!("{scripts}/bash.sh"),
            "#!/bin/bash\nall=(\"$@\"); echo \"${all[0]}\"\n",
        )
        .file(
            format!("{scripts}/env"),
            "#!/usr/bin/env -S sh -e\necho \"$1\"\n",
        );
    import(&project, &["skill", "--write", "vendor/forms"]).status(0);
    for (tool, program) in [
        ("forms_bash", "  - /bin/bash\n  - vendor"),
        ("forms_env", "  - sh\n  - -e\n  - vendor"),
    ] {
        let text = project.read(format!("tools/{tool}.yaml"));
        assert!(text.contains(program), "{text}");
        call(&project, tool, &json!({"args": ["Ada"]})).outputs("Ada\n");
    }
}
