//! Tools from npm packages, in trees made by hand.

use cogtools_test_support::{Project, Run, str};

use crate::run;

mod failures;
mod malicious;

const TOOLS: &str = r#"{"cogtools": {"tools": ["tools"]}}"#;

/// A project that depends on `needs` and takes tools from packages.
fn project(needs: &[&str]) -> Project {
    let project = Project::new();
    let needs: Vec<String> = needs
        .iter()
        .map(|name| format!("\"{name}\": \"*\""))
        .collect();
    project
        .file(
            "package.json",
            format!("{{\"dependencies\": {{{}}}}}", needs.join(", ")),
        )
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    project
}

/// Makes `project` depend on the package `pk`, whose tools are below its `tools`.
pub(super) fn depend_on_pk(project: &Project) -> &Project {
    project
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
}

/// A package in `folder` with a tool of the same name that prints its location.
fn package<'p>(project: &'p Project, folder: &str, manifest: &str) -> &'p Project {
    let name = folder
        .rsplit('/')
        .next()
        .unwrap_or(folder)
        .replace('-', "_");
    tool(project, &format!("{folder}/tools/{name}.yaml"));
    project.file(format!("{folder}/package.json"), manifest)
}

fn tool(project: &Project, file: &str) {
    let stem = file.rsplit('/').next().unwrap_or(file);
    let name = stem.trim_end_matches(".yaml");
    project.file(
        file,
        format!("name: {name}\ndescription: d\nimplementation: {file}\n"),
    );
}

/// A program that finds only the project's packages.
fn with(program: &str, project: &Project) -> Run {
    run(program, project).env("npm_config_prefix", project.path("../nowhere"))
}

/// The listed tools as `toolset name file`, one per line, and standard error.
#[track_caller]
fn listed(run: Run) -> (String, String) {
    let outcome = run.args(["--json"]).run();
    outcome.status(0);
    let json: serde_json::Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    let tools = json["tools"].as_array().cloned().unwrap_or_default();
    let line = |tool: &serde_json::Value| {
        let word = |key: &str| tool[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}\n", word("toolset"), word("name"), word("file"))
    };
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    (tools.iter().map(line).collect(), said)
}

#[track_caller]
fn check(project: &Project, expected: &str) {
    let found = listed(with("cogtools-list", project));
    assert_eq!(found, (expected.to_owned(), String::new()));
}

#[test]
fn only_dependencies_and_links() {
    let project = project(&[
        "direct",
        "@team/scoped",
        "absent",
        "../evil",
        "@half",
        ".bin",
    ]);
    for name in ["direct", "@team/scoped", "@team/other", "transitive"] {
        package(&project, &format!("node_modules/{name}"), TOOLS);
    }
    package(&project, "evil", TOOLS);
    package(&project, "members/member", TOOLS);
    package(
        &project,
        "node_modules/.pnpm/stored/node_modules/stored",
        TOOLS,
    );
    project
        .link("node_modules/member", "../members/member")
        .link("node_modules/stored", ".pnpm/stored/node_modules/stored")
        .link("node_modules/hoisted", "transitive")
        .link("node_modules/@team/gone", "nowhere");
    check(
        &project,
        "@team/scoped scoped node_modules/@team/scoped/tools/scoped.yaml\n\
         direct direct node_modules/direct/tools/direct.yaml\n\
         member member node_modules/member/tools/member.yaml\n",
    );
    let call = |name: &str| with("cogtools-call", &project).arg(name).run();
    call("scoped").outputs(str!["node_modules/@team/scoped/tools/scoped.yaml"]);
    call("transitive").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: transitive: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
}

#[test]
fn every_dependency_list_counts_and_each_package_is_a_toolset() {
    let project = project(&[]);
    project.file(
        "package.json",
        "\u{feff}{\"dependencies\": {\"a\": \"1\"},\r\n \"devDependencies\": {\"b\": \"1\"},\r\n \
         \"optionalDependencies\": {\"c\": \"1\"}, \"peerDependencies\": {\"d\": \"1\"},\
         \"bundledDependencies\": [\"e\"]}",
    );
    for name in ["a", "b", "c", "d", "e"] {
        let text = "\u{feff}{\r\n  \"cogtools\": {\"tools\": [\"./tools\"]}\r\n}\r\n";
        package(&project, &format!("node_modules/{name}"), text);
    }
    tool(&project, "node_modules/b/tools/more/deep.yaml");
    check(
        &project,
        "a a node_modules/a/tools/a.yaml\n\
         b b node_modules/b/tools/b.yaml\n\
         b/more deep node_modules/b/tools/more/deep.yaml\n\
         c c node_modules/c/tools/c.yaml\n\
         d d node_modules/d/tools/d.yaml\n",
    );
    let only = with("cogtools-list", &project).args(["--toolset", "b"]);
    assert_eq!(listed(only).0.lines().count(), 2);
}

#[test]
fn the_nearest_version_wins() {
    let project = project(&["both", "upper", "plain"]);
    project
        .file(
            "inner/package.json",
            r#"{"dependencies": {"both": "1", "plain": "1"}}"#,
        )
        .file("inner/.cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    for folder in ["inner/node_modules", "node_modules"] {
        package(&project, &format!("{folder}/both"), TOOLS);
        // A dependency of the parent, not of this package.
        package(&project, &format!("{folder}/upper"), TOOLS);
    }
    project.file("inner/node_modules/plain/package.json", "{}");
    package(&project, "node_modules/plain", TOOLS);
    let inner = with("cogtools-list", &project).cwd(project.path("inner"));
    let expected = "both both node_modules/both/tools/both.yaml\n\
                    upper upper [ROOT]/node_modules/upper/tools/upper.yaml\n";
    assert_eq!(listed(inner), (expected.to_owned(), String::new()));
    with("cogtools-call", &project)
        .cwd(project.path("inner"))
        .arg("both")
        .run()
        .outputs(str!["inner/node_modules/both/tools/both.yaml"]);
}

/// A thousand packages that are not dependencies, each of which would be an error if
/// it was opened, and a pipe that would block.
#[test]
fn packages_that_are_not_dependencies_are_not_opened() {
    let project = project(&["direct"]);
    package(&project, "node_modules/direct", TOOLS);
    for number in 0..1_000 {
        let scope = if number % 3 == 0 { "@scope/" } else { "" };
        let file = format!("node_modules/{scope}transitive-{number}/package.json");
        project.file(file, "{\"cogtools\": broken");
    }
    check(
        &project,
        "direct direct node_modules/direct/tools/direct.yaml\n",
    );
}

/// Directories list their entries in no order; they are sorted by name.
#[test]
fn the_order_is_that_of_names() {
    let names = ["zebra", "@b/two", "alpha", "@a/one", "mid"];
    let mut found = Vec::new();
    for backwards in [false, true] {
        let mut names = names;
        if backwards {
            names.reverse();
        }
        let project = project(&names);
        for name in names {
            package(&project, &format!("node_modules/{name}"), TOOLS);
        }
        found.push(listed(with("cogtools-list", &project)).0);
    }
    let toolsets: Vec<&str> = found[0]
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(toolsets, ["@a/one", "@b/two", "alpha", "mid", "zebra"]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn for_everybody() {
    let project = project(&["near"]);
    package(&project, "node_modules/near", TOOLS);
    for folder in ["told", "written", "node/v20"] {
        package(
            &project,
            &format!("../home/{folder}/lib/node_modules/near"),
            TOOLS,
        );
        let own = folder.replace('/', "-");
        package(
            &project,
            &format!("../home/{folder}/lib/node_modules/{own}"),
            TOOLS,
        );
    }
    project
        .file("../home/node/v20/bin/node", "")
        .dir("../home/bin")
        .link("../home/bin/node", "../node/v20/bin/node");
    let near = "near near node_modules/near/tools/near.yaml\n";
    let own = |folder: &str, name: &str| {
        let tool = name.replace('-', "_");
        format!("{near}{name} {tool} [HOME]/{folder}/lib/node_modules/{name}/tools/{tool}.yaml\n")
    };
    let home = |name: &str| {
        project
            .path("../home")
            .join(name)
            .canonicalize()
            .expect("is there")
    };
    let list = || run("cogtools-list", &project);
    for bin in ["bin", "node/v20/bin"] {
        let found = listed(list().path(home(bin)));
        assert_eq!(found, (own("node/v20", "node-v20"), String::new()), "{bin}");
    }
    for line in [
        "prefix = ~/written\n",
        "prefix=${HOME}/written",
        "a=b\nprefix=\"~/written\"\n",
    ] {
        project.file("../home/.npmrc", line);
        let found = listed(list().path(home("bin")));
        assert_eq!(found, (own("written", "written"), String::new()), "{line}");
    }
    let found = listed(
        list()
            .path(home("bin"))
            .env("npm_config_prefix", home("told")),
    );
    assert_eq!(found, (own("told", "told"), String::new()));
}
