//! Rights that the process which evaluates gives up before it reads the code.
//!
//! The engine has no access to anything by itself. This is for the day on which a defect of the
//! engine lets JavaScript run machine code.

use std::time::Duration;

#[cfg(unix)]
use cogtools_confine::sandbox;
#[cfg(unix)]
use cogtools_core::javascript::Script;

/// The address space: the engine's memory, the request and its copies, the result, the program.
#[cfg(unix)]
const ADDRESS_SPACE: u64 = 4 * Script::MEMORY as u64;
/// Seconds of processor time in addition to the timeout. The parent kills
/// this process earlier, unless it was killed itself.
#[cfg(unix)]
const EXTRA_SECONDS: u64 = 2;

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(target_os = "linux")]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    use rustix::process::{Signal, set_parent_process_death_signal};

    let failed = |error: rustix::io::Errno| error.to_string();
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed)?;
    rustix::thread::set_no_new_privs(true).map_err(failed)?;
    sandbox::limit_privileges().map_err(|error| error.to_string())?;
    // It opens a descriptor, which the limits do not permit. A kernel without Landlock denies the
    // same by the filter of system calls.
    sandbox::restrict_files(sandbox::Rights::default()).map_err(|error| error.to_string())?;
    lower_limits(timeout).map_err(failed)?;
    system_calls::filter().map_err(|error| error.to_string())
}

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    lower_limits(timeout).map_err(|error| error.to_string())
}

/// There is nothing that this process could give up by itself.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
pub(crate) const fn enter(_: Duration) -> Result<(), String> {
    Ok(())
}

/// Lowers the limits of this process, which may run for `timeout`: for the case that the
/// engine's own do not hold.
#[cfg(unix)]
fn lower_limits(timeout: Duration) -> Result<(), rustix::io::Errno> {
    use sandbox::{Resource, lower_limit};

    // A copy of its memory would have the arguments.
    lower_limit(Resource::Core, 0)?;
    lower_limit(Resource::Nproc, 0)?;
    // The standard streams are open already.
    lower_limit(Resource::Nofile, 0)?;
    lower_limit(Resource::As, ADDRESS_SPACE)?;
    let seconds = timeout.as_secs().saturating_add(EXTRA_SECONDS);
    lower_limit(Resource::Cpu, seconds)
}

/// The system calls that are left: those for memory, time, the standard streams and the end.
///
/// Anything else kills the process. Only opening a file fails instead: the C library looks for
/// the local time zone when a date is printed.
#[cfg(target_os = "linux")]
mod system_calls {
    use cogtools_confine::sandbox::{
        self, Action, Condition, FilterError, Operation, Rules, condition, refuse, rule,
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
    pub(super) fn filter() -> Result<(), FilterError> {
        let failing: Rules = FAILING.iter().map(|call| (*call, Vec::new())).collect();
        refuse(failing.clone())?;
        let mut rules = permitted()?;
        rules.extend(failing);
        sandbox::filter(rules, Action::Allow, Action::KillProcess)
    }

    /// The calls that do not kill the process.
    fn permitted() -> Result<Rules, FilterError> {
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
}

/// The confined process really cannot: each attempt is made by a process of these tests, started
/// again, which confines itself as the one that evaluates does.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs::{self, File};
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    /// The variable with the name of the attempt.
    const ATTEMPT: &str = "COGTOOLS_JS_ATTEMPT";
    /// The signal of a system call that is not permitted.
    const SIGSYS: i32 = 31;
    const SIGXCPU: i32 = 24;

    /// The end of a process.
    #[derive(Debug, PartialEq)]
    enum End {
        /// It was killed by this signal.
        Killed(i32),
        /// It wrote this and exited.
        Wrote(&'static str),
    }

    /// Makes the attempt in this process, which is confined.
    fn attempt(name: &str) -> &'static str {
        let failed = |is_error: bool| if is_error { "failed" } else { "succeeded" };
        match name {
            "nothing" => "done",
            "memory" => failed(Vec::<u8>::new().try_reserve_exact(1 << 30).is_err()),
            "little memory" => failed(Vec::<u8>::new().try_reserve_exact(1 << 26).is_err()),
            "open" => failed(File::open("/etc/passwd").is_err()),
            "open own" => failed(File::open("/proc/self/maps").is_err()),
            "create" => failed(File::create("/tmp/cogtools-js-attempt").is_err()),
            "list" => failed(fs::read_dir("/").is_err()),
            "stat" => failed(fs::metadata("/etc/passwd").is_err()),
            "remove" => failed(fs::remove_file("/tmp/cogtools-js-attempt").is_err()),
            "connect" => failed(TcpStream::connect("127.0.0.1:9").is_err()),
            "listen" => failed(TcpListener::bind("127.0.0.1:0").is_err()),
            "udp" => failed(UdpSocket::bind("127.0.0.1:0").is_err()),
            "unix" => failed(UnixStream::pair().is_err()),
            "thread" => failed(std::thread::Builder::new().spawn(|| {}).is_err()),
            "program" => failed(Command::new("/bin/true").status().is_err()),
            "signal" => {
                // No process has that number.
                let other = rustix::process::Pid::from_raw(i32::MAX).expect("a number");
                failed(rustix::process::test_kill_process(other).is_err())
            }
            "limit" => {
                let resource = rustix::process::Resource::Cpu;
                let limit = rustix::process::getrlimit(resource);
                failed(rustix::process::setrlimit(resource, limit).is_err())
            }
            "processor" => loop {
                std::hint::spin_loop();
            },
            other => panic!("there is no attempt {other}"),
        }
    }

    /// Confines this process and makes the attempt, if it was started for one.
    #[test]
    fn the_process_of_an_attempt() {
        let Some(name) = std::env::var_os(ATTEMPT) else {
            return;
        };
        let name = name.into_string().expect("a name");
        // In the thread of this test, which is what a filter is about.
        super::enter(Duration::from_millis(10)).expect("it can be confined");
        let result = attempt(&name);
        let mut stderr = std::io::stderr();
        stderr.write_all(result.as_bytes()).expect("it is open");
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("unreachable: this is not permitted");
    }

    fn end_of(name: &str) -> (i32, String) {
        let test = std::env::current_exe().expect("this program");
        let output = Command::new(test)
            .args([
                "confinement::tests::the_process_of_an_attempt",
                "--exact",
                "--nocapture",
            ])
            .args(["--test-threads=1"])
            .env(ATTEMPT, name)
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.signal().unwrap_or_default(), text)
    }

    #[test]
    fn nothing_but_memory_and_time_is_left() {
        for (name, expected) in [
            ("nothing", End::Wrote("done")),
            ("little memory", End::Wrote("succeeded")),
            ("memory", End::Wrote("failed")),
            ("open", End::Wrote("failed")),
            ("open own", End::Wrote("failed")),
            ("create", End::Wrote("failed")),
            ("list", End::Wrote("failed")),
            ("stat", End::Killed(SIGSYS)),
            ("remove", End::Killed(SIGSYS)),
            ("connect", End::Killed(SIGSYS)),
            ("listen", End::Killed(SIGSYS)),
            ("udp", End::Killed(SIGSYS)),
            ("unix", End::Killed(SIGSYS)),
            ("thread", End::Killed(SIGSYS)),
            ("program", End::Killed(SIGSYS)),
            ("signal", End::Killed(SIGSYS)),
            ("limit", End::Killed(SIGSYS)),
        ] {
            let (signal, text) = end_of(name);
            // The call that ends an attempt is not permitted either.
            assert_eq!(signal, SIGSYS, "{name}: {text}");
            let found = match text.as_str() {
                "" => End::Killed(signal),
                "done" => End::Wrote("done"),
                "failed" => End::Wrote("failed"),
                "succeeded" => End::Wrote("succeeded"),
                _ => panic!("{name}: {text}"),
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_process_without_a_parent_that_kills_it_ends_by_itself() {
        let (signal, text) = end_of("processor");
        assert!(matches!(signal, SIGXCPU | 9), "{signal} {text}");
    }
}
