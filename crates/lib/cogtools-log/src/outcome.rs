//! How calls, nodes, steps, caches and sessions end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Id, Timestamp};

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// The tool answered.
    Succeeded,
    /// The tool, or the check of its arguments, failed.
    Failed {
        /// The code of the failure, such as `SCHEMA_VIOLATION`.
        code: String,
    },
    /// The user does not want it to run.
    Denied,
    /// It took too long.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// How a session, or a run of it, ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[schemars(inline)]
pub enum EndStatus {
    /// The model answered.
    Completed,
    /// The model refused to answer.
    Refused,
    /// A budget is spent.
    Budget {
        /// Which one.
        limit: BudgetLimit,
    },
    /// The model repeated itself.
    Loop,
    /// The service cannot be reached.
    Unavailable,
    /// The user has to approve calls.
    ApprovalWanted,
    /// The user has cancelled it.
    Cancelled,
    /// It failed.
    Failed {
        /// The code of the failure.
        code: String,
    },
}

impl EndStatus {
    /// Its name in a file.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused => "refused",
            Self::Budget { .. } => "budget",
            Self::Loop => "loop",
            Self::Unavailable => "unavailable",
            Self::ApprovalWanted => "approval_wanted",
            Self::Cancelled => "cancelled",
            Self::Failed { .. } => "failed",
        }
    }
}

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum BudgetLimit {
    /// Requests to the model.
    Turns,
    /// Calls of tools.
    Calls,
    /// Tokens, sent and received.
    Tokens,
    /// Time.
    Seconds,
    /// Money.
    Money,
}

/// The state of a node of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(inline)]
pub enum NodeState {
    /// It runs.
    Started,
    /// It has ended.
    Succeeded,
    /// It has failed.
    Failed {
        /// The code of the failure.
        code: String,
        /// What is wrong.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// It waits for an answer of the user.
    Waiting {
        /// What it asks.
        question: String,
    },
    /// It does not run: its condition does not hold, another node was chosen, or one that it
    /// needs has no result.
    Skipped,
}

/// The state of a step of a plan. A step that nothing is known of is planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(inline)]
pub enum StepState {
    /// Its tool runs.
    Executing,
    /// It has a result.
    Executed,
    /// It has failed.
    Failed {
        /// The code of the failure.
        code: String,
        /// What is wrong.
        message: String,
    },
    /// It does not run, because one before it failed, or the run was cancelled.
    Skipped,
}

impl StepState {
    /// Its name in a file.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Executing => "executing",
            Self::Executed => "executed",
            Self::Failed { .. } => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What happened to the provider's cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(inline)]
pub enum CacheState {
    /// It was created.
    Created {
        /// The hash of the model, the instructions and the tools that it holds.
        key: String,
        /// The entry of the last turn that it holds; without it, it holds no turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        up_to: Option<Id>,
        /// When the provider deletes it.
        expires: Timestamp,
    },
    /// A request used it.
    Used,
    /// It was kept from expiring.
    Refreshed {
        /// When the provider deletes it.
        expires: Timestamp,
    },
    /// It was deleted.
    Deleted,
    /// Creating or using it failed; the request was sent in full.
    Failed {
        /// Why.
        reason: String,
    },
}
