//! The projects of the benchmark, created below `target/bench`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::command::root;

/// The number of npm packages that are installed but have no tools.
const PACKAGES: usize = 500;
/// The number of packages in a project that uses tools from packages, and the number
/// that it names.
const INSTALLED: usize = 1_000;
const NEEDED: usize = 50;

/// A project with `tools` tools: facepalm, and copies of it with other names.
pub(super) fn with_tools(below: &Path, tools: usize) -> Result<PathBuf> {
    let project = below.join(format!("tools-{tools}"));
    make(&project, tools)?;
    Ok(project)
}

/// Adds one more tool, which runs a program.
pub(super) fn with_a_program(below: &Path, tools: usize) -> Result<PathBuf> {
    let project = below.join(format!("server-{tools}"));
    make(&project, tools - 1)?;
    write(&project.join("tools/echo.yaml"), ECHO)?;
    Ok(project)
}

const ECHO: &str = "name: echo
description: Prints a text
parameters: {text: {type: string}}
implementation: {exec: [echo, '{{ text }}']}
";

/// A project without tools of its own, and a home directory whose owner has named a server with
/// `tools` tools, which `program` serves.
pub(super) fn with_a_server(
    below: &Path,
    program: &Path,
    tools: usize,
) -> Result<(PathBuf, PathBuf)> {
    let (project, home, other) = (
        below.join("foreign"),
        below.join("home"),
        below.join("served"),
    );
    make(&other, tools)?;
    make(&project, 1)?;
    fs::remove_file(project.join("tools/facepalm.yaml"))?;
    // With the same home directory, the server would have itself as a source.
    let config = format!(
        "tool_sources:\n  - mcp:\n      command: env\n      \
         args: ['HOME={}', '{}', --project, '{0}']\n",
        other.display(),
        program.display(),
    );
    write(&home.join(".gemini/cogtoolrc.yaml"), &config)?;
    Ok((project, home))
}

/// A project with one small template.
pub(super) fn with_a_greeting(below: &Path) -> Result<PathBuf> {
    let project = below.join("greeting");
    make(&project, 1)?;
    write(&project.join("tools/greet.yaml"), GREET)?;
    Ok(project)
}

const GREET: &str = "name: greet
description: Greet a person
parameters: {person: {type: string}}
implementation: 'Good day, {{ person }}!'
";

/// A project with one tool written in two ways, which takes the arguments of facepalm.
pub(super) fn with_kinds(below: &Path) -> Result<PathBuf> {
    let project = below.join("kinds");
    make(&project, 1)?;
    for (name, implementation) in [
        ("in_javascript", "{js: 'return `done ${1 + 1}`'}"),
        ("in_a_template", "'done {{ 1 + 1 }}'"),
    ] {
        let text = format!(
            "name: {name}\ndescription: d\n\
             parameters_schema: {{type: object, additionalProperties: true}}\n\
             implementation: {implementation}\n"
        );
        write(&project.join(format!("tools/{name}.yaml")), &text)?;
    }
    Ok(project)
}

/// A project with a flow of `nodes` nodes that do nothing, one after the other.
pub(super) fn with_flow(below: &Path, nodes: u32) -> Result<PathBuf> {
    let project = below.join(format!("flow-{nodes}"));
    make(&project, 1)?;
    let mut text = "name: chain\ndescription: d\nparameters: {}\nimplementation:\n  flow:\n    \
                    nodes:\n      n0: {text: x}\n"
        .to_owned();
    for number in 1..nodes {
        let before = number - 1;
        let _ = writeln!(text, "      n{number}: {{needs: [n{before}], text: x}}");
    }
    write(&project.join("tools/chain.yaml"), &text)?;
    Ok(project)
}

/// A file with an array of `items`, each of about 50 bytes and with mistakes.
pub(super) fn broken_json(below: &Path, items: usize) -> Result<PathBuf> {
    let mut text = "Here it is:\n```json\n[\n".to_owned();
    for number in 0..items {
        let _ = writeln!(text, "  {{id: {number}, 'name': “item”, is_new: True, }},");
    }
    text.push_str("]\n```\n");
    let file = below.join(format!("broken-{items}.txt"));
    write(&file, &text)?;
    Ok(file)
}

/// A project with facepalm and many npm packages.
pub(super) fn with_packages(below: &Path) -> Result<PathBuf> {
    let project = below.join("packages");
    make(&project, 1)?;
    write(
        &project.join("package.json"),
        "{\"name\": \"project\", \"private\": true}\n",
    )?;
    for number in 0..PACKAGES {
        let folder = project.join(format!("node_modules/package-{number}"));
        let json = format!(
            "{{\n  \"name\": \"package-{number}\",\n  \"version\": \"1.0.{number}\",\n  \"main\": \"index.js\"\n}}\n"
        );
        write(&folder.join("package.json"), &json)?;
        write(&folder.join("index.js"), "module.exports = {};\n")?;
    }
    Ok(project)
}

/// A project with facepalm, 50 packages that it depends on, two of them with a tool,
/// and all their dependencies; `source` is whether they are a source of tools.
pub(super) fn with_needs(below: &Path, source: bool) -> Result<PathBuf> {
    let project = below.join(if source { "needs" } else { "needs-unread" });
    make(&project, 1)?;
    let mut needs = Vec::new();
    for number in 0..INSTALLED {
        let name = format!("package-{number}");
        let folder = project.join("node_modules").join(&name);
        let mut tools = "";
        if number % (INSTALLED / NEEDED) == 0 {
            needs.push(format!("\"{name}\": \"1.0.0\""));
            if needs.len() <= 2 {
                tools = ", \"cogtools\": {\"tools\": [\"tools\"]}";
                let text = format!("name: of_{number}\ndescription: d\nimplementation: said\n");
                write(&folder.join(format!("tools/of_{number}.yaml")), &text)?;
            }
        }
        let json = format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\"{tools}}}\n");
        write(&folder.join("package.json"), &json)?;
    }
    let needs = needs.join(", ");
    let json = format!("{{\"private\": true, \"dependencies\": {{{needs}}}}}\n");
    write(&project.join("package.json"), &json)?;
    if source {
        let sources = "tool_sources:\n  - local: ./tools\n  - node_modules\n";
        write(&project.join(".cogtoolrc.yaml"), sources)?;
    }
    Ok(project)
}

fn make(project: &Path, tools: usize) -> Result<()> {
    if project.exists() {
        fs::remove_dir_all(project)
            .with_context(|| format!("cannot remove {}", project.display()))?;
    }
    let file = root()?.join("tools/facepalm.yaml");
    let facepalm =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    write(
        &project.join(".cogtoolrc.yaml"),
        "tool_sources:\n  - local: ./tools\n",
    )?;
    write(&project.join("tools/facepalm.yaml"), &facepalm)?;
    for number in 1..tools {
        let name = format!("facepalm_{number:05}");
        let text = facepalm.replacen("\nname: facepalm\n", &format!("\nname: {name}\n"), 1);
        write(&project.join(format!("tools/{name}.yaml")), &text)?;
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
