//! Namespaces. Files that a program may not read are not there, those that it may not write are
//! read-only, and queues, the name of the host and processes are its own.
//!
//! This wall stands around the one of Landlock, which does not stop changes of modes and times, shows
//! the names of all files, and cannot exempt a file from what is permitted around it. A user who is
//! not root needs a namespace of users, which many systems forbid: what cannot be built here is found
//! out by a process that builds all of it and does nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount as mount_new, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::{getgid, getuid, pivot_root};

use super::Namespaces;
use crate::options::{Policy, SYSTEM};

/// Settings of a process are files in it, which others cannot reach by it.
const PROC: &str = "/proc";
/// Takes the place of a file that is denied: even root cannot open a device on a mount without them.
const DEVICE: &str = "/dev/null";
/// The former root, while the new one is filled.
const OLD: &str = "/.old";
/// Variables that name folders, perhaps by links.
const VARIABLES: [&str; 4] = ["HOME", "PATH", "PWD", "TMPDIR"];
/// Links of every system to what a process has open.
const STREAMS: [(&str, &str); 4] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];
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

/// Paths without links, each with its device and its number there.
type Shown = BTreeMap<PathBuf, (u64, u64)>;

/// The device and the number of the file or folder at `path`, if no link is on the way.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok()?;
    let meta = File::from(file).metadata().ok()?;
    Some((meta.dev(), meta.ino()))
}

/// Puts this process into `spaces`; unless it is root, in a namespace of users.
///
/// # Errors
///
/// The system forbids it.
pub(crate) fn enter_spaces(spaces: CloneFlags) -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    if user.is_root() {
        return Ok(unshare(spaces)?);
    }
    unshare(spaces | CloneFlags::CLONE_NEWUSER)?;
    let (user, group) = (user.as_raw(), group.as_raw());
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Puts this process into namespaces of its own, in which `policy` holds for files. Those that
/// `line`, a command line, names by links have these names.
///
/// # Errors
///
/// The system forbids it. The process may have a part of it then.
pub(crate) fn enter(policy: &Policy, line: &[OsString]) -> io::Result<()> {
    // None for the network, which takes several milliseconds to make: without it there are no
    // sockets.
    let spaces = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS;
    let folder = std::env::current_dir()?;
    if policy.namespaces == Namespaces::All {
        // In the namespace of users of the process outside.
        unshare(spaces)?;
    } else {
        enter_spaces(spaces)?;
    }
    // What the system mounts or releases later is seen here, but nothing of here elsewhere.
    mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )?;
    let all = policy.read.iter().chain(&policy.write);
    let known = |path: &PathBuf| Some((path.clone(), identity(path)?));
    let shown: Shown = all.filter_map(known).collect();
    if shown.is_empty() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // Nothing is hidden from a program that may read everything.
    if !shown.contains_key(Path::new("/")) {
        hide_all_but(&shown, &links(&shown, line), &folder)?;
    }
    for path in policy.write.iter().filter(|path| path.exists()) {
        mount_bind_recursive(path, path)?;
    }
    // A link that has taken the place of a path leads elsewhere.
    for (path, identity) in &shown {
        let meta = fs::metadata(path)?;
        if (meta.dev(), meta.ino()) != *identity {
            return Err(io::Error::other(format!(
                "`{}` has changed",
                path.display()
            )));
        }
    }
    if policy.namespaces == Namespaces::All {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount_new("proc", PROC, "proc", flags, None)?;
    }
    for path in above_kept(policy) {
        mount_bind_recursive(path, path)?;
    }
    for path in policy.keep.iter().filter(|path| path.exists()) {
        mount_bind_recursive(path, path)?;
    }
    for path in policy.deny.iter().filter(|path| path.is_file()) {
        mount_bind_recursive(DEVICE, path)?;
        mount_remount(path, MountFlags::BIND | CLOSED, "")?;
    }
    protect(policy)?;
    // The folder of this process is the one below.
    std::env::set_current_dir(folder)
}

/// Returns the folders between a path that may be written and one in it that is kept, the outermost
/// ones first. As mounts they cannot be renamed, with what is kept in them.
fn above_kept(policy: &Policy) -> BTreeSet<&Path> {
    let above = policy.keep.iter().flat_map(|path| path.ancestors().skip(1));
    let is_written = |path: &&Path| {
        let mut written = policy.write.iter();
        written.any(|it| path.starts_with(it) && path != it)
    };
    above.filter(is_written).collect()
}

/// Makes a root of its own with the paths `shown`, which have no links, the `links` to them, and
/// `folder`, which is empty unless it is among them.
fn hide_all_but(shown: &Shown, links: &[(PathBuf, PathBuf)], folder: &Path) -> io::Result<()> {
    // On a folder that every system has, and that is there again in the new root.
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount_new("tmpfs", PROC, "tmpfs", flags, c"mode=0755")?;
    let old = format!("{PROC}{OLD}");
    fs::create_dir(&old)?;
    pivot_root(PROC, &old)?;
    std::env::set_current_dir("/")?;
    let is_below = |path: &Path| {
        path.ancestors()
            .skip(1)
            .any(|above| shown.contains_key(above))
    };
    for path in shown.keys().filter(|path| !is_below(path)) {
        let source = Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path));
        let Ok(meta) = source.symlink_metadata() else {
            continue;
        };
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        if meta.is_dir() {
            fs::create_dir_all(path)?;
        } else {
            File::create(path)?;
        }
        mount_bind_recursive(source, path)?;
    }
    if !is_below(folder) && !shown.contains_key(folder) {
        fs::create_dir_all(folder)?;
    }
    for (path, target) in links {
        if target.as_os_str().is_empty() {
            let _ = fs::create_dir_all(path);
            continue;
        }
        // It is there if its folder is shown. Without it, one name of a file is missing.
        if path.symlink_metadata().is_err() {
            let folder = fs::create_dir_all(path.parent().unwrap_or(path));
            let _ = folder.and_then(|()| symlink(target, path));
        }
    }
    for (path, target) in STREAMS {
        symlink(target, path)?;
    }
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)
}

/// Finds the links that lead to paths in `shown`, in the root and by the names that a program gets:
/// each with its place, a path without other links, and where it leads.
fn links(shown: &Shown, line: &[OsString]) -> Vec<(PathBuf, PathBuf)> {
    let roots = fs::read_dir("/").into_iter().flatten().flatten();
    let variables = VARIABLES.iter().filter_map(std::env::var_os);
    let variables: Vec<PathBuf> = variables
        .flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
        .collect();
    let arguments = line.iter().map(PathBuf::from);
    let system = SYSTEM.iter().map(PathBuf::from);
    let names = roots.map(|entry| entry.path()).chain(system);
    let names = names.chain(variables).chain(arguments);
    let names: BTreeSet<PathBuf> = names.filter(|name| name.is_absolute()).collect();
    let prefixes: BTreeSet<&Path> = names.iter().flat_map(|name| name.ancestors()).collect();
    let link = |path: &Path| {
        // A name with `..` goes through a folder, which must be there.
        if path.ends_with("..") {
            let through = path.parent()?.canonicalize().ok()?;
            return Some((through, PathBuf::new()));
        }
        let (folder, name): (&Path, &OsStr) = (path.parent()?, path.file_name()?);
        if !path.is_symlink() {
            return None;
        }
        let target = path.canonicalize().ok()?;
        let leads = |it: &PathBuf| it.starts_with(&target) || target.starts_with(it);
        let place = folder.canonicalize().ok()?.join(name);
        shown.keys().any(leads).then_some((place, target))
    };
    prefixes.into_iter().filter_map(link).collect()
}

/// Makes all mounts read-only except those that `policy` permits to write and does not keep.
fn protect(policy: &Policy) -> io::Result<()> {
    let is_kept = |path: &Path| policy.keep.iter().any(|it| path.starts_with(it));
    let is_writable = |path: &Path| {
        path.starts_with(PROC)
            || (!is_kept(path) && policy.write.iter().any(|it| path.starts_with(it)))
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
    Ok(())
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
