//! The standard streams as a transport: one message per line.
//!
//! It also rejects lines that are not messages, and handles the end of the input:
//! pending requests are completed within a short time; then the remaining calls
//! are stopped.

use std::collections::VecDeque;
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

use crate::in_flight::InFlight;
use crate::output::Outgoing;
use crate::raw_arguments::RawArguments;
use crate::raw_list::{PendingLists, encode_line};

/// The longest line: the limit for arguments, and space for the rest of the message.
const MAX_MESSAGE_BYTES: usize = Input::MAX_BYTES + (64 << 10);
/// How many lines are read ahead.
const READ_AHEAD: usize = 16;
/// How many requests wait for others to end, so that a cancellation behind them is read; further
/// ones stay in the pipe.
const MAX_WAITING: usize = 1_000;
/// How many bytes these have together.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// How long calls may continue after the end of the input.
const DRAIN_GRACE: Duration = Duration::from_secs(1);
/// How long cancelled calls may take to stop.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// The transport.
pub(crate) struct StdioTransport {
    lines: Receiver<Line>,
    outgoing: Sender<Outgoing>,
    in_flight: Arc<InFlight>,
    lists: Arc<PendingLists>,
    stop: CancellationToken,
    /// Requests that wait until fewer are in flight, and the length of their lines.
    waiting: VecDeque<(ClientJsonRpcMessage, usize)>,
    /// Whether the input has ended.
    ended: bool,
    /// An error that waits to be sent.
    rejection: Option<Vec<u8>>,
    /// Whether a request has arrived; other messages before it are ignored.
    has_request: bool,
}

impl StdioTransport {
    /// Reads `stdin` in a separate thread, which ends with the process: nothing else
    /// ends a read.
    pub(crate) fn new(
        stdin: Box<dyn Read + Send>,
        outgoing: Sender<Outgoing>,
        stop: CancellationToken,
    ) -> std::io::Result<Self> {
        let (sender, lines) = channel(READ_AHEAD);
        let thread = std::thread::Builder::new().name("stdin".into());
        thread.spawn(move || read_lines(stdin, &sender))?;
        Ok(Self {
            lines,
            outgoing,
            in_flight: Arc::default(),
            lists: Arc::default(),
            stop,
            waiting: VecDeque::new(),
            ended: false,
            rejection: None,
            has_request: false,
        })
    }

    /// The message on a line, if it is to be passed on.
    fn accept(&mut self, line: Line) -> Option<ClientJsonRpcMessage> {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong => {
                let message = format!("a message is limited to {MAX_MESSAGE_BYTES} bytes");
                self.reject(ErrorData::invalid_request(message, None), None);
                return None;
            }
        };
        let length = line.len();
        let mut message = match parse(&line) {
            Frame::Message(message) => message,
            Frame::Reject(error, id) => {
                self.reject(error, id);
                return None;
            }
            Frame::Ignore => return None,
        };
        match &mut *message {
            JsonRpcMessage::Request(request) => {
                self.has_request = true;
                if let ClientRequest::CallToolRequest(call) = &mut request.request
                    && let Some(arguments) = RawArguments::from_request(&line)
                {
                    call.extensions_mut().insert(arguments);
                }
                if let ClientRequest::ListToolsRequest(list) = &mut request.request {
                    let raw_list = self.lists.reserve(request.id.clone());
                    list.extensions.insert(raw_list);
                }
                if !self.waiting.is_empty() || self.in_flight.is_full() {
                    self.waiting.push_back((*message, length));
                    return None;
                }
                self.begin(&message);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.lists.remove(id);
                    self.in_flight.remove(id);
                    self.waiting
                        .retain(|(message, _)| request_id(message) != Some(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.has_request.then_some(*message)
    }

    /// Counts a request that is passed on. A subscription has no response to wait for.
    fn begin(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message
            && !matches!(
                request.request,
                ClientRequest::SubscriptionsListenRequest(_)
            )
        {
            self.in_flight.insert(request.id.clone());
        }
    }

    /// The first request that waits, if it may begin.
    fn resume(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.in_flight.is_full() {
            return None;
        }
        let (message, _) = self.waiting.pop_front()?;
        self.begin(&message);
        Some(message)
    }

    /// Whether another line is read.
    fn reads(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(|(_, length)| length).sum();
        !self.ended && self.waiting.len() < MAX_WAITING && bytes < MAX_WAITING_BYTES
    }

    fn reject(&mut self, error: ErrorData, id: Option<RequestId>) {
        self.rejection = encode_line(&ServerJsonRpcMessage::error(error, id), None).ok();
    }

    /// Completes pending requests, and cancels those that take longer.
    async fn drain(&self) {
        let stopped = self.stop.cancelled();
        tokio::select! {
            is_idle = self.in_flight.wait_idle(DRAIN_GRACE) => if is_idle { return },
            () = stopped => {}
        }
        self.stop.cancel();
        self.in_flight.wait_idle(CANCEL_GRACE).await;
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (outgoing, in_flight) = (self.outgoing.clone(), Arc::clone(&self.in_flight));
        let lists = Arc::clone(&self.lists);
        async move {
            let id = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let list = id.as_ref().and_then(|id| lists.remove(id));
            let line = encode_line(&item, list.as_ref())?;
            let sent = outgoing.send(Outgoing::Message(line)).await;
            if let Some(id) = id {
                in_flight.remove(&id);
            }
            sent.map_err(|_| std::io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Cancel-safe: every wait can be dropped and started again.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.rejection.is_some() {
                let permit = self.outgoing.reserve().await.ok()?;
                permit.send(Outgoing::Message(self.rejection.take()?));
            }
            if let Some(message) = self.resume() {
                return Some(message);
            }
            if self.ended && self.waiting.is_empty() {
                self.drain().await;
                return None;
            }
            let next = tokio::select! {
                next = self.lines.recv(), if self.reads() => next,
                () = self.in_flight.wait_for_slot(), if !self.waiting.is_empty() => continue,
                () = self.stop.cancelled() => {
                    self.waiting.clear();
                    None
                }
            };
            let Some(line) = next else {
                self.ended = true;
                continue;
            };
            if let Some(message) = self.accept(line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// Sends every line until the end of `stdin`, or until the receiver is gone.
fn read_lines(stdin: Box<dyn Read + Send>, lines: &Sender<Line>) {
    for line in Lines::new(stdin, MAX_MESSAGE_BYTES) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// The content of a line.
enum Frame {
    Message(Box<ClientJsonRpcMessage>),
    /// Not a message; the error is sent for the request with this ID.
    Reject(ErrorData, Option<RequestId>),
    /// Nothing that has a response.
    Ignore,
}

fn parse(line: &[u8]) -> Frame {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Frame::Ignore;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Frame::Message(Box::new(message));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let error = ErrorData::parse_error(format!("not JSON: {error}"), None);
            return Frame::Reject(error, None);
        }
    };
    let reject = |reason: &'static str, id| {
        let error = ErrorData::invalid_request(reason, None);
        Frame::Reject(error, id)
    };
    let Value::Object(object) = value else {
        return reject("send one JSON-RPC object per line", None);
    };
    let is_response = object.contains_key("result") || object.contains_key("error");
    let id = match object.get("id") {
        // A response to a request that was not sent, or an unknown notification.
        _ if is_response => return Frame::Ignore,
        None if object.get("method").is_some_and(Value::is_string) => return Frame::Ignore,
        id => id.and_then(|id| serde_json::from_value(id.clone()).ok()),
    };
    reject("not a JSON-RPC 2.0 request", id)
}
