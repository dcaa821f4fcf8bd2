//! The model of a tool, from its YAML file to its output.
//!
//! This crate does not depend on the command line, the current directory or the process
//! environment: it takes paths, bytes and maps, so that every program and every later
//! host shares the same model.

pub mod approval;
pub mod arguments;
mod budget;
pub mod config;
mod context;
mod declaration;
mod filter;
mod level;
mod lock;
pub mod media;
mod name;
mod person;
mod progress;
mod registry;
pub mod resident;
pub mod sandbox;
mod search;
pub mod source;
pub mod todo;
pub mod tool;
pub mod trust;

pub use cogtools_document::{
    Actual, Code, Diagnostic, Expected, FailedCall, Hint, Location, Omission, OmissionReason,
    Rejected, Violation, ViolationKind, estimate_tokens, fail_on, file, hint, invisible, json,
    pluralize, pointer, quoted, quoted_or, schema, size, suggest, text, yaml,
};
pub use cogtools_process::{
    Cancel, EnvPriority, Environment, Project, cached, containment, digest, environment, http,
    javascript, lexical, owner, process, shebang, store,
};

pub use budget::{Budget, BudgetError, Cost, Selection, Uses};
pub use config::options::{
    AskConfig, AskHistory, AskProvider, ConfigFile, Never, Options, PromptConfig, Threshold,
};
pub use config::{Config, ConfigPaths, Origin, Setting};
pub use context::{
    Background, CallContext, CallRules, Context, Fixture, ListContext, ListWait, Tape, Warnings,
};
pub use declaration::{HostLimit, Target};
pub use filter::{Filter, Pattern};
pub use level::{Level, RuleLevel};
pub use lock::{Change, Lock, LockedTools, Snapshot};
pub use name::{Name, NameError};
pub use person::{PausedFlow, Person, Question};
pub use progress::{Progress, ProgressUpdate};
pub use registry::{
    Call, FindError, Found, Limit, Loaded, Registry, Shadowed, at_once, load_all, parallel,
};
pub use resident::Resident;
pub use search::ToolIndex;
pub use source::{Candidate, Folder, Source, SourceError};
pub use tool::{Tool, ToolOutput};
