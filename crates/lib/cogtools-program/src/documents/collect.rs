//! Which tools are in the table: those of the project itself.

use crate::Io;
use crate::dirs::config_paths;
use crate::project::context;
use cogtools_core::tool::Flow;
use cogtools_core::{
    Config, ConfigErrors, ConfigPaths, Diagnostic, Project, Registry, SourceError, Tool,
};

use crate::documents::table::{Row, Table};

/// A tool whose file is about to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewTool<'t> {
    /// The tool.
    pub tool: &'t Tool,
    /// The index of the source that will contain it, and contains no other tools.
    pub source: usize,
}

/// The configuration of `project` without that of the user, which must not change a document
/// of the project.
pub fn project_config(project: &Project, io: &Io<'_>) -> Result<Config, ConfigErrors> {
    let paths = ConfigPaths {
        owners: config_paths(io).owners,
        ..ConfigPaths::default()
    };
    Config::load(project, &paths)
}

/// The table of the valid tools of `project` with `config` and of the `new` tool, and the
/// diagnostics of the other tools.
pub fn collect(
    config: Config,
    new: Option<NewTool<'_>>,
    project: &Project,
    io: &Io<'_>,
) -> (Table, Vec<Diagnostic>) {
    let Some(new) = new else {
        return rows(config, project, io);
    };
    let is_listed = {
        let name = new.tool.name().as_str();
        config.filter.matches_name(name) && config.filter.matches_toolset(None)
    };
    let mut before = config.clone();
    before.sources.truncate(new.source);
    let (before, _) = rows(before, project, io);
    let (mut table, diagnostics) = rows(config, project, io);
    let row = Row::new(new.tool);
    if is_listed && !before.rows.iter().any(|other| other.name == row.name) {
        table.rows.retain(|other| other.name != row.name);
        table.rows.insert(before.len().min(table.len()), row);
    }
    (table, diagnostics)
}

fn rows(config: Config, project: &Project, io: &Io<'_>) -> (Table, Vec<Diagnostic>) {
    let cx = context(io, project, config.env_priority, config.bounds());
    let found = Registry::new(config, None, cx).map(|tool| match tool {
        Ok(tool) => Ok((Row::new(&tool), tool.flow().map(Flow::mermaid))),
        Err(error) => Err(error.diagnostics()),
    });
    let mut diagnostics: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(SourceError::diagnostic)
        .collect();
    let mut table = Table::default();
    for item in found.items {
        match item {
            Ok((row, diagram)) => {
                let named = diagram.map(|diagram| (row.name.clone(), diagram));
                table.flows.extend(named);
                table.rows.push(row);
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    (table, diagnostics)
}
