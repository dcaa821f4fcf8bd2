//! Requests of tools: what `cogtools-http` is sent, what it answers, and the hosts it may reach.
//!
//! No client is linked here. A message is a line of JSON, and then the bytes of a body.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use cogtools_document::Diagnostic;
pub use cogtools_hosts::{
    HostRule, address, canonical_host, is_link_local, is_named, is_public, permits, split_port,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Cancel;
use crate::environment::Vars;

/// The program that requests.
pub const PROGRAM: &str = "cogtools-http";

/// Makes requests within this process, whose connections then stay open for further calls.
pub trait Requests: Debug + Send + Sync {
    /// Makes the requests of `task`, the first one with this `body`. `vars` are the user's own.
    ///
    /// # Errors
    ///
    /// The diagnostic to show; without secrets. None if the call was cancelled.
    fn run(
        &self,
        task: HttpTask,
        body: Vec<u8>,
        vars: &Vars,
        cancel: &Cancel,
    ) -> Result<(HttpReply, Vec<u8>), Option<Box<Diagnostic>>>;
}

/// A call of a tool that makes requests: everything but the body of the first one.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct HttpTask {
    /// The method.
    pub method: String,
    /// The URL, without the part of `auth`.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The type of the body, if there is one.
    pub content_type: Option<String>,
    /// The credentials, all of which are sent.
    pub auth: Vec<HttpAuth>,
    /// The hosts that may be reached besides the one of `url`.
    pub hosts: Vec<HostRule>,
    /// True if arguments are a part of the host, so that `hosts` has to name it.
    pub is_host_rendered: bool,
    /// Statuses from 400 that are results.
    pub ok: Vec<u16>,
    /// Further attempts.
    pub retry: Retry,
    /// The way to further pages.
    pub paginate: Option<HttpPages>,
    /// The kind of content that the result is made of.
    pub kind: Option<HttpKind>,
    /// The longest decoded body, in bytes.
    pub max_bytes: u64,
    /// The limit of the whole call, in seconds.
    pub seconds: f64,
    /// Recorded exchanges, which take the place of the network.
    pub replay: Option<Vec<Value>>,
    /// True if the answer has the exchanges.
    pub record: bool,
}

/// The credentials of a request: texts, or what the texts come from.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpAuth<T = String> {
    /// A token in the header `Authorization`.
    Bearer(T),
    /// A user name and a password.
    Basic(T, T),
    /// A header with its prefix and the key.
    Header(String, String, T),
    /// A parameter of the query with its prefix and the key.
    Query(String, String, T),
    /// Client credentials of OAuth: the URL of the token, the client's name and secret, the scope.
    Oauth(T, T, T, Option<T>),
    /// The stored login at a source.
    Login(String),
}

/// Further attempts after a failure that may pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retry {
    /// Maximum number of further attempts.
    pub times: u32,
    /// The seconds before the second attempt.
    pub delay: f64,
    /// The factor by which each further delay is longer.
    pub backoff: f64,
}

/// The way to further pages, whose items become one array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HttpPages {
    /// The place of the next page.
    pub next: NextPage,
    /// The pointer to the array of a page.
    pub items: String,
    /// The largest number of pages.
    pub pages: u32,
}

/// The place of the next page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextPage {
    /// The header `Link` with `rel="next"`.
    Link,
    /// A pointer to a cursor, and its parameter of the query.
    Cursor(String, String),
    /// A pointer to a URL.
    Url(String),
    /// A parameter of the query with a number, and the first one.
    Page(String, i64),
}

/// The kind of content that a result is made of.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HttpKind {
    /// The body as text.
    Text,
    /// The body as JSON.
    Json,
    /// A picture.
    Image,
    /// The Markdown of a page in HTML.
    Markdown,
}

/// The last response of a call: everything but its body, which is UTF-8.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// The phrase of the status.
    pub reason: String,
    /// The headers by their names in lower case.
    pub headers: Map<String, Value>,
    /// True if there are further pages.
    pub more: bool,
    /// The media type of the body, without parameters.
    pub media_type: String,
    /// The size of the body, in bytes.
    pub size: u64,
    /// False if the body is not text; it is then Base64.
    pub is_text: bool,
    /// The exchanges, if they are recorded.
    pub exchanges: Vec<Value>,
}

/// The longest delay of a [`Retry`].
const MAX_DELAY: Duration = Duration::from_hours(1);

impl Default for Retry {
    /// A failure is final.
    fn default() -> Self {
        Self {
            times: 0,
            delay: 0.0,
            backoff: 1.0,
        }
    }
}

impl Retry {
    /// The delay after the attempt `number` (from 1) has failed; `None` if it was the last one.
    pub fn delay_after(self, number: u32) -> Option<Duration> {
        if number > self.times {
            return None;
        }
        let exponent = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.delay * self.backoff.max(0.0).powi(exponent);
        let delay = Duration::try_from_secs_f64(seconds).unwrap_or(MAX_DELAY);
        Some(delay.min(MAX_DELAY))
    }
}

impl<T> Debug for HttpAuth<T> {
    /// Writes nothing that is secret.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAuth").finish_non_exhaustive()
    }
}

impl<T> HttpAuth<T> {
    /// Returns the same credentials with `convert`ed texts.
    ///
    /// # Errors
    ///
    /// The first one of `convert`.
    pub fn try_map<'t, U, E>(
        &'t self,
        mut convert: impl FnMut(&'t T) -> Result<U, E>,
    ) -> Result<HttpAuth<U>, E> {
        Ok(match self {
            Self::Bearer(token) => HttpAuth::Bearer(convert(token)?),
            Self::Basic(user, password) => HttpAuth::Basic(convert(user)?, convert(password)?),
            Self::Header(name, prefix, key) => {
                HttpAuth::Header(name.clone(), prefix.clone(), convert(key)?)
            }
            Self::Query(name, prefix, key) => {
                HttpAuth::Query(name.clone(), prefix.clone(), convert(key)?)
            }
            Self::Oauth(url, id, secret, scope) => HttpAuth::Oauth(
                convert(url)?,
                convert(id)?,
                convert(secret)?,
                scope.as_ref().map(convert).transpose()?,
            ),
            Self::Login(source) => HttpAuth::Login(source.clone()),
        })
    }
}

/// Encodes all of `text` but the unreserved characters of RFC 3986.
pub fn percent_encode(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Makes a message of a line of JSON and the bytes of a body.
pub fn encode<T: Serialize>(head: &T, body: &[u8]) -> Vec<u8> {
    // Text and numbers can always be serialized.
    let mut bytes = serde_json::to_vec(head).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    bytes
}

/// Splits a message.
pub fn decode<T: DeserializeOwned>(message: &[u8]) -> Option<(T, &[u8])> {
    let end = message.iter().position(|byte| *byte == b'\n')?;
    Some((
        serde_json::from_slice(&message[..end]).ok()?,
        &message[end + 1..],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_up_to_a_limit() {
        let retry = Retry {
            times: 3,
            delay: 2.0,
            backoff: 3.0,
        };
        let delays = [1, 2, 3, 4].map(|number| retry.delay_after(number));
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(delays, [seconds(2), seconds(6), seconds(18), None]);
        let endless = Retry {
            times: u32::MAX,
            ..retry
        };
        assert_eq!(endless.delay_after(u32::MAX), Some(MAX_DELAY));
        assert_eq!(Retry::default().delay_after(1), None);
        let odd = Retry {
            backoff: f64::NAN,
            ..retry
        };
        assert_eq!(odd.delay_after(2), Some(Duration::ZERO));
    }
}
