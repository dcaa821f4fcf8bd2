//! A collector of OpenTelemetry, which keeps what it gets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// It listens until the test ends.
pub(super) struct Collector {
    url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request that it got.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

impl Collector {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream, &kept));
            }
        });
        let url = format!("http://{address}");
        Self { url, requests }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests
            .lock()
            .expect("no thread has panicked")
            .clone()
    }
}

/// Answers the requests on a connection.
fn serve(stream: TcpStream, kept: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("the headers end");
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the body is whole");
        kept.lock()
            .expect("no thread has panicked")
            .push(Request { path, body });
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        if reader.get_mut().write_all(answer).is_err() {
            return;
        }
    }
}
