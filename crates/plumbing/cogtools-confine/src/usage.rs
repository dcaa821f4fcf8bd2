//! Resources that all descendants of this process use together.
//!
//! The system limits each process alone, private memory only, and not the processes of root.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, getpid};

use crate::options::Options;

/// Limits of all descendants together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    /// Bytes of memory.
    memory: Option<u64>,
    /// Processes and threads.
    tasks: Option<u64>,
    /// Time of processors.
    cpu: Option<Duration>,
}

/// Least time between two looks, and the most.
const INTERVAL: Duration = Duration::from_millis(10);
const MAX_INTERVAL: Duration = Duration::from_millis(200);
/// Share of the time that looking takes.
const SHARE: u32 = 50;
/// More processes than any limit, so that a look ends.
const MAX_PROCESSES: usize = 16 << 10;
/// Bytes of a block, as files count them.
const BLOCK: u64 = 512;

impl Budget {
    /// The budget of `options`. The system's own limit of processes counts all of the user, and none of
    /// root.
    pub(crate) fn new(options: &Options) -> Self {
        let limit = |limit: Option<u64>| limit.filter(|limit| *limit < u64::MAX);
        Self {
            memory: limit(options.memory),
            tasks: limit(options.processes),
            cpu: limit(options.cpu).map(Duration::from_secs),
        }
    }

    /// Returns true if the descendants exceed it, and the time after which to look again: `None`
    /// if there is nothing to look at.
    pub(crate) fn check(&self) -> (bool, Option<Duration>) {
        if self.memory.is_none() && self.tasks.is_none() && self.cpu.is_none() {
            return (false, None);
        }
        let begin = Instant::now();
        let processes = descendants();
        let is_over = self.memory.is_some_and(|limit| exceeds(&processes, limit))
            || self.tasks.is_some_and(|limit| tasks(&processes) > limit)
            || self.cpu.is_some_and(|limit| cpu(&processes) > limit);
        let pause = begin.elapsed().saturating_mul(SHARE);
        (is_over, Some(pause.clamp(INTERVAL, MAX_INTERVAL)))
    }
}

/// All processes that this one has started, however indirectly.
fn descendants() -> Vec<Pid> {
    let mut all = children(getpid());
    let mut at = 0;
    while at < all.len() && all.len() < MAX_PROCESSES {
        let more = children(all[at]);
        all.extend(more);
        at += 1;
    }
    all
}

/// The children of `process`.
pub(crate) fn children(process: Pid) -> Vec<Pid> {
    let folder = format!("/proc/{}/task", process.as_raw_nonzero());
    let mut found = Vec::new();
    let mut is_known = false;
    for thread in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Not every kernel has that list.
        if let Ok(text) = fs::read_to_string(thread.path().join("children")) {
            is_known = true;
            found.extend(text.split(' ').filter_map(pid));
        }
    }
    if !is_known && process == getpid() {
        return search(process);
    }
    found
}

/// Searches all processes for children of `own`.
fn search(own: Pid) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| pid(entry.file_name().to_str()?));
    processes.filter(|pid| parent(*pid) == Some(own)).collect()
}

fn parent(process: Pid) -> Option<Pid> {
    pid(fields(process)?.first()?)
}

/// The fields after the state, of which `proc_pid_stat(5)` has the numbers: the first is 4.
fn fields(process: Pid) -> Option<Vec<String>> {
    let stat = read(process, "stat")?;
    // `11206 (name of any (kind)) S 1 …`
    let (_, rest) = stat.rsplit_once(") ")?;
    Some(rest.split(' ').skip(1).map(str::to_owned).collect())
}

/// The time that `processes`, and those that have ended, were run by processors.
fn cpu(processes: &[Pid]) -> Duration {
    // `utime` and `stime` are 14 and 15, those of children that were waited for 16 and 17.
    let ticks = |process: Pid, times: Range<usize>| {
        let fields = fields(process)?;
        let times = fields.get(times)?.iter();
        Some(times.filter_map(|it| it.parse::<u64>().ok()).sum::<u64>())
    };
    let living = processes
        .iter()
        .filter_map(|process| ticks(*process, 10..14));
    let ended = ticks(getpid(), 12..14);
    let ticks: u64 = living.chain(ended).sum();
    Duration::from_millis(ticks.saturating_mul(1000) / clock_ticks_per_second().max(1))
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

fn read(process: Pid, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{}/{file}", process.as_raw_nonzero())).ok()
}

/// The sum of the lines `names` of a report, in bytes.
fn sum(text: &str, names: &[&str]) -> Option<u64> {
    let kilobytes = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let value = value.trim().trim_end_matches(" kB");
        names.contains(&name).then(|| value.parse::<u64>().ok())?
    };
    let sum = text
        .lines()
        .filter_map(kilobytes)
        .reduce(u64::saturating_add);
    sum.map(|sum| sum.saturating_mul(1024))
}

/// Returns true if the memory of `processes` is more than `limit`: private, swapped, shared, and of
/// files that exist in memory only.
fn exceeds(processes: &[Pid], limit: u64) -> bool {
    let files = memory_files(processes);
    let resident = |process: &Pid| {
        let status = read(*process, "status")?;
        let private = sum(&status, &["RssAnon", "VmSwap"])?;
        Some((private, sum(&status, &["RssShmem"]).unwrap_or(0)))
    };
    // What processes share counts for each: an upper bound, which is cheap.
    let (private, shared) = total(processes, resident);
    if private.saturating_add(shared.max(files)) <= limit {
        return false;
    }
    let proportional = |process: &Pid| {
        let rollup = read(*process, "smaps_rollup")?;
        let private = sum(&rollup, &["Pss_Anon", "SwapPss"])?;
        Some((private, sum(&rollup, &["Pss_Shmem"])?))
    };
    let exact = |process: &Pid| proportional(process).or_else(|| resident(process));
    let (private, shared) = total(processes, exact);
    // A file in memory that is mapped is in both.
    private.saturating_add(shared.max(files)) > limit
}

fn total(processes: &[Pid], usage: impl Fn(&Pid) -> Option<(u64, u64)>) -> (u64, u64) {
    let all = processes.iter().filter_map(usage);
    all.fold((0, 0), |(private, shared), (more, also)| {
        (
            u64::saturating_add(private, more),
            u64::saturating_add(shared, also),
        )
    })
}

/// Bytes in the files without a folder (`memfd_create`) that `processes` have open.
fn memory_files(processes: &[Pid]) -> u64 {
    let mut sizes = BTreeMap::new();
    for process in processes {
        let folder = format!("/proc/{}/fd", process.as_raw_nonzero());
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = fs::read_link(entry.path());
            let in_memory =
                name.is_ok_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"));
            if let Some(file) = in_memory.then(|| fs::metadata(entry.path()).ok()).flatten() {
                sizes.insert((file.dev(), file.ino()), file.blocks());
            }
        }
    }
    sizes.values().sum::<u64>().saturating_mul(BLOCK)
}

/// Processes and threads.
fn tasks(processes: &[Pid]) -> u64 {
    let threads = |process: &Pid| {
        let status = read(*process, "status")?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"));
        line?.trim().parse::<u64>().ok()
    };
    processes.iter().filter_map(threads).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_report_are_added() {
        let report = "Rss:  9 kB\nPss_Anon:      12 kB\nSwapPss: 3 kB\nThreads:\t4\n";
        for (names, expected) in [
            (&["Pss_Anon", "SwapPss"][..], Some(15 << 10)),
            (&["Pss"], None),
        ] {
            assert_eq!(sum(report, names), expected, "{names:?}");
        }
    }
}
