//! Limits of resources, for the case that those of the engine do not hold.

use std::time::Duration;

use cogtools_core::javascript::Script;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The address space: the engine's memory, the request and its copies, the result, the program.
const ADDRESS_SPACE: u64 = 4 * Script::MEMORY as u64;
/// How many seconds of processor time there are in addition to the timeout. The parent kills
/// this process earlier, unless it was killed itself.
const EXTRA_SECONDS: u64 = 2;

/// Lowers the limits of this process, which may run for `timeout`.
pub(super) fn lower(timeout: Duration) -> Result<(), Errno> {
    // A copy of its memory would have the arguments.
    set(Resource::Core, 0)?;
    set(Resource::Nproc, 0)?;
    // The standard streams are open already.
    set(Resource::Nofile, 0)?;
    set(Resource::As, ADDRESS_SPACE)?;
    set(
        Resource::Cpu,
        timeout.as_secs().saturating_add(EXTRA_SECONDS),
    )
}

/// Sets a limit, unless it is lower already.
fn set(resource: Resource, limit: u64) -> Result<(), Errno> {
    let now = getrlimit(resource);
    let least = |now: Option<u64>| Some(now.map_or(limit, |now| now.min(limit)));
    let new = Rlimit {
        current: least(now.current),
        maximum: least(now.maximum),
    };
    setrlimit(resource, new)
}
