//! The process that evaluates a program: `cogtools-js` with its streams kept open. It sends events
//! and waits for replies; nothing else reaches it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::environment::Vars;
use cogtools_core::javascript::{Event, Reply, Request, Script, ScriptError, ScriptErrorKind};
use cogtools_core::process::{Group, Process};
use cogtools_core::{Cancel, Diagnostic};

use crate::calls::Runner;

/// The time that the code may take itself, without its calls.
const JS_TIME: Duration = Duration::from_secs(5);
/// Maximum bytes of an event: the calls of a block, each with its arguments.
const MAX_EVENT_BYTES: u64 = 256 << 20;
/// Interval at which cancellation is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The end of the code.
pub(crate) enum End {
    /// It returned JSON, or nothing.
    Returned(Option<String>),
    /// It failed by itself.
    Failed(ScriptError),
    /// The caller ended it.
    Stopped(Box<Diagnostic>),
}

/// A process that evaluates, and waits for its code.
pub(crate) struct Worker {
    group: Group,
    stdin: ChildStdin,
    events: Receiver<Vec<u8>>,
}

impl Worker {
    /// Starts the `cogtools-js` in the folder `programs`, which takes milliseconds to be ready.
    pub(crate) fn start(programs: Option<&Path>) -> Result<Self, ScriptErrorKind> {
        let file = Script::file(programs).ok_or(ScriptErrorKind::NotInstalled)?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
        let time = JS_TIME.as_millis().to_string();
        let process = Process::new(&file, folder)
            .args([Script::CALLS, Script::OPTION, &time])
            .variables(Vars::from([("TZ".into(), "UTC0".into())]));
        let started = process.start().and_then(Self::new);
        started.map_err(|error| ScriptErrorKind::Start(error.to_string()))
    }

    /// Evaluates the code of `request`.
    pub(crate) fn evaluate(
        mut self,
        request: &Request,
        args: &str,
        cancel: &Cancel,
        runner: &mut Runner<'_, '_>,
    ) -> End {
        let mut input = request.encode(args);
        input.push(b'\n');
        match self.stdin.write_all(&input) {
            Ok(()) => self.serve(cancel, runner),
            Err(error) => End::Failed(ScriptErrorKind::Start(error.to_string()).into()),
        }
    }

    fn new(mut group: Group) -> std::io::Result<Self> {
        let child = group.child();
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no streams"));
        };
        // It is not a stream of the code.
        drop(child.stderr.take());
        let (sender, events) = sync_channel(64);
        thread::Builder::new().spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            while matches!(
                (&mut stdout)
                    .take(MAX_EVENT_BYTES)
                    .read_until(b'\n', &mut line),
                Ok(1..)
            ) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self {
            group,
            stdin,
            events,
        })
    }

    fn serve(&mut self, cancel: &Cancel, runner: &mut Runner<'_, '_>) -> End {
        loop {
            let left = runner.deadline.saturating_duration_since(Instant::now());
            let kind = match self.events.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(line) => match self.handle(&line, runner) {
                    Ok(None) => continue,
                    Ok(Some(end)) => return end,
                    Err(diagnostic) => return End::Stopped(diagnostic),
                },
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.group.reap();
                    let how = status.map_or_else(|it| it.to_string(), |it| it.to_string());
                    ScriptErrorKind::Crashed(how)
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    ScriptErrorKind::Cancelled
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    ScriptErrorKind::Timeout(runner.program.timeout)
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            return End::Failed(kind.into());
        }
    }

    /// Handles an event; returns the end if it is the last one.
    fn handle(
        &mut self,
        line: &[u8],
        runner: &mut Runner<'_, '_>,
    ) -> Result<Option<End>, Box<Diagnostic>> {
        let answers = match serde_json::from_slice(line) {
            Ok(Event::Calls { calls, limit }) => {
                runner.calls(calls, usize::try_from(limit).unwrap_or(usize::MAX))?
            }
            Ok(Event::Search { query, limit }) => {
                vec![runner.search(&query, usize::try_from(limit).unwrap_or(usize::MAX))]
            }
            Ok(Event::Describe(names)) => vec![runner.describe(&names)],
            Ok(Event::Print(text)) => return runner.print(text).map(|()| None),
            Ok(Event::Store(json)) => return runner.store(&json).map(|()| None),
            Ok(Event::Log(_)) => return Ok(None),
            Ok(Event::Result { json, .. }) => return Ok(Some(End::Returned(Some(json)))),
            Ok(Event::Nothing { .. }) => return Ok(Some(End::Returned(None))),
            Ok(Event::Error(error)) => return Ok(Some(End::Failed(error))),
            Err(error) => {
                let kind = ScriptErrorKind::Crashed(error.to_string());
                return Ok(Some(End::Failed(kind.into())));
            }
        };
        let reply = Reply {
            now: runner.now,
            answers,
        };
        let reply = serde_json::to_vec(&reply).unwrap_or_default();
        // The next event, or the end of all, tells why it does not read.
        let _ = self.stdin.write_all(&[reply.as_slice(), b"\n"].concat());
        Ok(None)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.group.kill();
        let _ = self.group.reap();
    }
}
