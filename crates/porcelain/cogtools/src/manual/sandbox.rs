//! The section on `sandbox` of cogtools-tool(5).

use std::fmt::Write as _;

use cogtools_core::config::options::SandboxKeys;
use cogtools_core::sandbox::LIMITATIONS;

/// The section, with the table of what no sandbox stops.
pub(super) fn section() -> String {
    let keys = super::keys_of::<SandboxKeys>();
    let mut text = format!("{HEAD}\n\n{keys}\n\n{TAIL}");
    for one in LIMITATIONS {
        let _ = write!(text, "\n\n{}\n  {}.", one.what, one.note);
    }
    text
}

const HEAD: &str = "\
What the program of exec or script may reach: the word workspace, or a map. Nothing else is \
permitted. A tool of the project without it is not confined. One of a package always is, and if it \
has no sandbox, as with an empty map.

workspace
  It reads and writes the project, but not its secrets, and only reads .git and what is run later, \
such as makefiles, package.json, settings of editors and tools. No network.";

const TAIL: &str = "\
A path below the root must not be a link that leaves the project; one with .. may. To the \
program, what is denied is the error EACCES or EROFS. Linux enforces it; what happens where a system cannot \
is the choice of --sandbox and of sandbox in `cogtoolrc(5)`. A program in a sandbox can still:";
