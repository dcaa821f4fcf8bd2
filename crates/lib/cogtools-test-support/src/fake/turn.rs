//! One turn of the script: the API's answer to the next request.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::content::Content;
use super::delivery::{Break, Delivery};
use super::error::ApiError;
use crate::http::End;

/// An action before an answer is sent.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// The API's answer in one turn, and how it travels.
pub struct Turn {
    pub(super) says: Says,
    pub(super) delivery: Delivery,
    /// True if its calls may be of functions that were not declared.
    pub(super) is_mistaken: bool,
    pub(super) meanwhile: Option<Work>,
}

/// The kinds of turns.
#[derive(Clone, Debug)]
pub(super) enum Says {
    Content(Content),
    Blocked(String),
    Raw(Vec<Value>),
    Error(ApiError),
    Page {
        status: u16,
        kind: String,
        body: String,
    },
    /// Nothing: what happens to the connection instead.
    Nothing(End),
}

impl Turn {
    /// The model responds with `text`, which ends a run.
    pub fn text(text: impl Into<String>) -> Self {
        Self::texts([text])
    }

    /// The model responds with a text that a stream sends in these pieces.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::from(Says::Content(Content {
            texts: texts.into_iter().map(Into::into).collect(),
            ..Content::default()
        }))
    }

    /// The model calls one function, by the name it was declared under.
    pub fn call(name: impl Into<String>, args: Value) -> Self {
        Self::calls([(name.into(), args)])
    }

    /// The model calls several functions at once.
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, args)| (name.into(), args));
        Self::from(Says::Content(Content {
            calls: calls.collect(),
            ..Content::default()
        }))
    }

    /// The model's content has no parts: it stopped for this reason.
    pub fn empty(reason: impl Into<String>) -> Self {
        Self::from(Says::Content(Content::default())).finish(reason)
    }

    /// The prompt is blocked: there are no candidates.
    pub fn blocked(reason: impl Into<String>) -> Self {
        Self::from(Says::Blocked(reason.into()))
    }

    /// These responses, word for word: the events of a stream, or the first of them.
    pub fn raw(responses: impl IntoIterator<Item = Value>) -> Self {
        Self::from(Says::Raw(responses.into_iter().collect()))
    }

    /// The API fails: with an HTTP status, or with details.
    pub fn error(error: impl Into<ApiError>) -> Self {
        Self::from(Says::Error(error.into()))
    }

    /// Something between the client and the API answers: HTML, or nothing.
    pub fn page(status: u16, kind: impl Into<String>, body: impl Into<String>) -> Self {
        Self::from(Says::Page {
            status,
            kind: kind.into(),
            body: body.into(),
        })
    }

    /// The connection is reset before anything is sent.
    pub fn reset() -> Self {
        Self::from(Says::Nothing(End::Reset))
    }

    /// The connection is closed before anything is sent.
    pub fn cut() -> Self {
        Self::from(Says::Nothing(End::Cut))
    }

    /// Nothing is ever sent.
    pub fn hang() -> Self {
        Self::from(Says::Nothing(End::Hang))
    }

    /// The model thinks this first, and shows it.
    #[must_use]
    pub fn thinking(self, thought: impl Into<String>) -> Self {
        self.change(|content| content.thoughts.push(thought.into()))
    }

    /// The model says this before it calls functions.
    #[must_use]
    pub fn saying(self, text: impl Into<String>) -> Self {
        self.change(|content| content.texts.push(text.into()))
    }

    /// The reason why the model stops; `STOP` otherwise.
    #[must_use]
    pub fn finish(self, reason: impl Into<String>) -> Self {
        self.change(|content| content.finish = Some(reason.into()))
    }

    /// The calls have no ids.
    #[must_use]
    pub fn without_ids(self) -> Self {
        self.change(|content| content.is_anonymous = true)
    }

    /// Each call is an event of its own.
    #[must_use]
    pub fn calls_apart(self) -> Self {
        self.change(|content| content.has_calls_apart = true)
    }

    /// The signature is on an empty text after the text.
    #[must_use]
    pub fn signed_apart(self) -> Self {
        self.change(|content| content.is_signed_apart = true)
    }

    /// The model errs: it may call functions that were not declared, or that the mode
    /// does not allow.
    #[must_use]
    pub fn mistaken(mut self) -> Self {
        self.is_mistaken = true;
        self
    }

    /// Events end with this instead of `\r\n\r\n`: `\n\n` or `\r\r`.
    #[must_use]
    pub fn separated_by(mut self, separator: &'static str) -> Self {
        self.delivery.separator = separator;
        self
    }

    /// The body is written in pieces of `bytes`, even within a character, after a pause.
    #[must_use]
    pub fn in_pieces(mut self, bytes: usize, pause: Duration) -> Self {
        self.delivery.pieces = Some((bytes, pause));
        self
    }

    /// Something goes wrong after this number of events.
    #[must_use]
    pub fn breaks_after(mut self, events: usize, broken: Break) -> Self {
        self.delivery.broken = Some((events, broken));
        self
    }

    /// Runs `work` before the response is sent, for example to remove a file.
    #[must_use]
    pub fn meanwhile(mut self, work: impl FnOnce() + Send + 'static) -> Self {
        self.meanwhile = Some(Box::new(work));
        self
    }

    fn change(mut self, change: impl FnOnce(&mut Content)) -> Self {
        let Says::Content(content) = &mut self.says else {
            panic!("only what a model says can be changed, not {self:?}")
        };
        change(content);
        self
    }
}

impl From<Says> for Turn {
    fn from(says: Says) -> Self {
        Self {
            says,
            delivery: Delivery::default(),
            is_mistaken: false,
            meanwhile: None,
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.says.fmt(f)
    }
}
