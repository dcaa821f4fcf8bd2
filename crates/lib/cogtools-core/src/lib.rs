//! The model of a tool, from its YAML file to its output.
//!
//! This crate does not depend on the command line, the current directory or the process
//! environment: it takes paths, bytes and maps, so that every program and every later
//! host shares the same model.

pub mod approval;
pub mod arguments;
mod budget;
mod cached;
mod cancel;
mod code;
pub mod config;
pub mod containment;
mod context;
mod declaration;
mod diagnostic;
pub mod digest;
pub mod environment;
mod expected;
pub mod file;
mod filter;
pub mod hint;
pub mod http;
pub mod invisible;
pub mod javascript;
mod json;
mod level;
mod location;
mod lock;
pub mod media;
mod name;
mod omission;
pub mod owner;
mod person;
mod plural;
pub mod pointer;
pub mod process;
mod progress;
mod project;
mod registry;
pub mod resident;
pub mod sandbox;
pub mod schema;
mod search;
pub mod shebang;
pub mod size;
pub mod source;
pub mod store;
pub mod suggest;
pub mod text;
pub mod todo;
mod token_estimate;
pub mod tool;
pub mod trust;
pub mod yaml;

pub use budget::{Budget, BudgetError, Cost, Selection, Uses};
pub use cancel::Cancel;
pub use code::Code;
pub use config::options::{
    AskConfig, AskHistory, AskProvider, ConfigFile, Never, Options, PromptConfig, Threshold,
};
pub use config::{Config, ConfigPaths, Origin, Setting};
pub use context::{
    Background, CallContext, Context, Fixture, ListContext, ListWait, Tape, Warnings,
};
pub use declaration::{HostLimit, Target};
pub use diagnostic::{Diagnostic, FailedCall};
pub use environment::{EnvPriority, Environment};
pub use expected::{Actual, Expected};
pub use filter::{Filter, Pattern};
pub use hint::Hint;
pub use level::{Level, RuleLevel};
pub use location::Location;
pub use lock::{Change, Lock, LockedTools, Snapshot};
pub use name::{Name, NameError};
pub use omission::{Omission, OmissionReason, Rejected};
pub use person::{PausedFlow, Person, Question};
pub use plural::pluralize;
pub use progress::{Progress, ProgressUpdate};
pub use project::{Project, lexical};
pub use registry::{Call, FindError, Found, Limit, Loaded, Registry, Shadowed, load_all, parallel};
pub use resident::Resident;
pub use schema::{Violation, ViolationKind};
pub use search::ToolIndex;
pub use source::{Candidate, Folder, Source, SourceError};
pub use token_estimate::estimate_tokens;
pub use tool::{Tool, ToolOutput};
