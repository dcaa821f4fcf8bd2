//! The children of this process: the program, and every process that has lost its own parent.

use std::fs;

use nix::unistd::{self, getpgid, getpgrp};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

/// Kills all of them. Their children become children of this process, so this must be repeated
/// until there are none.
pub(crate) fn kill_all() {
    let own = getpgrp();
    for child in all() {
        // The system signals a group at once, so that nothing in it can be faster.
        let id = unistd::Pid::from_raw(child.as_raw_nonzero().get());
        let group = getpgid(Some(id)).ok().filter(|group| *group != own);
        // It is 0 if the group began outside a container that the child is in.
        let group = group.and_then(|group| Pid::from_raw(group.as_raw()));
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = kill_process(child, Signal::KILL);
    }
}

fn all() -> Vec<Pid> {
    let path = format!("/proc/self/task/{}/children", getpid().as_raw_nonzero());
    match fs::read_to_string(path) {
        Ok(text) => text.split(' ').filter_map(pid).collect(),
        // Not every kernel has that list.
        Err(_) => search(),
    }
}

/// Searches all processes for children of this one.
fn search() -> Vec<Pid> {
    let own = getpid();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| pid(entry.file_name().to_str()?));
    processes.filter(|pid| parent(*pid) == Some(own)).collect()
}

fn parent(process: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // `11206 (name of any (kind)) S 1 …`
    let (_, rest) = stat.rsplit_once(") ")?;
    pid(rest.split(' ').nth(1)?)
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
