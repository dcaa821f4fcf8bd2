//! Files, TCP ports and signals: Landlock, which leaves a process only what it names.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;

/// What a process keeps. Nothing, by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rights<'p> {
    /// The files and folders that it may read and execute, with all that is below. A path must
    /// be free of links; one that does not exist is ignored.
    pub read: &'p [PathBuf],
    /// The same for those that it may also change.
    pub write: &'p [PathBuf],
    /// Whether it may use sockets.
    pub network: bool,
}

/// The newest version whose rights for files do not concern sockets.
const FILES: ABI = ABI::V8;
/// The newest version that is known.
const NEWEST: ABI = ABI::V10;

/// Restricts the calling thread to `rights`, as far as the kernel can. Returns the version of
/// Landlock that it has; `None` if it has none, and nothing is restricted.
pub fn restrict(rights: Rights<'_>) -> Result<Option<u32>, String> {
    apply(rights).map_err(|error| error.to_string())
}

/// From which version on a file that may not be changed cannot be truncated either.
pub const TRUNCATE: u32 = 3;
/// From which version on the processes of the user outside get no signals.
pub const SIGNALS: u32 = 6;

fn apply(rights: Rights<'_>) -> Result<Option<u32>, RulesetError> {
    let version = if rights.network { FILES } else { NEWEST };
    let all = AccessFs::from_all(version);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(version))?;
    if !rights.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut created = ruleset.create()?;
    // Sockets and devices are no files that a tool makes.
    let special = AccessFs::MakeChar | AccessFs::MakeBlock;
    let write = AccessFs::from_all(FILES) & !special;
    let read = AccessFs::from_read(FILES);
    for (paths, access) in [(rights.read, read), (rights.write, write)] {
        for path in paths {
            if let Some(rule) = rule(path, access) {
                created = created.add_rule(rule)?;
            }
        }
    }
    Ok(match created.restrict_self()?.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => u32::try_from(kernel_abi.unwrap_or(effective_abi as i32)).ok(),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    })
}

/// The rule for the file or folder at `path`, if it is there.
fn rule(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<OwnedFd>> {
    let file = open_path(path).ok()?;
    let meta = fstat(&file).ok()?;
    let access = if FileType::from_raw_mode(meta.st_mode).is_dir() {
        access
    } else {
        access & AccessFs::from_file(FILES)
    };
    Some(PathBeneath::new(file, access))
}

/// Opens `path` to name it, without following a link that has taken its place.
fn open_path(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let (mode, no_links) = (Mode::empty(), ResolveFlags::NO_SYMLINKS);
    match openat2(CWD, path, flags, mode, no_links) {
        // A container may forbid the newer call.
        Err(Errno::NOSYS | Errno::PERM) => open(path, flags | OFlags::NOFOLLOW, mode),
        opened => opened,
    }
}
