//! The keys of a tool file.

use strum::{EnumMessage as _, VariantArray as _};

/// The URN a tool file may name as its `$schema`.
pub(super) const SCHEMA: &str = "schema:agladysh-research.org,2025/cogtools:tool";

/// A key of a tool file, in the usual order. Its comment is its description in pages.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::EnumMessage,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Key {
    /// The format of the file: `schema:agladysh-research.org,2025/cogtools:tool`. Optional.
    #[strum(serialize = "$schema")]
    Schema,
    /// The tool's name, the same as the file's name without .yaml: a letter or underscore, then
    /// letters, digits, underscores and hyphens; at most 47 characters, which every host accepts.
    /// Required.
    Name,
    /// A title for people, shown by some hosts.
    Title,
    /// The description for the model: what the tool does and when to call it. Keep it short; some
    /// hosts append text to it. Required.
    Description,
    /// The tool to use instead, such as: use forecast. Models and people are told so.
    Deprecated,
    /// A map from parameter names to entries, which may use short forms. Each parameter is
    /// required unless it has optional: true or a default. Without this key (and
    /// `parameters_schema`), the tool takes no arguments.
    Parameters,
    /// A plain OpenAPI 3.0 Schema Object of type object, instead of parameters.
    ParametersSchema,
    /// A list of argument maps, which must be valid; they serve as documentation and tests. A map
    /// with the key arguments says more: name, with, contains, matches, redact and fails.
    Examples,
    /// A string is a Nunjucks template over the arguments, whose output is the result. A map
    /// selects another kind: `njk_file`, js, exec, script, http, agent or flow. Required.
    Implementation,
    /// The type of the result: type: text (the default) or type: json. With schema, an OpenAPI 3.0
    /// Schema Object of any type, the JSON is validated against it. Also type: content (blocks of
    /// MCP), or a media type such as image/png, of the file that a program prints.
    Output,
    /// Hints for hosts on the effects of the tool: `read_only`, destructive, idempotent,
    /// `open_world`, each true or false.
    Annotations,
    /// Capabilities of the tool, as provider.operation names.
    Capabilities,
    /// The names of the environment variables that the tool may see. Templates see none.
    Env,
    /// The time limit of a call in seconds; 60 by default.
    Timeout,
    /// The files and the network that the program of exec or script may reach: read and write
    /// (lists of paths), net (true or false), memory (a size), processes (a number) and cpu (seconds). Nothing else
    /// is permitted. A tool of the project without it is not confined; one of a package always is.
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

    /// Returns its description in pages.
    pub fn description(self) -> String {
        let lines = self.get_documentation().unwrap_or_default().lines();
        lines.collect::<Vec<_>>().join(" ").replace('`', "")
    }

    /// Returns the key named `text`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}
