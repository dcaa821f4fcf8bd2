//! The shape of the key `limits` in a configuration.

use schemars::JsonSchema;

use crate::schema::shape::match_parser;

/// What each program may use.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Limits {
    /// The memory of each process. By default, 4 GiB.
    pub memory: Option<Size>,
    /// How many processes and threads may be added to those that exist. By default, 4096.
    #[schemars(range(min = 8))]
    pub processes: Option<u64>,
    /// The open files of each process. By default, 16384.
    #[schemars(range(min = 8))]
    pub files: Option<u64>,
    /// The size of each file that is written. By default, 4 GiB.
    pub file_size: Option<Size>,
}

/// A number of bytes, at least 1 MiB, or a text such as 512 MiB.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Size {
    /// A number of bytes.
    Bytes(#[schemars(range(min = 1_048_576))] u64),
    /// A number with a unit.
    Text(#[schemars(regex(pattern = r"^[0-9]+ ?([KMGTP]i)?B$"))] String),
}
