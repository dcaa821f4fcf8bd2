//! What each rule weighs in a project.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Level, RuleLevel};

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
    pub fn new(configured: &[RuleLevel]) -> Result<Self, Vec<Diagnostic>> {
        let mut levels = Self::default();
        let mut diagnostics = Vec::new();
        for one in configured {
            match find(&one.rule) {
                Some(rule) => levels.set(rule, one.level),
                None => diagnostics.push(unknown_rule(&one.rule).at(one.location.clone())),
            }
        }
        if diagnostics.is_empty() {
            Ok(levels)
        } else {
            Err(diagnostics)
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

fn unknown_rule(name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::InvalidConfig, format!("there is no rule `{name}`"));
    let meant = did_you_mean(name, rules().map(|rule| rule.name));
    diagnostic.hint(meant.unwrap_or_else(|| "`cogtools lint --explain all` names the rules".into()))
}
