//! Confines this process, and runs the program in it.

use std::fs;
use std::io;
#[cfg(not(target_os = "linux"))]
use std::process::Command;
use std::process::ExitCode;

use crate::Failure;
use crate::options::Options;
use crate::sandbox::{self, Resource};

/// Where the system lists descriptors.
const DESCRIPTORS: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};
/// Memory of the threads of a proxy.
#[cfg(target_os = "linux")]
const PROXY_MEMORY: u64 = crate::proxy::MEMORY;
#[cfg(not(target_os = "linux"))]
const PROXY_MEMORY: u64 = 0;
/// Number of descriptors that are tried where there is no such list.
const MAX_UNLISTED: i32 = 4096;

/// Runs the program of `options` within its limits.
#[cfg(target_os = "linux")]
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    use std::iter;
    use std::os::unix::process::CommandExt as _;

    use rustix::io::Errno;
    use rustix::process::{DumpableBehavior, Pid, set_dumpable_behavior};

    use crate::options::Policy;
    use crate::outside::{self, Side};
    use crate::proxy::Proxy;
    use crate::sandbox::{Namespaces, namespaces, network};
    use crate::supervisor::{self, READY, Signals, Supervisor};
    use crate::trace::Trace;
    use crate::usage::Budget;

    close_inherited();
    let failed = |what| move |error: io::Error| Failure::Confine(what, error);
    // Before its folder cannot be reached.
    let trace = options.trace.as_ref().map(fs::File::create_new).transpose();
    let trace = trace.map_err(failed("the file of `--trace` cannot be made"))?;
    let parent = match outside::divide(options)? {
        Side::Inside(parent) => parent,
        Side::Outside(code) => return Ok(code),
    };
    let refused = |what| move |error: Errno| Failure::Confine(what, error.into());
    rustix::process::setsid().map_err(refused("no session can be made"))?;
    supervisor::adopt().map_err(failed("processes cannot be adopted"))?;
    let policy = options.policy.clone().map(Policy::with_system);
    let policy = policy.as_ref();
    // A process whose memory is protected cannot say who it is there.
    if let Some(policy) = policy.filter(|policy| policy.namespaces != Namespaces::None) {
        let line = iter::once(&options.program).chain(&options.args).cloned();
        let line: Vec<_> = line.collect();
        namespaces::enter(policy, &line).map_err(failed("namespaces cannot be entered"))?;
    }
    let mut command = options.command();
    let hosts = policy.map(|policy| &policy.hosts).into_iter();
    for hosts in hosts.filter(|hosts| !hosts.is_empty()) {
        let proxy = Proxy::start(hosts).map_err(failed("the proxy cannot be started"))?;
        // By its kind: by its number it would be an error of the program.
        let listener = network::enter().map_err(|error| io::Error::other(error.kind().to_string()));
        let listener = listener.map_err(failed("a network of its own cannot be made"))?;
        let listening = proxy.listen(listener, &mut command);
        listening.map_err(failed("the proxy cannot be started"))?;
    }
    // The program runs as the same user, who could otherwise read this process's memory. A sandbox
    // around this one permits that to nobody, and denies it with this error: its own limits hold.
    match set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        Err(Errno::ACCESS) => {}
        protected => protected.map_err(refused("memory cannot be protected"))?,
    }
    rustix::thread::set_no_new_privs(true).map_err(refused("privileges cannot be limited"))?;
    set_limits(options).map_err(failed("limits cannot be set"))?;
    let signals = Signals::handle().map_err(failed("signals cannot be handled"))?;
    parent.report(READY);
    if let Some(policy) = policy {
        sandbox::enter(policy)?;
    }
    // Its own group, so that a signal to all of it does not end this process.
    command.process_group(0);
    let started = match trace {
        Some(file) => Trace::spawn(&mut command, file),
        None => command.spawn().map(|child| (Pid::from_child(&child), None)),
    };
    let (program, trace) =
        started.map_err(|error| Failure::Start(options.program.clone(), error))?;
    release_streams().map_err(failed("streams cannot be released"))?;
    let budget = Budget::new(options);
    Ok(Supervisor::new(program, signals, parent, budget, trace).run())
}

/// Becomes the program of `options`, within its limits.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt as _;

    close_inherited();
    // The leader of a group cannot begin a session, but has no other process in it.
    let _ = rustix::process::setsid();
    set_limits(options).map_err(|error| Failure::Confine("limits cannot be set", error))?;
    let error = match &options.policy {
        Some(policy) if policy.required => return Err(Failure::Unenforced),
        Some(policy) if cfg!(target_os = "macos") => Command::new("/usr/bin/sandbox-exec")
            .arg("-p")
            .arg(sandbox::profile(policy))
            .arg(&options.program)
            .args(&options.args)
            .exec(),
        _ => options.command().exec(),
    };
    Err(Failure::Start(options.program.clone(), error))
}

/// Sets the limits of `options` for this process and all that it starts. Nothing writes a core
/// file, which would have a copy of its memory.
fn set_limits(options: &Options) -> io::Result<()> {
    // The program is started in the memory of this process, which has the proxy's threads. The memory
    // of all its processes is measured without them.
    let policy = options.policy.as_ref();
    let has_proxy = policy.is_some_and(|policy| !policy.hosts.is_empty());
    let proxy = if has_proxy { PROXY_MEMORY } else { 0 };
    let memory = options.memory.map(|memory| memory.saturating_add(proxy));
    // The system counts all processes of the user.
    let most = |processes| tasks().map(|tasks| tasks.saturating_add(processes));
    for (resource, limit) in [
        (Resource::Core, Some(0)),
        // Not the address space: Node.js, Go and Java reserve much more than they use.
        (Resource::Data, memory),
        (Resource::Fsize, options.file_size),
        (Resource::Nofile, options.files),
        (Resource::Nproc, options.processes.and_then(most)),
    ] {
        if let Some(limit) = limit {
            sandbox::lower_limit(resource, limit)?;
        }
    }
    Ok(())
}

/// Counts the processes and threads of all users, with the ones of this user. Unknown on
/// systems other than Linux.
fn tasks() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    // `0.20 0.18 0.12 1/80 11206`
    let (_, tasks) = text.split(' ').nth(3)?.split_once('/')?;
    tasks.parse().ok()
}

/// Closes every descriptor but the standard streams. Must be called before this process opens any
/// of its own.
fn close_inherited() {
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let listed = fs::read_dir(DESCRIPTORS).map(|entries| entries.filter_map(name).collect());
    for descriptor in listed.unwrap_or_else(|_| (0..MAX_UNLISTED).collect::<Vec<i32>>()) {
        if descriptor > 2 {
            // The list's own descriptor is closed already.
            let _ = nix::unistd::close(descriptor);
        }
    }
}

/// Releases the standard streams, so that their other ends see when the program closes them.
#[cfg(target_os = "linux")]
pub(crate) fn release_streams() -> io::Result<()> {
    // Nothing is written to them any more.
    let null = fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(rustix::stdio::dup2_stderr(&null)?)
}
