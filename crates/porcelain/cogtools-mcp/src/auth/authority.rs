//! The metadata of an authorization server: RFC 8414, and `OpenID` Connect Discovery 1.0.

use oauth2::url::Url;
use serde::Deserialize;

use super::error::LoginError;
use super::fetch::Fetch;
use super::reach::Reach;

/// An authorization server.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    /// Its identifier, compared as text.
    pub(crate) issuer: String,
    /// Where the user agrees.
    pub(crate) authorization: Url,
    /// Where tokens are.
    pub(crate) token: Url,
    /// Where clients register.
    pub(crate) registration: Option<Url>,
    /// Where tokens are revoked.
    pub(crate) revocation: Option<Url>,
    /// The ways in which clients prove who they are.
    pub(crate) methods: Option<Vec<String>>,
    /// The scopes that it knows.
    pub(crate) scopes: Vec<String>,
    /// Whether its answers name it.
    pub(crate) names_itself: bool,
    /// Whether a client may be the URL of a document.
    pub(crate) takes_documents: bool,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    code_challenge_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    scopes_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    client_id_metadata_document_supported: bool,
}

impl Authority {
    /// Finds the metadata of `issuer`, which the server names.
    pub(crate) async fn find(
        issuer: &str,
        reach: Reach,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let base = reach.check(issuer)?;
        for place in places(&base) {
            if let Some(document) = fetch.document(&place, "metadata").await? {
                return Self::checked(document, issuer, reach);
            }
        }
        Err(LoginError::NoAuthorityMetadata(issuer.to_owned()))
    }

    fn checked(document: Document, issuer: &str, reach: Reach) -> Result<Self, LoginError> {
        if document.issuer != issuer {
            let other = document.issuer.escape_default().take(200).collect();
            return Err(LoginError::OtherIssuer(issuer.to_owned(), other));
        }
        let methods = document.code_challenge_methods_supported;
        if !methods.is_some_and(|all| all.iter().any(|method| method == "S256")) {
            return Err(LoginError::NoPkce(issuer.to_owned()));
        }
        let optional = |url: Option<String>| url.map(|url| reach.check(&url)).transpose();
        Ok(Self {
            authorization: reach.check(&document.authorization_endpoint)?,
            token: reach.check(&document.token_endpoint)?,
            registration: optional(document.registration_endpoint)?,
            revocation: optional(document.revocation_endpoint)?,
            methods: document.token_endpoint_auth_methods_supported,
            scopes: document.scopes_supported,
            names_itself: document.authorization_response_iss_parameter_supported,
            takes_documents: document.client_id_metadata_document_supported,
            issuer: document.issuer,
        })
    }
}

/// Where the metadata of an issuer may be, in the order of MCP's specification.
fn places(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/').to_owned();
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    let place = |path: String| {
        let mut place = issuer.clone();
        place.set_path(&path);
        place.set_query(None);
        place
    };
    paths.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_sought_in_order() {
        let all = |issuer: &str| -> Vec<String> {
            let issuer = Url::parse(issuer).expect("a URL");
            places(&issuer).into_iter().map(String::from).collect()
        };
        assert_eq!(
            all("https://a.example"),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            all("https://a.example/t/"),
            [
                "https://a.example/.well-known/oauth-authorization-server/t",
                "https://a.example/.well-known/openid-configuration/t",
                "https://a.example/t/.well-known/openid-configuration",
            ]
        );
    }
}
