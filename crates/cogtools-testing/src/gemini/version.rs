//! The versions that are tried, and what differs between them.

/// One generation of Gemini CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The version on npm.
    pub number: &'static str,
    /// What a discovered tool's name is prefixed with.
    pub prefix: &'static str,
    /// The key of a declaration that holds the schema the model sees.
    pub schema: &'static str,
    /// Whether it shows its user what discovery prints on stderr.
    pub warns: bool,
    /// Whether it checks arguments itself before it calls a tool.
    pub validates: bool,
    /// Where a failure stands in a functionResponse.
    pub failure: &'static str,
    /// Lines it prints on stdout and stderr whatever happens.
    pub(super) noise: &'static [&'static str],
}

impl Version {
    /// The first that works: flat settings, `parameters`, no validation.
    pub const OLDEST: Self = Self {
        number: "0.1.5",
        prefix: "",
        schema: "parameters",
        warns: true,
        validates: false,
        failure: "output",
        noise: &["Data collection is disabled."],
    };

    /// Nested settings only, `parametersJsonSchema`, the strictest validation.
    pub const STRICT: Self = Self {
        number: "0.3.4",
        prefix: "",
        schema: "parametersJsonSchema",
        warns: false,
        validates: true,
        failure: "error",
        noise: &[],
    };

    /// The newest: prefixed names, a policy engine, `wait_for_previous`.
    pub const NEWEST: Self = Self {
        number: "0.61.0",
        prefix: "discovered_tool_",
        schema: "parametersJsonSchema",
        warns: false,
        validates: true,
        failure: "error",
        noise: &[
            "YOLO mode is enabled. All tool calls will be automatically approved.",
            "Ripgrep is not available. Falling back to GrepTool.",
        ],
    };

    /// The name that a tool is declared under.
    pub fn declared(&self, tool: &str) -> String {
        format!("{}{tool}", self.prefix)
    }
}
