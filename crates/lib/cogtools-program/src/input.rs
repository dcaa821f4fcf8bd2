//! Standard input, read to its end with a timeout.
//!
//! A thread reads from the start of the run, so that the host can write while the tool is
//! being loaded. It stores at most [`Input::MAX_BYTES`] bytes, and reads and discards the rest.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use cogtools_core::{Code, Diagnostic};

/// Standard input.
pub struct Input {
    state: State,
    terminal: bool,
    /// Discards what was typed at the terminal and not read.
    discard: fn(),
    /// Waits a moment for a line at the terminal; true if there is one, or never will be.
    has_line: fn() -> bool,
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

/// Reasons why the input could not be read.
#[derive(Debug)]
pub enum InputError {
    /// It is a terminal, where people do not type JSON.
    Terminal,
    /// It is longer than [`Input::MAX_BYTES`] bytes.
    TooLarge,
    /// It did not end in time.
    TimedOut(Duration),
    /// It cannot be read.
    Failed(std::io::Error),
}

impl InputError {
    /// The diagnostic for input that could not be read. `what` is its noun with the verb, `smaller`
    /// and `end` are the hints for input that is too large or does not end, and `lines` returns
    /// command lines that send input.
    pub(crate) fn diagnostic<L: IntoIterator<Item = String>>(
        &self,
        what: &str,
        smaller: &str,
        end: &str,
        lines: impl FnOnce() -> L,
    ) -> Diagnostic {
        match self {
            Self::Terminal => {
                let message = "read from standard input, which is a terminal here";
                let diagnostic = Diagnostic::new(Code::Usage, format!("{what} {message}"));
                lines().into_iter().fold(diagnostic, Diagnostic::hint)
            }
            Self::TooLarge => {
                let message = format!("{what} larger than {} MiB", Input::MAX_BYTES >> 20);
                Diagnostic::new(Code::InvalidArgumentsSyntax, message).hint(smaller)
            }
            Self::TimedOut(after) => {
                let message = format!("standard input did not end within {} s", after.as_secs());
                Diagnostic::new(Code::Timeout, message).hint(end)
            }
            Self::Failed(error) => {
                let message = format!("standard input cannot be read: {error}");
                let hint = "check what standard input is connected to";
                Diagnostic::new(Code::IoFailed, message).hint(hint)
            }
        }
    }
}

impl Input {
    /// The maximum size of arguments: 16 MiB.
    pub const MAX_BYTES: usize = 16 << 20;
    /// Time to wait for the end of the input.
    pub const TIMEOUT: Duration = Duration::from_mins(1);
    /// The maximum length of a line that a person types.
    const MAX_LINE_BYTES: usize = 4 << 10;
    /// Time to wait for further input when it is only discarded.
    const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

    /// Input from `source`; `terminal` says whether that is a terminal.
    pub fn new(source: impl Read + Send + 'static, terminal: bool) -> Self {
        Self {
            state: State::Idle(Box::new(source)),
            terminal,
            discard: || {},
            has_line: || true,
        }
    }

    /// The input with functions that discard the keys typed before a question, and wait a moment
    /// for a line.
    #[must_use]
    pub(crate) fn with_terminal(self, discard: fn(), has_line: fn() -> bool) -> Self {
        Self {
            discard,
            has_line,
            ..self
        }
    }

    /// Empty input.
    pub fn empty() -> Self {
        Self {
            state: State::Ended,
            terminal: false,
            discard: || {},
            has_line: || true,
        }
    }

    /// Returns true if it is a terminal.
    pub const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Takes the source itself, for a program that exchanges messages instead of reading to the
    /// end. This input is empty afterwards.
    pub fn take(&mut self) -> Box<dyn Read + Send> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Idle(source) => source,
            State::Reading(_) | State::Ended => Box::new(std::io::empty()),
        }
    }

    /// Starts reading in the background, unless it is a terminal.
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
        // If the thread does not start, the sender is dropped, and `read` fails.
        let _ = thread.spawn(move || pump(source, &sender));
    }

    /// Waits for the end of the input and returns all of it.
    pub fn read(&mut self) -> Result<Vec<u8>, InputError> {
        if self.terminal {
            return Err(InputError::Terminal);
        }
        self.start();
        let deadline = Instant::now() + Self::TIMEOUT;
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Reading(receiver) => loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match receiver.recv_timeout(left) {
                    Ok(ReadEvent::Progress) if !left.is_zero() => {}
                    Ok(ReadEvent::End(result)) => return result,
                    Err(RecvTimeoutError::Disconnected) => {
                        let error = std::io::Error::other("the reading thread did not start");
                        return Err(InputError::Failed(error));
                    }
                    Ok(ReadEvent::Progress) | Err(RecvTimeoutError::Timeout) => {
                        return Err(InputError::TimedOut(Self::TIMEOUT));
                    }
                }
            },
            State::Idle(_) | State::Ended => Ok(Vec::new()),
        }
    }

    /// Discards what was typed at a terminal until now: it cannot answer a question that the
    /// user has not seen.
    pub fn discard_typed(&self) {
        if self.terminal {
            (self.discard)();
        }
    }

    /// Discards what was typed at a terminal, for a question from another thread.
    #[cfg(feature = "questions")]
    pub(crate) const fn discard(&self) -> fn() {
        self.discard
    }

    /// Reads a line from a terminal, without its line ending; `None` at the end of the input, if
    /// it is not a terminal, or once `is_over` returns true.
    pub(crate) fn line(&mut self, is_over: impl Fn() -> bool) -> std::io::Result<Option<String>> {
        let State::Idle(source) = &mut self.state else {
            return Ok(None);
        };
        if !self.terminal {
            return Ok(None);
        }
        while !(self.has_line)() {
            if is_over() {
                return Ok(None);
            }
        }
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < Self::MAX_LINE_BYTES {
            match source.read(&mut byte) {
                Ok(0) if line.is_empty() => return Ok(None),
                Ok(0) => break,
                Ok(_) if byte[0] == b'\n' => break,
                Ok(_) => line.push(byte[0]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let text = String::from_utf8_lossy(&line);
        Ok(Some(text.trim_end_matches('\r').to_owned()))
    }

    /// Lets the other side finish writing, as long as it keeps writing.
    pub(crate) fn drain(&mut self) {
        let deadline = Instant::now() + Self::TIMEOUT;
        if let State::Reading(receiver) = std::mem::replace(&mut self.state, State::Ended) {
            while Instant::now() < deadline {
                match receiver.recv_timeout(Self::DRAIN_TIMEOUT) {
                    Ok(ReadEvent::Progress) => {}
                    Ok(ReadEvent::End(_))
                    | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }
}

fn pump(mut source: Box<dyn Read + Send>, events: &Sender<ReadEvent>) {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    let mut too_large = false;
    let result = loop {
        match source.read(&mut chunk) {
            Ok(0) if too_large => break Err(InputError::TooLarge),
            Ok(0) => break Ok(bytes),
            Ok(count) => {
                too_large |= bytes.len() + count > Input::MAX_BYTES;
                if too_large {
                    bytes = Vec::new();
                } else {
                    bytes.extend_from_slice(&chunk[..count]);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break Err(InputError::Failed(error)),
        }
        // Even if the receiver is gone, the other side must be able to finish writing.
        let _ = events.send(ReadEvent::Progress);
    };
    let _ = events.send(ReadEvent::End(result));
}
