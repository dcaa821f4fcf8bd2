//! The outcome of a proposal: the person's answer, or the reason for which there is none.

use std::path::Path;

use cogtools_core::{Code, Diagnostic, digest, text};
use serde::{Deserialize, Serialize};

use super::answer::{Reply, shown};

/// The outcome of a proposal. An editor saves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Edit {
    /// The editor has the proposed text.
    Accepted {
        /// The hash of the text.
        hash: String,
    },
    /// The editor has the proposed text with changes of the person.
    Changed {
        /// The changes, from the proposed text to the text that the editor has.
        diff: String,
        /// The hash of the text that the editor has.
        hash: String,
    },
    /// The person does not want it.
    Rejected {
        /// The person's reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The text is not, or no longer, the one from which the proposal was made.
    Stale {
        /// The hash of the text now.
        #[serde(skip_serializing_if = "Option::is_none")]
        hash: Option<String>,
    },
    /// The editor cannot change the file, and has asked nobody.
    Refused(Refusal),
}

/// Why an editor cannot change a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    kind: RefusalKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefusalKind {
    /// Another process of the editor has it open.
    OpenElsewhere,
    /// A process that has ended has left changes that were not saved.
    NotRecovered,
    /// Its text cannot be changed.
    NotModifiable,
    /// It cannot be opened.
    Unreadable,
    /// A kind that a newer editor has.
    #[serde(other)]
    Other,
}

/// The longest reason of a person, in characters.
const MAX_REASON: usize = 2_000;

impl Edit {
    /// The outcome in `reply` to the proposal of `content`.
    pub(crate) fn of(reply: Reply, content: &str) -> Option<Self> {
        let reason = reply.reason.map(|reason| {
            let reason = reason.chars().filter(|c| *c == '\n' || !c.is_control());
            reason.take(MAX_REASON).collect::<String>()
        });
        if let Some(kind) = reply.refused {
            return Some(Self::Refused(Refusal {
                kind,
                process: reply.process,
                reason,
            }));
        }
        if reply.stale {
            let hash = reply.hash.filter(|hash| digest::is_hash(hash));
            return Some(Self::Stale { hash });
        }
        if !reply.accepted? {
            return Some(Self::Rejected { reason });
        }
        let text = reply.content.map(|text| text.replace("\r\n", "\n"));
        let proposed = content.replace("\r\n", "\n");
        Some(match text.filter(|text| *text != proposed) {
            None => Self::Accepted {
                hash: hash(&proposed),
            },
            Some(text) => Self::Changed {
                diff: diff(&proposed, &text),
                hash: hash(&text),
            },
        })
    }
}

fn hash(text: &str) -> String {
    digest::bytes(text.as_bytes()).to_string()
}

fn diff(proposed: &str, text: &str) -> String {
    let diff = text::compare(proposed, text);
    let mut diff = diff.unified_diff();
    diff.header("proposed", "accepted").to_string()
}

impl Refusal {
    /// The error of a call, with what to do about it.
    pub fn diagnostic(&self, path: &Path, editor: &str) -> Diagnostic {
        let path = path.file_name().unwrap_or_default().to_string_lossy();
        let path = shown(&path);
        let (message, hint) = match self.kind {
            RefusalKind::OpenElsewhere => {
                let process = self.process.filter(|process| *process > 0);
                let process = process.map(|process| format!(" (process {process})"));
                let process = process.unwrap_or_default();
                (
                    format!("`{path}` is open in another {editor}{process}"),
                    "close it there, or call from a terminal in that one",
                )
            }
            RefusalKind::NotRecovered => (
                format!("`{path}` has changes of a {editor} that has ended, which are not saved"),
                "open it in the editor, and recover them or delete the swap file",
            ),
            RefusalKind::NotModifiable => (
                format!("`{path}` is not modifiable in {editor}"),
                "make it modifiable there, or leave it as it is",
            ),
            RefusalKind::Unreadable | RefusalKind::Other => (
                format!("`{path}` cannot be opened in {editor}"),
                "open it in the editor to see the reason",
            ),
        };
        let mut diagnostic = Diagnostic::new(Code::ToolFailed, message).hint(hint);
        diagnostic.details = self.reason.clone().unwrap_or_default();
        diagnostic
    }
}
