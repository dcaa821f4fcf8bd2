//! The shape of `sandbox`: in a tool file, of a source, and as a mode.

use schemars::JsonSchema;

use crate::schema::limits::Size;
use crate::schema::shape::match_parser;

/// What a program may reach. Nothing else is permitted.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Sandbox {
    /// What it may read besides the system and its own files: paths from the project's root,
    /// below ~, or absolute. By default, the project.
    pub read: Option<Paths>,
    /// What it may also change; by default, only a temporary folder of its own. A folder of the
    /// project that does not exist is made.
    pub write: Option<Paths>,
    /// Whether it may use the network; by default, only an MCP server may.
    pub net: Option<bool>,
    /// The memory of each process; by default, that of `limits`.
    pub memory: Option<Size>,
    /// How many processes and threads may be added to those that exist; by default, that of
    /// `limits`.
    #[schemars(range(min = 1))]
    pub processes: Option<u64>,
}

/// Paths.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub struct Paths(pub Vec<Path>);

/// A path.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub struct Path(#[schemars(regex(pattern = r"^(~$|~/|[^~])(.*\S)?"))] pub String);

/// Whether programs are confined to their sandboxes.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
pub enum Mode {
    /// They are not.
    Off,
    /// They are, as far as the system can.
    BestEffort,
    /// They are, and do not run where the system cannot.
    Required,
}
