//! Files of other users in a folder that this user trusts, such as those in /tmp.

use std::path::Path;

use cogtools_test_support::str;

use super::owners::{EVIL, call, give, shared};
use crate::run;

/// A folder such as /tmp, which belongs to root and has files of other users. Before, a
/// warning said that they were not used, and they were.
#[test]
fn a_configuration_of_another_user_is_not_read() {
    for (file, own) in [
        (".cogtoolrc.yaml", None),
        (".gemini/cogtoolrc.yaml", None),
        ("package.json", None),
        (".gemini/cogtoolrc.yaml", Some(".cogtoolrc.yaml")),
        ("package.json", Some(".cogtoolrc.yaml")),
        (".gemini/cogtoolrc.yaml", Some(".git/HEAD")),
    ] {
        let Some(project) = shared(&[]) else {
            return;
        };
        let sources = if file == "package.json" {
            "{\"cogtools\": {\"tool_sources\": [{\"local\": \"other\"}]}}"
        } else {
            "tool_sources: [{local: other}]\n"
        };
        project.file("other/evil.yaml", EVIL).file(file, sources);
        project.remove("tools/evil.yaml");
        give(&project, file);
        match own {
            Some(own) => drop(project.file(own, "")),
            None => give(
                &project,
                &Path::new(file)
                    .iter()
                    .next()
                    .expect("a name")
                    .to_string_lossy(),
            ),
        }
        call(&project, ".")
            .status(127)
            .stdout_is("")
            .stderr_contains("belongs to user 54321, not to you");
    }
}

/// Before, one folder of another user denied all others to the model.
#[test]
fn a_folder_of_another_user_costs_only_itself() {
    let Some(project) = shared(&["tools"]) else {
        return;
    };
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {local: own}]\n",
        )
        .file("own/say.yaml", super::SAY)
        .file(
            "own/evil.yaml",
            EVIL.replace("implementation: evil", "implementation: own"),
        );
    run("cogtools-call", &project)
        .arg("say")
        .run()
        .outputs("said");
    call(&project, ".").outputs("own");
    run("cogtools-discover", &project)
        .run()
        .expect(0, str![[r#"
[
{"name":"evil","description":"d","parametersJsonSchema":{"type":"object","properties":{}}},
{"name":"say","description":"d","parametersJsonSchema":{"type":"object","properties":{}}}
]

"#]], str![[r#"
cogtools-discover: error[DENIED]: `[ROOT]/tools` belongs to user 54321, not to you; its tools are not used
hint: if you trust that user, add `safe_directories: [[ROOT]/tools]` to ~/.gemini/cogtoolrc.yaml

"#]]);
    // A program for people does nothing by halves.
    run("cogtools-list", &project).run().fails(77, str![[r#"
cogtools-list: error[DENIED]: `[ROOT]/tools` belongs to user 54321, not to you; its tools are not used
hint: if you trust that user, add `safe_directories: [[ROOT]/tools]` to ~/.gemini/cogtoolrc.yaml

"#]]);
}

/// Before, a folder such as /tmp gave a program the variables of any user.
#[test]
fn an_env_file_of_another_user_is_not_read() {
    let tool =
        "name: show\ndescription: d\nenv: [TOKEN]\nimplementation: {exec: [printenv, TOKEN]}\n";
    for file in [".env", "work/.env", "link"] {
        let Some(project) = shared(&[]) else {
            return;
        };
        project
            .file(".cogtoolrc.yaml", "")
            .file("tools/show.yaml", tool)
            .file("own", "TOKEN=evil\nCOGTOOLS_EXCLUDE=show\n");
        if file == "link" {
            project.link(".env", "own");
            give(&project, ".env");
        } else {
            project.file(file, "TOKEN=evil\nCOGTOOLS_EXCLUDE=show\n");
            give(&project, file);
        }
        let call = |value: &str| {
            run("cogtools-call", &project)
                .cwd(project.path("work"))
                .env("TOKEN", value)
                .arg("show")
                .run()
        };
        call("mine").outputs("mine\n");
        run("cogtools-call", &project)
            .cwd(project.path("work"))
            .arg("show")
            .run()
            .fails(78, str![[r#"
cogtools-call: error[INVALID_CONFIG]: show: the environment variable `TOKEN` is not set: the project's .env is not read, because it belongs to another user
hint: set TOKEN in the environment, outside the project

"#]]);
        // The user may admit it.
        project.file(
            "../home/.gemini/cogtoolrc.yaml",
            "safe_directories: ['*']\n",
        );
        call("mine").status(127).stdout_is("");
    }
}
