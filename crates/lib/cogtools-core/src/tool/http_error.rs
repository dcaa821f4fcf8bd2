//! Errors of a map under `http`, besides the values of its keys.

use crate::suggest::did_you_mean;

/// Methods of requests.
pub(super) const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Why a map under `http` is not a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpToolError {
    /// Another scheme, or one that is rendered.
    #[error("`url` begins with `https://` or `http://`, as text")]
    Scheme,
    /// A user name or a password.
    #[error("`url` has a user name or a password")]
    Userinfo,
    /// A fragment, which is never sent.
    #[error("`url` has a fragment")]
    Fragment,
    /// A brace that begins no expression.
    #[error("`{0}` in `url` is not an expression")]
    Brace(String),
    /// A template after the colon.
    #[error("the port in `url` is a template")]
    Port,
    /// No host, or an invalid one.
    #[error("`url` has no valid host")]
    UrlHost,
    /// A template in the host without `hosts`.
    #[error("the host in `url` is a template, and `hosts` names none")]
    NoHosts,
    /// Not a method.
    #[error("`{0}` is not a method")]
    Method(String),
    /// Not the name of a header.
    #[error("`{0}` is not the name of a header")]
    HeaderName(String),
    /// A header that belongs to the connection.
    #[error("`{0}` cannot be set: the client sets it")]
    Header(String),
    /// A body of a request that has none.
    #[error("a {0} request has no `body`")]
    Body(String),
    /// Not exactly one of these keys.
    #[error("`{0}` takes exactly one of {1}")]
    OneOf(String, String),
    /// Not a host.
    #[error("`{0}` is not a host")]
    Host(String),
    /// A status that is a result anyway, or none at all.
    #[error("`ok` takes statuses from 400 to 599, not {0}")]
    Ok(String),
    /// A retry of a method that is not idempotent.
    #[error("a {0} request is not repeated unless the tool is idempotent")]
    Retry(String),
    /// Too many or no pages.
    #[error("`pages` is a number from 1 to 100")]
    Pages,
    /// Not a JSON pointer.
    #[error("`{0}` is not a JSON pointer")]
    Pointer(String),
    /// Not an expression.
    #[error("`select` is neither a JSON pointer nor an expression")]
    Select,
    /// Not a kind of result.
    #[error("`{0}` is not a kind of result")]
    Kind(String),
    /// Credentials for a host that arguments choose.
    #[error("`auth` cannot be sent to a host of `*.` that arguments choose")]
    Wildcard,
    /// Not a name of a variable.
    #[error("`{0}` takes a variable, not the value itself")]
    Variable(String),
}

impl HttpToolError {
    pub(in crate::tool) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Scheme => "write it as in `https://a.example/users/{{ id }}`".to_owned(),
            Self::Userinfo => {
                "write `auth: {basic: {user: NAME, password: {env: VARIABLE}}}`".into()
            }
            Self::Fragment => "remove `#` and what follows, or write `%23`".into(),
            Self::Brace(_) => "write an argument as in `{{ id }}`".into(),
            Self::Port => "write the port as a number, or let the host be `HOST:PORT`".into(),
            Self::UrlHost => "write it as in `https://a.example:8443/`".into(),
            Self::NoHosts => {
                "name every host that it may be, as in `hosts: [\"*.a.example\"]`".into()
            }
            Self::Method(name) => {
                let meant = did_you_mean(name, METHODS);
                return meant.or_else(|| Some(format!("write one of {}", METHODS.join(", "))));
            }
            Self::HeaderName(_) => "use letters, digits and hyphens, as in `X-Request-Id`".into(),
            Self::Header(_) => "remove it".into(),
            Self::Body(_) => "write `query`, or another `method`".into(),
            Self::OneOf(..) => "remove the others".into(),
            Self::Host(_) => "write `a.example`, `*.a.example` or `127.0.0.1:8080`".into(),
            Self::Ok(_) => "smaller statuses are results anyway".into(),
            Self::Retry(_) => {
                "if a repetition does no harm: `annotations: {idempotent: true}`".into()
            }
            Self::Pages => "write a number such as `10`".into(),
            Self::Pointer(_) => "begin it with `/`, as in `/data/items`".into(),
            Self::Select => {
                "write `/data/name`, or an expression such as `body.data | first`".into()
            }
            Self::Kind(name) => {
                let kinds = ["text", "json", "image", "markdown"];
                let meant = did_you_mean(name, kinds);
                return meant.or_else(|| Some(format!("write one of {}", kinds.join(", "))));
            }
            Self::Wildcard => "name the hosts one by one".into(),
            Self::Variable(_) => "write `{env: NAME}`; a secret does not belong in a file".into(),
        })
    }
}
