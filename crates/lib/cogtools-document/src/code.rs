//! The stable failure codes and the exit status each one leaves behind.
//!
//! Scripts and models read both, so a code is never renamed or given another
//! status; `cogtools-errors(7)` is generated from this table.

use strum::{EnumMessage as _, VariantArray as _};

/// A stable name for one kind of failure, in the order of exit statuses.
///
/// The comment of a code is its description in pages: its meaning and who can fix it, in one
/// sentence without a full stop. None begins with a name, since pages begin it with a capital.
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
    ToolFailed,
    /// no program of that name was found; the hints name similar ones
    UnknownProgram,
    /// problems were found; the report of cogtools doctor names a fix for each
    Unhealthy,
    /// generated content is out of date; the report names the command that regenerates it
    Stale,
    /// a tool failed its examples; the report names each failure
    TestFailed,
    /// a case of cogtools eval failed; the report names each failure
    EvalFailed,
    /// a recording belongs to another request, task or tool; record it again, or accept it
    StaleRecording,
    /// a session file is damaged; the report names each finding
    SessionDamaged,
    /// the model gave no usable answer, or rejected the request
    ModelFailed,
    /// a step of a plan failed, and the steps after it were skipped
    StepFailed,
    /// a node of a flow failed, and the nodes that depend on it were skipped
    NodeFailed,
    /// the model's answer does not match the schema of --schema; each violation is reported
    InvalidAnswer,
    /// code in JavaScript threw an error; the message is the error's
    JsRuntime,
    /// code in JavaScript is not the body of a function
    JsSyntax,
    /// code in JavaScript called a function that is not allowed
    JsForbidden,
    /// code in JavaScript exceeded its memory limit
    JsMemory,
    /// code in JavaScript returned a value that is not JSON
    JsResult,
    /// the command line is incomplete or invalid
    Usage,
    /// the model, or the policies of its provider, refused to answer
    ModelRefused,
    /// a budget is spent; the partial result was printed, and the session can be continued
    BudgetSpent,
    /// the answer reached the limit of tokens; its beginning was printed
    AnswerCut,
    /// the model repeated the same calls, and the run was stopped
    Repetition,
    /// the arguments on standard input are not one JSON object (with --yaml, YAML)
    InvalidArgumentsSyntax,
    /// the arguments do not match the tool's parameters; each violation is reported
    SchemaViolation,
    /// a session file cannot be read; the message names the file and the line
    InvalidSession,
    /// a file of recorded responses is none, or is damaged; the message names the file and the line
    InvalidRecording,
    /// the text has no JSON value, or none within the limits
    NoJson,
    /// the model's answer breaks the contract of a plan; each violation is reported
    ContractViolation,
    /// code that calls tools does not fit their types; each mistake is reported
    CodeTypes,
    /// a program took another way when it was resumed; the message names both calls
    CodeDiverged,
    /// a reference names a result that does not exist; each such reference is reported
    MissingReference,
    /// the output of a flow has no value, because all nodes that it reads were skipped
    OutputSkipped,
    /// a service cannot be reached, or is overloaded
    Unavailable,
    /// the tool's template failed or exceeded a limit; the tool's author has to fix it
    TemplateFailed,
    /// internal error in cogtools; please report it
    Internal,
    /// a file or stream could not be read or written
    IoFailed,
    /// another process is writing to the session file
    SessionInUse,
    /// calls wait for the user's approval; the message names the command that continues
    ApprovalWanted,
    /// a program ended while a call with effects was running; the hints name the options that decide
    CodeInterrupted,
    /// a flow waits for an answer; the hint names the command
    AnswerWanted,
    /// the user has not approved the request
    Denied,
    /// a program must not run without its sandbox, and this system cannot enforce it
    SandboxUnavailable,
    /// a tool file is invalid; the message names file, line and column
    InvalidTool,
    /// a configuration file is invalid; the message names file, line and column
    InvalidConfig,
    /// a file with cases for cogtools eval is invalid; the message names file, line and column
    InvalidEvals,
    /// a source's declarations differ from the declarations pinned in cogtools.lock; each
    /// difference is reported
    Locked,
    /// several tools have the capability that a flow asks for; the message names them
    AmbiguousCapability,
    /// several windows of editors have the same folder open; the message names two
    AmbiguousEditor,
    /// the operation timed out
    Timeout,
    /// code in JavaScript exceeded its time limit
    JsTimeout,
    /// no tool of that name was found; the hints name similar ones
    ToolNotFound,
    /// no session of that name was found
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
        let lines = self.get_documentation().unwrap_or_default().lines();
        lines.collect::<Vec<_>>().join(" ")
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
