//! Validation of arguments, examples, defaults and results against their tool.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};

use super::template::{TemplateScope, TemplateSource};
use crate::arguments::Arguments;
use crate::pointer::{child, segments};
use crate::schema::{InvalidSchema, Role, Validator, Violation, ViolationKind};
use crate::text::Span;
use crate::tool::call::{RunError, ToolOutput};
use crate::tool::example::{Output, map};
use crate::tool::locator::Locator;
use crate::tool::reader::BARE_KEY;
use crate::tool::{Definition, Example, Tool};
use crate::yaml::{Entry, Node};
use crate::{Code, Diagnostic, Location};

/// Arguments that match the tool's schema, with defaults applied.
#[derive(Debug)]
pub struct Accepted(Map<String, Value>);

impl Accepted {
    /// Borrows the arguments.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns the arguments.
    pub fn into_object(self) -> Map<String, Value> {
        self.0
    }
}

/// The validator of a tool's own schema, kept while the tool stays in memory. A validator counts
/// the time of one validation, so calls that run at the same time have one each; the last one
/// is kept.
#[derive(Debug, Default)]
pub(super) struct Validators(Mutex<Option<Box<Validator>>>);

/// Why arguments are not accepted.
#[derive(Debug, PartialEq)]
pub enum AcceptError {
    /// They do not match the schema.
    Violations(Vec<Violation>),
    /// The schema itself is invalid.
    InvalidSchema(InvalidSchema),
}

/// The boolean that Gemini CLI (0.35 and later) adds to the parameters of every tool
/// and passes to the call.
const HOST_ARGUMENT: &str = "wait_for_previous";

/// A longer skeleton would not help.
const MAX_SKELETON_BYTES: usize = 2_000;

/// With this many missing arguments, the hints include a skeleton of valid arguments.
const MANY_MISSING: usize = 2;

impl Tool {
    /// Validates `arguments` against the schema and reports all violations. An unknown
    /// argument is a violation unless the schema permits additional properties or the
    /// host added the argument.
    pub fn accept(&self, arguments: Arguments) -> Result<Accepted, AcceptError> {
        let kept = || {
            self.validators
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let taken = kept().take();
        let validator = match taken {
            Some(validator) => validator,
            None => Box::new(
                self.schema
                    .validator()
                    .map_err(AcceptError::InvalidSchema)?,
            ),
        };
        let accepted = self.validate(&validator, arguments);
        *kept() = Some(validator);
        accepted.map_err(AcceptError::Violations)
    }

    /// Validates `arguments` with the `validator` of the tool's own schema.
    pub(super) fn validate(
        &self,
        validator: &Validator,
        arguments: Arguments,
    ) -> Result<Accepted, Vec<Violation>> {
        let mut object = arguments.into_object();
        let schema = &self.schema;
        let names = schema.names();
        let is_named = names
            .as_ref()
            .is_some_and(|names| names.contains(&HOST_ARGUMENT));
        if !is_named && !schema.has_property(HOST_ARGUMENT) {
            object.shift_remove(HOST_ARGUMENT);
        }
        let mut violations = Vec::new();
        if let Some(names) = &names {
            let known: HashSet<&str> = names.iter().copied().collect();
            let unknown = object.keys().filter(|name| !known.contains(name.as_str()));
            violations.extend(
                unknown
                    .take(Diagnostic::MAX_SHOWN + 1)
                    .map(|name| Violation::unknown(child("", name), name, object.get(name), names)),
            );
        }
        let value = Value::Object(object);
        violations.extend(schema.undeclared_nested(&value));
        violations.extend(validator.violations(schema, &value));
        match value {
            Value::Object(mut object) if violations.is_empty() => {
                // In a JSON Schema of others, a default only says what they do without the argument.
                if !schema.is_recovered() {
                    schema.apply_defaults(&mut object);
                }
                schema.write_integers(&mut object);
                Ok(Accepted(object))
            }
            _ => Err(violations),
        }
    }

    /// Returns the smallest valid arguments as JSON, for a hint: only the required ones.
    pub fn skeleton(&self) -> Option<String> {
        let skeleton = Value::Object(self.schema.skeleton()?);
        let valid = self.schema.validator().ok()?.accepts(&skeleton);
        let text = valid.then(|| skeleton.to_string())?;
        (text.len() <= MAX_SKELETON_BYTES).then_some(text)
    }
}

impl AcceptError {
    /// The diagnostics to show for a call of `tool`.
    pub fn diagnostics(self, tool: &Tool) -> Vec<Diagnostic> {
        let violations = match self {
            Self::Violations(violations) => violations,
            Self::InvalidSchema(invalid) => {
                return vec![invalid.diagnostic().with_subject(tool.name().as_str())];
            }
        };
        let is_missing = |it: &&Violation| it.kind == ViolationKind::Missing;
        let missing = violations.iter().filter(is_missing).count();
        let mut diagnostics = Diagnostic::truncate(violations.into_iter().map(|violation| {
            let mut diagnostic = Diagnostic::new(Code::SchemaViolation, violation.kind.to_string())
                .with_subject(tool.name().as_str())
                .with_pointer(violation.pointer);
            diagnostic.hints = violation.hints;
            diagnostic
        }));
        if missing >= MANY_MISSING
            && let Some(last) = diagnostics.last_mut()
            && let Some(skeleton) = tool.skeleton()
        {
            let hint = format!("the least that is valid: {skeleton}");
            last.hints.push(hint.into());
        }
        diagnostics
    }
}

impl Tool {
    /// Checks `output` against the declared type of the result, and adds its value.
    ///
    /// # Errors
    ///
    /// The result is not of that type.
    pub(crate) fn validated(&self, mut output: ToolOutput) -> Result<ToolOutput, RunError> {
        let failed = |error: RunError| Box::new(error.with_subject(self.name.as_str()));
        let is_truncated = output.truncated_bytes > 0;
        let value = match self.output.validate(&output.text, is_truncated) {
            Err(diagnostic) if self.is_output_advisory => {
                output.stderr.push_str(&diagnostic.message);
                serde_json::from_str(&output.text).ok()
            }
            value => value.map_err(failed)?,
        };
        if let (Output::Content, Some(value)) = (&self.output, &value) {
            return Ok(ToolOutput {
                stderr: output.stderr,
                ..ToolOutput::of_content(value).map_err(failed)?
            });
        }
        output.value = value.or(output.value);
        Ok(output)
    }

    /// The examples, as tests.
    pub fn tests(&self) -> &[Example] {
        &self.examples
    }

    /// The arguments of the examples of good calls, as they are in the file.
    pub(crate) fn example_nodes(&self) -> impl Iterator<Item = &Node> {
        let good = self.examples.iter().filter(|it| it.fails.is_none());
        good.map(|example| &example.arguments)
    }

    /// The argument maps of its examples of good calls.
    pub fn examples(&self) -> impl Iterator<Item = Map<String, Value>> {
        self.example_nodes().map(map)
    }

    /// Makes diagnostics for the examples that are not valid arguments, one per violation.
    pub fn check_examples(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let Ok(validator) = self.schema.validator() else {
            return diagnostics;
        };
        for example in &self.examples {
            if diagnostics.len() > Diagnostic::MAX_SHOWN {
                break;
            }
            diagnostics.extend(validate(self, &validator, example));
        }
        diagnostics
    }

    /// Returns why the example at `index`, from 0, is not valid; an invalid schema is reported,
    /// too. Empty when it is valid or does not exist.
    pub fn check_example(&self, index: usize) -> Vec<Diagnostic> {
        let Some(example) = self.examples.get(index) else {
            return Vec::new();
        };
        match self.schema.validator() {
            Ok(validator) => Diagnostic::truncate(validate(self, &validator, example)),
            Err(invalid) => vec![invalid.diagnostic()],
        }
    }

    /// Returns where the example at `index`, from 0, begins.
    pub fn example_location(&self, index: usize) -> Option<Location> {
        let example = self.examples.get(index)?;
        Some(self.text.location(example.span))
    }
}

fn validate(tool: &Tool, validator: &Validator, example: &Example) -> Vec<Diagnostic> {
    if example.fails == Some(Code::SchemaViolation) {
        return Vec::new();
    }
    let accepted = tool.validate(validator, Arguments::from(example.arguments()));
    let violations = accepted.err().unwrap_or_default().into_iter();
    violations
        .map(|mut violation| {
            let segments = segments(&violation.pointer);
            let (_, span) = example.arguments.walk(segments.iter().map(String::as_str));
            let message = format!("invalid example: {}", violation.kind);
            let entries = example.arguments.entries().unwrap_or_default().iter();
            let is_bare = |entry: &Entry| entry.is_bare() && segments == [entry.key.as_str()];
            if violation.kind == ViolationKind::Unknown && entries.clone().any(is_bare) {
                violation.hints = vec![BARE_KEY.into()];
            }
            let mut diagnostic = Diagnostic::new(Code::InvalidTool, message)
                .with_pointer(violation.pointer)
                .at(tool.text.location(span));
            diagnostic.hints = violation.hints;
            diagnostic
        })
        .collect()
}

/// Checks that patterns are regular expressions and that defaults are valid. Only
/// schemas with patterns or defaults need a validator here.
pub(super) fn check_parameters(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    if let Some(invalid) = invalid_parameters(definition) {
        let span = find(document, &invalid.pointer).0.span;
        return vec![locator.locate_schema(span, &invalid)];
    }
    // In a plain Schema Object a default is only an annotation; `Tool::check` calls
    // `check_defaults` for it.
    if document.get("parameters_schema").is_some() || !definition.schema.has_default() {
        return Vec::new();
    }
    check_defaults(definition, document, locator)
}

/// Returns the error in the parameters' schema, if it has parts that can be invalid.
pub(super) fn invalid_parameters(definition: &Definition) -> Option<InvalidSchema> {
    let schema = &definition.schema;
    let fallible = schema.has_default() || schema.has_pattern();
    fallible.then(|| schema.validator().err()).flatten()
}

/// Reports the defaults that a caller could not send.
pub(super) fn check_defaults(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (pointer, message) in definition.schema.invalid_defaults() {
        let span = find(document, &format!("{pointer}/default")).0.span;
        let message = format!("the default does not match its own schema: {message}");
        let hint = match message.rsplit_once("expected boolean, got string ") {
            Some((_, "\"yes\"" | "\"on\"" | "\"Yes\"" | "\"On\"" | "\"y\"" | "\"true\"")) => {
                "write `true`, without quotes: `yes` and `on` are text"
            }
            Some((_, "\"no\"" | "\"off\"" | "\"No\"" | "\"Off\"" | "\"n\"" | "\"false\"")) => {
                "write `false`, without quotes: `no` and `off` are text"
            }
            _ => "a default must be a value that a caller could send",
        };
        let diagnostic = Diagnostic::new(Code::InvalidTool, message).hint(hint);
        diagnostics.push(locator.locate(diagnostic, span));
    }
    diagnostics
}

/// Returns the node in the file for the value at `pointer` in the expanded schema, and the span of
/// its key.
pub(super) fn find<'d>(document: &'d Node, pointer: &str) -> (&'d Node, Span) {
    let segments = segments(pointer);
    let path = segments.iter().map(String::as_str);
    if let Some(schema) = document.get("parameters_schema") {
        return schema.walk(path);
    }
    let parameters = document.get("parameters").unwrap_or(document);
    parameters.walk(path.skip(1))
}

/// Longer branches are not told apart.
const MAX_CONDITION: usize = 80;

/// The reach of the examples of a tool, as reports for programs have it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// The branches of the template and of those that it includes, in the order of their files.
    pub branches: Vec<Branch>,
    /// The optional properties, parameters among them, in the order of the schema.
    pub properties: Vec<OptionalProperty>,
    /// The values that enums of the parameters list, in the order of the schema.
    pub values: Vec<EnumValue>,
}

/// A branch of a template, or a way through a flow.
#[derive(Clone, Debug, Serialize)]
pub struct Branch {
    /// Where its condition is.
    #[serde(flatten)]
    pub location: Location,
    /// The condition as text, such as `if note` or `else of if note`.
    pub condition: String,
    /// True if an example takes it.
    #[serde(rename = "taken")]
    pub is_taken: bool,
}

/// An optional property.
#[derive(Clone, Debug, Serialize)]
pub struct OptionalProperty {
    /// Its JSON pointer in the schema.
    pub pointer: String,
    /// The names that lead to it, joined by dots: `user.address`.
    pub path: String,
    /// True if an example sets it.
    #[serde(rename = "set")]
    pub is_set: bool,
}

/// A value that an enum lists.
#[derive(Clone, Debug, Serialize)]
pub struct EnumValue {
    /// The names that lead to it, joined by dots: `user.role`.
    pub path: String,
    /// The value, as JSON.
    pub value: String,
    /// True if an example has it.
    #[serde(rename = "used")]
    pub is_used: bool,
}

impl Tool {
    /// Measures the reach of the examples of good calls, whose runs of a flow took these `ways`. A
    /// template that fails counts for what it took before.
    pub fn coverage(&self, ways: &[String]) -> Coverage {
        let examples: Vec<Map<String, Value>> = self.examples().collect();
        let mut branches: Vec<Branch> = Vec::new();
        for own in self.templates() {
            for branch in self.covered_branches(&own, &examples).unwrap_or_default() {
                let is_same = |it: &&mut Branch| {
                    (&it.location, &it.condition) == (&branch.location, &branch.condition)
                };
                match branches.iter_mut().find(is_same) {
                    Some(other) => other.is_taken |= branch.is_taken,
                    None => branches.push(branch),
                }
            }
        }
        branches.extend(
            self.flow()
                .into_iter()
                .flat_map(|it| it.branches(ways, &self.text)),
        );
        branches.sort_by_key(|it| (it.location.file.clone(), it.location.line));
        Coverage {
            branches,
            properties: self.covered_properties(&examples),
            values: self.covered_values(examples),
        }
    }

    fn covered_branches(
        &self,
        own: &TemplateSource,
        examples: &[Map<String, Value>],
    ) -> Option<Vec<Branch>> {
        let loader = TemplateScope::of(&self.text).loader();
        let engine = njk::Engine::builder().loader(loader).build();
        let template = engine.compile(own.name(), own.source()).ok()?;
        let mut coverage = njk::Coverage::default();
        // A template without examples has branches as well.
        coverage.extend(&template);
        for arguments in examples {
            let mut arguments = arguments.clone();
            self.schema.apply_defaults(&mut arguments);
            // That it fails is what the test of the example reports.
            let _ = template.render_recording(&Value::Object(arguments), &mut coverage);
        }
        let branches = coverage.branches().filter_map(|branch| {
            // The loop of `for` is around each of its arguments.
            if own.is_added(branch.line, branch.column) && branch.condition.contains("for ") {
                return None;
            }
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
        Some(branches.collect())
    }

    fn covered_values(&self, mut examples: Vec<Map<String, Value>>) -> Vec<EnumValue> {
        let schema = &self.schema;
        for example in &mut examples {
            schema.apply_defaults(example);
        }
        let examples: Vec<Value> = examples.into_iter().map(Value::Object).collect();
        let mut found = Vec::new();
        for sub_schema in schema.sub_schemas() {
            let listed = sub_schema.schema.get("enum").and_then(Value::as_array);
            let steps = segments(&sub_schema.pointer);
            let (Some(listed), Some(path)) = (listed, path_of(&steps)) else {
                continue;
            };
            found.extend(listed.iter().map(|value| {
                EnumValue {
                    path: path.join("."),
                    value: value.to_string(),
                    is_used: examples
                        .iter()
                        .any(|it| reaches(it, &path, &|it| it == value)),
                }
            }));
        }
        found
    }

    /// The optional properties of its parameters at any depth, and those that `examples` set.
    pub fn covered_properties(&self, examples: &[Map<String, Value>]) -> Vec<OptionalProperty> {
        let values: Vec<Value> = examples.iter().cloned().map(Value::Object).collect();
        let all = self.schema.sub_schemas();
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
                is_set: values.iter().any(|value| reaches(value, &path, &|_| true)),
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

/// Returns true if a value has something at the path, of which lists are no step, that `is_meant`.
fn reaches(value: &Value, path: &[&str], is_meant: &impl Fn(&Value) -> bool) -> bool {
    match (value, path) {
        (value, []) if is_meant(value) => true,
        (Value::Array(items), _) => items.iter().any(|item| reaches(item, path, is_meant)),
        (Value::Object(entries), [name, rest @ ..]) => {
            let inner = entries.get(*name);
            inner.is_some_and(|inner| reaches(inner, rest, is_meant))
        }
        _ => false,
    }
}
