//! The settings of a run: the command line over the configuration.

use cogtools_agent::stable_seed;
use cogtools_agent::{Conversation, Permissions, RequestOptions, Settings};
use cogtools_core::{AskConfig, Code, Diagnostic};
use cogtools_model::{Content, Generation, Part};
use cogtools_program::Failure;

use crate::answer_schema::AnswerSchema;
use crate::args::AskArgs;
use crate::configuration;
use crate::project_tools::ProjectTools;

/// What to do without prices.
const PRICES: &str = "name a file with prices in the key `ask.prices` of your own configuration";

/// The settings of a run. Each task has its own [`seed`].
pub(crate) fn settings(
    args: &AskArgs,
    ask: &AskConfig,
    schema: Option<&AnswerSchema>,
    tools: &ProjectTools,
) -> Result<Settings, Failure> {
    let model = args.model.model()?;
    let generation = Generation {
        temperature: args.model.temperature,
        max_output_tokens: args.model.max_tokens,
        response_json_schema: schema.map(AnswerSchema::to_value),
        include_thoughts: args.verbose,
        ..Generation::default()
    };
    let facts = cogtools_agent::facts(ask, &model)?;
    if args.model.budget.money.is_some() && facts.price.is_none() {
        let message = "a limit of money needs the prices of the model";
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(model);
        return Err(diagnostic.hint(PRICES).into());
    }
    Ok(Settings {
        request: RequestOptions {
            model,
            generation,
            ..RequestOptions::default()
        },
        permissions: permissions(args, ask, tools),
        price: facts.price,
        history: configuration::history(ask.history, facts.context),
        ..Settings::default()
    })
}

/// Which calls may run.
pub(crate) fn permissions(args: &AskArgs, ask: &AskConfig, tools: &ProjectTools) -> Permissions {
    let both = |one: &[String], other: &[String]| [one, other].concat();
    Permissions {
        allow: both(&args.allow, &ask.allow),
        deny: both(&args.deny, &ask.deny),
        ask: configuration::asking(&ask.ask, &args.allow, tools.names()),
    }
}

/// The seed of the requests for `task`, or for the last one of `conversation` if that is empty.
/// The same task gets the same one: a hash of the model and the task (FNV-1a), unless the command
/// line names another.
pub(crate) fn seed(args: &AskArgs, model: &str, task: &[Part], conversation: &Conversation) -> i32 {
    let last = conversation.last_task().map(Content::parts);
    let task = if task.is_empty() {
        last.unwrap_or_default()
    } else {
        task
    };
    args.model.seed.unwrap_or_else(|| stable_seed(model, task))
}
