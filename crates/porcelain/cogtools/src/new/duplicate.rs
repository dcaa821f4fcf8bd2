//! An existing tool of the same name: only one of the two can be called.

use std::path::PathBuf;

use cogtools_core::{Config, Context, Name, Registry, Tool};

use crate::new::destination::Destination;

/// The tool that had the name before.
pub(crate) struct Duplicate {
    /// Its file, for messages.
    pub(crate) file: PathBuf,
    /// Whether both are in the same source.
    same_source: bool,
    /// Whether it still takes precedence.
    pub(crate) wins: bool,
}

impl Duplicate {
    /// The duplicate of a tool that is about to be written to `destination`.
    pub(crate) fn find(name: &Name, destination: &Destination, config: &Config) -> Option<Self> {
        if !destination.listed {
            return None;
        }
        let file = find_tool(name, config)?.file().to_path_buf();
        let mut sources = config
            .folders()
            .filter(|source| source.leads_to(&destination.folder));
        let same_source = sources.any(|source| {
            let tool = source.find(name).ok().flatten();
            tool.is_some_and(|tool| tool.file() == file)
        });
        Some(Self {
            file,
            same_source,
            wins: true,
        })
    }

    /// Updated after the new tool has been created.
    pub(crate) fn after_creation(mut self, name: &Name, config: &Config) -> Self {
        self.wins = find_tool(name, config).is_some_and(|tool| tool.file() == self.file);
        self
    }

    /// The message for the user.
    pub(crate) fn message(&self) -> String {
        let file = self.file.display();
        let (effect, position) = if self.wins {
            ("is called instead", "first")
        } else {
            ("is now shadowed", "later")
        };
        let why = if self.same_source {
            format!("it comes {position} in the same source")
        } else {
            format!("its source comes {position} in `tool_sources`")
        };
        format!("`{file}` has the same name and {effect}: {why}")
    }
}

/// The tool that a call of `name` runs.
fn find_tool(name: &Name, config: &Config) -> Option<Tool> {
    let registry = Registry::new(config.clone(), None, Context::default());
    registry.find(name.as_str()).ok()
}
