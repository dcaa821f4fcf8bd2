//! The server: one thread per connection, one script for all of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use super::options::Options;
use super::reply::Reply;
use super::request::{Kind, Request};
use super::state::State;
use super::tokens::Usage;
use super::turn::Turn;
use super::unfinished::Unfinished;
use crate::http::{End, Incoming};

/// The interval at which a hanging connection checks that the fake still exists.
const HANG: Duration = Duration::from_millis(50);

/// A Gemini API on 127.0.0.1 that plays a script.
#[derive(Debug)]
#[must_use = "finish it to learn what it saw"]
pub struct FakeGemini {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// True if the server is to stop.
    stop: Arc<AtomicBool>,
    finished: bool,
}

/// The conversation after a script was played to its end without an error.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// All requests, in order of arrival.
    pub requests: Vec<Request>,
}

impl FakeGemini {
    /// Starts to listen; each request for content is answered with the next turn.
    pub fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(Options::default(), turns)
    }

    /// Starts to listen for a host, whose auxiliary requests do not advance the script.
    pub fn for_host(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(Options::default().answer_side_requests(), turns)
    }

    /// Starts to listen with these options.
    pub fn with(options: Options, turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("no free port on 127.0.0.1");
        let address = listener.local_addr().expect("a listener has an address");
        let turns = turns.into_iter().collect();
        let state = Arc::new(Mutex::new(State::new(options, turns, address.port())));
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (Arc::clone(&state), Arc::clone(&stop));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (state, stop) = (Arc::clone(&shared), Arc::clone(&stopped));
                // A client that disconnects early does not affect the script.
                thread::spawn(move || serve(stream, &state, &stop));
            }
        });
        Self {
            address,
            state,
            stop,
            finished: false,
        }
    }

    /// The base URL, for `GOOGLE_GEMINI_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// The reasons for which the API would have refused requests so far.
    pub fn complaints(&self) -> Vec<String> {
        lock(&self.state).refused.clone()
    }

    /// Ends the script: all turns must have been played and no request refused.
    #[track_caller]
    pub fn finish(self) -> Conversation {
        self.try_finish().unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// Like [`finish`](Self::finish), but returns the failure instead of panicking.
    pub fn try_finish(mut self) -> Result<Conversation, Unfinished> {
        self.finished = true;
        let mut state = lock(&self.state);
        match state.unfinished() {
            Some(unfinished) => Err(unfinished),
            None => Ok(Conversation {
                requests: std::mem::take(&mut state.requests),
            }),
        }
    }
}

impl Drop for FakeGemini {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the listener, which then ends.
        let _ = TcpStream::connect(self.address);
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

    /// The tokens of all requests for content.
    pub fn usage(&self) -> Usage {
        self.main()
            .iter()
            .fold(Usage::default(), |sum, request| sum + request.usage)
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

fn serve(stream: TcpStream, state: &Mutex<State>, stop: &AtomicBool) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut connection = Connection {
        reader: BufReader::new(stream),
    };
    while let Some(incoming) = Incoming::read(&mut connection)? {
        let close = incoming.header("connection") == Some("close");
        let answer = lock(state).answer(&incoming);
        if let Some(work) = answer.meanwhile {
            work();
        }
        let end = match answer.reply {
            Reply::Response(outgoing) => outgoing.write(&mut connection)?,
            Reply::Nothing(end) => end,
        };
        match end {
            End::Complete if !close => {}
            End::Complete | End::Cut => return Ok(()),
            End::Reset => {
                return SockRef::from(connection.reader.get_ref()).set_linger(Some(Duration::ZERO));
            }
            End::Hang => return hang(&mut connection, stop),
        }
    }
    Ok(())
}

/// Says nothing until the client gives up, or the fake ends.
fn hang(connection: &mut Connection, stop: &AtomicBool) -> io::Result<()> {
    connection.reader.get_ref().set_read_timeout(Some(HANG))?;
    while !stop.load(Ordering::Relaxed) {
        match connection.read(&mut [0]) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
