//! Tapes: recorded responses, one JSON object a line, found by the hash of their request.
//!
//! A replay never reaches the network: a request that was not recorded fails, with the
//! difference to the nearest one that was. The first line holds what else a request depends
//! on, so that the same program makes the same requests again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cogtools_document::text;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, future, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApiError, Chunk, Chunks, Model, ModelError, ModelInfo, Request};

/// The version of tapes that is written and read.
const VERSION: u32 = 1;

/// The size of a tape that is still read.
pub const MAX_TAPE_BYTES: usize = 256 << 20;

/// The dependencies of the requests of a tape: its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tape {
    /// The time that its prompts name, in the format of the program that made them.
    pub time: String,
    /// The model that was asked.
    pub model: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    tape: u32,
    #[serde(flatten)]
    of: Tape,
    /// True if the results of all calls are on the tape. Older tapes have none.
    #[serde(default)]
    calls: bool,
}

/// A request and what was answered: chunks, an error, or chunks and then an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Recording {
    hash: String,
    model: String,
    request: Value,
    response: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ApiError>,
}

impl Recording {
    /// `request` without an answer, and without `secrets`.
    fn new(request: &Request, secrets: &Secrets) -> Self {
        let body = serde_json::from_slice(&request.body()).unwrap_or_default();
        let body = secrets.mask(body);
        Self {
            hash: hash(&request.model, &body),
            model: request.model.clone(),
            request: body,
            response: Vec::new(),
            error: None,
        }
    }

    /// Ends with `error`. Returns false if it cannot be recorded: a failure of the network says
    /// nothing about the request.
    fn fail(&mut self, error: &ModelError, secrets: &Secrets) -> bool {
        let ModelError::Api(error) = error else {
            return false;
        };
        self.error = Some(ApiError {
            message: secrets.mask_text(error.message.clone()),
            ..error.clone()
        });
        true
    }
}

/// A call of a tool and its result, so that a replay runs nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CallRecording {
    tool: String,
    arguments: Value,
    result: Value,
}

fn hash(model: &str, body: &Value) -> String {
    let request = Request {
        model: model.to_owned(),
        ..Request::default()
    };
    request.hash_with(&serde_json::to_vec(body).unwrap_or_default())
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
    calls: Mutex<Vec<CallRecording>>,
    /// The tape that answers first.
    earlier: Option<Box<Replay>>,
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
    /// True after an error.
    is_broken: bool,
}

impl<M: Model> Recorder<M> {
    /// Records the responses of `model`. `tape` is the first line.
    pub fn new(model: M, tape: Tape) -> Self {
        Self {
            model,
            tape,
            secrets: Secrets::default(),
            recordings: Recordings::default(),
            calls: Mutex::default(),
            earlier: None,
        }
    }

    /// Records only what is missing on the tape `earlier`, which answers first. What of it is not
    /// asked for stays on the tape.
    pub fn missing(model: M, earlier: Replay) -> Self {
        let tape = earlier.tape.clone();
        Self {
            earlier: Some(Box::new(earlier)),
            ..Self::new(model, tape)
        }
    }

    /// Takes the result of a call of `tool` from the tape that answers first.
    pub fn take_call(&self, tool: &str, arguments: Value) -> Option<Value> {
        self.earlier.as_ref()?.take_call(tool, arguments)
    }

    /// Keeps the result of a call of `tool`.
    pub fn keep_call(&self, tool: &str, arguments: Value, result: Value) {
        let recording = CallRecording {
            tool: tool.to_owned(),
            arguments: self.secrets.mask(arguments),
            result: self.secrets.mask(result),
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(recording);
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
            of: self.tape.clone(),
            calls: true,
        };
        // Texts, numbers and maps with texts as keys are always valid JSON.
        let mut lines = serde_json::to_vec(&header).unwrap_or_default();
        lines.push(b'\n');
        let mut add = |line: Result<Vec<u8>, serde_json::Error>| {
            lines.extend(line.unwrap_or_default());
            lines.push(b'\n');
        };
        let (unused, unused_calls) = self
            .earlier
            .as_deref()
            .map(Replay::unused)
            .unwrap_or_default();
        let recordings = self.recordings.lock();
        for recording in recordings.iter().flatten().chain(unused) {
            add(serde_json::to_vec(recording));
        }
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        for call in calls.iter().chain(&unused_calls) {
            add(serde_json::to_vec(call));
        }
        lines
    }
}

impl<M: Model> Model for Recorder<M> {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let mut recording = Recording::new(request, &self.secrets);
            let position = self.recordings.reserve();
            let known = self.earlier.as_ref().map(|earlier| earlier.answer(request));
            let sent = match known {
                Some(Err(ModelError::NotRecorded { .. })) | None => self.model.send(request).await,
                Some(answer) => answer,
            };
            let chunks = match sent {
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
                is_broken: false,
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
    let Arriving {
        recording, secrets, ..
    } = &mut arriving;
    let is_over = match &next {
        Some(Ok(chunk)) => {
            recording
                .response
                .push(secrets.mask(chunk.as_json().clone()));
            false
        }
        Some(Err(error)) => recording.fail(error, secrets),
        None => !arriving.is_broken,
    };
    arriving.is_broken |= matches!(next, Some(Err(_)));
    if is_over {
        let recording = arriving.recording.clone();
        arriving.recordings.keep(arriving.position, recording);
    }
    next.map(|next| (next, arriving))
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
    /// Number of times that each request was sent, by its hash.
    sent: Mutex<HashMap<String, usize>>,
    /// The calls that were not replayed yet.
    calls: Mutex<Vec<CallRecording>>,
    /// True if the results of all calls are on the tape.
    has_calls: bool,
}

impl Tape {
    /// Reads `line`, the first one of a tape; `file` names it in errors.
    ///
    /// # Errors
    /// [`ModelError::Tape`] if no tape begins like that.
    pub fn read(file: &str, line: &[u8]) -> Result<Self, ModelError> {
        let line = Some(line).filter(|line| !line.trim_ascii().is_empty());
        Ok(read_header(file, line)?.of)
    }
}

impl Replay {
    /// Reads the lines of a tape; `file` names it in errors.
    pub fn new(file: &str, lines: &[u8]) -> Result<Self, ModelError> {
        let fail = |reason| unusable(file, reason);
        if lines.len() > MAX_TAPE_BYTES {
            return Err(fail(format!("it is larger than {MAX_TAPE_BYTES} bytes")));
        }
        let lines = lines.split(|byte| *byte == b'\n').enumerate();
        let mut filled = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let header = read_header(file, filled.next().map(|(_, line)| line))?;
        let mut calls = Vec::new();
        let mut recordings = Vec::new();
        let parse = |index: usize, line: &[u8]| {
            let number = index + 1;
            let recording: Recording = serde_json::from_slice(line)
                .map_err(|error| fail(format!("line {number} is not a recording: {error}")))?;
            // The hash of an edited request would never be found.
            if recording.hash == hash(&recording.model, &recording.request) {
                return Ok(recording);
            }
            let reason = format!("line {number}: `hash` is not that of `model` and `request`");
            Err(fail(reason))
        };
        for (index, line) in filled {
            match serde_json::from_slice(line) {
                Ok(call) => calls.push(call),
                Err(_) => recordings.push(parse(index, line)?),
            }
        }
        Ok(Self {
            tape: header.of,
            recordings,
            secrets: Secrets::default(),
            sent: Mutex::default(),
            calls: Mutex::new(calls),
            has_calls: header.calls,
        })
    }

    /// Masks these values, without which the tape was recorded.
    #[must_use]
    pub fn masking(self, secrets: impl IntoIterator<Item = String>) -> Self {
        Self {
            secrets: Secrets::new(secrets),
            ..self
        }
    }

    /// Takes the recorded result of a call of `tool`; `None` if the tape has none.
    pub fn take_call(&self, tool: &str, arguments: Value) -> Option<Value> {
        let arguments = self.secrets.mask(arguments);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |call: &CallRecording| call.tool == tool && call.arguments == arguments;
        let index = calls.iter().position(is_same)?;
        Some(calls.remove(index).result)
    }

    /// Returns true if the results of all calls are on the tape: no other call runs.
    pub const fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// The recordings of requests that were never sent, and the calls that were not replayed.
    fn unused(&self) -> (Vec<&Recording>, Vec<CallRecording>) {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let recordings = self.recordings.iter();
        let recordings = recordings.filter(|recording| !sent.contains_key(&recording.hash));
        (recordings.collect(), calls.clone())
    }

    /// The first line of the tape.
    pub const fn tape(&self) -> &Tape {
        &self.tape
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
        let wanted = Recording::new(request, &self.secrets);
        let Some(recording) = self.find(&wanted.hash) else {
            let nearest = difference(&self.recordings, &wanted);
            return Err(ModelError::NotRecorded { nearest });
        };
        let error = recording.error.clone().map(ModelError::Api);
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

fn unusable(file: &str, reason: String) -> ModelError {
    let file = file.to_owned();
    ModelError::Tape { file, reason }
}

fn read_header(file: &str, line: Option<&[u8]>) -> Result<Header, ModelError> {
    let fail = |reason| unusable(file, reason);
    let line = line.ok_or_else(|| fail("it is empty".to_owned()))?;
    let header: Header = serde_json::from_slice(line)
        .map_err(|error| fail(format!("line 1 is not the head of a tape: {error}")))?;
    match header.tape {
        VERSION => Ok(header),
        other => Err(fail(format!(
            "it has version {other} of the format, not {VERSION}"
        ))),
    }
}

impl Model for Replay {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        future::ready(self.answer(request)).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        future::ready(Err(ModelError::Unsupported("listing models in a replay"))).boxed()
    }
}

/// Maximum number of lines of a difference.
const MAX_DIFF_LINES: usize = 40;

/// Maximum length of a line: a file may be one.
const MAX_LINE_CHARS: usize = 200;

/// The difference between `wanted` and the nearest of `recordings`, from that one to this.
fn difference(recordings: &[Recording], wanted: &Recording) -> Option<String> {
    let wanted = lines(wanted);
    let texts = recordings.iter().map(lines);
    let nearest = texts.min_by_key(|text| distance(text, &wanted))?;
    let diff = text::compare(&nearest, &wanted);
    let unified = diff.unified_diff().context_radius(2).to_string();
    let all: Vec<&str> = unified.lines().collect();
    let shown = all.iter().take(MAX_DIFF_LINES).enumerate();
    let mut shown: Vec<String> = shown
        .map(|(index, line)| short(line, counterpart(&all, index)))
        .collect();
    if all.len() > MAX_DIFF_LINES {
        shown.push(format!("… {} more lines", all.len() - MAX_DIFF_LINES));
    }
    Some(shown.join("\n"))
}

fn lines(recording: &Recording) -> String {
    let body = serde_json::to_string_pretty(&recording.request).unwrap_or_default();
    format!("model: {}\n{body}\n", recording.model)
}

/// The line that replaces the line `index` of a difference, or is replaced by it: its place among
/// the removed lines is its place among the added ones.
fn counterpart<'l>(all: &[&'l str], index: usize) -> Option<&'l str> {
    let sign = all[index].chars().next()?;
    let other = match sign {
        '+' => '-',
        '-' => '+',
        _ => return None,
    };
    let of_sign = |sign: char| move |line: &&&str| line.starts_with(sign);
    let before = all[..index].iter().filter(of_sign(sign)).count();
    all.iter().filter(of_sign(other)).nth(before).copied()
}

/// Number of lines that only one of the two texts has.
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

/// The part of a line around its first difference to `other`.
fn short(line: &str, other: Option<&str>) -> String {
    if line.chars().count() <= MAX_LINE_CHARS {
        return line.to_owned();
    }
    // The signs differ in any case.
    let pairs = other.map(|other| line.chars().zip(other.chars()).skip(1));
    let same = pairs.map_or(0, |mut pairs| pairs.position(|(a, b)| a != b).unwrap_or(0));
    let skipped = (same + 1).saturating_sub(MAX_LINE_CHARS / 2);
    let part: String = line.chars().skip(skipped).take(MAX_LINE_CHARS).collect();
    let before = match line.chars().next().filter(|_| skipped > 0) {
        Some(sign) => format!("{sign}…"),
        None => String::new(),
    };
    let is_end = skipped + MAX_LINE_CHARS >= line.chars().count();
    format!("{before}{part}{}", if is_end { "" } else { "…" })
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
            Value::Number(number) if self.0.contains(&number.to_string()) => MASK.into(),
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
