//! A server that answers every request alike, and records them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use cogtools_http::http::header::{CONTENT_TYPE, HeaderValue};
use cogtools_http::http::{HeaderName, Request, StatusCode};
use cogtools_http::server::{self, Server, ServerOptions};
use cogtools_http::{Bytes, Client, ClientOptions};
use cogtools_model::{
    Anthropic, Content, Endpoint, Key, Model, ModelError, OpenAi, Part, Response, anthropic, openai,
};
use futures::StreamExt as _;
use serde_json::Value;
use tokio::task::JoinHandle;

/// Answer of a server.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: String,
}

impl Answer {
    /// A stream of these events.
    pub(crate) fn events(events: &[&str]) -> Self {
        let body = events.iter().map(|event| format!("data: {event}\n\n"));
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream")],
            body: body.collect(),
        }
    }

    /// A stream of these events, named as their `type` says.
    pub(crate) fn named_events(events: &[Value]) -> Self {
        let body = events.iter().map(|event| {
            let name = event["type"].as_str().expect("a type");
            format!("event: {name}\ndata: {event}\n\n")
        });
        Self {
            body: body.collect(),
            ..Self::events(&[])
        }
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json; charset=utf-8")],
            body: body.to_owned(),
        }
    }
}

/// A request that a server received.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Received {
    /// Method, path and the value of `Authorization` or `x-api-key`.
    pub(crate) line: String,
    /// The body, if it is JSON.
    pub(crate) body: Value,
}

/// A server, ended when it is dropped.
pub(crate) struct Scripted {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl Scripted {
    pub(crate) async fn start(answer: Answer) -> Self {
        Self::start_with(move |_| answer.clone()).await
    }

    /// A server whose answer depends on the body of the request.
    pub(crate) async fn start_with(
        answer: impl Fn(&Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let server = Server::bind((Ipv4Addr::LOCALHOST, 0).into()).await;
        let server = server.expect("a port");
        let address = server.address();
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let records = Arc::clone(&received);
        let handle = move |request: Request<Bytes>| {
            let request = read(&request);
            let answer = answer(&request.body);
            records.lock().expect("a list").push(request);
            async move {
                let status = StatusCode::from_u16(answer.status).expect("a status");
                let mut response = server::text(status, answer.body);
                for (name, value) in answer.headers {
                    let name = HeaderName::from_static(name);
                    let value = HeaderValue::from_static(value);
                    response.headers_mut().insert(name, value);
                }
                response
            }
        };
        let options = ServerOptions::default();
        let task = tokio::spawn(server.serve(options, handle, std::future::pending()));
        Self {
            address,
            received,
            task,
        }
    }

    /// A client of it.
    pub(crate) fn model(&self, key: Option<&str>) -> OpenAi {
        let base = format!("http://{}/v1/", self.address);
        let client = Client::new(ClientOptions::default());
        let key = key.map(Key::new);
        OpenAi::new(client, Endpoint::new(&openai::SERVICE, &base, key))
    }

    /// A client of it with the other API.
    pub(crate) fn anthropic(&self, key: Option<&str>) -> Anthropic {
        let base = format!("http://{}/", self.address);
        let client = Client::new(ClientOptions::default());
        let key = key.map(Key::new);
        Anthropic::new(client, Endpoint::new(&anthropic::SERVICE, &base, key))
    }

    /// Number of requests that it has received.
    pub(crate) fn count(&self) -> usize {
        self.received.lock().expect("a list").len()
    }

    /// The last request that it has received.
    pub(crate) fn last(&self) -> Received {
        let received = self.received.lock().expect("a list");
        received.last().expect("a request").clone()
    }

    /// The only request that it has received.
    pub(crate) fn received(&self) -> Received {
        let received = self.received.lock().expect("a list");
        let [only] = &received[..] else {
            panic!("{received:?}");
        };
        only.clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn read(request: &Request<Bytes>) -> Received {
    let headers = request.headers();
    let key = headers
        .get("authorization")
        .or_else(|| headers.get("x-api-key"))
        .map(|key| key.to_str().expect("text"));
    assert!(headers.get(CONTENT_TYPE).is_some(), "a body has a type");
    Received {
        line: format!(
            "{} {} {}",
            request.method(),
            request.uri(),
            key.unwrap_or("-")
        ),
        body: serde_json::from_slice(request.body()).unwrap_or_default(),
    }
}

/// A question.
pub(crate) fn question() -> cogtools_model::Request {
    cogtools_model::Request {
        model: "m".to_owned(),
        contents: vec![Content::user(vec![Part::text_of("Hi")]).into()],
        ..cogtools_model::Request::default()
    }
}

/// The whole response to a question.
pub(crate) async fn ask(model: &impl Model) -> Result<Response, ModelError> {
    let mut chunks = model.send(&question()).await?;
    let mut response = Response::default();
    while let Some(chunk) = chunks.next().await {
        response.push(chunk?);
    }
    Ok(response)
}
