//! The real hosts, run with the programs of the directory in `COGTOOLS_PROGRAMS`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[path = "../../../tests/hosts/mod.rs"]
mod hosts;

/// The directory of the programs under test.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        std::env::var_os("COGTOOLS_PROGRAMS")
            .expect("COGTOOLS_PROGRAMS names no directory of programs")
            .into()
    })
}
