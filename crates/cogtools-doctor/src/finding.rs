//! What a check has found.

use serde_json::{Map, Value};

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// It is as it should be.
    Ok,
    /// Tools work, but not for everybody, or at a price.
    Warning,
    /// Some host does not see a tool, or cannot call it, or does not start.
    Problem,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) state: State,
    /// What is so, in one line.
    pub(crate) message: String,
    /// What to type, or to do, to mend it.
    pub(crate) fix: Option<String>,
    /// Whether `--fix` does it.
    pub(crate) fixable: bool,
}

/// What to type for what `--fix` mends.
const FIX: &str = "cogtools doctor --fix";

impl State {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Finding {
    pub(crate) fn ok(message: impl Into<String>) -> Self {
        Self::new(State::Ok, message)
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self::new(State::Warning, message)
    }

    pub(crate) fn problem(message: impl Into<String>) -> Self {
        Self::new(State::Problem, message)
    }

    fn new(state: State, message: impl Into<String>) -> Self {
        Self {
            state,
            message: message.into(),
            fix: None,
            fixable: false,
        }
    }

    /// The same with what mends it.
    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self {
            fix: Some(fix.into()),
            ..self
        }
    }

    /// The same, which `--fix` mends.
    pub(crate) fn fixable(self) -> Self {
        Self {
            fixable: true,
            ..self.fix(FIX)
        }
    }

    /// The finding of the check of that name, as JSON.
    pub(crate) fn json(&self, check: &str) -> Value {
        let mut object = Map::new();
        object.insert("check".into(), check.into());
        object.insert("state".into(), self.state.name().into());
        object.insert("message".into(), self.message.clone().into());
        if let Some(fix) = &self.fix {
            object.insert("fix".into(), fix.clone().into());
        }
        object.insert("fixable".into(), self.fixable.into());
        Value::Object(object)
    }
}
