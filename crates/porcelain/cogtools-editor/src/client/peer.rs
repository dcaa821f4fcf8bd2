//! A connection to a socket of the user's, with a deadline and a limit.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use super::answer::Failure;

/// A connection.
#[derive(Debug)]
pub(crate) struct Peer {
    stream: UnixStream,
    deadline: Instant,
    timeout: Duration,
    left: u64,
}

/// The longest answer, in bytes.
pub(crate) const MAX_ANSWER_BYTES: u64 = 8 << 20;
/// The time between two attempts to enter the queue of a busy editor.
const RETRY: Duration = Duration::from_millis(5);

impl Peer {
    /// Connects to the socket at `path`, which must be the user's own.
    pub(crate) fn connect(path: &Path, timeout: Duration) -> Result<Self, Failure> {
        let deadline = Instant::now() + timeout;
        let absent = |_| Failure::Absent(path.to_path_buf());
        let meta = path.metadata().map_err(absent)?;
        if !meta.file_type().is_socket() {
            return Err(Failure::NotAPath(path.display().to_string()));
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(Failure::Foreign(path.to_path_buf()));
        }
        let fd = open(path, deadline, timeout)?;
        if !is_own(&fd) {
            return Err(Failure::Foreign(path.to_path_buf()));
        }
        let stream = UnixStream::from(fd);
        stream.set_nonblocking(false)?;
        Ok(Self {
            stream,
            deadline,
            timeout,
            left: MAX_ANSWER_BYTES,
        })
    }

    /// Sends all of `bytes`.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let sent = self.write_all(bytes);
        sent.map_err(|error| self.failure(error))
    }

    /// Reads one line, without its end.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>, Failure> {
        let mut line = Vec::new();
        let read = BufReader::new(&mut *self).read_until(b'\n', &mut line);
        read.map_err(|error| self.failure(error))?;
        line.pop_if(|byte| *byte == b'\n');
        Ok(line)
    }

    /// Translates an error of the connection.
    pub(crate) fn failure(&self, error: io::Error) -> Failure {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                Failure::TimedOut(self.timeout.as_secs().max(1))
            }
            ErrorKind::FileTooLarge => Failure::TooLong(MAX_ANSWER_BYTES),
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Failure::Closed,
            ErrorKind::UnexpectedEof => Failure::invalid("it ends too early"),
            _ => Failure::Io(error),
        }
    }

    /// Returns the time that is left for the next read or write.
    fn remaining(&self) -> io::Result<Duration> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(remaining)
    }
}

impl Read for Peer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.remaining()?))?;
        let count = self.stream.read(buffer)?;
        let read = u64::try_from(count).unwrap_or(u64::MAX);
        self.left = self
            .left
            .checked_sub(read)
            .ok_or_else(|| io::Error::from(ErrorKind::FileTooLarge))?;
        Ok(count)
    }
}

impl Write for Peer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.remaining()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Connects without waiting: the queue of an editor that hangs is full, which would block.
fn open(path: &Path, deadline: Instant, timeout: Duration) -> Result<OwnedFd, Failure> {
    let address = SocketAddrUnix::new(path).map_err(io::Error::from)?;
    loop {
        let fd = socket(AddressFamily::UNIX, SocketType::STREAM, None).map_err(io::Error::from)?;
        rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC).map_err(io::Error::from)?;
        rustix::io::ioctl_fionbio(&fd, true).map_err(io::Error::from)?;
        match connect(&fd, &address) {
            Ok(()) => return Ok(fd),
            Err(Errno::AGAIN | Errno::INPROGRESS | Errno::INTR) if Instant::now() < deadline => {
                sleep(RETRY);
            }
            Err(Errno::AGAIN | Errno::INPROGRESS | Errno::INTR) => {
                return Err(Failure::TimedOut(timeout.as_secs().max(1)));
            }
            Err(Errno::CONNREFUSED) => return Err(Failure::Refused(path.to_path_buf())),
            Err(Errno::NOENT) => return Err(Failure::Absent(path.to_path_buf())),
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

/// Returns true if the process at the other end is the user's: the file could have been exchanged.
#[cfg(target_os = "linux")]
fn is_own(fd: &impl AsFd) -> bool {
    let peer = rustix::net::sockopt::socket_peercred(fd);
    peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

#[cfg(not(target_os = "linux"))]
fn is_own(_: &impl AsFd) -> bool {
    true
}
