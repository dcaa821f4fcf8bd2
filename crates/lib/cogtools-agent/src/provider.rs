//! The provider of the model: whose API answers, live or from a tape, and what its models cost.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

pub use cogtools_core::AskProvider as Provider;
use cogtools_core::environment::is_secret_name;
use cogtools_core::file::{Expected, Mode, ReadError, WriteError, WritePath};
use cogtools_core::text::Text;
use cogtools_core::{AskConfig, Code, ConfigFile, Diagnostic, Pattern, Project, file, yaml};
use cogtools_http::{Client, ClientOptions, PlainHttp, VARIABLES};
use cogtools_log::Timestamp;
use cogtools_model::{
    Anthropic, Endpoint, Gemini, MAX_TAPE_BYTES, Model, ModelError, OpenAi, Recorder, Replay,
    Service, Tape, anthropic, gemini, openai,
};
use cogtools_program::{Failure, Io, dirs, named_file};
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::options::ModelOptions;
use crate::{CallResult, Price, diagnostic};

/// The variables that name the server of each provider, over the configuration.
const BASE_URLS: [&str; 3] = [
    "GOOGLE_GEMINI_BASE_URL",
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
];

/// The longest first line of a tape.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// The model that is used if none is named: the newest fast one.
pub(crate) const DEFAULT_MODEL: &str = "gemini-flash-latest";

/// Connects to the provider that the environment describes.
///
/// # Errors
/// A variable is missing, or only the project's `.env` says which server to use: no other one may
/// get the texts in its place.
pub fn connect(options: &ModelOptions, io: &Io<'_>) -> Result<Box<dyn Model>, Failure> {
    let by_project = |name: &str| {
        let hint = format!(
            "{name} has the value that the project's .env gives it, and a project does not choose \
             it: remove it there, and set it in your shell"
        );
        dirs::is_set_by_dotenv(io, name).then_some(hint)
    };
    let failed = |error: ModelError| {
        let mut diagnostic = diagnostic::diagnostic(&error, options.provider.into());
        if let ModelError::MissingKey { variables } = &error
            && let Some(hint) = variables.iter().find_map(|name| by_project(name))
        {
            diagnostic.hints = vec![hint.into()];
        }
        Failure::from(diagnostic)
    };
    // The first variable besides keys that says where texts go, and is the project's.
    let refused = RefCell::new(None);
    let var = |name: &str| match dirs::trusted_var(io, name) {
        Some(value) => value.to_str().map(str::to_owned),
        None if BASE_URLS.contains(&name) && options.base_url.is_some() => options.base_url.clone(),
        None => {
            let hint = by_project(name).filter(|_| !is_secret_name(name));
            let found = hint.map(|hint| (name.to_owned(), hint));
            refused.replace_with(|first| first.take().or(found));
            None
        }
    };
    let client_options = ClientOptions {
        // A model may think for minutes before it says anything.
        read_timeout: std::time::Duration::from_mins(5),
        ..ClientOptions::from_vars(&dirs::trusted_vars(io, &VARIABLES))
    };
    let server = |service: &'static Service| {
        let endpoint = Endpoint::from_vars(service, var).map_err(failed)?;
        if endpoint.exposes_key() && !options.insecure {
            let message = "the key would be sent without encryption, to another machine";
            let hint = "use https://; --insecure sends it over a network that you trust";
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(service.base_url);
            return Err(Failure::from(diagnostic.hint(hint)));
        }
        // Its default is https: the user has named any other URL, such as one in the LAN.
        let client = Client::new(ClientOptions {
            plain_http: PlainHttp::Any,
            ..client_options.clone()
        });
        Ok((client, endpoint))
    };
    let model: Box<dyn Model> = match options.provider {
        Provider::Gemini => {
            let endpoint = gemini::Endpoint::from_vars(var).map_err(failed)?;
            let client = Client::new(client_options.clone());
            Box::new(Gemini::new(client, endpoint))
        }
        Provider::OpenAi => {
            let (client, endpoint) = server(&openai::SERVICE)?;
            Box::new(OpenAi::new(client, endpoint))
        }
        Provider::Anthropic => {
            let (client, endpoint) = server(&anthropic::SERVICE)?;
            Box::new(Anthropic::new(client, endpoint))
        }
    };
    match refused.take() {
        None => Ok(model),
        Some((name, hint)) => {
            let message = "the server of the model is not known";
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(name);
            Err(diagnostic.hint(hint).into())
        }
    }
}

/// A runtime for requests. It does not wait for what does not end when it is dropped.
#[derive(Debug)]
pub struct Requests(Option<Runtime>);

impl Requests {
    /// Starts it.
    pub fn new() -> Result<Self, Failure> {
        let runtime = cogtools_http::runtime().map_err(|error| *error)?;
        Ok(Self(Some(runtime)))
    }

    /// Waits for `work`; `None` after the end.
    pub fn wait<F: Future>(&self, work: F) -> Option<F::Output> {
        Some(self.0.as_ref()?.block_on(work))
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // A tool that does not end in time must not keep the process.
            runtime.shutdown_background();
        }
    }
}

/// A source of answers.
#[derive(Debug)]
pub enum Connection {
    /// A provider.
    Live(Box<dyn Model>),
    /// A provider whose responses are kept.
    Recorded(Recording),
    /// A tape.
    Replayed(Replay),
}

/// A provider whose responses are kept, and where.
#[derive(Debug)]
pub struct Recording {
    model: Recorder<Box<dyn Model>>,
    path: WritePath,
    display_path: PathBuf,
    time: String,
}

impl Connection {
    /// Connects to what the command line names: `options`. `model` is the name of the model.
    pub fn open(
        options: &ModelOptions,
        model: &str,
        project: &Project,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let secrets = io.secrets().into_iter().map(|(_, value)| value);
        let replay = options.replay.as_ref().map(|path| read_tape(path, io));
        let replay = replay.transpose()?;
        let (time, path, recorder) = match (replay, &options.record) {
            (Some(replay), None) => return Ok(Self::Replayed(replay.masking(secrets))),
            (None, None) => return Ok(Self::Live(connect(options, io)?)),
            (Some(replay), Some(_)) => {
                let secrets: Vec<String> = secrets.collect();
                let (time, path) = (replay.tape().time.clone(), options.replay.as_ref());
                let replay = replay.masking(secrets.clone());
                let recorder = Recorder::missing(connect(options, io)?, replay);
                (time, path, recorder.masking(secrets))
            }
            (None, path) => {
                let time = Timestamp::now().to_string();
                let tape = Tape {
                    time: time.clone(),
                    model: model.to_owned(),
                };
                let recorder = Recorder::new(connect(options, io)?, tape);
                (time, path.as_ref(), recorder.masking(secrets))
            }
        };
        let path = path.ok_or_else(|| Diagnostic::new(Code::Internal, "no tape"))?;
        let recording = Recording {
            model: recorder,
            path: WritePath::in_project(project.root(), &io.cwd.join(path)),
            display_path: path.clone(),
            time,
        };
        recording.check()?;
        Ok(Self::Recorded(recording))
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        match self {
            Self::Live(model) => &**model,
            Self::Recorded(recording) => &recording.model,
            Self::Replayed(replay) => replay,
        }
    }

    /// Runs a call of `tool`, and keeps its result on the tape that is recorded. A tape that has
    /// its result answers instead.
    pub fn call(
        &self,
        tool: &str,
        arguments: Value,
        run: impl FnOnce() -> CallResult,
    ) -> CallResult {
        match self {
            Self::Live(_) => run(),
            Self::Recorded(recording) => {
                let known = recording.model.take_call(tool, arguments.clone());
                let result = known.map_or_else(run, CallResult::from_tape);
                if let Some(tape) = result.to_tape() {
                    recording.model.keep_call(tool, arguments, tape);
                }
                result
            }
            Self::Replayed(replay) => match replay.take_call(tool, arguments) {
                Some(result) => CallResult::from_tape(result),
                None if replay.has_calls() => {
                    let message = "not run: the recording has no result of this call";
                    let diagnostic = Diagnostic::new(Code::ToolFailed, message);
                    CallResult::Failed(vec![diagnostic.with_subject(tool)])
                }
                None => run(),
            },
        }
    }

    /// The time that prompts name: `now`, unless a tape fixes it.
    pub fn time(&self, now: Timestamp) -> String {
        match self {
            Self::Live(_) => now.to_string(),
            Self::Recorded(recording) => recording.time.clone(),
            Self::Replayed(replay) => replay.tape().time.clone(),
        }
    }

    /// Writes the tape.
    pub fn save(&self) -> Result<(), Failure> {
        let Self::Recorded(recording) = self else {
            return Ok(());
        };
        // Another file may have come there meanwhile.
        recording.check_content()?;
        let written = file::write(&recording.path, &recording.model.lines());
        written.map_err(|error| recording.unwritable(&error))
    }
}

impl Recording {
    /// Fails unless the tape can be written where it is wanted, over an older one at most. A model
    /// is paid for before the tape is written.
    fn check(&self) -> Result<(), Failure> {
        self.check_content()?;
        // What is not committed is removed again.
        let written = file::write_temp(&self.path, Expected::Anything, b"", Mode::Data);
        written.map(drop).map_err(|error| self.unwritable(&error))
    }

    /// Fails if there is a file that is no tape.
    fn check_content(&self) -> Result<(), Failure> {
        let name = self.display_path.display();
        let opened = match file::open(&self.path.full(), &self.path.read_scope()) {
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(()),
            opened => opened,
        };
        let mut line = Vec::new();
        let read = opened.and_then(|(file, _)| {
            let mut lines = BufReader::new(file.take(MAX_HEADER_BYTES));
            Ok(lines.read_until(b'\n', &mut line)?)
        });
        read.map_err(|error| {
            let message = format!("`{name}` cannot be a tape: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Failure::from(diagnostic.hint("name another file with --record"))
        })?;
        // Such as one that `mktemp` has made.
        if line.is_empty() {
            return Ok(());
        }
        let tape = Tape::read(&name.to_string(), &line);
        tape.map(drop).map_err(|error| {
            let message = format!("{error}; it is not replaced");
            let diagnostic = Diagnostic::new(diagnostic::code(&error), message);
            diagnostic.hint("name another file with --record").into()
        })
    }

    fn unwritable(&self, error: &WriteError) -> Failure {
        let otherwise = "name another file with --record";
        let diagnostic = error.diagnostic(&self.display_path, "written", otherwise);
        diagnostic.into()
    }
}

/// The model that was asked when the tape at `path` was recorded.
pub fn recorded_model(path: &Path, io: &Io<'_>) -> Result<String, Failure> {
    Ok(read_tape(path, io)?.tape().model.clone())
}

fn read_tape(path: &Path, io: &Io<'_>) -> Result<Replay, Failure> {
    let bytes = named_file::read(path, MAX_TAPE_BYTES, io)?;
    let replay = Replay::new(&path.display().to_string(), &bytes);
    replay.map_err(|error: ModelError| diagnostic::diagnostic(&error, "").into())
}

/// Facts about a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelFacts {
    /// Its price.
    pub price: Option<Price>,
    /// Maximum number of tokens that it reads.
    pub context: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prices {
    /// When they were looked up.
    #[serde(rename = "date")]
    _date: String,
    currency: String,
    models: serde_json::Map<String, Value>,
}

/// Prices are for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelPrices {
    input: f64,
    output: f64,
    /// By default, what is cached costs as much as what is not.
    cached: Option<f64>,
    /// By default, what is written to a cache costs as much as what is not, and more of Claude.
    written: Option<f64>,
    context: Option<u64>,
}

/// Looks `model` up in the configuration.
pub fn facts(ask: &AskConfig, model: &str) -> Result<ModelFacts, Failure> {
    match &ask.prices {
        Some(file) => read_prices(file, model),
        None => Ok(ModelFacts::default()),
    }
}

/// Looks `model` up in `file`: the first name or pattern that matches it counts.
fn read_prices(file: &ConfigFile, model: &str) -> Result<ModelFacts, Failure> {
    let text = Text::read(&file.path, &file.display_path, &file.scope)
        .map_err(|error| Failure::from(error.diagnostic(Code::InvalidConfig)))?;
    let document = yaml::parse(&text)
        .map_err(|error| Failure::from(error.diagnostic(Code::InvalidConfig, &text)))?;
    find(document.to_json(), model).map_err(|error| {
        let message = format!("this is not a file with prices: {error}");
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        let diagnostic = diagnostic.with_subject(file.display_path.display().to_string());
        diagnostic.hint("cogtoolrc(5) shows an example").into()
    })
}

fn find(document: Value, model: &str) -> Result<ModelFacts, serde_json::Error> {
    let prices: Prices = serde_json::from_value(document)?;
    let mut found = ModelFacts::default();
    for (pattern, value) in prices.models {
        let entry: ModelPrices = serde_json::from_value(value)?;
        if found == ModelFacts::default() && Pattern::new(&pattern).matches(model) {
            // Anthropic charges for a write that lives for five minutes.
            let of_writes = if model.contains("claude") { 1.25 } else { 1.0 };
            let price = Price {
                currency: prices.currency.clone(),
                input: entry.input,
                cached: entry.cached.unwrap_or(entry.input),
                written: entry.written.unwrap_or(entry.input * of_writes),
                output: entry.output,
            };
            found = ModelFacts {
                price: Some(price),
                context: entry.context,
            };
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_name_that_matches_counts() {
        let document = json!({
            "date": "2026-11-01",
            "currency": "USD",
            "models": {
                "small": {"input": 0.1, "output": 0.4, "cached": 0.01, "context": 1000},
                "s*": {"input": 1, "output": 4},
                "claude-old": {"input": 4, "output": 20, "written": 8},
                "claude-*": {"input": 4, "output": 20},
            },
        });
        let price = |input, cached, written, output| {
            let currency = "USD".to_owned();
            Some(Price {
                currency,
                input,
                cached,
                written,
                output,
            })
        };
        for (model, price, context) in [
            ("small", price(0.1, 0.01, 0.1, 0.4), Some(1000)),
            ("smart", price(1.0, 1.0, 1.0, 4.0), None),
            ("claude-old", price(4.0, 4.0, 8.0, 20.0), None),
            ("claude-new", price(4.0, 4.0, 5.0, 20.0), None),
            ("other", None, None),
        ] {
            let facts = find(document.clone(), model).expect("valid");
            assert_eq!(facts, ModelFacts { price, context }, "{model}");
        }
    }

    #[test]
    fn a_file_without_a_date_is_invalid() {
        let error = find(json!({"currency": "USD", "models": {}}), "m");
        let expected = "missing field `date`";
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err(expected.to_owned())
        );
    }
}
