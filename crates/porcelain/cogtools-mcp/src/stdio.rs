//! The standard streams as a transport: one message per line.
//!
//! It also rejects lines that are not messages, and handles the end of the input:
//! pending requests are completed within a short time; then the remaining calls
//! are stopped.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cogtools_program::{Input, Line, Lines};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData,
    GetExtensions as _, JsonRpcMessage, JsonRpcVersion2_0, RequestId, ResultType,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::command::RawArguments;
use crate::declarations::PublishedTool;
use crate::serve::Outgoing;

/// The longest line: the limit for arguments, and space for the rest of the message.
const MAX_MESSAGE_BYTES: usize = Input::MAX_BYTES + (64 << 10);
/// The number of lines that are read ahead.
const READ_AHEAD: usize = 16;
/// The bytes of requests that wait for others to end, so that a response, a cancellation or a ping
/// behind them is read; further ones stay in the pipe.
const MAX_WAITING_BYTES: usize = 8 << 20;
/// The bytes that a request takes in addition to its line.
const WAITING_BYTES: usize = size_of::<Waiting>();
/// The time for which calls may continue after the end of the input.
const DRAIN_GRACE: Duration = Duration::from_secs(1);
/// The time that cancelled calls may take to stop.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// The transport.
pub(crate) struct StdioTransport {
    lines: Receiver<Line>,
    /// The messages of a batch that were not read yet.
    batch: VecDeque<Line>,
    outgoing: Sender<Outgoing>,
    in_flight: Arc<InFlight>,
    stop: CancellationToken,
    /// Requests that wait until fewer are in flight, by the tool that they call, as lines: a message
    /// has many times their size. No queue is empty.
    waiting: BTreeMap<Name, VecDeque<Waiting>>,
    /// Their identifiers.
    waiting_ids: HashSet<RequestId>,
    /// The bytes that these take.
    waiting_bytes: usize,
    /// True if the input has ended.
    ended: bool,
    /// An error that waits to be sent.
    rejection: Option<Vec<u8>>,
    /// True if a request has arrived; other messages before it are ignored.
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
            batch: VecDeque::new(),
            outgoing,
            in_flight: Arc::default(),
            stop,
            waiting: BTreeMap::new(),
            waiting_ids: HashSet::new(),
            waiting_bytes: 0,
            ended: false,
            rejection: None,
            has_request: false,
        })
    }

    /// Reads the message on a line, if it is to be passed on.
    fn accept(&mut self, line: Line) -> Option<ClientJsonRpcMessage> {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong => {
                let message = format!("a message is limited to {MAX_MESSAGE_BYTES} bytes");
                self.reject(ErrorData::invalid_request(message, None), None);
                return None;
            }
        };
        let mut message = match parse(&line) {
            Frame::Message(message) => message,
            Frame::Reject(error, id) => {
                self.reject(error, id);
                return None;
            }
            Frame::Batch(lines) => {
                self.batch.extend(lines.into_iter().map(Line::Text));
                return None;
            }
            Frame::Ignore => return None,
        };
        match &*message {
            JsonRpcMessage::Request(request) => {
                if self.is_in_flight(&request.id) {
                    let message = "a request with this id is still in flight";
                    let error = ErrorData::invalid_request(message, None);
                    self.reject(error, Some(request.id.clone()));
                    return None;
                }
                self.has_request = true;
                let is_ping = matches!(request.request, ClientRequest::PingRequest(_));
                let name = name(&request.request);
                let may_begin = is_ping && self.in_flight.has_room_for_ping()
                    || !self.waiting.contains_key(&name) && self.in_flight.has_room_for(&name);
                if !may_begin {
                    self.waiting_bytes += line.len() + WAITING_BYTES;
                    self.waiting_ids.insert(request.id.clone());
                    let waiting = (request.id.clone(), Box::from(&*line));
                    self.waiting.entry(name).or_default().push_back(waiting);
                    return None;
                }
                self.begin(&mut message, &line);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.in_flight.remove(id);
                    let mut waiting = self.waiting.iter();
                    let found = waiting.find_map(|(name, queue)| {
                        let index = queue.iter().position(|(waiting, _)| waiting == id)?;
                        Some((name.clone(), index))
                    });
                    found.and_then(|(name, index)| self.take_waiting(&name, index));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.has_request.then_some(*message)
    }

    /// Returns true if a request with this identifier has no response yet.
    fn is_in_flight(&self, id: &RequestId) -> bool {
        self.in_flight.requests.lock().contains_key(id) || self.waiting_ids.contains(id)
    }

    /// Counts the request on `line`, which is passed on. A subscription has no response to wait for.
    fn begin(&self, message: &mut ClientJsonRpcMessage, line: &[u8]) {
        let JsonRpcMessage::Request(request) = message else {
            return;
        };
        let name = name(&request.request);
        let list = match &mut request.request {
            ClientRequest::SubscriptionsListenRequest(_) => return,
            ClientRequest::CallToolRequest(call) => {
                if let Some(arguments) = RawArguments::from_request(line) {
                    call.extensions_mut().insert(arguments);
                }
                None
            }
            ClientRequest::ListToolsRequest(request) => {
                let list = RawToolList::default();
                request.extensions.insert(list.clone());
                Some(list)
            }
            _ => None,
        };
        let mut requests = self.in_flight.requests.lock();
        requests.insert(request.id.clone(), (name, list));
    }

    /// Returns a request that waits, if one may begin: of each tool the first.
    fn resume(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut names = self.waiting.keys();
        let name = names
            .find(|name| self.in_flight.has_room_for(name))?
            .clone();
        let line = self.take_waiting(&name, 0)?;
        let Frame::Message(mut message) = parse(&line) else {
            return None;
        };
        self.begin(&mut message, &line);
        Some(*message)
    }

    /// Removes a request that waits, and returns its line.
    fn take_waiting(&mut self, name: &Name, index: usize) -> Option<Box<[u8]>> {
        let queue = self.waiting.get_mut(name)?;
        let (id, line) = queue.remove(index)?;
        self.waiting_ids.remove(&id);
        if queue.is_empty() {
            self.waiting.remove(name);
        }
        self.waiting_bytes -= line.len() + WAITING_BYTES;
        Some(line)
    }

    /// Returns true if another line is read.
    const fn reads(&self) -> bool {
        !self.ended && self.waiting_bytes < MAX_WAITING_BYTES
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
        async move {
            let id = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let list = id
                .as_ref()
                .and_then(|id| in_flight.requests.lock().get(id)?.1.clone());
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
            let in_flight = Arc::clone(&self.in_flight);
            // Before the check, so that no change in between is missed.
            let changed = in_flight.changed.notified();
            if let Some(message) = self.resume() {
                return Some(message);
            }
            if self.ended && self.waiting.is_empty() {
                self.drain().await;
                return None;
            }
            let reads = self.reads();
            let next = tokio::select! {
                next = next(&mut self.batch, &mut self.lines), if reads => next,
                () = changed, if !self.waiting.is_empty() => continue,
                () = self.stop.cancelled() => {
                    self.waiting.clear();
                    self.waiting_ids.clear();
                    self.waiting_bytes = 0;
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

/// A request that waits, and its line.
type Waiting = (RequestId, Box<[u8]>);

/// The tool that a request calls; nothing for other requests.
type Name = Option<Box<str>>;

fn name(request: &ClientRequest) -> Name {
    match request {
        ClientRequest::CallToolRequest(call) => Some((*call.params.name).into()),
        _ => None,
    }
}

/// Requests without a response yet: the server completes them before it exits.
#[derive(Debug, Default)]
struct InFlight {
    /// Each with its tool, and the list that a response to `tools/list` gets.
    requests: Mutex<HashMap<RequestId, (Name, Option<RawToolList>)>>,
    changed: Notify,
}

impl InFlight {
    /// The number of requests that may be in flight; further ones wait.
    const MAX_REQUESTS: usize = 1_000;
    /// The number of calls of one tool among them: more than run at once. Calls of one tool do not
    /// hold up others.
    const MAX_CALLS: usize = 32;
    /// The number of pings that may be in flight in addition.
    const MAX_PINGS: usize = 16;

    /// Removes a request that was answered or cancelled.
    fn remove(&self, id: &RequestId) {
        if self.requests.lock().remove(id).is_some() {
            self.changed.notify_waiters();
        }
    }

    /// Returns true if a request that calls this tool is allowed.
    fn has_room_for(&self, name: &Name) -> bool {
        let requests = self.requests.lock();
        let calls = || requests.values().filter(|(called, _)| called == name);
        requests.len() < Self::MAX_REQUESTS && (name.is_none() || calls().count() < Self::MAX_CALLS)
    }

    /// Returns true if a ping is allowed.
    fn has_room_for_ping(&self) -> bool {
        self.requests.lock().len() < Self::MAX_REQUESTS + Self::MAX_PINGS
    }

    /// Waits until none is left, at most for `limit`; returns true if none is left.
    async fn wait_idle(&self, limit: Duration) -> bool {
        timeout(limit, self.idle()).await.is_ok()
    }

    async fn idle(&self) {
        loop {
            // Subscribed before the check, so that no change in between is missed.
            let changed = self.changed.notified();
            if self.requests.lock().is_empty() {
                return;
            }
            changed.await;
        }
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

/// Returns the next message of a batch, or the next line.
async fn next(batch: &mut VecDeque<Line>, lines: &mut Receiver<Line>) -> Option<Line> {
    match batch.pop_front() {
        Some(line) => Some(line),
        None => lines.recv().await,
    }
}

/// The content of a line.
enum Frame {
    Message(Box<ClientJsonRpcMessage>),
    /// Several messages, as clients of revisions up to 2025-03-26 may send.
    Batch(Vec<Vec<u8>>),
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
            return Frame::Reject(error, id_in(line));
        }
    };
    let reject = |reason: &'static str, id| {
        let error = ErrorData::invalid_request(reason, None);
        Frame::Reject(error, id)
    };
    if let Ok(all @ [_, ..]) = serde_json::from_slice::<Vec<&RawValue>>(line).as_deref()
        && all.iter().all(|it| it.get().starts_with('{'))
    {
        return Frame::Batch(all.iter().map(|it| it.get().into()).collect());
    }
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

/// Returns the identifier of a request whose other members may be unreadable, such as a text that
/// was cut inside a character.
fn id_in(line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Envelope {
        id: RequestId,
    }
    let envelope = serde_json::from_slice::<Envelope>(line);
    envelope.ok().map(|it| it.id)
}

/// The tools of one response to `tools/list`, which is written without the protocol's own types:
/// they need each declaration parsed, and the client gets the text it was parsed from.
///
/// The transport attaches an empty list to the request, as it attaches a call's
/// arguments; the server sets it, and the transport writes it into the response.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawToolList(Arc<OnceLock<Vec<Arc<PublishedTool>>>>);

impl RawToolList {
    /// Sets the tools, once.
    pub(crate) fn set(&self, tools: Vec<Arc<PublishedTool>>) {
        let _ = self.0.set(tools);
    }
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'a JsonRpcVersion2_0,
    id: &'a RequestId,
    result: ListResult<'a>,
}

/// The fields of `ListToolsResult`, with the tools as text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'a CacheScope>,
    tools: Vec<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

/// Encodes a message as a line, with the tools of its `list`.
fn encode_line(
    message: &ServerJsonRpcMessage,
    list: Option<&RawToolList>,
) -> serde_json::Result<Vec<u8>> {
    let tools = list.and_then(|list| list.0.get());
    let mut line = match (message, tools) {
        (JsonRpcMessage::Response(response), Some(tools))
            if let ServerResult::ListToolsResult(result) = &response.result =>
        {
            let tools: Vec<&RawValue> = tools.iter().map(|tool| tool.json()).collect();
            // Allocated only once: a list can have megabytes.
            let length: usize = tools.iter().map(|tool| tool.get().len() + 1).sum();
            let mut line = Vec::with_capacity(length + ENVELOPE_BYTES);
            let response = Response {
                jsonrpc: &response.jsonrpc,
                id: &response.id,
                result: ListResult {
                    result_type: result.result_type.as_ref(),
                    ttl_ms: result.ttl_ms,
                    cache_scope: result.cache_scope.as_ref(),
                    tools,
                    next_cursor: result.next_cursor.as_deref(),
                },
            };
            serde_json::to_writer(&mut line, &response)?;
            line
        }
        _ => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// Space for the rest of the response.
const ENVELOPE_BYTES: usize = 256;
