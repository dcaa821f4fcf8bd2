//! `cargo xtask editors`: the test in a real window of VS Code. It installs code-server, which takes
//! minutes and 800 MB, so it is not among the tests of each merge.

use anyhow::Result;

use crate::cargo::cargo;
use crate::needs;
use crate::process::run as run_process;

/// Installs what the window needs, and runs the test.
pub(crate) fn run() -> Result<()> {
    needs::window()?;
    let features = ["--features", "cogtools/window"];
    run_process(
        cargo()?
            .args(["test", "--workspace", "--locked", "--test", "window"])
            .args(features),
    )
}
