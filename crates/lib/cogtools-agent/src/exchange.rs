//! One response: sent, streamed, and sent again while nothing of it was shown.

use std::pin::pin;
use std::time::{Duration, Instant};

use cogtools_core::Cancel;
use cogtools_http::cancelled;
use cogtools_model::{
    Chunks, Finish, Model, ModelError, Request, Response, RetryPolicy, Usage, random_jitter,
};
use futures::StreamExt as _;
use tokio::time::{sleep, timeout};

use crate::observer::{Activity, Observer};

/// Maximum number of times that an unusable response is asked for again.
const MAX_USELESS: u32 = 2;

/// End of a response.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Whole.
    Complete(Response),
    /// The user has cancelled it; what had arrived.
    Cancelled(Response),
    /// The time is over; what had arrived.
    OutOfTime(Response),
    /// It failed; what had arrived.
    Failed(Response, ModelError),
}

/// Asks a model for one response.
pub(crate) struct Exchange<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) request: &'a Request,
    pub(crate) retry: RetryPolicy,
    pub(crate) time_left: Option<Duration>,
    pub(crate) cancel: &'a Cancel,
    pub(crate) observer: &'a mut dyn Observer,
}

/// The part of a response that has arrived.
#[derive(Default)]
struct Arrived {
    response: Response,
    /// True if the user has seen a part of it.
    is_shown: bool,
    /// The tokens of earlier attempts, which are paid for as well.
    wasted: Usage,
}

impl Exchange<'_> {
    /// Sends the request, and passes on what arrives. Returns with the end the tokens of
    /// responses that were thrown away.
    pub(crate) async fn run(mut self) -> (Ended, Usage) {
        let mut arrived = Arrived::default();
        let limit = self.time_left.unwrap_or(Duration::MAX);
        let cancel = self.cancel.clone();
        let ended = tokio::select! {
            biased;
            () = cancelled(&cancel) => None,
            ended = timeout(limit, self.attempts(&mut arrived)) => Some(ended),
        };
        let response = arrived.response;
        let ended = match ended {
            None => Ended::Cancelled(response),
            Some(Err(_)) => Ended::OutOfTime(response),
            Some(Ok(Ok(()))) => Ended::Complete(response),
            Some(Ok(Err(error))) => Ended::Failed(response, error),
        };
        (ended, arrived.wasted)
    }

    async fn attempts(&mut self, arrived: &mut Arrived) -> Result<(), ModelError> {
        let mut failures = 0;
        let mut useless = 0;
        let begin = Instant::now();
        loop {
            let result = self.attempt(arrived).await;
            let error = match result {
                Ok(()) if is_usable(&arrived.response) => return Ok(()),
                // A stream that just stops was cut off, although its connection was closed well.
                Ok(()) if arrived.is_shown && arrived.response.finish.is_none() => {
                    return Err(ModelError::InvalidResponse(useless_reason(
                        &arrived.response,
                    )));
                }
                Ok(()) if arrived.is_shown => return Ok(()),
                Ok(()) => {
                    useless += 1;
                    if useless > MAX_USELESS {
                        return Ok(());
                    }
                    ModelError::InvalidResponse(useless_reason(&arrived.response))
                }
                Err(error) => error,
            };
            failures += 1;
            let wait = self.retry.wait(failures, &error, random_jitter());
            // A quota that returns after the end of the run is said at once.
            let left = self
                .time_left
                .map(|left| left.saturating_sub(begin.elapsed()));
            let is_in_time = |wait: &Duration| left.is_none_or(|left| *wait < left);
            let Some(wait) = wait.filter(|wait| !arrived.is_shown && is_in_time(wait)) else {
                return Err(error);
            };
            self.observer.on(&Activity::Retry {
                wait,
                error: &error,
            });
            waiting(sleep(wait), self.observer).await;
            let mut wasted = arrived.wasted;
            wasted += arrived.response.usage;
            *arrived = Arrived {
                wasted,
                ..Arrived::default()
            };
        }
    }

    async fn attempt(&mut self, arrived: &mut Arrived) -> Result<(), ModelError> {
        let _step = tracing::debug_span!("model request");
        let sent = self.model.send(self.request);
        let mut chunks: Chunks = waiting(sent, self.observer).await?;
        while let Some(chunk) = waiting(chunks.next(), self.observer).await {
            let count = arrived.response.push(chunk?);
            let parts = arrived.response.parts();
            for part in &parts[parts.len().saturating_sub(count)..] {
                if let Some(text) = part.answer().filter(|text| !text.is_empty()) {
                    self.observer.on(&Activity::Text(text));
                    arrived.is_shown = true;
                } else if let Some((mime_type, data)) = part.data().filter(|_| !part.is_thought()) {
                    let padding = data.bytes().rev().take_while(|byte| *byte == b'=');
                    let bytes = (data.len() * 3 / 4).saturating_sub(padding.count());
                    self.observer.on(&Activity::File { mime_type, bytes });
                    arrived.is_shown = true;
                } else if let Some(thought) = part.thought() {
                    self.observer.on(&Activity::Thought(thought));
                }
            }
        }
        Ok(())
    }
}

/// Returns true if something can be done with a response: an answer, calls, or a refusal. One that
/// has used all its tokens for thoughts would do so again.
fn is_usable(response: &Response) -> bool {
    response.block_reason.is_some()
        || match &response.finish {
            Some(Finish::Refused(_) | Finish::MaxTokens | Finish::Cut(_)) => true,
            Some(Finish::MalformedCall(_)) | None => false,
            Some(_) => !response.is_empty(),
        }
}

fn useless_reason(response: &Response) -> String {
    match &response.finish {
        None => "it ended without a reason".to_owned(),
        Some(finish) => format!("it is empty and ended with {finish}"),
    }
}

/// Interval between two reports of a wait.
const TICK: Duration = Duration::from_secs(1);

/// Does `work`, and tells `observer` every second that it has not ended.
pub(crate) async fn waiting<F: Future>(work: F, observer: &mut dyn Observer) -> F::Output {
    let mut work = pin!(work);
    loop {
        match timeout(TICK, &mut work).await {
            Ok(output) => return output,
            Err(_) => observer.on(&Activity::Waiting),
        }
    }
}
