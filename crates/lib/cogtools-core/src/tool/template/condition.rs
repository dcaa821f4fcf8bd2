//! Expressions as templates: conditions, and what surrounds them.

use super::Template;
use crate::text::Text;
use crate::yaml::Node;

/// What surrounds an expression to make it a template.
const CONDITION: [&str; 2] = ["{% if ", " %}1{% endif %}"];
const OUTPUT: [&str; 2] = ["{{ ", " }}"];

impl Template {
    /// The template that renders to text if the expression in a string of the file
    /// `text` holds, and to nothing otherwise.
    pub(in crate::tool) fn read_condition(node: &Node, text: &Text) -> Option<Self> {
        Self::read(node, text).map(|expression| expression.surround(CONDITION))
    }

    /// The template that prints the expression of a condition. Both compile only if it is
    /// one expression.
    pub(in crate::tool) fn output_of_condition(&self) -> Self {
        self.with_source(self.condition().to_owned())
            .surround(OUTPUT)
    }

    /// The expression of a condition.
    pub(in crate::tool) fn condition(&self) -> &str {
        let [start, end] = CONDITION;
        let inner = self.source().strip_prefix(start);
        let inner = inner.and_then(|inner| inner.strip_suffix(end));
        inner.unwrap_or_default()
    }

    /// The same, rendered only if `condition` holds.
    pub(in crate::tool) fn under(&self, condition: &Self) -> Self {
        let start = format!("{{% if {} %}}", condition.condition());
        let source = format!("{start}{}{{% endif %}}", self.source());
        Self {
            lead: self.lead + start.chars().count(),
            ..self.with_source(source)
        }
    }

    /// Whether the condition holds only if `name` is set.
    pub(super) fn guards(&self, name: &str) -> bool {
        let [_, end] = CONDITION;
        let Some(open) = self.source().strip_suffix(end) else {
            return false;
        };
        let guarded = format!("{open} %}}{{{{ {name} }}}}{{% endif %}}");
        let analysis = njk::analyse(&guarded);
        analysis.is_ok_and(|found| {
            let mut reads = found.reads.iter();
            reads.any(|read| read.name == name && read.guarded)
        })
    }

    pub(super) fn surround(self, [start, end]: [&str; 2]) -> Self {
        let source = format!("{start}{}{end}", self.source());
        Self {
            lead: start.len(),
            ..self.with_source(source)
        }
    }
}
