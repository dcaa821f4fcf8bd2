//! The templates of a tool checked against the types of its parameters, once for all rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use cogtools_core::tool::{Flow, Output, TemplateSource};
use cogtools_core::{Location, Tool};
use njk::types::{self, Problem, TypeProblem};

use crate::flow::result::ResultTypes;
use crate::included_templates;
use crate::neighbours::Neighbours;
use crate::parameter_types::ParameterTypes;

/// What is wrong with the templates of a tool.
#[derive(Debug, Default)]
pub(crate) struct ToolTypes {
    pub(crate) problems: Vec<(Location, Problem)>,
    /// The pointers of nested properties that no template reads.
    pub(crate) unused: Vec<String>,
    /// All files that the templates load are known, and parse.
    pub(crate) complete: bool,
}

impl ToolTypes {
    pub(crate) fn of(tool: &Tool, neighbours: &Neighbours) -> Self {
        if let Some(flow) = tool.flow() {
            return Self::of_flow(tool, flow, neighbours);
        }
        let parameters = ParameterTypes::of(tool.schema());
        let mut this = Self::default();
        let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut complete = tool.is_template();
        let find = |name: &str| {
            let source = included_templates::partial(tool, name)?;
            Some(source.source().to_owned())
        };
        let is_json = tool.is_template() && matches!(tool.output(), Output::Json(_));
        for source in tool.templates() {
            let mut variables = parameters.types.clone();
            for (name, ty) in &mut variables {
                if source.is_guarded(name, tool.schema()) {
                    *ty = ty.clone().required();
                }
            }
            let checked = types::check(source.name(), source.source(), &variables, is_json, &find);
            let Ok(checked) = checked else {
                complete = false;
                continue;
            };
            complete &= checked.complete;
            used.extend(checked.used);
            for problem in checked.problems {
                let location = locate(tool, &source, &problem);
                let found = location.map(|location| (location, problem.problem));
                this.problems
                    .extend(found.filter(|found| !this.problems.contains(found)));
            }
        }
        this.complete = complete;
        if complete {
            let unused = parameters.nested.iter().filter(|it| !used.contains(*it));
            this.unused = unused.map(ToString::to_string).collect();
        }
        this
    }
}

impl ToolTypes {
    /// What is wrong with the templates of a flow: results of its nodes are variables, too.
    fn of_flow(tool: &Tool, flow: &Flow, neighbours: &Neighbours) -> Self {
        let parameters = ParameterTypes::of(tool.schema());
        let results = ResultTypes::of(flow, neighbours);
        let mut this = Self::default();
        let find = |name: &str| {
            let source = included_templates::partial(tool, name)?;
            Some(source.source().to_owned())
        };
        for template in flow.sources(tool.text()) {
            let mut variables = parameters.types.clone();
            variables.extend(results.variables(&template));
            let source = &template.source;
            let checked = types::check(source.name(), source.source(), &variables, false, &find);
            let problems = checked.map(|checked| checked.problems).unwrap_or_default();
            for problem in problems {
                // The condition of the node is a template of its own.
                if source.is_added(problem.line, problem.column) {
                    continue;
                }
                let location = locate(tool, source, &problem);
                let found = location.map(|location| (location, problem.problem));
                this.problems
                    .extend(found.filter(|found| !this.problems.contains(found)));
            }
        }
        this
    }
}

fn locate(tool: &Tool, own: &TemplateSource, problem: &TypeProblem) -> Option<Location> {
    let at =
        |source: &TemplateSource| source.location(problem.line, problem.column, problem.length);
    if problem.template == own.name() {
        return Some(at(own));
    }
    included_templates::partial(tool, &problem.template).map(|source| at(&source))
}
