//! Standard input that is always read to its end, and never waited for in vain.
//!
//! A thread reads from the start of the run, so that the host can write while
//! the tool is being loaded, keeps at most [`Input::LIMIT`] bytes, and goes on
//! reading (and forgetting) until the end.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Standard input.
pub struct Input {
    state: State,
    terminal: bool,
}

enum State {
    Idle(Box<dyn Read + Send>),
    Reading(Receiver<ReadEvent>),
    Ended,
}

enum ReadEvent {
    Progress,
    End(Result<Vec<u8>, InputError>),
}

/// Why there is no input to work with.
#[derive(Debug)]
pub enum InputError {
    /// It is a terminal: nobody would type JSON there.
    Terminal,
    /// There is more than [`Input::LIMIT`] bytes of it.
    TooLarge,
    /// It did not end in time.
    TimedOut(Duration),
    /// It cannot be read.
    Failed(std::io::Error),
}

impl Input {
    /// How many bytes of arguments are accepted: 16 MiB.
    pub const LIMIT: usize = 16 << 20;
    /// How long to wait for the end of the input.
    pub const PATIENCE: Duration = Duration::from_mins(1);
    /// How long a line may be that a person types.
    const LINE: usize = 4 << 10;
    /// How long to wait for further input that nobody will look at.
    const GRACE: Duration = Duration::from_secs(2);

    /// Input from `source`; `terminal` when a person sits at the other end.
    pub fn new(source: impl Read + Send + 'static, terminal: bool) -> Self {
        Self {
            state: State::Idle(Box::new(source)),
            terminal,
        }
    }

    /// Input that is at its end.
    pub fn empty() -> Self {
        Self {
            state: State::Ended,
            terminal: false,
        }
    }

    /// Whether a person sits at the other end.
    pub const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// The source itself, for a program that talks with the other side instead of
    /// reading to the end. From then on this input is at its end.
    pub fn take(&mut self) -> Box<dyn Read + Send> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Idle(source) => source,
            State::Reading(_) | State::Ended => Box::new(std::io::empty()),
        }
    }

    /// Begins to read in the background, unless it is a terminal.
    pub(crate) fn start(&mut self) {
        if self.terminal || !matches!(self.state, State::Idle(_)) {
            return;
        }
        let State::Idle(source) = std::mem::replace(&mut self.state, State::Ended) else {
            return;
        };
        let (sender, receiver) = channel();
        self.state = State::Reading(receiver);
        let thread = std::thread::Builder::new().name("stdin".into());
        // Without a thread the sender is gone at once, and `read` says so.
        let _ = thread.spawn(move || pump(source, &sender));
    }

    /// All of the input, once its end has come.
    pub fn read(&mut self) -> Result<Vec<u8>, InputError> {
        if self.terminal {
            return Err(InputError::Terminal);
        }
        self.start();
        let deadline = Instant::now() + Self::PATIENCE;
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Reading(receiver) => loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match receiver.recv_timeout(left) {
                    Ok(ReadEvent::Progress) if !left.is_zero() => {}
                    Ok(ReadEvent::End(result)) => return result,
                    Err(RecvTimeoutError::Disconnected) => {
                        let error = std::io::Error::other("its reader did not start");
                        return Err(InputError::Failed(error));
                    }
                    Ok(ReadEvent::Progress) | Err(RecvTimeoutError::Timeout) => {
                        return Err(InputError::TimedOut(Self::PATIENCE));
                    }
                }
            },
            State::Idle(_) | State::Ended => Ok(Vec::new()),
        }
    }

    /// One line that a person types, without its line ending; `None` at the end of
    /// the input, and when nobody sits at the other end.
    pub fn line(&mut self) -> std::io::Result<Option<String>> {
        let State::Idle(source) = &mut self.state else {
            return Ok(None);
        };
        if !self.terminal {
            return Ok(None);
        }
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < Self::LINE {
            match source.read(&mut byte) {
                Ok(0) if line.is_empty() => return Ok(None),
                Ok(0) => break,
                Ok(_) if byte[0] == b'\n' => break,
                Ok(_) => line.push(byte[0]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let line = String::from_utf8_lossy(&line);
        Ok(Some(line.trim_end_matches('\r').to_owned()))
    }

    /// Lets the other side finish writing, for as long as it keeps writing.
    pub(crate) fn drain(&mut self) {
        let deadline = Instant::now() + Self::PATIENCE;
        if let State::Reading(receiver) = std::mem::replace(&mut self.state, State::Ended) {
            while Instant::now() < deadline {
                match receiver.recv_timeout(Self::GRACE) {
                    Ok(ReadEvent::Progress) => {}
                    Ok(ReadEvent::End(_))
                    | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }
}

fn pump(mut source: Box<dyn Read + Send>, beats: &Sender<ReadEvent>) {
    let mut kept = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    let mut over = false;
    let result = loop {
        match source.read(&mut chunk) {
            Ok(0) if over => break Err(InputError::TooLarge),
            Ok(0) => break Ok(kept),
            Ok(count) => {
                over |= kept.len() + count > Input::LIMIT;
                if over {
                    kept = Vec::new();
                } else {
                    kept.extend_from_slice(&chunk[..count]);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break Err(InputError::Failed(error)),
        }
        // Whoever listened may have left; the other side must still be read out.
        let _ = beats.send(ReadEvent::Progress);
    };
    let _ = beats.send(ReadEvent::End(result));
}
