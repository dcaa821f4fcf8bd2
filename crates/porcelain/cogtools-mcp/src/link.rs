//! The connection of a client, which says whose sessions with sources its requests use.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use cogtools_core::ListWait::{Instant, Moment, Patient};
use cogtools_core::resident::Client;
use cogtools_core::{CallContext, ListWait, Target, digest};
use cogtools_http::http::HeaderValue;
use cogtools_http::http::header::AUTHORIZATION;
use cogtools_http::http::request::Parts;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, Implementation};
use rmcp::service::Peer;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::serve;
use crate::server::{AppState, Server};
use crate::sources::host::{Abilities, Host};

/// The connection of a client.
#[derive(Clone)]
pub(crate) enum Link {
    Stdio,
    /// A session over HTTP.
    Session(Arc<ClientSession>),
    /// One request over HTTP, without a stream for notifications that stays open, of this client.
    Stateless(Arc<Host>),
}

/// The behavior of a client that others do not share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// The time that it has for a list.
    pub(crate) wait: ListWait,
    /// The API that it passes tools to, if that is always the same.
    pub(crate) api: Option<Target>,
    /// True if it reads only the first page of tools, and takes a text in JSON for structured
    /// content, which it rejects unless it is an object.
    pub(crate) is_gemini_cli: bool,
}

/// The clients that were measured, by the beginning of their names, with the fields of [`Habits`]:
/// Gemini CLI 0.61 and its descendants; opencode 1.18, which waits up to 30 seconds for the only list
/// that it reads, as Gemini CLI does for minutes; Codex 0.169, which reads no second list either; and
/// Claude Code 2.1, which shows its model no tool before it has the lists of prompts and resources,
/// too, goes on without after two seconds, and reads what is announced later. Claude Desktop names
/// itself `claude-ai`.
const CLIENTS: [(&str, ListWait, Option<Target>, bool); 7] = [
    ("gemini-cli", Patient, Some(Target::Gemini), true),
    ("qwen-code", Patient, None, true),
    ("llxprt", Patient, None, true),
    ("opencode", Patient, None, false),
    ("codex-mcp-client", Patient, Some(Target::OpenAi), false),
    ("claude-code", Instant, Some(Target::Anthropic), false),
    ("claude-ai", Moment, Some(Target::Anthropic), false),
];

impl Habits {
    /// Returns the habits of the client `name`.
    pub(crate) fn of(name: &str) -> Self {
        let known = CLIENTS.into_iter().find(|it| name.starts_with(it.0));
        let (_, wait, api, is_gemini_cli) = known.unwrap_or(("", Moment, None, false));
        Self {
            wait,
            api,
            is_gemini_cli,
        }
    }
}

/// The number of stateless clients that have sessions with sources; the one that was silent for
/// longest makes room.
const MAX_CLIENTS: usize = 64;

/// The stateless clients over HTTP, by what tells them apart, the latest ones last.
#[derive(Default)]
pub(crate) struct StatelessClients(Mutex<VecDeque<(String, Arc<Host>)>>);

impl StatelessClients {
    /// Returns the client with this identity and these abilities, and the one that made room.
    fn client(&self, identity: String, abilities: Abilities) -> (Arc<Host>, Option<Arc<Host>>) {
        let mut clients = self.0.lock();
        let known = clients.iter().position(|(it, _)| *it == identity);
        let client = known.and_then(|index| clients.remove(index));
        let (identity, host) = client.unwrap_or_else(|| {
            let host = Arc::<Host>::default();
            host.learn(abilities);
            (identity, host)
        });
        let is_idle = |(_, host): &(String, Arc<Host>)| Arc::strong_count(host) == 1;
        let oldest = clients.iter().position(is_idle);
        let oldest = oldest.filter(|_| clients.len() >= MAX_CLIENTS);
        let gone = oldest.and_then(|index| clients.remove(index));
        clients.push_back((identity, Arc::clone(&host)));
        (host, gone.map(|(_, host)| host))
    }
}

/// The part of a message over HTTP that says whose it is.
#[derive(Default, Deserialize)]
pub(crate) struct Sender {
    #[serde(default)]
    pub(crate) method: String,
    #[serde(default)]
    params: SenderParams,
}

#[derive(Default, Deserialize)]
struct SenderParams {
    #[serde(default, rename = "_meta")]
    meta: SenderMeta,
}

#[derive(Default, Deserialize)]
struct SenderMeta {
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    info: Option<Implementation>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<ClientCapabilities>,
}

/// A session over HTTP, whose client has sessions of its own with sources.
pub(crate) struct ClientSession {
    state: Arc<AppState>,
    host: Arc<Host>,
    /// The task that announces changes.
    announcer: OnceLock<JoinHandle<()>>,
}

impl Link {
    /// The link of a stateless request. The protocol has no name for a client that others could not
    /// use; its token, its URL, its name and its abilities tell it from others.
    pub(crate) fn stateless(state: &Arc<AppState>, parts: &Parts, sender: Sender) -> Self {
        let sessions = state.catalogue.sessions();
        if !state.catalogue.has_servers() {
            return Self::Stateless(Arc::clone(sessions.host()));
        }
        let SenderMeta { info, capabilities } = sender.params.meta;
        let abilities = capabilities.as_ref().map(Abilities::of).unwrap_or_default();
        let token = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let info = info.map(|it| [it.name, it.version]);
        let identity = json!([token, parts.uri.query(), info, abilities.audience()]);
        let identity = digest::value(&identity).to_string();
        let (client, gone) = state.clients.client(identity, abilities);
        if let Some(gone) = gone {
            let sessions = Arc::clone(sessions);
            tokio::task::spawn_blocking(move || sessions.leave(&gone));
        }
        Self::Stateless(client)
    }

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
        !matches!(self.link, Link::Stateless(_))
    }

    /// The client as sources see it.
    pub(crate) fn host(&self) -> &Arc<Host> {
        match &self.link {
            Link::Session(session) => &session.host,
            Link::Stateless(client) => client,
            Link::Stdio => self.state.catalogue.sessions().host(),
        }
    }

    /// The context of the client's requests.
    pub(crate) fn parts(&self) -> CallContext {
        let client = match &self.link {
            Link::Session(session) => Some(Arc::<Host>::clone(&session.host) as Client),
            Link::Stateless(client) => Some(Arc::<Host>::clone(client) as Client),
            Link::Stdio => None,
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
