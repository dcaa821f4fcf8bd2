//! What a crate needs: no more than it uses, and nothing that another one is for.

use std::path::Path;

use crate::layout::{files, list, metadata, none, read};
use crate::repository;

/// What writes to a file system, in the standard library and in `tempfile`.
const WRITES: [&str; 13] = [
    "fs::write(",
    "fs::rename(",
    "fs::copy(",
    "fs::hard_link(",
    "fs::create_dir",
    "fs::remove_",
    "fs::set_permissions(",
    "DirBuilder",
    "File::create",
    "File::options",
    "OpenOptions",
    "fs::symlink",
    "tempfile::",
];

/// The one place, and what else writes.
const WRITERS: [&str; 3] = [
    "crates/cogtools-core/src/file/",
    // A script is run from a new folder that only its user may enter.
    "crates/cogtools-core/src/implementation/script.rs",
    // A lock is held on a file of the user's own, which stays empty.
    "crates/cogtools-core/src/trust/record.rs",
];

#[test]
fn files_are_written_in_one_place() {
    let mut complaints = Vec::new();
    for file in files("rs") {
        let name = file.display().to_string();
        let program = name.starts_with("crates/") && name.contains("/src/");
        let tests = name.starts_with("crates/cogtools-test-support/");
        if !program || tests || WRITERS.iter().any(|writer| name.starts_with(writer)) {
            continue;
        }
        let text = read(&file);
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for write in WRITES.iter().filter(|write| text.contains(**write)) {
            let place = "`cogtools_core::file`";
            complaints.push(format!(
                "{name} has `{write}`; files are written by {place}"
            ));
        }
    }
    none(&complaints);
}

#[test]
fn what_is_asked_for_is_used() {
    let metadata = metadata();
    let sources = files("rs");
    let mut complaints = Vec::new();
    for package in list(&metadata, "packages") {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(manifest);
        let folder = folder.strip_prefix(repository()).unwrap_or(folder);
        let sources = sources.iter().filter(|file| {
            // What only tests use is only theirs.
            file.starts_with(folder.join("src"))
        });
        let text: String = sources.map(|file| read(file)).collect();
        let needed = list(package, "dependencies").filter(|other| other["kind"].is_null());
        for needed in needed {
            let name = needed["rename"].as_str().or(needed["name"].as_str());
            let name = name.unwrap_or_default();
            let path = format!("{}::", name.replace('-', "_"));
            if !text.contains(&path) {
                let folder = folder.display();
                complaints.push(format!("{folder} asks for {name} and does not use it"));
            }
        }
    }
    none(&complaints);
}
