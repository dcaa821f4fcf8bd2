//! The files of a new project: its configuration and an example tool to copy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cogtools_core::{Code, Diagnostic};
use cogtools_edit::{Change, Step};

use crate::survey::{Survey, yaml_files};

/// The configuration file's name.
const CONFIGURATION: &str = ".cogtoolrc.yaml";
/// The folder of the project's tools.
pub(crate) const FOLDER: &str = "tools";
/// The folder of the tools where the usual one has other files.
pub(crate) const OTHER_FOLDER: &str = "ai-tools";
/// The example's name.
const EXAMPLE: &str = "hello.yaml";
/// The golden files of the example: the results that its two example calls have.
pub(crate) const GOLDEN: [(&str, &str); 2] = [
    ("hello.1.golden", include_str!("../starter/hello.1.golden")),
    ("hello.2.golden", include_str!("../starter/hello.2.golden")),
];
/// The depth of the search for existing tools: a source and its toolsets.
pub(crate) const MAX_DEPTH: usize = 2;

/// Creates the configuration file of `project` unless it exists, or another file says where
/// the tools come from. With `packages`, it names `node_modules`, too.
fn configuration(project: &Path, survey: &Survey, packages: bool) -> Result<Step, Box<Diagnostic>> {
    let file = PathBuf::from(CONFIGURATION);
    let path = project.join(&file);
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(occupied(&file, "file")),
        Err(error) if is_not_found(&error) && !path.is_symlink() => {
            if let Some(other) = &survey.configured_in {
                return Ok(Step::Keep(other.clone()));
            }
            let text = include_str!("../starter/cogtoolrc.yaml");
            let folder = survey.folder.as_deref().unwrap_or(Path::new(FOLDER));
            let own = format!("./{}", folder.display());
            let mut text = text.replace("./tools", &own);
            if packages {
                text.push_str("  - node_modules\n");
            }
            Ok(create(project, file, &text, false))
        }
        Err(error) => Err(unreadable(&file, &error)),
        Ok(_) => Ok(Step::Keep(file)),
    }
}

/// The steps that make `project` a project with a tool, and what prevents them.
pub(crate) fn steps(
    project: &Path,
    survey: &Survey,
    packages: bool,
) -> (Vec<Step>, Vec<Diagnostic>) {
    let (mut steps, mut diagnostics) = (Vec::new(), Vec::new());
    let configuration = configuration(project, survey, packages);
    let example = survey.folder.as_ref();
    let example = example.map(|folder| example_steps(project, folder));
    for created in std::iter::once(configuration.map(|step| vec![step])).chain(example) {
        match created {
            Ok(created) => steps.extend(created),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    (steps, diagnostics)
}

/// Creates the example tool and its golden files in `folder` unless it already has tools.
fn example_steps(project: &Path, folder: &Path) -> Result<Vec<Step>, Box<Diagnostic>> {
    let file = folder.join(EXAMPLE);
    let path = project.join(folder);
    match fs::metadata(&path) {
        Err(error) if is_not_found(&error) && !path.is_symlink() => {}
        Err(error) => return Err(unreadable(folder, &error)),
        Ok(metadata) if !metadata.is_dir() => return Err(occupied(folder, "folder")),
        Ok(_) if project.join(&file).is_file() => return Ok(vec![Step::Keep(file)]),
        Ok(_) if !yaml_files(&path, MAX_DEPTH).is_empty() => {
            return Ok(vec![Step::Keep(folder.to_path_buf())]);
        }
        // An unreadable toolset is not an error of `init`.
        Ok(_) => drop(fs::read_dir(&path).map_err(|error| unreadable(folder, &error))?),
    }
    let tool = include_str!("../starter/hello.yaml");
    let golden = GOLDEN.map(|(name, text)| create(project, folder.join(name), text, false));
    Ok(std::iter::once(create(project, file, tool, true))
        .chain(golden)
        .collect())
}

/// Returns true if `file` is the example.
pub(crate) fn is_example(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == EXAMPLE)
}

/// The error that a file of another type than `wanted` is in the place of `file`.
fn occupied(file: &Path, wanted: &str) -> Box<Diagnostic> {
    obstacle(Code::InvalidConfig, format!("is not a {wanted}"), file)
}

fn unreadable(file: &Path, error: &io::Error) -> Box<Diagnostic> {
    obstacle(Code::IoFailed, format!("cannot be read: {error}"), file)
}

fn obstacle(code: Code, message: String, file: &Path) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(code, message).with_subject(file.display().to_string());
    Box::new(diagnostic.hint("fix it or move it away, then run this again"))
}

fn create(project: &Path, file: PathBuf, text: &str, executable: bool) -> Step {
    Step::Write(Change {
        executable,
        ..Change::new(project, file, None, text.to_owned())
    })
}

fn is_not_found(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
