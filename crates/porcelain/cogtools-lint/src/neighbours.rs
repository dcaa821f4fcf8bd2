//! The other tools of a project: what a flow may call.
//!
//! Only files are read, never a cache: the same project has the same findings on each machine.

use std::collections::BTreeMap;

use cogtools_core::{Config, Context, Registry, Source, Tool};

/// The tools of a project.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    tools: Vec<Tool>,
    aliases: BTreeMap<String, String>,
    /// True if these are all: no source is a program.
    is_complete: bool,
}

impl Neighbours {
    /// The tools in the files of the project with this configuration.
    pub(crate) fn of(config: &Config) -> Self {
        let mut config = config.clone();
        let count = config.sources.len();
        config
            .sources
            .retain(|source| !matches!(source, Source::Provider(_)));
        let is_whole = config.sources.len() == count;
        let registry = Registry::new(config, None, Context::default());
        let found = registry.map(Result::ok);
        Self {
            is_complete: is_whole
                && found.source_errors.is_empty()
                && found.items.iter().all(Option::is_some),
            aliases: registry.capability_aliases().clone(),
            tools: found.items.into_iter().flatten().collect(),
        }
    }

    /// Returns true if a tool that is not among these does not exist.
    pub(crate) const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The tool `name`.
    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name().as_str() == name)
    }

    /// The names of all tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name().as_str())
    }

    /// The capability that `name` stands for.
    pub(crate) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// The tools with a capability, after its alias.
    pub(crate) fn with_capability(&self, name: &str) -> Vec<&Tool> {
        let name = self.resolve(name);
        let has = |tool: &&Tool| tool.capabilities().iter().any(|own| own == name);
        self.tools.iter().filter(has).collect()
    }

    /// All capabilities.
    pub(crate) fn capabilities(&self) -> Vec<String> {
        self.tools
            .iter()
            .flat_map(|tool| tool.capabilities())
            .collect()
    }
}
