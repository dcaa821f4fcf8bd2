//! Runs the program in a job of Windows, which ends all that the program has started.
//!
//! A job does not protect files or the network, and its limits have no safe interface: nothing
//! else is enforced there, which `--check` reports. This was tried under Wine, not on Windows.

use std::process::ExitCode;

use win32job::{ExtendedLimitInfo, Job};

use crate::Failure;
use crate::options::Options;

/// Runs the program of `options`, and ends what it leaves behind.
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let policy = options.policy.as_ref();
    if policy.is_some_and(|policy| policy.required) {
        return Err(Failure::Unenforced);
    }
    let failed = |error| Failure::Confine("no job can be made", std::io::Error::other(error));
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(failed)?;
    // What this process starts is in its job.
    job.assign_current_process().map_err(failed)?;
    // The system closes it when this process ends, however it does. Closed earlier, it would end
    // this process.
    let _ = job.into_handle();
    let status = options
        .command()
        .status()
        .map_err(|error| Failure::Start(options.program.clone(), error))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(255)))
}
