//! The level of each rule in a project.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Level, RETIRED_LINT_RULES, RuleLevel};

use crate::rule::Rule;
use crate::rules::{INVALID_TOOL, find, rules};

/// The level of each rule.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    overrides: Vec<(&'static str, Level)>,
}

impl Levels {
    /// The default levels, changed by those that are `configured`. A rule that does
    /// not exist is an error: the line would have no effect.
    pub fn new(configured: &[RuleLevel]) -> Result<Self, Vec<Diagnostic>> {
        let mut levels = Self::default();
        let mut diagnostics = Vec::new();
        for one in configured {
            match find(&one.rule) {
                Some(rule) if rule.name == INVALID_TOOL && one.level != Level::Error => {
                    let message = format!("`{INVALID_TOOL}` is always an error");
                    let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
                    let hint = "correct the file, or move it out of the folders of tools";
                    diagnostics.push(diagnostic.hint(hint).at(one.location.clone()));
                }
                Some(rule) => levels.set(rule, one.level),
                None if RETIRED_LINT_RULES.contains(&one.rule.as_str()) => {}
                None => diagnostics.push(unknown_rule(&one.rule).at(one.location.clone())),
            }
        }
        if diagnostics.is_empty() {
            Ok(levels)
        } else {
            Err(diagnostics)
        }
    }

    /// Sets the level of one rule.
    pub fn set(&mut self, rule: &Rule, level: Level) {
        self.overrides.push((rule.name, level));
    }

    /// The level of `rule`.
    pub fn level_of(&self, rule: &Rule) -> Level {
        self.overrides
            .iter()
            .rev()
            .find(|(name, _)| *name == rule.name)
            .map_or(rule.level, |(_, level)| *level)
    }
}

fn unknown_rule(name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::InvalidConfig, format!("there is no rule `{name}`"));
    let suggestion = did_you_mean(name, rules().map(|rule| rule.name));
    diagnostic
        .hint(suggestion.unwrap_or_else(|| "`cogtools lint --explain all` lists the rules".into()))
}
