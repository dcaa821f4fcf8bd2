//! What the codes mean, for people.

use super::Code;

impl Code {
    /// What it means and who can fix it, in one sentence without a full stop.
    /// No sentence begins with a name, since pages begin it with a capital.
    pub const fn description(self) -> &'static str {
        match self {
            Self::ToolFailed => "the tool failed, or its result does not match its declared output",
            Self::UnknownProgram => {
                "no program of that name was found; the hints name similar ones"
            }
            Self::Unhealthy => {
                "problems were found; the report of cogtools doctor names a fix for each"
            }
            Self::Stale => {
                "generated content is out of date; the report names the command that regenerates it"
            }
            Self::TestFailed => "a tool failed its examples; the report names each failure",
            Self::Usage => "the command line is incomplete or invalid",
            Self::Unavailable => "a service cannot be reached, or is overloaded",
            Self::InvalidArgumentsSyntax => {
                "the arguments on standard input are not one JSON object (with --yaml, YAML)"
            }
            Self::SchemaViolation => {
                "the arguments do not match the tool's parameters; each violation is reported"
            }
            Self::TemplateFailed => {
                "the tool's template failed or exceeded a limit; the tool's author has to fix it"
            }
            Self::Internal => "internal error in cogtools; please report it",
            Self::IoFailed => "a file or stream could not be read or written",
            Self::Denied => "the user has not approved what was requested",
            Self::SandboxUnavailable => {
                "a program must not run without its sandbox, and this system cannot enforce it"
            }
            Self::InvalidTool => "a tool file is invalid; the message names file, line and column",
            Self::InvalidConfig => {
                "a configuration file is invalid; the message names file, line and column"
            }
            Self::Locked => {
                "a source's declarations differ from those pinned in cogtools.lock; each difference is reported"
            }
            Self::AmbiguousEditor => {
                "several windows of editors have the same folder open; the message names two"
            }
            Self::Timeout => "the operation timed out",
            Self::ToolNotFound => "no tool of that name was found; the hints name similar ones",
            _ => self.model_description(),
        }
    }

    /// The same for what models do: sessions, plans, code.
    const fn model_description(self) -> &'static str {
        match self {
            Self::SessionDamaged => "a session file is damaged; the report names each finding",
            Self::ModelFailed => "the model gave no usable answer, or rejected the request",
            Self::InvalidAnswer => {
                "the model's answer does not match the schema of --schema; each violation is reported"
            }
            Self::ModelRefused => "the model, or the policies of its provider, refused to answer",
            Self::BudgetSpent => {
                "a budget is spent; what there is was printed, and the session can be continued"
            }
            Self::StepFailed => "a step of a plan failed, and those after it were skipped",
            Self::NodeFailed => "a node of a flow failed, and those that need it were skipped",
            Self::AnswerWanted => "a flow waits for an answer; the hint names the command",
            Self::AmbiguousCapability => {
                "several tools have the capability that a flow asks for; each is named"
            }
            Self::Repetition => "the model repeated the same calls until the run was ended",
            Self::ApprovalWanted => {
                "calls wait for the user's approval; the message names the command that continues"
            }
            Self::InvalidSession => {
                "a session file cannot be read; the message names the file and the line"
            }
            Self::NoJson => "the text has no JSON value, or none within the limits",
            Self::ContractViolation => {
                "the model's answer breaks the contract of a plan; each violation is reported"
            }
            Self::MissingReference => {
                "a reference leads to a result that is not there; each one is reported"
            }
            Self::SessionInUse => "another process is writing to the session file",
            Self::SessionNotFound => "no session of that name was found",
            Self::JsRuntime => "code in JavaScript threw an error; the message is the error's",
            Self::JsSyntax => "code in JavaScript is not the body of a function",
            Self::JsForbidden => "code in JavaScript called something that it may not",
            Self::JsMemory => "code in JavaScript needed more memory than there is",
            Self::JsResult => "code in JavaScript returned something that is not JSON",
            _ => "code in JavaScript exceeded its time limit",
        }
    }
}
