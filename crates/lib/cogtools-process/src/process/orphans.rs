//! Processes that have lost their parent, and are children of this process now.
//!
//! `cogtools-confine` ends what a program leaves behind. Should the program kill it first, what
//! is left becomes ours.

use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use nix::unistd;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group,
    set_child_subreaper, set_dumpable_behavior, waitpid,
};

/// The running instances of `cogtools-confine`: children that are none of these.
static CONFINED: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// Maximum time of the search for orphans: each search kills the parents of the next.
const MAX_SEARCH: Duration = Duration::from_secs(2);
/// Time that a killed process has to exit before the next search.
const SEARCH_INTERVAL: Duration = Duration::from_millis(1);

/// Makes this process the parent of orphans.
pub(super) fn adopt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without that, the programs run all the same.
        let _ = set_child_subreaper(Some(getpid()));
    });
}

/// Makes the memory and the variables of this process unreadable to what it starts: only a
/// debugger, or a core file, would need them.
pub(super) fn hide() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    });
}

/// Starts a confined program by `start`, whose process is not an orphan.
pub(super) fn register<E>(start: impl FnOnce() -> io::Result<(Pid, E)>) -> io::Result<E> {
    // Held while it starts, so that nothing takes the new process for an orphan.
    let mut confined = CONFINED.lock().unwrap_or_else(PoisonError::into_inner);
    let (pid, started) = start()?;
    confined.push(pid);
    Ok(started)
}

/// Forgets a process that has been waited for.
pub(super) fn forget(pid: Pid) {
    let mut confined = CONFINED.lock().unwrap_or_else(PoisonError::into_inner);
    confined.retain(|other| *other != pid);
}

/// Kills all orphans.
pub(super) fn kill() {
    let confined = CONFINED.lock().unwrap_or_else(PoisonError::into_inner);
    let end = Instant::now() + MAX_SEARCH;
    while Instant::now() < end {
        let mut orphans = children();
        // Other children are in the session of this process.
        let own = session(None);
        orphans.retain(|child| !confined.contains(child) && session(Some(*child)) != own);
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            let _ = group(orphan).map(|group| kill_process_group(group, Signal::KILL));
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
        thread::sleep(SEARCH_INTERVAL);
    }
}

/// The session of `process`, or of this one. Its number is 0 if it began outside a container that
/// the process is in.
fn session(process: Option<Pid>) -> Option<unistd::Pid> {
    unistd::getsid(process.map(to_nix)).ok()
}

/// The process group of `process`, if it can be signalled.
fn group(process: Pid) -> Option<Pid> {
    let group = unistd::getpgid(Some(to_nix(process))).ok()?;
    Pid::from_raw(group.as_raw())
}

fn to_nix(process: Pid) -> unistd::Pid {
    unistd::Pid::from_raw(process.as_raw_nonzero().get())
}

fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task");
    let threads = threads.into_iter().flatten().flatten();
    let texts =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = texts.flat_map(|text| {
        let pids = text
            .split_ascii_whitespace()
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        pids.collect::<Vec<_>>()
    });
    pids.collect()
}
