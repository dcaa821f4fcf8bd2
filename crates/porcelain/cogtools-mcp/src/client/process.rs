//! A server that is a program, over its standard streams: one message per line.
//!
//! To stop it, its standard input is closed, as the protocol requires; then its
//! process group gets SIGTERM, then SIGKILL.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::json;
use cogtools_core::process::{Confinement, Exit, Group, Process};
use cogtools_program::Vars;
use futures::StreamExt as _;
use parking_lot::Mutex;
use rmcp::model::{
    ClientJsonRpcMessage, CustomResult, JsonRpcResponse, JsonRpcVersion2_0, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleClient};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::codec::{AnyDelimiterCodec, FramedRead};

use crate::client::connector::ClientError;

/// The largest message.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The output that is not a message, and is ignored.
const MAX_STRAY_BYTES: usize = 1 << 20;
/// The part of the first line that is not a message which is shown.
const MAX_STRAY_CHARS: usize = 120;
/// The end of standard error that is shown.
const STDERR_TAIL_BYTES: usize = 2 << 10;
/// The time that a server may take to exit after its input is closed, and after SIGTERM.
const EXIT_GRACE: Duration = Duration::from_secs(1);
const KILL_GRACE: Duration = Duration::from_millis(200);
/// The time that a server may take to exit after it has closed its own output.
const CLOSED_GRACE: Duration = Duration::from_millis(50);

/// The output of a server other than messages, and how it ended.
#[derive(Debug, Default)]
struct OutputCapture {
    stray_output: Option<String>,
    stray_bytes: usize,
    too_large: bool,
    stderr: Vec<u8>,
}

/// The standard streams of a running server, as a transport.
#[derive(Clone)]
pub(crate) struct ChildTransport {
    messages: Arc<tokio::sync::Mutex<Receiver<ServerJsonRpcMessage>>>,
    stdin_tx: Arc<Mutex<Option<UnboundedSender<Vec<u8>>>>>,
}

/// A running server.
pub(crate) struct ServerProcess {
    name: String,
    confinement: Confinement,
    group: Group,
    transport: ChildTransport,
    capture: Arc<Mutex<OutputCapture>>,
    /// The tasks that read its output and its standard error.
    readers: [JoinHandle<()>; 2],
    /// True if it has closed its output, and ran on until it was killed.
    closed_output: bool,
}

/// The ways to stop a server: with time to exit by itself, or without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Gracefully,
    Immediately,
}

impl ServerProcess {
    /// Starts the server `name` with exactly the variables `vars`, in a runtime, which reads and
    /// writes its streams.
    pub(crate) fn start(
        name: &str,
        program: &str,
        args: &[String],
        vars: &Vars,
        cwd: &Path,
        confinement: Confinement,
    ) -> Result<Self, ClientError> {
        let path = vars.get(OsStr::new("PATH"));
        let file = which::which_in(program, path, cwd)
            .map_err(|_| ClientError::NotFound(name.to_owned(), program.to_owned()))?;
        let failed = |error| ClientError::Start(name.to_owned(), error);
        let process = Process::new(file, cwd)
            .args(args)
            .variables(vars.clone())
            .confinement(confinement.clone());
        let mut group = process.start().map_err(failed)?;
        let capture = Arc::<Mutex<OutputCapture>>::default();
        let (transport, readers) = connect(group.child(), &capture).map_err(failed)?;
        Ok(Self {
            name: name.to_owned(),
            confinement,
            group,
            transport,
            capture,
            readers,
            closed_output: false,
        })
    }

    /// Returns its standard streams.
    pub(crate) fn transport(&self) -> ChildTransport {
        self.transport.clone()
    }

    /// Stops it and the processes that it has started; returns its status.
    pub(crate) async fn stop(&mut self, stop: Stop) -> std::io::Result<ExitStatus> {
        self.transport.stdin_tx.lock().take();
        let [stdout, stderr] = &mut self.readers;
        let was_closed = stdout.is_finished();
        if stop == Stop::Gracefully {
            ended(stdout, EXIT_GRACE).await;
        }
        if !stdout.is_finished() {
            self.group.terminate();
            ended(stdout, KILL_GRACE).await;
        } else if was_closed {
            // The streams are closed shortly before the process has exited.
            sleep(CLOSED_GRACE).await;
            self.closed_output = !self.group.has_ended();
        }
        self.group.kill();
        let status = self.group.reap();
        ended(stderr, CLOSED_GRACE).await;
        status
    }

    /// Returns the reason for a lost connection, of which the protocol knows nothing more.
    pub(crate) async fn exit_error(&mut self, phase: &'static str) -> ClientError {
        let (too_large, too_much_stray) = {
            let capture = self.capture.lock();
            let output = capture.stray_output.clone();
            let too_much = output.filter(|_| capture.stray_bytes > MAX_STRAY_BYTES);
            (capture.too_large, too_much)
        };
        let name = self.name.clone();
        match too_much_stray {
            _ if too_large => ClientError::TooLarge(name),
            Some(output) => ClientError::StrayOutput(name, output),
            None => {
                let status = match self.stop(Stop::Gracefully).await {
                    Ok(status) => status,
                    Err(error) => return ClientError::Exited(name, error.to_string(), phase),
                };
                let stderr = self.capture.lock().stderr.clone();
                if let Some(error) = self.confinement.start_error(status, &stderr) {
                    self.capture.lock().stderr.clear();
                    return ClientError::Start(name, error);
                }
                let exit = if self.closed_output {
                    "closed its standard output".to_owned()
                } else {
                    Exit::Status(status).describe()
                };
                match self.stray_output() {
                    Some(output) => ClientError::StrayOutput(name, format!("{output}; it {exit}")),
                    None => ClientError::Exited(name, exit, phase),
                }
            }
        }
    }

    /// Returns the first line of its output that was not a message.
    pub(crate) fn stray_output(&self) -> Option<String> {
        self.capture.lock().stray_output.clone()
    }

    /// Returns the end of its standard error.
    pub(crate) fn stderr(&self) -> String {
        let capture = self.capture.lock();
        let start = capture.stderr.len().saturating_sub(STDERR_TAIL_BYTES);
        String::from_utf8_lossy(&capture.stderr[start..])
            .trim()
            .to_owned()
    }
}

/// Waits until the end of a stream has been read, at most for `grace`.
async fn ended(reader: &mut JoinHandle<()>, grace: Duration) {
    if !reader.is_finished() {
        let _ = timeout(grace, reader).await;
    }
}

/// Starts a task for each of the server's streams.
fn connect(
    child: &mut Child,
    capture: &Arc<Mutex<OutputCapture>>,
) -> std::io::Result<(ChildTransport, [JoinHandle<()>; 2])> {
    let no_stream = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
    let mut stdin = ChildStdin::from_std(child.stdin.take().ok_or_else(no_stream)?)?;
    let stdout = ChildStdout::from_std(child.stdout.take().ok_or_else(no_stream)?)?;
    let stderr = ChildStderr::from_std(child.stderr.take().ok_or_else(no_stream)?)?;
    let (stdin_tx, mut lines) = unbounded_channel::<Vec<u8>>();
    tokio::spawn(async move {
        while let Some(line) = lines.recv().await {
            if stdin.write_all(&line).await.is_err() {
                return;
            }
        }
    });
    let (sender, messages) = channel(16);
    let readers = [
        tokio::spawn(read_messages(stdout, Arc::clone(capture), sender)),
        tokio::spawn(capture_stderr(stderr, Arc::clone(capture))),
    ];
    let transport = ChildTransport {
        messages: Arc::new(tokio::sync::Mutex::new(messages)),
        stdin_tx: Arc::new(Mutex::new(Some(stdin_tx))),
    };
    Ok((transport, readers))
}

impl Transport<RoleClient> for ChildTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let broken_pipe = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let encoded = serde_json::to_vec(&item).map_err(std::io::Error::from);
        let sent = encoded.and_then(|mut line| {
            line.push(b'\n');
            let stdin_tx = self.stdin_tx.lock();
            let stdin_tx = stdin_tx.as_ref().ok_or_else(broken_pipe)?;
            stdin_tx.send(line).map_err(|_| broken_pipe())
        });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.messages.lock().await.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Reads messages until the end of the output, or until too much of it is stray.
async fn read_messages(
    stdout: ChildStdout,
    capture: Arc<Mutex<OutputCapture>>,
    messages: Sender<ServerJsonRpcMessage>,
) {
    let newline = || b"\n".to_vec();
    let codec = AnyDelimiterCodec::new_with_max_length(newline(), newline(), MAX_MESSAGE_BYTES);
    let mut lines = FramedRead::new(stdout, codec);
    while let Some(line) = lines.next().await {
        let Ok(line) = line else {
            capture.lock().too_large = true;
            return;
        };
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if let Ok(all) = parse_all(text, LISTS_AND_CALLS) {
            for message in all {
                if messages.send(message).await.is_err() {
                    return;
                }
            }
            continue;
        }
        let mut capture = capture.lock();
        capture.stray_bytes += line.len();
        capture.stray_output.get_or_insert_with(|| {
            let text = String::from_utf8_lossy(text);
            text.chars().take(MAX_STRAY_CHARS).collect()
        });
        if capture.stray_bytes > MAX_STRAY_BYTES {
            return;
        }
    }
}

/// Stores the end of standard error.
async fn capture_stderr(mut source: ChildStderr, capture: Arc<Mutex<OutputCapture>>) {
    let mut buffer = vec![0; 2 << 10];
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        let stderr = &mut capture.lock().stderr;
        stderr.extend_from_slice(&buffer[..count]);
        let excess = stderr.len().saturating_sub(2 * STDERR_TAIL_BYTES);
        stderr.drain(..excess);
    }
}

/// The keys of results that are passed on: of a list of tools, and of a call or its task.
const LISTS_AND_CALLS: &[&str] = &["tools", "content", "structuredContent", "task"];
/// The keys over HTTP, whose headers for parameters need the types of a list.
pub(crate) const CALLS: &[&str] = &["content", "structuredContent", "task"];

/// A message that is a response. The types of the protocol have no room for what is not in its
/// schema, such as an author's own annotations; so the results that are passed on stay values.
#[derive(Deserialize)]
struct Response {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    result: Value,
    /// Some servers write both members, one of them as `null`.
    error: Option<IgnoredAny>,
}

/// Reads the messages in `text`: one, or a batch, which revisions up to 2025-03-26 have. What
/// readers of other languages accept is accepted, such as text that was cut inside a character. A
/// response that stays unreadable is an error: its request would wait for its whole time.
pub(crate) fn parse_all(
    text: &[u8],
    keys: &[&str],
) -> serde_json::Result<Vec<ServerJsonRpcMessage>> {
    let error = match parse(text, keys) {
        Ok(message) => return Ok(vec![message]),
        Err(error) => error,
    };
    let text = json::well_formed(String::from_utf8_lossy(text).into_owned());
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if !text.starts_with('[') {
        return unreadable(text, keys).map(|it| vec![it]).ok_or(error);
    }
    let batch: Vec<&RawValue> = serde_json::from_str(text)?;
    let all = batch.iter().map(|it| unreadable(it.get(), keys));
    all.collect::<Option<_>>().ok_or(error)
}

/// Reads a message; one with the identifier of a request as an error, if it cannot be read.
fn unreadable(text: &str, keys: &[&str]) -> Option<ServerJsonRpcMessage> {
    /// The members of a response around its result, which is skipped.
    #[derive(Deserialize)]
    struct Envelope {
        #[serde(rename = "jsonrpc")]
        _version: JsonRpcVersion2_0,
        id: RequestId,
        method: Option<IgnoredAny>,
    }
    parse(text.as_bytes(), keys).map_or_else(
        |error| {
            let envelope: Envelope = serde_json::from_str(text).ok()?;
            let message = format!("its response cannot be read: {error}");
            let error = ErrorData::internal_error(message, None);
            let is_response = envelope.method.is_none();
            is_response.then(|| ServerJsonRpcMessage::error(error, Some(envelope.id)))
        },
        Some,
    )
}

/// Reads a message. The result of a response that has one of `keys` stays a value.
fn parse(text: &[u8], keys: &[&str]) -> serde_json::Result<ServerJsonRpcMessage> {
    match serde_json::from_slice::<Response>(text) {
        Ok(Response {
            jsonrpc,
            id,
            result,
            error: None,
        }) if keys.iter().any(|key| result.get(key).is_some()) => {
            let result = ServerResult::CustomResult(CustomResult(result));
            Ok(ServerJsonRpcMessage::Response(JsonRpcResponse {
                jsonrpc,
                id,
                result,
            }))
        }
        _ => serde_json::from_slice(text).or_else(|error| malformed(text, keys).ok_or(error)),
    }
}

/// Reads a response that is not as JSON-RPC says: its request would wait forever.
fn malformed(text: &[u8], keys: &[&str]) -> Option<ServerJsonRpcMessage> {
    let mut object: Map<String, Value> = serde_json::from_slice(text).ok()?;
    for (member, other) in [("error", "result"), ("result", "error")] {
        if object.contains_key(other) && object.get(member).is_some_and(Value::is_null) {
            object.remove(member);
            return parse(Value::Object(object).to_string().as_bytes(), keys).ok();
        }
    }
    let id = serde_json::from_value(object.remove("id")?).ok()?;
    let error = object.remove("error")?;
    let text = error.as_str().map(str::to_owned);
    let message = text.unwrap_or_else(|| error.to_string());
    let error = ErrorData::internal_error(message, None);
    Some(ServerJsonRpcMessage::error(error, Some(id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_stay_as_they_are() {
        for result in [
            json!({"tools": [{"name": "t", "inputSchema": {}, "annotations": {"x/y": [null]}}]}),
            json!({"content": [{"type": "text", "text": "t", "x": 1}], "isError": false}),
            json!({"structuredContent": {"n": -0.0}}),
            json!({"tools": 5}),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "result": result});
            let parsed = parse(message.to_string().as_bytes(), LISTS_AND_CALLS).expect("a message");
            assert_eq!(serde_json::to_value(parsed).expect("JSON"), message);
        }
    }

    #[test]
    fn other_messages_have_their_types() {
        let text = br#"{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}"#;
        let parsed = parse(text, LISTS_AND_CALLS).expect("a message");
        assert!(matches!(parsed, ServerJsonRpcMessage::Notification(_)));
        let text = br#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "m"}}"#;
        let parsed = parse(text, LISTS_AND_CALLS).expect("a message");
        assert!(matches!(parsed, ServerJsonRpcMessage::Error(_)));
        let text = br#"{"jsonrpc": "2.0", "id": 1, "error": "boom"}"#;
        let parsed = parse(text, LISTS_AND_CALLS).expect("a message");
        let expected =
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "boom"}});
        assert_eq!(serde_json::to_value(parsed).expect("JSON"), expected);
        assert!(parse_all(b"Welcome!", LISTS_AND_CALLS).is_err());
        assert!(parse_all(br#"{"id": 5, "level": "info"}"#, LISTS_AND_CALLS).is_err());
    }

    #[test]
    fn responses_that_others_can_read_are_read() {
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        let result = |content: &str| {
            format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"content": {content}}}}}"#)
        };
        let half = result(r#"[{"type": "text", "text": "a\ud83d \ud83d\ude00 \\ud83d"}]"#);
        let mut bytes = result(&text("a?").to_string()).into_bytes();
        let at = bytes
            .iter()
            .position(|byte| *byte == b'?')
            .expect("it is there");
        bytes[at] = 0xff;
        let nulls = r#"{"jsonrpc": "2.0", "id": 1, "result": {"content": []}, "error": null}"#;
        for (line, expected) in [
            (half.into_bytes(), text("a\u{fffd} \u{1f600} \\ud83d")),
            (bytes, text("a\u{fffd}")),
            (format!("\u{feff}{}", result("[]")).into_bytes(), json!([])),
            (nulls.into(), json!([])),
            (format!("[{}]", result("[]")).into_bytes(), json!([])),
        ] {
            let all = parse_all(&line, LISTS_AND_CALLS).expect("messages");
            let all = serde_json::to_value(all).expect("JSON");
            assert_eq!(all[0]["result"]["content"], expected, "{all}");
        }
    }

    #[test]
    fn a_response_that_nobody_can_read_is_an_error() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        for result in [deep, "1e400".to_owned()] {
            let line =
                format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": {{"content": {result}}}}}"#);
            let all = parse_all(line.as_bytes(), LISTS_AND_CALLS).expect("messages");
            let all = serde_json::to_value(all).expect("JSON");
            assert_eq!(
                (&all[0]["id"], &all[0]["error"]["code"]),
                (&json!(7), &json!(-32603))
            );
        }
        let line =
            r#"{"jsonrpc": "2.0", "id": 1, "result": null, "error": {"code": 5, "message": "m"}}"#;
        let all = parse_all(line.as_bytes(), LISTS_AND_CALLS).expect("messages");
        let all = serde_json::to_value(all).expect("JSON");
        assert_eq!(all[0]["error"], json!({"code": 5, "message": "m"}));
    }
}
