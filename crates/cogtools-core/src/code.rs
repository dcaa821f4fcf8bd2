//! The stable failure codes and the exit status each one leaves behind.
//!
//! Scripts and models read both, so a code is never renamed or given another
//! status; `cogtools-errors(7)` is generated from this table.

/// A stable name for one kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The tool itself reported a failure.
    ToolFailed,
    /// The porcelain has no program of that name.
    UnknownProgram,
    /// `cogtools doctor` found problems, all of which its report names.
    Unhealthy,
    /// A generated part of a file is not what it would be now.
    Stale,
    /// A tool did not pass its own examples.
    TestFailed,
    /// The command line does not say what to do.
    Usage,
    /// The arguments on standard input are not one JSON (or YAML) object.
    InvalidArgumentsSyntax,
    /// The arguments do not fit the tool's parameters.
    SchemaViolation,
    /// The tool's template stopped with an error or ran out of bounds.
    TemplateFailed,
    /// cogtools itself is wrong.
    Internal,
    /// A file or stream could not be read or written.
    IoFailed,
    /// The user has not allowed this.
    Denied,
    /// A tool file is not a valid tool.
    InvalidTool,
    /// A configuration file is not valid.
    InvalidConfig,
    /// What a source declares is not what `cogtools.lock` pins.
    Locked,
    /// The work took longer than it may.
    Timeout,
    /// No source has a tool of that name.
    ToolNotFound,
}

impl Code {
    /// Every code, in order of exit status.
    pub const ALL: [Self; 17] = [
        Self::ToolFailed,
        Self::UnknownProgram,
        Self::Unhealthy,
        Self::Stale,
        Self::TestFailed,
        Self::Usage,
        Self::InvalidArgumentsSyntax,
        Self::SchemaViolation,
        Self::TemplateFailed,
        Self::Internal,
        Self::IoFailed,
        Self::Denied,
        Self::InvalidTool,
        Self::InvalidConfig,
        Self::Locked,
        Self::Timeout,
        Self::ToolNotFound,
    ];

    /// The name as messages carry it, such as `SCHEMA_VIOLATION`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolFailed => "TOOL_FAILED",
            Self::UnknownProgram => "UNKNOWN_PROGRAM",
            Self::Unhealthy => "UNHEALTHY",
            Self::Stale => "STALE",
            Self::TestFailed => "TEST_FAILED",
            Self::Usage => "USAGE",
            Self::InvalidArgumentsSyntax => "INVALID_ARGUMENTS_SYNTAX",
            Self::SchemaViolation => "SCHEMA_VIOLATION",
            Self::TemplateFailed => "TEMPLATE_FAILED",
            Self::Internal => "INTERNAL",
            Self::IoFailed => "IO_FAILED",
            Self::Denied => "DENIED",
            Self::InvalidTool => "INVALID_TOOL",
            Self::InvalidConfig => "INVALID_CONFIG",
            Self::Locked => "LOCKED",
            Self::Timeout => "TIMEOUT",
            Self::ToolNotFound => "TOOL_NOT_FOUND",
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
            | Self::TestFailed => 1,
            Self::Usage => 2,
            Self::InvalidArgumentsSyntax | Self::SchemaViolation => 65,
            Self::TemplateFailed | Self::Internal => 70,
            Self::IoFailed => 74,
            Self::Denied => 77,
            Self::InvalidTool | Self::InvalidConfig | Self::Locked => 78,
            Self::Timeout => 124,
            Self::ToolNotFound => 127,
        }
    }

    /// What it means and who can mend it, in one sentence without a full stop.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ToolFailed => "the tool ran and failed, or its result is not what it declares",
            Self::UnknownProgram => "cogtools found no program of that name; the nearest are named",
            Self::Unhealthy => "cogtools doctor found problems; its report names what mends each",
            Self::Stale => {
                "a generated part of a file is not what it would be now; a command renews it"
            }
            Self::TestFailed => {
                "the examples of a tool did not pass their test; the report names each failure"
            }
            Self::Usage => "the command line is incomplete or has an unknown option",
            Self::InvalidArgumentsSyntax => {
                "the arguments on standard input are not one JSON (with --yaml: YAML) object"
            }
            Self::SchemaViolation => {
                "the arguments do not fit the tool's parameters; every violation has a line"
            }
            Self::TemplateFailed => {
                "the tool's template failed or went over its bounds; its author can mend it"
            }
            Self::Internal => "cogtools broke a promise of its own; please report it",
            Self::IoFailed => "a file or stream could not be read or written",
            Self::Denied => "the user has not allowed what was asked for",
            Self::InvalidTool => "a tool file is not a valid tool; file, line and column are named",
            Self::InvalidConfig => {
                "a configuration file is not valid; file, line and column are named"
            }
            Self::Locked => {
                "a source declares something else than cogtools.lock pins; each difference is named"
            }
            Self::Timeout => "the work took longer than it may",
            Self::ToolNotFound => "no tool of that name exists here; the nearest are named",
        }
    }
}
