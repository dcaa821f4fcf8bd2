//! Runs one program hermetically, within a time limit.
//!
//! The program sees only the variables of the test, an empty HOME and a known PATH.
//! It leads a process group, so that the time limit also ends its children, and no
//! process that it leaves behind can block a test.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{collect, end_group, later, until};
use crate::{Outcome, Project, Stdin, Stdout};

/// A builder of a program's run, which ends with [`Run::run`].
///
/// ```
/// use cogtools_test_support::Run;
///
/// Run::new("/bin/cat").stdin("text").run().outputs("text");
/// ```
#[derive(Debug)]
#[must_use = "nothing runs before `run`"]
pub struct Run {
    program: PathBuf,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    home: Option<PathBuf>,
    path: Vec<PathBuf>,
    env: Vec<(OsString, OsString)>,
    stdin: Stdin,
    stdout: Stdout,
    limit: Duration,
    redactions: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Run {
    /// Runs `program`: a path, not a name to look up. Thirty seconds at most,
    /// nothing on stdin, an empty directory and HOME, PATH `/usr/bin:/bin`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            home: None,
            path: ["/usr/bin", "/bin"].map(PathBuf::from).into(),
            env: Vec::new(),
            stdin: Stdin::default(),
            stdout: Stdout::default(),
            limit: Duration::from_secs(30),
            redactions: Vec::new(),
        }
    }

    /// Runs in `project` with its HOME. In the outcome, its path is replaced with `[ROOT]`
    /// and the path of its HOME with `[HOME]`.
    pub fn project(self, project: &Project) -> Self {
        let (root, home) = (project.root(), project.home());
        self.cwd(&root)
            .home(&home)
            .redact(root.as_os_str(), "[ROOT]")
            .redact(home.as_os_str(), "[HOME]")
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// Sets the working directory.
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.cwd = Some(dir.as_ref().to_path_buf());
        self
    }

    /// Sets HOME.
    pub fn home(mut self, dir: impl AsRef<Path>) -> Self {
        self.home = Some(dir.as_ref().to_path_buf());
        self
    }

    /// Prepends `dir` to PATH.
    pub fn path(mut self, dir: impl AsRef<Path>) -> Self {
        self.path.insert(0, dir.as_ref().to_path_buf());
        self
    }

    /// Sets an environment variable, overriding even HOME and PATH.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let pair = (name.as_ref().to_os_string(), value.as_ref().to_os_string());
        self.env.push(pair);
        self
    }

    /// Sets the standard input.
    pub fn stdin(mut self, stdin: impl Into<Stdin>) -> Self {
        self.stdin = stdin.into();
        self
    }

    /// Sets the destination of the standard output.
    pub fn stdout(mut self, stdout: Stdout) -> Self {
        self.stdout = stdout;
        self
    }

    /// Sets the time limit, after which the test fails.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Replaces every `from` in stdout and stderr with `to` before anything is
    /// compared: for paths and ports, which differ from run to run.
    pub fn redact(mut self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> Self {
        let bytes = |text: &OsStr| text.as_encoded_bytes().to_vec();
        self.redactions
            .push((bytes(from.as_ref()), bytes(to.as_ref())));
        self
    }

    /// Runs the program until it exits.
    #[track_caller]
    pub fn run(self) -> Outcome {
        let scratch = Project::new();
        let command = self.line();
        let end = Instant::now() + self.limit;
        let mut child = self.spawn(&scratch, end);
        let pid = child.id();

        let taken = self.feed(&mut child);
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        // Held until the program has exited, which keeps `Stdin::Open` open.
        let held = child.stdin.take();
        let status = until(end, &later(move || child.wait()));
        // A process that outlives the program and holds its pipes is bound by the limit as well.
        let (stdout, stderr) = (until(end, &stdout), until(end, &stderr));
        let (Some(Ok(status)), Some(stdout), Some(stderr)) = (status, stdout, stderr) else {
            end_group(pid);
            panic!("`{command}` did not end within {:?}", self.limit);
        };
        drop(held);
        let taken = taken.is_none_or(|taken| until(end, &taken).unwrap_or(false));
        let (stdout, stderr) = (self.redacted(stdout), self.redacted(stderr));
        Outcome::new(command, status.into(), stdout, stderr, taken)
    }

    #[track_caller]
    fn spawn(&self, scratch: &Project, end: Instant) -> Child {
        let mut command = self.stdin.command(&self.program, &self.args);
        let path = std::env::join_paths(&self.path).expect("a PATH entry holds a colon");
        command
            .current_dir(self.cwd.clone().unwrap_or_else(|| scratch.root()))
            .env_clear()
            .env("HOME", self.home.clone().unwrap_or_else(|| scratch.home()))
            .env("PATH", path)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(self.stdin.stdio())
            .stdout(self.stdout.stdio())
            .stderr(Stdio::piped())
            .process_group(0);
        loop {
            match command.spawn() {
                Ok(child) => return child,
                // Another thread forked while this program's file was being
                // written, and has not yet dropped its copy of the descriptor.
                Err(error)
                    if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < end =>
                {
                    thread::yield_now();
                }
                Err(error) => panic!("cannot start {}: {error}", self.program.display()),
            }
        }
    }

    /// Writes the input in a separate thread, which sends whether the program read all
    /// of it.
    fn feed(&self, child: &mut Child) -> Option<Receiver<bool>> {
        let Stdin::Bytes(bytes) = &self.stdin else {
            return None;
        };
        let (mut pipe, bytes) = (child.stdin.take()?, bytes.clone());
        Some(later(move || pipe.write_all(&bytes).is_ok()))
    }

    fn redacted(&self, text: Vec<u8>) -> Vec<u8> {
        self.redactions
            .iter()
            .fold(text, |text, (from, to)| replace(&text, from, to))
    }

    /// The command line, for failure messages.
    fn line(&self) -> String {
        let mut line = self.program.file_name().map_or_else(
            || self.program.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        for arg in &self.args {
            line.push(' ');
            line.push_str(&arg.to_string_lossy());
        }
        line
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(from).filter(|_| !from.is_empty()) {
            replaced.extend_from_slice(to);
            rest = after;
        } else {
            replaced.push(rest[0]);
            rest = &rest[1..];
        }
    }
    replaced
}
