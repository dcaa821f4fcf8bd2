//! Requests to a server whose session stays open, in a program that stays.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Value, json};

use super::approval::ApprovedFiles;
use super::cache::Cache;
use super::{Provider, ProviderError, Server};
use crate::environment::Vars;
use crate::resident::{Resident, SessionError, SessionRequest, SessionWork, Sessions};
use crate::{Context, digest};

impl Provider {
    /// The sessions that stay open, if this is a server and the program stays.
    pub(super) fn sessions<'c>(&self, cx: &'c Context) -> Option<&'c Arc<dyn Sessions>> {
        self.settings.server.as_ref()?;
        cx.resident.as_ref()?.sessions()
    }

    /// Fails unless the user has approved the provider's command; ends the session of one that
    /// is not approved any more.
    pub(super) fn approved(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        let approved = self.check_approval(cx);
        if let (Err(_), Some(sessions)) = (&approved, self.sessions(cx)) {
            sessions.end(&self.key(cx));
        }
        approved
    }

    /// Gives `work` to the server in its session. The server sees what it would see if a client
    /// were started for this one request.
    pub(super) fn request(
        &self,
        sessions: &dyn Sessions,
        work: &SessionWork,
        timeout: Duration,
        (approved, variables): (&ApprovedFiles, &Vars),
        cx: &Context,
    ) -> Result<Value, SessionError> {
        let idle = self.settings.idle.unwrap_or(Server::IDLE);
        let cache = Cache::of(&self.settings, variables, cx);
        // Approved files that differ are in another folder, from which the server must run.
        let content = json!([
            cache.as_ref().map(Cache::key),
            approved.digest(),
            idle.as_secs_f64()
        ]);
        let start = || {
            self.server_start(approved, variables.clone(), cx)
                .map_err(|error| Box::new(error.diagnostic()))
        };
        let on_change: Arc<dyn Fn() + Send + Sync> = Self::on_change(cache, cx);
        sessions.request(&SessionRequest {
            source: &self.key(cx),
            fingerprint: &digest::value(&content).to_string(),
            work,
            timeout,
            idle,
            cancel: &cx.cancel,
            progress: cx.progress.as_ref(),
            start: &start,
            on_change: &on_change,
        })
    }

    /// Makes the cached declarations too old, and tells the program that stays.
    fn on_change(cache: Option<Cache>, cx: &Context) -> Arc<dyn Fn() + Send + Sync> {
        let resident = cx.resident.as_ref().map_or_else(Weak::new, Arc::downgrade);
        Arc::new(move || {
            if let Some(cache) = &cache {
                cache.expire();
            }
            if let Some(resident) = Weak::upgrade(&resident) {
                Resident::changed(&resident);
            }
        })
    }
}
