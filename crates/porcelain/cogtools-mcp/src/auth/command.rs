//! `login` and `logout`: for the server of a source, or for one that is described.

use std::path::Path;
use std::process::{Command, Stdio};

use clap::{ArgAction, Args};
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::source::{Provider, ProviderError, Source};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::trust::Verdict;
use cogtools_core::{Cancel, Code, Context, Diagnostic, Hint};
use cogtools_http::VARIABLES;
use cogtools_program::dirs::trusted_var;
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::{Failure, Io, SignalGuard, Vars};

use super::LoginError;
use super::grant::OwnClient;
use super::login::Login;
use super::metadata::{Fetch, scopes};
use super::store::{Kept, Store};
use crate::client::connector::{cancelled, runtime};
use crate::client::server::{Server, Transport};

/// The variable with the secret of a client that the user has registered.
const SECRET_VAR: &str = "COGTOOLS_MCP_CLIENT_SECRET";
/// The programs that open a URL in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") {
    &["/usr/bin/open"]
} else {
    &["/usr/bin/xdg-open", "/usr/bin/gio-open"]
};

/// The help of `--server`.
pub(crate) const SERVER_HELP: &str = "The server as JSON; COGTOOLS_MCP_SERVER by default";

/// The server of a login.
#[derive(Args)]
#[group(skip)]
pub(crate) struct SourceArg {
    #[arg(long, value_name = "JSON", help = SERVER_HELP)]
    pub(crate) server: Option<String>,
    /// The name of the source, instead of --server
    #[arg(value_name = "SOURCE", conflicts_with = "server")]
    source: Option<String>,
}

/// The options of a login.
#[derive(Args)]
#[group(skip)]
pub(crate) struct LoginArgs {
    #[command(flatten)]
    pub(crate) server: SourceArg,
    /// A client that you have registered, or the URL of its document
    #[arg(id = "client-id", long = "client-id", value_name = "ID")]
    client: Option<String>,
    /// Ask for these scopes, too: a list with blanks between them
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
    /// Only print the URL; a browser is opened at a terminal alone
    #[arg(id = "no-browser", long = "no-browser", action = ArgAction::SetTrue)]
    is_silent: bool,
}

/// Logs in, and keeps the token.
pub(crate) fn login(
    args: &LoginArgs,
    described: Option<String>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let server = server(&args.server, described, io)?;
    let url = url(&server)?;
    if server.has_own_token() {
        let message = "the source passes its own `Authorization`, so a login has no effect";
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(&*server.name);
        return Err(diagnostic
            .hint("remove it from `headers` of the source")
            .into());
    }
    let failed = |error: LoginError| Failure::from(error.diagnostic(&server.name));
    let store = store(io).map_err(failed)?;
    let fetch = Fetch::new(&network_vars(io)).map_err(failed)?;
    let secret = trusted_var(io, SECRET_VAR).and_then(|secret| secret.to_str());
    let login = Login {
        server: url,
        client: args.client.clone().map(|id| OwnClient {
            id,
            secret: secret.map(str::to_owned),
        }),
        scopes: args.scope.as_deref().map_or_else(Vec::new, scopes),
        previous: store.load(url),
        fetch: &fetch,
    };
    let (cancel, runtime) = (Cancel::default(), runtime()?);
    let signals = SignalGuard::begin(&cancel);
    let opens = !args.is_silent && io.terminals.stdout;
    let show = |place: &str| {
        let text = format!("Open this page in a browser on this machine:\n\n  {place}\n\n");
        // It cannot be logged in without it.
        io.print(text.as_bytes())
            .map_err(|_| LoginError::Cancelled)?;
        if opens {
            open(place, &io.vars);
        }
        Ok(())
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            result = login.run(show) => result,
            () = cancelled(&cancel) => Err(LoginError::Cancelled),
        }
    });
    runtime.shutdown_background();
    if let Some(status) = signals.status() {
        return Err(Failure::Reported(status));
    }
    let grant = ended.map_err(failed)?;
    let kept = store.save(&grant).map_err(failed)?;
    let place = match kept {
        Kept::Keyring => "the keyring".to_owned(),
        Kept::File(path) => path.display().to_string(),
    };
    let scopes = match grant.scopes.as_slice() {
        [] => String::new(),
        scopes => format!(" for {}", scopes.join(" ")),
    };
    let text = format!(
        "Logged in to {}{scopes}; the token is in {place}.\n",
        server.name
    );
    io.show(&text)
}

/// Revokes the token, and forgets it.
pub(crate) fn logout(
    args: &SourceArg,
    described: Option<String>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let server = server(args, described, io)?;
    let url = url(&server)?;
    let failed = |error: LoginError| Failure::from(error.diagnostic(&server.name));
    let store = store(io).map_err(failed)?;
    let grant = store.load(url);
    let is_revoked = match &grant {
        Some(grant) => {
            let fetch = Fetch::new(&network_vars(io)).map_err(failed)?;
            let runtime = runtime()?;
            let is_revoked = runtime.block_on(grant.revoke(&fetch));
            runtime.shutdown_background();
            is_revoked
        }
        None => false,
    };
    let name = &server.name;
    let text = match (store.remove(url).map_err(failed)?, is_revoked) {
        (false, _) => format!("There is no token for {name}.\n"),
        (true, true) => format!("Logged out of {name}: its token is revoked and forgotten.\n"),
        (true, false) => format!("Logged out of {name}: its token is forgotten.\n"),
    };
    io.show(&text)
}

fn server(args: &SourceArg, described: Option<String>, io: &Io<'_>) -> Result<Server, Failure> {
    let description = match (&args.source, described) {
        (Some(name), _) => description(name, io)?,
        (None, Some(description)) => description,
        (None, None) => {
            let diagnostic = Diagnostic::new(Code::Usage, "no source given");
            return Err(diagnostic
                .hint("name one: cogtools mcp-client login SOURCE")
                .into());
        }
    };
    let server = Server::read(&description).map_err(|error| error.diagnostic(String::new()))?;
    Ok(server)
}

fn url(server: &Server) -> Result<&str, Failure> {
    match server.transport() {
        Ok(Transport::Url(url)) => Ok(url),
        Ok(Transport::Command(..)) => {
            let message = "it is a program on this machine, which takes no token from a login";
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(&*server.name);
            Err(diagnostic
                .hint("pass what it needs in `env` of the source")
                .into())
        }
        Err(error) => Err(error.diagnostic(String::new()).into()),
    }
}

fn store(io: &Io<'_>) -> Result<Store, LoginError> {
    let none = || LoginError::Store("there is no home directory".to_owned());
    Store::of(io).ok_or_else(none)
}

/// Returns the variables that say how a network is reached. A project's `.env` does not count.
fn network_vars(io: &Io<'_>) -> Vars {
    let var = |name: &&str| Some(((*name).into(), trusted_var(io, name)?.to_owned()));
    VARIABLES.iter().filter_map(var).collect()
}

/// Opens a URL, which was checked, in the user's browser. If none opens, the user has the URL.
fn open(place: &str, vars: &Vars) {
    if let Some(program) = OPENERS.iter().map(Path::new).find(|file| file.is_file()) {
        let _ = Command::new(program)
            .arg(place)
            .env_clear()
            .envs(vars)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}

/// Returns the description of the server of the source `name`. One that requires approval must have it:
/// the login contacts the server.
fn description(name: &str, io: &Io<'_>) -> Result<String, Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    let providers = config.sources.iter().filter_map(|source| match source {
        Source::Provider(provider) => Some(provider),
        _ => None,
    });
    let servers: Vec<&Provider> = providers
        .filter(|provider| provider.settings().server.is_some())
        .collect();
    let named = servers.iter().find(|it| it.settings().name == name);
    let Some(provider) = named else {
        return Err(unknown(name, &servers).into());
    };
    check(provider, &cx)?;
    let server = provider.settings().server.as_ref();
    Ok(server.map_or_else(String::new, |server| server.description.clone()))
}

fn check(provider: &Provider, cx: &Context) -> Result<(), Failure> {
    if !provider.requires_approval(cx) {
        return Ok(());
    }
    let name = provider.settings().name.clone();
    let source = TrustableSource {
        name: name.clone(),
        kind: Kind::Provider(provider.clone()),
    };
    let error = match source.own_verdict(cx) {
        Ok(Verdict::Approved) => return Ok(()),
        Ok(Verdict::Changed) => ProviderError::ApprovalOutdated(name),
        Ok(Verdict::NotApproved) => ProviderError::NotApproved(name),
        Err(diagnostic) => return Err(Failure::from(*diagnostic)),
    };
    Err(error.diagnostic().into())
}

fn unknown(name: &str, servers: &[&Provider]) -> Diagnostic {
    let message = "no source of that name is an MCP server";
    let mut diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name);
    let known = servers.iter().map(|it| it.settings().name.as_str());
    diagnostic
        .hints
        .extend(did_you_mean(name, known).map(Hint::from));
    diagnostic.hint("cogtools config shows all sources")
}
