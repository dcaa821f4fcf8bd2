//! A tool that has the name of the new one already: only one of the two is called.

use std::path::PathBuf;

use cogtools_core::{Config, Context, Name, Registry, Tool};

use crate::place::Place;

/// The tool that was called by that name until now.
pub(crate) struct Rival {
    /// Its file, as its user knows it.
    pub(crate) file: PathBuf,
    /// Whether both are found through one source.
    beside: bool,
    /// Whether it still is what is called.
    pub(crate) wins: bool,
}

impl Rival {
    /// The rival of a tool that is to be written to `place`.
    pub(crate) fn find(name: &Name, place: &Place, config: &Config) -> Option<Self> {
        if !place.listed {
            return None;
        }
        let file = called(name, config)?.file().to_path_buf();
        let mut sources = config.folders().filter(|one| one.leads_to(&place.folder));
        let beside = sources.any(|source| {
            let tool = source.find(name).ok().flatten();
            tool.is_some_and(|tool| tool.file() == file)
        });
        Some(Self {
            file,
            beside,
            wins: true,
        })
    }

    /// The same, now that the new tool is there.
    pub(crate) fn meet(mut self, name: &Name, config: &Config) -> Self {
        self.wins = called(name, config).is_some_and(|tool| tool.file() == self.file);
        self
    }

    /// What the user has to know of it.
    pub(crate) fn words(&self) -> String {
        let file = self.file.display();
        let (end, place) = if self.wins {
            ("is called instead", "first")
        } else {
            ("is hidden now", "later")
        };
        let why = if self.beside {
            format!("it comes {place} in the same source")
        } else {
            format!("its source comes {place} in `tool_sources`")
        };
        format!("`{file}` has the same name and {end}: {why}")
    }
}

/// The tool that a call of `name` means.
fn called(name: &Name, config: &Config) -> Option<Tool> {
    let registry = Registry::new(config.clone(), None, Context::default());
    registry.find(name.as_str()).ok()
}
