//! The limits of resources, which only ever become lower.

use std::io;

use cogtools_sandbox::limits::Resource;

use crate::options::Options;

/// Sets the limits of `options` for this process and all that it starts. Nothing writes a core
/// file, which would have a copy of its memory.
pub(crate) fn set(options: &Options) -> io::Result<()> {
    lower(Resource::Core, Some(0))?;
    // Not the address space: Node.js, Go and Java reserve much more than they use.
    lower(Resource::Data, options.memory)?;
    lower(Resource::Fsize, options.file_size)?;
    lower(Resource::Nofile, options.files)?;
    // The system counts all processes of the user.
    let most = |processes| tasks().map(|tasks| tasks.saturating_add(processes));
    lower(Resource::Nproc, options.processes.and_then(most))
}

/// Lowers a limit, if there is one.
fn lower(resource: Resource, limit: Option<u64>) -> io::Result<()> {
    let lowered = limit.map(|limit| cogtools_sandbox::limits::lower(resource, limit));
    lowered.transpose().map_err(io::Error::from).map(drop)
}

/// How many processes and threads exist, of all users: at least those of this one. Unknown on
/// systems other than Linux.
fn tasks() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    // `0.20 0.18 0.12 1/80 11206`
    let (_, tasks) = text.split(' ').nth(3)?.split_once('/')?;
    tasks.parse().ok()
}
