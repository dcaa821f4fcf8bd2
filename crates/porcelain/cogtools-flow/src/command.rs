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
        Code::NodeFailed,
        Code::AnswerWanted,
        Code::OutputSkipped,
        Code::AmbiguousCapability,
        Code::ToolNotFound,
        Code::ToolFailed,
        Code::TemplateFailed,
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::InvalidAnswer,
        Code::ModelFailed,
        Code::ModelRefused,
        Code::BudgetSpent,
        Code::Repetition,
        Code::Unavailable,
        Code::ApprovalWanted,
        Code::SandboxUnavailable,
        Code::Denied,
        Code::Locked,
        Code::InvalidSession,
        Code::SessionInUse,
        Code::SessionNotFound,
        Code::TestFailed,
        Code::IoFailed,
        Code::Timeout,
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
            let routing = Capabilities::new(&registry).route(&capability, &among);
            let tool = routing.tool().map_err(|error| *error)?;
            io.show(&format!("{tool}\n"))
        }
    }
}

/// The sections of the manual page that no command line has.
const MANUAL: &[(&str, &str)] = &[
    (
        "NODES",
        "A flow is a tool whose `implementation` is `{flow: {nodes, output}}`. Each node has a name, which is the variable with its result, and exactly one of these keys:\n\n`text`: a value. A text that is one expression in braces keeps the type of its value.\n\n`js`: the body of a JavaScript function over `args`, which has the parameters and the results of the nodes under `needs`.\n\n`tool`: a call of a tool, by `name` or by `capability`, with `arguments`. `among` lists the capabilities that count; `preset` is a result that is used without a call.\n\n`agent`: a question to a model, with the keys of an agent. Rules win over `system` and `behaviour`. `reply`, written as `parameters` are, makes the answer JSON: without `tools`, the model has to call a function with it, and one that cannot is asked for JSON. With `then` and `else` the answer chooses between two nodes; an answer that is not true is `else`, and no answer is a failure.\n\n`router`: a list of `{when, to}`; the first whose condition holds chooses a node, and the others are skipped.\n\n`each`: `{in, as, max, errors}` and one of `tool`, `agent`, `text` and `js`, done for each item of a list, `max` of them at the same time. The variable `index` is the number of the item, from 0. With `errors: keep`, the value of an item that fails is `{error}`; otherwise the node fails.\n\n`ask`: a question to the user, as text or as `{text, reply, default, timeout}`. `reply`, written as `parameters` are, makes the answer an object, which is checked; one that is not valid is asked again. At a terminal, `run` and `resume` ask there and then; otherwise the run waits. `default` is the answer to an empty line, and where nobody can be asked; with `timeout`, only when the question has been open for so many seconds. A model can never answer.",
    ),
    (
        "ORDER",
        "A node starts when the nodes that it needs have ended: those that its templates mention, those under `needs`, and the routers that choose it. Independent nodes run at the same time. A node that needs one without a result is skipped, unless the need is optional: written `NAME?`, or mentioned where its value is tested. The variable is null then. `when` is a condition. `retry: {times, delay, backoff, until}` says how often a node is run again when it fails; with `until`, an expression over its result or a list of them, it also fails when its result does not meet them. `timeout` says how many seconds it may take. Both hold for each item of a list. With `cache: true`, the result of the same call in an earlier run is used, if the tool only reads or is idempotent and has not changed.\n\nA node that fails has no value: the nodes that need it are skipped, and the run ends with its failure. If a template or a condition reads `NAME.error`, the flow goes on instead, with `{error}` as the value; a fault of the configuration always ends it.\n\nThe output is what `output` says, or else the last result that is not empty. If each node that it reads was skipped, the run ends with `OUTPUT_SKIPPED`; a template that tests its values (`{{ a or \"none\" }}`) has an output all the same.\n\nIf standard error is a terminal, it shows the nodes while they run. Ctrl-C starts no further nodes, waits for those that run and says how to go on; a second one ends them, too.",
    ),
    (
        "CAPABILITIES",
        "A capability is the name of what a tool does, such as `calendar.list_events`; tools declare theirs. Exactly one tool is called: the one that has the capability after `capability_aliases` of the configuration. If none has it, or several do, the node fails, and the message names what there is. `route` prints the tool.",
    ),
    (
        "SESSIONS",
        "A run is kept in a session: the arguments, each start and end of each node, how its tool was chosen, its result. `trace` shows it, with the reasons of nodes that were skipped, the numbers of attempts, the models with their tokens and cost, and the nodes of flows that nodes call (`NODE/INNER`), and so does `cogtools-session(1)`; `trace --follow` shows what happens as it does, and `list` shows the runs of the project; `trace --panel` shows which tool the last capability led to, and from what the model said. `resume` goes on with a flow that has failed, that waits for an answer, or that was interrupted; what has a result does not run again. Personal data in lines is masked: addresses of e-mail, telephone numbers with a country code, payment cards, IBANs. The whole values are in the folder beside the session, which only the user can read. A node that was running when the run ended may have had an effect: unless its tool is a template, only reads or is idempotent, it is reported, and `--repeat NODE` runs it, or `--result NODE=JSON` says what it gave. Both cover the items of a node.\n\n`run --record FILE` keeps what models answer, and `--replay FILE` runs without them.",
    ),
    (
        "ENGINES",
        "An engine that runs flows itself, on one machine or many, has three commands. `show --json` prints the graph: for each node what it needs, how often it is tried again (`retry`, after the codes in `retryable`), whether it may run twice (`repeatable`), and the digest of what it runs.\n\n`node` runs exactly one node. Its inputs are a JSON object with the arguments of the flow and the results of the nodes that it needs, null for one without a result; it prints its result, null if it is skipped. Its events are written to the descriptor 3, if it is open. With `--digest` it runs only what the digest is of. It ends with the process that started it.\n\n`output` prints the output of the flow, from all results.",
    ),
    (
        "TESTS",
        "`cogtools-test(1)` runs the examples of a flow like those of any tool, and needs no model: what one has answered is in `FLOW.EXAMPLE.tape`, which `cogtools test --update` records. A `preset` stands for a call, and so does what `with` of an example says, by the name of the tool or its capability. `test` compares the way that each example takes, the state of each node and the tool that was chosen, with `FLOW.EXAMPLE.trace.golden`; `cogtools test` does, too, where there is such a file.",
    ),
    (
        "EXAMPLES",
        "    cogtools flow run find_time question=\"find 30 minutes free\"\n\n    cogtools flow show find_time --svg > find_time.svg\n\n    cogtools flow trace\n\n    cogtools flow resume --answer publish=yes\n\n    echo yes | cogtools flow resume --answer publish=@-\n\n    cogtools flow route calendar.list_events",
    ),
];
