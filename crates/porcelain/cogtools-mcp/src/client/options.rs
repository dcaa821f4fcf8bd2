//! The command line.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_program::Failure;
use cogtools_program::args::required;

use crate::auth::{LoginArgs, login_command, logout_command};
use crate::client::command::NAME;

/// The command line.
pub(crate) struct ClientArgs {
    /// The description of the server; by default, the variable's.
    pub(crate) server: Option<String>,
    pub(crate) request: RequestArgs,
}

/// The subcommand.
pub(crate) enum RequestArgs {
    Discover,
    Login(LoginArgs),
    Logout(LoginArgs),
    Call {
        tool: String,
        /// Whether to print the result as the server returned it.
        json: bool,
        /// The digest of the declaration that the caller knows.
        expected: Option<String>,
    },
}

impl ClientArgs {
    pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        let Some((name, matches)) = matches.subcommand() else {
            return Ok(None);
        };
        let request = if name == CALL {
            RequestArgs::Call {
                tool: required(matches, "tool")?,
                json: matches.get_flag("json"),
                expected: matches.get_one::<String>("expect").cloned(),
            }
        } else if name == LOGIN {
            RequestArgs::Login(LoginArgs::from_login(matches))
        } else if name == LOGOUT {
            RequestArgs::Logout(LoginArgs::from_logout(matches))
        } else {
            RequestArgs::Discover
        };
        let server = matches.get_one::<String>("server").cloned();
        Ok(Some(Self { server, request }))
    }
}

/// The subcommand that calls a tool.
const CALL: &str = "call";

/// The subcommands about tokens.
const LOGIN: &str = "login";
const LOGOUT: &str = "logout";

pub(crate) fn command() -> Command {
    let server = || {
        Arg::new("server")
            .long("server")
            .value_name("JSON")
            .help("The server as JSON; COGTOOLS_MCP_SERVER by default")
    };
    Command::new(NAME)
        .about("List or call the tools of an MCP server")
        .long_about(
            "List the tools of a Model Context Protocol server or call one of them, as sources of \
             the kind mcp do. The server is started, or contacted over HTTP, for this one \
             request.",
        )
        .subcommand_required(true)
        .subcommand(
            Command::new("discover")
                .about("Print the declarations of the server's tools")
                .arg(server()),
        )
        .subcommand(
            Command::new(CALL)
                .about("Call a tool with arguments from stdin, and print its result")
                .arg(server())
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Print the result as the server returned it, including content that is not text"),
                )
                .arg(
                    Arg::new("expect")
                        .long("expect")
                        .value_name("SHA256")
                        .help("Fail unless the server declares the tool with this digest, that of its declaration by discover as compact JSON with sorted keys"),
                )
                .arg(Arg::new("tool").value_name("TOOL").required(true)),
        )
        .subcommand(login_command(server()))
        .subcommand(logout_command(server()))
}
