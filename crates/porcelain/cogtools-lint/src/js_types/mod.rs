//! Types of the arguments through JavaScript: what code does with a value of the call, compared
//! with the schema of that value. What the schema leaves open, and what the code computes in
//! another way, is unknown, and nothing is said about it.

mod checks;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use cogtools_core::Hint;
use njk::scan::ITEM;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, ChainElement, Expression, ForStatementLeft,
    FormalParameters,
};
use oxc_semantic::{AstNode, NodeId, Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};
use serde_json::{Map, Value, json};

use crate::parameter_types::is_open;
use crate::program::is_in;

pub(crate) type Schema = Map<String, Value>;

/// A use of an argument that its schema contradicts.
#[derive(Clone, Debug)]
pub(crate) struct Misuse {
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) fix: Option<Hint>,
    pub(crate) span: Span,
}

/// JavaScript with the types of its arguments and its result.
#[derive(Clone, Copy)]
pub(crate) struct Code<'s> {
    pub(crate) text: &'s str,
    /// The schema of the arguments.
    pub(crate) schema: &'s Schema,
    /// The schema of the result.
    pub(crate) output: Option<&'s Schema>,
    /// True for a program that reads its arguments from standard input; otherwise they are `args`.
    pub(crate) is_program: bool,
}

/// A value of the call.
#[derive(Clone)]
struct Shape<'s> {
    schema: &'s Schema,
    /// The path to it, such as `args.items[].name`.
    path: String,
    /// True if it can be missing or null.
    is_absent: bool,
}

/// The members of objects of the language that are most used, from ECMAScript 2026.
const GLOBALS: [(&str, &str); 3] = [
    ("JSON", "isRawJSON parse rawJSON stringify"),
    (
        "Math",
        "E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt \
         ceil clz32 cos cosh exp expm1 f16round floor fround hypot imul log log10 log1p log2 max min \
         pow random round sign sin sinh sqrt sumPrecise tan tanh trunc",
    ),
    (
        "Object",
        "assign create defineProperties defineProperty entries freeze fromEntries \
         getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames \
         getOwnPropertySymbols getPrototypeOf groupBy hasOwn is isExtensible isFrozen isSealed keys \
         length name preventExtensions prototype seal setPrototypeOf values",
    ),
];

/// Members of values, by type.
pub(crate) const MEMBERS: [(&str, &str); 4] = [
    (
        "array",
        "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat \
         flatMap forEach includes indexOf join keys lastIndexOf length map pop push reduce \
         reduceRight reverse shift slice some sort splice toReversed toSorted toSpliced unshift \
         values with",
    ),
    (
        "string",
        "anchor at charAt charCodeAt codePointAt concat endsWith includes indexOf isWellFormed \
         lastIndexOf length localeCompare match matchAll normalize padEnd padStart repeat replace \
         replaceAll search slice split startsWith substr substring toLocaleLowerCase \
         toLocaleUpperCase toLowerCase toUpperCase toWellFormed trim trimEnd trimLeft trimRight \
         trimStart",
    ),
    ("number", "toExponential toFixed toPrecision"),
    ("boolean", ""),
];
/// Members of all objects.
const OF_ALL: &str = "constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString \
    toString valueOf __proto__";
/// Methods of a list that call a function with its items.
const ITERATING: &str = "every filter find findIndex findLast findLastIndex flatMap forEach map \
    some sort toSorted reduce reduceRight";
/// Methods of a list with the same items.
const SAME: &str = "concat copyWithin fill filter reverse slice sort splice toReversed toSorted \
    toSpliced with";
/// Methods of a text with a text as result.
const TEXTS: &str = "charAt concat normalize padEnd padStart repeat replace replaceAll slice substr \
    substring toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase trim trimEnd trimStart";

static TEXT: LazyLock<Schema> = LazyLock::new(|| schema(json!({"type": "string"})));
static LINES: LazyLock<Schema> =
    LazyLock::new(|| schema(json!({"type": "array", "items": {"type": "string"}})));
static COUNT: LazyLock<Schema> = LazyLock::new(|| schema(json!({"type": "integer"})));

fn schema(value: Value) -> Schema {
    match value {
        Value::Object(schema) => schema,
        _ => Schema::new(),
    }
}

impl<'s> Shape<'s> {
    fn new(schema: &'s Schema, path: impl Into<String>) -> Self {
        Self {
            schema,
            path: path.into(),
            is_absent: false,
        }
    }

    /// The steps of its path from a parameter.
    fn steps(&self) -> Vec<String> {
        let steps = self.path.strip_prefix("args").unwrap_or_default();
        let steps = steps.replace(ITEM, &format!(".{ITEM}"));
        steps.split('.').skip(1).map(str::to_owned).collect()
    }

    fn present(self) -> Self {
        Self {
            is_absent: false,
            ..self
        }
    }

    /// The only type of the value, `number` for both kinds of numbers.
    fn kind(&self) -> Option<&'s str> {
        let composed = ["$ref", "allOf", "anyOf", "oneOf", "not"];
        if composed.iter().any(|key| self.schema.contains_key(*key)) {
            return None;
        }
        match self.schema.get("type")?.as_str()? {
            "integer" => Some("number"),
            kind => Some(kind),
        }
    }

    fn properties(&self) -> Option<&'s Schema> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.filter(|_| self.kind() == Some("object"))
    }

    /// Returns true if it can have properties that are not declared.
    fn is_open(&self) -> bool {
        is_open(self.schema) || self.properties().is_none_or(Map::is_empty)
    }

    fn item(&self) -> Option<Self> {
        let items = self.schema.get("items")?.as_object();
        let schema = items.filter(|_| self.kind() == Some("array"))?;
        Some(Self {
            schema,
            path: format!("{}[]", self.path),
            is_absent: schema.get("nullable") == Some(&Value::Bool(true)),
        })
    }

    fn member(&self, name: &str) -> Option<Self> {
        if name == "length" && matches!(self.kind(), Some("array" | "string")) {
            return Some(Self::new(&COUNT, format!("{}.length", self.path)));
        }
        let schema = self.properties()?.get(name)?.as_object()?;
        let required = self.schema.get("required").and_then(Value::as_array);
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        let is_null = schema.get("nullable") == Some(&Value::Bool(true));
        Some(Self {
            schema,
            path: format!("{}.{name}", self.path),
            is_absent: is_null || !(is_required || schema.contains_key("default")),
        })
    }

    /// Returns true for a text of which nothing more is known.
    fn is_free_text(&self) -> bool {
        let more = ["enum", "format", "pattern"];
        self.kind() == Some("string") && !more.iter().any(|key| self.schema.contains_key(*key))
    }

    /// Returns true if it prints as `[object Object]`.
    fn prints_as_object(&self) -> bool {
        match self.kind() {
            Some("object") => true,
            Some("array") => self.item().is_some_and(|item| item.prints_as_object()),
            _ => false,
        }
    }
}

/// Finds the uses of the arguments that contradict the schema, and the names of values of the call.
pub(crate) fn check(semantic: &Semantic<'_>, code: Code<'_>) -> (Vec<Misuse>, Vec<Named>) {
    let mut checker = Checker::new(semantic, code);
    for node in semantic.nodes().iter() {
        checker.guard(node);
    }
    for node in semantic.nodes().iter() {
        checker.check(node);
    }
    let nodes = semantic.nodes().iter();
    let named = nodes.filter_map(|node| {
        let steps = checker.steps_of(node.kind())?;
        let span = match node.kind() {
            AstKind::StaticMemberExpression(member) => member.property.span,
            // A text in quotes.
            AstKind::ComputedMemberExpression(member) => member.expression.span().shrink(1),
            kind => kind.span(),
        };
        let parent = semantic.nodes().parent_kind(node.id());
        let is_key = matches!(parent, AstKind::ObjectProperty(it) if it.shorthand);
        Some(Named {
            steps,
            span,
            is_key,
        })
    });
    let mut named: Vec<Named> = named.collect();
    named.append(&mut checker.keys);
    (checker.found, named)
}

/// The value of the call whose member is at the offset `at`: the way to it, and its schema.
pub(crate) fn owner(
    semantic: &Semantic<'_>,
    code: Code<'_>,
    at: usize,
) -> Option<(Vec<String>, Schema)> {
    let checker = Checker::new(semantic, code);
    let owner = semantic.nodes().iter().find_map(|node| match node.kind() {
        AstKind::StaticMemberExpression(it) if it.property.span.start as usize == at => {
            checker.shape(&it.object)
        }
        _ => None,
    })?;
    Some((owner.steps(), owner.schema.clone()))
}

/// The name of a value of the call in the code.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The way to the value from a parameter.
    pub(crate) steps: Vec<String>,
    /// The place of the name.
    pub(crate) span: Span,
    /// True if it is the key of an object, too, as in `{name}`.
    pub(crate) is_key: bool,
}

struct Checker<'c, 'a> {
    semantic: &'c Semantic<'a>,
    code: Code<'c>,
    /// The values of variables that never change.
    symbols: HashMap<SymbolId, Shape<'c>>,
    /// The ways to the values that variables begin with: they have the names of these, and change.
    changing: HashMap<SymbolId, Vec<String>>,
    /// The keys of patterns, as in `const {key: name} = args`.
    keys: Vec<Named>,
    /// The paths of which a condition asks whether they are there.
    guarded: HashSet<String>,
    found: Vec<Misuse>,
}

impl<'c, 'a> Checker<'c, 'a> {
    /// Knows the values of all variables.
    fn new(semantic: &'c Semantic<'a>, code: Code<'c>) -> Self {
        let mut checker = Self {
            semantic,
            code,
            symbols: HashMap::new(),
            changing: HashMap::new(),
            keys: Vec::new(),
            guarded: HashSet::new(),
            found: Vec::new(),
        };
        for node in semantic.nodes().iter() {
            checker.bind_node(node);
        }
        checker
    }

    fn text(&self, span: Span) -> &'c str {
        let text = self.code.text.get(span.start as usize..span.end as usize);
        text.unwrap_or_default()
    }

    fn report(&mut self, rule: &'static str, span: Span, message: String, fix: Option<Hint>) {
        if !self.found.iter().any(|it| it.span == span) {
            self.found.push(Misuse {
                rule,
                message,
                fix,
                span,
            });
        }
    }

    /// The value of the call that an expression has.
    fn shape(&self, one: &'a Expression<'a>) -> Option<Shape<'c>> {
        self.shape_of(AstKind::from_expression(one.without_parentheses()))
    }

    fn shape_of(&self, kind: AstKind<'a>) -> Option<Shape<'c>> {
        match kind {
            AstKind::IdentifierReference(name) => {
                let scoping = self.semantic.scoping();
                match scoping.get_reference(name.reference_id()).symbol_id() {
                    Some(symbol) => self.symbols.get(&symbol).cloned(),
                    None if name.name == "args" && !self.code.is_program => {
                        Some(Shape::new(self.code.schema, "args"))
                    }
                    None => None,
                }
            }
            AstKind::StaticMemberExpression(member) => {
                self.shape(&member.object)?.member(&member.property.name)
            }
            AstKind::ComputedMemberExpression(member) => {
                let owner = self.shape(&member.object)?;
                match &member.expression {
                    Expression::StringLiteral(name) => owner.member(&name.value),
                    _ => owner.item().map(Shape::present),
                }
            }
            AstKind::ChainExpression(chain) => match &chain.expression {
                ChainElement::StaticMemberExpression(member) => {
                    self.shape(&member.object)?.member(&member.property.name)
                }
                ChainElement::CallExpression(call) => self.called(call),
                _ => None,
            },
            AstKind::CallExpression(call) => self.called(call),
            AstKind::LogicalExpression(logical) if !logical.operator.is_and() => {
                self.shape(&logical.left).map(Shape::present)
            }
            _ => None,
        }
    }

    fn called(&self, call: &'a CallExpression<'a>) -> Option<Shape<'c>> {
        let Expression::StaticMemberExpression(callee) = &call.callee else {
            return None;
        };
        let name = callee.property.name.as_str();
        if self.code.is_program && name == "parse" && self.text(callee.span) == "JSON.parse" {
            let source = self.text(call.span);
            let is_input = ["readFileSync(0", "/dev/stdin", "stdin.fd"]
                .iter()
                .any(|it| source.contains(it));
            return is_input.then(|| Shape::new(self.code.schema, "args"));
        }
        let owner = self.shape(&callee.object)?;
        let text = |schema: &'c Schema| Some(Shape::new(schema, self.text(call.span)));
        match owner.kind()? {
            "array" if is_in(name, SAME) => Some(owner.present()),
            "array" if is_in(name, "at find findLast pop shift") => {
                owner.item().map(Shape::present)
            }
            "array" if name == "join" => text(&TEXT),
            "string" if is_in(name, TEXTS) => text(&TEXT),
            "string" if name == "split" => text(&LINES),
            "number" if is_in(name, "toFixed toPrecision toString") => text(&TEXT),
            _ => None,
        }
    }

    /// Gives the variables of a pattern the parts of a value.
    fn bind(&mut self, pattern: &BindingPattern<'a>, shape: Option<Shape<'c>>) {
        let Some(shape) = shape else { return };
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let symbol = name.symbol_id();
                if !self.semantic.scoping().symbol_is_mutated(symbol) {
                    self.symbols.insert(symbol, shape);
                }
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let Some(name) = property.key.static_name() else {
                        continue;
                    };
                    self.member(&shape, &name, property.key.span(), &shape.path.clone());
                    let member = shape.member(&name);
                    if let Some(member) = &member {
                        let steps = member.steps();
                        if !property.shorthand {
                            self.keys.push(Named {
                                steps,
                                span: property.key.span(),
                                is_key: false,
                            });
                        } else if let Some(symbol) = bound(&property.value) {
                            self.changing.insert(symbol, steps);
                        }
                    }
                    self.bind(&property.value, member);
                }
            }
            BindingPattern::AssignmentPattern(assigned) => {
                self.bind(&assigned.left, Some(shape.present()));
            }
            BindingPattern::ArrayPattern(array) => {
                for element in array.elements.iter().flatten() {
                    self.bind(element, shape.item().map(Shape::present));
                }
            }
        }
    }

    fn bind_node(&mut self, node: &AstNode<'a>) {
        match node.kind() {
            AstKind::VariableDeclarator(declarator) => {
                let shape = declarator.init.as_ref().and_then(|init| self.shape(init));
                self.bind(&declarator.id, shape);
            }
            AstKind::ForOfStatement(each) => {
                let shape = self.shape(&each.right).and_then(|list| list.item());
                if let ForStatementLeft::VariableDeclaration(left) = &each.left
                    && let Some(declarator) = left.declarations.first()
                {
                    self.bind(&declarator.id, shape);
                }
            }
            AstKind::CallExpression(call) => {
                let Expression::StaticMemberExpression(callee) = &call.callee else {
                    return;
                };
                let name = callee.property.name.as_str();
                let item = self.shape(&callee.object).and_then(|list| list.item());
                let Some(parameters) = call.arguments.first().and_then(parameters) else {
                    return;
                };
                let own: &[usize] = match name {
                    "sort" | "toSorted" => &[0, 1],
                    "reduce" | "reduceRight" => &[1],
                    name if is_in(name, ITERATING) => &[0],
                    _ => &[],
                };
                for parameter in own.iter().filter_map(|at| parameters.items.get(*at)) {
                    self.bind(&parameter.pattern, item.clone());
                }
            }
            _ => {}
        }
    }

    /// Notes the values of which a condition asks whether they are there: those that it mentions
    /// and of which it reads no member.
    fn guard(&mut self, node: &AstNode<'a>) {
        let nodes = self.semantic.nodes();
        let parent = nodes.parent_kind(node.id());
        let shape = match node.kind() {
            AstKind::IdentifierReference(_)
            | AstKind::StaticMemberExpression(_)
            | AstKind::ComputedMemberExpression(_) => self.shape_of(node.kind()),
            AstKind::BinaryExpression(binary) if binary.operator.is_in() => {
                let owner = self.shape(&binary.right);
                if let (Expression::StringLiteral(name), Some(owner)) = (&binary.left, owner) {
                    self.guarded
                        .insert(format!("{}.{}", owner.path, name.value));
                }
                return;
            }
            AstKind::CallExpression(call) => {
                // `Object.hasOwn(args, "note")`
                let callee = self.text(call.callee.span());
                if callee.ends_with("hasOwn") || callee.ends_with("hasOwnProperty") {
                    let texts = call.arguments.iter().filter_map(Argument::as_expression);
                    for one in texts {
                        if let Expression::StringLiteral(name) = one {
                            self.guarded.insert(format!("args.{}", name.value));
                        }
                    }
                }
                return;
            }
            _ => return,
        };
        let Some(shape) = shape.filter(|it| it.is_absent) else {
            return;
        };
        let span = node.kind().span();
        let is_read_from = match parent {
            AstKind::StaticMemberExpression(member) => {
                member.object.span() == span && !member.optional
            }
            AstKind::ComputedMemberExpression(member) => {
                member.object.span() == span && !member.optional
            }
            _ => false,
        };
        if !is_read_from && (self.is_asked(node.id(), span) || is_assigned(parent, span)) {
            self.guarded.insert(shape.path);
        }
    }

    /// The way to the value that has a name there.
    fn steps_of(&self, kind: AstKind<'a>) -> Option<Vec<String>> {
        let symbol = match kind {
            AstKind::BindingIdentifier(name) => name.symbol_id(),
            AstKind::IdentifierReference(name) => {
                let reference = self.semantic.scoping().get_reference(name.reference_id());
                reference.symbol_id()?
            }
            AstKind::ComputedMemberExpression(member) if !member.expression.is_string_literal() => {
                return None;
            }
            AstKind::StaticMemberExpression(_) | AstKind::ComputedMemberExpression(_) => {
                return self.shape_of(kind).map(|shape| shape.steps());
            }
            _ => return None,
        };
        let shape = self.symbols.get(&symbol).map(Shape::steps);
        shape.or_else(|| self.changing.get(&symbol).cloned())
    }

    /// Returns true if the node is within a condition.
    fn is_asked(&self, id: NodeId, span: Span) -> bool {
        let holds = |test: Span| test.start <= span.start && span.end <= test.end;
        let mut around = self.semantic.nodes().ancestor_kinds(id);
        around.any(|kind| match kind {
            AstKind::IfStatement(one) => holds(one.test.span()),
            AstKind::ConditionalExpression(one) => holds(one.test.span()),
            AstKind::WhileStatement(one) => holds(one.test.span()),
            AstKind::DoWhileStatement(one) => holds(one.test.span()),
            AstKind::SwitchStatement(one) => holds(one.discriminant.span()),
            AstKind::LogicalExpression(one) => holds(one.left.span()),
            AstKind::UnaryExpression(one) => one.operator.is_not() || one.operator.is_typeof(),
            AstKind::BinaryExpression(one) => {
                one.operator.is_compare() || one.operator.is_equality()
            }
            AstKind::TryStatement(_) => true,
            AstKind::CallExpression(call) => {
                let callee = self.text(call.callee.span());
                ["Boolean", "Array.isArray", "filter"].contains(&callee)
            }
            _ => false,
        })
    }
}

fn parameters<'x, 'a>(argument: &'x Argument<'a>) -> Option<&'x FormalParameters<'a>> {
    match argument {
        Argument::ArrowFunctionExpression(function) => Some(&function.params),
        Argument::FunctionExpression(function) => Some(&function.params),
        _ => None,
    }
}

/// Returns true if `parent` gives what is at `span` another value.
fn is_assigned(parent: AstKind<'_>, span: Span) -> bool {
    match parent {
        AstKind::AssignmentExpression(one) => one.left.span() == span,
        AstKind::UpdateExpression(_) => true,
        AstKind::UnaryExpression(one) => one.operator.is_delete(),
        _ => false,
    }
}

/// The variable of a pattern that is one name, with a default or without.
fn bound(pattern: &BindingPattern<'_>) -> Option<SymbolId> {
    match pattern {
        BindingPattern::BindingIdentifier(name) => Some(name.symbol_id()),
        BindingPattern::AssignmentPattern(assigned) => bound(&assigned.left),
        _ => None,
    }
}
