//! Receives the answer of the authorization server: the browser is sent to a port of this machine
//! (RFC 8252, 7.3).

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use cogtools_http::Bytes;
use cogtools_http::http::header::{CACHE_CONTROL, REFERRER_POLICY};
use cogtools_http::http::{HeaderValue, Method, Request, Response, StatusCode};
use cogtools_http::server::{Body, Server, ServerOptions, text};
use oauth2::url::form_urlencoded;
use tokio::sync::oneshot::{self, Receiver, Sender};

use super::error::LoginError;

/// The path of the answer.
const PATH: &str = "/callback";

/// The port that waits for an answer.
pub(crate) struct Port(Server);

/// The answer to a login.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) code: Option<String>,
    pub(crate) issuer: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) description: Option<String>,
}

impl Port {
    /// A free port.
    pub(crate) async fn open() -> Result<Self, LoginError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Server::bind(address).await;
        server
            .map(Self)
            .map_err(|error| LoginError::Listen(error.to_string()))
    }

    /// Where the browser is sent.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.0.address())
    }

    /// The first answer with this `state`. Anything on this machine can send others: they are
    /// rejected, and do not end the login.
    pub(crate) async fn receive(self, state: String) -> Result<Answer, LoginError> {
        let (sender, receiver) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let handle = move |request: Request<Bytes>| {
            let response = respond(&request, &state, &sender);
            async move { response }
        };
        let received = Mutex::new(None);
        let stop = wait(receiver, &received);
        self.0.serve(ServerOptions::default(), handle, stop).await;
        let answer = received.into_inner().ok().flatten();
        answer.ok_or(LoginError::Cancelled)
    }
}

async fn wait(receiver: Receiver<Answer>, received: &Mutex<Option<Answer>>) {
    let answer = receiver.await.ok();
    if let Ok(mut received) = received.lock() {
        *received = answer;
    }
}

fn respond(
    request: &Request<Bytes>,
    state: &str,
    sender: &Mutex<Option<Sender<Answer>>>,
) -> Response<Body> {
    let mut response = answer(request, state, sender);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn answer(
    request: &Request<Bytes>,
    state: &str,
    sender: &Mutex<Option<Sender<Answer>>>,
) -> Response<Body> {
    if request.uri().path() != PATH || request.method() != Method::GET {
        return text(StatusCode::NOT_FOUND, "there is nothing here\n");
    }
    let Some(answer) = parse(request.uri().query().unwrap_or_default(), state) else {
        let message = "This is not the answer to the login that cogtools waits for.\n";
        return text(StatusCode::BAD_REQUEST, message);
    };
    let sender = sender.lock().ok().and_then(|mut sender| sender.take());
    match sender.map(|sender| sender.send(answer)) {
        Some(Ok(())) => {
            let message = "cogtools has the answer: close this page, and return to the terminal.\n";
            text(StatusCode::OK, message)
        }
        _ => text(StatusCode::BAD_REQUEST, "The login has ended already.\n"),
    }
}

/// The answer in a query, if it is to the request with this `state`. No parameter may be repeated.
fn parse(query: &str, state: &str) -> Option<Answer> {
    let mut answer = Answer::default();
    let mut answered = None;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let field = match &*name {
            "state" => &mut answered,
            "code" => &mut answer.code,
            "iss" => &mut answer.issuer,
            "error" => &mut answer.error,
            "error_description" => &mut answer.description,
            _ => continue,
        };
        if field.replace(value.into_owned()).is_some() {
            return None;
        }
    }
    let answered = answered?;
    let difference = answered.bytes().zip(state.bytes());
    let difference = difference.fold(0, |all, (a, b)| all | (a ^ b));
    let is_same = difference == 0 && answered.len() == state.len();
    is_same.then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Option<(Option<&str>, Option<&str>)>) {
        let answer = parse(query, "s+1");
        let answer = answer.map(|answer| (answer.code, answer.issuer));
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let expected = expected.map(|(code, issuer)| (owned(code), owned(issuer)));
        assert_eq!(answer, expected, "{query}");
    }

    #[test]
    fn only_the_answer_with_the_state_counts() {
        check("code=a&state=s%2B1", Some((Some("a"), None)));
        check(
            "state=s%2B1&code=a&iss=https%3A%2F%2Fb&other=1",
            Some((Some("a"), Some("https://b"))),
        );
        check("error=access_denied&state=s%2B1", Some((None, None)));
        for query in [
            "",
            "code=a",
            "code=a&state=",
            "code=a&state=s%2B2",
            "code=a&state=s%2B11",
            "code=a&state=s%2B1&state=s%2B1",
            "code=a&code=b&state=s%2B1",
            "iss=a&iss=b&code=a&state=s%2B1",
        ] {
            check(query, None);
        }
    }
}
