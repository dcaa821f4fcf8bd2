//! The built-in configuration.

use std::collections::BTreeMap;
use std::path::Path;

use super::origin::Setting;
use super::{AskConfig, Config, PromptConfig};
use crate::Project;
use crate::environment::EnvPriority;
use crate::filter::Filter;
use crate::process::{Limits, SandboxMode};
use crate::source::{Folder, Source};

/// The default folder of tools.
const DEFAULT_FOLDER: &str = "tools";

impl Config {
    /// The built-in configuration.
    pub(super) fn standard(project: &Project) -> Self {
        let (path, display_path) = project.resolve(Path::new(DEFAULT_FOLDER));
        Self {
            sources: vec![Source::Folder(Folder::new(
                path,
                display_path,
                false,
                project.read_scope(),
            ))],
            env_priority: EnvPriority::default(),
            locked: false,
            filter: Filter::default(),
            hosts: Vec::new(),
            budgets: Vec::new(),
            limits: Limits::DEFAULT,
            sandbox: SandboxMode::default(),
            ask: AskConfig::standard(),
            prompt: PromptConfig::default(),
            capability_aliases: BTreeMap::new(),
            rules: Vec::new(),
            settings: vec![
                Setting::built_in("tool_sources", serde_json::json!([{"local": "./tools"}])),
                Setting::built_in("env_priority", "project".into()),
                Setting::built_in("sandbox", SandboxMode::default().name().into()),
            ],
            users_prompt: PromptConfig::default(),
            additions: Vec::new(),
            user_sources: None,
            inherit: true,
        }
    }
}
