//! The command line.

use clap::{Arg, ArgAction, Command};

use crate::command::NAME;

pub(crate) fn command() -> Command {
    let server = || {
        Arg::new("server")
            .long("server")
            .value_name("JSON")
            .help("The server, as JSON; COGTOOLS_MCP_SERVER by default")
    };
    Command::new(NAME)
        .about("Ask an MCP server for its tools, or call one of them")
        .long_about(
            "Ask a server of the Model Context Protocol for its tools, or call one of them, as a \
             source of the kind `mcp` needs it. The server is started, or spoken to over HTTP, \
             asked once, and ended.",
        )
        .subcommand_required(true)
        .subcommand(
            Command::new("discover")
                .about("Print the declarations of the server's tools")
                .arg(server()),
        )
        .subcommand(
            Command::new("call")
                .about("Call a tool with the arguments on standard input, and print its result")
                .arg(server())
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Print the result as the server gives it, with what is no text"),
                )
                .arg(Arg::new("tool").value_name("TOOL").required(true)),
        )
}
