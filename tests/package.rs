//! `cogtools package`: a folder with the tools of a project, which hosts install.

use std::fs;

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::output_schema::conforms;
use crate::run;
use crate::validators::shipped;

fn project() -> Project {
    let project = Project::new();
    project
        .file(
            "package.json",
            r#"{"name": "@team/checks", "version": "1.2.3", "description": "Checks"}"#,
        )
        .file(
            "tools/greet.yaml",
            "name: greet\ndescription: Greets\nparameters: {person: string}\nexamples: [{person: Ada}]\n\
             implementation: '{% include \"part.njk\" %} {{ person }}'\n",
        )
        .file("tools/part.njk", "Hello")
        .file("tools/greet.1.golden", "Hello Ada")
        .file(
            "tools/where.yaml",
            "name: where\ndescription: Where am I?\nimplementation: {exec: [./where.sh]}\n",
        )
        .program("tools/where.sh", "#!/bin/sh\npwd\n")
        .file("tools/.hidden", "x");
    project
}

fn package(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-package", project)
        .args(["dist/plugin"])
        .args(args)
        .run()
}

fn read(project: &Project, file: &str) -> Value {
    let text = project.read(format!("dist/plugin/{file}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}: {text}"))
}

#[test]
fn a_plugin_has_the_tools_and_what_they_need() {
    let project = project();
    package(&project, &[]).outputs(str![[r#"
created dist/plugin/.antigravity-plugin/plugin.json
created dist/plugin/.claude-plugin/plugin.json
created dist/plugin/gemini-extension.json
created dist/plugin/mcp.json
created dist/plugin/mcp_config.json
created dist/plugin/plugin.json
created dist/plugin/skills/team-checks/SKILL.md
created dist/plugin/skills/team-checks/references/greet.md
created dist/plugin/skills/team-checks/references/where.md
created dist/plugin/tools/greet.1.golden
created dist/plugin/tools/greet.yaml
created dist/plugin/tools/part.njk
created dist/plugin/tools/where.sh
created dist/plugin/tools/where.yaml
plugin team-checks: 14 files

"#]]);
    shipped::is_standard(&project.path("dist/plugin"));
    shipped::is_for_antigravity(&project.path("dist/plugin"));
    assert_eq!(
        read(&project, "plugin.json"),
        json!({
            "$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
            "name": "team-checks", "version": "1.2.3", "description": "Checks",
        })
    );
    let report = package(&project, &["--json"]).json();
    conforms("package", &report);
    let mut files = report["files"].as_array().expect("files").iter();
    assert!(
        files.all(|file| file["action"] == "unchanged"),
        "{report:#}"
    );
    let described = |description: &str| {
        let skill = project.read("dist/plugin/skills/team-checks/SKILL.md");
        let lines = format!("---\nname: team-checks\ndescription: {description}\n");
        assert!(skill.starts_with(&lines), "{skill}");
    };
    described(r#""Tools of team-checks. greet: Greets; where: Where am I?""#);
    project.file(".cogtoolrc.yaml", "skill: {project-tools: Checks texts.}\n");
    package(&project, &[]).status(0);
    described(r#""Checks texts.""#);
}

/// A host starts the server in the project of the user: the tools are the plugin's.
#[test]
fn tools_of_a_plugin_work_in_the_project_of_the_user() {
    let project = project();
    package(&project, &[]).status(0);
    let user = Project::new();
    user.file(
        "tools/own.yaml",
        "name: own\ndescription: d\nimplementation: own\n",
    );
    let plugin = fs::canonicalize(project.path("dist/plugin")).expect("a folder");
    for (file, root) in [
        ("mcp.json", "${PLUGIN_ROOT}"),
        (".claude-plugin/plugin.json", "${CLAUDE_PLUGIN_ROOT}"),
        ("gemini-extension.json", "${extensionPath}"),
        ("mcp_config.json", "~/.gemini/config/plugins/team-checks"),
    ] {
        let server = &read(&project, file)["mcpServers"]["team-checks"];
        let args = match file {
            "mcp_config.json" => json!(["mcp", "--max-tools", "100"]),
            _ => json!(["mcp"]),
        };
        assert_eq!(
            (&server["command"], &server["args"]),
            (&json!("cogtools"), &args)
        );
        let sources = server["env"]["COGTOOLS_TOOL_SOURCES"]
            .as_str()
            .expect("text");
        let sources = sources.replace(root, plugin.to_str().expect("text"));
        let in_user = |program: &str| run(program, &user).env("COGTOOLS_TOOL_SOURCES", &sources);
        let listed = in_user("cogtools-list").arg("--json").run().json();
        let tools = listed["tools"].as_array().expect("tools").iter();
        let names: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["greet", "where"], "{file}");
        in_user("cogtools-run")
            .args(["greet", "person=Ada"])
            .run()
            .outputs("Hello Ada");
        let place = in_user("cogtools-run").arg("where").run();
        place.outputs("[ROOT]\n");
    }
}

#[test]
fn a_plugin_is_kept_up_to_date() {
    let project = project();
    package(&project, &["--check"]).status(1);
    assert!(!project.path("dist").exists());
    package(&project, &[]).status(0);
    package(&project, &["--check"]).outputs("plugin team-checks: 14 files\n");
    project
        .file("dist/plugin/README.md", "# Ours\n")
        .file("tools/part.njk", "Bye")
        .remove("tools/where.yaml")
        .remove("tools/where.sh");
    package(&project, &["--check"]).fails(
        1,
        str![[r#"
cogtools-package: error[STALE]: skills/team-checks/SKILL.md: out of date in the plugin
hint: run `cogtools package` without --check
cogtools-package: error[STALE]: skills/team-checks/references/where.md: no longer a part of the plugin
hint: run `cogtools package` without --check
cogtools-package: error[STALE]: tools/part.njk: out of date in the plugin
hint: run `cogtools package` without --check
cogtools-package: error[STALE]: tools/where.sh: no longer a part of the plugin
hint: run `cogtools package` without --check
cogtools-package: error[STALE]: tools/where.yaml: no longer a part of the plugin
hint: run `cogtools package` without --check

"#]],
    );
    package(&project, &[]).outputs(str![[r#"
updated dist/plugin/skills/team-checks/SKILL.md
removed dist/plugin/skills/team-checks/references/where.md
updated dist/plugin/tools/part.njk
removed dist/plugin/tools/where.sh
removed dist/plugin/tools/where.yaml
plugin team-checks: 11 files

"#]]);
    assert_eq!(project.read("dist/plugin/README.md"), "# Ours\n");
}

#[test]
fn the_server_of_a_plugin_has_no_tools_that_the_project_hides() {
    let project = project();
    project.file(".cogtoolrc.yaml", "filter: {exclude: [where, x y]}\n");
    package(&project, &[]).status(0);
    for file in ["mcp.json", "mcp_config.json", "gemini-extension.json"] {
        let environment = &read(&project, file)["mcpServers"]["team-checks"]["env"];
        assert_eq!(
            environment["COGTOOLS_EXCLUDE"], r#"[where, "x y"]"#,
            "{file}"
        );
    }
    let environment = &read(&project, "gemini-extension.json")["mcpServers"]["team-checks"]["env"];
    let root = project.path("dist/plugin").display().to_string();
    let user = Project::new();
    let mut discover = run("cogtools-discover", &user);
    for (name, value) in environment.as_object().expect("variables") {
        let value = value.as_str().expect("a text");
        discover = discover.env(name, value.replace("${extensionPath}", &root));
    }
    let declared = discover.run().json();
    let declared: Vec<_> = declared.as_array().expect("tools").iter().collect();
    assert_eq!(declared.len(), 1, "{declared:?}");
    assert_eq!(declared[0]["name"], "greet");
}

#[test]
fn what_does_not_belong_into_a_plugin_is_refused() {
    let check = |file: &str, text: &str, status: i32, expected: &str| {
        let project = project();
        project.file(file, text);
        package(&project, &[]).fails(status, expected);
        assert!(!project.path("dist/plugin/tools").exists());
    };
    let hint = "hint: a plugin is public: keep secrets in variables, and name them under `env`\n";
    check(
        "tools/id_rsa",
        "x",
        77,
        &format!("cogtools-package: error[DENIED]: `tools/id_rsa` may hold secrets\n{hint}"),
    );
    let token = format!("token = ghp_{}\n", "a1B2".repeat(9));
    check(
        "tools/lib.sh",
        &token,
        77,
        &format!("cogtools-package: error[DENIED]: `tools/lib.sh` contains a GitHub token\n{hint}"),
    );
    check(
        "dist/plugin/mine.txt",
        "x",
        2,
        "cogtools-package: error[USAGE]: `dist/plugin` has files, and is no plugin of this program\n\
         hint: choose a new folder\n",
    );
    check(
        "dist/plugin/plugin.json",
        r#"{"name": "mine"}"#,
        2,
        "cogtools-package: error[USAGE]: `dist/plugin` has files, and is no plugin of this program\n\
         hint: choose a new folder\n",
    );
    let linked = project();
    linked.link("tools/a", ".").link("tools/b", "..");
    package(&linked, &[])
        .status(78)
        .stderr_contains("is a link to a folder\nhint: a plugin has no links: copy the folder");
    let project = Project::new();
    package(&project, &[]).fails(
        127,
        "cogtools-package: error[TOOL_NOT_FOUND]: this project has no tools of its own yet\n\
         hint: cogtools new NAME creates one\n",
    );
    let project = self::project();
    let absolute = project.path("out").display().to_string();
    for dir in ["../out", ".", &absolute] {
        let outcome = run("cogtools-package", &project).arg(dir).run();
        outcome.status(2);
    }
}

/// A run that was interrupted early left a folder that the next one refused.
#[test]
fn an_interrupted_run_is_continued() {
    let project = project();
    let folder = "gemini-extension.json";
    let sources =
        |folder: &str| format!("tool_sources: [{{local: ./tools}}, {{local: ./{folder}}}]\n");
    let tool = "name: n\ndescription: d\nimplementation: x\n";
    project
        .file(".cogtoolrc.yaml", sources(folder))
        .file(format!("{folder}/n.yaml"), tool);
    package(&project, &[]).status(74);
    assert!(project.path("dist/plugin/mcp.json").exists());
    project
        .file(".cogtoolrc.yaml", sources("more"))
        .file("more/n.yaml", tool);
    package(&project, &[]).status(0);
    package(&project, &["--check"]).status(0);
}

/// A shell reads the line of a skill as the names of the folders, whatever characters they have.
#[test]
fn no_name_of_a_folder_is_code_in_the_shell_of_an_agent() {
    let project = Project::new();
    let folders = [
        "PLUGINS",
        "a$(touch PWNED)",
        "b`touch PWNED`",
        "c\"'\\$HOME",
    ];
    let mut sources = Vec::new();
    for (index, folder) in folders.into_iter().enumerate() {
        let tool = format!("name: n{index}\ndescription: d\nimplementation: x\n");
        project.file(format!("{folder}/n{index}.yaml"), tool);
        sources.push(json!({"local": format!("./{folder}")}));
    }
    project.file(
        ".cogtoolrc.yaml",
        json!({"tool_sources": sources}).to_string(),
    );
    let package = |project: &Project| {
        let package = run("cogtools-package", project).args(["dist/plugin", "--name", "p"]);
        package.run()
    };
    package(&project).status(0);
    let skill = project.read("dist/plugin/skills/p/SKILL.md");
    let setup = skill.lines().find(|line| line.starts_with("export "));
    let setup = setup.expect("a line");
    let plugin = project.path("dist/plugin").display().to_string();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args([
        "-c",
        &format!("{setup}; printf %s \"$COGTOOLS_TOOL_SOURCES\""),
    ]);
    let output = shell
        .current_dir(project.path(""))
        .env("PLUGIN", &plugin)
        .output();
    let output = output.expect("a shell");
    let value = String::from_utf8(output.stdout).expect("UTF-8");
    let listed = run("cogtools-list", &project)
        .arg("--json")
        .env("COGTOOLS_TOOL_SOURCES", &value);
    let listed = listed.run().json().to_string();
    for index in 0..folders.len() {
        assert!(
            listed.contains(&format!("\"n{index}\"")),
            "{value}\n{listed}"
        );
    }
    assert!(!project.path("PWNED").exists(), "{setup}");
    for folder in ["${HOME}", "a\nb"] {
        let tool = "name: n\ndescription: d\nimplementation: x\n";
        let project = Project::new();
        project.file(format!("{folder}/n.yaml"), tool);
        let sources = json!({"tool_sources": [{"local": format!("./{folder}")}]});
        project.file(".cogtoolrc.yaml", sources.to_string());
        let refused = package(&project);
        refused
            .status(78)
            .stderr_contains("hosts cannot name the folder");
    }
}

/// A project that names the plugin as a source runs its tools within the plugin's sandbox.
#[test]
fn a_packaged_tool_runs_in_another_project() {
    let author = project();
    package(&author, &[]).status(0);
    let user = Project::new();
    let plugin = user.path("vendor/checks");
    fs::create_dir_all(user.path("vendor")).expect("a folder");
    fs::rename(author.path("dist/plugin"), &plugin).expect("one file system");
    let path = format!("{}:/usr/bin:/bin", crate::programs().display());
    let run = |program| run(program, &user).env("PATH", &path);
    run("cogtools-add").arg("./vendor/checks").run().status(0);
    let trust = run("cogtools-trust").args(["provider:team-checks", "--yes"]);
    trust.run().status(0);
    let call = |tool| run("cogtools-call").arg(tool);
    call("greet")
        .stdin(r#"{"person": "Ada"}"#)
        .run()
        .outputs("Hello Ada");
    call("where").run().status(0).stdout_contains("/plugins/");
}

#[test]
fn a_check_finds_what_a_package_leaves_out() {
    let project = project();
    let manifest = |files: &str| {
        let text = format!(
            r#"{{"name": "checks", {files} "cogtools": {{"tools": ["./tools", "nowhere"]}}}}"#
        );
        project.file("package.json", text);
        package(&project, &[]).status(0);
        package(&project, &["--check"])
    };
    let unknown = "\
cogtools-package: error[INVALID_CONFIG]: package.json: `cogtools.tools` names `nowhere`, which is no folder
hint: correct the path, or remove it
";
    for files in [
        "",
        r#""files": ["tools/"],"#,
        r#""files": ["/tools/*.yaml", "!lib"],"#,
        r#""files": ["**/*.yaml"],"#,
        r#""files": [], "private": true,"#,
    ] {
        manifest(files).fails(78, unknown);
    }
    let left_out = "\
cogtools-package: error[INVALID_CONFIG]: package.json: `files` leaves out `./tools`: npm does not publish its tools
hint: add the folder to `files`
";
    manifest(r#""files": ["lib"],"#).fails(78, format!("{left_out}{unknown}"));
}
