//! The limits of hosts, in one table with their sources.

/// A limit of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimit {
    /// Whose limit it is.
    pub host: &'static str,
    /// What it limits, in the plural.
    pub what: &'static str,
    /// The maximum.
    pub max: usize,
    /// Where it is documented, or what was observed.
    pub source: &'static str,
    /// When that was read: year and month.
    pub date: &'static str,
}

const STRUCTURED_OUTPUTS: &str = "https://platform.openai.com/docs/guides/structured-outputs";

impl HostLimit {
    /// The characters of a tool's description.
    pub const DESCRIPTION: Self = Self {
        host: "OpenAI",
        what: "characters in the description of a tool",
        max: 1_024,
        source: "https://platform.openai.com/docs/api-reference/chat/create",
        date: "2026-10",
    };
    /// The characters of a parameter's name.
    pub const PARAMETER_NAME: Self = Self {
        host: "Gemini and Anthropic",
        what: "characters in the name of a parameter",
        max: 64,
        source: "https://ai.google.dev/api/caching#Schema, and the error of the API",
        date: "2026-10",
    };
    /// The properties of all objects of a tool.
    pub const PROPERTIES: Self = Self {
        host: "OpenAI in strict mode",
        what: "properties in the schema of a tool",
        max: 5_000,
        source: STRUCTURED_OUTPUTS,
        date: "2026-02",
    };
    /// The objects around a property.
    pub const NESTING: Self = Self {
        host: "OpenAI in strict mode",
        what: "objects inside each other",
        max: 10,
        source: STRUCTURED_OUTPUTS,
        date: "2026-02",
    };
    /// The values of all enums of a tool.
    pub const ENUM_VALUES: Self = Self {
        host: "OpenAI in strict mode",
        what: "values of enums in the schema of a tool",
        max: 1_000,
        source: STRUCTURED_OUTPUTS,
        date: "2026-02",
    };
    /// The characters of a large enum's values.
    pub const LARGE_ENUM: Self = Self {
        host: "OpenAI in strict mode",
        what: "characters in an enum of more than 250 values",
        max: 15_000,
        source: STRUCTURED_OUTPUTS,
        date: "2026-02",
    };
    /// How many values make an enum a large one.
    pub const LARGE_ENUM_VALUES: usize = 250;
    /// The characters of all names and values of a tool.
    pub const SCHEMA_TEXT: Self = Self {
        host: "OpenAI in strict mode",
        what: "characters in the names and values of a tool's schema",
        max: 120_000,
        source: STRUCTURED_OUTPUTS,
        date: "2026-02",
    };
    /// All limits.
    pub const ALL: [Self; 7] = [
        Self::DESCRIPTION,
        Self::PARAMETER_NAME,
        Self::PROPERTIES,
        Self::NESTING,
        Self::ENUM_VALUES,
        Self::LARGE_ENUM,
        Self::SCHEMA_TEXT,
    ];

    /// The message for a tool with `found` of them, if those are too many.
    pub fn exceeded(&self, found: usize) -> Option<String> {
        let Self {
            host, what, max, ..
        } = self;
        (found > *max).then(|| format!("{found} {what}; {host} accepts {max}"))
    }
}
