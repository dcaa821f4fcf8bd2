//! The host that started the server, as the sources see it: what it can show to the user, and its
//! log. Over HTTP, and for stateless clients, there is none.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ServerNotification,
    ServerRequest,
};
use rmcp::service::Peer;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::logging;

/// How long a source waits for the first message of a client, which says what its host can do.
const FIRST_MESSAGE: Duration = Duration::from_millis(300);
/// How many log messages may wait for the client; further ones are dropped.
const MAX_WAITING: usize = 64;

/// The host, once it is known.
#[derive(Debug, Default)]
pub(crate) struct Host {
    state: Mutex<State>,
    known: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_known: bool,
    connection: Option<Connection>,
    level: Option<Value>,
}

#[derive(Debug)]
struct Connection {
    peer: Peer<RoleServer>,
    runtime: Handle,
    abilities: Value,
    logs: Sender<ServerNotification>,
}

impl Host {
    /// The client at the other end of the standard streams is the host.
    pub(crate) fn connect(&self, peer: Peer<RoleServer>, capabilities: &ClientCapabilities) {
        let elicitation = capabilities.elicitation.as_ref();
        // Without a mode it is the first one that there was.
        let form = elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none());
        let url = elicitation.is_some_and(|it| it.url.is_some());
        let (logs, waiting) = channel(MAX_WAITING);
        tokio::spawn(forward(peer.clone(), waiting));
        let mut state = self.state();
        state.is_known = true;
        state.connection = Some(Connection {
            peer,
            runtime: Handle::current(),
            abilities: json!({"form": form, "url": url}),
            logs,
        });
        drop(state);
        self.known.notify_all();
    }

    /// What it can do. It is waited for a moment once: a source can be asked before the client has
    /// sent anything.
    pub(crate) fn abilities(&self) -> Value {
        let is_unknown = |state: &mut State| !state.is_known;
        let waited = self
            .known
            .wait_timeout_while(self.state(), FIRST_MESSAGE, is_unknown);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_known = true;
        let connection = state.connection.as_ref();
        connection.map_or_else(
            || json!({"form": false, "url": false}),
            |connection| connection.abilities.clone(),
        )
    }

    /// From which level on the host wants log messages, if it has said so.
    pub(crate) fn level(&self) -> Option<Value> {
        self.state().level.clone()
    }

    /// Takes note of the level.
    pub(crate) fn set_level(&self, level: Value) {
        self.state().level = Some(level);
    }

    /// Passes on a log message.
    pub(crate) fn log(&self, message: Value) {
        let state = self.state();
        if let (Some(connection), Some(message)) =
            (&state.connection, logging::notification(message))
        {
            let _ = connection.logs.try_send(message);
        }
    }

    /// Asks the user, and passes the answer to `answer`, in any thread; nothing if there is none.
    pub(crate) fn ask(&self, question: Value, answer: impl FnOnce(Option<Value>) + Send + 'static) {
        let params = serde_json::from_value::<ElicitRequestParams>(question).ok();
        let state = self.state();
        let (Some(connection), Some(params)) = (&state.connection, params) else {
            drop(state);
            return answer(None);
        };
        let peer = connection.peer.clone();
        connection.runtime.spawn(async move {
            let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
            answer(match peer.send_request(request).await {
                Ok(ClientResult::ElicitResult(result)) => serde_json::to_value(result).ok(),
                _ => None,
            });
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn forward(peer: Peer<RoleServer>, mut waiting: Receiver<ServerNotification>) {
    while let Some(message) = waiting.recv().await {
        let _ = peer.send_notification(message).await;
    }
}
