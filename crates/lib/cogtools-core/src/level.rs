//! The levels of the linter's rules, and how a project configures them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Location;

/// The level of a rule.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    JsonSchema,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// The rule is off.
    Off,
    /// Findings are advice: reported, and never fail a run.
    Note,
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
    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
