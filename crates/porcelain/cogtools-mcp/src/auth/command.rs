//! `login` and `logout`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::VARIABLES;
use cogtools_program::dirs::trusted_var;
use cogtools_program::{Failure, Io, SignalGuard, Vars};
use tokio::runtime::{Builder, Runtime};

use super::error::LoginError;
use super::fetch::Fetch;
use super::login::Login;
use super::options::LoginArgs;
use super::registration::OwnClient;
use super::source;
use super::store::{Kept, Store};
use crate::client::error::ClientError;
use crate::client::server::{Server, Transport};

/// The variable with the secret of a client that the user has registered.
pub(crate) const SECRET_VAR: &str = "COGTOOLS_MCP_CLIENT_SECRET";
/// How often a signal is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The programs that open a URL in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") {
    &["/usr/bin/open"]
} else {
    &["/usr/bin/xdg-open", "/usr/bin/gio-open"]
};

/// Logs in, and keeps the token.
pub(crate) fn login(
    args: &LoginArgs,
    described: Option<String>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let server = server(args, described, io)?;
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
        scopes: args.scopes.clone(),
        previous: store.load(url),
        fetch: &fetch,
    };
    let (cancel, runtime) = (Cancel::default(), runtime()?);
    let signals = SignalGuard::begin(&cancel);
    let opens = args.opens && io.terminals.stdout;
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
    args: &LoginArgs,
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

fn server(args: &LoginArgs, described: Option<String>, io: &Io<'_>) -> Result<Server, Failure> {
    let description = match (&args.source, described) {
        (Some(name), _) => source::description(name, io)?,
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
        Err(error) => Err(ClientError::diagnostic(&error, String::new()).into()),
    }
}

fn store(io: &Io<'_>) -> Result<Store, LoginError> {
    let none = || LoginError::Store("there is no home directory".to_owned());
    Store::of(io).ok_or_else(none)
}

/// The variables that say how a network is reached. A project's `.env` does not count.
fn network_vars(io: &Io<'_>) -> Vars {
    let var = |name: &&str| Some(((*name).into(), trusted_var(io, name)?.to_owned()));
    VARIABLES.iter().filter_map(var).collect()
}

fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        let message = format!("cannot start the async runtime: {error}");
        Diagnostic::new(Code::Internal, message).into()
    })
}

async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
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
