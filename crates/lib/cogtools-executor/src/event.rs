//! What happens while nodes run, for what records and shows it.

use std::time::Duration;

use serde_json::Value;

use crate::Failure;

/// Something that happened to a node.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// An attempt begins: its number, from 1.
    Started {
        /// The node.
        node: &'e str,
        /// The number of the attempt.
        attempt: u32,
    },
    /// The node has a result.
    Succeeded {
        /// The node.
        node: &'e str,
        /// Its result.
        value: &'e Value,
        /// How long the last attempt took.
        duration: Duration,
    },
    /// An attempt has failed, and another one follows.
    Retrying {
        /// The node.
        node: &'e str,
        /// Why it failed.
        failure: &'e Failure,
        /// The delay before the next attempt.
        delay: Duration,
    },
    /// The node has failed.
    Failed {
        /// The node.
        node: &'e str,
        /// Why.
        failure: &'e Failure,
        /// How long the last attempt took.
        duration: Duration,
    },
    /// The node does not run.
    Skipped {
        /// The node.
        node: &'e str,
        /// Why.
        reason: &'e SkipReason,
    },
}

/// Why a node does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its own condition does not hold.
    Condition,
    /// This node, which it needs, was skipped or has failed.
    Needs(String),
    /// This node has failed, and that ends the run.
    Stopped(String),
    /// The run was cancelled.
    Cancelled,
}

/// An event cannot be recorded: nothing further may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// Records and shows events, in their order.
pub trait Observer {
    /// Something happened. A node starts only after its [`Event::Started`] was accepted.
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop>;
}
