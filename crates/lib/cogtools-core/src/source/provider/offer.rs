//! The offer of an MCP server besides its tools: prompts, resources, their templates, and
//! instructions. It is cached as declarations are.
//!
//! It needs no approval beside the one of the source, which covers all that runs: prompts and
//! resources are texts that are read on request, and they run nothing here.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::remote::{LocalNames, code_points, own_prefix, visible};
use super::{Provider, ProviderError};
use crate::resident::{SessionError, SessionWork};
use crate::{Context, invisible};

/// The offer of one server.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its server.
    pub provider: Provider,
    /// The key of its source.
    pub key: String,
    value: Arc<Value>,
    /// Its instructions for models; empty, if it has none.
    pub instructions: String,
    /// Invisible characters that were removed from its texts.
    pub(crate) hidden: BTreeSet<char>,
}

impl Provider {
    /// Returns the offer of a server to a program that stays; nothing if there is none yet, or if its
    /// tools cannot be listed.
    pub(crate) fn offer(&self, cx: &Context) -> Result<Option<Offer>, ProviderError> {
        if self.sessions(cx).is_none() || self.tools(cx).is_err() {
            return Ok(None);
        }
        let values = match self.values(SessionWork::Offer, cx) {
            Ok((values, _)) => values,
            // It is announced when it comes.
            Err(ProviderError::Late(..)) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(values.first().map(|value| self.offer_of(value, cx)))
    }

    /// Its cached offer, however old it is, whether it is approved or not.
    pub(crate) fn cached_offer(&self, cx: &Context) -> Option<Offer> {
        let values = self.cache(cx)?.of_offer().read()?;
        values.first().map(|value| self.offer_of(value, cx))
    }

    fn offer_of(&self, value: &Arc<Value>, cx: &Context) -> Offer {
        let mut hidden = BTreeSet::new();
        let instructions = value.get("instructions").and_then(Value::as_str);
        let instructions = invisible::remove(instructions.unwrap_or_default(), &mut hidden);
        Offer {
            provider: self.clone(),
            key: self.key(cx),
            instructions: instructions.trim().to_owned(),
            value: visible(value, &mut hidden),
            hidden,
        }
    }

    /// Sends a request to the server in its session; the answer has `result` or `error`.
    pub fn ask(
        &self,
        method: &'static str,
        params: Map<String, Value>,
        cx: &Context,
    ) -> Result<Value, ProviderError> {
        let approved = self.approved(cx)?;
        if super::is_recursive(cx) {
            return Err(ProviderError::Recursive(self.name()));
        }
        let variables = self.variables(cx)?;
        let Some(sessions) = self.sessions(cx) else {
            return Err(ProviderError::NotFound(self.name(), method.to_owned()));
        };
        let timeout = self.settings.call_timeout();
        let work = SessionWork::Request { method, params };
        let answer = self.request(&**sessions, &work, timeout, (&approved, &variables), cx);
        answer.map_err(|error| self.session_error(error, timeout, cx))
    }

    /// The error of a request without an answer.
    pub(super) fn session_error(
        &self,
        error: SessionError,
        timeout: Duration,
        cx: &Context,
    ) -> ProviderError {
        match error {
            SessionError::Failed(diagnostic) => {
                let diagnostic = self.explain_denial(*diagnostic, cx);
                ProviderError::Server(self.name(), Box::new(diagnostic))
            }
            SessionError::TimedOut | SessionError::Cancelled => {
                ProviderError::TimedOut(self.name(), timeout)
            }
        }
    }
}

impl Offer {
    /// The name of its source.
    pub fn source(&self) -> &str {
        &self.provider.settings().name
    }

    /// Returns true if it has this list, which may be empty.
    pub fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    /// The objects in one of its lists.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &Value> {
        let list = self.value.get(key).and_then(Value::as_array);
        list.into_iter().flatten()
    }

    /// Its prompts, each with its name here and its own: named by the rules of tools, with the name of
    /// the source in front of a name that `is_taken`.
    pub fn prompts(&self, is_taken: impl Fn(&str) -> bool) -> Vec<(String, &str, &Value)> {
        let named = || {
            let named = self.list("prompts");
            named.filter_map(|prompt| Some((prompt.get("name")?.as_str()?, prompt)))
        };
        let prefix = own_prefix(&self.provider);
        let names = || named().map(|(name, _)| name);
        let local = LocalNames::new(&self.provider.settings().prefix, names());
        let beside = LocalNames::new(&prefix, names());
        let name = |(own, prompt)| {
            let name = Some(local.of(own)).filter(|it| !is_taken(it));
            (name.unwrap_or_else(|| beside.of(own)), own, prompt)
        };
        named().map(name).collect()
    }

    /// A warning if it had invisible characters, and one for each request that the server did not
    /// answer with a list.
    pub fn warnings(&self) -> Vec<ProviderError> {
        let name = || self.provider.name();
        let hidden = (!self.hidden.is_empty())
            .then(|| ProviderError::Invisible(name(), code_points(&self.hidden)));
        let methods = self.value.get("unexpected").and_then(Value::as_array);
        let methods = methods.into_iter().flatten().filter_map(Value::as_str);
        let invalid = methods.map(|method| ProviderError::InvalidList(name(), method.to_owned()));
        hidden.into_iter().chain(invalid).collect()
    }
}
