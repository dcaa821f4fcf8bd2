//! One turn of the script: the model's next response.

use std::fmt;

use serde_json::{Value, json};

/// The model's response in one turn.
pub struct Turn {
    pub(super) says: Says,
    pub(super) meanwhile: Option<Box<dyn FnOnce() + Send>>,
}

/// The kinds of turns.
#[derive(Clone, Debug)]
pub(super) enum Says {
    Text(String),
    Calls(Vec<(String, Value)>),
    Error(u16, &'static str, String),
}

impl Turn {
    /// The model responds with `text`, which ends a run.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(Says::Text(text.into()))
    }

    /// The model calls one function, by the name it was declared under.
    pub fn call(name: impl Into<String>, args: Value) -> Self {
        Self::calls([(name.into(), args)])
    }

    /// The model calls several functions at once.
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, args)| (name.into(), args));
        Self::from(Says::Calls(calls.collect()))
    }

    /// The API fails: an HTTP status and the API's name for it.
    pub fn error(code: u16, status: &'static str, message: impl Into<String>) -> Self {
        Self::from(Says::Error(code, status, message.into()))
    }

    /// Runs `work` before the response is sent, for example to remove a file.
    #[must_use]
    pub fn meanwhile(mut self, work: impl FnOnce() + Send + 'static) -> Self {
        self.meanwhile = Some(Box::new(work));
        self
    }

    /// The parts of the model's content; `number` makes call ids unique.
    pub(super) fn parts(says: &Says, number: usize) -> Vec<Value> {
        match says {
            Says::Text(text) => vec![json!({ "text": text })],
            Says::Calls(calls) => (1..)
                .zip(calls)
                .map(|(index, (name, args))| {
                    let id = format!("call-{number}-{index}");
                    json!({ "functionCall": { "id": id, "name": name, "args": args } })
                })
                .collect(),
            Says::Error(..) => Vec::new(),
        }
    }
}

impl From<Says> for Turn {
    fn from(says: Says) -> Self {
        Self {
            says,
            meanwhile: None,
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.says.fmt(f)
    }
}
