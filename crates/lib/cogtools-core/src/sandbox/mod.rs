//! What a program may reach, as its tool or its source declares: `sandbox`.
//!
//! A sandbox has only what it names. A tool of the project without one is not confined; a package
//! or a provider always has one, if only an empty one.

mod error;
mod folders;
mod limitation;
mod path;
mod read;
mod run;

use serde_json::{Value, json};

pub use error::SandboxError;
pub use limitation::{LIMITATIONS, Limitation};
pub use path::SandboxPath;
pub(crate) use run::{Run, RunError};

use crate::size;

/// What a program may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// What it may read, besides the system, its own files and `write`; the project, if there is
    /// none.
    pub read: Option<Vec<SandboxPath>>,
    /// What it may change, besides a temporary folder of its own.
    pub write: Vec<SandboxPath>,
    /// Whether it may use the network, if it says so.
    pub net: Option<bool>,
    /// Bytes of memory that each process can write.
    pub memory: Option<u64>,
    /// Processes and threads in addition to those that exist.
    pub processes: Option<u64>,
}

impl Sandbox {
    /// The keys.
    pub const KEYS: [&'static str; 5] = ["read", "write", "net", "memory", "processes"];
    /// The least memory: with less, no program starts.
    pub const MIN_MEMORY: u64 = 1 << 20;
    /// The least number of processes.
    pub const MIN_PROCESSES: u64 = 1;

    /// What every MCP server has that declares nothing else: most are there to reach a service.
    #[must_use]
    pub(crate) fn with_network(mut self) -> Self {
        self.net.get_or_insert(true);
        self
    }

    /// The paths that are not below the project's root.
    pub fn outside(&self) -> impl Iterator<Item = &SandboxPath> {
        let read = self.read.iter().flatten();
        read.chain(&self.write).filter(|path| !path.is_inside())
    }

    /// What it permits and limits, for people: one line for each.
    pub fn describe(&self) -> Vec<String> {
        let list = |paths: &[SandboxPath]| {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            paths.join(" ")
        };
        let read = match &self.read {
            None => "read the project".to_owned(),
            Some(paths) if paths.is_empty() => "read nothing of the project".to_owned(),
            Some(paths) => format!("read {}", list(paths)),
        };
        let write = match self.write.as_slice() {
            [] => "write nothing".to_owned(),
            paths => format!("write {}", list(paths)),
        };
        let network = if self.net == Some(true) {
            "use the network"
        } else {
            "not use the network"
        };
        let mut lines = vec![read, write, network.to_owned()];
        let memory = self.memory.map(size::show);
        lines.extend(memory.map(|size| format!("use {size} of memory")));
        let processes = self.processes.map(|it| format!("add {it} processes"));
        lines.extend(processes);
        lines
    }

    /// Its canonical form, for digests.
    pub fn to_json(&self) -> Value {
        let texts = |paths: &[SandboxPath]| -> Vec<String> {
            paths.iter().map(ToString::to_string).collect()
        };
        json!({
            "read": self.read.as_deref().map(texts),
            "write": texts(&self.write),
            "net": self.net,
            "memory": self.memory,
            "processes": self.processes,
        })
    }
}
