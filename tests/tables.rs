//! The table of tools that `init` writes, and the hook of git that renews it.

use std::path::Path;

use cogtools_test_support::{Outcome, Project, Run, assert_text, str};

use crate::{programs, run};

const HOOK: [&str; 5] = [
    "--defaults",
    "--host=gemini",
    "--docs",
    "--docs-refresh",
    "git-hook",
];
const TOOL: &str = "name: more\ndescription: Say more.\nimplementation: more\n";

/// A repository with a document for models.
fn repository() -> Project {
    let project = Project::new();
    project.file("GEMINI.md", "# Context\n");
    git(&project, &["init", "--quiet"]).succeeds();
    for (key, value) in [("user.name", "t"), ("user.email", "t@example.com")] {
        git(&project, &["config", key, value]).succeeds();
    }
    project
}

fn git(project: &Project, args: &[&str]) -> Outcome {
    Run::new("/usr/bin/git")
        .project(project)
        .path(programs())
        .path(Path::new("/usr/bin"))
        .path(Path::new("/bin"))
        .args(args)
        .run()
}

fn init(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-init", project)
        .path(Path::new("/usr/bin"))
        .args(args)
        .run()
}

fn check(project: &Project) {
    run("cogtools-docs", project)
        .arg("--check")
        .run()
        .outputs("unchanged GEMINI.md\n");
}

/// Whatever the sources are, the table is the one that `docs` would write.
#[test]
fn the_table_is_what_docs_writes() {
    let tool = |name: &str| format!("name: {name}\ndescription: d\nimplementation: i\n");
    for (files, options) in [
        (&[][..], &[][..]),
        (&[("tools/other.yaml", tool("other"))], &[]),
        (&[("tools/data.yaml", "a: 1\n".to_owned())], &[]),
        (
            &[
                (
                    ".cogtoolrc.yaml",
                    "tool_sources: [{local: ./a}, {local: ./b}]\n".to_owned(),
                ),
                ("b/hello.yaml", tool("hello")),
                ("b/zoo.yaml", tool("zoo")),
            ],
            &[],
        ),
        (
            &[
                (".cogtoolrc.yaml", "filter: {exclude: [hello]}\n".to_owned()),
                (
                    "GEMINI.md",
                    "<!-- cogtools:begin -->\nold\n<!-- cogtools:end -->\n".to_owned(),
                ),
            ],
            &[],
        ),
        (
            &[
                (
                    "package.json",
                    r#"{"dependencies": {"pk": "1"}}"#.to_owned(),
                ),
                (
                    "node_modules/pk/package.json",
                    r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#.to_owned(),
                ),
                ("node_modules/pk/tools/pk.yaml", tool("pk")),
            ],
            &["--packages"],
        ),
    ] {
        let project = Project::new();
        project.file("GEMINI.md", "# Context\n");
        for (name, content) in files {
            project.file(name, content);
        }
        let args = [&["--defaults", "--docs"][..], options].concat();
        init(&project, &args).status(0);
        check(&project);
    }
}

#[test]
fn the_hook_renews_the_table_and_stops_the_commit() {
    let project = repository();
    init(&project, &HOOK).status(0);
    check(&project);
    git(&project, &["add", "."]).succeeds();
    git(&project, &["commit", "--quiet", "-m", "one"]).succeeds();
    project.file("tools/more.yaml", TOOL);
    git(&project, &["add", "."]).succeeds();
    let outcome = git(&project, &["commit", "--quiet", "-m", "two"]);
    outcome.status(1);
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let last = stderr.lines().next_back().unwrap_or_default();
    assert_eq!(
        last,
        "the table of tools or a skill was out of date and is renewed: add it, then commit again"
    );
    check(&project);
    git(&project, &["commit", "--quiet", "-am", "two"]).succeeds();
    // Skills are renewed where there are some.
    assert!(!project.path(".agents").exists());
    run("cogtools-skill", &project).run().status(0);
    project.file("tools/most.yaml", TOOL.replace("more", "most"));
    git(&project, &["add", "."]).succeeds();
    git(&project, &["commit", "--quiet", "-m", "three"]).status(1);
    let skills = || run("cogtools-skill", &project).arg("--check").run();
    skills().status(0);
    git(&project, &["add", "."]).succeeds();
    git(&project, &["commit", "--quiet", "-m", "three"]).succeeds();
    // A second run changes nothing, and neither does one without the options.
    let again = init(&project, &HOOK);
    assert!(String::from_utf8_lossy(&again.stdout).contains("nothing to do"));
}

#[test]
fn no_hook_without_the_request() {
    let project = repository();
    init(&project, &["--defaults", "--docs"]).succeeds();
    assert!(!project.path(".git/hooks/pre-commit").exists());
}

/// No hook is written in a repository that `prepare` has changed.
#[track_caller]
fn refuses_the_hook(prepare: impl Fn(&Project), expected: cogtools_test_support::Snapshot) {
    let project = repository();
    prepare(&project);
    init(&project, &HOOK).fails(78, expected);
    assert_eq!(project.read("GEMINI.md"), "# Context\n");
}

#[test]
fn no_hook_over_another() {
    refuses_the_hook(
        |project| {
            project.file(".git/hooks/pre-commit", "#!/bin/sh\n");
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: the repository has this hook already
hint: add `cogtools docs --check` to it
hint: no file was written

"#]],
    );
    refuses_the_hook(
        |project| {
            project.link(".git/hooks/pre-commit", "../../absent");
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: the repository has this hook already
hint: add `cogtools docs --check` to it
hint: no file was written

"#]],
    );
    refuses_the_hook(
        |project| {
            git(project, &["config", "core.hooksPath", "mine"]).succeeds();
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: git runs other hooks: core.hooksPath is set to `mine`
hint: add `cogtools docs --check` to the hook there
hint: no file was written

"#]],
    );
    refuses_the_hook(
        |project| {
            project.file("../home/.gitconfig", "[core]\n\thooksPath = /elsewhere\n");
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: git runs other hooks: core.hooksPath is set to `/elsewhere`
hint: add `cogtools docs --check` to the hook there
hint: no file was written

"#]],
    );
}

#[test]
fn no_hook_where_git_has_none() {
    refuses_the_hook(
        |project| {
            std::fs::remove_dir_all(project.path(".git/hooks")).expect("a folder");
            project.dir("mine").link(".git/hooks", "../mine");
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: the folder of hooks is a link or a file
hint: add `cogtools docs --check` to the hook yourself
hint: no file was written

"#]],
    );
    refuses_the_hook(
        |project| {
            std::fs::remove_dir_all(project.path(".git")).expect("a folder");
        },
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .git/hooks/pre-commit: this directory is not the top of a git repository with hooks of its own
hint: run `git init`, or add `cogtools docs --check` to the hook of the repository
hint: no file was written

"#]],
    );
}

/// The hook runs with the user's rights, so that git itself is never the project's.
#[test]
fn the_projects_git_is_not_started() {
    let project = repository();
    project.program("bin/git", "#!/bin/sh\ntouch ran\nexit 1\n");
    run("cogtools-init", &project)
        .path(project.path("bin"))
        .path(Path::new("/usr/bin"))
        .args(HOOK)
        .run()
        .status(0);
    assert!(!project.path("ran").exists());
    assert_text(
        project.read(".git/hooks/pre-commit"),
        str![[r##"
#!/bin/sh
# Renews the table of tools and the skills before a commit; written by `cogtools init`.
command -v cogtools >/dev/null || exit 0
renewed=
for what in docs skill; do
    # Skills are renewed where `cogtools skill` has written some.
    [ "$what" = docs ] || grep -qs '^ *generated-by: cogtools$' .agents/skills/*/SKILL.md || continue
    cogtools "$what" --check >/dev/null
    # Any other status is not about these files.
    [ $? -eq 1 ] || continue
    cogtools "$what"
    renewed=1
done
[ -n "$renewed" ] || exit 0
echo 'the table of tools or a skill was out of date and is renewed: add it, then commit again' >&2
exit 1

"##]],
    );
}
