//! The token that is sent to one server, and its renewal.

use std::sync::Arc;

use cogtools_http::http::HeaderValue;
use cogtools_program::Vars;
use oauth2::url::Url;
use tokio::sync::Mutex;

use super::fetch::Fetch;
use super::grant::Grant;
use super::reach::may_have_token;
use super::store::Store;
use crate::client::server::Secrets;

/// The token for the server at one URL.
#[derive(Clone)]
pub(crate) struct Bearer {
    url: String,
    store: Store,
    fetch: Fetch,
    /// What no message of the server may show.
    secrets: Secrets,
    grant: Arc<Mutex<Option<Grant>>>,
}

impl Bearer {
    /// The token for the server at `url`, if one may be sent there.
    pub(crate) fn for_server(
        url: &str,
        store: Option<Store>,
        vars: &Vars,
        secrets: &Secrets,
    ) -> Option<Self> {
        let may_have_one = Url::parse(url).is_ok_and(|url| may_have_token(&url));
        let (store, fetch) = (store?, Fetch::new(vars).ok()?);
        may_have_one.then(|| Self {
            url: url.to_owned(),
            store,
            fetch,
            secrets: secrets.clone(),
            grant: Arc::default(),
        })
    }

    /// The header with the token; nothing without a login.
    pub(crate) async fn header(&self) -> Option<HeaderValue> {
        let mut grant = self.grant.lock().await;
        if grant.is_none() {
            *grant = self.store.load(&self.url);
        }
        if grant.as_ref().is_some_and(Grant::is_stale) {
            let token = grant.as_ref().map(|grant| grant.access_token.clone());
            *grant = self.renewed(token.as_deref()).await.or(grant.take());
        }
        self.value(grant.as_ref()?)
    }

    /// The header with another token than `rejected`, which the server has rejected.
    pub(crate) async fn other_than(&self, rejected: Option<&HeaderValue>) -> Option<HeaderValue> {
        let mut grant = self.grant.lock().await;
        let token = rejected
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix(SCHEME));
        *grant = self.renewed(token).await;
        self.value(grant.as_ref()?)
    }

    /// Another token than `old`: one that another process has stored, or a new one.
    async fn renewed(&self, old: Option<&str>) -> Option<Grant> {
        let is_other =
            |grant: &Grant| Some(grant.access_token.as_str()) != old && !grant.is_stale();
        // The last one to hold the lock has stored its token.
        if let Some(stored) = self.store.load(&self.url).filter(is_other) {
            return Some(stored);
        }
        old?;
        let _lock = self.store.lock(&self.url).await?;
        let mut grant = self.store.load(&self.url)?;
        if is_other(&grant) {
            return Some(grant);
        }
        grant.renew(&self.fetch).await.ok()?;
        let _ = self.store.save(&grant);
        Some(grant)
    }

    fn value(&self, grant: &Grant) -> Option<HeaderValue> {
        self.secrets.add(grant.secrets());
        let mut value = HeaderValue::try_from(format!("{SCHEME}{}", grant.access_token)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

const SCHEME: &str = "Bearer ";
