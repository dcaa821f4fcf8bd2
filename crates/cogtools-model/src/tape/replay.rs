//! Replaying: answers requests from a tape.

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, future, stream};
use similar::TextDiff;

use super::Recording;
use crate::{Chunk, Chunks, Model, ModelError, ModelInfo, Request};

/// A model that knows recorded answers only.
#[derive(Debug)]
pub struct Replay {
    recordings: Vec<Recording>,
}

/// How many lines of a difference are shown.
const MAX_DIFF_LINES: usize = 40;

impl Replay {
    /// Reads the lines of a tape; `file` names it in errors.
    pub fn new(file: &str, lines: &[u8]) -> Result<Self, ModelError> {
        let lines = lines.split(|byte| *byte == b'\n').enumerate();
        let filled = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let parse = |(index, line): (usize, &[u8])| {
            serde_json::from_slice(line).map_err(|error| ModelError::Tape {
                file: file.to_owned(),
                reason: format!("line {} is not a recording: {error}", index + 1),
            })
        };
        let recordings = filled.map(parse).collect::<Result<_, _>>()?;
        Ok(Self { recordings })
    }

    /// The recording of the request with that hash.
    fn find(&self, hash: &str) -> Option<&Recording> {
        self.recordings
            .iter()
            .find(|recording| recording.hash == hash)
    }

    /// The difference between the request and the recorded one that is most like it.
    fn nearest(&self, request: &Request) -> Option<String> {
        let body = serde_json::from_slice(&request.body()).unwrap_or_default();
        let wanted = pretty(&request.model, &body);
        let texts = self
            .recordings
            .iter()
            .map(|recording| pretty(&recording.model, &recording.request));
        let diff_of = |text: &String| TextDiff::from_lines(text.as_str(), wanted.as_str()).ratio();
        let nearest = texts.max_by(|one, other| diff_of(one).total_cmp(&diff_of(other)))?;
        let diff = TextDiff::from_lines(nearest.as_str(), wanted.as_str());
        let unified = diff.unified_diff().context_radius(2).to_string();
        let lines: Vec<&str> = unified.lines().take(MAX_DIFF_LINES).collect();
        Some(lines.join("\n"))
    }
}

fn pretty(model: &str, request: &serde_json::Value) -> String {
    let body = serde_json::to_string_pretty(request).unwrap_or_default();
    format!("model: {model}\n{body}\n")
}

impl Model for Replay {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        let answer = match self.find(&request.hash()) {
            Some(recording) => {
                let chunks = recording
                    .response
                    .clone()
                    .into_iter()
                    .map(Chunk::from_wire)
                    .map(Ok);
                Ok(stream::iter(chunks).boxed())
            }
            None => Err(ModelError::NotRecorded {
                nearest: self.nearest(request),
            }),
        };
        future::ready(answer).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        future::ready(Err(ModelError::Unsupported("listing models in a replay"))).boxed()
    }
}
