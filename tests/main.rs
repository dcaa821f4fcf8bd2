//! Every test that runs the installed programs: one binary, one module per topic.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cogtools_test_support::{Project, Run};

mod adding;
mod answers;
mod ask;
mod attacks;
mod blocks;
mod broken_input;
mod browser;
mod budget;
mod builtin;
mod builtin_values;
mod call;
mod clients;
mod code;
mod commands;
mod completions;
mod dependencies;
mod discover;
mod distribution;
mod docs;
mod dotenv;
mod editor;
mod elements;
mod enum_commands;
mod eval;
mod examples;
mod failures;
mod files;
mod filters;
mod fixes;
mod flow;
mod gateway;
mod genai;
mod groups;
mod hosts;
mod http;
mod import;
mod import_prompts;
mod input;
mod interpreter;
mod js;
mod js_tools;
mod json;
mod killed;
mod layers;
mod layout;
mod lock;
mod logged;
mod managers;
mod mcp;
mod njk;
mod notices;
mod old_projects;
mod openapi;
mod output;
mod output_schema;
mod own_tools;
mod package;
mod packages;
mod partials;
mod personal;
mod plan;
mod plugins;
mod porcelain;
mod programs;
mod project;
mod providers;
mod pseudo_terminal;
mod questions;
mod recordings;
mod rejected;
mod rerun;
mod run_words;
mod schema;
mod sdk;
mod sessions;
mod skill;
mod sources;
mod starters;
mod strict;
mod tables;
mod templates;
mod terminal;
mod tool_dir;
mod toolsets;
mod trust;
mod ui;
mod validators;
mod variables;
mod watch;

/// The programs that are not part of `cogtools`; two of them are links to a third.
const OWN: [&str; 5] = [
    "cogtools",
    "cogtools-call",
    "cogtools-discover",
    "cogtools-js",
    "cogtools-yaml",
];

/// The program that only the others start.
const CONFINE: &str = "cogtools-confine";

/// The directory of the programs under test.
fn programs() -> &'static Path {
    static PLACE: OnceLock<&Path> = OnceLock::new();
    PLACE.get_or_init(|| {
        let program = Path::new(env!("CARGO_BIN_EXE_cogtools-call"));
        let place = program.parent().unwrap_or(program);
        for name in cogtools::PROGRAMS.iter().map(|program| program.name) {
            link(place, name);
        }
        place
    })
}

/// The binary that a program is a link to, unless it is one itself.
fn binary(program: &str) -> Option<&'static str> {
    match program {
        "cogtools-discover" | "cogtools-yaml" => Some("cogtools-call"),
        name => (!OWN.contains(&name)).then_some("cogtools"),
    }
}

/// Makes the link of a program, as an installation does.
fn link(place: &Path, program: &str) {
    let file = place.join(program);
    if let Some(binary) = binary(program)
        && std::fs::read_link(&file).is_ok_and(|target| target != Path::new(binary))
            | !file.is_symlink()
    {
        let _ = std::fs::remove_file(&file);
        std::os::unix::fs::symlink(binary, &file).expect("a link can be made");
    }
}

/// The binary that contains the program of that name, and runs it under that name
/// in any directory.
fn whole(program: &str) -> PathBuf {
    let own = OWN.contains(&program);
    programs().join(if own { program } else { "cogtools" })
}

/// A run of one of our programs in `project`.
fn run(program: &str, project: &Project) -> Run {
    Run::new(programs().join(program)).project(project)
}

/// Root can read everything, so the program drops its privileges if it has any; `setpriv`
/// belongs to util-linux, like `script`, which makes terminals.
fn unprivileged(program: &str, project: &Project) -> Run {
    // Another user may have no access to the build directory.
    project.copy(format!("../{program}"), whole(program));
    let run = Run::new("/usr/bin/setpriv").project(project);
    let id = Command::new("/usr/bin/id")
        .arg("-u")
        .output()
        .expect("id is there");
    let run = if id.stdout == b"0\n" {
        run.args(["--reuid=65534", "--regid=65534", "--clear-groups"])
    } else {
        run
    };
    run.arg(project.path(format!("../{program}")))
}

/// A project with one tool file below `tools`.
fn project_with(name: &str, tool: &str) -> Project {
    let project = Project::new();
    project.file(format!("tools/{name}.yaml"), tool);
    project
}

/// The root of the repository.
fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).unwrap_or(package)
}
