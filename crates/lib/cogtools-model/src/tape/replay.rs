//! Replaying: answers requests from a tape.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, future, stream};
use serde_json::Value;

use super::mask::Secrets;
use super::nearest;
use super::recording::Recording;
use super::{Header, MAX_TAPE_BYTES, Tape, VERSION};
use crate::{Chunk, Chunks, Model, ModelError, ModelInfo, Request};

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
            let nearest = nearest::difference(&self.recordings, &wanted.model, &wanted.request);
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
