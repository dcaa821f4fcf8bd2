//! The files by which editors make their sockets known, for terminals that were opened before the
//! editor could set a variable.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Place;
use crate::answer;
use crate::failure::Failure;
use crate::file;

/// An editor that has made itself known.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) file: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) name: String,
    pub(crate) pid: u32,
    /// How deep the folder is that contains the directory.
    pub(crate) depth: usize,
}

/// A discovery file.
#[derive(Deserialize)]
struct Discovery {
    socket: PathBuf,
    #[serde(default)]
    folders: Vec<PathBuf>,
    #[serde(default)]
    name: String,
}

/// The largest file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// The most files that are read of one folder.
const MAX_FILES: usize = 64;

/// The folders in which editors make themselves known.
pub(crate) fn folders(place: &Place) -> Vec<PathBuf> {
    let runtime = place.variables.path("XDG_RUNTIME_DIR");
    let temporary = place.variables.path("TMPDIR");
    let temporary = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    let user = file::user();
    let mut folders: Vec<PathBuf> = runtime
        .map(|folder| folder.join("cogtools"))
        .into_iter()
        .collect();
    folders.push(PathBuf::from("/run/user").join(&user).join("cogtools"));
    folders.push(temporary.join(format!("cogtools-{user}")));
    folders.dedup();
    folders
        .into_iter()
        .map(|folder| folder.join("editor"))
        .collect()
}

/// The editors of which a folder contains the directory, the deepest folder first, and why others
/// cannot be asked, each with its file.
pub(crate) fn known(place: &Place) -> (Vec<Known>, Vec<(PathBuf, Failure)>) {
    let mut known: Vec<Known> = Vec::new();
    let mut failures = Vec::new();
    for folder in folders(place) {
        for (pid, path) in files(&folder, &mut failures) {
            match read(&path, pid, place) {
                Ok(editor) if known.iter().any(|other| other.socket == editor.socket) => {}
                Ok(editor) => known.push(editor),
                Err(failure) => failures.push((path, failure)),
            }
        }
    }
    known.sort_by(|one, other| (other.depth, one.pid).cmp(&(one.depth, other.pid)));
    (known, failures)
}

/// The files `PID.json` of a folder, by number.
fn files(folder: &Path, failures: &mut Vec<(PathBuf, Failure)>) -> Vec<(u32, PathBuf)> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    // What others can write in says nothing about the user's editors.
    let parent = folder.parent().unwrap_or(folder);
    if let Err(failure) = file::check_folder(parent).and_then(|()| file::check_folder(folder)) {
        failures.push((folder.to_path_buf(), failure));
        return Vec::new();
    }
    let mut files: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
            Some((stem.parse().ok()?, path))
        })
        .collect();
    files.sort();
    // Those of processes that have ended must not displace the others.
    files.retain(|(pid, path)| {
        let alive = file::is_alive(*pid);
        if !alive && failures.len() < MAX_FILES {
            failures.push((path.clone(), Failure::Ended(*pid)));
        }
        alive
    });
    files.truncate(MAX_FILES);
    files
}

/// The editor that has written the file at `path`.
fn read(path: &Path, pid: u32, place: &Place) -> Result<Known, Failure> {
    let bytes = file::read_private(path, MAX_FILE_BYTES)?;
    let discovery: Discovery =
        serde_json::from_slice(&bytes).map_err(|error| Failure::Discovery {
            file: path.to_path_buf(),
            reason: error.to_string(),
        })?;
    if !discovery.socket.is_absolute() {
        return Err(Failure::Discovery {
            file: path.to_path_buf(),
            reason: "`socket` is not absolute".to_owned(),
        });
    }
    let depth = place.depth_in(&discovery.folders);
    let depth = depth.ok_or_else(|| Failure::Elsewhere(place.directory.clone()))?;
    Ok(Known {
        file: path.to_path_buf(),
        socket: discovery.socket,
        name: answer::name(&discovery.name),
        pid,
        depth,
    })
}
