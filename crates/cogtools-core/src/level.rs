//! How much a rule of the linter weighs, and what a project says of it.

use crate::Location;

/// How much a rule weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is not looked at.
    Off,
    /// It is shown.
    Warn,
    /// It is shown and makes the run fail.
    Error,
}

/// What a project's configuration says of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleLevel {
    /// The rule's name; whether there is such a rule is for the linter to say.
    pub rule: String,
    /// How much it weighs here.
    pub level: Level,
    /// Where the rule is named.
    pub location: Location,
}

impl Level {
    /// The names as a configuration writes them.
    pub const NAMES: [&'static str; 3] = ["off", "warn", "error"];

    /// The level of that name.
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
