//! An agent: a model that can call tools, in a loop that is logged, bounded and approved.
//!
//! Nothing here knows where tools, models or files come from: a program brings them.

mod agent;
mod answer_call;
mod answered;
mod budget;
mod cache;
mod calls;
mod compaction;
mod conversation;
pub mod diagnostic;
mod ending;
pub mod history;
mod instructions;
mod journal;
mod layers;
mod loop_guard;
mod observer;
mod permission;
mod respond;
mod results;
mod scope;
mod sendable;
mod settings;
mod state;
mod todos;
mod tools;
mod turn;
mod waiting;

pub use agent::{Agent, AgentParts, RunEnd};
pub use budget::{Budget, Ledger, Price, Spent};
pub use cache::{CacheRecord, CacheUse};
pub use conversation::{Conversation, OpenCall, Turn};
pub use instructions::{
    FileReference, InstructionFile, Instructions, STATIC_TEMPLATE, Situation, TemplateError,
    render_dynamic, render_static,
};
pub use journal::Journal;
pub use layers::{BufferedLayer, DynamicLayer, Prompt, RequestOptions, StaticLayer, TriggerLayer};
pub use loop_guard::{LoopGuard, Repetition};
pub use observer::{Activity, Answer, Observer, Question, Silent};
pub use permission::{Permissions, ToolTraits};
pub use scope::{CallScope, Relay};
pub use settings::{HistorySettings, Settings};
pub use state::{Fixed, State};
pub use tools::{AgentTool, CallResult, ReadyCall, Tools, declarations};
