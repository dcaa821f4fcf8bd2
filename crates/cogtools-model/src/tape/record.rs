//! Recording: passes on the responses of a model and keeps a copy of each whole one.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;

use super::Recording;
use crate::{Chunks, Model, ModelError, ModelInfo, Request};

/// A model whose responses are recorded.
///
/// Explicit caches are not offered: their names differ from run to run, so that no request
/// would match its recording.
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    lines: Arc<Mutex<Vec<u8>>>,
}

impl<M: Model> Recorder<M> {
    /// Records the responses of `model`.
    pub fn new(model: M) -> Self {
        Self {
            model,
            lines: Arc::default(),
        }
    }

    /// The lines of the tape that were recorded so far. A response that failed or was cut off
    /// is not one of them.
    pub fn lines(&self) -> Vec<u8> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A response on its way, and where to record it.
struct Recorded {
    chunks: Chunks,
    recording: Recording,
    lines: Arc<Mutex<Vec<u8>>>,
}

impl<M: Model> Model for Recorder<M> {
    fn send<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Chunks, ModelError>> {
        async move {
            let body = request.body();
            let recorded = Recorded {
                chunks: self.model.send(request).await?,
                recording: Recording {
                    hash: request.hash_with(&body),
                    model: request.model.clone(),
                    request: serde_json::from_slice(&body).unwrap_or_default(),
                    response: Vec::new(),
                },
                lines: Arc::clone(&self.lines),
            };
            Ok(stream::unfold(recorded, next).boxed())
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ModelError>> {
        self.model.models()
    }
}

async fn next(mut recorded: Recorded) -> Option<(Result<crate::Chunk, ModelError>, Recorded)> {
    let Some(chunk) = recorded.chunks.next().await else {
        recorded.finish();
        return None;
    };
    if let Ok(chunk) = &chunk {
        let copy: Value = chunk.as_json().clone();
        recorded.recording.response.push(copy);
    }
    Some((chunk, recorded))
}

impl Recorded {
    fn finish(&self) {
        let mut line = serde_json::to_vec(&self.recording).unwrap_or_default();
        line.push(b'\n');
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.extend(line);
    }
}
