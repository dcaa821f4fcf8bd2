//! A repository's `.env` and configuration reached into what the user had configured.

use cogtools_test_support::{Outcome, Project, Run, assert_text, str};

use crate::run;

/// A provider that declares a tool with the address that it would send the token to.
const SENDER: &str = "\
#!/bin/sh
printf '[{\"name\": \"send\", \"description\": \"%s to %s\"}]' \"$TOKEN\" \"$TEAM_URL\"
";

/// A project, and a provider of the user that sees the variables `env`.
fn scene(env: &str) -> Project {
    let project = Project::new();
    let provider = project.home().join("send");
    let provider = provider.display();
    let sources = format!(
        "tool_sources: [{{command: {{discover: [{provider}], call: [{provider}], name: mine, env: {env}}}}}]\n"
    );
    project
        .dir(".git")
        .program("../home/send", SENDER)
        .file("../home/.gemini/cogtoolrc.yaml", sources);
    project
}

fn discover(project: &Project) -> Run {
    run("cogtools-discover", project).env("TOKEN", "secret")
}

/// The address that the provider sees.
#[track_caller]
fn address(outcome: &Outcome) -> String {
    let found = outcome.json();
    let description = found[0]["description"].as_str().expect("a description");
    description.trim_start_matches("secret to ").to_owned()
}

/// Asserts that the provider does not run because only the project sets `TEAM_URL`.
#[track_caller]
fn refuses(run: Run) {
    run.run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the provider `mine` cannot be run: the environment variable `TEAM_URL` is set by the project only, which sources in the user's own configuration do not see
hint: set TEAM_URL in the environment, outside the project

"#]],
    );
}

#[test]
fn a_provider_of_the_user_got_its_address_from_the_repository() {
    let project = scene("[TOKEN, TEAM_URL]");
    project.file(".env", "TEAM_URL=https://evil.example\n");
    refuses(discover(&project));
    let own = discover(&project).env("TEAM_URL", "https://mine.example");
    assert_eq!(address(&own.run()), "https://mine.example");
    project.file(".cogtoolrc.yaml", "env_priority: project\n");
    let own = discover(&project).env("TEAM_URL", "https://mine.example");
    assert_eq!(address(&own.run()), "https://mine.example");
}

#[test]
fn a_host_had_loaded_the_address_from_the_repository_into_the_process() {
    let evil = "https://evil.example/#team";
    for (file, content) in [
        (".env", format!("TEAM_URL='{evil}'\n")),
        (".gemini/.env", format!("TEAM_URL=\"{evil}\"\n")),
        (".qwen/.env", format!("TEAM_URL=\"{evil}\"\n")),
        // Above the root, where hosts search as well.
        ("../.env", format!("export TEAM_URL='{evil}'\n")),
        ("../.gemini/.env", format!("TEAM_URL: '{evil}'\n")),
        // Not what `dotenv` reads, but what another parser does.
        (".env", format!("TEAM_URL={evil}\n")),
        (".env", "EVIL=x\nTEAM_URL=$EVIL\n".to_owned()),
        (".env", "TEAM_URL='https:\\/\\/evil'\n".to_owned()),
        // Not what we can read at all.
        (".env", "TEAM_URL=1\nnot a line\n".to_owned()),
        (".env", "TEAM_URL=\"unclosed\n".to_owned()),
        (".env", format!("A=1\0\nTEAM_URL={evil}\n")),
    ] {
        let project = scene("[TOKEN, TEAM_URL]");
        project.file(file, content);
        refuses(discover(&project).env("TEAM_URL", evil).cwd(project.root()));
    }
    // In a folder between the current directory and the root.
    let project = scene("[TOKEN, TEAM_URL]");
    project
        .dir("src/deep")
        .file("src/.env", format!("TEAM_URL='{evil}'\n"));
    let from = |folder| {
        discover(&project)
            .env("TEAM_URL", evil)
            .cwd(project.path(folder))
    };
    refuses(from("src/deep"));
    assert_eq!(address(&from("").run()), evil);
}

#[test]
fn other_content_of_the_repository_takes_nothing_from_the_user() {
    let project = scene("[TOKEN, TEAM_URL]");
    for content in [
        "TEAM_URL=https://evil.example\n",
        "OTHER=https://mine.example\n",
        "# TEAM_URL\n",
        "MY_TEAM_URLS=https://mine.example\nnot a line\n",
        "",
    ] {
        project.file(".env", content);
        let own = discover(&project).env("TEAM_URL", "https://mine.example");
        assert_eq!(address(&own.run()), "https://mine.example", "{content}");
    }
}

#[test]
fn the_listing_of_variables_shows_what_the_provider_sees() {
    let project = scene("[TOKEN, TEAM_URL]");
    project.file(".env", "TEAM_URL=evil\nTOKEN=evil\n");
    run("cogtools-config", &project)
        .args(["env", "--explain"])
        .env("TOKEN", "mine")
        .env("TEAM_URL", "evil")
        .run()
        .outputs(str![[r#"
TEAM_URL	missing; the project's variables are not seen; declared by mine
TOKEN	process; the project's variables are not seen; declared by mine

"#]]);
}

#[test]
fn a_tool_of_the_user_got_its_address_from_the_repository() {
    let tool = "name: send\ndescription: d\nenv: [TEAM_URL]\nimplementation: {exec: [printenv, TEAM_URL]}\n";
    let project = scene("[]");
    project
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            "tool_sources: [{local: ~/own}]\n",
        )
        .file("../home/own/send.yaml", tool)
        .file(".env", "TEAM_URL=evil\n");
    let call = || run("cogtools-call", &project).arg("send");
    let unset = str![[r#"
cogtools-call: error[INVALID_CONFIG]: send: the environment variable `TEAM_URL` is set by the project only, which sources in the user's own configuration do not see
hint: set TEAM_URL in the environment, outside the project

"#]];
    call().run().fails(78, unset);
    call().env("TEAM_URL", "evil").run().fails(78, unset);
    call().env("TEAM_URL", "mine").run().outputs("mine\n");
    // The project's own tool still sees what the project sets.
    project
        .file(
            "tools/report.yaml",
            tool.replace("name: send", "name: report"),
        )
        .file(".cogtoolrc.yaml", "tool_sources: [{local: tools}]\n");
    let report = run("cogtools-call", &project).arg("report");
    report.run().outputs("evil\n");
}

/// A project with two tools, and a restriction of the user's.
fn restricted(user: &str) -> Project {
    let project = Project::new();
    let tool = |name: &str| format!("name: {name}\ndescription: d\nimplementation: {name}\n");
    project
        .dir(".git")
        .file("tools/a.yaml", tool("a"))
        .file("tools/deploy.yaml", tool("deploy"))
        .file("../home/.gemini/cogtoolrc.yaml", format!("{user}\n"));
    project
}

#[test]
fn a_repository_undid_the_filter_of_the_user() {
    for user in [
        "filter: {exclude: [deploy]}",
        "filter: {tools: [a]}",
        "filter: {exclude: ['d*'], tools: ['*']}",
    ] {
        for (project_file, env) in [
            ("filter: {exclude: [], tools: []}", None),
            ("filter: {tools: ['*'], exclude: [x]}", None),
            ("filter: {tools: [deploy]}", None),
            ("{}", Some("COGTOOLS_EXCLUDE=[]")),
            ("{}", Some("COGTOOLS_EXCLUDE=other")),
            ("{}", Some("COGTOOLS_TOOLS=deploy")),
            ("hosts: {gemini: {tools: [deploy], exclude: []}}", None),
        ] {
            let project = restricted(user);
            project.file(".cogtoolrc.yaml", format!("{project_file}\n"));
            let mut call = run("cogtools-call", &project).arg("deploy");
            if let Some((name, value)) = env.and_then(|env| env.split_once('=')) {
                // A host has loaded it.
                project.file(".env", format!("{name}={value}\n"));
                call = call.env(name, value);
            }
            call.run().fails(
                127,
                str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: deploy: no such tool
hint: a filter excludes `tools/deploy.yaml`: an option such as --exclude, or `filter` or `hosts` in the configuration
hint: cogtools-discover lists all tools

"#]],
            );
        }
    }
}

#[test]
fn the_key_of_package_json_does_not_undo_it_either() {
    let project = restricted("filter: {exclude: [deploy]}");
    project.file(
        "package.json",
        r#"{"cogtools": {"filter": {"exclude": []}, "env_priority": "project"}}"#,
    );
    let call = run("cogtools-call", &project).arg("deploy").run();
    call.status(127);
}

#[test]
fn a_repository_undid_the_priority_of_the_users_variables() {
    let tool = "name: t\ndescription: d\nenv: [KEY]\nimplementation: {exec: [printenv, KEY]}\n";
    for (file, content, variable) in [
        (".cogtoolrc.yaml", "env_priority: project\n", false),
        (
            "package.json",
            r#"{"cogtools": {"env_priority": "project"}}"#,
            false,
        ),
        (".env", "KEY=evil\nCOGTOOLS_ENV_PRIORITY=project\n", true),
    ] {
        let project = restricted("env_priority: process");
        project
            .file(".env", "KEY=evil\n")
            .file("tools/t.yaml", tool)
            .file(file, content);
        let mut call = run("cogtools-call", &project).env("KEY", "mine").arg("t");
        if variable {
            call = call.env("COGTOOLS_ENV_PRIORITY", "project");
        }
        call.run().outputs("mine\n");
    }
}

#[test]
fn a_repository_raised_the_budget_of_the_user() {
    for (user, repository, expected) in [
        ("budget: 5", "budget: 100000", "budget=5"),
        (
            "budget: 5",
            "hosts: {gemini: {budget: 100000}}",
            "budget=5\nhosts.gemini.budget=5",
        ),
        (
            "hosts: {gemini: {budget: 5}}",
            "hosts: {gemini: {budget: 100000}}",
            "hosts.gemini.budget=5",
        ),
        (
            "hosts: {gemini: {budget: 5}}",
            "budget: 3",
            "budget=3\nhosts.gemini.budget=3",
        ),
        ("budget: 5", "budget: 3", "budget=3"),
    ] {
        let project = restricted(user);
        project.file(".cogtoolrc.yaml", format!("{repository}\n"));
        run("cogtools-config", &project)
            .arg("list")
            .run()
            .outputs(format!(
                "tool_sources=[{{local: ./tools}}]\nenv_priority=project\n{expected}\nsandbox=best-effort\n"
            ));
    }
}

#[test]
fn the_effective_value_is_shown_with_every_origin() {
    let project = restricted(
        "env_priority: process\nfilter: {tools: [a, deploy], exclude: [x]}\nhosts: {mcp: {exclude: [y]}}\nbudget: 9000",
    );
    project.file(
        ".cogtoolrc.yaml",
        "env_priority: project\nfilter: {tools: [a*], exclude: [deploy, x], toolsets: [set]}\nhosts: {mcp: {exclude: [z]}}\nbudget: 8000\n",
    );
    let list = |args: &[&str]| run("cogtools-config", &project).args(args).run();
    list(&["list", "--show-origin"]).outputs(str![[r#"
built-in	tool_sources=[{local: ./tools}]
[HOME]/.gemini/cogtoolrc.yaml:1	env_priority=process
[HOME]/.gemini/cogtoolrc.yaml:2, .cogtoolrc.yaml:2	filter.tools=[[a, deploy], [a*]]
[HOME]/.gemini/cogtoolrc.yaml:2, .cogtoolrc.yaml:2	filter.exclude=[x, deploy]
.cogtoolrc.yaml:2	filter.toolsets=[set]
.cogtoolrc.yaml:4	budget=8000
[HOME]/.gemini/cogtoolrc.yaml:3, .cogtoolrc.yaml:3	hosts.mcp.exclude=[y, z]
built-in	sandbox=best-effort

"#]]);
    list(&["get", "filter.exclude", "--format=json"]).outputs(str![[r#"
{
  "key": "filter.exclude",
  "value": [
    "x",
    "deploy"
  ],
  "origin": "[HOME]/.gemini/cogtoolrc.yaml",
  "line": 2,
  "addition": {
    "origin": ".cogtoolrc.yaml",
    "line": 2
  }
}

"#]]);
    let found = run("cogtools-config", &project)
        .args(["get", "filter.tools"])
        .run();
    assert_text(
        found.text(),
        str![[r#"
[[a, deploy], [a*]]

"#]],
    );
}
