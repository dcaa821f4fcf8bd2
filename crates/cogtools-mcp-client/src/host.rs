//! What a server says to, and asks of, the host of a program that stays: log messages, and
//! questions to the user. What it says is cleaned, and named with the server.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cogtools_core::invisible;
use oauth2::url::Url;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    FormElicitationCapability, UrlElicitationCapability,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::auth::may_be_opened;
use crate::logging::{self, LogMessage};

/// The largest log message or question.
const MAX_BYTES: usize = 64 << 10;
/// How many questions may wait for the user at once.
const MAX_QUESTIONS: usize = 4;
/// How long the user may take; the limit of the call ends it earlier.
const PATIENCE: Duration = Duration::from_mins(10);

/// What the host can do, as the first line of a session says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Abilities {
    /// Whether it shows forms to the user.
    #[serde(default)]
    form: bool,
    /// Whether it opens pages for the user.
    #[serde(default)]
    url: bool,
}

/// The host behind the streams of a session.
pub(crate) struct Host {
    /// The name of the server.
    server: String,
    abilities: Abilities,
    output: Sender<Value>,
    questions: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    next: u64,
    waiting: HashMap<u64, oneshot::Sender<Value>>,
}

impl Abilities {
    /// What the server learns of them; nothing if there are none.
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
    pub(crate) fn new(server: &str, abilities: Abilities, output: Sender<Value>) -> Self {
        Self {
            server: clean(server),
            abilities,
            output,
            questions: Mutex::default(),
        }
    }

    pub(crate) const fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Passes on a log message, unless it is too large.
    pub(crate) fn log(&self, message: LogMessage) {
        let mut message = logging::named(message, &self.server);
        if message.to_string().len() <= MAX_BYTES {
            clean_all(&mut message);
            let _ = self.output.send(json!({"log": message}));
        }
    }

    /// Asks the user, as far as the host can.
    pub(crate) async fn ask(&self, params: ElicitRequestParams) -> ElicitResult {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let is_allowed = match &params {
            ElicitRequestParams::FormElicitationParams { .. } => self.abilities.form,
            ElicitRequestParams::UrlElicitationParams { url, .. } => {
                self.abilities.url && Url::parse(url).is_ok_and(|url| may_be_opened(&url))
            }
            _ => false,
        };
        let Ok(mut question) = serde_json::to_value(&params) else {
            return declined();
        };
        if !is_allowed || question.to_string().len() > MAX_BYTES {
            return declined();
        }
        clean_all(&mut question);
        let message = question.get("message").and_then(Value::as_str);
        let message = format!("{}: {}", self.server, message.unwrap_or_default());
        question["message"] = message.into();
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut questions = self.questions();
            if questions.waiting.len() >= MAX_QUESTIONS {
                return declined();
            }
            questions.next += 1;
            let id = questions.next;
            questions.waiting.insert(id, sender);
            id
        };
        let _ = self.output.send(json!({"ask": id, "question": question}));
        // A call that is cancelled drops this, too.
        let guard = Asked { host: self, id };
        let answer = tokio::time::timeout(PATIENCE, answer).await;
        drop(guard);
        let answer = answer.ok().and_then(Result::ok);
        let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
        answer.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel))
    }

    /// Passes on the answer to the question `id`.
    pub(crate) fn answer(&self, id: u64, answer: Value) {
        let question = self.questions().waiting.remove(&id);
        if let Some(question) = question {
            let _ = question.send(answer);
        }
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that waits for its answer.
struct Asked<'h> {
    host: &'h Host,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.host.questions().waiting.remove(&self.id);
    }
}

/// A text without what could change how a terminal shows it.
pub(crate) fn clean(text: &str) -> String {
    let is_harmless = |char: &char| match char {
        '\n' | '\t' => true,
        char => !char.is_control() && invisible::name(*char) != Some("bidirectional control"),
    };
    text.chars().filter(is_harmless).collect()
}

fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_all),
        Value::Object(entries) => entries.values_mut().for_each(clean_all),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn host(abilities: Abilities) -> (Host, std::sync::mpsc::Receiver<Value>) {
        let (output, lines) = channel();
        (Host::new("s", abilities, output), lines)
    }

    fn question(value: Value) -> ElicitRequestParams {
        serde_json::from_value(value).expect("a question")
    }

    fn ask(host: &Host, value: Value) -> ElicitationAction {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(host.ask(question(value))).action
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
        for (abilities, value) in [
            (Abilities::default(), form.clone()),
            (Abilities::default(), page("https://a.example/")),
            (only_pages, form),
            (only_pages, page("file:///etc/passwd")),
            (only_pages, page("javascript:alert(1)")),
            (only_pages, page("http://a.example/")),
            (only_pages, page("https://u:p@a.example/")),
        ] {
            let (host, lines) = host(abilities);
            assert_eq!(
                ask(&host, value.clone()),
                ElicitationAction::Decline,
                "{value}"
            );
            assert!(lines.try_recv().is_err(), "{value}");
        }
    }

    #[test]
    fn what_a_server_says_is_cleaned_and_named() {
        let (host, lines) = host(Abilities::default());
        let message = json!({
            "level": "info", "logger": "l\u{1b}", "data": {"a": ["x\u{1b}[31m\u{202e}\ny"]},
        });
        host.log(serde_json::from_value(message).expect("a message"));
        assert_eq!(
            lines.try_recv().expect("a line"),
            json!({"log": {"level": "info", "logger": "s: l", "data": {"a": ["x[31m\ny"]}}})
        );
        let large = json!({"level": "info", "data": "x".repeat(MAX_BYTES)});
        host.log(serde_json::from_value(large).expect("a message"));
        assert!(lines.try_recv().is_err());
    }
}
