//! One life of the server: the runtime, the connection, what ends them, and that
//! nothing is left when they have ended.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use rmcp::service::{QuitReason, serve_server_with_ct};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::server::{House, Server};
use crate::wire::Wire;
use crate::{end, http, watch};

/// How clients reach the server.
pub(crate) enum Door {
    /// One client, over the standard streams.
    Streams(Box<dyn Read + Send>),
    /// Any client on this machine.
    Http(http::Address),
}

/// How long tools have to end when everything ends.
const LAST: Duration = Duration::from_secs(2);

/// Serves until the end; what ended it from outside gives an exit status.
pub(crate) fn serve(house: House, door: Door) -> Result<u8, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .build();
    let runtime = runtime.map_err(|error| {
        Diagnostic::new(
            Code::Internal,
            format!("no runtime can be started: {error}"),
        )
    })?;
    let house = Arc::new(house);
    let status = runtime.block_on(live(&house, door));
    // What waits for a file or a reader must not keep the process.
    runtime.shutdown_background();
    status
}

async fn live(house: &Arc<House>, door: Door) -> Result<u8, Failure> {
    let following = tokio::spawn(watch::follow(Arc::clone(house)));
    let ended = tokio::select! {
        ended = open(house, door) => ended.map(|()| 0),
        status = end::wait() => Ok(status),
    };
    house.stop.cancel();
    house.catalogue.stop();
    following.abort();
    house.workers.none(LAST).await;
    ended
}

async fn open(house: &Arc<House>, door: Door) -> Result<(), Failure> {
    match door {
        Door::Http(address) => http::serve(house, address).await,
        Door::Streams(source) => streams(house, source).await,
    }
}

/// Talks with one client to the end.
async fn streams(house: &Arc<House>, source: Box<dyn Read + Send>) -> Result<(), Failure> {
    let wire = Wire::new(source, house.speeches.clone(), house.stop.clone());
    let wire = wire.map_err(|error| {
        Diagnostic::new(Code::Internal, format!("no thread can be started: {error}"))
    })?;
    let server = Server::new(Arc::clone(house), true);
    // The wire ends by itself when everything does, after the last answers.
    let served = serve_server_with_ct(server, wire, CancellationToken::new()).await;
    let Ok(service) = served else {
        // The client left before it said anything.
        return Ok(());
    };
    let peer = service.peer().clone();
    let mut changes = house.changes.listen();
    let telling = tokio::spawn(async move {
        loop {
            changes.changed().await;
            // Without `initialize` it is of the newer era, and subscribes.
            if peer.peer_info().is_some() {
                let _ = peer.notify_tool_list_changed().await;
                let _ = peer.notify_prompt_list_changed().await;
            }
        }
    });
    let quit = service.waiting().await;
    telling.abort();
    match quit {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        Ok(_) | Err(_) => {
            Err(Diagnostic::new(Code::Internal, "the connection failed unexpectedly").into())
        }
    }
}
