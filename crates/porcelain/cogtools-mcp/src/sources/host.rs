//! A client with a connection of its own, as sources and flows see it: its forms and pages for the
//! user, its model, its folders, its log, and the resources that it watches. Stateless clients only
//! watch. Text of a source that people read is cleaned, and named with the source.
//!
//! The revision 2026-07-28 deprecates logs, sampling and roots, and so does the SDK; servers still
//! use them, and hosts still have them.
#![allow(
    deprecated,
    reason = "stateful clients still have logs, models and roots"
)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cogtools_core::{Cancel, Person, invisible};
use cogtools_http::cancelled;

use parking_lot::{Condvar, Mutex};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientCapabilities, ClientResult,
    ElicitRequest, ElicitRequestParams, ElicitResult, GetExtensions as _, LoggingLevel,
    LoggingMessageNotification, LoggingMessageNotificationParam, RequestId,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    ServerRequest, SetLevelRequestParams,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, ServiceError};
use rmcp::{ErrorData, RoleClient, RoleServer};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use crate::code::AskUser;
use crate::questions::{Form, HostCall, unanswered, unsupported};

/// A log message.
pub(crate) type LogMessage = LoggingMessageNotificationParam;
/// The importance of a log message.
pub(crate) type Level = LoggingLevel;
/// A request for log messages of a level and above.
pub(crate) type SetLevel = SetLevelRequestParams;

/// The time that a source waits for the first message of a client, which declares its abilities.
const FIRST_MESSAGE: Duration = Duration::from_millis(300);
/// The number of notifications that may wait for the client; further ones are dropped.
const MAX_WAITING: usize = 1024;
/// The stream of updates that every client with a connection has.
pub(crate) const OWN_STREAM: u64 = 0;
/// The largest log message or question.
pub(crate) const MAX_BYTES: usize = 64 << 10;
/// The time that the user may take; the limit of the call of a source ends it earlier.
pub(crate) const PATIENCE: Duration = Person::PATIENCE;

/// The name of the extension by which hosts show apps.
const APPS: &str = "io.modelcontextprotocol/ui";

/// The abilities of a host that sources may use: elicitation, sampling, roots and apps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Abilities(ClientCapabilities);

/// A client, once it is known, or one call of a client that is stateless.
#[derive(Debug)]
pub(crate) struct Host {
    /// Its identity among all clients.
    pub(crate) id: u64,
    pub(super) state: Mutex<State>,
    known: Condvar,
    call: Option<HostCall>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    is_known: bool,
    is_stateless: bool,
    abilities: Abilities,
    connection: Option<Connection>,
    level: Option<Level>,
    /// The requests of the client that are being answered.
    serving: Vec<RequestId>,
    /// The subscribers to resources, by source and URI there.
    pub(super) subscriptions: HashMap<(String, String), Vec<Subscriber>>,
}

#[derive(Clone, Debug)]
struct Connection {
    peer: Peer<RoleServer>,
    notifications: Sender<ServerNotification>,
}

/// Why there is no answer of a client.
pub(crate) enum NoAnswer {
    /// The client's own error.
    Refused(ErrorData),
    /// It was not asked, or has not answered.
    Failed(ErrorData),
}

impl From<ErrorData> for NoAnswer {
    fn from(error: ErrorData) -> Self {
        Self::Failed(error)
    }
}

impl From<NoAnswer> for ErrorData {
    fn from(reason: NoAnswer) -> Self {
        let (NoAnswer::Refused(error) | NoAnswer::Failed(error)) = reason;
        error
    }
}

/// A request of the client that is answered until this is dropped.
pub(crate) struct Serving<'h>(&'h Host, RequestId);

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        let ended = state.serving.iter().position(|id| *id == self.1);
        ended.map(|index| state.serving.remove(index));
    }
}

/// A request to the client; it is withdrawn when this is dropped with its identifier.
struct OpenRequest(Option<RequestId>, Sender<ServerNotification>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(id) = self.0.take() {
            let params = CancelledNotificationParam::new(Some(id), None);
            let withdrawn = CancelledNotification::new(params);
            let _ = self
                .1
                .try_send(ServerNotification::CancelledNotification(withdrawn));
        }
    }
}

/// A receiver of updates of one resource.
#[derive(Clone, Debug)]
pub(crate) struct Subscriber {
    /// The stream that it has subscribed on.
    pub(crate) stream: u64,
    /// The URI that the client knows the resource by.
    pub(crate) uri: String,
    pub(crate) updates: Sender<ServerNotification>,
}

impl Abilities {
    /// Returns those that a client declares.
    pub(crate) fn of(declared: &ClientCapabilities) -> Self {
        let mut abilities = ClientCapabilities::default();
        abilities.elicitation.clone_from(&declared.elicitation);
        abilities.sampling.clone_from(&declared.sampling);
        abilities.roots.clone_from(&declared.roots);
        let apps = declared.extensions.as_ref().and_then(|it| it.get(APPS));
        abilities.extensions = apps.map(|it| [(APPS.to_owned(), it.clone())].into());
        Self(abilities)
    }

    /// The capabilities that a server learns of.
    pub(crate) const fn capabilities(&self) -> &ClientCapabilities {
        &self.0
    }

    /// True if it shows forms to the user.
    pub(crate) fn has_forms(&self) -> bool {
        // Without a mode it is the first one that there was.
        let elicitation = self.0.elicitation.as_ref();
        elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none())
    }

    /// True if it opens pages for the user.
    pub(crate) fn has_pages(&self) -> bool {
        let elicitation = self.0.elicitation.as_ref();
        elicitation.is_some_and(|it| it.url.is_some())
    }

    /// A word for all hosts to which servers may declare the same.
    pub(crate) fn audience(&self) -> Option<String> {
        let words = [
            (self.has_forms(), "form"),
            (self.has_pages(), "url"),
            (self.0.sampling.is_some(), "sampling"),
            (self.0.roots.is_some(), "roots"),
            (self.0.extensions.is_some(), "ui"),
        ];
        let words = words.into_iter().filter(|(is_able, _)| *is_able);
        let words: Vec<&str> = words.map(|(_, word)| word).collect();
        (!words.is_empty()).then(|| words.join("-"))
    }
}

impl Default for Host {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            state: Mutex::default(),
            known: Condvar::new(),
            call: None,
        }
    }
}

impl Host {
    /// Returns the host of one call of a stateless client.
    pub(crate) fn of_call(call: HostCall) -> Self {
        Self {
            id: call.client.id,
            call: Some(call),
            ..Self::default()
        }
    }

    /// Learns the abilities of a stateless client, unless it is known already.
    pub(crate) fn learn(&self, abilities: Abilities) {
        let mut state = self.state.lock();
        if !state.is_known {
            state.is_known = true;
            state.is_stateless = true;
            state.abilities = abilities;
        }
    }

    pub(super) fn is_stateless(&self) -> bool {
        let client = self.call.as_ref().map_or(self, |call| &*call.client);
        client.state.lock().is_stateless
    }

    /// Makes the client behind `peer` the host.
    pub(crate) fn connect(&self, peer: Peer<RoleServer>, capabilities: &ClientCapabilities) {
        let (notifications, waiting) = channel(MAX_WAITING);
        tokio::spawn(forward(peer.clone(), waiting));
        let mut state = self.state.lock();
        state.is_known = true;
        state.abilities = Abilities::of(capabilities);
        state.connection = Some(Connection {
            peer,
            notifications,
        });
        drop(state);
        self.known.notify_all();
    }

    /// Returns its abilities. It is waited for a moment once: a source can be asked before the
    /// client has sent anything.
    pub(crate) fn abilities(&self) -> Abilities {
        if let Some(call) = &self.call {
            return call.client.abilities();
        }
        let mut state = self.state.lock();
        let is_unknown = |state: &mut State| !state.is_known;
        self.known
            .wait_while_for(&mut state, is_unknown, FIRST_MESSAGE);
        state.is_known = true;
        state.abilities.clone()
    }

    /// Returns the level from which on the host wants log messages, if it has set one.
    pub(crate) fn level(&self) -> Option<Level> {
        self.state.lock().level
    }

    /// Sets the level.
    pub(crate) fn set_level(&self, level: Level) {
        self.state.lock().level = Some(level);
    }

    pub(crate) fn log(&self, message: LogMessage) {
        let message = LoggingMessageNotification::new(message);
        self.notify(ServerNotification::LoggingMessageNotification(message));
    }

    /// Sends a notification to the client, unless too many wait for it already.
    pub(crate) fn notify(&self, notification: ServerNotification) {
        if let Some(connection) = &self.state.lock().connection {
            let _ = connection.notifications.try_send(notification);
        }
    }

    /// Adds a subscriber to the resource `uri` of `source`.
    pub(crate) fn subscribe(&self, source: String, uri: String, subscriber: Subscriber) {
        let mut state = self.state.lock();
        let subscribers = state.subscriptions.entry((source, uri)).or_default();
        subscribers.retain(|it| it.stream != subscriber.stream);
        subscribers.push(subscriber);
    }

    /// Removes the subscriber of `stream`; returns true if no other one is left.
    pub(crate) fn unsubscribe(&self, source: &str, uri: &str, stream: u64) -> bool {
        let mut state = self.state.lock();
        let key = (source.to_owned(), uri.to_owned());
        if let Some(subscribers) = state.subscriptions.get_mut(&key) {
            subscribers.retain(|it| it.stream != stream);
            if !subscribers.is_empty() {
                return false;
            }
        }
        state.subscriptions.remove(&key);
        true
    }

    /// Returns the subscriber that the client itself is.
    pub(crate) fn subscriber(&self, uri: String) -> Option<Subscriber> {
        let updates = self.state.lock().connection.as_ref()?.notifications.clone();
        let stream = OWN_STREAM;
        Some(Subscriber {
            stream,
            uri,
            updates,
        })
    }

    /// Returns true if a resource of `source` has subscribers.
    pub(crate) fn has_subscriptions(&self, source: &str) -> bool {
        let state = self.state.lock();
        let mut subscribed = state.subscriptions.keys();
        subscribed.any(|(of, _)| of == source)
    }

    /// Returns the resources of `source` that have subscribers.
    pub(crate) fn subscribed(&self, source: &str) -> Vec<String> {
        let state = self.state.lock();
        let ours = state.subscriptions.keys().filter(|(of, _)| of == source);
        ours.map(|(_, uri)| uri.clone()).collect()
    }

    /// Tells the subscribers of a resource of `source` that it, or a part of it, has changed.
    pub(crate) fn updated(&self, source: &str, uri: &str) {
        let state = self.state.lock();
        for ((of, subscribed), subscribers) in &state.subscriptions {
            let part = uri
                .strip_prefix(&**subscribed)
                .filter(|_| of == source)
                .filter(|part| {
                    part.is_empty()
                        || subscribed.ends_with('/')
                        || part.starts_with(['/', '?', '#'])
                });
            let Some(part) = part else { continue };
            for subscriber in subscribers {
                let uri = format!("{}{part}", subscriber.uri);
                let params = ResourceUpdatedNotificationParam::new(uri);
                let update = ResourceUpdatedNotification::new(params);
                let update = ServerNotification::ResourceUpdatedNotification(update);
                let _ = subscriber.updates.try_send(update);
            }
        }
    }

    /// Begins to answer a request of the client.
    pub(crate) fn serve(&self, id: &RequestId) -> Serving<'_> {
        self.state.lock().serving.push(id.clone());
        Serving(self, id.clone())
    }

    /// Sends a request to the client. The client is told if the answer is no longer waited for.
    ///
    /// # Errors
    /// The client refuses, was not asked, or has not answered.
    pub(crate) async fn request(
        &self,
        mut request: ServerRequest,
    ) -> Result<ClientResult, NoAnswer> {
        if let Some(call) = &self.call {
            let answer = timeout(PATIENCE, call.ask(request)).await;
            return Ok(answer.map_err(|_| unanswered())??);
        }
        let connection = self.state.lock().connection.clone();
        let connection = connection.ok_or_else(|| unsupported("requests of servers"))?;
        // Over HTTP it takes the way of an answer: not every client has another stream.
        if let Some(id) = self.state.lock().serving.last() {
            let origin = OriginatingRequestId(id.clone());
            request.extensions_mut().insert(origin);
        }
        let gone = || ErrorData::internal_error("the client is gone", None);
        let options = PeerRequestOptions::no_options();
        let peer = connection.peer;
        // In a task of its own: the SDK would take this for an answer to the request of the source.
        let sent =
            tokio::spawn(async move { peer.send_cancellable_request(request, options).await });
        let sent = sent.await.map_err(|_| gone())?.map_err(|_| gone())?;
        let mut open = OpenRequest(Some(sent.id.clone()), connection.notifications);
        let answer = timeout(PATIENCE, sent.await_response()).await;
        let answer = answer.map_err(|_| unanswered())?;
        open.0 = None;
        answer.map_err(|error| match error {
            ServiceError::McpError(error) => NoAnswer::Refused(error),
            _ => gone().into(),
        })
    }

    /// Asks the user; nothing if there is no answer.
    async fn ask(&self, question: ElicitRequestParams) -> Option<ElicitResult> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
        match self.request(request).await {
            Ok(ClientResult::ElicitResult(result)) => Some(result),
            _ => None,
        }
    }

    /// Returns the user, for questions of flows, if the host shows forms. Asking blocks a thread.
    pub(crate) fn person(self: &Arc<Self>) -> Option<Person> {
        let ask = self.asker()?;
        Some(Person::new(move |paused, cancel| {
            let form = Form::of(&paused.question)?;
            form.answer(ask(form.params.clone(), cancel)?)
        }))
    }

    /// Returns a function that shows a form to the user and blocks its thread until there is an
    /// answer, if the host shows forms.
    pub(crate) fn asker(self: &Arc<Self>) -> Option<Box<AskUser>> {
        let state = self.state.lock();
        let has_forms = state.connection.is_some() && state.abilities.has_forms();
        drop(state);
        let (host, runtime) = (Arc::clone(self), Handle::try_current().ok()?);
        has_forms.then(|| {
            let ask = move |form, cancel: &Cancel| {
                runtime.block_on(async {
                    tokio::select! {
                        answer = timeout(PATIENCE, host.ask(form)) => answer.ok()?,
                        () = cancelled(cancel) => None,
                    }
                })
            };
            Box::new(ask) as Box<AskUser>
        })
    }
}

/// Returns the level that `request` asks for.
pub(crate) const fn level(request: &SetLevel) -> Level {
    request.level
}

/// Asks a server for messages of this level and above, if it can log.
pub(crate) async fn ask_for_logs(peer: &Peer<RoleClient>, level: Level) {
    let server = peer.peer_info();
    if server.is_some_and(|server| server.capabilities.logging.is_some()) {
        let _ = peer.set_level(SetLevel::new(level)).await;
    }
}

async fn forward(peer: Peer<RoleServer>, mut waiting: Receiver<ServerNotification>) {
    while let Some(message) = waiting.recv().await {
        let _ = peer.send_notification(message).await;
    }
}

/// Removes everything from `text` that could change how a terminal shows it.
pub(crate) fn clean(text: &str) -> String {
    let is_harmless = |char: &char| match char {
        '\n' | '\t' => true,
        char => !char.is_control() && invisible::name(*char) != Some("bidirectional control"),
    };
    text.chars().filter(is_harmless).collect()
}

pub(crate) fn clean_all(value: &mut Value) {
    change_texts(value, &|text| clean(text));
}

/// Replaces every text in `value`.
pub(crate) fn change_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|it| change_texts(it, change)),
        Value::Object(entries) => entries.values_mut().for_each(|it| change_texts(it, change)),
        _ => {}
    }
}
