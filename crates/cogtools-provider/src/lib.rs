//! The model that a user means: whose API, which model, with which limits, live or from a tape.
//!
//! Programs that ask a model share this, so that options, variables and configuration mean the
//! same in each of them.

mod connection;
mod limits;
mod options;
mod prices;
mod provider;
mod seed;

pub use connection::{Connection, recorded_model};
pub use limits::{budget_of, limit_name};
pub use options::{ModelOptions, budget_arg, model_args, tape_args};
pub use prices::{ModelFacts, facts};
pub use provider::{Provider, Requests, connect, runtime};
pub use seed::stable_seed;
