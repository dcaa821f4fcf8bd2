//! Confines this process, and runs the program in it.

use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::options::Options;
#[cfg(target_os = "linux")]
use crate::sandbox;
use crate::{descriptors, limits};

/// Runs the program of `options` within its limits.
#[cfg(target_os = "linux")]
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt as _;

    use rustix::process::{DumpableBehavior, Pid, set_dumpable_behavior};

    use crate::signals::Signals;
    use crate::supervisor::{self, Parent, Supervisor};

    descriptors::close_inherited();
    let parent = Parent::new(options.parent)?;
    if nix::unistd::getpid() == nix::unistd::getpgrp() {
        return again(options);
    }
    let failed = |what| move |error: rustix::io::Errno| Failure::Confine(what, error.into());
    rustix::process::setsid().map_err(failed("no session can be made"))?;
    supervisor::adopt().map_err(|error| Failure::Confine("processes cannot be adopted", error))?;
    // The program runs as the same user, who could otherwise read this process's memory.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(failed("memory cannot be protected"))?;
    rustix::thread::set_no_new_privs(true).map_err(failed("privileges cannot be limited"))?;
    limits::set(options).map_err(|error| Failure::Confine("limits cannot be set", error))?;
    let signals =
        Signals::handle().map_err(|error| Failure::Confine("signals cannot be handled", error))?;
    if let Some(policy) = &options.policy {
        sandbox::enter(policy)?;
    }
    // Its own group, so that a signal to all of it does not end this process.
    let child = command(options)
        .process_group(0)
        .spawn()
        .map_err(|error| Failure::Start(options.program.clone(), error))?;
    let program = Pid::from_child(&child);
    descriptors::release_streams()
        .map_err(|error| Failure::Confine("streams cannot be released", error))?;
    Ok(Supervisor::new(program, signals, parent).run())
}

/// Starts this program again, because the leader of a group cannot begin a session.
#[cfg(target_os = "linux")]
fn again(options: &Options) -> Result<ExitCode, Failure> {
    use std::os::unix::process::ExitStatusExt as _;

    let failed = |error| Failure::Confine("this program cannot be started again", error);
    let status = Command::new(std::env::current_exe().map_err(failed)?)
        .args(options.to_args(std::process::id()))
        .arg("--")
        .arg(&options.program)
        .args(&options.args)
        .status()
        .map_err(failed)?;
    if let Some(signal) = status.signal() {
        // Returns only if that is not possible.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(255)))
}

/// Becomes the program of `options`, within its limits.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt as _;

    descriptors::close_inherited();
    // The leader of a group cannot begin a session, but has no other process in it.
    let _ = rustix::process::setsid();
    limits::set(options).map_err(|error| Failure::Confine("limits cannot be set", error))?;
    let error = match &options.policy {
        Some(policy) if policy.required => return Err(Failure::Unenforced),
        Some(policy) if cfg!(target_os = "macos") => Command::new("/usr/bin/sandbox-exec")
            .arg("-p")
            .arg(crate::profile::profile(policy))
            .arg(&options.program)
            .args(&options.args)
            .exec(),
        _ => command(options).exec(),
    };
    Err(Failure::Start(options.program.clone(), error))
}

fn command(options: &Options) -> Command {
    let mut command = Command::new(&options.program);
    command.args(&options.args);
    command
}
