//! The stable failure codes and the exit status each one leaves behind.
//!
//! Scripts and models read both, so a code is never renamed or given another
//! status; `cogtools-errors(7)` is generated from this table.

mod description;

/// A stable name for one kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The tool itself reported a failure.
    ToolFailed,
    /// The porcelain has no program of that name.
    UnknownProgram,
    /// `cogtools doctor` found problems, all of which its report names.
    Unhealthy,
    /// Generated content is out of date.
    Stale,
    /// A tool did not pass its own examples.
    TestFailed,
    /// A session file is damaged; only `cogtools session verify` fails with it.
    SessionDamaged,
    /// The model gave no usable answer, or rejected the request.
    ModelFailed,
    /// The model's answer does not match the schema that the user has named.
    InvalidAnswer,
    /// The JavaScript code threw an error.
    JsRuntime,
    /// The JavaScript code is not the body of a function.
    JsSyntax,
    /// The JavaScript code called something that it may not.
    JsForbidden,
    /// The JavaScript code needed too much memory.
    JsMemory,
    /// The JavaScript code returned something that is not JSON.
    JsResult,
    /// The command line is invalid.
    Usage,
    /// The model, or the policies of its provider, refused to answer.
    ModelRefused,
    /// A budget is spent.
    BudgetSpent,
    /// A step of a plan failed; the steps after it were skipped.
    StepFailed,
    /// A node of a flow failed.
    NodeFailed,
    /// The model repeated the same calls.
    Repetition,
    /// The arguments on standard input are not one JSON (or YAML) object.
    InvalidArgumentsSyntax,
    /// The arguments do not match the tool's parameters.
    SchemaViolation,
    /// A session file cannot be read as one.
    InvalidSession,
    /// A text has no JSON value.
    NoJson,
    /// A model's answer breaks the contract of a plan.
    ContractViolation,
    /// A reference to a result that is not there.
    MissingReference,
    /// A service cannot be reached, or is overloaded.
    Unavailable,
    /// The tool's template failed or exceeded a limit.
    TemplateFailed,
    /// A bug in cogtools.
    Internal,
    /// A file or stream could not be read or written.
    IoFailed,
    /// Another process is writing to the session file.
    SessionInUse,
    /// The run waits for the user's approval.
    ApprovalWanted,
    /// A flow waits for an answer of the user.
    AnswerWanted,
    /// The user has not approved this.
    Denied,
    /// A sandbox is required, and the system cannot enforce it.
    SandboxUnavailable,
    /// A tool file is not a valid tool.
    InvalidTool,
    /// A configuration file is not valid.
    InvalidConfig,
    /// The declarations of a source differ from those that `cogtools.lock` pins.
    Locked,
    /// Several tools have the capability that a flow asks for.
    AmbiguousCapability,
    /// Several windows of editors have the same folder open.
    AmbiguousEditor,
    /// The operation timed out.
    Timeout,
    /// The JavaScript code ran too long.
    JsTimeout,
    /// No source has a tool of that name.
    ToolNotFound,
    /// There is no session of that name.
    SessionNotFound,
}

impl Code {
    /// Every code, in order of exit status.
    pub const ALL: [Self; 43] = [
        Self::ToolFailed,
        Self::UnknownProgram,
        Self::Unhealthy,
        Self::Stale,
        Self::TestFailed,
        Self::SessionDamaged,
        Self::ModelFailed,
        Self::StepFailed,
        Self::NodeFailed,
        Self::InvalidAnswer,
        Self::JsRuntime,
        Self::JsSyntax,
        Self::JsForbidden,
        Self::JsMemory,
        Self::JsResult,
        Self::Usage,
        Self::ModelRefused,
        Self::BudgetSpent,
        Self::Repetition,
        Self::InvalidArgumentsSyntax,
        Self::SchemaViolation,
        Self::InvalidSession,
        Self::NoJson,
        Self::ContractViolation,
        Self::MissingReference,
        Self::Unavailable,
        Self::TemplateFailed,
        Self::Internal,
        Self::IoFailed,
        Self::SessionInUse,
        Self::ApprovalWanted,
        Self::AnswerWanted,
        Self::Denied,
        Self::SandboxUnavailable,
        Self::InvalidTool,
        Self::InvalidConfig,
        Self::Locked,
        Self::AmbiguousCapability,
        Self::AmbiguousEditor,
        Self::Timeout,
        Self::JsTimeout,
        Self::ToolNotFound,
        Self::SessionNotFound,
    ];

    /// The name as messages carry it, such as `SCHEMA_VIOLATION`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolFailed => "TOOL_FAILED",
            Self::UnknownProgram => "UNKNOWN_PROGRAM",
            Self::Unhealthy => "UNHEALTHY",
            Self::Stale => "STALE",
            Self::TestFailed => "TEST_FAILED",
            Self::SessionDamaged => "SESSION_DAMAGED",
            Self::ModelFailed => "MODEL_FAILED",
            Self::InvalidAnswer => "INVALID_ANSWER",
            Self::JsRuntime => "JS_RUNTIME",
            Self::JsSyntax => "JS_SYNTAX",
            Self::JsForbidden => "JS_FORBIDDEN",
            Self::JsMemory => "JS_MEMORY",
            Self::JsResult => "JS_RESULT",
            Self::JsTimeout => "JS_TIMEOUT",
            Self::Usage => "USAGE",
            Self::ModelRefused => "MODEL_REFUSED",
            Self::BudgetSpent => "BUDGET_SPENT",
            Self::StepFailed => "STEP_FAILED",
            Self::NodeFailed => "NODE_FAILED",
            Self::Repetition => "REPETITION",
            Self::Unavailable => "UNAVAILABLE",
            Self::ApprovalWanted => "APPROVAL_WANTED",
            Self::AnswerWanted => "ANSWER_WANTED",
            Self::InvalidArgumentsSyntax => "INVALID_ARGUMENTS_SYNTAX",
            Self::SchemaViolation => "SCHEMA_VIOLATION",
            Self::InvalidSession => "INVALID_SESSION",
            Self::NoJson => "NO_JSON",
            Self::ContractViolation => "CONTRACT_VIOLATION",
            Self::MissingReference => "MISSING_REFERENCE",
            Self::TemplateFailed => "TEMPLATE_FAILED",
            Self::Internal => "INTERNAL",
            Self::IoFailed => "IO_FAILED",
            Self::SessionInUse => "SESSION_IN_USE",
            Self::Denied => "DENIED",
            Self::SandboxUnavailable => "SANDBOX_UNAVAILABLE",
            Self::InvalidTool => "INVALID_TOOL",
            Self::InvalidConfig => "INVALID_CONFIG",
            Self::Locked => "LOCKED",
            Self::AmbiguousCapability => "AMBIGUOUS_CAPABILITY",
            Self::AmbiguousEditor => "AMBIGUOUS_EDITOR",
            Self::Timeout => "TIMEOUT",
            Self::ToolNotFound => "TOOL_NOT_FOUND",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
        }
    }

    /// The exit status of a program that stops with this code. One status has
    /// one meaning; the numbers from 64 to 78 are those of `sysexits.h`.
    pub const fn status(self) -> u8 {
        match self {
            Self::ToolFailed
            | Self::UnknownProgram
            | Self::Unhealthy
            | Self::Stale
            | Self::TestFailed
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
            Self::InvalidArgumentsSyntax
            | Self::SchemaViolation
            | Self::InvalidSession
            | Self::NoJson
            | Self::ContractViolation
            | Self::MissingReference => 65,
            Self::Unavailable => 69,
            Self::TemplateFailed | Self::Internal => 70,
            Self::IoFailed | Self::SessionInUse => 74,
            Self::ApprovalWanted | Self::AnswerWanted => 75,
            Self::Denied | Self::SandboxUnavailable => 77,
            Self::InvalidTool
            | Self::InvalidConfig
            | Self::Locked
            | Self::AmbiguousCapability
            | Self::AmbiguousEditor => 78,
            Self::Timeout | Self::JsTimeout => 124,
            Self::ToolNotFound | Self::SessionNotFound => 127,
        }
    }
}
