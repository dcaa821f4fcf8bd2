//! What the process that evaluates gives up before it reads the code.
//!
//! The engine has no access to anything by itself. This is for the day on which somebody finds
//! a way to make it run machine code of their own.

#[cfg(target_os = "linux")]
mod files;
#[cfg(unix)]
mod limits;
#[cfg(target_os = "linux")]
mod system_calls;

use std::time::Duration;

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(target_os = "linux")]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    use rustix::process::{Signal, set_parent_process_death_signal};

    let failed = |error: rustix::io::Errno| error.to_string();
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed)?;
    rustix::thread::set_no_new_privs(true).map_err(failed)?;
    // It opens a descriptor, which the limits do not permit.
    files::deny()?;
    limits::lower(timeout).map_err(failed)?;
    system_calls::filter()
}

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    limits::lower(timeout).map_err(|error| error.to_string())
}

/// There is nothing that this process could give up by itself.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
pub(crate) const fn enter(_: Duration) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
