//! Settings without effect, which are reported.

use cogtools_test_support::{Project, str};

use crate::layers::{layered, project};
use crate::run;

const TOOL: &str = "name: it\ndescription: d\nimplementation: from home\n";

#[test]
fn a_tilde_is_the_home_directory_in_every_layer() {
    for layer in [
        "../machine/cogtoolrc.yaml",
        "../home/.gemini/cogtoolrc.yaml",
        "package.json",
        ".cogtoolrc.yaml",
        "variable",
    ] {
        for path in ["~/own", "~//own/", "~/own/../own", "~"] {
            let project = project();
            project
                .file("../home/own/it.yaml", TOOL)
                .file("../home/it.yaml", TOOL);
            let mut call = layered("cogtools-call", &project).arg("it");
            let text = format!("[{{local: '{path}'}}]");
            match layer {
                "variable" => call = call.env("COGTOOLS_TOOL_SOURCES", text),
                "package.json" => {
                    let text = text.replace("local", "\"local\"").replace('\'', "\"");
                    let json = format!("{{\"cogtools\": {{\"tool_sources\": {text}}}}}");
                    project.file(layer, json);
                }
                _ => drop(project.file(layer, format!("tool_sources: {text}\n"))),
            }
            call.run().outputs(str!["from home"]);
        }
    }
}

#[test]
fn another_tilde_is_an_error() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources:\n- local: ~ada/tools\n- local: ./~/tools\n",
    );
    run("cogtools-list", &project).run().fails(
        78,
        str![[r#"
cogtools-list: error[INVALID_CONFIG]: .cogtoolrc.yaml:2:10: `~ada/tools` is not a path: only `~` itself is expanded, to the home directory
   |
 2 | - local: ~ada/tools
   |          ^^^^^^^^^^
hint: write `./~ada/tools` for a folder of that name

"#]],
    );
    project.file(".cogtoolrc.yaml", "tool_sources: [{local: ~/tools}]\n");
    run("cogtools-list", &project)
        .env("HOME", "")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-list: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:24: `~` is the home directory, and HOME is not set
   |
 1 | tool_sources: [{local: ~/tools}]
   |                        ^^^^^^^
hint: set HOME, or write the whole path

"#]],
        );
    run("cogtools-config", &project)
        .args(["set", "tool_sources", "[{local: ~/more}]"])
        .run()
        .outputs("");
}

#[test]
fn an_empty_path_is_an_error() {
    for (path, found) in [
        ("''", "an empty path"),
        ("' '", "an empty path"),
        ("", "nothing"),
        ("~", "nothing"),
    ] {
        let project = project();
        project.file(
            ".cogtoolrc.yaml",
            format!("tool_sources:\n- local: {path}\n"),
        );
        let outcome = run("cogtools-list", &project).run();
        outcome.status(78);
        outcome.stderr_contains(&format!(
            "`local` takes the path of a folder, not {found}\n"
        ));
        outcome.stderr_contains("hint: write `- local: ./tools`\n");
    }
}

#[test]
fn a_prefix_that_no_name_can_have_is_an_error() {
    for kind in ["command: {discover: x, call: x", "mcp: {command: x"] {
        for prefix in [
            "'my '",
            "' my'",
            "'a b'",
            "a.",
            "'a:'",
            "1_",
            "-a",
            "é_",
            "''",
            "\"a\\tb\"",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            let project = project();
            let file = format!("tool_sources: [{{{kind}, prefix: {prefix}}}}}]\n");
            project.file(".cogtoolrc.yaml", file);
            let outcome = run("cogtools-list", &project).run();
            outcome.status(78);
            outcome.stderr_contains("`prefix` takes the beginning of a tool name (letters from a to z, digits, `_` and `-`), not ");
            outcome.stderr_contains("hint: write `prefix: other_`\n");
        }
    }
}

#[test]
fn packages_without_a_folder_are_reported_once() {
    for (file, modules, reported) in [
        (".pnp.cjs", None, true),
        (".pnp.loader.mjs", None, true),
        ("../.pnp.cjs", None, true),
        ("../.pnp.cjs", Some("node_modules"), false),
        ("../.pnp.cjs", Some("../node_modules"), true),
        (".pnp.js", None, false),
    ] {
        let project = project();
        project
            .file(file, "")
            .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
            .file("package.json", "{\"dependencies\": {\"a\": \"1\"}}");
        if let Some(modules) = modules {
            project.dir(modules);
        }
        let outcome = run("cogtools-discover", &project)
            .redact(project.root().with_file_name(""), "[ABOVE]/")
            .run();
        let shown = file.replace("../", "[ABOVE]/");
        let warning = format!(
            "cogtools-discover: warning[INVALID_CONFIG]: `{shown}` is Yarn's Plug'n'Play: there is no `node_modules` to find packages with tools in\n\
             hint: set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn install`, or remove `node_modules` from `tool_sources`\n"
        );
        let warning = if reported { warning } else { String::new() };
        outcome.expect(0, "[]\n", warning);
    }
    // Without the source, nothing is missing.
    let project = project();
    project.file(".pnp.cjs", "");
    run("cogtools-discover", &project).run().outputs("[]\n");
}

/// A project with two tools in toolsets, and this configuration.
fn filtered(configuration: &str) -> Project {
    let project = project();
    let tool = |name: &str| format!("name: {name}\ndescription: d\nimplementation: {name}\n");
    project
        .file("tools/git/deploy_all.yaml", tool("deploy_all"))
        .file("tools/talk/greet.yaml", tool("greet"))
        .file(".cogtoolrc.yaml", configuration);
    project
}

#[test]
fn patterns_that_match_nothing_are_named() {
    let project = filtered(
        "filter: {exclude: [deplyo_*], tools: ['*', greeet], toolsets: [gti, talk]}\nhosts: {mcp: {exclude: [other]}}\n",
    );
    let warnings = |program: &str, args: &[&str]| {
        let outcome = run(program, &project).args(args).run();
        outcome.status(0);
        String::from_utf8_lossy(&outcome.stderr).into_owned()
    };
    let expected = |program: &str| {
        let warning = format!("{program}: warning[INVALID_CONFIG]: the pattern");
        format!(
            "{warning} `greeet` in `tools` of a filter matches no tool\nhint: did you mean `greet`?\n\
             {warning} `deplyo_*` in `exclude` of a filter matches no tool\nhint: did you mean `deploy_all`?\n\
             {warning} `gti` in `toolsets` of a filter matches no toolset\nhint: did you mean `git`?\n"
        )
    };
    for program in ["cogtools-discover", "cogtools-list"] {
        assert_eq!(warnings(program, &[]), expected(program));
    }
    let found = warnings("cogtools-discover", &["--format", "mcp"]);
    assert!(found.starts_with(&expected("cogtools-discover")), "{found}");
    assert!(found.contains("`other` in `exclude`"), "{found}");
    let doctor = run("cogtools-doctor", &project).run();
    doctor.stdout_contains("the pattern `deplyo_*` in `exclude` of a filter matches no tool");
    doctor.stdout_contains("did you mean `deploy_all`?");
}

#[test]
fn patterns_of_the_user_are_for_all_projects() {
    let project = filtered("filter: {exclude: [greet]}\n");
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        "filter: {exclude: [rm_*], tools: ['*', any]}\nhosts: {gemini: {exclude: [x]}}\n",
    );
    run("cogtools-list", &project).run().stderr_is("");
}

#[test]
fn a_source_that_is_not_available_may_have_what_a_pattern_names() {
    let project =
        filtered("tool_sources: [{local: tools}, {local: none}]\nfilter: {exclude: [far_away]}\n");
    let outcome = run("cogtools-list", &project).run();
    outcome.stderr_is(str![[r#"
cogtools-list: warning[INVALID_CONFIG]: the folder `none` does not exist
hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)

"#]]);
}
