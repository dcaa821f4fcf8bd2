//! The delivery of an answer: its pieces, and faults on the way.

use std::time::Duration;

use serde_json::Value;

use super::answer::{EVENTS, JSON};
use super::error::ApiError;
use crate::http::{Body, End, Outgoing, Piece};

/// A fault in the middle of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Break {
    /// The connection is closed within the next event.
    Cut,
    /// The connection is reset.
    Reset,
    /// Nothing more is sent, and the connection stays open.
    Hang,
    /// An error is sent as the last event.
    Error(ApiError),
}

/// The delivery of an answer.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    /// The end of an event.
    pub(super) separator: &'static str,
    /// The bytes of each piece, and the pause before it.
    pub(super) pieces: Option<(usize, Duration)>,
    /// The number of events before something goes wrong.
    pub(super) broken: Option<(usize, Break)>,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            separator: "\r\n\r\n",
            pieces: None,
            broken: None,
        }
    }
}

impl Delivery {
    /// The events of a stream.
    pub(super) fn stream(&self, events: &[Value]) -> Outgoing {
        let event = |event: &Value| format!("data: {event}{}", self.separator).into_bytes();
        let events: Vec<Vec<u8>> = events.iter().map(event).collect();
        let mut end = End::Complete;
        let mut sent = events.clone();
        if let Some((before, broken)) = &self.broken {
            sent.truncate(*before);
            let half = || {
                events
                    .get(*before)
                    .map(|event| event[..event.len() / 2].to_vec())
            };
            match broken {
                Break::Cut => sent.extend(half()),
                Break::Reset | Break::Hang => {}
                Break::Error(error) => sent.push(event(&error.body())),
            }
            end = broken.end();
        }
        self.outgoing(EVENTS, sent, end)
    }

    /// An answer that is not a stream of events; if it breaks, half of it is sent.
    pub(super) fn whole(&self, body: &Value) -> Outgoing {
        let mut bytes = body.to_string().into_bytes();
        match &self.broken {
            Some((_, Break::Error(error))) => error.outgoing(),
            Some((_, broken)) => {
                bytes.truncate(bytes.len() / 2);
                self.outgoing(JSON, vec![bytes], broken.end())
            }
            None if self.pieces.is_some() => self.outgoing(JSON, vec![bytes], End::Complete),
            None => super::answer::object(body),
        }
    }

    fn outgoing(&self, kind: &str, sent: Vec<Vec<u8>>, end: End) -> Outgoing {
        let (sent, pause) = match self.pieces {
            Some((size, pause)) => {
                let bytes = sent.concat();
                let pieces = bytes.chunks(size.max(1)).map(<[u8]>::to_vec);
                (pieces.collect(), pause)
            }
            None => (sent, Duration::ZERO),
        };
        // A piece without bytes would be the last chunk.
        let sent = sent.into_iter().filter(|bytes| !bytes.is_empty());
        let pieces = sent.map(|bytes| Piece { bytes, pause }).collect();
        Outgoing {
            status: 200,
            kind: kind.to_owned(),
            body: Body::Pieces(pieces, end),
        }
    }
}

impl Break {
    /// The fate of the connection.
    pub(super) fn end(&self) -> End {
        match self {
            Self::Cut => End::Cut,
            Self::Reset => End::Reset,
            Self::Hang => End::Hang,
            Self::Error(_) => End::Complete,
        }
    }
}
