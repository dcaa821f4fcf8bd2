//! The parameters of a tool as the types that its templates are checked against. What a schema
//! leaves open is unknown, and nothing is said about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cogtools_core::pointer::child;
use cogtools_core::schema::Schema;
use cogtools_core::tool::TemplateSource;
use cogtools_core::{Location, Tool};
use njk::types::{self, Object, Problem, Property, Type, TypeProblem};
use serde_json::{Map, Value};

use crate::flow::ResultTypes;
use crate::lint_file::Neighbours;

/// The keywords that compose a schema of others, or refer to one.
const COMPOSITION: [&str; 4] = ["$ref", "allOf", "anyOf", "oneOf"];

/// Deeper schemas are unknown.
const MAX_DEPTH: usize = 64;

/// The types of the parameters, and the pointers of the properties in them.
#[derive(Debug, Default)]
pub(crate) struct ParameterTypes {
    pub(crate) types: BTreeMap<String, Type>,
    /// The pointers of all properties, which a template may or may not read.
    pub(crate) properties: BTreeSet<Arc<str>>,
}

impl ParameterTypes {
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut this = Self::default();
        let root = schema.as_object();
        let names = properties(root).map(|(name, _)| pointer_of(name));
        this.properties.extend(names);
        if schema.is_recovered() || COMPOSITION.iter().any(|key| root.contains_key(*key)) {
            return this;
        }
        for (name, property) in properties(root) {
            let ty = this.value(property, &pointer_of(name), 0);
            this.types
                .insert(name.clone(), declared(ty, root, name, property));
        }
        this
    }

    /// The type of all arguments as one object.
    fn arguments(&self, schema: &Schema) -> Type {
        let properties = self.types.iter().map(|(name, ty)| {
            let (ty, origins) = (ty.clone(), vec![pointer_of(name)]);
            (name.clone(), Property { ty, origins })
        });
        Type::object(Object {
            open: self.types.is_empty() || is_open(schema.as_object()),
            properties: properties.collect(),
            ..Object::default()
        })
    }

    /// The type of any value of `schema`.
    pub(crate) fn of_value(schema: &Value) -> Type {
        Self::default().value(schema, "", 0)
    }

    fn value(&mut self, schema: &Value, pointer: &str, depth: usize) -> Type {
        match schema.as_object() {
            Some(schema) if depth < MAX_DEPTH => self.schema(schema, pointer, depth + 1),
            _ => Type::data(),
        }
    }

    fn schema(&mut self, schema: &Map<String, Value>, pointer: &str, depth: usize) -> Type {
        if let Some(ty) = self.branches(schema, pointer, depth) {
            return ty;
        }
        if COMPOSITION.iter().any(|key| schema.contains_key(*key)) {
            return Type::data();
        }
        let kind = schema.get("type").and_then(Value::as_str);
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return literals(values, kind);
        }
        let ty = match kind {
            Some("string") => text(schema),
            Some("integer") => number(schema, true),
            Some("number") => number(schema, false),
            Some("boolean") => Type::boolean(),
            Some("array") => {
                let items = schema.get("items").unwrap_or(&Value::Null);
                Type::list(self.value(items, &child(pointer, "items"), depth))
            }
            Some("object") => self.object(schema, pointer, depth),
            _ => return Type::data(),
        };
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            ty.nullable()
        } else {
            ty
        }
    }

    /// The union of `oneOf` or `anyOf`, if the schema has nothing else to say.
    fn branches(
        &mut self,
        schema: &Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Option<Type> {
        const OTHERS: &str = "type properties enum allOf $ref items not";
        if OTHERS.split(' ').any(|key| schema.contains_key(key)) {
            return None;
        }
        let (key, other) = if schema.contains_key("oneOf") {
            ("oneOf", "anyOf")
        } else {
            ("anyOf", "oneOf")
        };
        let parts = schema.get(key)?.as_array()?;
        if schema.contains_key(other) {
            return None;
        }
        let pointer = child(pointer, key);
        let types = parts.iter().enumerate().map(|(index, part)| {
            let pointer = child(&pointer, &index.to_string());
            self.value(part, &pointer, depth)
        });
        types.reduce(|left, right| left.union(&right))
    }

    fn object(&mut self, schema: &Map<String, Value>, pointer: &str, depth: usize) -> Type {
        let mut object = Object {
            open: is_open(schema),
            ..Object::default()
        };
        let rest = schema.get("additionalProperties");
        if let Some(rest) = rest.filter(|it| it.is_object()) {
            let pointer = child(pointer, "additionalProperties");
            object.rest = Some(self.value(rest, &pointer, depth));
        }
        let below = child(pointer, "properties");
        for (name, property) in properties(schema) {
            let origin: Arc<str> = Arc::from(child(&below, name));
            let ty = self.value(property, &origin, depth);
            let ty = declared(ty, schema, name, property);
            self.properties.insert(Arc::clone(&origin));
            let origins = vec![origin];
            object
                .properties
                .insert(name.clone(), Property { ty, origins });
        }
        object.open |= object.properties.is_empty();
        Type::object(object)
    }
}

/// The pointer of a parameter.
fn pointer_of(name: &str) -> Arc<str> {
    Arc::from(child("/properties", name))
}

/// Returns true if an object can have properties that the schema does not name.
pub(crate) fn is_open(schema: &Map<String, Value>) -> bool {
    let additional = schema.get("additionalProperties");
    additional.is_some_and(|additional| *additional != Value::Bool(false))
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

/// The type `ty` of a property, with undefined if it can be missing after defaults are applied.
fn declared(ty: Type, schema: &Map<String, Value>, name: &str, property: &Value) -> Type {
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.is_some_and(|names| names.iter().any(|it| it == name));
    if required || property.get("default").is_some() {
        ty.required()
    } else {
        ty.optional()
    }
}

fn text(schema: &Map<String, Value>) -> Type {
    let format = schema.get("format").and_then(Value::as_str);
    let is_formed = schema.contains_key("pattern") || format.is_some_and(|it| it != "password");
    if is_formed {
        Type::patterned_string()
    } else {
        Type::string()
    }
}

fn number(schema: &Map<String, Value>, integer: bool) -> Type {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let is_exclusive = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    let step = |exclusive: bool, value: f64, by: f64| match (exclusive, integer) {
        (true, true) => value + by,
        // A fraction can be as near to the bound as it likes.
        (true, false) => value + by * f64::MIN_POSITIVE,
        (false, _) => value,
    };
    let min = bound("minimum").map(|min| step(is_exclusive("exclusiveMinimum"), min, 1.0));
    let max = bound("maximum").map(|max| step(is_exclusive("exclusiveMaximum"), max, -1.0));
    Type::number_between(
        min.unwrap_or(f64::NEG_INFINITY),
        max.unwrap_or(f64::INFINITY),
        integer,
    )
}

/// The type of the values of an enum. A value of another type is never valid.
fn literals(values: &[Value], kind: Option<&str>) -> Type {
    let mut types: Vec<Type> = Vec::new();
    let strings: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
    if !strings.is_empty() && kind.is_none_or(|kind| kind == "string") {
        types.push(Type::strings(strings));
    }
    let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
    if !numbers.is_empty() && kind.is_none_or(|kind| matches!(kind, "integer" | "number")) {
        types.push(Type::numbers(numbers));
    }
    for value in values {
        match value {
            Value::Bool(value) => types.push(Type::literal_boolean(*value)),
            Value::Null => types.push(Type::null()),
            Value::Array(_) | Value::Object(_) => types.push(Type::data()),
            _ => {}
        }
    }
    let union = types.into_iter().reduce(|left, right| left.union(&right));
    union.unwrap_or_else(Type::data)
}

/// Problems of the templates of a tool.
#[derive(Debug, Default)]
pub(crate) struct ToolTypes {
    pub(crate) problems: Vec<(Location, Problem)>,
    /// The pointers of properties that no template reads.
    pub(crate) unused: Vec<String>,
    /// All files that the templates load are known, and parse.
    pub(crate) complete: bool,
}

impl ToolTypes {
    /// Checks the templates of `tool`; of a flow, the results of its nodes are variables, too.
    pub(crate) fn of(tool: &Tool, neighbours: &Neighbours) -> Self {
        let parameters = ParameterTypes::of(&tool.schema);
        let (sources, is_request) = (tool.templates(), tool.request().is_some());
        let mut this = Self {
            complete: is_request || tool.is_template() && !sources.is_empty(),
            ..Self::default()
        };
        if let Some(flow) = tool.flow() {
            let results = ResultTypes::of(flow, neighbours);
            for template in flow.sources(tool.text()) {
                let mut variables = parameters.types.clone();
                variables.extend(results.of_node(template.node, template.is_check));
                this.check(tool, &template.source, &variables);
            }
            return this;
        }
        let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
        for source in sources {
            let mut variables = BTreeMap::new();
            if !source.reads_response {
                variables.clone_from(&parameters.types);
            }
            if is_request {
                let arguments = || parameters.arguments(&tool.schema);
                variables.entry("args".to_owned()).or_insert_with(arguments);
            }
            for (name, ty) in &mut variables {
                if source.is_guarded(name, &tool.schema) {
                    *ty = ty.clone().required();
                }
            }
            used.extend(this.check(tool, &source, &variables));
        }
        if this.complete {
            for template in tool.loaded_templates() {
                let reads = template.analysis.map(|found| found.reads);
                let reads = reads.into_iter().flatten();
                let reads = reads.filter(|_| !template.source.reads_response);
                used.extend(reads.map(|read| pointer_of(&read.name)));
            }
            let unused = parameters
                .properties
                .iter()
                .filter(|it| !used.contains(*it));
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
            let is_answered =
                source.is_left_out && matches!(problem.problem, Problem::Unguarded { .. });
            if is_answered || source.is_added(problem.line, problem.column) {
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
