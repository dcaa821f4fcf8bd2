//! One turn: a request is sent, and the response is written to the log.

use cogtools_log::{EndStatus, Event, LogError};
use cogtools_model::{ModelError, Request, Response, Usage};

use crate::agent::{Agent, RunEnd};
use crate::cache::{CacheUse, Caching};
use crate::journal::usage_event;
use crate::observer::{Activity, Silent};
use crate::respond::{Ended, Exchange, cancelled};

/// Whether the user sees a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// It is for the user.
    Yes,
    /// It is for the agent itself.
    No,
}

impl Agent<'_> {
    fn caching(&mut self) -> Caching<'_> {
        Caching {
            model: self.model,
            model_name: &self.settings.request.model,
            fixed: &self.fixed,
            settings: self.settings.history,
            journal: &mut self.journal,
            observer: &mut *self.observer,
        }
    }

    /// Sends the next request. One that fails because of its cache is sent again in full.
    pub(crate) async fn ask(&mut self) -> Result<Ended, LogError> {
        let cancel = self.cancel.clone();
        // A provider that does not answer must not keep a run that was cancelled.
        let mut caching = self.caching();
        let prepared = tokio::select! {
            biased;
            () = cancelled(&cancel) => None,
            cache = caching.prepare() => Some(cache?),
        };
        let Some(cache) = prepared else {
            return Ok(Ended::Cancelled(Response::default()));
        };
        let ended = self.ask_with(&cache).await?;
        let (Some(name), Ended::Failed(_, error)) = (&cache.name, &ended) else {
            return Ok(ended);
        };
        if !is_of_cache(error) {
            return Ok(ended);
        }
        self.caching().fail(name, error)?;
        self.ask_with(&cache.in_full()).await
    }

    async fn ask_with(&mut self, cache: &CacheUse) -> Result<Ended, LogError> {
        // A conversation always ends in a task or a result here.
        let Some(prompt) = self.journal.state().prompt(&self.fixed, cache.turns) else {
            return Ok(Ended::Complete(Response::default()));
        };
        let request = prompt.request(&self.settings.request, cache.name.as_deref());
        let turn = self.journal.state().requests().saturating_add(1);
        let layers = self.journal.keep_prompt(&prompt, cache.name.is_some())?;
        self.journal.append(Event::Request {
            hash: request.hash(),
            layers,
            model: request.model.clone(),
            turn,
        })?;
        self.observer.on(&Activity::Request(u64::from(turn)));
        self.exchange(&request, Shown::Yes).await
    }

    /// Sends `request`, and counts it. The response is left to the caller.
    pub(crate) async fn exchange(
        &mut self,
        request: &Request,
        shown: Shown,
    ) -> Result<Ended, LogError> {
        self.ledger.add_turn();
        let mut silent = Silent;
        let exchange = Exchange {
            model: self.model,
            request,
            retry: self.settings.retry,
            time_left: self.ledger.time_left(),
            cancel: &self.cancel,
            observer: match shown {
                Shown::Yes => &mut *self.observer,
                Shown::No => &mut silent,
            },
        };
        let (ended, wasted) = exchange.run().await;
        self.record_usage(wasted)?;
        Ok(ended)
    }

    /// Writes a response and its usage to the log.
    pub(crate) fn record(&mut self, response: &Response) -> Result<(), LogError> {
        let content = response.content().map(serde_json::to_value);
        let content = content.and_then(Result::ok).unwrap_or_default();
        self.journal.append(Event::Response {
            content,
            finish_reason: response
                .finish()
                .map(|finish| finish.as_str().to_owned())
                .or_else(|| response.block_reason().map(str::to_owned)),
            model_version: response.model_version().map(str::to_owned),
            response_id: response.response_id().map(str::to_owned),
        })?;
        self.last_text = response.text();
        self.last_finish = response.finish().cloned();
        let usage = response.usage();
        self.record_usage(usage)?;
        self.observer.on(&Activity::Response(&usage));
        Ok(())
    }

    /// Writes what a response has used to the log, if anything.
    pub(crate) fn record_usage(&mut self, usage: Usage) -> Result<(), LogError> {
        if usage == Usage::default() {
            return Ok(());
        }
        let price = self.settings.price.as_ref();
        self.ledger.add_usage(usage, price);
        self.journal.append(usage_event(&usage, price)).map(drop)
    }

    /// Keeps what had arrived of a response if the user has seen any of it. Calls in it do not
    /// run: there might have been more.
    pub(crate) fn keep_partial(
        &mut self,
        response: &Response,
        status: EndStatus,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if response.text().trim().is_empty() {
            self.record_usage(response.usage())?;
        } else {
            self.record(response)?;
            self.abandon_calls("not run: the response was cut off")?;
        }
        self.end(status, error)
    }
}

/// Whether a request may succeed without its cache.
fn is_of_cache(error: &ModelError) -> bool {
    matches!(error, ModelError::Api(error) if matches!(error.status, 400 | 403 | 404))
}
