//! The project as an extension of Gemini CLI: whoever installs it has its tools.
//!
//! The folder of an extension is the project itself, so that a repository can be
//! installed as it is and no tool is there twice. The programs are found on `PATH`.

use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_edit::{Change, Edit, Existing, Format, Step, jsonc};
use serde_json::{Map, Value};

use crate::scene::Scene;
use crate::server::{NAME, Server};

/// What makes a folder an extension.
const MANIFEST: &str = "gemini-extension.json";
/// What the model is told about it.
const CONTEXT: &str = "COGTOOLS.md";
/// What Gemini CLI puts the extension's folder in for.
const FOLDER: &str = "${extensionPath}";

const TEXT: &str = "\
# Tools of this extension

The tools of this extension are files in its folder `tools`, run by cogtools. When a call fails, \
the answer says what to send instead. When all of them are missing, the program `cogtools` is not \
on PATH: tell the user to install it and to start Gemini CLI again.
";

/// The manifest: what is missing of it is added.
pub(crate) fn edit(scene: &Scene) -> Edit {
    let name = scene.name.clone().unwrap_or_else(|| named(&scene.root));
    let server = Server {
        table: "mcpServers",
        name: &name,
        command: NAME,
        project: Some(FOLDER),
        typed: false,
    };
    let mut defaults = Map::new();
    defaults.insert("name".into(), name.as_str().into());
    defaults.insert("version".into(), "0.1.0".into());
    defaults.insert("contextFileName".into(), CONTEXT.into());
    Edit {
        defaults,
        ..Edit::add(PathBuf::from(MANIFEST), Format::Jsonc, server.entry())
    }
}

/// The context file, unless the manifest that is there names another.
pub(crate) fn context(scene: &Scene) -> Result<Option<Step>, Box<Diagnostic>> {
    let file = PathBuf::from(CONTEXT);
    let open = |file: &Path| {
        Existing::open(&scene.root, file).map_err(|error| Box::new(error.diagnostic()))
    };
    if let Ok(Some(manifest)) = open(Path::new(MANIFEST)) {
        let named = jsonc::entry(Path::new(MANIFEST), &manifest.text, &["contextFileName"]);
        let other = |value: &Value| value.as_str() != Some(CONTEXT);
        if matches!(named, Ok(Some((value, _))) if other(&value)) {
            return Ok(None);
        }
    }
    if open(&file)?.is_some() {
        return Ok(Some(Step::Keep(file)));
    }
    let change = Change::new(&scene.root, file, None, TEXT.to_owned());
    Ok(Some(Step::Write(change)))
}

/// The name of an extension in that folder: letters, digits and dashes.
fn named(root: &Path) -> String {
    const LENGTH: usize = 32;
    let folder = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = folder.chars().map(plain).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(LENGTH);
    match name.trim_end_matches('-') {
        "" => NAME.to_owned(),
        name => name.to_owned(),
    }
}
