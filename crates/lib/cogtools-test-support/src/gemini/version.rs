//! The tested versions and the differences between them.

/// One generation of Gemini CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The version on npm.
    pub number: &'static str,
    /// The prefix of a discovered tool's name.
    pub prefix: &'static str,
    /// The key of a declaration with the schema that the model sees.
    pub schema: &'static str,
    /// True if it validates arguments before it calls a tool.
    pub validates: bool,
    /// The key of an error in a functionResponse.
    pub failure: &'static str,
    /// Its output on stdout before the model's text.
    pub banner: &'static str,
}

impl Version {
    /// The first supported version: flat settings, `parameters`, no validation.
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
