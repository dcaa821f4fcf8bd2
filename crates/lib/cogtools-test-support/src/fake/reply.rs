//! An answer, made of a turn of the script.

use serde_json::Value;

use super::answer::Header;
use super::content::Content;
use super::delivery::Delivery;
use super::signature::Signatures;
use super::tokens::{self, Usage};
use super::turn::{Says, Turn, Work};
use crate::http::{Body, End, Outgoing};

/// An answer, and what the test does before it is sent.
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) meanwhile: Option<Work>,
}

/// A response, or what happens to the connection instead.
pub(super) enum Reply {
    Response(Outgoing),
    Nothing(End),
}

/// The format in which a client wants content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One response.
    Whole,
    /// All responses of a stream as one list.
    List,
    /// A stream of events.
    Events,
}

impl From<Outgoing> for Answer {
    fn from(outgoing: Outgoing) -> Self {
        Self {
            reply: Reply::Response(outgoing),
            meanwhile: None,
        }
    }
}

impl Turn {
    /// Plays the turn: its answer, and the tokens of the answer and the request.
    pub(super) fn play(
        self,
        header: Header,
        format: Format,
        signatures: Option<&mut Signatures>,
    ) -> (Answer, Usage) {
        let usage = header.usage;
        let (reply, usage) = match self.says {
            Says::Nothing(end) => (Reply::Nothing(end), Usage::default()),
            Says::Error(error) => (Reply::Response(error.outgoing()), Usage::default()),
            Says::Page { status, kind, body } => {
                let body = Body::Whole(body.into_bytes());
                let page = Outgoing { status, kind, body };
                (Reply::Response(page), Usage::default())
            }
            Says::Raw(responses) => (send(&self.delivery, responses, format), usage),
            Says::Blocked(reason) => {
                let responses = vec![header.blocked(&reason)];
                (send(&self.delivery, responses, format), usage)
            }
            Says::Content(content) => {
                let (responses, usage) = say(content, header, format, signatures);
                (send(&self.delivery, responses, format), usage)
            }
        };
        let answer = Answer {
            reply,
            meanwhile: self.meanwhile,
        };
        (answer, usage)
    }
}

/// The responses with `content`, and the tokens including the content.
fn say(
    content: Content,
    mut header: Header,
    format: Format,
    signatures: Option<&mut Signatures>,
) -> (Vec<Value>, Usage) {
    let is_whole = format == Format::Whole;
    let content = if is_whole { content.whole() } else { content };
    let mut events = content.events(header.number, signatures);
    if is_whole {
        events = vec![events.concat()];
    }
    for part in events.iter().flatten() {
        let tokens = tokens::of_part(part);
        if part["thought"] == true {
            header.usage.thoughts += tokens;
        } else {
            header.usage.answer += tokens;
        }
    }
    (header.responses(&content, &events), header.usage)
}

fn send(delivery: &Delivery, responses: Vec<Value>, format: Format) -> Reply {
    Reply::Response(match format {
        Format::Events => delivery.stream(&responses),
        Format::List => delivery.whole(&responses.into()),
        Format::Whole => {
            let first = responses.into_iter().next().unwrap_or_default();
            delivery.whole(&first)
        }
    })
}
