//! A worker: a server that Restate calls.

use std::net::SocketAddr;

use clap::{Args, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io};
use restate_sdk::prelude::*;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::address::Address;
use crate::client::Client;
use crate::programs::Programs;
use crate::workflow::Flows;

/// The number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// The longest time of a node. After that Restate gives it up, and calls its handler again.
const LONGEST: std::time::Duration = std::time::Duration::from_hours(24);
/// The attempts to find a worker before a run is paused: it never is.
const ATTEMPTS: u64 = 1 << 32;

/// The options of a worker.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct Worker {
    /// The address to listen at; several workers can share it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9080")]
    listen: SocketAddr,
    /// The number of nodes that run here at the same time
    #[arg(long, value_name = "NUMBER", default_value = "8")]
    #[arg(value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: u16,
    /// Register the worker with the Restate whose administration is at http://HOST:PORT
    #[arg(long, value_name = "URL")]
    register: Option<String>,
    /// The URL at which Restate reaches the worker; by default, where it listens
    #[arg(long, value_name = "URL", requires = "register")]
    url: Option<String>,
    /// Accept only requests that Restate has signed with this key
    #[arg(long, value_name = "KEY")]
    identity_key: Option<String>,
}

impl Worker {
    /// Serves until the process is asked to end. What runs then is ended.
    pub(crate) async fn serve(self, programs: Programs, io: &mut Io<'_>) -> Result<(), Failure> {
        let register = self.register.as_deref().map(str::parse::<Address>);
        let register = register.transpose()?;
        let mut endpoint = Endpoint::builder();
        match &self.identity_key {
            Some(key) => {
                endpoint = endpoint.identity_key(key).map_err(|error| {
                    let diagnostic = Diagnostic::new(Code::Usage, error.to_string());
                    diagnostic.with_subject("--identity-key")
                })?;
            }
            None if !self.listen.ip().is_loopback() => {
                let message = "anyone with access to this address could run flows";
                let diagnostic = Diagnostic::new(Code::Usage, message);
                return Err(diagnostic
                    .with_subject(self.listen.to_string())
                    .hint("`--identity-key` accepts only the Restate that has the key")
                    .into());
            }
            None => {}
        }
        let failure = |error: std::io::Error| {
            let message = format!("cannot listen: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Failure::from(diagnostic.with_subject(self.listen.to_string()))
        };
        programs.check().await?;
        let listener = listen(self.listen).map_err(failure)?;
        let address = listener.local_addr().map_err(failure)?;
        let [mut interrupt, mut terminate] =
            [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
        // A handled signal has its default action in children: they end when this worker does,
        // even under `nohup`. The worker itself goes on without a terminal.
        let _hangup = signal(SignalKind::hangup());
        let options = ServiceOptions::new()
            .abort_timeout(LONGEST)
            .retry_policy_max_attempts(ATTEMPTS);
        let definition = Flows(programs).into_service_definition().options(options);
        let server = HttpServer::new(endpoint.bind(definition).build());
        let end = async move {
            tokio::select! {
                () = received(&mut interrupt) => {}
                () = received(&mut terminate) => {}
            }
        };
        let serving = tokio::spawn(server.serve_with_cancel(listener, end));
        if let Some(admin) = register {
            let url = self.url.unwrap_or_else(|| format!("http://{address}"));
            Client(admin).register(&url).await?;
        }
        io.show(&format!("listening on {address}\n"))?;
        // It ends only when it is asked to.
        let _ = serving.await;
        Ok(())
    }
}

/// Waits for a signal; forever if it cannot be handled.
async fn received(signal: &mut std::io::Result<Signal>) {
    match signal {
        Ok(signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

/// Listens at `address`, together with other workers there.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
