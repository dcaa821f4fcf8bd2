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
    /// Whether it checks arguments itself before it calls a tool.
    pub validates: bool,
    /// Where a failure stands in a functionResponse.
    pub failure: &'static str,
    /// What it prints on stdout before the model's words.
    pub banner: &'static str,
}

impl Version {
    /// The first that works: flat settings, `parameters`, no validation.
    pub const OLDEST: Self = Self {
        number: "0.1.5",
        prefix: "",
        schema: "parameters",
        validates: false,
        failure: "output",
        banner: "Data collection is disabled.\n",
    };

    /// Nested settings only, `parametersJsonSchema`, the strictest validation.
    pub const STRICT: Self = Self {
        number: "0.3.4",
        prefix: "",
        schema: "parametersJsonSchema",
        validates: true,
        failure: "error",
        banner: "",
    };

    /// The newest: prefixed names, a policy engine, `wait_for_previous`.
    pub const NEWEST: Self = Self {
        number: "0.61.0",
        prefix: "discovered_tool_",
        schema: "parametersJsonSchema",
        validates: true,
        failure: "error",
        banner: "",
    };

    /// The name that a tool is declared under.
    pub fn declared(&self, tool: &str) -> String {
        format!("{}{tool}", self.prefix)
    }
}
