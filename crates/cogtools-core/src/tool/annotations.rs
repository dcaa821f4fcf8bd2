//! What a tool says of its own behaviour.

/// Hints for hosts, in the sense of MCP's tool annotations; `None` says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches out to a world without bounds, such as the web.
    pub open_world: Option<bool>,
}

impl Annotations {
    /// The names as tool files write them.
    pub const NAMES: [&'static str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

    /// The hint of that name.
    pub(super) fn slot(&mut self, name: &str) -> Option<&mut Option<bool>> {
        match name {
            "read_only" => Some(&mut self.read_only),
            "destructive" => Some(&mut self.destructive),
            "idempotent" => Some(&mut self.idempotent),
            "open_world" => Some(&mut self.open_world),
            _ => None,
        }
    }

    /// Every hint that says something, under its name in MCP.
    pub fn set(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let hints = [
            ("readOnlyHint", self.read_only),
            ("destructiveHint", self.destructive),
            ("idempotentHint", self.idempotent),
            ("openWorldHint", self.open_world),
        ];
        hints
            .into_iter()
            .filter_map(|(name, hint)| hint.map(|hint| (name, hint)))
    }
}
