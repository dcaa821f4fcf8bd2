//! A malicious repository, and what it must not be able to do.

mod declarations;
mod dispatch;
mod dotenv;
mod folder_trust;
mod host_trust;
mod installer;
mod layers;
mod limits;
mod lock;
mod missing_lock;
mod names;
mod neutral_directory;
pub(crate) mod owners;
mod package_copies;
mod package_loads;
mod packages;
mod personal;
mod processes;
mod provider_copies;
mod provider_coverage;
mod read_links;
mod records;
mod requests;
mod review;
mod sandbox;
mod served;
mod shared_folders;
mod write_links;

/// A tool with one example.
const SAY: &str = "\
name: say
description: d
parameters: {}
implementation: said
examples:
  - {}
";

/// The text before the review of something that has a sandbox.
pub(crate) fn limitations() -> String {
    let rows = cogtools_core::sandbox::LIMITATIONS;
    let rows = rows.map(|one| format!("  {} ({})\n", one.what, one.note));
    format!("a program in a sandbox can still\n{}", rows.concat())
}
