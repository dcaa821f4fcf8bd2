//! The `details` of an error, found by their type.

use std::time::Duration;

use serde_json::Value;

use super::duration;

/// The details of one error.
#[derive(Default)]
pub(super) struct Details<'a>(&'a [Value]);

impl<'a> Details<'a> {
    pub(super) fn new(error: &'a Value) -> Self {
        let details = error.get("details").and_then(Value::as_array);
        Self(details.map_or(&[], Vec::as_slice))
    }

    fn find(&self, name: &str) -> Option<&'a Value> {
        self.0.iter().find(|detail| {
            let kind = detail.get("@type").and_then(Value::as_str);
            kind.and_then(|kind| kind.rsplit('.').next()) == Some(name)
        })
    }

    /// The names of the quotas that are exceeded.
    pub(super) fn quotas(&self) -> Vec<&'a str> {
        let failure = self.find("QuotaFailure");
        let violations = failure.and_then(|detail| detail.get("violations")?.as_array());
        let ids = violations.into_iter().flatten();
        let ids = ids.filter_map(|violation| violation.get("quotaId")?.as_str());
        let limit = self
            .find("ErrorInfo")
            .and_then(|info| info.pointer("/metadata/quota_limit")?.as_str());
        ids.chain(limit).collect()
    }

    /// The reason of the error, if there is one for programs.
    pub(super) fn reason(&self) -> Option<&'a str> {
        self.find("ErrorInfo")?.get("reason")?.as_str()
    }

    /// Whether the error is one of Cloud Code, which has quotas of its own.
    pub(super) fn is_of_cloud_code(&self) -> bool {
        let info = self.find("ErrorInfo");
        let domain = info.and_then(|info| info.get("domain")?.as_str());
        domain.is_some_and(|domain| domain.ends_with("cloudcode-pa.googleapis.com"))
    }

    /// How long to wait, if that is more than nothing.
    pub(super) fn retry_delay(&self) -> Option<Duration> {
        let delay = self.find("RetryInfo")?.get("retryDelay")?.as_str()?;
        duration::parse(delay).filter(|delay| !delay.is_zero())
    }
}
