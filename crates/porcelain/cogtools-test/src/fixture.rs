//! The surroundings of a program in an example: other programs, and a temporary folder with files.

use std::env;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cogtools_core::Fixture;
use cogtools_core::file::{self, Mode, WritePath, descends};
use cogtools_core::process::TempFolder;
use serde_json::{Map, Value};

/// The keys under `with` of a tool that runs a program.
const PATH: &str = "PATH";
const FILES: &str = "files";

/// Makes the fixture that `with` describes, for a tool in `folder`. The temporary folder exists as
/// long as it is kept.
pub(crate) fn make(
    with: &Map<String, Value>,
    folder: &Path,
) -> Result<(Arc<Fixture>, Option<TempFolder>), String> {
    let mut fixture = Fixture::default();
    let mut temporary = None;
    for (key, value) in with {
        match (key.as_str(), value) {
            (PATH, Value::String(path)) => {
                let real = inside(folder, path).filter(|real| real.is_dir());
                let real = real.ok_or_else(|| format!("`{path}` is no folder beside the tool"))?;
                if env::join_paths([&real]).is_err() {
                    return Err(format!("`{}` cannot be a part of PATH", real.display()));
                }
                fixture.programs = Some(real);
            }
            (FILES, Value::Object(files)) => {
                let failed = |error: io::Error| format!("no temporary folder can be made: {error}");
                let new = TempFolder::new(&env::temp_dir()).map_err(failed)?;
                fixture.folder = Some(new.path().canonicalize().map_err(failed)?);
                for (name, text) in files {
                    let text = text.as_str();
                    let text = text.ok_or_else(|| format!("`{name}` is no text"))?;
                    write(new.path(), name, text)?;
                }
                temporary = Some(new);
            }
            (PATH | FILES, _) => {
                let kind = if key == PATH {
                    "a folder"
                } else {
                    "a map from paths to texts"
                };
                return Err(format!("`{key}` takes {kind}"));
            }
            _ => {
                return Err(format!(
                    "`with` of a program has `{PATH}` and `{FILES}`, not `{key}`"
                ));
            }
        }
    }
    Ok((Arc::new(fixture), temporary))
}

/// Returns the file at `path` in `folder`, unless it or a link leads out of it.
fn inside(folder: &Path, path: &str) -> Option<std::path::PathBuf> {
    let real = folder.join(path).canonicalize().ok()?;
    let folder = folder.canonicalize().ok()?;
    (descends(Path::new(path)) && real.starts_with(folder)).then_some(real)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    if !descends(Path::new(name)) || name.is_empty() {
        return Err(format!("`{name}` is outside the temporary folder"));
    }
    let path = WritePath::in_project(folder, &folder.join(name));
    let written = file::create(&path, text.as_bytes(), Mode::Data);
    written.map_err(|error| format!("`{name}` cannot be written: {error}"))
}
