//! The stable failure codes and the exit status each one leaves behind.
//!
//! Scripts and models read both, so a code is never renamed or given another
//! status; `cogtools-errors(7)` is generated from this table.

use strum::{EnumMessage as _, VariantArray as _};

/// A stable name for one kind of failure, in the order of exit statuses.
///
/// The first paragraph of a code's comment is its description in pages: its meaning and who can fix
/// it, in one sentence without a full stop. None begins with a name, since pages begin it with a
/// capital. The second paragraph is the remedy for the reader of an error.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    strum::EnumMessage,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// the tool failed, or its result does not match its declared output
    ///
    /// Read the output of the tool's program in the message, and change the call.
    ToolFailed,
    /// no program of that name was found; the hints name similar ones
    ///
    /// Use one of the names in the hint, or one that cogtools help --all lists.
    UnknownProgram,
    /// problems were found; the report of cogtools doctor names a fix for each
    ///
    /// Follow the fix: lines of the report, or run cogtools doctor --fix.
    Unhealthy,
    /// generated content is out of date; the report names the command that regenerates it
    ///
    /// Run the command in the hint, and commit the result.
    Stale,
    /// a tool failed its examples; the report names each failure
    ///
    /// Fix what the report of cogtools test names, or accept the new results with --update.
    TestFailed,
    /// a case of cogtools eval failed; the report names each failure
    ///
    /// Read which expectations failed in which trials, and improve the tool or the case.
    EvalFailed,
    /// a recording belongs to another request, task or tool; record it again, or accept it
    ///
    /// Record again: with --record, or for an agent with cogtools test --update. cogtools eval
    /// --accept keeps a recording that is right.
    StaleRecording,
    /// a session file is damaged; the report names each finding
    ///
    /// Remove the lines that the report names, or restore the file from a copy.
    SessionDamaged,
    /// the model gave no usable answer, or rejected the request
    ///
    /// Rephrase the task, or use another model.
    ModelFailed,
    /// a step of a plan failed, and the steps after it were skipped
    ///
    /// Correct the plan or the tool, and run the plan again.
    StepFailed,
    /// a node of a flow failed, and the nodes that depend on it were skipped
    ///
    /// Correct the node or its tool, and continue with cogtools flow resume.
    NodeFailed,
    /// the model's answer does not match the schema of --schema; each violation is reported
    ///
    /// Change the task or the schema, or use another model.
    InvalidAnswer,
    /// code in JavaScript threw an error; the message is the error's
    ///
    /// Correct the code; the position is in the message.
    JsRuntime,
    /// code in JavaScript is not the body of a function
    ///
    /// Correct the code; the position is in the message.
    JsSyntax,
    /// code in JavaScript called a function that is not allowed
    ///
    /// Compute with the arguments alone.
    JsForbidden,
    /// code in JavaScript exceeded its memory limit
    ///
    /// Process the data in smaller parts, and keep no large values.
    JsMemory,
    /// code in JavaScript returned a value that is not JSON
    ///
    /// Return text, numbers, booleans, null, arrays or plain objects.
    JsResult,
    /// the command line is incomplete or invalid
    ///
    /// Follow the usage line in the hint; --help explains every option.
    Usage,
    /// the model, or the policies of its provider, refused to answer
    ///
    /// Change the task, or use another model.
    ModelRefused,
    /// a budget is spent; the partial result was printed, and the session can be continued
    ///
    /// Continue the session with a larger --budget.
    BudgetSpent,
    /// the answer reached the limit of tokens; its beginning was printed
    ///
    /// Raise --max-tokens, or continue the session.
    AnswerCut,
    /// the model repeated the same calls, and the run was stopped
    ///
    /// Continue the session, and tell the model how to proceed.
    Repetition,
    /// the arguments on standard input are not one JSON object (with --yaml, YAML)
    ///
    /// Send one object, in UTF-8, without duplicate keys; add --yaml to send YAML.
    InvalidArgumentsSyntax,
    /// the arguments do not match the tool's parameters; each violation is reported
    ///
    /// Correct every named argument as the hints say, and repeat the call.
    SchemaViolation,
    /// a session file cannot be read; the message names the file and the line
    ///
    /// Name a session file; cogtools session verify lists what is wrong with one.
    InvalidSession,
    /// a file of recorded responses is none, or is damaged; the message names the file and the line
    ///
    /// Name a file that --record has written, or record it again under another name.
    InvalidRecording,
    /// the text has no JSON value, or none within the limits
    ///
    /// Ask the model for JSON again; cogtools json --explain shows repairs.
    NoJson,
    /// the model's answer breaks the contract of a plan; each violation is reported
    ///
    /// Send every violation back to the model; the pointer names the value to correct.
    ContractViolation,
    /// code that calls tools does not fit their types; each mistake is reported
    ///
    /// Correct the calls; cogtools code types prints the types of the tools.
    CodeTypes,
    /// a program took another way when it was resumed; the message names both calls
    ///
    /// Run the program anew; its code or its tools have changed.
    CodeDiverged,
    /// a reference names a result that does not exist; each such reference is reported
    ///
    /// Refer to a name and a path in the results; failed steps have no result.
    MissingReference,
    /// the output of a flow has no value, because all nodes that it reads were skipped
    ///
    /// `cogtools flow trace` says why each node was skipped. Change the condition or the arguments,
    /// or give the output a value for that case: `{{ a or "none" }}`.
    OutputSkipped,
    /// a service cannot be reached, or is overloaded
    ///
    /// Check the network, wait a while, and continue the session.
    Unavailable,
    /// the tool's template failed or exceeded a limit; the tool's author has to fix it
    ///
    /// Correct the template at the line that the message shows.
    TemplateFailed,
    /// internal error in cogtools; please report it
    ///
    /// Report the error, and include the command.
    Internal,
    /// a file or stream could not be read or written
    ///
    /// Check that the named file exists and is readable, and that the disk is not full.
    IoFailed,
    /// another process is writing to the session file
    ///
    /// Wait until it ends, or continue in a copy: cogtools session fork.
    SessionInUse,
    /// calls wait for the user's approval; the message names the command that continues
    ///
    /// Continue the session with --approve or --reject.
    ApprovalWanted,
    /// a program ended while a call with effects was running; the hints name the options that decide
    ///
    /// Find out whether the call had an effect, and resume with --repeat or --result.
    CodeInterrupted,
    /// a flow waits for an answer; the hint names the command
    ///
    /// Answer with the command in the hint; cogtools flow resume continues the flow.
    AnswerWanted,
    /// the user has not approved the request
    ///
    /// Approve it, or use another tool.
    Denied,
    /// a program must not run without its sandbox, and this system cannot enforce it
    ///
    /// Run it on a system that has the sandbox; cogtools doctor shows what this one enforces.
    SandboxUnavailable,
    /// a tool file is invalid; the message names file, line and column
    ///
    /// Fix the file at the line shown; cogtools-discover --strict checks all tools.
    InvalidTool,
    /// a configuration file is invalid; the message names file, line and column
    ///
    /// Fix the file at the line shown; see `cogtoolrc(5)`.
    InvalidConfig,
    /// a file with cases for cogtools eval is invalid; the message names file, line and column
    ///
    /// Fix the file at the line shown; see `cogtools-eval(1)`.
    InvalidEvals,
    /// a source's declarations differ from the declarations pinned in cogtools.lock; each
    /// difference is reported
    ///
    /// Review the differences; cogtools lock pins the new declarations.
    Locked,
    /// several tools have the capability that a flow asks for; the message names them
    ///
    /// Name the tool in the flow, or exclude all but one of the tools in the message.
    AmbiguousCapability,
    /// several windows of editors have the same folder open; the message names two
    ///
    /// Close one of the windows, or set `COGTOOLS_EDITOR` to the socket of the other one.
    AmbiguousEditor,
    /// the operation timed out
    ///
    /// Close standard input after the arguments, or raise the tool's timeout.
    Timeout,
    /// code in JavaScript exceeded its time limit
    ///
    /// Do less work in each call, or look for an endless loop.
    JsTimeout,
    /// no tool of that name was found; the hints name similar ones
    ///
    /// Use one of the names in the hint; cogtools list lists all tools.
    ToolNotFound,
    /// no session of that name was found
    ///
    /// Use a name that cogtools session list shows, or the path of a file.
    SessionNotFound,
}

impl Code {
    /// Every code, in order of exit status.
    pub const ALL: [Self; Self::VARIANTS.len()] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => [Self::Internal; Self::VARIANTS.len()],
    };

    /// The name as messages carry it, such as `SCHEMA_VIOLATION`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns its description in pages.
    pub fn description(self) -> String {
        self.paragraph(0)
    }

    /// Returns the remedy for the reader of an error, in sentences.
    pub fn remedy(self) -> String {
        self.paragraph(1)
    }

    fn paragraph(self, number: usize) -> String {
        let mut paragraphs = self.get_documentation().unwrap_or_default().split("\n\n");
        let paragraph = paragraphs.nth(number).unwrap_or_default();
        paragraph.trim().replace('\n', " ")
    }

    /// The exit status of a program that stops with this code. One status has
    /// one meaning; the numbers from 64 to 78 come from `sysexits.h`.
    pub const fn status(self) -> u8 {
        match self {
            Self::ToolFailed
            | Self::UnknownProgram
            | Self::Unhealthy
            | Self::Stale
            | Self::TestFailed
            | Self::EvalFailed
            | Self::StaleRecording
            | Self::SessionDamaged
            | Self::ModelFailed
            | Self::InvalidAnswer
            | Self::StepFailed
            | Self::NodeFailed
            | Self::JsRuntime
            | Self::JsSyntax
            | Self::JsForbidden
            | Self::JsMemory
            | Self::JsResult => 1,
            Self::Usage => 2,
            Self::ModelRefused => 3,
            Self::BudgetSpent => 4,
            Self::Repetition => 5,
            Self::AnswerCut => 6,
            Self::InvalidArgumentsSyntax
            | Self::SchemaViolation
            | Self::InvalidSession
            | Self::InvalidRecording
            | Self::NoJson
            | Self::ContractViolation
            | Self::CodeTypes
            | Self::CodeDiverged
            | Self::MissingReference => 65,
            Self::OutputSkipped => 66,
            Self::Unavailable => 69,
            Self::TemplateFailed | Self::Internal => 70,
            Self::IoFailed | Self::SessionInUse => 74,
            Self::ApprovalWanted | Self::CodeInterrupted | Self::AnswerWanted => 75,
            Self::Denied | Self::SandboxUnavailable => 77,
            Self::InvalidTool
            | Self::InvalidConfig
            | Self::InvalidEvals
            | Self::Locked
            | Self::AmbiguousCapability
            | Self::AmbiguousEditor => 78,
            Self::Timeout | Self::JsTimeout => 124,
            Self::ToolNotFound | Self::SessionNotFound => 127,
        }
    }
}
