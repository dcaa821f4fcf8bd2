//! What a tool is, from its YAML file to its answer.
//!
//! This crate knows neither command lines nor the current directory nor the
//! process environment: it takes paths, bytes and maps, so that every program
//! (and every later host) stands on the same idea of a tool.

pub mod arguments;
mod budget;
mod code;
mod config;
mod declaration;
pub mod environment;
mod fault;
mod filter;
pub mod implementation;
mod index;
pub mod invisible;
mod json;
mod level;
mod lock;
mod name;
mod place;
mod plural;
pub mod process;
mod project;
mod registry;
pub mod schema;
pub mod shebang;
pub mod source;
pub mod suggest;
mod surroundings;
mod takes;
pub mod text;
pub mod tool;
pub mod trust;
mod violation;
pub mod yaml;

pub use budget::{Budget, BudgetError, Selection};
pub use code::Code;
pub use config::{Config, ConfigError, Origin, Places, Setting};
pub use declaration::Target;
pub use environment::{EnvPriority, Environment};
pub use fault::Fault;
pub use filter::{Filter, Pattern};
pub use implementation::Answer;
pub use index::Index;
pub use level::{Level, RuleLevel};
pub use lock::{Lock, Survey};
pub use name::{Name, NameError};
pub use place::Place;
pub use plural::pluralize;
pub use project::Project;
pub use registry::{FindError, Found, Registry, load_all};
pub use source::{Folder, Listed, Source, SourceError};
pub use surroundings::{Cancel, Surroundings};
pub use tool::Tool;
pub use violation::Violation;
