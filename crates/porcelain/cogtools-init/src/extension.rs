//! The project as a Gemini CLI extension, which provides its tools once installed.
//!
//! The extension's folder is the project itself, so that a repository can be
//! installed unchanged, without copies of tools. The programs are found on `PATH`.

use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_edit::{Change, Edit, Existing, Step, jsonc};
use serde_json::{Map, Value};

use crate::server::{NAME, Server};
use crate::setup_context::SetupContext;

/// The manifest, which makes a folder an extension.
const MANIFEST: &str = "gemini-extension.json";
/// The context file, which the model reads.
const CONTEXT: &str = "COGTOOLS.md";
/// The variable that Gemini CLI replaces with the extension's folder.
const FOLDER: &str = "${extensionPath}";

const TEXT: &str = "\
# Tools of this extension

The tools of this extension are files in its folder `tools`, run by cogtools. If a call fails, \
the error message says what to send instead. If all tools are missing, the program `cogtools` is \
not on PATH: tell the user to install it and to restart Gemini CLI.
";

/// The edit that adds missing keys to the manifest.
pub(crate) fn edit(cx: &SetupContext) -> Edit {
    let name = cx.name.clone().unwrap_or_else(|| extension_name(&cx.root));
    let server = Server {
        project: Some(FOLDER),
        ..Server::new(&name)
    };
    let mut defaults = Map::new();
    defaults.insert("name".into(), name.as_str().into());
    defaults.insert("version".into(), "0.1.0".into());
    defaults.insert("contextFileName".into(), CONTEXT.into());
    Edit {
        defaults,
        ..Edit::add(PathBuf::from(MANIFEST), server.entry())
    }
}

/// Creates the context file, unless an existing manifest names another.
pub(crate) fn context(cx: &SetupContext) -> Result<Option<Step>, Box<Diagnostic>> {
    let file = PathBuf::from(CONTEXT);
    let open =
        |file: &Path| Existing::open(&cx.root, file).map_err(|error| Box::new(error.diagnostic()));
    if let Ok(Some(manifest)) = open(Path::new(MANIFEST)) {
        let entry = jsonc::entry(Path::new(MANIFEST), &manifest.text, &["contextFileName"]);
        let other = |value: &Value| value.as_str() != Some(CONTEXT);
        if matches!(entry, Ok(Some((value, _))) if other(&value)) {
            return Ok(None);
        }
    }
    if open(&file)?.is_some() {
        return Ok(Some(Step::Keep(file)));
    }
    let change = Change::new(&cx.root, file, None, TEXT.to_owned());
    Ok(Some(Step::Write(change)))
}

/// A name for the extension in `root`, of letters, digits and dashes.
fn extension_name(root: &Path) -> String {
    const MAX_NAME_BYTES: usize = 32;
    let folder = root.file_name().unwrap_or_default().to_string_lossy();
    let portable = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = folder.chars().map(portable).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(MAX_NAME_BYTES);
    match name.trim_end_matches('-') {
        "" => NAME.to_owned(),
        name => name.to_owned(),
    }
}
