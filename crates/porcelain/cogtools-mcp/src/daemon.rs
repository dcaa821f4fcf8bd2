//! The daemon of `--daemon`: one process that runs the servers of all clients of a user.
//!
//! A connection is one more run of this program: the process that the host has started sends its
//! arguments, its directory and its environment, and from then on passes its streams on. A
//! client has its own session with each source, as in a process of its own, except with those that
//! are `shared`.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::{Cancel, Code, Diagnostic, digest};
use cogtools_program::dirs::{home, state_dir, trusted_var};
use cogtools_program::{DetachedIo, Failure, Input, Io, exit, parent};
use parking_lot::Mutex;
use rustix::fs::OFlags;
use rustix::process::{geteuid, setsid};
use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::auth::random;
use crate::command::{NAME, PROGRAM};
use crate::serve::{SHUTDOWN_GRACE, signal};
use crate::sources::OpenSessions;

/// The time that a client waits for a daemon that it has started.
const START: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const RETRY: Duration = Duration::from_millis(10);
/// The time that the first line of a connection may take, and its answer.
const GREETING: Duration = Duration::from_secs(5);
/// The longest first line: arguments and an environment.
const MAX_HELLO_BYTES: u64 = 16 << 20;
/// The number of connections; further clients serve themselves.
const MAX_CONNECTIONS: usize = 256;
/// The longest text in one frame.
const MAX_FRAME_BYTES: usize = 64 << 10;
/// The time between two looks at whether the host is still running.
const PARENT_POLL: Duration = Duration::from_millis(500);
/// The variables of the daemon itself; a connection sends its own.
const VARIABLES: [&str; 3] = ["HOME", "PATH", "TMPDIR"];
/// Set for the daemon, but not for the process that starts it and exits.
const DETACHED: &str = "COGTOOLS_MCP_DAEMON";

/// The first line of a connection.
#[derive(Serialize, Deserialize)]
struct Hello {
    /// Shows that the client can read the user's private files, unlike programs in a sandbox.
    token: String,
    arguments: Vec<OsString>,
    directory: OsString,
    variables: Vec<(OsString, OsString)>,
}

/// The streams of a run, as the first byte of a frame says. Its length, four bytes, and its text
/// follow.
#[derive(Clone, Copy)]
enum Frame {
    /// The exit status, one byte: the last frame.
    Status,
    /// The first frame is an empty one: the client was accepted.
    Stdout,
    Stderr,
}

/// A stream of a run that goes to the client.
struct Frames {
    stream: Arc<Mutex<UnixStream>>,
    kind: Frame,
}

impl Write for Frames {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let text = text.get(..MAX_FRAME_BYTES).unwrap_or(text);
        let length = u32::try_from(text.len()).unwrap_or_default();
        let mut frame = vec![self.kind as u8];
        frame.extend(length.to_be_bytes());
        frame.extend(text);
        self.stream.lock().write_all(&frame).map(|()| text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes the streams of `io` to a server in the daemon with `arguments`. The daemon is started if it
/// does not run, and ends after `idle` without a client.
///
/// # Errors
/// The outer one says why there is no daemon: nothing was read or written then.
pub(crate) fn serve_through(
    arguments: &[OsString],
    idle: Duration,
    io: &mut Io<'_>,
) -> Result<Result<(), Failure>, String> {
    let socket =
        socket(io).map_err(|error| format!("no private folder for its socket: {error}"))?;
    let runtime = runtime().map_err(|error| error.to_string())?;
    let end = Instant::now() + START;
    let mut error = match connect(&socket, arguments, io, &runtime) {
        Ok(stream) => return Ok(pass(stream, io)),
        Err(error) => error,
    };
    while Instant::now() < end {
        start(&socket, idle, io).map_err(|error| format!("it cannot be started: {error}"))?;
        // Another client may have started one at the same time, which is as good.
        for _ in 0..20 {
            thread::sleep(RETRY);
            error = match connect(&socket, arguments, io, &runtime) {
                Ok(stream) => return Ok(pass(stream, io)),
                Err(error) => error,
            };
        }
    }
    Err(format!("it does not answer: {error}"))
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Connects to the daemon at `socket`, and waits until it has accepted the client.
fn connect(
    socket: &Path,
    arguments: &[OsString],
    io: &Io<'_>,
    runtime: &Runtime,
) -> io::Result<UnixStream> {
    let mut token = String::new();
    private(OpenOptions::new().read(true), &lock_file(socket))?.read_to_string(&mut token)?;
    let stream = runtime.block_on(async {
        let stream = tokio::net::UnixStream::connect(socket).await?;
        if stream.peer_cred()?.uid() != geteuid().as_raw() {
            return Err(io::Error::other("it belongs to another user"));
        }
        stream.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(GREETING))?;
    let hello = Hello {
        token,
        arguments: arguments.to_vec(),
        directory: io.cwd.clone().into(),
        variables: io.vars.clone().into_iter().collect(),
    };
    let mut line = serde_json::to_vec(&hello)?;
    line.push(b'\n');
    (&stream).write_all(&line)?;
    // Any end before this answer costs nothing: no message was passed on.
    let (kind, length) = header(&mut &stream)?;
    if (kind, length) != (Frame::Stdout as u8, 0) {
        return Err(ErrorKind::InvalidData.into());
    }
    stream.set_read_timeout(None)?;
    Ok(stream)
}

/// Starts a daemon, and waits until it is a process of nobody's: a host that ends its server may
/// end all that this has started.
fn start(socket: &Path, idle: Duration, io: &Io<'_>) -> io::Result<()> {
    daemon_command(&io.program, socket, idle, |name| io.vars.get(name).cloned())
        .status()
        .map(drop)
}

fn daemon_command(
    program: &Path,
    socket: &Path,
    idle: Duration,
    variable: impl Fn(&OsStr) -> Option<OsString>,
) -> Command {
    let mut command = Command::new(program);
    command.arg0(NAME).current_dir("/").env_clear();
    command
        .arg("daemon")
        .arg(socket)
        .arg(idle.as_secs().to_string());
    for name in VARIABLES {
        command.envs(variable(OsStr::new(name)).map(|value| (name, value)));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null());
    command
}

/// Passes the streams on until the run has ended.
fn pass(stream: UnixStream, io: &mut Io<'_>) -> Result<(), Failure> {
    let lost = |_| {
        let diagnostic = Diagnostic::new(Code::IoFailed, "the daemon has ended unexpectedly");
        Failure::from(diagnostic.hint("start the server again: it starts another daemon"))
    };
    let writer = stream.try_clone().map_err(lost)?;
    let stdin = io.stdin.take();
    let started = thread::Builder::new()
        .name("stdin".into())
        .spawn(move || feed(stdin, writer))
        .and_then(|_| {
            thread::Builder::new()
                .name("parent".into())
                .spawn(follow_parent)
        });
    started.map_err(lost)?;
    let mut reader = BufReader::new(stream);
    let mut text = Vec::new();
    loop {
        let (kind, length) = header(&mut reader).map_err(lost)?;
        text.resize(length, 0);
        reader.read_exact(&mut text).map_err(lost)?;
        match (kind, &*text) {
            (0, [0]) => return Ok(()),
            (0, [status]) => return Err(Failure::Reported(*status)),
            (1, text) => io.print(text)?,
            (2, text) => drop(io.stderr.write_all(text)),
            _ => return Err(lost(ErrorKind::InvalidData.into())),
        }
    }
}

/// Reads the kind and the length of a frame.
fn header(from: &mut impl Read) -> io::Result<(u8, usize)> {
    let mut header = [0; 5];
    from.read_exact(&mut header)?;
    let [kind, length @ ..] = header;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_FRAME_BYTES {
        return Err(ErrorKind::InvalidData.into());
    }
    Ok((kind, length))
}

/// Passes the input on; its end, too.
fn feed(mut stdin: Box<dyn Read + Send>, mut stream: UnixStream) {
    let _ = io::copy(&mut stdin, &mut stream);
    let _ = stream.shutdown(Shutdown::Write);
}

/// Ends this process when its host has ended: the streams may stay open.
fn follow_parent() {
    let first = parent();
    while parent() == first {
        thread::sleep(PARENT_POLL);
    }
    exit(129);
}

/// Returns the socket of the daemon for `io`: of this very program, and of the user whose approvals
/// and keys it would use.
fn socket(io: &Io<'_>) -> io::Result<PathBuf> {
    let program = io.program.metadata()?;
    let stamp = format!(
        "{}-{}-{}",
        program.mtime(),
        program.mtime_nsec(),
        program.len()
    );
    let places = [home(io), state_dir(io), Some(io.program.clone())];
    let places = places.map(|it| it.map(PathBuf::into_os_string));
    let identity = serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), stamp, places))?;
    let name = digest::bytes(&identity).to_string();
    Ok(folder(io)?.join(&name[..16]))
}

/// Returns the folder of sockets, which only the user can enter.
fn folder(io: &Io<'_>) -> io::Result<PathBuf> {
    let user = geteuid().as_raw();
    let named = trusted_var(io, "XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = [named, Some(format!("/run/user/{user}").into())];
    let mut runtime = runtime.into_iter().flatten().filter(|it| it.is_absolute());
    let base = match runtime.find(|it| it.is_dir()) {
        Some(runtime) => runtime.join("cogtools"),
        None => std::env::temp_dir().join(format!("cogtools-{user}")),
    };
    let folder = base.join("mcp");
    for (folder, others) in [(&base, 0o022), (&folder, 0o077)] {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Not what a link leads to.
        let meta = folder.symlink_metadata()?;
        if !meta.is_dir() || meta.uid() != user || meta.mode() & others != 0 {
            let message = format!("`{}` is not private", folder.display());
            return Err(io::Error::other(message));
        }
    }
    Ok(folder)
}

/// The file with the token, which the daemon keeps locked.
fn lock_file(socket: &Path) -> PathBuf {
    socket.with_extension("lock")
}

/// Opens a private file, which is no link.
fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    options.mode(0o600).custom_flags(flags).open(path)
}

/// Serves as the daemon at `path` until there was no client for `idle`.
pub(crate) fn serve(path: &Path, idle: Duration, io: &Io<'_>) -> Result<(), Failure> {
    let failed = |error: io::Error| Diagnostic::new(Code::IoFailed, error.to_string());
    // Neither the terminal nor the group of the host.
    let _ = setsid();
    if !io.vars.contains_key(OsStr::new(DETACHED)) {
        let mut command = daemon_command(&io.program, path, idle, |it| io.vars.get(it).cloned());
        command.env(DETACHED, "1").spawn().map_err(failed)?;
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    let lock = private(&mut options, &lock_file(path)).map_err(failed)?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    let mut daemon = Daemon {
        path: path.to_path_buf(),
        token: random().map_err(|error| failed(error.into()))?,
        io: DetachedIo::new(io, Cancel::default()),
        shared: Arc::default(),
        connections: watch::Sender::new(0),
    };
    daemon.io.vars.clear();
    let daemon = Arc::new(daemon);
    let ended = runtime().and_then(|runtime| runtime.block_on(daemon.run(lock, idle)));
    daemon.shared.stop(SHUTDOWN_GRACE);
    ended.map_err(|error| failed(error).into())
}

struct Daemon {
    path: PathBuf,
    token: String,
    io: DetachedIo,
    shared: Arc<OpenSessions>,
    /// The number of connections.
    connections: watch::Sender<usize>,
}

/// Removes the socket, so that the next client starts another daemon.
struct Socket<'s>(&'s Path);

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.0);
    }
}

impl Daemon {
    /// Accepts connections until there was none for `idle`, or until a signal.
    async fn run(self: &Arc<Self>, mut lock: File, idle: Duration) -> io::Result<()> {
        // The lock is ours, so this is the socket of a daemon that was killed.
        let _ = std::fs::remove_file(&self.path);
        lock.set_len(0)?;
        lock.write_all(self.token.as_bytes())?;
        let listener = UnixListener::bind(&self.path)?;
        let socket = Socket(&self.path);
        std::fs::set_permissions(&self.path, Permissions::from_mode(0o600))?;
        let mut signal = std::pin::pin!(signal(false));
        loop {
            tokio::select! {
                accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                    self.accept(stream);
                },
                () = self.idle(idle) => break,
                _ = &mut signal => break,
            }
        }
        drop((socket, listener, lock));
        // After a signal each run ends by itself.
        let mut connections = self.connections.subscribe();
        let ended = connections.wait_for(|count| *count == 0);
        let _ = tokio::time::timeout(2 * SHUTDOWN_GRACE, ended).await;
        Ok(())
    }

    /// Waits until there was no connection for `idle`.
    async fn idle(&self, idle: Duration) {
        let mut connections = self.connections.subscribe();
        let _ = connections.wait_for(|count| *count == 0).await;
        tokio::time::sleep(idle).await;
    }

    /// Serves a connection of the user in a thread of its own.
    fn accept(self: &Arc<Self>, stream: tokio::net::UnixStream) {
        let is_own = stream
            .peer_cred()
            .is_ok_and(|peer| peer.uid() == geteuid().as_raw());
        let stream = stream.into_std().ok();
        let stream = stream.filter(|it| is_own && it.set_nonblocking(false).is_ok());
        let Some(stream) = stream.filter(|_| *self.connections.borrow() < MAX_CONNECTIONS) else {
            return;
        };
        let connection = Connection::new(self);
        // A thread that does not start, or panics, closes its connection.
        let _ = thread::Builder::new().name("client".into()).spawn(move || {
            let _ = connection.0.serve(&stream);
            let _ = stream.shutdown(Shutdown::Both);
        });
    }

    /// Runs the program for the client behind `stream`.
    fn serve(&self, stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(GREETING))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut line = Vec::new();
        reader
            .by_ref()
            .take(MAX_HELLO_BYTES)
            .read_until(b'\n', &mut line)?;
        let hello: Hello = serde_json::from_slice(&line)?;
        if hello.token != self.token {
            return Ok(());
        }
        stream.set_read_timeout(None)?;
        let output = Arc::new(Mutex::new(stream.try_clone()?));
        let frames = |kind| Frames {
            stream: Arc::clone(&output),
            kind,
        };
        let [mut stdout, mut stderr] = [Frame::Stdout, Frame::Stderr].map(frames);
        let mut io = self.io.clone();
        io.vars = hello.variables.into_iter().collect();
        io.cwd = hello.directory.into();
        let status = io.run_with(
            Input::new(reader, false),
            [&mut stdout, &mut stderr],
            |io| {
                // Approvals and keys are those of the user who has started it, wherever its home is.
                if socket(io).ok().as_ref() != Some(&self.path) || io.stdout.write(&[]).is_err() {
                    return None;
                }
                io.context.shared = Some(Arc::<OpenSessions>::clone(&self.shared));
                Some(PROGRAM.launch(&hello.arguments, io))
            },
        );
        match status {
            Some(status) => frames(Frame::Status).write_all(&[status]),
            None => Ok(()),
        }
    }
}

/// Counts as a connection until it is dropped.
struct Connection(Arc<Daemon>);

impl Connection {
    fn new(daemon: &Arc<Daemon>) -> Self {
        daemon.connections.send_modify(|count| *count += 1);
        Self(Arc::clone(daemon))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.connections.send_modify(|count| *count -= 1);
    }
}
