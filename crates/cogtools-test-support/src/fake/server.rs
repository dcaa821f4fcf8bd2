//! The server: one thread per connection, one script for all of them.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::json;

use super::request::{Kind, Request};
use super::turn::{Says, Turn};
use super::{answer, rules};
use crate::http::{Incoming, Outgoing};

/// A Gemini API on 127.0.0.1 that plays a script.
#[derive(Debug)]
#[must_use = "finish it to learn what it saw"]
pub struct FakeGemini {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    finished: bool,
}

/// The conversation after a script was played to its end without an error.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// All requests, in order of arrival.
    pub requests: Vec<Request>,
}

#[derive(Debug, Default)]
struct State {
    turns: VecDeque<Turn>,
    requests: Vec<Request>,
    complaints: Vec<String>,
}

impl FakeGemini {
    /// Starts to listen; each main request is answered with the next turn.
    pub fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("no free port on 127.0.0.1");
        let address = listener.local_addr().expect("a listener has an address");
        let state = Arc::new(Mutex::new(State {
            turns: turns.into_iter().collect(),
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that disconnects early does not affect the script.
                thread::spawn(move || serve(stream, &state));
            }
        });
        Self {
            address,
            state,
            finished: false,
        }
    }

    /// The base URL, for `GOOGLE_GEMINI_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The reasons for which the API would have refused requests so far.
    pub fn complaints(&self) -> Vec<String> {
        lock(&self.state).complaints.clone()
    }

    /// Ends the script: all turns must have been played and no request refused.
    #[track_caller]
    pub fn finish(self) -> Conversation {
        self.try_finish().unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// Like [`finish`](Self::finish), but returns the failure instead of panicking.
    pub fn try_finish(mut self) -> Result<Conversation, String> {
        self.finished = true;
        let mut state = lock(&self.state);
        if !state.complaints.is_empty() {
            let complaints = state.complaints.join("\n");
            return Err(format!("the API would have refused this:\n{complaints}"));
        }
        if !state.turns.is_empty() {
            return Err(format!(
                "after {} requests these turns were still to be said: {:#?}",
                state.requests.len(),
                state.turns
            ));
        }
        Ok(Conversation {
            requests: std::mem::take(&mut state.requests),
        })
    }
}

impl Drop for FakeGemini {
    fn drop(&mut self) {
        assert!(
            self.finished || thread::panicking(),
            "a fake must be finished with `finish` or `try_finish`"
        );
    }
}

impl Conversation {
    /// The requests that were answered by the script.
    pub fn main(&self) -> Vec<&Request> {
        let requests = self.requests.iter();
        requests
            .filter(|request| request.kind == Kind::Main)
            .collect()
    }
}

/// A stream that is read through a buffer and written to directly.
struct Connection {
    reader: BufReader<TcpStream>,
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Connection {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.reader.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.reader.get_mut().flush()
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut connection = Connection {
        reader: BufReader::new(stream),
    };
    while let Some(incoming) = Incoming::read(&mut connection)? {
        let close = incoming.header("connection") == Some("close");
        respond(&incoming, state).write(&mut connection)?;
        if close {
            break;
        }
    }
    Ok(())
}

fn respond(incoming: &Incoming, state: &Mutex<State>) -> Outgoing {
    let request = Request::new(incoming);
    let mut complaints = match request.kind {
        Kind::Main | Kind::Side => rules::check(&request),
        Kind::Count | Kind::Models => Vec::new(),
        Kind::Unknown => vec![format!(
            "no such thing: {} {}",
            request.method, request.target
        )],
    };
    if incoming.header("x-goog-api-key").is_none() && !incoming.target.contains("key=") {
        complaints.push("Method doesn't allow unregistered callers".to_owned());
    }
    lock(state).requests.push(request.clone());
    if !complaints.is_empty() {
        let message = complaints.join("\n");
        lock(state).complaints.extend(complaints);
        return answer::error(400, "INVALID_ARGUMENT", &message);
    }
    match request.kind {
        Kind::Main => next(&request, state),
        Kind::Side => answer::side(&request),
        Kind::Count => answer::object(&json!({ "totalTokens": 10 })),
        Kind::Models | Kind::Unknown => answer::object(&json!({ "models": [
            { "name": "models/gemini-2.5-flash", "supportedGenerationMethods": ["generateContent"] },
        ] })),
    }
}

fn next(request: &Request, state: &Mutex<State>) -> Outgoing {
    let mut held = lock(state);
    let number = held.requests.len();
    let Some(mut turn) = held.turns.pop_front() else {
        held.complaints
            .push(format!("request {number} came after the last turn"));
        return answer::error(400, "INVALID_ARGUMENT", "the script has ended");
    };
    if let Says::Calls(calls) = &turn.says {
        let declared = request.declarations();
        for (name, _) in calls {
            if !declared.iter().any(|entry| entry["name"] == name.as_str()) {
                held.complaints.push(format!(
                    "the script calls {name}, which request {number} does not declare"
                ));
            }
        }
    }
    drop(held);
    if let Some(work) = turn.meanwhile.take() {
        work();
    }
    match &turn.says {
        Says::Error(code, status, message) => answer::error(*code, status, message),
        says => answer::content(request, &Turn::parts(says, number)),
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
