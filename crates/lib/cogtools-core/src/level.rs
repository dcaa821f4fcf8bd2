//! The levels of the linter's rules, and how a project configures them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Location;

/// The level of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The rule is off.
    Off,
    /// Findings are reported.
    Warn,
    /// Findings are reported and fail the run.
    Error,
}

/// The configured level of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleLevel {
    /// The rule's name, which the linter validates.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// The location in the configuration.
    pub location: Location,
}

impl Level {
    /// The names in the configuration.
    pub const NAMES: [&'static str; 3] = ["off", "warn", "error"];

    /// The level with that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "warn" => Some(Self::Warn),
            "error" => Some(Self::Error),
            _ => None,
        }
    }

    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}
