//! Who may see the pages: a browser that has exchanged the token of the printed URL for a
//! cookie. What starts something also needs the token of a page, since a browser sends a cookie
//! without being asked, and to every server on this machine.

use std::sync::{Mutex, PoisonError};

use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use cogtools_core::{Code, Diagnostic};

/// The number of random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// The header with the token of a page.
pub(crate) const PAGE_TOKEN: &str = "x-cogtools-token";

/// The secrets of a server.
pub(crate) struct Access {
    /// The token of the printed URL, until it is used.
    ticket: Mutex<Option<String>>,
    /// The name of the cookie, another one for each port: cookies do not know ports.
    name: String,
    cookie: String,
    page_token: String,
    /// The path below which all pages are, and where the browser sends the cookie.
    base: String,
}

impl Access {
    /// New secrets for the server on `port`.
    pub(crate) fn new(port: u16) -> Result<Self, Box<Diagnostic>> {
        Ok(Self {
            ticket: Mutex::new(Some(random()?)),
            name: format!("cogtools-{port}"),
            cookie: random()?,
            page_token: random()?,
            base: format!("/{}", random()?),
        })
    }

    /// The token of the URL; empty once it is used.
    pub(crate) fn ticket(&self) -> String {
        let ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        ticket.clone().unwrap_or_default()
    }

    /// The token of the pages.
    pub(crate) fn page_token(&self) -> &str {
        &self.page_token
    }

    /// The path below which all pages are. It is secret: another server on this machine, which
    /// does not know it, is never sent the cookie.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Returns true if `path` is below [`Access::base`].
    pub(crate) fn is_below_base(&self, path: &str) -> bool {
        let length = self.base.len();
        let Some((base, rest)) = path.split_at_checked(length) else {
            return false;
        };
        is_same(base, &self.base) && (rest.is_empty() || rest.starts_with('/'))
    }

    /// The cookie for `token`, which is used up, as a header; `None` if it is not the one.
    pub(crate) fn exchange(&self, token: &str) -> Option<HeaderValue> {
        let mut ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        ticket.take_if(|ticket| is_same(ticket, token))?;
        let (name, cookie, base) = (&self.name, &self.cookie, &self.base);
        let header = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path={base}");
        HeaderValue::from_str(&header).ok()
    }

    /// The name of the header that [`Access::exchange`] returns.
    pub(crate) const HEADER: axum::http::HeaderName = SET_COOKIE;

    /// Returns true if the browser has sent the cookie.
    pub(crate) fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';'));
        pairs.any(|pair| {
            let pair = pair.trim().split_once('=');
            pair.is_some_and(|(name, value)| name == self.name && is_same(value, &self.cookie))
        })
    }

    /// Returns true if the request comes from a page of this server.
    pub(crate) fn has_page_token(&self, headers: &HeaderMap) -> bool {
        let mut tokens = headers.get_all(PAGE_TOKEN).iter();
        let token = tokens.next().and_then(|token| token.to_str().ok());
        tokens.next().is_none() && token.is_some_and(|token| is_same(token, &self.page_token))
    }
}

/// Returns true if two tokens are equal. The comparison does not reveal where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let difference = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |all, (one, other)| all | (one ^ other));
    difference == 0 && one.len() == other.len()
}

/// A new token, in hexadecimal digits.
fn random() -> Result<String, Box<Diagnostic>> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("the system has no random numbers: {error}");
        Diagnostic::new(Code::Internal, message)
    })?;
    Ok(cogtools_core::digest::bytes(&bytes).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cookie(text: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(text).expect("a value"));
        headers
    }

    #[test]
    fn a_token_is_good_for_one_use() {
        let access = Access::new(4000).expect("tokens");
        let ticket = access.ticket();
        assert_eq!(ticket.len(), 2 * TOKEN_BYTES);
        assert_eq!(access.exchange(""), None);
        assert_eq!(access.exchange(&ticket[1..]), None);
        let header = access.exchange(&ticket).expect("a cookie");
        let expected = format!(
            "cogtools-4000={}; HttpOnly; SameSite=Strict; Path={}",
            access.cookie,
            access.base()
        );
        assert_eq!(header, expected);
        assert_eq!(access.exchange(&ticket), None);
        assert_eq!(access.ticket(), "");
        assert_eq!(access.exchange(""), None);
    }

    #[test]
    fn pages_are_below_a_path_that_another_server_does_not_have() {
        let access = Access::new(4000).expect("tokens");
        let other = Access::new(4000).expect("tokens");
        let base = access.base();
        for (path, expected) in [
            (base.to_owned(), true),
            (format!("{base}/"), true),
            (format!("{base}/tools/x"), true),
            (format!("{base}x"), false),
            (base[..base.len() - 1].to_owned(), false),
            (other.base().to_owned(), false),
            ("/".to_owned(), false),
            (format!("/é{base}"), false),
        ] {
            assert_eq!(access.is_below_base(&path), expected, "{path}");
        }
    }

    #[test]
    fn only_the_own_cookie_counts() {
        let access = Access::new(4000).expect("tokens");
        let other = Access::new(4000).expect("tokens");
        let own = &access.cookie;
        for (text, expected) in [
            (format!("cogtools-4000={own}"), true),
            (format!("a=b; cogtools-4000={own}; c=d"), true),
            (format!("cogtools-4001={own}"), false),
            (format!("cogtools-4000={}", other.cookie), false),
            ("cogtools-4000=".to_owned(), false),
            ("cogtools-4000".to_owned(), false),
            (format!("cogtools-4000={own}0"), false),
        ] {
            assert_eq!(access.has_cookie(&with_cookie(&text)), expected, "{text}");
        }
        assert!(!access.has_cookie(&HeaderMap::new()));
    }

    #[test]
    fn the_token_of_a_page_is_not_the_cookie() {
        let access = Access::new(4000).expect("tokens");
        let with = |tokens: &[&str]| {
            let mut headers = with_cookie(&format!("cogtools-4000={}", access.cookie));
            for token in tokens {
                let token = HeaderValue::from_str(token).expect("a value");
                headers.append(PAGE_TOKEN, token);
            }
            access.has_page_token(&headers)
        };
        assert!(with(&[&access.page_token]));
        assert!(!with(&[]));
        assert!(!with(&[&access.cookie]));
        assert!(!with(&[&access.page_token, "another"]));
    }
}
