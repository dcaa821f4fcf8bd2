//! Tools from npm packages, in trees that the real npm and pnpm make.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use cogtools_test_support::Project;
use serde_json::Value;

use crate::run;

/// The pnpm that makes the trees.
const PNPM: &str = "pnpm@9.15.9";

/// Runs a package manager in a folder of the project, with the project's caches.
#[track_caller]
fn manage(program: &Path, project: &Project, folder: &str, args: &[&str]) {
    let output = Command::new(program)
        .args(args)
        .current_dir(project.path(folder))
        .env("npm_config_cache", project.path("../home/cache"))
        .env("npm_config_prefix", project.path("../home/global"))
        .env("npm_config_store_dir", project.path("../home/store"))
        .env("npm_config_offline", "true")
        .env("npm_config_audit", "false")
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
    assert!(
        output.status.success(),
        "{} {args:?}:\n{}{}",
        program.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[track_caller]
fn npm(project: &Project, folder: &str, args: &[&str]) {
    manage(Path::new("npm"), project, folder, args);
}

/// Installs pnpm, once for all tests, and returns the path of its program.
fn pnpm() -> PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
    let place = cache.join(PNPM.replace('@', "-"));
    fs::create_dir_all(&place).expect("a cache can be made");
    let lock = File::create(cache.join("pnpm.lock")).expect("a lock can be made");
    lock.lock().expect("the lock can be had");
    let program = place.join("node_modules/.bin/pnpm");
    if !program.exists() {
        let output = Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--no-save",
                "--prefix",
            ])
            .args([place.as_os_str(), PNPM.as_ref()])
            .current_dir(&place)
            .output()
            .expect("npm is there");
        assert!(output.status.success(), "npm cannot install {PNPM}");
    }
    program
}

/// A package with one tool; `needs` is its dependencies, as JSON.
fn source(project: &Project, name: &str, needs: &str) {
    let tool = name.rsplit('/').next().unwrap_or(name);
    let folder = format!("../home/sources/{tool}");
    project
        .file(
            format!("{folder}/package.json"),
            format!(
                "{{\"name\": \"{name}\", \"version\": \"1.0.0\", \
                 \"dependencies\": {needs}, \"cogtools\": {{\"tools\": [\"tools\"]}}}}"
            ),
        )
        .file(
            format!("{folder}/tools/{tool}.yaml"),
            format!("name: {tool}\ndescription: d\nimplementation: {tool}\n"),
        );
}

/// A project, and packages next to it: `direct` depends on `inner`.
fn project() -> Project {
    let project = Project::new();
    source(&project, "inner", "{}");
    let inner = project.path("../home/sources/inner-1.0.0.tgz");
    let needs = format!("{{\"inner\": \"file:{}\"}}", inner.display());
    source(&project, "direct", &needs);
    for name in ["@team/scoped", "dev", "linked", "everybody"] {
        source(&project, name, "{}");
    }
    let pack = [
        "pack",
        "./inner",
        "./direct",
        "./scoped",
        "./dev",
        "./everybody",
    ];
    npm(&project, "../home/sources", &pack);
    let needs = |list: &str, packages: &[(&str, &str)]| {
        let sources = project.path("../home/sources");
        let package = |(name, file): &(&str, &str)| {
            format!(
                "\"{name}\": \"file:{}/{file}-1.0.0.tgz\"",
                sources.display()
            )
        };
        let packages: Vec<String> = packages.iter().map(package).collect();
        format!("\"{list}\": {{{}}}", packages.join(", "))
    };
    let direct = needs(
        "dependencies",
        &[("direct", "direct"), ("@team/scoped", "team-scoped")],
    );
    let dev = needs("devDependencies", &[("dev", "dev")]);
    project
        .file(
            "package.json",
            format!("{{\"private\": true, \"workspaces\": [\"members/*\"], {direct}, {dev}}}"),
        )
        .file("pnpm-workspace.yaml", "packages: ['members/*']\n")
        .file("members/member/tools/member.yaml", "name: member\ndescription: d\nimplementation: m\n")
        .file(
            "members/member/package.json",
            "{\"name\": \"member\", \"version\": \"1.0.0\", \"cogtools\": {\"tools\": [\"tools\"]}}",
        )
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    project
}

/// The toolsets of the project as seen from the folder `from`, in order.
#[track_caller]
fn toolsets(project: &Project, from: &str) -> String {
    let list = run("cogtools-list", project)
        .cwd(project.path(from))
        .env("npm_config_prefix", project.path("../home/global"))
        .arg("--json");
    let json = list.run().json();
    let tools = json["tools"].as_array().cloned().unwrap_or_default();
    let toolset = |tool: &Value| tool["toolset"].as_str().unwrap_or("-").to_owned();
    tools.iter().map(toolset).collect::<Vec<_>>().join(" ")
}

#[test]
fn npm_install_link_workspaces_and_global() {
    let project = project();
    npm(&project, ".", &["install"]);
    assert!(project.path("node_modules/inner/package.json").exists());
    assert_eq!(toolsets(&project, "."), "@team/scoped dev direct member");
    // A member without its own configuration belongs to the whole project:
    // with a `cogtools` key in its package.json it is a separate project.
    project.file("members/member/package.json", "{\"name\": \"member\"}");
    assert_eq!(
        toolsets(&project, "members/member"),
        "@team/scoped dev direct"
    );
    npm(&project, "../home/sources/linked", &["link"]);
    npm(&project, ".", &["link", "linked"]);
    // A linked package is installed globally too; the project's comes first.
    assert_eq!(toolsets(&project, "."), "@team/scoped dev direct linked");
    npm(
        &project,
        ".",
        &[
            "install",
            "--global",
            &project
                .path("../home/sources/everybody-1.0.0.tgz")
                .display()
                .to_string(),
        ],
    );
    assert_eq!(
        toolsets(&project, "."),
        "@team/scoped dev direct linked everybody"
    );
}

#[test]
fn a_member_with_a_configuration_of_its_own() {
    let project = project();
    npm(&project, ".", &["install"]);
    project.file(
        "members/member/.cogtoolrc.yaml",
        "tool_sources: [node_modules]\n",
    );
    assert_eq!(
        toolsets(&project, "members/member"),
        "@team/scoped dev direct member"
    );
}

#[test]
fn pnpm_links_everything() {
    let project = project();
    let pnpm = pnpm();
    let install = ["install", "--offline", "--ignore-scripts"];
    manage(&pnpm, &project, ".", &install);
    assert!(project.path("node_modules/direct").is_symlink());
    assert_eq!(toolsets(&project, "."), "@team/scoped dev direct");
    // With this setting pnpm also links indirect dependencies, which are not named, and
    // the members.
    project.file(".npmrc", "shamefully-hoist=true\n");
    fs::remove_dir_all(project.path("node_modules")).expect("it is there");
    manage(&pnpm, &project, ".", &install);
    assert!(project.path("node_modules/inner").is_symlink());
    assert_eq!(toolsets(&project, "."), "@team/scoped dev direct member");
}
