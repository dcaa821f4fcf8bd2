//! What a program may use.

/// What each program may use that a tool or a source runs. Generous: it bounds what a mistake or
/// an attack costs, not what a program is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory that it can write, for each process.
    pub memory: u64,
    /// Processes and threads in addition to those that exist.
    pub processes: u64,
    /// Open files, for each process.
    pub files: u64,
    /// Bytes in each file that it writes.
    pub file_size: u64,
}

impl Limits {
    /// The names of the limits in a configuration.
    pub const KEYS: [&'static str; 4] = ["memory", "processes", "files", "file_size"];
    /// No limits at all: more than any system has.
    pub const UNLIMITED: Self = Self {
        memory: u64::MAX,
        processes: u64::MAX,
        files: u64::MAX,
        file_size: u64::MAX,
    };
    /// The limits without configuration.
    pub const DEFAULT: Self = Self {
        memory: 4 << 30,
        processes: 4096,
        files: 16 << 10,
        file_size: 4 << 30,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
