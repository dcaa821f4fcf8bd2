//! The only way out of a network of its own: a proxy for HTTP, which reaches the hosts of a policy.
//!
//! Names are resolved here, and the address that was checked is the one that is connected to. The
//! threads stay in the network of the user; only their listener is in the other one.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use cogtools_hosts::{HostRule, canonical_host, is_named, permits, split_port};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The number of connections at the same time.
const WORKERS: usize = 32;
/// The stack of a thread, in bytes.
const STACK: usize = 128 << 10;
/// The memory of all threads, in bytes: their stacks, and what the allocator keeps for each.
pub(crate) const MEMORY: u64 = 32 * (288 << 10);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// The bytes that are on the way in each direction.
const BUFFER: usize = 16 << 10;
/// The time after which a connection that could not be accepted is tried again.
const RETRY: Duration = Duration::from_millis(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit of a head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a connection without traffic is closed.
const IDLE: Timespec = Timespec {
    tv_sec: 300,
    tv_nsec: 0,
};

/// Variables that name a proxy for most programs, and their exceptions.
const PROXY: [&str; 4] = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
const EXCEPTIONS: [&str; 4] = ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"];
/// The variable that makes Node.js read them.
const NODE: &str = "NODE_USE_ENV_PROXY";

/// Threads that wait for a listener.
pub(crate) struct Proxy(Vec<Sender<Arc<TcpListener>>>);

impl Proxy {
    /// Starts the threads in the network of the calling one.
    ///
    /// # Errors
    ///
    /// The system has no more threads.
    pub(crate) fn start(hosts: &[HostRule]) -> io::Result<Self> {
        let hosts: Arc<[HostRule]> = hosts.into();
        let worker = |_| {
            let (sender, listener) = channel::<Arc<TcpListener>>();
            let hosts = Arc::clone(&hosts);
            thread::Builder::new().stack_size(STACK).spawn(move || {
                for listener in listener {
                    serve(&listener, &hosts);
                }
            })?;
            Ok(sender)
        };
        let workers: io::Result<_> = (0..WORKERS).map(worker).collect();
        workers.map(Self)
    }

    /// Accepts connections of `listener`, which `command` is told of.
    ///
    /// # Errors
    ///
    /// The listener has no address.
    pub(crate) fn listen(self, listener: TcpListener, command: &mut Command) -> io::Result<()> {
        let url = format!("http://{}", listener.local_addr()?);
        command.envs(PROXY.map(|name| (name, &url))).env(NODE, "1");
        for name in EXCEPTIONS {
            command.env_remove(name);
        }
        let listener = Arc::new(listener);
        for worker in self.0 {
            // A thread that has ended has no connection.
            let _ = worker.send(Arc::clone(&listener));
        }
        Ok(())
    }
}

/// Serves one connection after the other.
fn serve(listener: &TcpListener, hosts: &[HostRule]) {
    loop {
        match listener.accept() {
            // Nobody reads of a failure but the client, which gets an answer or an end.
            Ok((client, _)) => drop(answer(&client, hosts)),
            // There may be a descriptor for it again once another connection has ended.
            Err(_) => thread::sleep(RETRY),
        }
    }
}

fn answer(mut client: &TcpStream, hosts: &[HostRule]) -> io::Result<()> {
    client.set_read_timeout(Some(HEAD_TIMEOUT))?;
    client.set_write_timeout(Some(HEAD_TIMEOUT))?;
    let (head, body) = read_head(client)?;
    let Some(request) = Request::parse(&head) else {
        return refuse(client, "400 Bad Request", "this is no request to a proxy");
    };
    let server = match connect(&request.host, request.port, hosts) {
        Ok(server) => server,
        Err(refusal) => {
            let (status, reason) = refusal.describe();
            let message = format!("{}:{}: {reason}", request.host, request.port);
            return refuse(client, status, &message);
        }
    };
    match request.head {
        Some(head) => (&server).write_all(&head)?,
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
    }
    (&server).write_all(&body)?;
    forward(client, &server)
}

fn refuse(mut client: &TcpStream, status: &str, message: &str) -> io::Result<()> {
    let body = format!("cogtools: {message}\n");
    let length = body.len();
    let head = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
    let text = format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}");
    client.write_all(text.as_bytes())
}

/// Reads the head of a request, and what came after it.
fn read_head(mut client: &TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let count = client.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(end) = bytes.windows(END.len()).position(|it| it == END) {
            let body = bytes.split_off(end + END.len());
            return Ok((bytes, body));
        }
        if count == 0 || bytes.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// A request to a proxy.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    /// The host, in its canonical form.
    host: String,
    port: u16,
    /// The head for the server; none for a tunnel.
    head: Option<Vec<u8>>,
}

impl Request {
    fn parse(head: &[u8]) -> Option<Self> {
        let text = str::from_utf8(head).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        if method == "CONNECT" {
            let (host, port) = split_port(target)?;
            return Some(Self {
                host: canonical_host(host),
                port: port?,
                head: None,
            });
        }
        let rest = target.strip_prefix("http://")?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (host, port) = split_port(authority)?;
        if host.is_empty() || host.contains('@') {
            return None;
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        // One request a connection, so that each is checked.
        let mut own = format!(
            "{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n"
        );
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, _) = line.split_once(':')?;
            let name = name.to_ascii_lowercase();
            if name != "host" && name != "connection" && !name.starts_with("proxy-") {
                own.push_str(line);
                own.push_str("\r\n");
            }
        }
        own.push_str("\r\n");
        Some(Self {
            host: canonical_host(host),
            port: port.unwrap_or(80),
            head: Some(own.into_bytes()),
        })
    }
}

/// Why a host is not connected to.
#[derive(Debug, PartialEq, Eq)]
enum Refusal {
    /// No rule names it.
    NotNamed,
    /// All of its addresses are private.
    Private,
    /// It has no address, or does not answer.
    Unreachable(String),
}

impl Refusal {
    fn describe(&self) -> (&'static str, String) {
        match self {
            Self::NotNamed => (
                "403 Forbidden",
                "the sandbox does not name this host under `net`".to_owned(),
            ),
            Self::Private => (
                "403 Forbidden",
                "it has a private address, so the sandbox has to name it without `*`".to_owned(),
            ),
            Self::Unreachable(reason) => ("502 Bad Gateway", reason.clone()),
        }
    }
}

/// Connects to the first address of the host that `hosts` permit.
fn connect(host: &str, port: u16, hosts: &[HostRule]) -> Result<TcpStream, Refusal> {
    if !is_named(hosts, host, port) {
        return Err(Refusal::NotNamed);
    }
    let unreachable = |error: io::Error| Refusal::Unreachable(error.to_string());
    let found = (host, port).to_socket_addrs().map_err(unreachable)?;
    let mut refusal = Refusal::Private;
    let is_permitted = |address: &SocketAddr| permits(hosts, host, port, address.ip());
    for address in found.filter(is_permitted) {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => refusal = unreachable(error),
        }
    }
    Err(refusal)
}

/// Bytes on the way from one stream to another.
struct Pipe<'s> {
    from: &'s TcpStream,
    to: &'s TcpStream,
    bytes: Vec<u8>,
    is_ended: bool,
}

impl<'s> Pipe<'s> {
    const fn new(from: &'s TcpStream, to: &'s TcpStream) -> Self {
        Self {
            from,
            to,
            bytes: Vec::new(),
            is_ended: false,
        }
    }

    /// Returns true if nothing is on the way, and nothing more comes.
    fn is_done(&self) -> bool {
        self.is_ended && self.bytes.is_empty()
    }

    /// The stream that has to be ready, and for what.
    fn waits_for(&self) -> PollFd<'s> {
        if self.bytes.is_empty() {
            PollFd::new(self.from, PollFlags::IN)
        } else {
            PollFd::new(self.to, PollFlags::OUT)
        }
    }

    /// Reads or writes once.
    fn step(&mut self) -> io::Result<()> {
        let would_block = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        };
        if self.bytes.is_empty() {
            let mut buffer = vec![0; BUFFER];
            let read = (&*self.from).read(&mut buffer).map(Some);
            if let Some(count) = read.or_else(would_block)? {
                buffer.truncate(count);
                self.bytes = buffer;
                self.is_ended = count == 0;
            }
        } else {
            let written = (&*self.to).write(&self.bytes).map(Some);
            let count = written.or_else(would_block)?.unwrap_or(0);
            self.bytes.drain(..count);
        }
        if self.is_done() {
            self.to.shutdown(Shutdown::Write)?;
        }
        Ok(())
    }
}

/// Passes bytes on in both directions, until both have ended.
fn forward(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    client.set_nonblocking(true)?;
    server.set_nonblocking(true)?;
    let mut pipes = [Pipe::new(client, server), Pipe::new(server, client)];
    loop {
        let mut waiting: Vec<&mut Pipe<'_>> =
            pipes.iter_mut().filter(|pipe| !pipe.is_done()).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let mut events: Vec<PollFd<'_>> = waiting.iter().map(|pipe| pipe.waits_for()).collect();
        match poll(&mut events, Some(&IDLE)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = events.iter().map(|it| !it.revents().is_empty()).collect();
        let pipes = waiting.iter_mut().zip(ready);
        for (pipe, _) in pipes.filter(|(_, is_ready)| *is_ready) {
            pipe.step()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Option<(String, u16, Option<String>)> {
        let request = Request::parse(head.replace('\n', "\r\n").as_bytes())?;
        let own = request.head.and_then(|head| String::from_utf8(head).ok());
        Some((
            request.host,
            request.port,
            own.map(|own| own.replace("\r\n", "\n")),
        ))
    }

    #[test]
    fn a_head_is_for_one_request_to_one_host() {
        let own = |line: &str, rest: &str| {
            Some(format!(
                "{line}\nHost: A.example\nConnection: close\n{rest}\n"
            ))
        };
        for (head, expected) in [
            (
                "CONNECT A.example.:443 HTTP/1.1\n\n",
                Some(("a.example", 443, None)),
            ),
            ("CONNECT a.example HTTP/1.1\n\n", None),
            (
                "GET http://A.example HTTP/1.0\n\n",
                Some(("a.example", 80, own("GET / HTTP/1.1", ""))),
            ),
            (
                "GET http://A.example?q=/ HTTP/1.1\nHost: b\nConnection: keep-alive\nProxy-Authorization: x\nA: b\n\n",
                Some(("a.example", 80, own("GET /?q=/ HTTP/1.1", "A: b\n"))),
            ),
            ("GET https://a.example/ HTTP/1.1\n\n", None),
            ("GET http://u@a.example/ HTTP/1.1\n\n", None),
            ("GET http:/// HTTP/1.1\n\n", None),
            ("GET /a HTTP/1.1\nHost: a\n\n", None),
            ("GET http://a.example/ HTTP/1.1 x\n\n", None),
            ("GET http://a.example/ HTTP/2\n\n", None),
            ("GET http://a.example/ HTTP/1.1\nno header\n\n", None),
            ("", None),
        ] {
            let expected = expected.map(|(host, port, head)| (host.to_owned(), port, head));
            assert_eq!(parse(head), expected, "{head}");
        }
    }
}
