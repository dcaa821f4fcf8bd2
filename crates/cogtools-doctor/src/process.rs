//! A program that is run to its end, bounded in time and output.
//!
//! What is looked at may be broken: a program that never ends or never stops
//! talking must not take the doctor with it.

use std::ffi::OsStr;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_gemini::Vars;

/// What Gemini CLI takes from a discovery command: 10 MiB of each stream.
pub(crate) const LIMIT: usize = 10 << 20;
/// How long anything may take. Gemini CLI itself would wait for ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long the streams of a program that has ended may stay open.
const GRACE: Duration = Duration::from_secs(2);

/// What a program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit status; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("did not end within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("ended, but left its output open for {} s", GRACE.as_secs())]
    Open,
    #[error("printed more than {} MiB", LIMIT >> 20)]
    TooMuch,
}

/// Runs `program` in `cwd` with exactly these variables, `input` on its standard
/// input, and no more than `patience`.
pub(crate) fn run(
    program: &Path,
    args: &[impl AsRef<OsStr>],
    (cwd, vars): (&Path, &Vars),
    input: &[u8],
    patience: Duration,
) -> Result<Ran, RunError> {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(cwd)
        .env_clear()
        .envs(vars)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(RunError::Start)?;
    let input = input.to_vec();
    if let Some(mut stdin) = child.stdin.take() {
        // Whether it reads what it is given is its own affair.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let code = wait(&mut child, patience)?;
    // What the program left running may hold them open; Gemini CLI would wait.
    let took = |stream: &Receiver<Vec<u8>>| stream.recv_timeout(GRACE);
    let ran = Ran {
        code,
        stdout: took(&stdout).map_err(|_| RunError::Open)?,
        stderr: took(&stderr).map_err(|_| RunError::Open)?,
    };
    if ran.stdout.len() > LIMIT || ran.stderr.len() > LIMIT {
        return Err(RunError::TooMuch);
    }
    Ok(ran)
}

/// Waits for the end of `child`, and ends it when that takes too long.
fn wait(child: &mut Child, patience: Duration) -> Result<Option<i32>, RunError> {
    let end = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if Instant::now() < end => thread::sleep(pause),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(RunError::Timeout(patience));
            }
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// All of a stream, or one byte more than it may have.
fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = stream.take(LIMIT as u64 + 1).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// The first line of what a program printed, as it can be shown.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("nothing").trim().to_owned()
}

impl Ran {
    /// How it ended, in words.
    pub(crate) fn end(&self) -> String {
        self.code.map_or_else(
            || "was ended by a signal".to_owned(),
            |code| format!("ended with status {code}"),
        )
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, input: &[u8], expected: &str) {
        let shell = Path::new("/bin/sh");
        let mut vars = Vars::new();
        vars.insert("PATH".into(), "/usr/bin:/bin".into());
        let patience = Duration::from_millis(900);
        let place = (Path::new("/"), &vars);
        let found = match run(shell, &["-c", script], place, input, patience) {
            Err(error) => error.to_string(),
            Ok(ran) => format!(
                "{}: {} {}",
                ran.end(),
                ran.stdout.len(),
                first_line(&ran.stderr)
            ),
        };
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn everything_ends() {
        check(
            "cat; echo no >&2; exit 3",
            b"four",
            "ended with status 3: 4 no",
        );
        check("exec sleep 60", b"", "did not end within 0.9 s");
        check("sleep 60 &", b"", "ended, but left its output open for 2 s");
        check("exec yes", b"", "printed more than 10 MiB");
        check(
            "exit 0",
            &vec![b'x'; 1 << 20],
            "ended with status 0: 0 nothing",
        );
        check("kill -9 $$", b"", "was ended by a signal: 0 nothing");
    }
}
