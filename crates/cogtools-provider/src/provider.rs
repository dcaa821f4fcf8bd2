//! The provider of the model: who it is, and how it is reached.

use clap::{Arg, ArgMatches};
use cogtools_agent::diagnostic;
use cogtools_core::{Code, Diagnostic};
use cogtools_http::{Client, ClientOptions, PlainHttp, VARIABLES, Vars};
use cogtools_model::{Gemini, Model, ModelError, OpenAi, gemini, openai};
use cogtools_program::{Failure, Io, dirs};
use tokio::runtime::{Builder, Runtime};

use crate::ModelOptions;

/// The variables that name the server of each provider, over the configuration.
const BASE_URLS: [&str; 2] = ["GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL"];

/// The model that is used if none is named: the newest fast one.
pub(crate) const DEFAULT_MODEL: &str = "gemini-flash-latest";

/// Whose API answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Google's.
    Gemini,
    /// OpenAI's, or that of a compatible server.
    OpenAi,
}

impl Provider {
    /// The names of all, the default first.
    const NAMES: [&str; 2] = ["gemini", "openai"];

    /// The option that selects one.
    pub(crate) fn arg() -> Arg {
        Arg::new("provider")
            .long("provider")
            .value_name("NAME")
            .value_parser(Self::NAMES)
            .default_value(Self::NAMES[0])
            .help("The API of the model; openai is any compatible server, also on this machine")
    }

    pub(crate) fn from_matches(matches: &ArgMatches) -> Self {
        let name = matches.get_one::<String>("provider");
        match name.map(String::as_str) {
            Some("openai") => Self::OpenAi,
            _ => Self::Gemini,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gemini => Self::NAMES[0],
            Self::OpenAi => Self::NAMES[1],
        }
    }
}

/// Connects to the provider that the environment describes.
pub fn connect(options: &ModelOptions, io: &Io<'_>) -> Result<Box<dyn Model>, Failure> {
    let failed =
        |error: ModelError| Failure::from(diagnostic::diagnostic(&error, options.provider.name()));
    let var = |name: &str| match dirs::trusted_var(io, name) {
        Some(value) => value.to_str().map(str::to_owned),
        None if BASE_URLS.contains(&name) => options.base_url.clone(),
        None => None,
    };
    let client_options = ClientOptions {
        // A model may think for minutes before it says anything.
        read_timeout: std::time::Duration::from_mins(5),
        ..ClientOptions::from_vars(&network_vars(io))
    };
    match options.provider {
        Provider::Gemini => {
            let endpoint = gemini::Endpoint::from_vars(var).map_err(failed)?;
            let client = client(client_options).map_err(failed)?;
            Ok(Box::new(Gemini::new(client, endpoint)))
        }
        Provider::OpenAi => {
            let endpoint = openai::Endpoint::from_vars(var).map_err(failed)?;
            // Its default is https: the user has named any other URL, such as one in the LAN.
            let client = client(ClientOptions {
                plain_http: PlainHttp::Any,
                ..client_options
            });
            Ok(Box::new(OpenAi::new(client.map_err(failed)?, endpoint)))
        }
    }
}

fn client(options: ClientOptions) -> Result<Client, ModelError> {
    Client::new(options).map_err(ModelError::Http)
}

/// The variables that say how a network is reached. A project's `.env` does not count: it could
/// read everything.
fn network_vars(io: &Io<'_>) -> Vars {
    let var = |name: &&str| Some(((*name).into(), dirs::trusted_var(io, name)?.to_owned()));
    VARIABLES.iter().filter_map(var).collect()
}

/// What runs requests. It does not wait for what does not end when it is dropped.
#[derive(Debug)]
pub struct Requests(Option<Runtime>);

impl Requests {
    /// Starts it.
    pub fn new() -> Result<Self, Failure> {
        runtime().map(|runtime| Self(Some(runtime)))
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

/// What runs a single request.
pub fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        let message = format!("the runtime cannot be started: {error}");
        Diagnostic::new(Code::Internal, message).into()
    })
}
