//! `cogtools http`: makes the requests of one call of a tool.
//!
//! It is a program of its own so that the programs that run for each call link no TLS. Programs
//! that stay make the requests themselves, over connections that stay open.

use std::sync::Arc;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::http::{self, HttpAuth, HttpTask};
use cogtools_core::{Code, Diagnostic};
use cogtools_http::{Clients, Connections};
use cogtools_program::call::input_diagnostic;
use cogtools_program::{Failure, Io, Program, Services, Stdin, args};

/// The program.
pub const PROGRAM: Program = Program {
    name: http::PROGRAM,
    command: HttpArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::SOURCE_CODES,
        &[Code::StaleRecording, Code::SchemaViolation],
    ],
    variables: &[],
    manual: &[("INPUT", INPUT), ("OUTPUT", OUTPUT)],
};

const INPUT: &str = "\
A line of JSON, and then the bytes of the request's body. Programs that call a tool with `http` \
write it: the method, the URL, headers, credentials, the hosts that may be reached, and the limits. \
It is no stable contract: write a tool, and call that.";

const OUTPUT: &str = "\
A line of JSON with the status and the headers of the last response, and then its body: UTF-8, \
without the credentials that were sent.";

/// Make the requests of one call of a tool
#[derive(Parser)]
#[command(
    name = http::PROGRAM,
    arg_required_else_help = false,
    long_about = "Make the requests of one call of a tool with `implementation: {http: …}`. The \
        programs that call tools start it; it is not meant to be started by hand."
)]
struct HttpArgs {}

/// The abilities of this process: its programs make the requests of tools, and keep sessions.
pub fn services() -> Services {
    Services {
        requests: Arc::new(Connections::default()),
        sessions: cogtools_mcp::sessions,
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let HttpArgs {} = args::parse(matches)?;
    let input = io.stdin.read().map_err(|error| {
        Failure::from(input_diagnostic(&error, "request", || None, http::PROGRAM))
    })?;
    let Some((mut task, body)) = http::decode::<HttpTask>(&input) else {
        let diagnostic = Diagnostic::new(Code::Usage, "no request on standard input");
        return Err(diagnostic.hint("cogtools-call calls a tool").into());
    };
    let runtime = cogtools_http::runtime().map_err(|error| *error)?;
    let body = body.to_vec();
    let ended = runtime.block_on(async {
        for auth in &mut task.auth {
            if let HttpAuth::Login(source) = auth {
                let token = cogtools_mcp::token(source, &task.url, io).await?;
                *auth = HttpAuth::Bearer(token);
            }
        }
        let ended = cogtools_http::run(task, body, &io.vars, &Clients::default()).await;
        ended.map_err(|diagnostic| Failure::from(*diagnostic))
    });
    runtime.shutdown_background();
    let (reply, body) = ended?;
    io.print(&http::encode(&reply, &body))
}
