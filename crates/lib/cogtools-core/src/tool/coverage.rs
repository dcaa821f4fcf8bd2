//! The reach of the examples of a tool: the branches of its template, and the optional properties
//! of its parameters.

use serde_json::{Map, Value};

use super::Tool;
use super::template::TemplateScope;
use crate::Location;
use crate::pointer::segments;
use crate::schema::Role;

/// Longer branches are not told apart.
const MAX_CONDITION: usize = 80;

/// The reach of the examples of a tool.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The branches of the template and of those that it includes, in the order of their files.
    pub branches: Vec<Branch>,
    /// The optional properties, parameters among them, in the order of the schema.
    pub properties: Vec<OptionalProperty>,
}

/// A branch of a template.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Where its condition is.
    pub location: Location,
    /// The condition as text, such as `if note` or `else of if note`.
    pub condition: String,
    /// True if an example takes it.
    pub is_taken: bool,
}

/// An optional property.
#[derive(Clone, Debug)]
pub struct OptionalProperty {
    /// Its JSON pointer in the schema.
    pub pointer: String,
    /// The names that lead to it, joined by dots: `user.address`.
    pub path: String,
    /// True if an example sets it.
    pub is_set: bool,
}

impl Tool {
    /// Measures the reach of the examples of good calls. A tool without a template has no branches; a
    /// template that fails counts for what it took before.
    pub fn coverage(&self) -> Coverage {
        let examples: Vec<Map<String, Value>> = self.examples().collect();
        Coverage {
            branches: self.covered_branches(&examples).unwrap_or_default(),
            properties: self.covered_properties(&examples),
        }
    }

    fn covered_branches(&self, examples: &[Map<String, Value>]) -> Option<Vec<Branch>> {
        let sources = self.templates();
        let [own] = sources.as_slice() else {
            return None;
        };
        if !self.is_template() {
            return None;
        }
        let loader = TemplateScope::of(&self.text).loader();
        let engine = njk::Engine::builder().loader(loader).coverage(true).build();
        let template = engine.compile(own.name(), own.source()).ok()?;
        let mut coverage = njk::Coverage::default();
        // A template without examples has branches as well.
        coverage.extend(&template);
        for arguments in examples {
            let mut arguments = arguments.clone();
            self.schema().apply_defaults(&mut arguments);
            // That it fails is what the test of the example reports.
            let _ = template.render_recording(&Value::Object(arguments), &mut coverage);
        }
        let branches = coverage.branches().filter_map(|branch| {
            let other = (branch.template != own.name()).then(|| self.partial(&branch.template));
            let source = match &other {
                None => own,
                Some(source) => source.as_ref()?,
            };
            Some(Branch {
                location: source.location(branch.line, branch.column, branch.length.max(1)),
                condition: branch.condition.chars().take(MAX_CONDITION).collect(),
                is_taken: branch.taken,
            })
        });
        let mut branches: Vec<Branch> = branches.collect();
        branches.sort_by_key(|it| (it.location.file.clone(), it.location.line));
        Some(branches)
    }

    fn covered_properties(&self, examples: &[Map<String, Value>]) -> Vec<OptionalProperty> {
        let values: Vec<Value> = examples.iter().cloned().map(Value::Object).collect();
        let all = self.schema().sub_schemas();
        let optional = all.iter().filter(|it| {
            let role = &it.role;
            matches!(
                role,
                Role::Property {
                    required: false,
                    ..
                }
            )
        });
        let found = optional.filter_map(|sub_schema| {
            let steps = segments(&sub_schema.pointer);
            let path = path_of(&steps)?;
            Some(OptionalProperty {
                is_set: values.iter().any(|value| is_set(value, &path)),
                path: path.join("."),
                pointer: sub_schema.pointer.clone(),
            })
        });
        found.collect()
    }
}

/// The names of the properties that a pointer goes through; none if it goes through more than
/// properties and items.
fn path_of(steps: &[String]) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut steps = steps.iter();
    while let Some(keyword) = steps.next() {
        match keyword.as_str() {
            "properties" => names.push(steps.next()?.as_str()),
            "items" => {}
            _ => return None,
        }
    }
    Some(names)
}

/// Returns true if a value has something at the path, of which lists are no step.
fn is_set(value: &Value, path: &[&str]) -> bool {
    match (value, path) {
        (Value::Array(items), _) => items.iter().any(|item| is_set(item, path)),
        (Value::Object(entries), [name]) => entries.contains_key(*name),
        (Value::Object(entries), [name, rest @ ..]) => {
            entries.get(*name).is_some_and(|inner| is_set(inner, rest))
        }
        _ => false,
    }
}
