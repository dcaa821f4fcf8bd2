//! Tapes: recorded responses, one JSON object a line, found by the hash of their request.
//!
//! A replay never reaches the network: a request that was not recorded fails, with the
//! difference to the nearest one that was. The first line holds what else a request depends
//! on, so that the same program makes the same requests again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, future, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::{Algorithm, TextDiff};

use crate::{ApiError, ApiErrorKind, Chunk, Chunks, Model, ModelError, ModelInfo, Request};

/// The version of tapes that is written and read.
const VERSION: u32 = 1;

/// The size of a tape that is still read.
pub const MAX_TAPE_BYTES: usize = 256 << 20;

/// What the requests of a tape depend on: its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tape {
    /// The time that its prompts name, in the format of the program that made them.
    pub time: String,
    /// The model that was asked.
    pub model: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    tape: u32,
    time: String,
    model: String,
}

/// A request and what was answered: chunks, an error, or chunks and then an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Recording {
    hash: String,
    model: String,
    request: Value,
    response: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<RecordedError>,
}

/// An error of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedError {
    kind: ApiErrorKind,
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl Recording {
    /// `request` without an answer; its body as it may be kept.
    fn new(request: &Request, body: Value) -> Self {
        Self {
            hash: hash(&request.model, &body),
            model: request.model.clone(),
            request: body,
            response: Vec::new(),
            error: None,
        }
    }

    /// Returns true if the request is the one of the hash; an edited one would never be found.
    fn is_intact(&self) -> bool {
        self.hash == hash(&self.model, &self.request)
    }
}

fn hash(model: &str, body: &Value) -> String {
    let request = Request {
        model: model.to_owned(),
        ..Request::default()
    };
    request.hash_with(&serde_json::to_vec(body).unwrap_or_default())
}

impl RecordedError {
    /// Removes secrets that the provider quotes.
    fn mask(&mut self, secrets: &Secrets) {
        self.message = secrets.mask_text(std::mem::take(&mut self.message));
    }
}

impl From<&ApiError> for RecordedError {
    fn from(error: &ApiError) -> Self {
        let milliseconds = |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Self {
            kind: error.kind,
            status: error.status,
            name: error.name.clone(),
            message: error.message.clone(),
            retry_after_ms: error.retry_after.map(milliseconds),
        }
    }
}

impl From<RecordedError> for ApiError {
    fn from(recorded: RecordedError) -> Self {
        Self {
            kind: recorded.kind,
            status: recorded.status,
            name: recorded.name,
            message: recorded.message,
            retry_after: recorded.retry_after_ms.map(Duration::from_millis),
        }
    }
}

/// A model whose responses are recorded.
///
/// Explicit caches are not offered: their names differ from run to run, so that no request
/// would match its recording.
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    tape: Tape,
    secrets: Secrets,
    recordings: Recordings,
}

/// The recordings in the order in which their requests were sent; `None` for a response that
/// is still arriving, or will never be whole.
#[derive(Clone, Debug, Default)]
struct Recordings(Arc<Mutex<Vec<Option<Recording>>>>);

/// A response on its way.
struct Arriving {
    chunks: Chunks,
    recording: Recording,
    position: usize,
    recordings: Recordings,
    secrets: Secrets,
    is_over: bool,
}

impl<M: Model> Recorder<M> {
    /// Records the responses of `model`. `tape` is the first line.
    pub fn new(model: M, tape: Tape) -> Self {
        Self {
            model,
            tape,
            secrets: Secrets::default(),
            recordings: Recordings::default(),
        }
    }

    /// The same, with `[secret]` for each of these values, wherever one occurs. A replay needs
    /// the same values, to find the requests.
    #[must_use]
    pub fn masking(self, secrets: impl IntoIterator<Item = String>) -> Self {
        Self {
            secrets: Secrets::new(secrets),
            ..self
        }
    }

    /// The tape that was recorded so far: what the provider answered, its errors included. A
    /// response that was cut off, or not read to its end, is not a part of it.
    pub fn lines(&self) -> Vec<u8> {
        let header = Header {
            tape: VERSION,
            time: self.tape.time.clone(),
            model: self.tape.model.clone(),
        };
        // Texts, numbers and maps with texts as keys are always valid JSON.
        let mut lines = serde_json::to_vec(&header).unwrap_or_default();
        lines.push(b'\n');
        for recording in self.recordings.lock().iter().flatten() {
            lines.extend(serde_json::to_vec(recording).unwrap_or_default());
            lines.push(b'\n');
        }
        lines
    }
}

impl<M: Model> Model for Recorder<M> {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let body = serde_json::from_slice(&request.body()).unwrap_or_default();
            let mut recording = Recording::new(request, self.secrets.mask(body));
            let position = self.recordings.reserve();
            let chunks = match self.model.send(request).await {
                Ok(chunks) => chunks,
                Err(error) => {
                    if recording.fail(&error, &self.secrets) {
                        self.recordings.keep(position, recording);
                    }
                    return Err(error);
                }
            };
            let arriving = Arriving {
                chunks,
                recording,
                position,
                recordings: self.recordings.clone(),
                secrets: self.secrets.clone(),
                is_over: false,
            };
            Ok(stream::unfold(arriving, next).boxed())
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        self.model.models()
    }
}

async fn next(mut arriving: Arriving) -> Option<(Result<Chunk, ModelError>, Arriving)> {
    let next = arriving.chunks.next().await;
    match &next {
        Some(Ok(chunk)) => {
            let copy = arriving.secrets.mask(chunk.as_json().clone());
            arriving.recording.response.push(copy);
        }
        Some(Err(error)) => {
            if arriving.recording.fail(error, &arriving.secrets) {
                arriving.keep();
            }
            arriving.is_over = true;
        }
        None => arriving.keep(),
    }
    next.map(|next| (next, arriving))
}

impl Arriving {
    fn keep(&mut self) {
        if !self.is_over {
            self.recordings.keep(self.position, self.recording.clone());
        }
    }
}

impl Recording {
    /// Ends with `error`. Returns whether it can be recorded: a failure of the network says
    /// nothing about the request.
    fn fail(&mut self, error: &ModelError, secrets: &Secrets) -> bool {
        let ModelError::Api(error) = error else {
            return false;
        };
        let mut error = RecordedError::from(error);
        error.mask(secrets);
        self.error = Some(error);
        true
    }
}

impl Recordings {
    fn lock(&self) -> MutexGuard<'_, Vec<Option<Recording>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position of the next recording.
    fn reserve(&self) -> usize {
        let mut recordings = self.lock();
        recordings.push(None);
        recordings.len() - 1
    }

    fn keep(&self, position: usize, recording: Recording) {
        if let Some(place) = self.lock().get_mut(position) {
            *place = Some(recording);
        }
    }
}

/// A model that knows recorded answers only.
#[derive(Debug)]
pub struct Replay {
    tape: Tape,
    recordings: Vec<Recording>,
    secrets: Secrets,
    /// How often each request was sent, by its hash.
    sent: Mutex<HashMap<String, usize>>,
}

impl Replay {
    /// Reads the lines of a tape; `file` names it in errors.
    pub fn new(file: &str, lines: &[u8]) -> Result<Self, ModelError> {
        let fail = |reason: String| ModelError::Tape {
            file: file.to_owned(),
            reason,
        };
        if lines.len() > MAX_TAPE_BYTES {
            return Err(fail(format!("it is larger than {MAX_TAPE_BYTES} bytes")));
        }
        let lines = lines.split(|byte| *byte == b'\n').enumerate();
        let mut filled = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let tape = read_header(filled.next().map(|(_, line)| line)).map_err(fail)?;
        let parse = |(index, line): (usize, &[u8])| {
            let number = index + 1;
            let recording: Recording = serde_json::from_slice(line)
                .map_err(|error| fail(format!("line {number} is not a recording: {error}")))?;
            if recording.is_intact() {
                return Ok(recording);
            }
            let reason = format!("line {number}: `hash` is not that of `model` and `request`");
            Err(fail(reason))
        };
        let recordings = filled.map(parse).collect::<Result<_, _>>()?;
        Ok(Self {
            tape,
            recordings,
            secrets: Secrets::default(),
            sent: Mutex::default(),
        })
    }

    /// The same for a tape that was recorded without these values.
    #[must_use]
    pub fn masking(self, secrets: impl IntoIterator<Item = String>) -> Self {
        Self {
            secrets: Secrets::new(secrets),
            ..self
        }
    }

    /// The first line of the tape.
    pub const fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The time that prompts must name to be those of the tape.
    pub fn time(&self) -> &str {
        &self.tape.time
    }

    /// The recording of the request with that hash: each in turn, then the last one again.
    fn find(&self, hash: &str) -> Option<&Recording> {
        let same = |recording: &&Recording| recording.hash == hash;
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let count = sent.entry(hash.to_owned()).or_default();
        let mut matching = self.recordings.iter().filter(same);
        let found = matching.nth(*count);
        *count += 1;
        found.or_else(|| self.recordings.iter().rfind(same))
    }

    fn answer(&self, request: &Request) -> Result<Chunks, ModelError> {
        let body: Value = serde_json::from_slice(&request.body()).unwrap_or_default();
        let wanted = Recording::new(request, self.secrets.mask(body));
        let Some(recording) = self.find(&wanted.hash) else {
            let nearest = difference(&self.recordings, &wanted.model, &wanted.request);
            return Err(ModelError::NotRecorded { nearest });
        };
        let error = recording
            .error
            .clone()
            .map(|error| ModelError::Api(error.into()));
        match error {
            Some(error) if recording.response.is_empty() => Err(error),
            error => {
                let chunks = recording.response.clone().into_iter();
                let chunks = chunks.map(Chunk::from_wire).map(Ok);
                Ok(stream::iter(chunks.chain(error.map(Err))).boxed())
            }
        }
    }
}

fn read_header(line: Option<&[u8]>) -> Result<Tape, String> {
    let line = line.ok_or("it is empty")?;
    let header: Header = serde_json::from_slice(line)
        .map_err(|error| format!("line 1 is not the head of a tape: {error}"))?;
    if header.tape != VERSION {
        return Err(format!(
            "it has version {} of the format, not {VERSION}",
            header.tape
        ));
    }
    Ok(Tape {
        time: header.time,
        model: header.model,
    })
}

impl Model for Replay {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        future::ready(self.answer(request)).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        future::ready(Err(ModelError::Unsupported("listing models in a replay"))).boxed()
    }
}

/// How many lines of a difference are shown.
const MAX_DIFF_LINES: usize = 40;

/// How much of a line is shown: a file may be one.
const MAX_LINE_CHARS: usize = 200;

/// How long a difference is searched for; after that it is larger than necessary.
const MAX_DIFF_TIME: Duration = Duration::from_secs(2);

/// The difference between `model` with `body` and the nearest of `recordings`, from that one to
/// this.
fn difference(recordings: &[Recording], model: &str, body: &Value) -> Option<String> {
    let wanted = lines(model, body);
    let texts = recordings
        .iter()
        .map(|recording| lines(&recording.model, &recording.request));
    let mut nearest: Option<(usize, String)> = None;
    for text in texts {
        let distance = distance(&text, &wanted);
        if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
            nearest = Some((distance, text));
        }
    }
    let (_, nearest) = nearest?;
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(MAX_DIFF_TIME)
        .diff_lines(nearest.as_str(), wanted.as_str());
    let unified = diff.unified_diff().context_radius(2).to_string();
    let total = unified.lines().count();
    let mut shown: Vec<String> = unified.lines().take(MAX_DIFF_LINES).map(short).collect();
    if total > MAX_DIFF_LINES {
        shown.push(format!("… {} more lines", total - MAX_DIFF_LINES));
    }
    Some(shown.join("\n"))
}

fn lines(model: &str, request: &Value) -> String {
    let body = serde_json::to_string_pretty(request).unwrap_or_default();
    format!("model: {model}\n{body}\n")
}

/// How many lines only one of the two texts has.
fn distance(one: &str, other: &str) -> usize {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for line in one.lines() {
        *counts.entry(line).or_default() += 1;
    }
    for line in other.lines() {
        *counts.entry(line).or_default() -= 1;
    }
    counts.values().map(|count| count.unsigned_abs()).sum()
}

fn short(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The stand-in for a secret.
const MASK: &str = "[secret]";

/// Shorter values are not searched for: they occur in anything.
const MIN_SECRET_BYTES: usize = 8;

/// The secrets, longest first: one may contain another.
#[derive(Clone, Default)]
struct Secrets(Vec<String>);

impl Secrets {
    fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let long = secrets.into_iter();
        let mut secrets: Vec<String> = long
            .filter(|secret| secret.len() >= MIN_SECRET_BYTES)
            .collect();
        secrets.sort_by(|one, other| (other.len(), one).cmp(&(one.len(), other)));
        Self(secrets)
    }

    /// `value` without the secrets in its texts and keys.
    fn mask(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.mask_text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.mask(item)).collect(),
            Value::Object(fields) => {
                let mask = |(key, value)| (self.mask_text(key), self.mask(value));
                Value::Object(fields.into_iter().map(mask).collect())
            }
            scalar => scalar,
        }
    }

    fn mask_text(&self, text: String) -> String {
        let replace = |text: String, secret: &String| text.replace(secret.as_str(), MASK);
        self.0.iter().fold(text, replace)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}
