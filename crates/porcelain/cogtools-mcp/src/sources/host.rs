//! The host that started the server, as sources and flows see it: its forms and pages for the user,
//! and its log. Over HTTP, and for stateless clients, there is none. Text of a source is cleaned, and
//! named with the source.
//!
//! The revision 2026-07-28 deprecates log messages, and so does the SDK; servers still send them,
//! and hosts still show them.
#![allow(deprecated, reason = "stateful clients still show logs")]

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cogtools_core::{Cancel, Person, invisible};

use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, FormElicitationCapability, LoggingLevel,
    LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification, ServerRequest,
    SetLevelRequestParams, UrlElicitationCapability,
};
use rmcp::service::Peer;
use rmcp::{RoleClient, RoleServer};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::auth::may_be_opened;
use crate::code::AskUser;
use crate::questions::Form;

/// A log message.
pub(crate) type LogMessage = LoggingMessageNotificationParam;
/// The importance of a log message.
pub(crate) type Level = LoggingLevel;
/// A request for log messages of a level and above.
pub(crate) type SetLevel = SetLevelRequestParams;

/// The time that a source waits for the first message of a client, which declares its abilities.
const FIRST_MESSAGE: Duration = Duration::from_millis(300);
/// The number of log messages that may wait for the client; further ones are dropped.
const MAX_WAITING: usize = 64;
/// The largest log message or question.
pub(crate) const MAX_BYTES: usize = 64 << 10;
/// The number of questions of one source that may wait for the user at once.
const MAX_QUESTIONS: usize = 4;
/// The time that the user may take; the limit of the call of a source ends it earlier.
const PATIENCE: Duration = Person::PATIENCE;
/// The time between two looks at whether a call was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// The abilities of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// True if it shows forms to the user.
    pub(crate) form: bool,
    /// True if it opens pages for the user.
    pub(crate) url: bool,
}

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
    level: Option<Level>,
}

#[derive(Debug)]
struct Connection {
    peer: Peer<RoleServer>,
    abilities: Abilities,
    logs: Sender<ServerNotification>,
}

impl Abilities {
    /// Returns those that a client declares.
    pub(crate) const fn of(elicitation: &ElicitationCapability) -> Self {
        Self {
            // Without a mode it is the first one that there was.
            form: elicitation.form.is_some() || elicitation.url.is_none(),
            url: elicitation.url.is_some(),
        }
    }

    /// Returns the capability that a server learns of; nothing if there are no abilities.
    pub(crate) fn capability(self) -> Option<ElicitationCapability> {
        let mut capability = ElicitationCapability::new();
        if self.form {
            capability = capability.with_form(FormElicitationCapability::default());
        }
        if self.url {
            capability = capability.with_url(UrlElicitationCapability::default());
        }
        (self.form || self.url).then_some(capability)
    }
}

impl Host {
    /// Makes the client at the other end of the standard streams the host.
    pub(crate) fn connect(&self, peer: Peer<RoleServer>, capabilities: &ClientCapabilities) {
        let elicitation = capabilities.elicitation.as_ref();
        let (logs, waiting) = channel(MAX_WAITING);
        tokio::spawn(forward(peer.clone(), waiting));
        let mut state = self.state();
        state.is_known = true;
        state.connection = Some(Connection {
            peer,
            abilities: elicitation.map_or_else(Abilities::default, Abilities::of),
            logs,
        });
        drop(state);
        self.known.notify_all();
    }

    /// Returns its abilities. It is waited for a moment once: a source can be asked before the
    /// client has sent anything.
    pub(crate) fn abilities(&self) -> Abilities {
        let is_unknown = |state: &mut State| !state.is_known;
        let waited = self
            .known
            .wait_timeout_while(self.state(), FIRST_MESSAGE, is_unknown);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_known = true;
        let connection = state.connection.as_ref();
        connection.map_or_else(Abilities::default, |connection| connection.abilities)
    }

    /// Returns the level from which on the host wants log messages, if it has set one.
    pub(crate) fn level(&self) -> Option<Level> {
        self.state().level
    }

    /// Sets the level.
    pub(crate) fn set_level(&self, level: Level) {
        self.state().level = Some(level);
    }

    fn log(&self, message: LogMessage) {
        if let Some(connection) = &self.state().connection {
            let message = LoggingMessageNotification::new(message);
            let message = ServerNotification::LoggingMessageNotification(message);
            let _ = connection.logs.try_send(message);
        }
    }

    /// Asks the user; nothing if there is no answer.
    async fn ask(&self, question: ElicitRequestParams) -> Option<ElicitResult> {
        let peer = self.state().connection.as_ref()?.peer.clone();
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
        match peer.send_request(request).await {
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
        let has_forms = self.state().connection.as_ref()?.abilities.form;
        let (host, runtime) = (Arc::clone(self), Handle::try_current().ok()?);
        has_forms.then(|| {
            let ask = move |form, cancel: &Cancel| {
                runtime.block_on(async {
                    tokio::select! {
                        answer = tokio::time::timeout(PATIENCE, host.ask(form)) => answer.ok()?,
                        () = cancelled(cancel) => None,
                    }
                })
            };
            Box::new(ask) as Box<AskUser>
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Ends when `cancel` does.
async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

async fn forward(peer: Peer<RoleServer>, mut waiting: Receiver<ServerNotification>) {
    while let Some(message) = waiting.recv().await {
        let _ = peer.send_notification(message).await;
    }
}

/// The host for one source.
pub(crate) struct SourceHost {
    /// The name of the source.
    source: String,
    /// The abilities at the start of the session: the server knows them.
    pub(crate) abilities: Abilities,
    host: Arc<Host>,
    questions: Semaphore,
}

impl SourceHost {
    pub(crate) fn new(source: &str, abilities: Abilities, host: Arc<Host>) -> Self {
        Self {
            source: clean(source),
            abilities,
            host,
            questions: Semaphore::new(MAX_QUESTIONS),
        }
    }

    /// Passes on a log message, unless it is too large.
    pub(crate) fn log(&self, message: LogMessage) {
        if let Some(message) = self.log_message(message) {
            self.host.log(message);
        }
    }

    fn log_message(&self, mut message: LogMessage) -> Option<LogMessage> {
        message.logger = Some(match message.logger {
            Some(logger) => format!("{}: {logger}", self.source),
            None => self.source.clone(),
        });
        let mut value = serde_json::to_value(message).ok()?;
        if value.to_string().len() > MAX_BYTES {
            return None;
        }
        clean_all(&mut value);
        serde_json::from_value(value).ok()
    }

    /// Asks the user, as far as the host can.
    pub(crate) async fn ask(&self, params: ElicitRequestParams) -> ElicitResult {
        let permit = self.questions.try_acquire();
        let (Ok(_permit), Some(question)) = (permit, self.question(&params)) else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let answer = tokio::time::timeout(PATIENCE, self.host.ask(question)).await;
        let answer = answer.ok().flatten();
        answer.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel))
    }

    /// Returns the question for the user; nothing if the host cannot ask it.
    fn question(&self, params: &ElicitRequestParams) -> Option<ElicitRequestParams> {
        let is_allowed = match params {
            ElicitRequestParams::FormElicitationParams { .. } => self.abilities.form,
            ElicitRequestParams::UrlElicitationParams { url, .. } => {
                self.abilities.url && may_be_opened(url)
            }
            _ => false,
        };
        let mut question = serde_json::to_value(params).ok()?;
        if !is_allowed || question.to_string().len() > MAX_BYTES {
            return None;
        }
        clean_all(&mut question);
        let message = question.get("message").and_then(Value::as_str);
        let message = format!("{}: {}", self.source, message.unwrap_or_default());
        question["message"] = message.into();
        serde_json::from_value(question).ok()
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
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_all),
        Value::Object(entries) => entries.values_mut().for_each(clean_all),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn host(abilities: Abilities) -> SourceHost {
        SourceHost::new("s", abilities, Arc::default())
    }

    #[test]
    fn what_the_host_cannot_do_is_declined() {
        let schema = json!({"type": "object", "properties": {}});
        let form = json!({"mode": "form", "message": "m", "requestedSchema": schema});
        let page =
            |url: &str| json!({"mode": "url", "message": "m", "url": url, "elicitationId": "e"});
        let only_pages = Abilities {
            form: false,
            url: true,
        };
        for (abilities, value, expected) in [
            (Abilities::default(), form.clone(), false),
            (Abilities::default(), page("https://a.example/"), false),
            (only_pages, form, false),
            (only_pages, page("file:///etc/passwd"), false),
            (only_pages, page("javascript:alert(1)"), false),
            (only_pages, page("http://a.example/"), false),
            (only_pages, page("https://u:p@a.example/"), false),
            (only_pages, page("https://a.example/"), true),
        ] {
            let question = serde_json::from_value(value.clone()).expect("a question");
            let asked = host(abilities).question(&question);
            assert_eq!(asked.is_some(), expected, "{value}");
        }
    }

    #[test]
    fn what_a_server_says_is_cleaned_and_named() {
        let host = host(Abilities::default());
        let message = json!({
            "level": "info", "logger": "l\u{1b}", "data": {"a": ["x\u{1b}[31m\u{202e}\ny"]},
        });
        let message = serde_json::from_value(message).expect("a message");
        let logged = host.log_message(message).expect("it is small");
        assert_eq!(
            serde_json::to_value(logged).expect("JSON"),
            json!({"level": "info", "logger": "s: l", "data": {"a": ["x[31m\ny"]}})
        );
        let large = json!({"level": "info", "data": "x".repeat(MAX_BYTES)});
        let large = serde_json::from_value(large).expect("a message");
        assert!(host.log_message(large).is_none());
    }
}
