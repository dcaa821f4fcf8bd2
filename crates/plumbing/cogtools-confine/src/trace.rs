//! The files that a program is denied, whatever it says of them: each of its system calls stops it.

use std::collections::BTreeSet;
use std::ffi::{OsString, c_void};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use fork::ProcessFork;
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::WaitStatus as Stop;
use nix::unistd;
use rustix::process::{DumpableBehavior, Pid, WaitStatus, set_dumpable_behavior};

/// The limit of bytes that are written, and of a path.
const MAX_BYTES: usize = 4 << 20;
const MAX_PATH: usize = 4096;
/// Calls with a path of something that they make, change or remove, and the index of that argument.
const WRITES: &[(i64, usize)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 0),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, 0),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, 0),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_symlink, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, 0),
    (libc::SYS_linkat, 3),
    (libc::SYS_mkdirat, 1),
    (libc::SYS_mknodat, 1),
    (libc::SYS_renameat, 3),
    (libc::SYS_renameat2, 3),
    (libc::SYS_symlinkat, 2),
    (libc::SYS_truncate, 0),
    (libc::SYS_unlinkat, 1),
];
/// Calls that open a file to read it or to write it, with the index of the path, which the flags
/// follow.
const OPENS: &[(i64, usize)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 0),
    (libc::SYS_openat, 1),
];
/// Calls that use or find a file.
const READS: &[(i64, usize)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, 0),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, 0),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, 0),
    (libc::SYS_execve, 0),
    (libc::SYS_faccessat, 1),
    (libc::SYS_faccessat2, 1),
    (libc::SYS_newfstatat, 1),
    (libc::SYS_statx, 1),
];
/// Flags of a file that is opened to be written.
const WRITE_FLAGS: i32 = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;

/// A traced program with everything that it starts.
pub(crate) struct Trace {
    output: File,
    written: BTreeSet<Vec<u8>>,
    /// The bytes that may still be written.
    left: usize,
}

/// A system call that ends.
struct Call {
    number: i64,
    /// The negative number of an error, if it has failed.
    result: i64,
    /// The arguments; the first is lost where the result takes its register.
    args: [Option<u64>; 4],
}

impl Trace {
    /// Starts the program of `command`, and traces it from its first call on, if this system permits
    /// it. Returns only an error in the process that would have become the program.
    pub(crate) fn spawn(command: &mut Command, output: File) -> io::Result<(Pid, Option<Self>)> {
        let (mut ready, child) = io::pipe()?;
        let (mut gate, parent) = io::pipe()?;
        match fork::fork_process()? {
            ProcessFork::Child => {
                drop(parent);
                // A process whose memory is protected cannot be traced; it runs, nevertheless.
                let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
                drop(child);
                gate.read_to_end(&mut Vec::new())?;
                Err(command.exec())
            }
            ProcessFork::Parent(id) => {
                drop(child);
                let program = Pid::from_raw(id.get()).ok_or(io::ErrorKind::InvalidData)?;
                ready.read_to_end(&mut Vec::new())?;
                let trace = Self::start(program, output);
                drop(parent);
                Ok((program, trace))
            }
        }
    }

    /// Traces `program`, a child of this process, from now on, and writes to `output`.
    fn start(program: Pid, output: File) -> Option<Self> {
        let program = number(program);
        let options = Options::PTRACE_O_EXITKILL
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC;
        ptrace::seize(program, options).ok()?;
        // It stops for the first time, unless it has exited already.
        let _ = ptrace::interrupt(program);
        Some(Self {
            output,
            written: BTreeSet::new(),
            left: MAX_BYTES,
        })
    }

    /// Lets a process that has stopped with `status` go on until its next system call.
    pub(crate) fn resume(&mut self, process: Pid, status: WaitStatus) {
        let process = number(process);
        let signal = match Stop::from_raw(process, status.as_raw()) {
            Ok(Stop::PtraceSyscall(_)) => {
                self.look(process);
                None
            }
            Ok(Stop::Stopped(_, signal)) => Some(signal),
            // A real-time signal has no name in this library, and is lost.
            _ => None,
        };
        // It may have been killed.
        let _ = ptrace::syscall(process, signal);
    }

    /// Writes the path of the call that ends, if it is denied.
    fn look(&mut self, process: unistd::Pid) {
        let denied = Call::of(process).and_then(|call| call.denied(process));
        let Some((is_write, path)) = denied else {
            return;
        };
        let path = path.as_os_str().as_encoded_bytes();
        let key: &[u8] = if is_write { b"write " } else { b"read " };
        let line = [key, path, b"\n"].concat();
        let is_one = !path.contains(&b'\n') && line.len() <= self.left;
        if is_one && self.written.insert(line.clone()) {
            self.left -= line.len();
            // Without it, less is known.
            let _ = self.output.write_all(&line);
        }
    }
}

impl Call {
    /// The call in which `process` has stopped. One that begins has an error that none ends with, or
    /// its first argument, in the place of the result.
    #[cfg(target_arch = "x86_64")]
    fn of(process: unistd::Pid) -> Option<Self> {
        let it = ptrace::getregs(process).ok()?;
        Some(Self {
            number: it.orig_rax.cast_signed(),
            result: it.rax.cast_signed(),
            args: [it.rdi, it.rsi, it.rdx, it.r10].map(Some),
        })
    }

    #[cfg(target_arch = "aarch64")]
    fn of(process: unistd::Pid) -> Option<Self> {
        let it = ptrace::getregs(process).ok()?;
        Some(Self {
            number: it.regs[8].cast_signed(),
            result: it.regs[0].cast_signed(),
            args: [None, Some(it.regs[1]), Some(it.regs[2]), Some(it.regs[3])],
        })
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn of(_: unistd::Pid) -> Option<Self> {
        None
    }

    /// The absolute path that it was denied, and whether to write it. What is not there only looks so
    /// where a namespace leaves it out, and nothing is written there.
    fn denied(&self, process: unistd::Pid) -> Option<(bool, PathBuf)> {
        let failed = |error: &Errno| self.result == -i64::from(*error as i32);
        let is_missing = failed(&Errno::ENOENT);
        let mut errors = [Errno::EACCES, Errno::EPERM, Errno::EROFS].iter();
        (is_missing || errors.any(failed)).then_some(())?;
        let find = |calls: &[(i64, usize)]| {
            let call = calls.iter().find(|(number, _)| *number == self.number);
            call.map(|(_, index)| *index)
        };
        let opened = || {
            let index = find(OPENS)?;
            let flags = self.args[index + 1]?;
            let writes = u64::from(WRITE_FLAGS.unsigned_abs());
            Some((flags & writes != 0, index))
        };
        let (is_write, index) = find(WRITES)
            .map(|index| (true, index))
            .or_else(opened)
            .or_else(|| find(READS).map(|index| (false, index)))?;
        let is_write = is_write && !is_missing;
        let path = text(process, self.args[index]?)?;
        if path.is_absolute() {
            return Some((is_write, path));
        }
        // The number of a folder precedes a path, unless that is the first argument.
        let folder = index.checked_sub(1).and_then(|index| self.args[index]);
        let is_current = |folder: u64| folder.to_le_bytes()[..4] == libc::AT_FDCWD.to_le_bytes();
        let is_known = index == 0 || folder.is_some_and(is_current);
        let current = fs::read_link(Path::new("/proc").join(process.to_string()).join("cwd"));
        let path = current.ok().filter(|_| is_known)?.join(path);
        Some((is_write, path))
    }
}

/// The text at `address` in the memory of `process`, which has stopped.
fn text(process: unistd::Pid, address: u64) -> Option<PathBuf> {
    const WORD: u64 = size_of::<libc::c_long>() as u64;
    let mut bytes = Vec::new();
    // A whole word is in one page.
    let mut skipped = usize::try_from(address % WORD).ok()?;
    let mut at = address - address % WORD;
    while bytes.len() < MAX_PATH {
        let place: *mut c_void = ptr::without_provenance_mut(usize::try_from(at).ok()?);
        let word = ptrace::read(process, place).ok()?.to_ne_bytes();
        for byte in &word[skipped..] {
            if *byte == 0 {
                return Some(OsString::from_vec(bytes).into());
            }
            bytes.push(*byte);
        }
        (skipped, at) = (0, at.checked_add(WORD)?);
    }
    None
}

fn number(process: Pid) -> unistd::Pid {
    unistd::Pid::from_raw(process.as_raw_nonzero().get())
}
