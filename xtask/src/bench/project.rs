//! The projects that are measured in, made below `target/bench`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::command::root;

/// How many packages of Node the project beside them has.
const PACKAGES: usize = 500;

/// A project with `tools` tools: facepalm, and copies of it under other names.
pub(super) fn with_tools(below: &Path, tools: usize) -> Result<PathBuf> {
    let project = below.join(format!("tools-{tools}"));
    make(&project, tools)?;
    Ok(project)
}

/// A project with facepalm and many packages of Node.
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
