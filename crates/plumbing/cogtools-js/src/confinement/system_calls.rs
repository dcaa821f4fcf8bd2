//! The system calls that are left: those for memory, time, the standard streams and the end.
//!
//! Anything else kills the process. Only opening a file fails instead: the C library looks for
//! the local time zone when a date is printed.

use cogtools_sandbox::system_calls::{
    Action, Condition, FilterError, Operation, Rules, condition, refuse, rule,
};

/// Calls that need no descriptor, whatever their arguments are.
const ANY: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettimeofday,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
];
/// Calls that fail, instead of killing the process.
const FAILING: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    libc::SYS_openat,
];

/// Filters the system calls of this process from now on.
pub(super) fn filter() -> Result<(), String> {
    install().map_err(|error| error.to_string())
}

fn install() -> Result<(), FilterError> {
    let failing: Rules = FAILING.iter().map(|call| (*call, Vec::new())).collect();
    refuse(failing.clone())?;
    let mut rules = rules()?;
    rules.extend(failing);
    cogtools_sandbox::system_calls::filter(rules, Action::Allow, Action::KillProcess)
}

/// What does not kill the process.
fn rules() -> Result<Rules, FilterError> {
    let mut rules: Rules = ANY.iter().map(|call| (*call, Vec::new())).collect();
    let stdin = rule(vec![argument(0, 0)?])?;
    rules.insert(libc::SYS_read, vec![stdin]);
    for call in [libc::SYS_write, libc::SYS_writev] {
        let stream = |descriptor| rule(vec![argument(0, descriptor)?]);
        rules.insert(call, vec![stream(1)?, stream(2)?]);
    }
    // No file, and nothing that could be executed.
    let not_executable = || {
        let flags = u64::from(libc::PROT_EXEC.unsigned_abs());
        condition(2, Operation::MaskedEq(flags), 0)
    };
    let anonymous = vec![argument(4, u64::from(u32::MAX))?, not_executable()?];
    rules.insert(libc::SYS_mmap, vec![rule(anonymous)?]);
    let protection = rule(vec![not_executable()?])?;
    rules.insert(libc::SYS_mprotect, vec![protection]);
    Ok(rules)
}

/// The argument at `index` is `value`, as a number of 32 bits.
fn argument(index: u8, value: u64) -> Result<Condition, FilterError> {
    condition(index, Operation::Eq, value)
}
