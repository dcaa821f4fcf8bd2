//! The command lines of `login` and `logout`.

use clap::{Arg, ArgAction, ArgMatches, Command};

/// Which server, and how.
pub(crate) struct LoginArgs {
    /// The name of the source; by default, the server is the one that is described.
    pub(crate) source: Option<String>,
    /// A client that the user has registered.
    pub(crate) client: Option<String>,
    /// Further scopes.
    pub(crate) scopes: Vec<String>,
    /// Whether a browser may be opened.
    pub(crate) opens: bool,
}

impl LoginArgs {
    pub(crate) fn from_login(matches: &ArgMatches) -> Self {
        let scope = matches.get_one::<String>("scope");
        Self {
            client: matches.get_one("client-id").cloned(),
            scopes: scope.map_or_else(Vec::new, |scope| super::challenge::scopes(scope)),
            opens: !matches.get_flag("no-browser"),
            ..Self::from_logout(matches)
        }
    }

    pub(crate) fn from_logout(matches: &ArgMatches) -> Self {
        Self {
            source: matches.get_one("source").cloned(),
            client: None,
            scopes: Vec::new(),
            opens: false,
        }
    }
}

fn source() -> Arg {
    Arg::new("source")
        .value_name("SOURCE")
        .help("The name of the source, instead of --server")
        .conflicts_with("server")
}

pub(crate) fn login_command(server: Arg) -> Command {
    Command::new("login")
        .about("Log in to a server that requires OAuth, and keep its token")
        .arg(server)
        .arg(source())
        .arg(
            Arg::new("client-id")
                .long("client-id")
                .value_name("ID")
                .help("A client that you have registered, or the URL of its document"),
        )
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPES")
                .help("Ask for these scopes, too: a list with blanks between them"),
        )
        .arg(
            Arg::new("no-browser")
                .long("no-browser")
                .action(ArgAction::SetTrue)
                .help("Only print the URL; a browser is opened at a terminal alone"),
        )
}

pub(crate) fn logout_command(server: Arg) -> Command {
    Command::new("logout")
        .about("Revoke the token of a server, and forget it")
        .arg(server)
        .arg(source())
}
