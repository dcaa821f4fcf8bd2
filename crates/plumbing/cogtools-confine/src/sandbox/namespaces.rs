//! Namespaces: another view of files, in which only what may be written is writable, and no queues
//! or names of the system.
//!
//! This wall stands around the one of Landlock, which does not stop changes of modes and times, and
//! cannot exempt a file from what is permitted around it. A user who is not root needs a namespace of
//! users, which many systems forbid: what cannot be built here is found out by a process that
//! builds all of it and does nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount,
};
use rustix::process::{getgid, getuid};

use crate::options::Policy;

/// Settings of a process are files in it, which others cannot reach by it.
const PROC: &str = "/proc";
/// Takes the place of a file that is denied: even root cannot open a device on a mount without them.
const DEVICE: &str = "/dev/null";
/// Flags of the mount of a file that is denied. A user namespace cannot remove flags, so these include
/// all that a system may have set on `/dev`.
const CLOSED: MountFlags = MountFlags::RDONLY
    .union(MountFlags::NODEV)
    .union(MountFlags::NOSUID)
    .union(MountFlags::NOEXEC);
/// Flags of a mount that must stay as they are.
const FLAGS: [(&str, MountFlags); 6] = [
    ("nosuid", MountFlags::NOSUID),
    ("nodev", MountFlags::NODEV),
    ("noexec", MountFlags::NOEXEC),
    ("noatime", MountFlags::NOATIME),
    ("nodiratime", MountFlags::NODIRATIME),
    ("relatime", MountFlags::RELATIME),
];

/// Puts this process into namespaces of its own, in which `policy` holds for files.
///
/// # Errors
///
/// The system forbids it. The process may have a part of it then.
pub(crate) fn enter(policy: &Policy) -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    // None for the network, which takes several milliseconds to make: without it there are no
    // sockets.
    let mut spaces = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS;
    if !user.is_root() {
        spaces |= CloneFlags::CLONE_NEWUSER;
    }
    let folder = std::env::current_dir()?;
    unshare(spaces)?;
    if !user.is_root() {
        let (user, group) = (user.as_raw(), group.as_raw());
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    // What the system mounts or releases later is seen here, but nothing of here elsewhere.
    mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )?;
    let write: Vec<PathBuf> = policy.writable();
    let write: BTreeSet<&Path> = write.iter().map(PathBuf::as_path).collect();
    for path in write.iter().filter(|path| path.exists()) {
        mount_bind_recursive(*path, *path)?;
    }
    let is_kept = |path: &Path| policy.keep.iter().any(|it| path.starts_with(it));
    for path in policy.keep.iter().filter(|path| path.exists()) {
        mount_bind_recursive(path, path)?;
    }
    for path in policy.deny.iter().filter(|path| path.is_file()) {
        mount_bind_recursive(DEVICE, path)?;
        mount_remount(path, MountFlags::BIND | CLOSED, "")?;
    }
    let is_writable = |path: &Path| {
        path.starts_with(PROC)
            || (!is_kept(path) && write.iter().any(|it| path.starts_with(it)))
            || policy.deny.iter().any(|it| it == path)
    };
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let mut mounts: Vec<(PathBuf, MountFlags)> = mounts.lines().filter_map(mount).collect();
    mounts.retain(|(path, _)| !is_writable(path));
    for (path, flags) in mounts {
        let changed = mount_remount(&path, flags | MountFlags::BIND | MountFlags::RDONLY, "");
        // What this user cannot reach, such as another user's, stays as it is.
        if let Err(error) = changed
            && path == Path::new("/")
        {
            return Err(error.into());
        }
    }
    // The folder of this process is the one below.
    std::env::set_current_dir(folder)
}

/// The path and the flags of a mount: `36 35 98:0 /root /path rw,noatime …`, where a space in a path
/// is `\040`.
fn mount(line: &str) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let (path, options) = (fields.next()?, fields.next()?);
    let mut decoded = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octal = (*first == b'\\').then(|| after.get(..3)).flatten();
        let code = octal.and_then(|it| u8::from_str_radix(str::from_utf8(it).ok()?, 8).ok());
        decoded.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    let flags = options
        .split(',')
        .filter_map(|option| FLAGS.iter().find(|(name, _)| *name == option));
    let path = String::from_utf8(decoded).ok()?;
    Some((path.into(), flags.map(|(_, flag)| *flag).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_has_its_path_and_flags() {
        for (line, expected) in [
            (
                "36 35 98:0 / /a\\040b rw,nosuid,relatime shared:1 - ext4 /dev/sda rw",
                Some(("/a b", MountFlags::NOSUID | MountFlags::RELATIME)),
            ),
            (
                "36 35 98:0 / /c\\04 ro - ext4 x",
                Some(("/c\\04", MountFlags::empty())),
            ),
            ("36 35", None),
        ] {
            let expected = expected.map(|(path, flags)| (PathBuf::from(path), flags));
            assert_eq!(mount(line), expected, "{line}");
        }
    }
}
