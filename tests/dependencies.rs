//! What a crate needs: no more than it uses, and nothing that another one is for.

use crate::layout::{members, metadata, none};

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
