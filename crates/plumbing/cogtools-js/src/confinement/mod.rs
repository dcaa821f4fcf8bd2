//! What the process that evaluates gives up before it reads the code.
//!
//! The engine has no access to anything by itself. This is for the day on which a defect of the
//! engine lets JavaScript run machine code.

#[cfg(unix)]
mod limits;
#[cfg(target_os = "linux")]
mod system_calls;

use std::time::Duration;

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(target_os = "linux")]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    use cogtools_sandbox::files::Rights;
    use rustix::process::{Signal, set_parent_process_death_signal};

    let failed = |error: rustix::io::Errno| error.to_string();
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed)?;
    rustix::thread::set_no_new_privs(true).map_err(failed)?;
    cogtools_sandbox::privileges::limit().map_err(|error| error.to_string())?;
    // It opens a descriptor, which the limits do not permit. A kernel without Landlock denies the
    // same by the filter of system calls.
    cogtools_sandbox::files::restrict(Rights::default())?;
    limits::lower(timeout).map_err(failed)?;
    system_calls::filter()
}

/// Confines this process, which may then run for `timeout`; or says why that is not possible.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn enter(timeout: Duration) -> Result<(), String> {
    limits::lower(timeout).map_err(|error| error.to_string())
}

/// There is nothing that this process could give up by itself.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
pub(crate) const fn enter(_: Duration) -> Result<(), String> {
    Ok(())
}

/// The confined process really cannot: each attempt is made by a process of these tests, started
/// again, which confines itself as the one that evaluates does.
#[cfg(all(test, target_os = "linux"))]
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
