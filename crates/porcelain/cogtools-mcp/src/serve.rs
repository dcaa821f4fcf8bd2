//! One run of the server: the runtime, the connection, and the shutdown.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use rmcp::service::{QuitReason, serve_server_with_ct};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::server::{AppState, Server};
use crate::stdio::StdioTransport;
use crate::traces::{Collector, Traces};
use crate::{http, shutdown, watch};

/// How clients reach the server.
pub(crate) enum Listen {
    /// One client, over the standard streams.
    Stdio(Box<dyn Read + Send>),
    /// Any client on this machine.
    Http(http::Address),
}

/// How long tools may take to stop when the server shuts down.
pub(crate) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// The threads of the pool: for quick and for slow calls, and for all else.
const MAX_THREADS: usize = 2 * Workers::MAX_RUNNING as usize + 4;
/// The stack of each, which is that of a main thread: tools run there.
const STACK_BYTES: usize = 8 << 20;

/// Serves until the client is gone or the server is shut down; returns the exit status.
pub(crate) fn serve(
    mut state: AppState,
    listen: Listen,
    collector: Option<Collector>,
) -> Result<u8, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| {
            let message = format!("cannot start the async runtime: {error}");
            Diagnostic::new(Code::Internal, message)
        })?;
    if let Some(collector) = collector {
        let _runtime = runtime.enter();
        state.observers.traces = Some(Traces::new(collector).map_err(|error| *error)?);
    }
    let state = Arc::new(state);
    let status = runtime.block_on(run(&state, listen));
    // A thread that waits for a file or a reader must not block the exit.
    runtime.shutdown_background();
    status
}

async fn run(state: &Arc<AppState>, listen: Listen) -> Result<u8, Failure> {
    let watcher = tokio::spawn(watch::run(Arc::clone(state)));
    let is_http = matches!(listen, Listen::Http(_));
    let mut serving = std::pin::pin!(serve_transport(state, listen));
    let result = tokio::select! {
        result = &mut serving => result.map(|()| 0),
        status = shutdown::signal(is_http) => Ok(status),
    };
    // Each client over HTTP may still wait for its response; a second signal is final.
    if is_http && matches!(result, Ok(1..)) {
        state.closing.cancel();
        tokio::select! {
            _ = &mut serving => {}
            _ = shutdown::signal(is_http) => {}
        }
    }
    state.stop.cancel();
    state.catalogue.stop();
    watcher.abort();
    state.workers.wait_idle(SHUTDOWN_GRACE).await;
    let catalogue = Arc::clone(&state.catalogue);
    let observed = Arc::clone(state);
    let idle = tokio::task::spawn_blocking(move || {
        catalogue.end_sessions(SHUTDOWN_GRACE);
        if let Some(traces) = &observed.observers.traces {
            traces.shut_down();
        }
    });
    let _ = idle.await;
    result
}

async fn serve_transport(state: &Arc<AppState>, listen: Listen) -> Result<(), Failure> {
    match listen {
        Listen::Http(address) => http::serve(state, address).await,
        Listen::Stdio(stdin) => serve_stdio(state, stdin).await,
    }
}

/// Serves one client until it is gone.
async fn serve_stdio(state: &Arc<AppState>, stdin: Box<dyn Read + Send>) -> Result<(), Failure> {
    let transport = StdioTransport::new(stdin, state.outgoing.clone(), state.stop.clone())
        .map_err(|error| {
            Diagnostic::new(Code::Internal, format!("cannot start a thread: {error}"))
        })?;
    let server = Server::new(Arc::clone(state), true);
    // The transport follows the state's token, and ends after the last responses.
    let served = serve_server_with_ct(server, transport, CancellationToken::new()).await;
    let Ok(service) = served else {
        // The client disconnected before its first request.
        return Ok(());
    };
    let peer = service.peer().clone();
    let mut list_changed = state.list_changed.subscribe();
    let notifier = tokio::spawn(async move {
        loop {
            list_changed.changed().await;
            // A client that did not send `initialize` is stateless, and subscribes.
            if peer.peer_info().is_some() {
                let _ = peer.notify_tool_list_changed().await;
                let _ = peer.notify_prompt_list_changed().await;
            }
        }
    });
    let quit = service.waiting().await;
    notifier.abort();
    match quit {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        Ok(_) | Err(_) => {
            Err(Diagnostic::new(Code::Internal, "the connection failed unexpectedly").into())
        }
    }
}
