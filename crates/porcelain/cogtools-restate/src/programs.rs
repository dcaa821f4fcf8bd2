//! The child processes of a worker: `cogtools flow show`, `node` and `output`.
//!
//! A child ends when its worker does: it is killed when nothing waits for it any more, and after a
//! `kill -9` of the worker it sees by itself that its parent is gone. It has a process group of its
//! own, so that Ctrl-C ends the worker and not a node.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use command_fds::{CommandFdExt as _, FdMapping};

use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::request::{AttemptTask, NodeEnd, Problem, Shown};

/// The descriptor on which a node reports its events.
const EVENTS: i32 = 3;
/// The most bytes of an output that are read.
const MAX_OUTPUT: u64 = 64 << 20;
/// The bytes at the end of the events that are looked at: that a node is skipped takes one short line.
const TAIL: usize = 4 << 10;

/// Starts children.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// The program `cogtools`.
    pub(crate) cogtools: PathBuf,
    /// The directory of the project.
    pub(crate) directory: PathBuf,
    /// The places for children that run at the same time.
    pub(crate) jobs: Arc<Semaphore>,
}

/// A child that has ended by itself.
struct Ended {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// The end of its events.
    events: Vec<u8>,
}

/// The child was killed: its effects are not known.
#[derive(Debug)]
pub(crate) struct Killed(ExitStatus);

impl std::fmt::Display for Killed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`cogtools flow` was ended from outside: {}", self.0)
    }
}

impl std::error::Error for Killed {}

impl Programs {
    /// Fails if there is no program to start.
    pub(crate) async fn check(&self) -> Result<(), Failure> {
        let message = match self.run(&["--version"], &[]).await {
            Ok(ended) if ended.status.success() => return Ok(()),
            Ok(ended) => format!("this is not cogtools: {}", ended.status),
            Err(error) => format!("cannot be run: {error}"),
        };
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        let diagnostic = diagnostic.with_subject(self.cogtools.display().to_string());
        Err(diagnostic.hint("`--cogtools` names the program").into())
    }

    /// Waits until another child may run, and holds its place.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.jobs.acquire().await.ok()
    }

    /// The graph of `flow`, and its arguments if `words` has some.
    pub(crate) async fn show(
        &self,
        flow: &str,
        words: &[String],
    ) -> Result<Result<Shown, Problem>, Killed> {
        let _turn = self.turn().await;
        let mut args = vec!["show", "--json", "--", flow];
        args.extend(words.iter().map(String::as_str));
        let ended = self.run(&args, &[]).await;
        let value = match value_of(ended)? {
            Ok((value, _)) => value,
            Err(problem) => return Ok(Err(problem)),
        };
        Ok(serde_json::from_value(value).map_err(|error| {
            let message = format!("`cogtools flow show` is of another version: {error}");
            Problem::new(Code::Internal, message)
        }))
    }

    /// Runs a node. The caller has waited for its turn.
    pub(crate) async fn node(&self, attempt: &AttemptTask) -> Result<NodeEnd, Killed> {
        let AttemptTask {
            task,
            number,
            answer,
        } = attempt;
        let (id, attempt) = (task.node.id.as_str(), number.to_string());
        let parent = std::process::id().to_string();
        let mut args = vec!["node", "--inputs=-", "--attempt", &attempt];
        args.extend(["--parent", &parent]);
        let digest = task.node.digest.as_deref();
        args.extend(digest.iter().flat_map(|digest| ["--digest", digest]));
        args.extend(task.locked.then_some("--locked"));
        let answer = answer
            .as_ref()
            .map(|answer| format!("--answer={id}={answer}"));
        args.extend(answer.as_deref());
        args.extend(["--", &task.flow, id]);
        let ended = self.run(&args, &json(&task.inputs)).await;
        Ok(match value_of(ended)? {
            Ok((_, is_skipped)) if is_skipped => NodeEnd::Skipped,
            Ok((value, _)) => NodeEnd::Succeeded { value },
            Err(problem) if problem.code == Code::AnswerWanted.name() => NodeEnd::Asks {
                question: problem.message,
            },
            Err(problem) => NodeEnd::Failed { problem },
        })
    }

    /// Computes nodes of a flow, whose results depend on `inputs` alone, and returns their ends.
    pub(crate) async fn compute(
        &self,
        (flow, digest): (&str, &str),
        nodes: &[String],
        inputs: &Map<String, Value>,
    ) -> Result<Result<BTreeMap<String, NodeEnd>, Problem>, Killed> {
        let _turn = self.turn().await;
        let mut args = vec![
            "node",
            "--ends",
            "--inputs=-",
            "--digest",
            digest,
            "--",
            flow,
        ];
        args.extend(nodes.iter().map(String::as_str));
        let ended = self.run(&args, &json(inputs)).await;
        let value = match value_of(ended)? {
            Ok((value, _)) => value,
            Err(problem) => return Ok(Err(problem)),
        };
        Ok(serde_json::from_value(value).map_err(|error| {
            let message = format!("`cogtools flow node` is of another version: {error}");
            Problem::new(Code::Internal, message)
        }))
    }

    /// The output of a flow.
    pub(crate) async fn output(
        &self,
        (flow, digest): (&str, &str),
        results: &Map<String, Value>,
    ) -> Result<Result<Value, Problem>, Killed> {
        let _turn = self.turn().await;
        let args = ["output", "--inputs=-", "--digest", digest, "--", flow];
        let ended = self.run(&args, &json(results)).await;
        Ok(value_of(ended)?.map(|(value, _)| value))
    }

    /// Runs `cogtools flow` with `args` and `input`.
    async fn run(&self, args: &[&str], input: &[u8]) -> io::Result<Ended> {
        let (reader, writer) = io::pipe()?;
        let mut events = pipe::Receiver::from_owned_fd(reader.into())?;
        let mut command = Command::new(&self.cogtools);
        command
            .args(["flow", "--error-format=json"])
            .args(args)
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mapping = FdMapping {
            parent_fd: writer.into(),
            child_fd: EVENTS,
        };
        command
            .fd_mappings(vec![mapping])
            .map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        // Its copy of the descriptor would keep the events open.
        drop(command);
        let (mut stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async move {
            if let Some(stdin) = &mut stdin {
                // A child that does not read its input says why.
                let _ = stdin.write_all(input).await;
            }
        };
        let ((), stdout, stderr, events) =
            tokio::join!(write, read(stdout), read(stderr), tail(&mut events));
        Ok(Ended {
            status: child.wait().await?,
            stdout: stdout?,
            stderr: stderr?,
            events: events?,
        })
    }
}

/// Reads the output of a child, and whether its node was skipped; or its failure.
fn value_of(ended: io::Result<Ended>) -> Result<Result<(Value, bool), Problem>, Killed> {
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let message = format!("`cogtools` cannot be run: {error}");
            return Ok(Err(Problem::new(Code::IoFailed, message)));
        }
    };
    // 128 and more are signals: that of the system, and those that `cogtools` reports itself.
    if ended.status.code().is_none_or(|status| status > 128) {
        return Err(Killed(ended.status));
    }
    if !ended.status.success() {
        return Ok(Err(problem_of(&ended)));
    }
    Ok(match serde_json::from_slice(&ended.stdout) {
        Ok(value) => Ok((value, is_skipped(&ended.events))),
        Err(error) => {
            let message = format!("the output of `cogtools flow` is not JSON: {error}");
            Err(Problem::new(Code::Internal, message))
        }
    })
}

/// The first failure that a child has reported.
fn problem_of(ended: &Ended) -> Problem {
    let text = String::from_utf8_lossy(&ended.stderr);
    let mut reported = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    reported.next().unwrap_or_else(|| {
        let message = format!("`cogtools flow` has failed: {}", ended.status);
        Problem::new(Code::Internal, message)
    })
}

/// Returns true if the last event says that the node is skipped.
fn is_skipped(events: &[u8]) -> bool {
    let text = String::from_utf8_lossy(events);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str::<Value>(last).is_ok_and(|event| event["state"] == "skipped")
}

fn json(inputs: &Map<String, Value>) -> Vec<u8> {
    // Serializing JSON cannot fail.
    serde_json::to_vec(inputs).unwrap_or_default()
}

async fn read(stream: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(MAX_OUTPUT).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// The last bytes of `stream`.
async fn tail(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let (mut kept, mut chunk) = (Vec::new(), vec![0; TAIL]);
    loop {
        let count = stream.read(&mut chunk).await?;
        if count == 0 {
            return Ok(kept);
        }
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(TAIL);
        kept.drain(..surplus);
    }
}
