//! `login` and `logout`: for the server of a source, or for one that is described.

use std::net::IpAddr;

use clap::{ArgAction, Args};
use cogtools_core::http::{address, is_public};
use cogtools_core::source::Provider;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::http::Uri;
use cogtools_http::{Target, VARIABLES, cancelled, runtime, shown};
use cogtools_program::dirs::{trusted_var, trusted_vars};
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::{Failure, Io, SignalGuard, open_in_browser};

use crate::auth::login::{Login, Store};
use crate::auth::metadata::{Fetch, scopes};
use crate::auth::{Bearer, LoginError, OwnClient, SCHEME};
use crate::client::{Secrets, Server, Transport};
use crate::manage::servers;

/// The variable with the secret of a client that the user has registered.
const SECRET_VAR: &str = "COGTOOLS_MCP_CLIENT_SECRET";
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
    let fetch = Fetch::new(&trusted_vars(io, &VARIABLES));
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
            // If none opens, the user has the URL.
            let _ = open_in_browser(place.as_ref(), io);
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
    let place = kept.map_or_else(|| "the keyring".to_owned(), |it| it.display().to_string());
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
            let fetch = Fetch::new(&trusted_vars(io, &VARIABLES));
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

/// Returns the token of the login at the MCP server `name`, for a request to `place`. A token is sent
/// to the origin of its server only.
///
/// # Errors
/// `INVALID_CONFIG` without a login, `DENIED` for another origin or a source that is not approved.
pub async fn token(name: &str, place: &str, io: &Io<'_>) -> Result<String, Failure> {
    let server = Server::read(&description(name, io)?)
        .map_err(|error| Failure::from(error.diagnostic(String::new())))?;
    let url = url(&server)?;
    let target = |url: &str| Target::new(&url.parse::<Uri>().ok()?).ok();
    let is_own = target(url).zip(target(place));
    if !is_own.is_some_and(|(own, other)| own.is_same_server(&other)) {
        let message = format!("the login at `{name}` is for `{}` only", shown(url));
        return Err(Diagnostic::new(Code::Denied, message)
            .hint("write a `url` of this server, or other credentials")
            .into());
    }
    let bearer = Bearer::for_server(
        url,
        Store::of(io),
        &trusted_vars(io, &VARIABLES),
        &Secrets::default(),
    );
    let header = match bearer {
        Some(bearer) => bearer.header().await,
        None => None,
    };
    let token = header.as_ref().and_then(|header| header.to_str().ok());
    let token = token.and_then(|header| header.strip_prefix(SCHEME));
    token.map(str::to_owned).ok_or_else(|| {
        let message = format!("there is no login at `{name}`");
        let hint = format!("log in: cogtools mcp-client login {name}");
        Diagnostic::new(Code::InvalidConfig, message)
            .hint(hint)
            .into()
    })
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

/// Returns the description of the server of the source `name`. One that requires approval must have it:
/// the login contacts the server.
fn description(name: &str, io: &Io<'_>) -> Result<String, Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    let servers: Vec<&Provider> = servers(&config).collect();
    let named = servers.iter().find(|it| it.settings().name == name);
    let Some(provider) = named else {
        return Err(unknown(name, &servers).into());
    };
    let approved = provider.check_approved(&cx);
    approved.map_err(|error| error.diagnostic())?;
    let server = provider.settings().server.as_ref();
    Ok(server.map_or_else(String::new, |server| server.description.clone()))
}

fn unknown(name: &str, servers: &[&Provider]) -> Diagnostic {
    let message = "no source of that name is an MCP server";
    Diagnostic::new(Code::Usage, message)
        .with_subject(name)
        .meant(name, servers.iter().map(|it| it.settings().name.as_str()))
        .hint("cogtools config shows all sources")
}

/// The longest URL.
const MAX_URL_BYTES: usize = 4_096;

/// The networks that a server may point to; each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Hosts of the internet.
    Public,
    /// Private networks.
    Private,
    /// This machine.
    Loopback,
}

impl Reach {
    /// Returns the networks that the server at `target` may point to.
    pub(crate) fn of(target: &Target) -> Self {
        let host = target.host.trim_end_matches('.');
        match address(host).map(|address| address.to_canonical()) {
            _ if target.is_loopback() => Self::Loopback,
            Some(address) if address.is_loopback() => Self::Loopback,
            Some(address) if !is_public(address) => Self::Private,
            _ => Self::Public,
        }
    }

    /// Reads the URL `text`, if it may be asked.
    pub(crate) fn check(self, text: &str) -> Result<Target, LoginError> {
        let refuse = |url: String, why| Err(LoginError::Place { url, why });
        // Text that cannot be read may contain a password, too.
        let unreadable = |why| refuse("the URL".to_owned(), why);
        if text.len() > MAX_URL_BYTES {
            return unreadable("is too long");
        }
        let Some((scheme, _)) = text.split_once(':') else {
            return unreadable("is not a URL");
        };
        if !["https", "http"].contains(&scheme.to_ascii_lowercase().as_str()) {
            let text: String = text.chars().filter(char::is_ascii_graphic).collect();
            return refuse(shown(&text), "is not an https:// URL");
        }
        let Some(target) = read(text) else {
            return unreadable("is not a URL");
        };
        let reach = Self::of(&target);
        let url = target.place();
        if !target.is_https && reach != Self::Loopback {
            return refuse(
                url,
                "is reached over http, so anyone on the network could read it",
            );
        }
        if target.authorization.is_some() || text.contains('#') {
            return refuse(url, "has a user name or a fragment");
        }
        if reach > self {
            return refuse(url, "is in a private network, and the server is not");
        }
        Ok(target)
    }
}

/// Reads a URL whose host is a name or an address.
fn read(text: &str) -> Option<Target> {
    let target = Target::new(&text.parse::<Uri>().ok()?).ok()?;
    let is_address = target.host.contains([':', '%']);
    (!is_address || target.host.parse::<IpAddr>().is_ok()).then_some(target)
}

/// Returns true if the user may be sent to `url`: a page over https, or on this machine.
pub(crate) fn may_be_opened(url: &str) -> bool {
    read(url).is_some_and(|target| target.authorization.is_none()) && may_have_token(url)
}

/// Returns true if a token may be sent to `url`.
pub(crate) fn may_have_token(url: &str) -> bool {
    read(url).is_some_and(|target| target.is_https || Reach::of(&target) == Reach::Loopback)
}

#[cfg(test)]
mod reach_tests {
    use super::*;

    #[track_caller]
    fn check(server: &str, url: &str, expected: Option<&str>) {
        let server = read(server).expect("a URL");
        let refused = Reach::of(&server).check(url).err();
        let why = refused.map(|error| match error {
            LoginError::Place { why, .. } => why,
            other => panic!("{other}"),
        });
        assert_eq!(why, expected, "{url}");
    }

    #[test]
    fn a_public_server_points_to_public_places_only() {
        let private = Some("is in a private network, and the server is not");
        let plain = Some("is reached over http, so anyone on the network could read it");
        for (url, expected) in [
            ("https://auth.example/x", None),
            ("https://1.1.1.1/", None),
            ("https://1.1.1.1.example/", None),
            ("http://auth.example/", plain),
            ("https://127.0.0.1/", private),
            ("http://localhost:3000/", private),
            ("https://a.LOCALHOST./", private),
            ("https://10.0.0.1/", private),
            ("https://10.0.0.1./", private),
            ("https://169.254.169.254/latest", private),
            ("https://[::1]/", private),
            ("https://[::ffff:192.168.0.1]/", private),
            ("https://[fd00::1]/", private),
            ("https://[fe80::1%25eth0]/", Some("is not a URL")),
            ("https://2130706433/", private),
            ("https://0x7f.1/", private),
            ("https://012.0.0.1/", private),
            ("file:///etc/passwd", Some("is not an https:// URL")),
            ("javascript:alert(1)", Some("is not an https:// URL")),
            (
                "https://u:p@auth.example/",
                Some("has a user name or a fragment"),
            ),
            (
                "https://auth.example/#x",
                Some("has a user name or a fragment"),
            ),
            ("nothing", Some("is not a URL")),
        ] {
            check("https://mcp.example/mcp", url, expected);
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let refused = Reach::Loopback.check("https://ada:s3cret@a.example/x?key=s3cret");
        assert_eq!(
            refused.err().map(|error| error.to_string()).as_deref(),
            Some("`https://a.example/x` has a user name or a fragment")
        );
    }

    #[test]
    fn a_server_on_this_machine_points_to_all() {
        for url in [
            "http://127.0.0.1:1/",
            "https://10.0.0.1/",
            "https://a.example/",
        ] {
            check("http://localhost:2/mcp", url, None);
        }
        check("https://10.0.0.2/", "https://10.0.0.1/", None);
        check(
            "https://10.0.0.2/",
            "http://127.0.0.1/",
            Some("is in a private network, and the server is not"),
        );
    }
}
