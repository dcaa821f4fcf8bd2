//! The keys of a tool file.

use strum::VariantArray as _;

/// The URN a tool file may name as its `$schema`.
pub(super) const SCHEMA: &str = "schema:agladysh-research.org,2025/cogtools:tool";

/// A key at the top of a tool file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Key {
    /// `$schema`
    #[strum(serialize = "$schema")]
    Schema,
    /// `name`
    Name,
    /// `title`
    Title,
    /// `description`
    Description,
    /// `parameters`
    Parameters,
    /// `parameters_schema`
    ParametersSchema,
    /// `examples`
    Examples,
    /// `implementation`
    Implementation,
    /// `output`
    Output,
    /// `annotations`
    Annotations,
    /// `capabilities`
    Capabilities,
    /// `env`
    Env,
    /// `timeout`
    Timeout,
    /// `sandbox`
    Sandbox,
}

impl Key {
    /// All keys, in the order in which a tool file usually has them.
    pub const ALL: [Self; Self::VARIANTS.len()] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => [Self::Schema; Self::VARIANTS.len()],
    };

    /// The key as in a tool file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The key's description in the reference.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Schema => {
                "The format of the file: schema:agladysh-research.org,2025/cogtools:tool. Optional."
            }
            Self::Name => {
                "The tool's name, the same as the file's name without .yaml: a letter or underscore, then letters, digits, underscores and hyphens; at most 47 characters, which every host accepts. Required."
            }
            Self::Title => "A title for people, shown by some hosts.",
            Self::Description => {
                "The description for the model: what the tool does and when to call it. Keep it short; some hosts append text to it. Required."
            }
            Self::Parameters => {
                "A map from parameter names to entries, which may use short forms. Each parameter is required unless it has optional: true or a default. Without this key (and parameters_schema), the tool takes no arguments."
            }
            Self::ParametersSchema => {
                "A plain OpenAPI 3.0 Schema Object of type object, instead of parameters."
            }
            Self::Examples => {
                "A list of argument maps, which must be valid; they serve as documentation and tests. A map with the key arguments says more: name, with, contains, matches, redact and fails."
            }
            Self::Implementation => {
                "A string is a Nunjucks template over the arguments, whose output is the result. A map selects another kind: njk_file, js, exec, script, http, agent or flow. Required."
            }
            Self::Output => {
                "The type of the result: type: text (the default) or type: json. With schema, an OpenAPI 3.0 Schema Object of any type, the JSON is validated against it."
            }
            Self::Annotations => {
                "Hints for hosts on the effects of the tool: read_only, destructive, idempotent, open_world, each true or false."
            }
            Self::Capabilities => "What the tool provides, as provider.operation names.",
            Self::Env => {
                "The names of the environment variables that the tool may see. Templates see none."
            }
            Self::Timeout => "How many seconds the tool may run; 60 by default.",
            Self::Sandbox => {
                "What the program of exec or script may reach: read and write (lists of paths), net (true or false), memory (a size) and processes (a number). Nothing else is permitted. A tool of the project without it is not confined; one of a package always is."
            }
        }
    }

    /// Returns the key named `text`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}
