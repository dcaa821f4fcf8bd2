//! An agent: a model that can call tools, in a loop that is logged, bounded and approved.
//!
//! The loop does not know where tools and files come from: a program brings them. The provider of
//! the model, its options and its prices are the same for all programs, and belong here too.

mod agent;
mod cache;
mod calls;
mod compaction;
mod conversation;
pub mod diagnostic;
mod exchange;
pub mod history;
mod journal;
mod layers;
mod limits;
mod observer;
mod options;
mod outcome;
mod program;
mod prompt;
mod provider;
mod session;
mod settings;
mod state;
mod tools;

pub use agent::{Agent, AgentParts, RunEnd};
pub use cache::{CacheRecord, CacheUse};
pub use cogtools_http::runtime;
pub use conversation::{Conversation, OpenCall, Turn};
pub use journal::Journal;
pub use layers::Layers;
pub use limits::{Budget, Ledger, LoopGuard, Price, Repetition, Spent, share_money};
pub use observer::{
    Activity, Answer, CallScope, Observer, ProgramAnswer, ProgramQuestion, Question, Relay, Silent,
};
pub use options::{
    BudgetArgs, ModelArgs, ModelOptions, TapeArgs, budget_of, read_limits, stable_seed,
};
pub use outcome::denial;
pub use prompt::{
    FileReference, InstructionFile, Instructions, Prompt, RequestOptions, Situation, StaticLayer,
    dynamic_changes, render_dynamic, render_static, sent_dynamic, task_of_user, with_types,
};
pub use provider::{Connection, ModelFacts, Provider, Requests, connect, facts, recorded_model};
pub use session::{
    begin_session, begin_tool_session, check_session_owner, create_session, locate_session,
    log_options, session_at, session_named, session_store,
};
pub use settings::{HistorySettings, Permissions, Settings, ToolTraits, call_rules};
pub use state::{Fixed, State};
pub use tools::{
    AgentTool, CallResult, ReadyCall, Tools, WaitingCall, declarations, load_tools, not_found,
    ready_call,
};
