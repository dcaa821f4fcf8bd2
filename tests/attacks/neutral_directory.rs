//! Programs that the user had configured ran the code of the repository in which they
//! started, without approval.

use cogtools_test_support::{Project, Run, str};

use crate::run;

/// A provider of the user: `line` is both of its command lines.
fn scene(line: &str, settings: &str) -> Project {
    let project = Project::new();
    project.dir(".git").file(
        "../home/.gemini/cogtoolrc.yaml",
        format!(
            "tool_sources: [{{command: {{discover: {line}, call: {line}, name: mine{settings}}}}}]\n"
        ),
    );
    project
}

/// A program that leaves a trace in the project.
fn evil(project: &Project) -> String {
    format!(
        "#!/bin/sh\necho ran >> '{}'\necho '[]'\n",
        project.path("ran").display()
    )
}

fn discover(project: &Project) -> Run {
    run("cogtools-discover", project)
}

/// Asserts that discovery runs nothing of the project.
#[track_caller]
fn harmless(project: &Project, discover: Run) {
    let outcome = discover.run();
    assert!(!project.path("ran").exists(), "{outcome}");
    outcome.status(0);
}

#[test]
fn a_module_in_the_working_directory_was_run() {
    for line in [
        "[python3, -m, evil]",
        "[python3, -c, 'import evil']",
        "[sh, -c, './evil.sh']",
        "[sh, -c, '. ./evil.sh']",
        "[sh, evil.sh]",
        "[node, evil.js]",
        "[env, ./evil.sh]",
        "[make]",
    ] {
        let project = scene(line, "");
        let ran = project.path("ran");
        let ran = ran.display();
        project
            .file("evil.py", format!("open('{ran}', 'w'); print('[]')\n"))
            .file(
                "evil.js",
                format!("require('fs').writeFileSync('{ran}', '')\n"),
            )
            .file("Makefile", format!("all:\n\techo >> '{ran}'\n"))
            .program("evil.sh", evil(&project));
        harmless(&project, discover(&project).path("/usr/local/bin"));
    }
}

#[test]
fn a_program_of_the_repository_was_found_on_path() {
    let entries = |project: &Project| {
        let path = |name: &str| project.path(name).display().to_string();
        [
            String::new(),
            ".".to_owned(),
            "bin".to_owned(),
            "./node_modules/.bin".to_owned(),
            path("bin"),
            path("node_modules/.bin"),
            path("../node_modules/.bin"),
            path("../link"),
            path("../home/../project/bin"),
        ]
    };
    for at in 0..entries(&Project::new()).len() {
        for settings in ["", ", env: [PATH]"] {
            let project = scene("[evil]", settings);
            let root = project.root();
            for folder in [".", "bin", "node_modules/.bin", "../node_modules/.bin"] {
                project.program(format!("{folder}/evil"), evil(&project));
            }
            project.link("../link", root.join("bin").display().to_string());
            let entry = entries(&project)[at].replace(
                "/project/bin",
                &format!("/{}/bin", root.file_name().expect("a name").display()),
            );
            let path = format!("{entry}:/usr/bin:/bin");
            discover(&project).env("PATH", path).run().expect(
                0,
                str![[r#"
[]

"#]],
                str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the provider `mine` cannot be run: program `evil` not found
hint: install it, or correct `command` under `tool_sources`

"#]],
            );
            assert!(!project.path("ran").exists(), "{entry}");
        }
    }
}

#[test]
fn a_relative_program_was_one_of_the_repository() {
    for program in ["./evil", "bin/../evil", "../evil"] {
        let project = scene(&format!("[{program}]"), "");
        project
            .program("evil", evil(&project))
            .program("../evil", evil(&project))
            .dir("bin");
        discover(&project).run().expect(
            0,
            "[]\n",
            format!(
                "cogtools-discover: warning[INVALID_CONFIG]: the provider `mine` cannot be run: `{program}` is a relative path, and providers in the user's own configuration do not start in the project\n\
                 hint: write its absolute path, or start it in the project with `cwd: project`\n"
            ),
        );
        assert!(!project.path("ran").exists());
    }
}

#[test]
fn it_starts_outside_the_project_and_does_not_know_it() {
    let script = "'pwd >&2; env >&2; exit 1'";
    let project = scene(&format!("[sh, -c, {script}]"), "");
    let outcome = discover(&project)
        .arg("--verbose")
        .env("PWD", project.root())
        .env("OLDPWD", project.root())
        .env("INIT_CWD", project.root())
        .env("npm_config_local_prefix", project.root())
        .env(
            "PATH",
            format!(".:{}:/usr/bin:/bin", project.root().display()),
        )
        .run();
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_start_matches("  | "))
        .collect();
    assert!(lines.contains(&"/"), "{text}");
    assert!(lines.contains(&"PATH=/usr/bin:/bin"), "{text}");
    assert!(
        !text.contains(&project.root().display().to_string()),
        "{text}"
    );
    for name in ["PWD", "INIT_CWD", "npm_config_local_prefix"] {
        let project = scene("[sh, -c, 'echo []']", &format!(", env: [{name}]"));
        discover(&project).env(name, project.root()).run().expect(
            0,
            "[]\n",
            format!(
                "cogtools-discover: warning[INVALID_CONFIG]: the provider `mine` cannot be run: the environment variable `{name}` is not passed to programs that do not start in the project\n\
                 hint: remove the name from `env`, or start the program in the project with `cwd: project`\n"
            ),
        );
    }
}

#[test]
fn an_mcp_server_starts_outside_the_project() {
    let project = Project::new();
    project.dir(".git").program("bin/server", evil(&project));
    let server = |command: &str| {
        project.file(
            "../home/.gemini/cogtoolrc.yaml",
            format!("tool_sources: [{{mcp: {{command: {command}, name: mine}}}}]\n"),
        );
        discover(&project).env(
            "PATH",
            format!("bin:{}:/usr/bin:/bin", project.path("bin").display()),
        )
    };
    let not_found = "cogtools-discover: warning[INVALID_CONFIG]: the MCP server `mine` cannot be started: program `server` not found\n";
    let outcome = server("server").run();
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(text.contains("not found"), "{not_found} {text}");
    for command in ["./bin/server", "[bin/server, --stdio]"] {
        let outcome = server(command).run();
        outcome.stderr_contains("is a relative path");
    }
    let _ = server("[sh, -c, 'pwd >> \"$HOME/pwd\"; exec bin/server']").run();
    assert!(!project.path("ran").exists());
    assert_eq!(project.read("../home/pwd"), "/\n");
}

#[test]
fn a_provider_that_wants_the_project_requires_approval_there() {
    let project = scene("[sh, ./list.sh]", ", cwd: project, sandbox: {write: [.]}");
    project.file("list.sh", evil(&project));
    discover(&project).run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[DENIED]: the provider `mine` is not approved yet
hint: review what it runs, then approve it: cogtools trust mine

"#]],
    );
    assert!(!project.path("ran").exists());
    let trust = run("cogtools-trust", &project)
        .args(["--yes", "mine"])
        .run();
    trust.status(0);
    discover(&project).run().outputs("[]\n");
    assert!(project.path("ran").exists());
    // Its file has changed.
    project
        .remove("ran")
        .file("list.sh", format!("{}# more\n", evil(&project)));
    discover(&project)
        .run()
        .stderr_contains("has changed since it was approved");
    assert!(!project.path("ran").exists());
}

#[test]
fn a_repository_cannot_ask_for_it() {
    let project = Project::new();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources:\n- command: {discover: x, call: x, cwd: project}\n",
    );
    run("cogtools-list", &project).run().fails(
        78,
        str![[r#"
cogtools-list: error[INVALID_CONFIG]: .cogtoolrc.yaml:2:40: `cwd` is for the user's own configuration: providers of a project start in it
   |
 2 | - command: {discover: x, call: x, cwd: project}
   |                                        ^^^^^^^
hint: remove it

"#]],
    );
}

#[test]
fn the_users_absolute_path_into_the_project_still_requires_approval() {
    for through in ["", "../link/"] {
        let project = Project::new();
        project
            .dir(".git")
            .program("list", evil(&project))
            .link("../link", project.root().display().to_string());
        let program = if through.is_empty() {
            project.path("list")
        } else {
            project.home().with_file_name("link").join("list")
        };
        let program = program.display();
        project.file(
            "../home/.gemini/cogtoolrc.yaml",
            format!("tool_sources: [{{command: {{discover: [{program}], call: [{program}], name: mine}}}}]\n"),
        );
        discover(&project)
            .run()
            .stderr_contains("is not approved yet");
        assert!(!project.path("ran").exists());
    }
}
