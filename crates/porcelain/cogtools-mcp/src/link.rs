//! The connection of a client, which says whose sessions with sources its requests use.

use std::sync::{Arc, OnceLock};

use cogtools_core::CallContext;
use cogtools_core::resident::Client;
use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::serve;
use crate::server::{AppState, Server};
use crate::sources::host::Host;

/// The connection of a client.
#[derive(Clone)]
pub(crate) enum Link {
    Stdio,
    /// A session over HTTP.
    Session(Arc<ClientSession>),
    /// One request over HTTP, without a stream for notifications that stays open.
    Stateless,
}

/// A session over HTTP, whose client has sessions of its own with sources.
pub(crate) struct ClientSession {
    state: Arc<AppState>,
    host: Arc<Host>,
    /// The task that announces changes.
    announcer: OnceLock<JoinHandle<()>>,
}

impl Link {
    pub(crate) fn session(state: &Arc<AppState>) -> Self {
        Self::Session(Arc::new(ClientSession {
            state: Arc::clone(state),
            host: Arc::default(),
            announcer: OnceLock::new(),
        }))
    }
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        if let Some(announcer) = self.announcer.get() {
            announcer.abort();
        }
        let (state, host) = (Arc::clone(&self.state), Arc::clone(&self.host));
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || state.catalogue.sessions().leave(&host));
        }
    }
}

impl Server {
    /// True if stateful clients can be notified of changes.
    pub(crate) const fn is_stateful(&self) -> bool {
        !matches!(self.link, Link::Stateless)
    }

    /// The client as sources see it.
    pub(crate) fn host(&self) -> &Arc<Host> {
        match &self.link {
            Link::Session(session) => &session.host,
            Link::Stdio | Link::Stateless => self.state.catalogue.sessions().host(),
        }
    }

    /// The context of the client's requests.
    pub(crate) fn parts(&self) -> CallContext {
        let client = match &self.link {
            Link::Session(session) => Some(Arc::<Host>::clone(&session.host) as Client),
            Link::Stdio | Link::Stateless => None,
        };
        CallContext {
            client,
            ..CallContext::default()
        }
    }

    /// Announces changes to a client with a session over HTTP, as long as that is open.
    pub(crate) fn announce(&self, peer: Peer<RoleServer>) {
        if let Link::Session(session) = &self.link {
            let announcing = serve::announce(peer, Arc::clone(&self.state));
            let _ = session.announcer.set(tokio::spawn(announcing));
        }
    }
}
