//! Annotations: hints to hosts about the effects of a tool.

use schemars::JsonSchema;

/// Hints for hosts, as in MCP's tool annotations; `None` is unspecified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Annotations {
    /// The tool does not modify its environment.
    pub read_only: Option<bool>,
    /// The tool may perform destructive updates.
    pub destructive: Option<bool>,
    /// Repeating a call with the same arguments has no additional effect.
    pub idempotent: Option<bool>,
    /// The tool interacts with an open world, such as the web.
    pub open_world: Option<bool>,
}

impl Annotations {
    /// The names in tool files.
    pub const NAMES: [&'static str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

    /// The names in MCP.
    pub(super) const MCP_NAMES: [&'static str; 4] = [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ];

    /// The hint called `name`.
    pub(super) fn slot(&mut self, name: &str) -> Option<&mut Option<bool>> {
        match name {
            "read_only" => Some(&mut self.read_only),
            "destructive" => Some(&mut self.destructive),
            "idempotent" => Some(&mut self.idempotent),
            "open_world" => Some(&mut self.open_world),
            _ => None,
        }
    }

    /// Every specified hint, under its name in MCP.
    pub fn set(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let hints = [
            self.read_only,
            self.destructive,
            self.idempotent,
            self.open_world,
        ];
        let hints = Self::MCP_NAMES.into_iter().zip(hints);
        hints.filter_map(|(name, hint)| hint.map(|hint| (name, hint)))
    }
}
