//! What a crate needs: no more than it uses, and nothing that another one is for.

use std::path::Path;

use crate::layout::{files, list, members, metadata, none, read};
use crate::repository;

#[test]
fn files_are_written_in_one_place() {
    let metadata = metadata();
    let writes = |name: &str| {
        let below = matches!(name, "cogtools-core" | "cogtools-edit");
        below || name == "cogtools-program"
    };
    let members = members(&metadata);
    let others = members
        .iter()
        .filter(|(name, needed)| needed.contains(&"tempfile") && !writes(name));
    let complaints: Vec<String> = others
        .map(|(name, _)| format!("{name} has files written by `cogtools_program::file`"))
        .collect();
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

#[test]
fn command_lines_are_values_below_their_border() {
    let mut complaints = Vec::new();
    for file in files("rs").iter().filter(|file| in_sources(file)) {
        let text = read(file);
        let file = file.display();
        // Clap's matches are read beside the arguments that they come from.
        let builds = text.contains("Arg::new(") || text.contains(" -> Command {");
        let runs = text.contains("const PROGRAM: Program");
        if text.contains("ArgMatches") && !builds && !runs {
            complaints.push(format!("{file} reads matches of clap"));
        }
        // An option that may not be there is one that a misspelling hides.
        for method in [".try_get_one", ".try_get_many", ".try_contains_id"] {
            if text.contains(method) {
                complaints.push(format!("{file} asks for an option by `{method}`"));
            }
        }
    }
    none(&complaints);
}

fn in_sources(file: &Path) -> bool {
    file.starts_with("crates") && file.components().any(|part| part.as_os_str() == "src")
}

#[test]
fn texts_are_sanitized_in_one_place() {
    let mut complaints = Vec::new();
    for file in files("rs").iter().filter(|file| in_sources(file)) {
        let text = read(file);
        let file = file.display().to_string();
        let styles = file.starts_with("crates/cogtools-program/src/terminal");
        // A terminal is cleared where its program runs on and on.
        let clears = file == "crates/cogtools-test/src/watch.rs";
        let escapes = text.split("#[cfg(test)]").next().unwrap_or_default();
        if escapes.contains("\\u{1b}[") && !styles && !clears {
            complaints.push(format!("{file} paints by itself"));
        }
        if text.contains("\"NO_COLOR\"") && file != "crates/cogtools-program/src/io.rs" {
            complaints.push(format!("{file} decides on colour by itself"));
        }
    }
    none(&complaints);
}
