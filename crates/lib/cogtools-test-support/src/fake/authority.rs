//! Who may call: a key, or for Vertex AI a token.

use super::error::ApiError;
use super::route::Route;
use crate::http::Incoming;

const ANONYMOUS: &str = "Method doesn't allow unregistered callers (callers without established \
    identity). Please use API Key or other form of API consumer identity to call this API.";

/// The headers that carry secrets.
const SECRETS: [&str; 2] = ["x-goog-api-key", "authorization"];

/// Fails unless the request carries the valid key, or any key if none was set.
pub(super) fn check(
    incoming: &Incoming,
    route: &Route,
    valid: Option<&str>,
) -> Result<(), ApiError> {
    let is_valid = |secret: &str| valid.is_none_or(|valid| valid == secret);
    if route.project.is_some() {
        let header = incoming.header("authorization").unwrap_or_default();
        let token = header.strip_prefix("Bearer ").unwrap_or_default();
        return if !token.is_empty() && is_valid(token) {
            Ok(())
        } else {
            Err(ApiError::new(401))
        };
    }
    let key = incoming
        .header("x-goog-api-key")
        .or_else(|| in_query(incoming));
    match key.filter(|key| !key.is_empty()) {
        None => Err(ApiError::new(403).message(ANONYMOUS)),
        Some(key) if !is_valid(key) => Err(ApiError::new(400)
            .message("API key not valid. Please pass a valid API key.")
            .reason("API_KEY_INVALID")),
        Some(_) => Ok(()),
    }
}

fn in_query(incoming: &Incoming) -> Option<&str> {
    let (_, query) = incoming.target.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix("key="))
}

/// A path and query without the key, for the record.
pub(super) fn without_key(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else {
        return target.to_owned();
    };
    let hidden = query.split('&').map(|pair| {
        if pair.starts_with("key=") {
            "key=…"
        } else {
            pair
        }
    });
    format!("{path}?{}", hidden.collect::<Vec<_>>().join("&"))
}

/// The headers without their secrets, for the record.
pub(super) fn without_secrets(headers: &[(String, String)]) -> Vec<(String, String)> {
    let public = |(name, value): &(String, String)| {
        let value = if SECRETS.contains(&name.as_str()) {
            "…"
        } else {
            value
        };
        (name.clone(), value.to_owned())
    };
    headers.iter().map(public).collect()
}
