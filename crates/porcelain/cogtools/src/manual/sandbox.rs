//! The section on `sandbox` of cogtools-tool(5).

use std::fmt::Write as _;

use cogtools_core::sandbox::LIMITATIONS;

/// The section, with the table of what no sandbox stops.
pub(super) fn section() -> String {
    let mut text = TEXT.to_owned();
    for one in LIMITATIONS {
        let _ = write!(text, "\n\n{}\n  {}.", one.what, one.note);
    }
    text
}

const TEXT: &str = "\
What the program of exec or script may reach: the word workspace, or a map. Nothing else is \
permitted. A tool of the project without it is not confined. One of a package always is, and if it \
has no sandbox, as with an empty map.

workspace
  It reads and writes the project, but not its secrets, and only reads .git and what is run later, \
such as makefiles, package.json, settings of editors and tools. No network.

read
  The files and folders that it may read and execute, with all that is below, as a list of paths: \
from the project's root, below the home directory (~/PATH), or absolute. By default, the project. Files of the project with secrets, such as .env, are left out unless they are named themselves. \
In any case it may read the system, its own folder or package, the folders on PATH with the \
libraries beside them, and what version managers install in the home directory.

write
  The same for what it may also change. By default, nothing but a temporary folder of its own, \
which TMPDIR names and which is removed after the call. A folder of the project that does not exist \
is made.

net
  The network: true, which permits other sockets as well, false (the default), or a list of hosts, \
each HOST or *.HOST, with :PORT unless that is 80 or 443. A proxy then reaches these hosts alone. The \
program is told of it by HTTPS_PROXY and HTTP_PROXY, and must ask it. A host with a private address \
must be named without `*`. Where users have no namespaces, such a program does not run.

memory, processes, cpu
  The memory of all its processes together, such as 256 MiB, how many processes and threads may be added to \
those that exist, and the seconds of CPU time that all use together, if that is less than limits in `cogtoolrc(5)`.

A path below the root must not be a link that leaves the project; one with .. may. To the \
program, what is denied is the error EACCES or EROFS. Linux enforces it; what happens where a system cannot \
is the choice of --sandbox and of sandbox in `cogtoolrc(5)`. A program in a sandbox can still:";
