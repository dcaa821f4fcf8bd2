//! How many sockets the process may have.

/// The part of the open files that connections may be: answers need files, too.
const PART: usize = 2;
/// What even the smallest limit leaves.
const MIN_CONNECTIONS: usize = 4;

/// How many connections there is room for, at most `max`: a connection that is accepted and
/// cannot be served shuts out those that could be.
pub(super) fn connections(max: usize) -> usize {
    let room = open_files().map_or(max, |files| (files / PART).max(MIN_CONNECTIONS));
    max.min(room)
}

/// The limit of open files, if there is one.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.and_then(|files| usize::try_from(files).ok())
}

/// The limit of open files, if there is one.
#[cfg(not(unix))]
const fn open_files() -> Option<usize> {
    None
}
