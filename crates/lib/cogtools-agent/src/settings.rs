//! The settings of a run, and the rules that decide which calls may run.

use cogtools_core::tool::{Annotations, Author, FlowNode};
use cogtools_core::{AskConfig, AskHistory, CallRules, Pattern, Threshold, Tool};
use cogtools_log::{Approval, Decision, Why};
use cogtools_model::{Generation, RetryPolicy};
use serde_json::Value;

use crate::{ModelFacts, Price, RequestOptions};

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The model and how it answers.
    pub request: RequestOptions,
    /// Which calls may run.
    pub permissions: Permissions,
    /// When to send again.
    pub retry: RetryPolicy,
    /// The price of tokens, if it is known.
    pub price: Option<Price>,
    /// Selection of the conversation that is sent.
    pub history: HistorySettings,
    /// The JSON Schema of an answer that is the arguments of a call, which the model has to make.
    /// It then makes no other calls. A model that cannot make calls is asked for JSON.
    pub answer_call: Option<Value>,
}

impl Settings {
    /// The settings of a run with `model`, about which `facts` are known.
    pub fn new(
        model: String,
        generation: Generation,
        facts: ModelFacts,
        config: &AskConfig,
    ) -> Self {
        Self {
            request: RequestOptions {
                model,
                generation,
                ..RequestOptions::default()
            },
            price: facts.price,
            history: HistorySettings::of(config.history, facts.context),
            ..Self::default()
        }
    }
}

/// Limits of the conversation that is sent and cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// Number of newest tool results that stay whole when old ones are shortened.
    pub whole_results: usize,
    /// After how many further tasks a result is old.
    pub result_tasks: usize,
    /// The number of tokens that are not cached from which a cache pays off. `None`: no caches.
    pub cache_threshold: Option<u64>,
    /// Lifetime of a cache, in seconds.
    pub cache_ttl: u32,
    /// The number of tokens of a request from which old results are shortened and, if that is not
    /// enough, old turns are summarised.
    pub compact_at: Option<u64>,
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self {
            whole_results: 30,
            result_tasks: 3,
            cache_threshold: Some(20_000),
            cache_ttl: 900,
            compact_at: Some(400_000),
        }
    }
}

impl HistorySettings {
    /// Reads the configuration of a model that reads `context` tokens, if that is known.
    pub fn of(history: AskHistory, context: Option<u64>) -> Self {
        let standard = Self::default();
        let tokens = |threshold: Option<Threshold>, standard| match threshold {
            Some(Threshold::Tokens(tokens)) => Some(tokens),
            Some(Threshold::Off(_)) => None,
            None => standard,
        };
        // A summary is made while there is room for it.
        let half = context.map(|context| context / 2);
        Self {
            whole_results: history.whole_results.unwrap_or(standard.whole_results),
            result_tasks: history.result_tasks.unwrap_or(standard.result_tasks),
            cache_threshold: tokens(history.cache_threshold, standard.cache_threshold),
            cache_ttl: history.cache_ttl.unwrap_or(standard.cache_ttl),
            compact_at: tokens(history.compact_at, half.or(standard.compact_at)),
        }
    }
}

/// Traits of a tool that decide about its calls, apart from its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait")]
pub struct ToolTraits {
    /// The hints of its file.
    pub annotations: Annotations,
    /// It runs no program, and calls no tool that may: a template, code in a sandbox, or a flow of
    /// these.
    pub is_pure: bool,
    /// A package or a provider brings it.
    pub is_foreign: bool,
    /// It runs a program: each call in it is decided about, and a run that was interrupted goes on
    /// from the session.
    pub is_program: bool,
    /// Calls of it are not counted: a budget is about other calls.
    pub is_uncounted: bool,
    /// The configuration of its source says that each call needs an answer.
    pub asks: bool,
}

impl ToolTraits {
    /// Reads the traits of `tool`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            annotations: tool.annotations,
            is_pure: !tool.runs_programs()
                && tool
                    .flow()
                    .is_none_or(|flow| flow.nodes().iter().all(FlowNode::is_pure)),
            is_foreign: matches!(
                tool.provenance.author,
                Author::Package(_) | Author::Provider
            ),
            is_program: false,
            is_uncounted: false,
            asks: tool.asks(),
        }
    }

    /// Returns true if calls of it can run at the same time as others.
    pub fn is_parallel(&self) -> bool {
        self.is_pure || self.annotations.read_only == Some(true)
    }

    /// Returns true if a call of it can run again when it is not known whether it has run.
    pub fn is_repeatable(&self) -> bool {
        self.is_parallel() || self.is_program || self.annotations.idempotent == Some(true)
    }
}

/// The first of `rules` that matches the tool `name`.
fn rule_for<'r>(name: &str, rules: &'r [String]) -> Option<&'r str> {
    let mut rules = rules.iter().map(String::as_str);
    rules.find(|rule| Pattern::new(rule).matches(name))
}

/// Combines the rules of a configuration with the patterns of tools that a command line allows and
/// denies, for what nobody can be asked about: the calls of a flow.
pub fn call_rules(config: &AskConfig, (allow, deny): (&[String], &[String])) -> CallRules {
    CallRules {
        deny: [deny, &config.deny].concat(),
        ask: config.ask.clone(),
        granted: allow.to_vec(),
    }
}

/// The rules of a user: patterns of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Calls of these never run.
    pub deny: Vec<String>,
    /// Calls of these need an answer.
    pub ask: Vec<String>,
    /// Calls of these run without a question.
    pub allow: Vec<String>,
    /// Patterns of the command line, whose tools need no question even if their source says
    /// `ask: true`.
    pub granted: Vec<String>,
}

impl Permissions {
    /// The rule of a source that says that calls of its tools need an answer.
    const OF_SOURCE: &str = "ask: true";

    /// Combines the rules of the configuration with the rules of a command line, which wins: a tool that
    /// it allows needs no question. `names` are the names of all tools.
    pub fn new<'n>(
        config: &AskConfig,
        allow: &[String],
        deny: &[String],
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let CallRules { deny, ask, granted } = call_rules(config, (allow, deny));
        let asks = |name: &&str| rule_for(name, &ask).is_some() && rule_for(name, allow).is_none();
        Self {
            allow: [allow, &config.allow].concat(),
            granted,
            deny,
            ask: if allow.is_empty() {
                ask
            } else {
                names.filter(asks).map(str::to_owned).collect()
            },
        }
    }

    /// Makes the rules for what nobody can be asked about, as [`call_rules`] does.
    pub fn rules(&self) -> CallRules {
        CallRules {
            deny: self.deny.clone(),
            ask: self.ask.clone(),
            granted: self.granted.clone(),
        }
    }

    /// Returns true if a call of the tool `name` may run.
    ///
    /// A rule of the user decides first: one that denies, one that asks, also one of the tool's source,
    /// one that allows. Then a tool that may destroy something, reaches an open world or runs a program
    /// of others needs an answer. A program, and what is pure or changes nothing, is allowed.
    /// Everything else needs an answer.
    pub fn decide(&self, name: &str, tool: &ToolTraits) -> Approval {
        let asks = tool.asks && rule_for(name, &self.granted).is_none();
        let rules = [
            (rule_for(name, &self.deny), Decision::Denied),
            (rule_for(name, &self.ask), Decision::Asked),
            (asks.then_some(Self::OF_SOURCE), Decision::Asked),
            (rule_for(name, &self.allow), Decision::Allowed),
        ];
        for (rule, decision) in rules {
            if let Some(rule) = rule {
                return Approval::by_rule(decision, rule);
            }
        }
        let hints = tool.annotations;
        let (decision, why) = if tool.is_program {
            (Decision::Allowed, Why::Default)
        } else if hints.destructive == Some(true) {
            (Decision::Asked, Why::Destructive)
        } else if hints.open_world == Some(true) {
            (Decision::Asked, Why::OpenWorld)
        } else if tool.is_pure {
            (Decision::Allowed, Why::Pure)
        } else if tool.is_foreign {
            (Decision::Asked, Why::Foreign)
        } else if hints.read_only == Some(true) {
            (Decision::Allowed, Why::ReadOnly)
        } else {
            (Decision::Asked, Why::Default)
        };
        Approval::new(decision, why)
    }
}

#[cfg(test)]
mod tests {
    use cogtools_core::Never;

    use super::*;

    #[test]
    fn a_summary_is_made_when_half_of_the_context_is_full() {
        let compact_at = |compact_at, context| {
            let history = AskHistory {
                compact_at,
                ..AskHistory::default()
            };
            HistorySettings::of(history, context).compact_at
        };
        assert_eq!(compact_at(None, None), Some(400_000));
        assert_eq!(compact_at(None, Some(100_000)), Some(50_000));
        assert_eq!(compact_at(Some(Threshold::Tokens(7)), Some(9)), Some(7));
        assert_eq!(compact_at(Some(Threshold::Off(Never::Off)), Some(9)), None);
    }

    #[test]
    fn a_source_asks_unless_the_command_line_allows() {
        let traits = ToolTraits {
            is_pure: true,
            asks: true,
            ..ToolTraits::default()
        };
        let (one, config) = (["greet".to_owned()], AskConfig::default());
        let names = || one.iter().map(String::as_str);
        let asked = Permissions::new(&config, &[], &[], names());
        let own = AskConfig {
            allow: one.to_vec(),
            ..AskConfig::default()
        };
        let own = Permissions::new(&own, &[], &[], names());
        let granted = Permissions::new(&config, &one, &[], names());
        let decided = [asked, own, granted].map(|it| it.decide("greet", &traits).decision);
        assert_eq!(
            decided,
            [Decision::Asked, Decision::Asked, Decision::Allowed]
        );
    }

    #[test]
    fn what_the_command_line_allows_is_not_asked() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let names = ["greet", "git_log", "git_push"];
        let check = |ask: &[&str], allow: &[&str], expected: &[&str]| {
            let (ask, allow): (Vec<String>, Vec<String>) = (texts(ask), texts(allow));
            let config = AskConfig {
                ask,
                ..AskConfig::default()
            };
            let expected: Vec<String> = texts(expected);
            let permissions = Permissions::new(&config, &allow, &[], names.into_iter());
            assert_eq!(permissions.ask, expected);
        };
        check(&["*"], &[], &["*"]);
        check(&["*"], &["greet"], &["git_log", "git_push"]);
        check(&["git_push"], &["git_*"], &[]);
        check(&["git_*"], &["git_log"], &["git_push"]);
    }
}
