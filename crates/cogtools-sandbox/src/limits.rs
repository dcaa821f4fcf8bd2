//! Limits of resources, which only ever become lower.

use rustix::io::Errno;
pub use rustix::process::Resource;
use rustix::process::{Rlimit, getrlimit, setrlimit};

/// Lowers the limit of `resource` to `limit`, unless it is lower already.
pub fn lower(resource: Resource, limit: u64) -> Result<(), Errno> {
    let now = getrlimit(resource);
    let least = |now: Option<u64>| Some(now.map_or(limit, |now| now.min(limit)));
    let new = Rlimit {
        current: least(now.current),
        maximum: least(now.maximum),
    };
    setrlimit(resource, new)
}
