//! Values with templates in them, as flows have them: they keep their types.

use serde_json::{Map, Value};

use super::{Template, TemplateScope};
use crate::json::JsonError;
use crate::text::Text;
use crate::yaml::{Data, Entry, Node};
use crate::{Code, Diagnostic};

/// The text that surrounds an expression to print its value as JSON.
const VALUE: [&str; 2] = ["{{ (", ") | dump }}"];

/// A value with templates in it.
#[derive(Clone, Debug)]
pub enum ValueTemplate {
    /// The output of a template.
    Text(Template),
    /// The value of an expression.
    Expression(Template),
    /// A list of such values.
    List(Vec<Self>),
    /// A map of such values.
    Map(Vec<(String, Self)>),
    /// A value without templates.
    Constant(Value),
}

/// Prints a value: text as it is, nothing for null, anything else as JSON.
pub fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

impl ValueTemplate {
    /// Reads the value in the file `text`.
    pub(in crate::tool) fn read(node: &Node, text: &Text) -> Self {
        match &node.data {
            Data::List(items) => {
                Self::List(items.iter().map(|item| Self::read(item, text)).collect())
            }
            Data::Map(entries) => {
                let entry = |entry: &Entry| (entry.key.clone(), Self::read(&entry.value, text));
                Self::Map(entries.iter().map(entry).collect())
            }
            _ => match Template::read(node, text) {
                None => Self::Constant(node.to_json()),
                Some(template) if template.is_plain() => Self::Constant(node.to_json()),
                Some(template) => match template.to_expression() {
                    Some(expression) => Self::Expression(expression),
                    None => Self::Text(template),
                },
            },
        }
    }

    /// Evaluates it with these variables in its templates. An expression without a value is null.
    pub(in crate::tool) fn evaluate(
        &self,
        scope: &TemplateScope<'_>,
        variables: &Map<String, Value>,
    ) -> Result<Value, Box<Diagnostic>> {
        let value = self.value(scope, variables, true)?;
        Ok(value.unwrap_or_default())
    }

    /// Evaluates it like [`Self::evaluate`], but an expression without a value has none, and members
    /// of maps without one are left out.
    pub(in crate::tool) fn present(
        &self,
        scope: &TemplateScope<'_>,
        variables: &Map<String, Value>,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        self.value(scope, variables, false)
    }

    /// Evaluates it; members of maps without a value are null if it `has_nulls`.
    fn value(
        &self,
        scope: &TemplateScope<'_>,
        variables: &Map<String, Value>,
        has_nulls: bool,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        let inner = |value: &Self| value.value(scope, variables, has_nulls);
        Ok(Some(match self {
            Self::Constant(value) => value.clone(),
            Self::Text(template) => template.render_legible(scope, variables)?.into(),
            Self::Expression(template) => return template.value(scope, variables),
            Self::List(items) => {
                let items = items
                    .iter()
                    .map(|item| Ok(inner(item)?.unwrap_or_default()));
                Value::Array(items.collect::<Result<_, Box<Diagnostic>>>()?)
            }
            Self::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    if let Some(value) = inner(value)?.or(has_nulls.then_some(Value::Null)) {
                        map.insert(key.clone(), value);
                    }
                }
                Value::Object(map)
            }
        }))
    }

    /// Makes the value of the expression in a string of the file `text`.
    pub(in crate::tool) fn expression(node: &Node, text: &Text) -> Option<Self> {
        let braced = format!("{{{{ {} }}}}", node.text()?);
        let braced = Node::from_json(braced.into(), node.span);
        Some(Self::read(&braced, text)).filter(|value| matches!(value, Self::Expression(_)))
    }

    /// All templates in it.
    pub(in crate::tool) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Text(template) | Self::Expression(template) => vec![template],
            Self::List(items) => items.iter().flat_map(Self::templates).collect(),
            Self::Map(entries) => {
                let values = entries.iter().flat_map(|(_, value)| value.templates());
                values.collect()
            }
            Self::Constant(_) => Vec::new(),
        }
    }
}

impl Template {
    /// Renders it. It fails if an object, or what is not there, becomes text.
    pub(in crate::tool) fn render_legible(
        &self,
        scope: &TemplateScope<'_>,
        variables: &Map<String, Value>,
    ) -> Result<String, Box<Diagnostic>> {
        self.render_compiled(&self.compile_legible(scope)?, scope, variables.clone())
    }

    /// Returns true if [`Self::to_expression`] has made this of a variable or a member of one.
    pub(in crate::tool) fn is_lone_value(&self) -> bool {
        let inner = self.source().strip_prefix(VALUE[0]);
        let inner = inner.and_then(|inner| inner.strip_suffix(VALUE[1]));
        let is_path = |part: &str| {
            part.chars()
                .all(|c| c.is_alphanumeric() || "_$.[]".contains(c))
        };
        // Every other part is the name of a member in quotes.
        inner.is_some_and(|it| it.trim().split(['"', '\'']).step_by(2).all(is_path))
    }

    /// Returns the value of the expression that [`Self::to_expression`] has made this of.
    fn value(
        &self,
        scope: &TemplateScope<'_>,
        variables: &Map<String, Value>,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        // Checks of types read it as a template that prints JSON. The JSON of `dump` is that of
        // Nunjucks, which is another value for a safe string and for `NaN`.
        let source = self.source().strip_suffix(VALUE[1]).unwrap_or_default();
        let expression = self.with_source(format!("{source}) }}}}"));
        let compiled = expression.compile_legible(scope)?;
        let json = compiled.json(&Value::Object(variables.clone()));
        let json = json.map_err(|error| self.diagnostic(&error, Code::TemplateFailed, scope))?;
        let parsed = json.map(|json| crate::json::parse(&json)).transpose();
        parsed.map_err(|JsonError { error, bound }| {
            let why = bound.map_or_else(|| error.to_string(), |bound| bound.to_string());
            let (line, column) = self.text.start(scope.text);
            let mut diagnostic = Diagnostic::new(Code::TemplateFailed, why);
            diagnostic.location = Some(scope.text.location_at(line, column, 1));
            diagnostic.into()
        })
    }

    /// Makes the template that prints the value of its only expression as JSON, if it is one expression
    /// in braces and nothing else. An expression without a value prints nothing.
    fn to_expression(&self) -> Option<Self> {
        let inner = self.source().trim().strip_prefix("{{")?;
        let inner = inner.strip_suffix("}}")?;
        let expression = self.with_source(inner.to_owned()).surround(VALUE);
        let is_valid = njk::analyse(expression.source()).is_ok();
        // The braces are in the file, too.
        is_valid.then_some(Self {
            lead: VALUE[0].len() - "{{".len(),
            ..expression
        })
    }
}
