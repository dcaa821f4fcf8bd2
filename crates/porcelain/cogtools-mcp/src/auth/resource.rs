//! The metadata of a server: which authorization servers it trusts (RFC 9728).

use oauth2::url::Url;
use serde::Deserialize;

use super::challenge::{Challenge, is_scope};
use super::error::LoginError;
use super::fetch::Fetch;
use super::reach::Reach;

/// Below this path of a host is its metadata.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What a server says about logins.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// Its identifier, exactly as it says it.
    pub(crate) id: String,
    /// The issuers of tokens for it.
    pub(crate) authorities: Vec<String>,
    /// The scopes for its basic functions.
    pub(crate) scopes: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

impl Resource {
    /// Finds the metadata of the server at `url`, which has sent `challenge`.
    pub(crate) async fn find(
        url: &Url,
        challenge: &Challenge,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let document = match &challenge.metadata {
            Some(text) => {
                let place = Reach::of(url).check(text)?;
                if place.origin() != url.origin() {
                    return Err(LoginError::Place {
                        url: super::fetch::shown(&place),
                        why: "is where the server has its metadata, but it is another server",
                    });
                }
                fetch.document::<Document>(&place, "metadata").await?
            }
            None => None,
        };
        let document = match document {
            Some(document) => document,
            None => Self::probe(url, fetch).await?,
        };
        if !is_resource_of(&document.resource, url) {
            let resource = document.resource.escape_default().take(200).collect();
            return Err(LoginError::OtherResource(resource));
        }
        let scopes = document.scopes_supported.into_iter();
        Ok(Self {
            id: document.resource,
            authorities: document.authorization_servers,
            scopes: scopes.filter(|scope| is_scope(scope)).take(100).collect(),
        })
    }

    /// Tries the places that the specification names, in their order.
    async fn probe(url: &Url, fetch: &Fetch) -> Result<Document, LoginError> {
        let path = url.path().trim_end_matches('/');
        let mut places = vec![format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()];
        places.dedup();
        for path in places {
            let mut place = url.clone();
            place.set_path(&path);
            place.set_query(None);
            if let Some(document) = fetch.document(&place, "metadata").await? {
                return Ok(document);
            }
        }
        Err(LoginError::NoResourceMetadata)
    }
}

/// Whether `id` identifies the server at `url`: it is the same, or the same host with the beginning
/// of its path.
fn is_resource_of(id: &str, url: &Url) -> bool {
    let Ok(id) = Url::parse(id) else {
        return false;
    };
    let own = id.path().trim_end_matches('/');
    let below = url.path().strip_prefix(own);
    let is_below = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_same_query = id.query().is_none() || id.query() == url.query();
    id.origin() == url.origin() && is_below && is_same_query && id.fragment().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_the_server_or_contains_it() {
        let url = Url::parse("https://mcp.example/a/mcp").expect("a URL");
        for (id, expected) in [
            ("https://mcp.example/a/mcp", true),
            ("https://MCP.example:443/a/mcp/", true),
            ("https://mcp.example/a", true),
            ("https://mcp.example", true),
            ("https://mcp.example/a/m", false),
            ("https://mcp.example/a/mcp/b", false),
            ("https://mcp.example/a/mcp?x", false),
            ("https://mcp.example/a/mcp#x", false),
            ("http://mcp.example/a/mcp", false),
            ("https://evil.example/a/mcp", false),
            ("https://mcp.example.evil.example/a/mcp", false),
            ("mcp.example", false),
        ] {
            assert_eq!(is_resource_of(id, &url), expected, "{id}");
        }
    }
}
