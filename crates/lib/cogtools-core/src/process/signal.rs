//! Describes an exit status.

use std::process::ExitStatus;

/// Describes how a program with this `status` ended.
pub(super) fn describe(status: ExitStatus) -> String {
    match (status.code(), signal(status)) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(number)) => match name(number) {
            Some(name) => format!("was terminated by signal {number} ({name})"),
            None => format!("was terminated by signal {number}"),
        },
        (None, None) => "exited without a status".to_owned(),
    }
}

/// Whether a program was terminated because it wrote a larger file than it may.
pub(super) fn is_file_size(status: ExitStatus) -> bool {
    signal(status).and_then(name) == Some("SIGXFSZ")
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
const fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// The names of common signals, whose numbers depend on the system.
#[cfg(unix)]
fn name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    names
        .into_iter()
        .find_map(|(signal, name)| (signal.as_raw() == number).then_some(name))
}

#[cfg(not(unix))]
const fn name(_: i32) -> Option<&'static str> {
    None
}
