//! Limits of resources, for the case that those of the engine do not hold.

use std::time::Duration;

use cogtools_core::javascript::Script;
use cogtools_sandbox::limits::{Resource, lower as set};
use rustix::io::Errno;

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
