//! Connections that stay open from call to call, in a process that stays.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Debug, Formatter};
use std::future::pending;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use cogtools_document::{Code, Diagnostic};
use cogtools_process::Cancel;
use cogtools_process::http::{HostRule, HttpReply, HttpTask, Requests};
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::sleep;

use crate::client::{Client, ClientOptions, PlainHttp, VARIABLES, Vars};
use crate::exchange::run;

/// The number of clients that are kept; the one that was used longest ago goes first.
const MAX_CLIENTS: usize = 16;
/// The longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a cancelled call is noticed.
const POLL: Duration = Duration::from_millis(20);

/// Clients for the requests of tools, each with the connections of those that may reach the same
/// hosts: what one tool may reach is no way for another one.
#[derive(Default)]
pub struct Clients(Mutex<Vec<(Reach, Client)>>);

/// The part of a call that decides where a connection may lead, and how.
#[derive(PartialEq)]
struct Reach {
    hosts: Vec<HostRule>,
    /// The time and the bytes of a response.
    limits: (Duration, u64),
    vars: Vec<Option<OsString>>,
}

impl Clients {
    /// Returns the client of calls that may reach `hosts`, and true if there was one already.
    pub(crate) fn find(
        &self,
        hosts: &[HostRule],
        limits: (Duration, u64),
        vars: &Vars,
    ) -> (Client, bool) {
        let read = |name: &&str| vars.get(OsStr::new(name)).cloned();
        let reach = Reach {
            hosts: hosts.to_vec(),
            limits,
            vars: VARIABLES.iter().map(read).collect(),
        };
        let mut clients = self.0.lock();
        if let Some(index) = clients.iter().position(|(other, _)| *other == reach) {
            let found = clients.remove(index);
            let client = found.1.clone();
            clients.push(found);
            return (client, true);
        }
        let mut options = ClientOptions {
            connect_timeout: CONNECT_TIMEOUT.min(limits.0),
            read_timeout: limits.0,
            max_response_bytes: limits.1,
            plain_http: PlainHttp::Any,
            hosts: Some(hosts.to_vec()),
            gzip: true,
            ..ClientOptions::from_vars(vars)
        };
        options.proxies.is_private_direct = true;
        let client = Client::new(options);
        if clients.len() == MAX_CLIENTS {
            clients.remove(0);
        }
        clients.push((reach, client.clone()));
        (client, false)
    }
}

/// Makes the requests of tools in a thread of its own, which begins with the first one.
#[derive(Default)]
pub struct Connections {
    runtime: OnceLock<Result<Handle, String>>,
    clients: Arc<Clients>,
}

impl Debug for Connections {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Connections")
    }
}

impl Requests for Connections {
    fn run(
        &self,
        task: HttpTask,
        body: Vec<u8>,
        vars: &Vars,
        cancel: &Cancel,
    ) -> Result<(HttpReply, Vec<u8>), Option<Box<Diagnostic>>> {
        let internal = |message: &str| Some(Box::new(Diagnostic::new(Code::Internal, message)));
        let handle = self.runtime.get_or_init(start).as_ref();
        let handle = handle.map_err(|message| internal(message))?;
        let (sender, receiver) = mpsc::channel();
        let (clients, vars) = (Arc::clone(&self.clients), vars.clone());
        let work = handle.spawn(async move {
            let _ = sender.send(run(task, body, &vars, &clients).await);
        });
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(ended) => return ended.map_err(Some),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(internal("unexpected failure of a request"));
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    work.abort();
                    return Err(None);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Makes a runtime for the current thread.
pub fn runtime() -> Result<Runtime, Box<Diagnostic>> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        let message = format!("cannot start the async runtime: {error}");
        Box::new(Diagnostic::new(Code::Internal, message))
    })
}

/// Waits until `cancel` is set.
pub async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        sleep(POLL).await;
    }
}

/// Starts the thread of all requests.
fn start() -> Result<Handle, String> {
    let failed = |error: std::io::Error| format!("cannot start the thread of requests: {error}");
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let handle = runtime.handle().clone();
    let thread = thread::Builder::new().name("http".into());
    let thread = thread.spawn(move || runtime.block_on(pending::<()>()));
    thread.map(|_| handle).map_err(failed)
}
