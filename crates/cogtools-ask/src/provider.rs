//! The provider of the model: who it is, and how it is reached.

use cogtools_core::{Code, Diagnostic};
use cogtools_http::{Client, ClientOptions, Vars};
use cogtools_model::gemini::Endpoint;
use cogtools_model::{Gemini, Model, ModelError};
use cogtools_program::{Failure, Io, dirs};
use tokio::runtime::{Builder, Runtime};

use crate::args::AskArgs;

/// The variables that say how a network is reached. A project's `.env` does not count: it could
/// read everything.
const NETWORK: [&str; 10] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// The variable that names the server, over the configuration.
const BASE_URL: &str = "GOOGLE_GEMINI_BASE_URL";

/// The model that is used if none is named: the newest fast one.
pub(crate) const DEFAULT_MODEL: &str = "gemini-flash-latest";

/// Connects to the provider that the environment describes.
pub(crate) fn connect(args: &AskArgs, io: &Io<'_>) -> Result<Box<dyn Model>, Failure> {
    let failed =
        |error: &ModelError| Failure::from(cogtools_agent::diagnostic::diagnostic(error, "gemini"));
    let var = |name: &str| match dirs::trusted_var(io, name) {
        Some(value) => value.to_str().map(str::to_owned),
        None if name == BASE_URL => args.base_url.clone(),
        None => None,
    };
    let endpoint = Endpoint::from_vars(var).map_err(|error| failed(&error))?;
    let options = ClientOptions {
        // A model may think for minutes before it says anything.
        read_timeout: std::time::Duration::from_mins(5),
        ..ClientOptions::from_vars(&network_vars(io))
    };
    let client = Client::new(options).map_err(|error| failed(&ModelError::Http(error)))?;
    Ok(Box::new(Gemini::new(client, endpoint)))
}

fn network_vars(io: &Io<'_>) -> Vars {
    let var = |name: &&str| Some(((*name).into(), dirs::trusted_var(io, name)?.to_owned()));
    NETWORK.iter().filter_map(var).collect()
}

/// The secrets that must not be logged, by variable.
pub(crate) fn secrets(io: &Io<'_>) -> Vec<(String, String)> {
    let is_secret = |name: &str| {
        let name = name.to_ascii_uppercase();
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"]
            .iter()
            .any(|word| name.contains(word))
    };
    let vars = io
        .vars
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    vars.filter(|(name, _)| is_secret(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// What runs requests.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        let message = format!("the runtime cannot be started: {error}");
        Diagnostic::new(Code::Internal, message).into()
    })
}
