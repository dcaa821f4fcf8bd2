//! Folders in a folder of tools: each is a toolset, for `list` and for calls.

use cogtools_test_support::{Expected, Project, Run, str};

use crate::{run, unprivileged};

/// A tool that prints the path of its file.
fn tool(project: &Project, file: &str) {
    let stem = file.rsplit('/').next().unwrap_or(file);
    let name = stem.trim_end_matches(".yaml");
    project.file(
        file,
        format!("name: {name}\ndescription: d\nimplementation: {file}\n"),
    );
}

fn with(files: &[&str]) -> Project {
    let project = Project::new();
    for file in files {
        tool(&project, file);
    }
    project
}

fn list(project: &Project) -> Run {
    run("cogtools-list", project)
}

#[track_caller]
fn call(project: &Project, name: &str, said: impl Into<Expected>) {
    run("cogtools-call", project).arg(name).run().outputs(said);
}

#[track_caller]
fn absent(project: &Project, name: &str) {
    run("cogtools-call", project).arg(name).run().fails(
        127,
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: {name}: no such tool\n\
             hint: cogtools-discover lists all tools\n"
        ),
    );
}

#[test]
fn folders_are_toolsets_all_the_way_down() {
    let project = with(&[
        "tools/zulu.yaml",
        "tools/b/bravo.yaml",
        "tools/a/alpha.yaml",
        "tools/a/deep/delta.yaml",
    ]);
    list(&project).run().outputs(str![[r#"
NAME   TOOLSET  SOURCE  FILE                     TOKENS  NOTES
zulu            tools   tools/zulu.yaml              31
alpha  a        tools   tools/a/alpha.yaml           31
delta  a/deep   tools   tools/a/deep/delta.yaml      31
bravo  b        tools   tools/b/bravo.yaml           31

4 tools, about 124 tokens with every request

"#]]);
    call(&project, "delta", str!["tools/a/deep/delta.yaml"]);
    call(&project, "bravo", str!["tools/b/bravo.yaml"]);
    list(&project)
        .args(["--json", "--tools", "delta"])
        .run()
        .outputs_json(&serde_json::json!({
            "tools": [{
                "name": "delta", "toolset": "a/deep", "source": "tools",
                "file": "tools/a/deep/delta.yaml", "tokens": 31, "shadows": [],
            }],
            "total_tokens": 31,
        }));
}

#[test]
fn what_is_no_toolset() {
    let project = with(&[
        "tools/ok.yaml",
        "tools/.git/hidden.yaml",
        "tools/_parts/part.yaml",
        "tools/node_modules/package.yaml",
        "tools/a/_b/below.yaml",
    ]);
    project
        .file("tools/templates/only.njk", "no tool")
        .dir("tools/empty");
    list(&project).run().outputs(str![[r#"
NAME  SOURCE  FILE           TOKENS  NOTES
ok    tools   tools/ok.yaml      31

1 tool, about 31 tokens with every request

"#]]);
    for name in ["hidden", "part", "package", "below", "only"] {
        absent(&project, name);
    }
}

#[test]
fn eight_levels_and_no_more() {
    let project = with(&["tools/1/2/3/4/5/6/7/8/last.yaml"]);
    call(&project, "last", str!["tools/1/2/3/4/5/6/7/8/last.yaml"]);
    let project = with(&["tools/1/2/3/4/5/6/7/8/9/beyond.yaml"]);
    absent(&project, "beyond");
    run("cogtools-discover", &project).run().outputs(str![[r#"
[]

"#]]);
}

#[test]
fn the_first_of_one_name_wins() {
    let project = with(&[
        "first/b/same.yaml",
        "first/a/same.yaml",
        "second/same.yaml",
        "second/other.yaml",
    ]);
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: first}, {local: second}]\n",
    );
    list(&project).run().outputs(str![[r#"
NAME   TOOLSET  SOURCE  FILE               TOKENS  NOTES
same   a        first   first/a/same.yaml      31  shadows first/b/same.yaml, second/same.yaml
other           second  second/other.yaml      31

2 tools, about 62 tokens with every request

"#]]);
    call(&project, "same", str!["first/a/same.yaml"]);
    let declared = run("cogtools-discover", &project).run();
    run("cogtools-discover", &project)
        .arg("--verbose")
        .run()
        .expect(
            0,
            &declared.stdout,
            str![[r#"
cogtools-discover: first/b/same.yaml is shadowed by first/a/same.yaml
cogtools-discover: second/same.yaml is shadowed by first/a/same.yaml
cogtools-discover: 2 tools declared

"#]],
        );
    // The folder itself comes before its toolsets, wherever its name sorts.
    tool(&project, "first/same.yaml");
    call(&project, "same", str!["first/same.yaml"]);
}

#[test]
fn links_point_to_toolsets_and_never_loop() {
    let project = with(&[
        "tools/real/one.yaml",
        "shared/two.yaml",
        "shared/three/three.yaml",
    ]);
    project
        .link("tools/aaa", "real")
        .link("tools/linked", "../shared")
        .link("tools/again", "../shared/three")
        .link("tools/up", "..")
        .link("tools/self", ".")
        .link("tools/gone", "nowhere")
        .link("shared/back", "../tools")
        .link("shared/three/round", "..");
    list(&project).run().outputs(str![[r#"
NAME   TOOLSET  SOURCE  FILE                    TOKENS  NOTES
one    real     tools   tools/real/one.yaml         31
three  again    tools   tools/again/three.yaml      31
two    linked   tools   tools/linked/two.yaml       31

3 tools, about 93 tokens with every request

"#]]);
    call(&project, "one", str!["tools/real/one.yaml"]);
    call(&project, "two", str!["shared/two.yaml"]);
    call(&project, "three", str!["shared/three/three.yaml"]);
}

#[test]
fn tangled_links_terminate() {
    let project = Project::new();
    for folder in 0..12 {
        tool(&project, &format!("outside/f{folder}/tool_{folder}.yaml"));
        for link in 0..12 {
            project.link(format!("outside/f{folder}/l{link}"), format!("../f{link}"));
        }
    }
    project.dir("tools").link("tools/in", "../outside/f0");
    let listed = list(&project).arg("--json").run().json();
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(12));
    absent(&project, "nowhere_at_all");
}

#[test]
fn an_unreadable_toolset_affects_only_itself() {
    let project = with(&[
        "tools/a/one.yaml",
        "tools/locked/two.yaml",
        "tools/z/three.yaml",
    ]);
    let diagnostic = "[INVALID_CONFIG]: the folder `tools/locked` cannot be read: \
                 Permission denied (os error 13)\nhint: check that the folder is readable\n";
    project.mode("tools/locked", 0o000);
    unprivileged("cogtools-list", &project).run().expect(
        0,
        str![[r#"
NAME   TOOLSET  SOURCE  FILE                TOKENS  NOTES
one    a        tools   tools/a/one.yaml        31
three  z        tools   tools/z/three.yaml      31

2 tools, about 62 tokens with every request

"#]],
        format!("cogtools-list: warning{diagnostic}"),
    );
    unprivileged("cogtools-call", &project)
        .arg("three")
        .run()
        .outputs(str!["tools/z/three.yaml"]);
    unprivileged("cogtools-call", &project)
        .arg("two")
        .run()
        .fails(127, str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: two: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[INVALID_CONFIG]: the folder `tools/locked` cannot be read: Permission denied (os error 13)
hint: check that the folder is readable

"#]]);
}

#[test]
fn partials_are_next_to_the_tool() {
    let project = Project::new();
    let template = |part: &str| {
        format!("name: git\ndescription: d\nimplementation: \"{{% include '{part}' %}}\"\n")
    };
    project
        .file("tools/vcs/git.yaml", template("_parts/line.njk"))
        .file("tools/vcs/_parts/line.njk", "a line")
        .file("tools/above.njk", "above");
    call(&project, "git", str!["a line"]);
    project.file("tools/vcs/git.yaml", template("../above.njk"));
    let outcome = run("cogtools-call", &project).arg("git").run();
    outcome.fails(
        70,
        str![[r#"
cogtools-call: error[TEMPLATE_FAILED]: tools/vcs/git.yaml:3:29: template `../above.njk` not found
   |
 3 | implementation: "{% include '../above.njk' %}"
   |                             ^^^^^^^^^^^^^^

"#]],
    );
}

#[test]
fn a_wrong_extension_is_reported_in_a_toolset_too() {
    let project = with(&["tools/a/one.yaml"]);
    project.file(
        "tools/a/two.yml",
        "name: two\ndescription: d\nimplementation: x\n",
    );
    run("cogtools-call", &project).arg("two").run().fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: two: no such tool
hint: `tools/a/two.yml` is ignored: tool files end in `.yaml`
hint: cogtools-discover lists all tools

"#]],
    );
    let lint = run("cogtools-lint", &project).run();
    lint.expect(0, str![[r#"
tools/a/one.yaml:1:1: warning[no-examples]: no examples
   |
 1 | name: one
   | ^^^^
why: a model sees no complete call, and `cogtools test` has nothing to run
fix: add `examples` with one map of arguments as a model would send them

tools/a/one.yaml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: one
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

tools/a/two.yml:1:1: warning[no-examples]: no examples
   |
 1 | name: two
   | ^^^^
why: a model sees no complete call, and `cogtools test` has nothing to run
fix: add `examples` with one map of arguments as a model would send them

tools/a/two.yml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: two
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

tools/a/two.yml:1:1: warning[yml-ending]: a tool in a `.yml` file
   |
 1 | name: two
   | ^
why: only `.yaml` files are tools, so that each name has one file: no host ever sees this one
fix: change the extension to `.yaml`

2 files: 5 warnings, `--fix` can fix 2

"#]], "");
}

#[test]
fn lint_and_new_know_toolsets() {
    let project = with(&["tools/a/same.yaml", "tools/b/same.yaml"]);
    run("cogtools-new", &project)
        .args(["--dir", "tools/git", "commit_well"])
        .run()
        .outputs(str![[r#"
created tools/git/commit_well.yaml
created tools/git/commit_well.1.golden
created tools/git/commit_well.2.golden
created .cogtools/schema/tool.json

next steps:
- edit it; its comments explain each part
- print the declaration that a model sees:
    cogtools expand commit_well
- call it:
    echo '{"plan":"Rename the column in one migration","doubt":"The old release still reads the old name while it is being replaced"}' | cogtools-call commit_well

"#]]);
    let lint = run("cogtools-lint", &project)
        .args(["--format", "json"])
        .run();
    lint.expect(0, str![[r#"
[
{"rule":"no-examples","severity":"warning","file":"tools/a/same.yaml","line":1,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false},
{"rule":"no-schema","severity":"warning","file":"tools/a/same.yaml","line":1,"column":1,"endColumn":5,"message":"no `$schema`","why":"editors and other programs cannot tell that it is a tool, nor which version of the format it uses","fix":"add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key","fixable":true,"fixed":false},
{"rule":"shadowed-tool","severity":"warning","file":"tools/b/same.yaml","line":1,"column":1,"endColumn":2,"message":"shadowed by `tools/a/same.yaml`","why":"no host sees it, and changes to it have no effect","fix":"remove or rename one of the two, or change the order of `tool_sources`","fixable":false,"fixed":false},
{"rule":"no-examples","severity":"warning","file":"tools/b/same.yaml","line":1,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false},
{"rule":"no-schema","severity":"warning","file":"tools/b/same.yaml","line":1,"column":1,"endColumn":5,"message":"no `$schema`","why":"editors and other programs cannot tell that it is a tool, nor which version of the format it uses","fix":"add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key","fixable":true,"fixed":false}
]

"#]], "");
}
