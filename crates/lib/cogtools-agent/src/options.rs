//! The options about the model and the limits of a run, and the configuration below them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, value_parser};
use cogtools_core::tool::AgentBudget;
use cogtools_core::{AskConfig, Code, Diagnostic, lexical};
use cogtools_model::{Generation, Part};
use cogtools_program::args::parse;
use cogtools_program::{Failure, Io};

use crate::Budget;
use crate::provider::{DEFAULT_MODEL, Provider};

/// The limits of a run.
pub(crate) const LIMITS: [&str; 5] = ["turns", "calls", "tokens", "seconds", "money"];

/// The options that select the model.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct ModelArgs {
    /// The API of the model; openai and anthropic are any compatible server, also on this machine
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Provider::NAMES))]
    #[arg(default_value = Provider::NAMES[0])]
    provider: String,
    /// The model
    #[arg(short, long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// The variation of answers, from 0 to 2
    #[arg(long, value_name = "NUMBER", value_parser = temperature, allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// The limit of tokens of a response
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Makes answers repeatable, as far as the provider can
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    seed: Option<i32>,
    /// Send the key to a server on another machine that has no encryption
    #[arg(long)]
    insecure: bool,
}

/// Reads a temperature.
fn temperature(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok();
    let number = number.filter(|number| (0.0..=2.0).contains(number));
    number.ok_or("a number from 0 to 2")
}

/// The option with the limits of a run.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct BudgetArgs {
    /// End the run before it exceeds this: turns, calls, tokens, seconds or money
    #[arg(long, value_name = "LIMIT=NUMBER")]
    budget: Vec<String>,
}

/// The options about recorded responses.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct TapeArgs {
    /// Record the model's responses and the results of calls in FILE; with --replay, `missing` adds
    /// those that are missing there
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Answer from recorded responses and results, without a network
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

impl TapeArgs {
    /// Fails unless a tape that is replayed is recorded only where it has gaps.
    fn check(&self) -> Result<(), Failure> {
        let is_missing = |path: &PathBuf| path.as_os_str() == "missing";
        match (&self.replay, &self.record) {
            (Some(_), Some(record)) if !is_missing(record) => {
                let message = "--replay and --record exclude each other";
                let hint = "`--record missing` adds what the recording lacks";
                Err(Diagnostic::new(Code::Usage, message).hint(hint).into())
            }
            _ => Ok(()),
        }
    }
}

/// The options about the model, over the configuration.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// Whose API answers.
    pub provider: Provider,
    /// True if the command line names it.
    has_provider: bool,
    /// The name of the model, if one is named.
    pub name: Option<String>,
    /// The variation of answers, from 0 to 2.
    pub temperature: Option<f64>,
    /// The limit of tokens of a response.
    pub max_tokens: Option<u32>,
    /// Makes answers repeatable.
    pub seed: Option<i32>,
    /// True if the key may be sent without encryption.
    pub(crate) insecure: bool,
    /// The limits of the run.
    pub budget: Budget,
    /// The limits of the command line, as words.
    limits: Vec<String>,
    /// Where the provider is reached, as the configuration says.
    pub(crate) base_url: Option<String>,
    /// The file in which responses are recorded.
    pub record: Option<PathBuf>,
    /// The file from which responses are replayed.
    pub replay: Option<PathBuf>,
}

impl ModelOptions {
    /// Reads [`ModelArgs`], [`BudgetArgs`] and [`TapeArgs`].
    ///
    /// # Errors
    /// `USAGE` if a limit is none.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let limits: BudgetArgs = parse(matches)?;
        let tapes: TapeArgs = parse(matches)?;
        tapes.check()?;
        Ok(Self {
            budget: read_limits(&limits.budget, &LIMITS, Budget::default())?,
            limits: limits.budget,
            record: tapes.record,
            replay: tapes.replay,
            ..Self::of_model(matches)?
        })
    }

    /// Reads [`ModelArgs`] alone.
    ///
    /// # Errors
    /// `INTERNAL` if the command line has none.
    pub fn of_model(matches: &ArgMatches) -> Result<Self, Failure> {
        let args: ModelArgs = parse(matches)?;
        Ok(Self {
            provider: args.provider.parse().unwrap_or_default(),
            has_provider: matches.value_source("provider") == Some(ValueSource::CommandLine),
            name: args.model,
            temperature: args.temperature,
            max_tokens: args.max_tokens,
            seed: args.seed,
            insecure: args.insecure,
            ..Self::default()
        })
    }

    /// Fills in what the command line leaves out.
    pub fn configure(&mut self, ask: &AskConfig) -> Result<(), Failure> {
        let provider = ask.provider.unwrap_or_default();
        if !self.has_provider {
            self.provider = provider;
        }
        let typed = self.name.take();
        let typed = typed.map(|name| ask.typed_model(&name).to_owned());
        // A model and a server are of the provider that the configuration names.
        if self.provider == provider {
            let model = ask.model.as_deref().map(|name| ask.model_of(name));
            self.name = typed.or(model.map(str::to_owned));
            self.base_url.clone_from(&ask.base_url);
        } else {
            self.name = typed;
        }
        self.temperature = self.temperature.or(ask.temperature);
        self.seed = self.seed.or(ask.seed);
        self.max_tokens = self.max_tokens.or(ask.max_tokens);
        self.budget = read_limits(&self.limits, &LIMITS, budget_of(ask.budget))?;
        Ok(())
    }

    /// Fails if the tape that is recorded would be the file of the `session`, too.
    ///
    /// # Errors
    /// `USAGE`.
    pub fn check_session(&self, session: Option<&Path>, io: &Io<'_>) -> Result<(), Failure> {
        let full = |path: &Path| {
            let path = lexical(&io.cwd.join(path));
            path.canonicalize().unwrap_or(path)
        };
        match (session, &self.record) {
            (Some(session), Some(record)) if full(session) == full(record) => {
                let message = "--session and --record name the same file";
                let hint = "name another file with --record";
                Err(Diagnostic::new(Code::Usage, message).hint(hint).into())
            }
            _ => Ok(()),
        }
    }

    /// The settings of an answer, with `seed` unless another is named.
    pub fn generation(&self, seed: impl FnOnce() -> Option<i32>) -> Generation {
        Generation {
            temperature: self.temperature,
            seed: self.seed.or_else(seed),
            max_output_tokens: self.max_tokens,
            ..Generation::default()
        }
    }

    /// The name of the model to use.
    pub fn model(&self) -> Result<String, Failure> {
        match (&self.name, self.provider) {
            (Some(model), _) => Ok(model.clone()),
            (None, Provider::Gemini) => Ok(DEFAULT_MODEL.to_owned()),
            (None, provider) => {
                let diagnostic = Diagnostic::new(Code::Usage, "no model is named");
                let name: &str = provider.into();
                let hint = format!(
                    "name one with --model; cogtools ask --provider {name} --models lists them"
                );
                Err(diagnostic.hint(hint).into())
            }
        }
    }
}

/// Reads the `words` of `--budget`, such as `turns=10`, over the limits in `budget`. `names` are the
/// limits that there are; the first one is of turns.
///
/// # Errors
/// `USAGE` for a word that is no limit.
pub fn read_limits(
    words: &[String],
    names: &[&str],
    mut budget: Budget,
) -> Result<Budget, Failure> {
    let mut set = |word: &str| {
        let (limit, number) = word.split_once('=')?;
        match limit {
            limit if !names.contains(&limit) => return None,
            "calls" => budget.calls = Some(number.parse().ok()?),
            "tokens" => budget.tokens = Some(number.parse().ok()?),
            "seconds" => budget.time = Some(Duration::from_secs(number.parse().ok()?)),
            "money" => {
                let amount = number.parse().ok();
                let amount = amount.filter(|it: &f64| it.is_finite() && *it >= 0.0);
                budget.money = Some(amount?);
            }
            _ => budget.turns = Some(number.parse().ok()?),
        }
        Some(())
    };
    match words.iter().find(|word| set(word).is_none()) {
        None => Ok(budget),
        Some(word) => {
            let message = format!("invalid value '{word}' for '--budget <LIMIT=NUMBER>'");
            let (all, last) = names.split_at(names.len() - 1);
            let (all, last) = (all.join(", "), last.concat());
            let hint = format!("limits are {all} and {last}, such as {}=20", names[0]);
            Err(Diagnostic::new(Code::Usage, message).hint(hint).into())
        }
    }
}

/// Returns the limits of a run, from the limits in a file.
pub const fn budget_of(budget: AgentBudget) -> Budget {
    Budget {
        turns: budget.turns,
        calls: budget.calls,
        tokens: budget.tokens,
        time: match budget.seconds {
            Some(seconds) => Some(Duration::from_secs(seconds)),
            None => None,
        },
        money: budget.money,
    }
}

/// The seed of the same task for the same model: a hash of both (FNV-1a).
pub fn stable_seed(model: &str, task: &[Part]) -> i32 {
    let mut text = model.to_owned();
    for part in task {
        text += "\n";
        text += &serde_json::to_string(part.fields()).unwrap_or_default();
    }
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // Providers take a signed number; its sign says nothing.
    i32::try_from(hash >> 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_the_budget_are_those_of_the_loop() {
        assert_eq!(budget_of(AgentBudget::STANDARD), Budget::default());
    }
}
