//! A finding of a check.

use std::borrow::Cow;

use cogtools_core::Omission;
use serde_json::{Map, Value};

use crate::remedy::Remedy;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Nothing is wrong.
    Ok,
    /// Tools work, but not everywhere, or at a cost.
    Warning,
    /// A host does not see a tool, cannot call it, or does not start.
    Problem,
}

/// One result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) state: State,
    /// The finding, in one line.
    pub(crate) message: String,
    /// Its details, one line each.
    pub(crate) details: Vec<String>,
    pub(crate) remedy: Option<Remedy>,
    /// True if `--fix` can fix it.
    pub(crate) fixable: bool,
    /// The tool of a source that is left out because of it.
    pub(crate) omission: Option<Omission>,
}

/// The command that shows findings which are summarized in one.
const EACH: &str = "`cogtools doctor --format json` shows each of them";

/// The command for everything that `--fix` can fix.
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
            details: Vec::new(),
            remedy: None,
            fixable: false,
            omission: None,
        }
    }

    /// Says which tool of a source is left out, if one is.
    pub(crate) fn omitting(self, omission: Option<&Omission>) -> Self {
        Self {
            omission: omission.cloned(),
            ..self
        }
    }

    /// Summarizes the findings, with one for all tools of a source that are left out for the same
    /// reason.
    pub(crate) fn summarize(findings: &[Self]) -> Vec<Cow<'_, Self>> {
        let groups = Omission::groups(findings.iter().map(|it| it.omission.as_ref()));
        let one_of = |places: Vec<usize>| {
            let first = &findings[places[0]];
            let group = places
                .iter()
                .filter_map(|at| findings[*at].omission.as_ref());
            let group: Vec<&Omission> = group.collect();
            match group[..] {
                [omission, _, ..] => {
                    let message = format!("{}: {}", omission.source, Omission::summary(&group));
                    Cow::Owned(Self::new(first.state, message).hint(EACH))
                }
                _ => Cow::Borrowed(first),
            }
        };
        groups.into_iter().map(one_of).collect()
    }

    /// Adds lines that belong to it.
    pub(crate) fn with_details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }

    /// Adds the command after which the finding is gone.
    pub(crate) fn fix(self, command: impl Into<String>) -> Self {
        self.remedy(Remedy::Command(command.into()))
    }

    /// Adds what to change, where no program can know what is right.
    pub(crate) fn hint(self, advice: impl Into<String>) -> Self {
        self.remedy(Remedy::Advice(advice.into()))
    }

    /// Adds what to do about it, if that is known.
    pub(crate) fn remedy(self, remedy: impl Into<Option<Remedy>>) -> Self {
        Self {
            remedy: remedy.into().or(self.remedy),
            ..self
        }
    }

    /// Marks it as something that `--fix` can fix.
    pub(crate) fn fixable(self) -> Self {
        Self {
            fixable: true,
            ..self.fix(FIX)
        }
    }

    /// The finding as JSON, with the name of its `check`.
    pub(crate) fn json(&self, check: &str) -> Value {
        let mut object = Map::new();
        object.insert("check".into(), check.into());
        object.insert("state".into(), self.state.name().into());
        object.insert("message".into(), self.message.clone().into());
        if !self.details.is_empty() {
            object.insert("details".into(), self.details.as_slice().into());
        }
        if let Some(remedy) = &self.remedy {
            object.insert(remedy.kind().into(), remedy.text().into());
        }
        object.insert("fixable".into(), self.fixable.into());
        Value::Object(object)
    }
}
