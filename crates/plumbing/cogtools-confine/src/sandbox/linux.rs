//! Landlock, seccomp and capabilities.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;
use rustix::process::getpid;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::{BpfProgram, SeccompCmpArgLen, SeccompFilter, TargetArch};
pub use seccompiler::{
    SeccompAction as Action, SeccompCmpOp as Operation, SeccompCondition as Condition,
    SeccompRule as Rule,
};

use super::{Gap, Namespaces, namespaces, report};
use crate::options::Policy;
use crate::{Failure, outside};

/// Privileges that root keeps: to use files and accounts of all users, to end what it has
/// started, and to listen on ports with low numbers. With most others it would read the memory
/// of others, raise its limits or load code into the kernel.
const KEPT: [CapabilitySet; 9] = [
    CapabilitySet::CHOWN,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::FOWNER,
    CapabilitySet::FSETID,
    CapabilitySet::KILL,
    CapabilitySet::SETGID,
    CapabilitySet::SETUID,
    CapabilitySet::NET_BIND_SERVICE,
];
/// The newest version of Landlock whose rights for files do not concern sockets.
const FILES: ABI = ABI::V8;
/// The newest version of Landlock that is known.
const NEWEST: ABI = ABI::V10;
/// The version of Landlock from which on a file that may not be changed cannot be truncated.
const TRUNCATE: u32 = 3;
/// The bit of a call of the x32 interface, to which the filter of x86-64 applies as well.
const X32: i64 = 0x4000_0000;
/// Refused whatever their arguments are: the kernel's keyrings, System V's memory, queues and
/// semaphores and POSIX queues, which are shared with all processes of the user and outlive them;
/// and calls that this filter does not see.
const SHARED: [i64; 17] = [
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_io_uring_setup,
];
/// Calls that change how a process is scheduled, which is 0 for the calling one: with the values
/// of the first arguments that are permitted.
const SCHEDULING: [(i64, &[u64]); 6] = [
    (libc::SYS_sched_setaffinity, &[0]),
    (libc::SYS_sched_setattr, &[0]),
    (libc::SYS_sched_setparam, &[0]),
    (libc::SYS_sched_setscheduler, &[0]),
    // PRIO_PROCESS is 0, IOPRIO_WHO_PROCESS is 1.
    (libc::SYS_setpriority, &[0, 0]),
    (libc::SYS_ioprio_set, &[1, 0]),
];
/// Calls that signal the process of the first argument, and the index of the signal.
const SIGNALS: [(i64, u8); 5] = [
    (libc::SYS_kill, 1),
    (libc::SYS_tkill, 1),
    (libc::SYS_tgkill, 2),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
];
/// Calls that take the mode of a file, and the index of that argument.
const MODES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];
/// Calls that take a mode only if they make a file, and the index of their flags, which come
/// before it.
const OPENING: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
    (libc::SYS_openat, 2),
];
/// Not every library has its name.
const FCHMODAT2: i64 = 452;
/// The set-user-ID and the set-group-ID bit.
const SET_ID: [u64; 2] = [0o4000, 0o2000];

/// Rules of a filter by the number of the call: one of the rules matches it. A call with
/// no rules is matched whatever its arguments are.
pub type Rules = BTreeMap<i64, Vec<Rule>>;

/// Why a filter cannot be installed.
#[derive(Debug)]
pub struct FilterError(seccompiler::Error);

/// Files and sockets that a process keeps. Nothing, by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rights<'p> {
    /// The files and folders that it may read and execute, with all that is below. A path must
    /// be free of links; one that does not exist is ignored.
    pub read: &'p [PathBuf],
    /// The files and folders that it may also change.
    pub write: &'p [PathBuf],
    /// Files and folders below these that it may not use after all.
    pub deny: &'p [PathBuf],
    /// Files and folders below `write` that it may only read.
    pub keep: &'p [PathBuf],
    /// Sockets that it may make.
    pub sockets: Sockets,
}

/// Sockets that a process may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sockets {
    /// Pairs of connected ones.
    #[default]
    Pairs,
    /// Pairs, and sockets of the internet in a network of its own.
    Internet,
    /// All.
    All,
}

/// Restricts this process to `policy`: as far as possible, unless all of it is required.
pub(crate) fn enter(policy: &Policy) -> Result<(), Failure> {
    limit_privileges().map_err(|error| Failure::Confine("privileges cannot be limited", error))?;
    // What namespaces exempt need not be exempt from the rules.
    let by_rules = policy.namespaces == Namespaces::None;
    let rights = Rights {
        read: &policy.read,
        write: &policy.write,
        deny: policy.deny.get(..).filter(|_| by_rules).unwrap_or_default(),
        keep: policy.keep.get(..).filter(|_| by_rules).unwrap_or_default(),
        sockets: match (policy.network, policy.hosts.is_empty()) {
            (true, _) => Sockets::All,
            (false, true) => Sockets::Pairs,
            (false, false) => Sockets::Internet,
        },
    };
    let gaps = restrict(rights).1;
    if policy.required && !gaps.is_empty() {
        return Err(Failure::Unenforced);
    }
    Ok(())
}

/// Describes what this system cannot enforce, as JSON. Restricts this process, or another one, to
/// nothing at all.
pub(crate) fn check() -> String {
    let enter = |namespaces| {
        let policy = Policy {
            namespaces,
            ..Policy::default()
        };
        namespaces::enter(&policy.with_system(), &[]).map(|()| namespaces)
    };
    let describe = |namespaces| {
        let (landlock, gaps) = restrict(Rights::default());
        report("Linux", landlock, namespaces, &gaps)
    };
    let inside = || enter(Namespaces::All).map(describe).ok();
    outside::ask(inside).unwrap_or_else(|| describe(enter(Namespaces::Files).unwrap_or_default()))
}

/// Restricts this process to `rights`. Returns the version of Landlock, and what is not enforced.
fn restrict(rights: Rights<'_>) -> (Option<u32>, Vec<Gap>) {
    let landlock = restrict_files(rights).ok().flatten();
    let mut gaps = file_gaps(landlock);
    if refuse_calls(rights.sockets).is_err() {
        gaps.push(Gap::Network);
    }
    (landlock, gaps)
}

/// The gaps of this version of Landlock.
fn file_gaps(version: Option<u32>) -> Vec<Gap> {
    match version {
        None => vec![Gap::Files],
        Some(version) if version < TRUNCATE => vec![Gap::Truncation],
        Some(_) => Vec::new(),
    }
}

/// Gives up all privileges of root but a few. With `no_new_privs`, no program that is started
/// later has them either.
///
/// # Errors
///
/// Errors of the system.
pub fn limit_privileges() -> io::Result<()> {
    let kept: CapabilitySet = KEPT.into_iter().collect();
    let has = capabilities(None)?;
    let sets = CapabilitySets {
        effective: has.effective & kept,
        permitted: has.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    Ok(set_capabilities(None, sets)?)
}

/// Restricts the calling thread to `rights`, as far as the kernel can. Returns the version of
/// Landlock that it has; `None` if it has none, and nothing is restricted.
///
/// # Errors
///
/// The rules cannot be made.
pub fn restrict_files(rights: Rights<'_>) -> Result<Option<u32>, RulesetError> {
    let has_network = rights.sockets != Sockets::Pairs;
    let version = if has_network { FILES } else { NEWEST };
    let all = AccessFs::from_all(version);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(version))?;
    if !has_network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut created = ruleset.create()?;
    // Sockets and devices are no files that a tool makes.
    let special = AccessFs::MakeChar | AccessFs::MakeBlock;
    let write = AccessFs::from_all(FILES) & !special;
    let read = AccessFs::from_read(FILES);
    let mut paths = Vec::new();
    for path in rights.read {
        rights.divide(path, read, read, &mut paths);
    }
    for path in rights.write {
        rights.divide(path, write, read, &mut paths);
    }
    for (path, access) in paths {
        if let Some(rule) = path_rule(&path, access) {
            created = created.add_rule(rule)?;
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

impl Rights<'_> {
    /// Adds `path` with `access` to `found`; if something below it is exempt, each of its entries,
    /// since a rule holds for all that is below. Nothing new can be made in such a folder. What is
    /// kept has the access `kept`.
    fn divide(
        &self,
        path: &Path,
        access: BitFlags<AccessFs>,
        kept: BitFlags<AccessFs>,
        found: &mut Vec<(PathBuf, BitFlags<AccessFs>)>,
    ) {
        if self.deny.iter().any(|it| it == path) {
            return;
        }
        let access = if self.keep.iter().any(|it| it == path) {
            kept
        } else {
            access
        };
        let keep = self.keep.iter().filter(|_| access != kept);
        let mut exempt = self.deny.iter().chain(keep);
        if !exempt.any(|it| it.starts_with(path) && it != path) {
            found.push((path.to_path_buf(), access));
            return;
        }
        found.push((path.to_path_buf(), AccessFs::ReadDir.into()));
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            self.divide(&entry.path(), access, kept, found);
        }
    }
}

/// The rule for the file or folder at `path`, if it is there.
fn path_rule(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    // A link that has taken its place is not followed.
    let file = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // A container may forbid the newer call.
        Err(Errno::NOSYS | Errno::PERM) => open(path, flags | OFlags::NOFOLLOW, Mode::empty()),
        opened => opened,
    };
    let file = file.ok()?;
    let meta = fstat(&file).ok()?;
    let access = if FileType::from_raw_mode(meta.st_mode).is_dir() {
        access
    } else {
        access & AccessFs::from_file(FILES)
    };
    Some(PathBeneath::new(file, access))
}

/// Refuses the calls that reach other processes, this one included, or make a set-ID file, and
/// new sockets that are not among `sockets`.
fn refuse_calls(sockets: Sockets) -> Result<(), FilterError> {
    let mut rules: Rules = SHARED.iter().map(|call| (*call, Vec::new())).collect();
    for (call, permitted) in SCHEDULING {
        let other =
            |(index, value): (u8, &u64)| rule(vec![condition(index, Operation::Ne, *value)?]);
        let others: Result<_, _> = (0..).zip(permitted).map(other).collect();
        rules.insert(call, others?);
    }
    let other = condition(0, Operation::Ne, 0)?;
    let sets = Condition::new(2, SeccompCmpArgLen::Qword, Operation::Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![rule(vec![other, sets])?]);
    // A process that stops this one would be limited no more: by its number, as its group, as one of
    // all.
    let own = getpid().as_raw_nonzero().get();
    let is = |id: i32| condition(0, Operation::Eq, u64::from(id.cast_unsigned()));
    for (call, signal) in SIGNALS {
        let stop = u64::from(libc::SIGSTOP.unsigned_abs());
        let stops = |id| rule(vec![is(id)?, condition(signal, Operation::Eq, stop)?]);
        let stops = [own, -own, -1].into_iter().map(stops);
        rules.insert(call, stops.collect::<Result<_, _>>()?);
    }
    rules.insert(libc::SYS_pidfd_open, vec![rule(vec![is(own)?])?]);
    // One whose memory is protected hides what it has open.
    let dumpable = condition(
        0,
        Operation::Eq,
        u64::from(libc::PR_SET_DUMPABLE.unsigned_abs()),
    )?;
    let protected = condition(1, Operation::Eq, 0)?;
    rules.insert(libc::SYS_prctl, vec![rule(vec![dumpable, protected])?]);
    let has = |index, bits| condition(index, Operation::MaskedEq(bits), bits);
    for (call, mode) in MODES {
        let of_bit = |bit| rule(vec![has(*mode, bit)?]);
        rules.insert(
            *call,
            SET_ID.into_iter().map(of_bit).collect::<Result<_, _>>()?,
        );
    }
    for (call, flags) in OPENING {
        let call = rules.entry(*call).or_default();
        for makes in [libc::O_CREAT, libc::O_TMPFILE] {
            for bit in SET_ID {
                let makes = u64::from(makes.unsigned_abs());
                call.push(rule(vec![has(*flags, makes)?, has(flags + 1, bit)?])?);
            }
        }
    }
    if sockets != Sockets::All {
        rules.extend(socket_rules(sockets)?);
    }
    // Its flags and mode are in memory, which a filter does not see. All programs can do without.
    let unknown = Action::Errno(libc::ENOSYS.unsigned_abs());
    filter(
        with_x32([(libc::SYS_openat2, Vec::new())].into()),
        unknown,
        Action::Allow,
    )?;
    refuse(with_x32(rules))
}

/// Refuses all sockets but connected pairs and, if `sockets` has them, sockets of the internet. The
/// system's own families are refused, too: a service of the user, such as the session bus or a
/// container engine, would run programs without any of this.
fn socket_rules(sockets: Sockets) -> Result<Rules, FilterError> {
    let family = u64::from(libc::AF_UNIX.unsigned_abs());
    let kind = |kind: i32| {
        // Besides the kinds, the argument has flags.
        let kinds = Operation::MaskedEq(0xF);
        rule(vec![condition(1, kinds, u64::from(kind.unsigned_abs()))?])
    };
    let pairs = vec![
        rule(vec![condition(0, Operation::Ne, family)?])?,
        // Datagrams can be sent to any address.
        kind(libc::SOCK_DGRAM)?,
        kind(libc::SOCK_RAW)?,
    ];
    let other = |family: i32| condition(0, Operation::Ne, u64::from(family.unsigned_abs()));
    let others = match sockets {
        Sockets::Internet => vec![rule(vec![other(libc::AF_INET)?, other(libc::AF_INET6)?])?],
        _ => Vec::new(),
    };
    Ok([(libc::SYS_socket, others), (libc::SYS_socketpair, pairs)].into())
}

/// `rules`, also for the same calls of the x32 interface.
fn with_x32(mut rules: Rules) -> Rules {
    if cfg!(target_arch = "x86_64") {
        let also = rules.clone().into_iter();
        rules.extend(also.map(|(call, rules)| (call | X32, rules)));
    }
    rules
}

/// Filters the calls of this thread from now on: `matched` for those that `rules` match, `other`
/// for all others. The strictest action of all filters counts.
///
/// # Errors
///
/// The kernel has no filters, or the architecture is unknown.
pub fn filter(rules: Rules, matched: Action, other: Action) -> Result<(), FilterError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(seccompiler::Error::from)?;
    let filter = SeccompFilter::new(rules, other, matched, arch)?;
    let program = BpfProgram::try_from(filter).map_err(seccompiler::Error::from)?;
    Ok(seccompiler::apply_filter(&program)?)
}

/// Refuses the calls that `rules` match.
///
/// # Errors
///
/// As [`filter`].
pub fn refuse(rules: Rules) -> Result<(), FilterError> {
    let error = Action::Errno(libc::EACCES.unsigned_abs());
    filter(rules, error, Action::Allow)
}

/// A condition: the argument at `index`, as a number of 32 bits, compares to `value` as
/// `operation` says.
///
/// # Errors
///
/// There is no such argument.
pub fn condition(index: u8, operation: Operation, value: u64) -> Result<Condition, FilterError> {
    let size = SeccompCmpArgLen::Dword;
    Ok(Condition::new(index, size, operation, value)?)
}

/// A rule: all of `conditions` hold.
///
/// # Errors
///
/// There are no conditions.
pub fn rule(conditions: Vec<Condition>) -> Result<Rule, FilterError> {
    Ok(Rule::new(conditions)?)
}

impl<E: Into<seccompiler::Error>> From<E> for FilterError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl Display for FilterError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_versions_of_landlock_have_gaps() {
        for (version, expected) in [
            (None, vec![Gap::Files]),
            (Some(2), vec![Gap::Truncation]),
            (Some(3), Vec::new()),
        ] {
            assert_eq!(file_gaps(version), expected, "{version:?}");
        }
    }
}
