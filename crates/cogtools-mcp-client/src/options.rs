//! The command line.

use clap::{Arg, ArgAction, Command};

use crate::command::NAME;

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
            Command::new("call")
                .about("Call a tool with arguments from stdin, and print its result")
                .arg(server())
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Print the result as the server returned it, including content that is not text"),
                )
                .arg(Arg::new("tool").value_name("TOOL").required(true)),
        )
}
