//! The command line.

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::Code;
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::node::{NodeArgs, OutputArgs};
use crate::routing::Capabilities;
use crate::run::{CallArgs, ResumeArgs, RunArgs};
use crate::show::ShowArgs;
use crate::test::TestArgs;
use crate::trace::{ListArgs, TraceArgs};

/// The program `cogtools-flow`.
pub const PROGRAM: Program = Program {
    name: "cogtools-flow",
    command: FlowArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::SOURCE_CODES,
        Program::CALL_CODES,
        Program::MODEL_CODES,
        Program::SESSION_CODES,
        &[
            Code::NodeFailed,
            Code::AnswerWanted,
            Code::OutputSkipped,
            Code::AmbiguousCapability,
            Code::ToolNotFound,
            Code::InvalidAnswer,
            Code::Repetition,
            Code::AnswerCut,
            Code::ApprovalWanted,
            Code::Locked,
            Code::TestFailed,
        ],
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

/// Run, show, trace and resume flows
#[derive(Parser)]
#[command(
    arg_required_else_help = true,
    long_about = "Work with tools that are flows: nodes that call tools, ask models and use each \
        other's results. A flow is a tool like any other, so hosts call it, too."
)]
struct FlowArgs {
    #[command(subcommand)]
    command: Option<FlowCommand>,
}

#[derive(Subcommand)]
enum FlowCommand {
    Run(RunArgs),
    #[command(hide = true)]
    Call(CallArgs),
    Resume(ResumeArgs),
    Show(ShowArgs),
    Trace(TraceArgs),
    List(ListArgs),
    Node(NodeArgs),
    Output(OutputArgs),
    Test(TestArgs),
    /// Print the name of the tool that has a capability
    Route {
        /// The capability, such as `calendar.list_events`
        capability: String,
        /// The only capabilities that count
        #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
        among: Vec<String>,
        #[command(flatten)]
        registry: RegistryArgs,
    },
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    io.keep_sessions();
    let arguments: FlowArgs = args::parse(matches)?;
    let Some(command) = arguments.command else {
        return Err(PROGRAM.missing_subcommand());
    };
    match command {
        FlowCommand::Run(command) => command.run(io),
        FlowCommand::Call(command) => command.run(io),
        FlowCommand::Resume(command) => command.run(io),
        FlowCommand::Show(command) => command.run(io),
        FlowCommand::Trace(command) => command.run(io),
        FlowCommand::List(command) => command.run(io),
        FlowCommand::Node(command) => command.run(io),
        FlowCommand::Output(command) => command.run(io),
        FlowCommand::Test(command) => command.run(io),
        FlowCommand::Route {
            capability,
            among,
            registry,
        } => {
            let (registry, _) = registry_and_context(&registry, io, None)?;
            let (_, tool) = Capabilities::new(&registry).route(&capability, &among);
            io.show(&format!("{}\n", tool?))
        }
    }
}

/// The sections of the manual page that no command line has.
const MANUAL: &[(&str, &str)] = &[
    (
        "NODES",
        "A flow is a tool whose `implementation` is `{flow: {nodes, output}}`. Each node has a name. Other nodes read its result from the variable of that name. A node has exactly one of these keys:\n\n`text`: a value. If the text is a single expression in braces, the value keeps its type.\n\n`js`: the body of a JavaScript function, which may have the types of TypeScript. Its argument `args` has the parameters of the flow and the results of the nodes listed in `needs`. With `tools`, a list of names, patterns and toolsets, the code calls these tools, as `cogtools-code(1)` describes it. A call that needs an approval by the rules of the user is denied. `resume` keeps the results of calls that have ended.\n\n`tool`: a call of a tool, chosen by `name` or by `capability`, with `arguments`. `among` restricts the capabilities that may be chosen. `preset` is a result to use instead of a call.\n\n`agent`: a question to a model, with the keys of an agent. The rules override `system` and `behaviour`. `reply` has the form of `parameters` and makes the answer JSON. Without `tools`, the model must send its answer as a function call; a model without functions is asked for JSON. With `then` and `else`, the answer chooses one of two nodes: an answer that is not true chooses `else`, and a missing answer is a failure.\n\n`router`: a list of `{when, to}`. The first condition that holds chooses its node; the other nodes in the list are skipped.\n\n`each`: a map with the list `in` and exactly one of `tool`, `agent`, `text` and `js`, which runs once for each item, as in `each: {in: \"{{ files }}\", as: file, tool: {name: check, arguments: {path: \"{{ file }}\"}}}`. At most `max` items run at the same time. The variable `index` is the number of the item, counted from 0. With `errors: keep`, the value of a failed item is `{error}`; otherwise a failed item fails the node.\n\n`ask`: a question to the user, as text or as `{text, reply, default, timeout}`. `reply` has the form of `parameters` and makes the answer an object. An invalid answer is asked for again. At a terminal, `run` and `resume` ask immediately; without a terminal, the run waits. `cogtools-mcp(1)` asks by a form of a client that declares elicitation. `default` is the answer to an empty line, and the answer if nobody can be asked. With `timeout`, it is used only after the question has been open for that number of seconds, however often the run was resumed. A model can never answer.",
    ),
    (
        "ORDER",
        "A node starts when all nodes that it needs have ended. It needs the nodes that its templates mention, the nodes listed in `needs`, and the routers that can choose it. Independent nodes run at the same time.\n\nIf a needed node was skipped, the node is skipped, too. A need is optional if it is written `NAME?`, or if a template tests the value before using it; the variable is then null. `when` is a condition for running the node.\n\n`retry: {times, delay, backoff, until}` runs a failed node again. `delay` is at most 3600 seconds, and `backoff` at most 100. `until` is an expression, or a list of expressions, over the result; a result that does not satisfy it counts as a failure. `timeout` limits the time of the node in seconds. In a node with `each`, both apply to each item. With `cache: true`, a node reuses the result of the same call in an earlier run, provided that its tool is read-only or idempotent and has not changed.\n\nA failed node has no value: the nodes that need it, or only test its value, are skipped, and the run fails with its error. If a template or a condition reads `NAME.error`, the flow continues instead, and the value of the node is `{error}`. It also continues if every node that needs it says so with `NAME?`. An error in the configuration always ends the run, and nothing runs without the answer to an open question.\n\n`output` is the output of the flow; by default, the output is the last result that is not empty. If every node that `output` reads was skipped, the run ends with `OUTPUT_SKIPPED`, unless the template supplies a value for that case, as `{{ a or \"none\" }}` does.\n\nIf standard error is a terminal, it shows the nodes while they run. After Ctrl-C no further node starts. The run waits for the running nodes, and prints the command that resumes it. A second Ctrl-C, and any other signal that asks the program to end, also stops the running nodes.",
    ),
    (
        "CAPABILITIES",
        "A capability names a task that a tool performs, such as `calendar.list_events`. Tools declare their capabilities, and `capability_aliases` in the configuration can rename them. A node calls the one tool that has the capability. If no tool has it, or several tools do, the node fails, and the message lists the candidates. `route` prints the name of the tool.",
    ),
    (
        "SESSIONS",
        "Each run is recorded in a session: its arguments, the start and end of each node, the reason for the choice of each tool, and the results. `trace` shows a run, with the number of attempts, the models with their tokens and cost, the reason for each skipped node, and the nodes of flows that nodes call (`NODE/INNER`); `cogtools-session(1)` shows it too. `trace --follow` shows a run while it happens. `trace --panel` shows the tool that the last capability selected, and the model's words that led to it. `list` shows the runs of the project.\n\n`resume` continues a flow that failed, was interrupted, or waits for an answer. Nodes that have a result do not run again. A node that was running when the run ended may have had an effect. It runs again if its tool is a template, is read-only, or is idempotent. Otherwise `resume` reports it: use `--repeat NODE` to run it again, or `--result NODE=JSON` to supply its result. Both options also apply to the items of a node, and never to what has a result. Without a name, `resume` and `trace` take the newest session with a run of a flow.\n\nPersonal data is masked in the lines of a session: e-mail addresses, telephone numbers with a country code, payment cards and IBANs. The complete values are in the folder beside the session, which only the user can read.\n\n`run --record FILE` records the answers of models, and `--replay FILE` uses them instead of a model.",
    ),
    (
        "ENGINES",
        "Three commands let another engine run a flow, on one machine or on many.\n\n`show --json` prints the graph. For each node it has the nodes that it needs, the number of attempts (`retry`, after one of the codes in `retryable`), `repeatable`, which is true if the node may run twice, and a digest of the code that it runs.\n\n`node` runs exactly one node. Its input is a JSON object with the arguments of the flow and the results of the needed nodes; a missing result is null. It prints the result of the node, or null if the node is skipped. If file descriptor 3 is open, `node` writes its events there. With `--digest`, it runs only if the digest matches. It ends when the process that started it ends.\n\n`output` prints the output of the flow. Its input has all results.",
    ),
    (
        "TESTS",
        "`cogtools-test(1)` runs the examples of a flow like the examples of any other tool. No model is needed: the recorded answers are in `FLOW.EXAMPLE.tape`, which `cogtools test --update` writes. A `preset` replaces a call; so does an entry in `with` of an example, named by the tool or by its capability.\n\n`test` compares the path of each example, the state of each node and the chosen tools with `FLOW.EXAMPLE.trace.golden`; so does `cogtools test`, if that file exists.",
    ),
    (
        "EXAMPLES",
        "    cogtools flow run find_time question=\"find 30 minutes free\"\n\n    cogtools flow show find_time --svg > find_time.svg\n\n    cogtools flow trace\n\n    cogtools flow resume --answer publish=yes\n\n    echo yes | cogtools flow resume --answer publish=@-\n\n    cogtools flow route calendar.list_events",
    ),
];
