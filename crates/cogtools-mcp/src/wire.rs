//! The standard streams as a transport: a message a line.
//!
//! Beyond what a transport must do, it answers what is no message, and sees to
//! the end: what was asked before the end of the input is answered, within a
//! short time; then what is still at work is ended.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use cogtools_program::{Input, Line, Lines};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::CancellationToken;

use crate::given::Given;
use crate::page::{Pages, line};
use crate::pending::Pending;
use crate::speech::Speech;

/// The longest line: arguments as large as everywhere, and what is around them.
const LONGEST: usize = Input::LIMIT + (64 << 10);
/// How many lines are read ahead.
const AHEAD: usize = 16;
/// How long calls may go on when the input has ended.
const GRACE: Duration = Duration::from_secs(1);
/// How long calls that were told to stop have to say so.
const LAST: Duration = Duration::from_secs(1);

/// The transport.
pub(crate) struct Wire {
    lines: Receiver<Line>,
    speeches: Sender<Speech>,
    pending: Arc<Pending>,
    pages: Arc<Pages>,
    stop: CancellationToken,
    /// An error that waits to be sent.
    reply: Option<Vec<u8>>,
    /// Whether any request has come; nothing else may come before.
    opened: bool,
}

impl Wire {
    /// Reads `source` in a thread of its own, which ends with the process: nothing
    /// else ends a read.
    pub(crate) fn new(
        source: Box<dyn Read + Send>,
        speeches: Sender<Speech>,
        stop: CancellationToken,
    ) -> std::io::Result<Self> {
        let (sender, lines) = channel(AHEAD);
        let thread = std::thread::Builder::new().name("stdin".into());
        thread.spawn(move || read(source, &sender))?;
        Ok(Self {
            lines,
            speeches,
            pending: Arc::default(),
            pages: Arc::default(),
            stop,
            reply: None,
            opened: false,
        })
    }

    /// What to hand on of a line.
    fn take(&mut self, line: Line) -> Option<ClientJsonRpcMessage> {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong => {
                let message = format!("a message has at most {LONGEST} bytes");
                self.refuse(ErrorData::invalid_request(message, None), None);
                return None;
            }
        };
        let mut message = match parse(&line) {
            Parsed::Message(message) => message,
            Parsed::Refuse(error, id) => {
                self.refuse(error, id);
                return None;
            }
            Parsed::Nothing => return None,
        };
        match &mut *message {
            JsonRpcMessage::Request(request) => {
                self.opened = true;
                if let ClientRequest::CallToolRequest(call) = &mut request.request
                    && let Some(given) = Given::of(&line)
                {
                    call.extensions_mut().insert(given);
                }
                if let ClientRequest::ListToolsRequest(list) = &mut request.request {
                    let page = self.pages.lay(request.id.clone());
                    list.extensions.insert(page);
                }
                // A subscription has no answer to wait for.
                if !matches!(
                    request.request,
                    ClientRequest::SubscriptionsListenRequest(_)
                ) {
                    self.pending.begin(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pages.take(id);
                    self.pending.end(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.opened.then_some(*message)
    }

    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        self.reply = line(&ServerJsonRpcMessage::error(error, id), None).ok();
    }

    /// Lets what was asked be answered, and ends what takes longer.
    async fn finish(&self) {
        let stopped = self.stop.cancelled();
        tokio::select! {
            done = self.pending.none(GRACE) => if done { return },
            () = stopped => {}
        }
        self.stop.cancel();
        self.pending.none(LAST).await;
    }
}

impl Transport<RoleServer> for Wire {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (speeches, pending) = (self.speeches.clone(), Arc::clone(&self.pending));
        let pages = Arc::clone(&self.pages);
        async move {
            let id = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let page = id.as_ref().and_then(|id| pages.take(id));
            let line = line(&item, page.as_ref())?;
            let sent = speeches.send(Speech::Message(line)).await;
            if let Some(id) = id {
                pending.end(&id);
            }
            sent.map_err(|_| std::io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Every wait in here can be given up and begun again.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.reply.is_some() {
                let permit = self.speeches.reserve().await.ok()?;
                permit.send(Speech::Message(self.reply.take()?));
            }
            self.pending.room().await;
            let next = tokio::select! {
                next = self.lines.recv() => next,
                () = self.stop.cancelled() => None,
            };
            let Some(line) = next else {
                self.finish().await;
                return None;
            };
            if let Some(message) = self.take(line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Hands on every line until the end of `source`, or until nobody listens.
fn read(source: Box<dyn Read + Send>, lines: &Sender<Line>) {
    for line in Lines::new(source, LONGEST) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// What a line is.
enum Parsed {
    Message(Box<ClientJsonRpcMessage>),
    /// No message, and this is to be answered to the request of that number.
    Refuse(ErrorData, Option<RequestId>),
    /// Nothing that could be answered.
    Nothing,
}

fn parse(line: &[u8]) -> Parsed {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Parsed::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Parsed::Message(Box::new(message));
    }
    let object: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let error = ErrorData::parse_error(format!("not JSON: {error}"), None);
            return Parsed::Refuse(error, None);
        }
    };
    let refused = |why: &'static str, id| Parsed::Refuse(ErrorData::invalid_request(why, None), id);
    let Value::Object(object) = object else {
        return refused("send one JSON-RPC object a line", None);
    };
    let answer = object.contains_key("result") || object.contains_key("error");
    let id = match object.get("id") {
        // An answer to nothing that was asked, or a notification of no known kind.
        _ if answer => return Parsed::Nothing,
        None if object.get("method").is_some_and(Value::is_string) => return Parsed::Nothing,
        id => id.and_then(|id| serde_json::from_value(id.clone()).ok()),
    };
    refused("this is no request of JSON-RPC 2.0", id)
}
