//! The templates of a tool checked against the types of its parameters, once for all rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cogtools_core::tool::TemplateSource;
use cogtools_core::{Location, Tool};
use njk::types::{self, Problem, Type, TypeProblem};

use crate::flow::result::ResultTypes;
use crate::neighbours::Neighbours;
use crate::parameter_types::ParameterTypes;

/// Problems of the templates of a tool.
#[derive(Debug, Default)]
pub(crate) struct ToolTypes {
    pub(crate) problems: Vec<(Location, Problem)>,
    /// The pointers of nested properties that no template reads.
    pub(crate) unused: Vec<String>,
    /// All files that the templates load are known, and parse.
    pub(crate) complete: bool,
}

impl ToolTypes {
    /// Checks the templates of `tool`; of a flow, the results of its nodes are variables, too.
    pub(crate) fn of(tool: &Tool, neighbours: &Neighbours) -> Self {
        let parameters = ParameterTypes::of(tool.schema());
        let mut this = Self {
            complete: tool.is_template(),
            ..Self::default()
        };
        if let Some(flow) = tool.flow() {
            let results = ResultTypes::of(flow, neighbours);
            for template in flow.sources(tool.text()) {
                let mut variables = parameters.types.clone();
                variables.extend(results.variables(&template));
                this.check(tool, &template.source, &variables);
            }
            return this;
        }
        let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
        for source in tool.templates() {
            let mut variables = parameters.types.clone();
            for (name, ty) in &mut variables {
                if source.is_guarded(name, tool.schema()) {
                    *ty = ty.clone().required();
                }
            }
            used.extend(this.check(tool, &source, &variables));
        }
        if this.complete {
            let unused = parameters.nested.iter().filter(|it| !used.contains(*it));
            this.unused = unused.map(ToString::to_string).collect();
        }
        this
    }

    /// Adds the problems of one template; returns the properties that it reads.
    fn check(
        &mut self,
        tool: &Tool,
        source: &TemplateSource,
        variables: &BTreeMap<String, Type>,
    ) -> BTreeSet<Arc<str>> {
        let find = |name: &str| Some(tool.partial(name)?.source().to_owned());
        let Ok(checked) = types::check(source.name(), source.source(), variables, &find) else {
            self.complete = false;
            return BTreeSet::new();
        };
        self.complete &= checked.complete;
        for problem in checked.problems {
            // The condition of a flow's node is a template of its own.
            if source.is_added(problem.line, problem.column) {
                continue;
            }
            let location = locate(tool, source, &problem);
            let found = location.map(|location| (location, problem.problem));
            self.problems
                .extend(found.filter(|found| !self.problems.contains(found)));
        }
        checked.used
    }
}

fn locate(tool: &Tool, own: &TemplateSource, problem: &TypeProblem) -> Option<Location> {
    let at =
        |source: &TemplateSource| source.location(problem.line, problem.column, problem.length);
    if problem.template == own.name() {
        return Some(at(own));
    }
    tool.partial(&problem.template).map(|source| at(&source))
}
