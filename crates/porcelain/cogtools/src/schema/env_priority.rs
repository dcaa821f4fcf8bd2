//! The shape of the key `env_priority` in a configuration.

use schemars::JsonSchema;

/// Which value of a variable wins.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum EnvPriority {
    /// The value in the project's .env.
    Project,
    /// The value in the environment.
    Process,
}
