//! A server that is a program, over its standard streams: a message a line.
//!
//! Its process group is ours to end: first its standard input ends, as the
//! protocol has it, then it is asked, then it is not asked any more.

use std::io::{Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::process::{Exit, Group};
use cogtools_program::{Line, Lines, Vars};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc::{Receiver, channel};

use crate::error::ClientError;

/// The longest message.
pub(crate) const LONGEST: usize = 16 << 20;
/// How much of what is no message is passed over, in bytes.
const NOISE: usize = 1 << 20;
/// How much of a line that is no message is told, in characters.
const SHOWN: usize = 120;
/// How much of what it says on standard error is told: the end, in bytes.
const TOLD: usize = 2 << 10;
/// How long a server has to end once its input has ended, and once it is asked.
const GRACE: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_millis(200);

/// What was heard of a server besides its messages.
#[derive(Debug, Default)]
struct Heard {
    noise: Option<String>,
    passed: usize,
    too_large: bool,
    closed: bool,
    said: Vec<u8>,
}

/// The streams of a running server, for the protocol.
#[derive(Clone)]
pub(crate) struct Wire {
    messages: Arc<tokio::sync::Mutex<Receiver<ServerJsonRpcMessage>>>,
    pen: Arc<Mutex<Option<mpsc::Sender<Vec<u8>>>>>,
}

/// A running server.
pub(crate) struct Running {
    name: String,
    group: Group,
    wire: Wire,
    heard: Arc<Mutex<Heard>>,
}

impl Running {
    /// Starts the server `name`, with no variables but `vars`.
    pub(crate) fn start(
        name: &str,
        program: &str,
        args: &[String],
        vars: &Vars,
        cwd: &std::path::Path,
    ) -> Result<Self, ClientError> {
        let path = vars.get(std::ffi::OsStr::new("PATH"));
        let file = which::which_in(program, path, cwd)
            .map_err(|_| ClientError::NotFound(name.to_owned(), program.to_owned()))?;
        let mut command = Command::new(file);
        command.args(args).current_dir(cwd).env_clear().envs(vars);
        let pipes = [Command::stdin, Command::stdout, Command::stderr];
        for pipe in pipes {
            pipe(&mut command, Stdio::piped());
        }
        let failed = |error| ClientError::Start(name.to_owned(), error);
        let mut group = Group::start(&mut command).map_err(failed)?;
        let heard = Arc::<Mutex<Heard>>::default();
        let (pen, lines) = mpsc::channel::<Vec<u8>>();
        let (sender, messages) = channel(16);
        let leader = group.child();
        if let Some(mut stdin) = leader.stdin.take() {
            spawn("stdin", move || {
                for line in lines {
                    if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            })
            .map_err(failed)?;
        }
        if let Some(stdout) = leader.stdout.take() {
            let heard = Arc::clone(&heard);
            spawn("stdout", move || {
                read(stdout, &heard, &|message| {
                    sender.blocking_send(message).is_ok()
                });
                lock(&heard).closed = true;
            })
            .map_err(failed)?;
        }
        if let Some(stderr) = leader.stderr.take() {
            let heard = Arc::clone(&heard);
            spawn("stderr", move || listen(stderr, &heard)).map_err(failed)?;
        }
        let messages = Arc::new(tokio::sync::Mutex::new(messages));
        let pen = Arc::new(Mutex::new(Some(pen)));
        let wire = Wire { messages, pen };
        let name = name.to_owned();
        Ok(Self {
            name,
            group,
            wire,
            heard,
        })
    }

    /// Its streams.
    pub(crate) fn wire(&self) -> Wire {
        self.wire.clone()
    }

    /// Ends it and what it has started: at once, or with time to end by itself.
    /// How it ended.
    pub(crate) fn end(&mut self, at_once: bool) -> String {
        lock(&self.wire.pen).take();
        let died = lock(&self.heard).closed;
        if !at_once {
            self.wait(GRACE);
        }
        if !lock(&self.heard).closed {
            self.group.terminate();
            self.wait(LAST);
        } else if died {
            // Its streams are closed a moment before it has ended.
            thread::sleep(Duration::from_millis(50));
        }
        self.group.kill();
        let status = self.group.reap();
        status.map_or_else(
            |error| error.to_string(),
            |status| Exit::Status(status).describe(),
        )
    }

    fn wait(&self, time: Duration) {
        let end = Instant::now() + time;
        while !lock(&self.heard).closed && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What is wrong with it, if the protocol says only that it has gone.
    pub(crate) fn verdict(&mut self, step: &'static str) -> ClientError {
        let (too_large, noise) = {
            let heard = lock(&self.heard);
            let noise = heard.noise.clone().filter(|_| heard.passed > NOISE);
            (heard.too_large, noise)
        };
        let name = self.name.clone();
        match noise {
            _ if too_large => ClientError::TooLarge(name),
            Some(noise) => ClientError::Noise(name, noise),
            None => {
                let end = self.end(false);
                match self.noise() {
                    Some(noise) => ClientError::Noise(name, format!("{noise}; it {end}")),
                    None => ClientError::CapturedRun(name, end, step),
                }
            }
        }
    }

    /// The first line of it that was no message.
    pub(crate) fn noise(&self) -> Option<String> {
        lock(&self.heard).noise.clone()
    }

    /// The end of what it said on standard error.
    pub(crate) fn said(&self) -> String {
        let heard = lock(&self.heard);
        let start = heard.said.len().saturating_sub(TOLD);
        String::from_utf8_lossy(&heard.said[start..])
            .trim()
            .to_owned()
    }
}

impl Transport<RoleClient> for Wire {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let gone = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let sent = serde_json::to_vec(&item).map_err(std::io::Error::from);
        let sent = sent.and_then(|mut line| {
            line.push(b'\n');
            let pen = lock(&self.pen);
            let pen = pen.as_ref().ok_or_else(gone)?;
            pen.send(line).map_err(|_| gone())
        });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.messages.lock().await.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Reads messages until there are no more, or too much is none.
fn read(source: impl Read, heard: &Mutex<Heard>, send: &dyn Fn(ServerJsonRpcMessage) -> bool) {
    for line in Lines::new(source, LONGEST) {
        let Line::Text(line) = line else {
            lock(heard).too_large = true;
            return;
        };
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if let Ok(message) = serde_json::from_slice(text) {
            if !send(message) {
                return;
            }
            continue;
        }
        let mut heard = lock(heard);
        heard.passed += line.len();
        let shown = || String::from_utf8_lossy(text).chars().take(SHOWN).collect();
        heard.noise.get_or_insert_with(shown);
        if heard.passed > NOISE {
            return;
        }
    }
}

/// Keeps the end of what is said.
fn listen(mut source: impl Read, heard: &Mutex<Heard>) {
    let mut bytes = vec![0; 8 << 10];
    while let Ok(count @ 1..) = source.read(&mut bytes) {
        let said = &mut lock(heard).said;
        said.extend_from_slice(&bytes[..count]);
        let over = said.len().saturating_sub(2 * TOLD);
        said.drain(..over);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new()
        .name(name.into())
        .spawn(work)
        .map(drop)
}

/// A lock whose holder never leaves it half done.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
