//! Every test that runs the installed programs: one binary, a topic a module.

use std::path::Path;

mod docs;
mod hosts;
mod njk;

/// The directory of the programs under test.
fn programs() -> &'static Path {
    let program = Path::new(env!("CARGO_BIN_EXE_cogtools-call"));
    program.parent().unwrap_or(program)
}
