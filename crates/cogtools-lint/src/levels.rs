//! What each rule weighs in a project.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Fault, Level, RuleLevel};

use crate::rule::Rule;
use crate::rules::{find, rules};

/// What each rule weighs.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    set: Vec<(&'static str, Level)>,
}

impl Levels {
    /// The rules' own weights, changed by what a configuration says. A rule that
    /// does not exist is a fault: the line would do nothing.
    pub fn new(configured: &[RuleLevel]) -> Result<Self, Vec<Fault>> {
        let mut levels = Self::default();
        let mut faults = Vec::new();
        for one in configured {
            match find(&one.rule) {
                Some(rule) => levels.set(rule, one.level),
                None => faults.push(unknown_rule(&one.rule).at(one.place.clone())),
            }
        }
        if faults.is_empty() {
            Ok(levels)
        } else {
            Err(faults)
        }
    }

    /// Sets one rule.
    pub fn set(&mut self, rule: &Rule, level: Level) {
        self.set.push((rule.name, level));
    }

    /// What `rule` weighs.
    pub fn level_of(&self, rule: &Rule) -> Level {
        let set = self.set.iter().rev().find(|(name, _)| *name == rule.name);
        set.map_or(rule.level, |(_, level)| *level)
    }
}

fn unknown_rule(name: &str) -> Fault {
    let fault = Fault::new(Code::InvalidConfig, format!("there is no rule `{name}`"));
    let meant = did_you_mean(name, rules().map(|rule| rule.name));
    fault.hint(meant.unwrap_or_else(|| "`cogtools lint --explain all` names the rules".into()))
}
