//! Recording: passes on the responses of a model and keeps a copy of each whole one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};

use super::mask::Secrets;
use super::recording::{RecordedError, Recording};
use super::{Header, Tape, VERSION};
use crate::{Chunk, Chunks, Model, ModelError, ModelInfo, Request};

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
