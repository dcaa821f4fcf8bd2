//! A program before it runs: the tools that it names, which of them need a yes, and mistakes that
//! their types show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use cogtools_agent::{ProgramQuestion, ToolTraits};
use cogtools_core::arguments::Arguments;
use cogtools_core::{Code, Diagnostic, Location, Tool, digest};
use cogtools_js_syntax::{MAX_NESTING, body_parser, nesting, on_large_stack};
use cogtools_log::{Approval, Decision};
use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, BindingPattern, CallExpression, Expression,
    ObjectPropertyKind, PropertyKind,
};
use oxc_semantic::{Semantic, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan as _, SourceType, Span};
use serde_json::{Map, Value, json};

use crate::Scope;

/// The object with the tools.
const TOOLS: &str = "tools";
/// Members that every object inherits.
const INHERITED: [&str; 5] = [
    "constructor",
    "hasOwnProperty",
    "toString",
    "toLocaleString",
    "valueOf",
];

/// A program as a reader sees it before it runs.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The calls of tools by name, in order.
    pub calls: Vec<NamedCall>,
    /// True if it also calls tools whose names are computed.
    pub is_computed: bool,
    /// Mistakes that the types of tools show.
    pub mistakes: Vec<Diagnostic>,
    /// Why nothing of it is known, if it does not parse: the engine then tells more.
    pub unparsed: Option<Diagnostic>,
}

/// A call in the code.
#[derive(Clone, Debug)]
pub struct NamedCall {
    /// The tool.
    pub tool: String,
    /// The line of the code, from 1.
    pub line: usize,
    /// The arguments, if all of them are literal.
    pub arguments: Option<Value>,
    /// True if the tool may change something.
    pub changes: bool,
    /// The decision of the rules.
    pub approval: Approval,
}

impl Display for NamedCall {
    /// The call as a person is asked about it, on one line.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let why = self.approval.why.in_words();
        write!(f, "line {}: {} ", self.line, self.tool)?;
        match &self.arguments {
            Some(arguments) => write!(f, "{arguments} ({why})"),
            None => write!(f, "computed arguments ({why})"),
        }
    }
}

/// The calls that a user agreed to before a program ran.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// The literal arguments of the calls that were shown, by tool.
    shown: BTreeMap<String, Vec<Value>>,
}

impl Consent {
    /// Returns true if the user agreed to this call. One that destroys or reaches an open world was
    /// only agreed to with the arguments that were shown.
    pub(crate) fn covers(&self, tool: &str, traits: ToolTraits, arguments: &Value) -> bool {
        let hints = traits.annotations;
        // As in MCP, a tool that says nothing may do both.
        let is_strict = hints.destructive != Some(false) || hints.open_world != Some(false);
        let shown = self.shown.get(tool);
        shown.is_some_and(|shown| !is_strict || shown.contains(arguments))
    }
}

impl Explanation {
    /// Reads `code`, which calls tools of `scope`. Code that does not parse has no calls: the engine
    /// tells why.
    pub fn of(code: &str, scope: &Scope) -> Self {
        let mut explanation = Self::default();
        if nesting(code) > MAX_NESTING {
            let message = "the code nests too deeply to be checked";
            let diagnostic = Diagnostic::new(Code::CodeTypes, message);
            explanation.mistakes.push(diagnostic);
            return explanation;
        }
        if on_large_stack(|| explanation = analyse(code, scope)).is_none() {
            let message = "the code cannot be checked: the check itself failed";
            let diagnostic = Diagnostic::new(Code::Internal, message);
            explanation.mistakes.push(diagnostic);
        }
        explanation
    }

    /// The tools that the code names, with the digests of their declarations.
    pub(crate) fn named_tools(&self, scope: &Scope) -> BTreeMap<String, String> {
        let digests = self.calls.iter().filter_map(|call| {
            let tool = scope.find(&call.tool).ok()?;
            let declaration = tool.pinned_declaration().to_string();
            let digest = digest::bytes(declaration.as_bytes()).to_string();
            Some((call.tool.clone(), digest))
        });
        digests.collect()
    }

    /// The calls that need a yes.
    pub fn asked(&self) -> impl Iterator<Item = &NamedCall> {
        let calls = self.calls.iter();
        calls.filter(|call| call.approval.decision == Decision::Asked)
    }

    /// The question about `code`, whose explanation this is.
    pub fn question(&self, code: &str, scope: &Scope) -> ProgramQuestion {
        let calls: Vec<String> = self.asked().map(ToString::to_string).collect();
        let tools: BTreeSet<&str> = self.asked().map(|call| call.tool.as_str()).collect();
        let digests = tools.into_iter().filter_map(|tool| scope.digest(tool));
        let digests = digests.collect::<Vec<_>>().join("\n");
        let digest = || digest::bytes(digests.as_bytes()).to_string();
        ProgramQuestion {
            code: code.to_owned(),
            digest: (!calls.is_empty()).then(digest),
            calls,
            problem: None,
        }
    }

    /// Returns the consent to the calls that it shows. `scope` fills in defaults of their arguments.
    pub fn consent(&self, scope: &Scope) -> Consent {
        let mut consent = Consent::default();
        for call in self.asked() {
            let shown = consent.shown.entry(call.tool.clone()).or_default();
            let literal = call.arguments.as_ref().and_then(Value::as_object);
            let tool = literal.and_then(|_| scope.find(&call.tool).ok());
            if let (Some(arguments), Some(tool)) = (literal, tool)
                && let Ok(accepted) = tool.accept(Arguments::from(arguments.clone()))
            {
                shown.push(Value::Object(accepted.into_object()));
            }
        }
        consent
    }

    /// The explanation as JSON.
    pub fn to_json(&self) -> Value {
        let mut tools: Vec<(&NamedCall, Vec<Value>)> = Vec::new();
        for call in &self.calls {
            let shown = json!({"line": call.line, "arguments": call.arguments});
            match tools.iter_mut().find(|(first, _)| first.tool == call.tool) {
                Some((_, calls)) => calls.push(shown),
                None => tools.push((call, vec![shown])),
            }
        }
        let tools = tools.into_iter().map(|(first, calls)| {
            json!({
                "tool": first.tool, "changes": first.changes,
                "approval": verdict(first.approval.decision), "calls": calls,
            })
        });
        json!({"tools": tools.collect::<Vec<_>>(), "computed": self.is_computed})
    }
}

/// `allow`, `ask` or `deny`.
pub const fn verdict(decision: Decision) -> &'static str {
    match decision {
        Decision::Allowed | Decision::Granted => "allow",
        Decision::Asked => "ask",
        Decision::Denied => "deny",
    }
}

fn analyse(code: &str, scope: &Scope) -> Explanation {
    let mut unparsed = None;
    // Only code that is no JavaScript can be TypeScript.
    for kind in [SourceType::mjs(), SourceType::ts()] {
        let allocator = Allocator::default();
        let parsed = body_parser(&allocator, code, kind).parse();
        if let Some(first) = parsed.diagnostics.first() {
            let label = first.labels.first();
            let span = label.map_or(Span::empty(0), |it| Span::sized(it.offset(), it.len()));
            let diagnostic = Diagnostic::new(Code::JsSyntax, first.message.to_string());
            unparsed = Some(diagnostic.at(location(code, span)));
            continue;
        }
        let builder = SemanticBuilder::new().with_build_nodes(true);
        let built = builder.build(&parsed.program);
        let mut analysis = Analysis {
            semantic: &built.semantic,
            code,
            scope,
            found: Explanation::default(),
        };
        analysis.analyse();
        return analysis.found;
    }
    Explanation {
        unparsed,
        ..Explanation::default()
    }
}

fn location(code: &str, span: Span) -> Location {
    let offset = usize::try_from(span.start).unwrap_or(usize::MAX);
    let width = usize::try_from(span.size()).unwrap_or(1);
    let range = offset..offset.saturating_add(width);
    Location::of("<code>".as_ref(), code, range)
}

struct Analysis<'s, 'a> {
    semantic: &'s Semantic<'a>,
    code: &'s str,
    scope: &'s Scope,
    found: Explanation,
}

/// A value of the code, as far as it is literal.
#[derive(Default)]
struct Literal {
    value: Value,
    /// Pointers of the parts that are computed.
    holes: Vec<String>,
    /// True if members of the value itself are unknown.
    is_open: bool,
}

impl<'a> Analysis<'_, 'a> {
    fn analyse(&mut self) {
        for node in self.semantic.nodes().iter() {
            match node.kind() {
                AstKind::CallExpression(call) => self.call(call),
                AstKind::StaticMemberExpression(member) => {
                    let (name, span) = (member.property.name.as_str(), member.property.span);
                    self.member(&member.object, name, span);
                }
                AstKind::VariableDeclarator(declarator) => {
                    if let (Some(init), BindingPattern::ObjectPattern(pattern)) =
                        (&declarator.init, &declarator.id)
                    {
                        for property in &pattern.properties {
                            if let Some(name) = property.key.static_name() {
                                self.member(init, &name, property.key.span());
                            }
                        }
                    }
                }
                AstKind::ComputedMemberExpression(member) => {
                    let is_literal = matches!(&member.expression, Expression::StringLiteral(_));
                    self.found.is_computed |= !is_literal && self.is_tools(&member.object);
                }
                AstKind::IdentifierReference(name) if name.name == TOOLS => {
                    // `tools` that is passed on can call anything.
                    let parent = self.semantic.nodes().parent_kind(node.id());
                    self.found.is_computed |= !matches!(
                        parent,
                        AstKind::StaticMemberExpression(_) | AstKind::ComputedMemberExpression(_)
                    );
                }
                _ => {}
            }
        }
    }

    /// Returns true if `one` is the global object with the tools.
    fn is_tools(&self, one: &Expression<'a>) -> bool {
        let Expression::Identifier(name) = one.without_parentheses() else {
            return false;
        };
        let reference = self.semantic.scoping().get_reference(name.reference_id());
        name.name == TOOLS && reference.symbol_id().is_none()
    }

    /// The name of the tool that `callee` is, and its place.
    fn tool_name(&self, callee: &Expression<'a>) -> Option<(String, Span)> {
        match callee.without_parentheses() {
            Expression::StaticMemberExpression(member) if self.is_tools(&member.object) => {
                Some((member.property.name.to_string(), member.property.span))
            }
            Expression::ComputedMemberExpression(member) if self.is_tools(&member.object) => {
                match &member.expression {
                    Expression::StringLiteral(name) => Some((name.value.to_string(), name.span)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn call(&mut self, call: &CallExpression<'a>) {
        let Some((name, span)) = self.tool_name(&call.callee) else {
            return;
        };
        let tool = match self.scope.find(&name) {
            Ok(tool) => tool,
            Err(mut reasons) if !self.scope.names.contains(&name) => {
                let mut mistake = self.mistake(span, format!("there is no tool `{name}`"));
                mistake.hints = reasons.pop().map(|it| it.hints).unwrap_or_default();
                mistake.subject = name;
                self.found.mistakes.push(mistake);
                return;
            }
            // The call tells what is wrong with the file.
            Err(_) => return,
        };
        let literal = match call.arguments.first() {
            None => Some(Literal {
                value: json!({}),
                ..Literal::default()
            }),
            Some(Argument::SpreadElement(_)) => None,
            Some(one) => one.as_expression().map(Literal::of),
        };
        let literal = literal.unwrap_or_default();
        let place = call.arguments.first().map_or(span, oxc_span::GetSpan::span);
        self.arguments(&tool, &literal, place);
        let traits = ToolTraits::of(&tool);
        let name = tool.name().as_str();
        let is_whole = literal.holes.is_empty() && literal.value.is_object();
        self.found.calls.push(NamedCall {
            tool: name.to_owned(),
            line: location(self.code, span).line,
            arguments: is_whole.then_some(literal.value),
            changes: !traits.is_parallel(),
            approval: self.scope.permissions.decide(name, &traits),
        });
    }

    /// Reports the literal arguments that do not fit; a computed one may be anything.
    fn arguments(&mut self, tool: &Tool, literal: &Literal, span: Span) {
        let Value::Object(object) = &literal.value else {
            return;
        };
        let Err(error) = tool.accept(Arguments::from(object.clone())) else {
            return;
        };
        for wrong in error.diagnostics(tool) {
            let pointer = wrong.pointer.clone().unwrap_or_default();
            let is_known = |hole: &String| {
                !pointer.starts_with(hole.as_str())
                    && (pointer.is_empty() || !hole.starts_with(pointer.as_str()))
            };
            if literal.is_open || !literal.holes.iter().all(is_known) {
                continue;
            }
            let mut mistake = self.mistake(span, wrong.message);
            mistake.pointer = Some(pointer);
            mistake.subject = tool.name().to_string();
            mistake.hints = wrong.hints;
            self.found.mistakes.push(mistake);
        }
    }

    /// Reports a member that the result of a tool does not have.
    fn member(&mut self, owner: &Expression<'a>, name: &str, span: Span) {
        let Some(schema) = self.result_schema(owner, 0) else {
            return;
        };
        let Some(properties) = closed_properties(&schema) else {
            return;
        };
        if properties.contains_key(name) || INHERITED.contains(&name) {
            return;
        }
        let mistake = self.mistake(span, format!("the result has no member `{name}`"));
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let otherwise = format!("it has {}", known.join(", "));
        let mistake = mistake.meant_or(name, known, otherwise);
        self.found.mistakes.push(mistake);
    }

    /// The schema of the value of `one`, if it is of the result of a tool.
    fn result_schema(&self, one: &Expression<'a>, depth: usize) -> Option<Value> {
        if depth > 32 {
            return None;
        }
        match one.without_parentheses() {
            Expression::CallExpression(call) => {
                let (name, _) = self.tool_name(&call.callee)?;
                let tool = self.scope.find(&name).ok()?;
                let schema = tool.output.schema()?;
                Some(Value::Object(schema.as_object().clone()))
            }
            Expression::AwaitExpression(it) => self.result_schema(&it.argument, depth + 1),
            Expression::Identifier(name) => {
                let reference = self.semantic.scoping().get_reference(name.reference_id());
                self.constant(reference.symbol_id()?, depth + 1)
            }
            Expression::StaticMemberExpression(member) => {
                let owner = self.result_schema(&member.object, depth + 1)?;
                let name = member.property.name.as_str();
                closed_properties(&owner)?.get(name).cloned()
            }
            Expression::ComputedMemberExpression(member) => {
                let owner = self.result_schema(&member.object, depth + 1)?;
                owner.get("items").cloned()
            }
            _ => None,
        }
    }

    /// The schema of a variable that never changes.
    fn constant(&self, symbol: SymbolId, depth: usize) -> Option<Value> {
        let scoping = self.semantic.scoping();
        if scoping.symbol_is_mutated(symbol) {
            return None;
        }
        let node = scoping.symbol_declaration(symbol);
        match self.semantic.nodes().kind(node) {
            AstKind::VariableDeclarator(declarator)
                if matches!(declarator.id, BindingPattern::BindingIdentifier(_)) =>
            {
                self.result_schema(declarator.init.as_ref()?, depth)
            }
            _ => None,
        }
    }

    fn mistake(&self, span: Span, message: String) -> Diagnostic {
        Diagnostic::new(Code::CodeTypes, message).at(location(self.code, span))
    }
}

impl Literal {
    fn of(one: &Expression<'_>) -> Self {
        let mut literal = Self::default();
        literal.value = value(one, "", &mut literal.holes, &mut literal.is_open);
        literal
    }
}

/// The value of `one` at `pointer`; a part that is computed is null, and a hole.
fn value(
    one: &Expression<'_>,
    pointer: &str,
    holes: &mut Vec<String>,
    is_open: &mut bool,
) -> Value {
    match one.without_parentheses() {
        Expression::StringLiteral(text) => json!(text.value.as_str()),
        Expression::NumericLiteral(number) => number_of(number.value),
        Expression::BooleanLiteral(flag) => json!(flag.value),
        Expression::NullLiteral(_) => Value::Null,
        Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
            let cooked = text.quasis.first().and_then(|it| it.value.cooked.as_ref());
            json!(cooked.map_or("", |it| it.as_str()))
        }
        Expression::UnaryExpression(unary) if unary.operator.is_arithmetic() => {
            match (&unary.argument, unary.operator.as_str()) {
                (Expression::NumericLiteral(number), "-") => number_of(-number.value),
                _ => hole(pointer, holes),
            }
        }
        Expression::ArrayExpression(array) => {
            let items = array.elements.iter().enumerate().map(|(index, item)| {
                let pointer = format!("{pointer}/{index}");
                match item.as_expression() {
                    Some(one) => value(one, &pointer, holes, is_open),
                    None => hole(&pointer, holes),
                }
            });
            let items: Vec<Value> = items.collect();
            let mut elements = array.elements.iter();
            if elements.any(ArrayExpressionElement::is_spread) {
                return hole(pointer, holes);
            }
            Value::Array(items)
        }
        Expression::ObjectExpression(object) => {
            let mut members = Map::new();
            for property in &object.properties {
                let member = match property {
                    ObjectPropertyKind::ObjectProperty(it) if it.kind == PropertyKind::Init => {
                        it.key.static_name().map(|name| (name, &it.value))
                    }
                    _ => None,
                };
                let Some((name, member)) = member else {
                    *is_open |= pointer.is_empty();
                    holes.push(pointer.to_owned());
                    continue;
                };
                let pointer = cogtools_core::pointer::child(pointer, &name);
                let value = value(member, &pointer, holes, is_open);
                members.insert(name.into_owned(), value);
            }
            Value::Object(members)
        }
        _ => hole(pointer, holes),
    }
}

fn hole(pointer: &str, holes: &mut Vec<String>) -> Value {
    holes.push(pointer.to_owned());
    Value::Null
}

/// A number as JSON has it: whole ones without a fraction.
fn number_of(number: f64) -> Value {
    serde_json::from_str(&number.to_string()).unwrap_or_else(|_| json!(number))
}

/// The properties of an object that has no others.
fn closed_properties(schema: &Value) -> Option<&Map<String, Value>> {
    let composed = ["$ref", "allOf", "anyOf", "oneOf", "not"];
    let additional = schema.get("additionalProperties");
    if composed.iter().any(|key| schema.get(key).is_some())
        || additional.is_some_and(|it| *it != Value::Bool(false))
    {
        return None;
    }
    let properties = schema.get("properties")?.as_object()?;
    (!properties.is_empty()).then_some(properties)
}

#[cfg(test)]
mod tests {
    use cogtools_core::tool::Annotations;

    use super::*;

    #[test]
    fn consent_covers_what_was_shown() {
        let shown = [("t".to_owned(), vec![json!({"n": 1})])];
        let consent = Consent {
            shown: BTreeMap::from(shown),
        };
        let covers = |tool, destructive, open_world, n| {
            let annotations = Annotations {
                destructive,
                open_world,
                ..Annotations::default()
            };
            let traits = ToolTraits {
                annotations,
                ..ToolTraits::default()
            };
            consent.covers(tool, traits, &json!({"n": n}))
        };
        assert!(covers("t", Some(true), Some(true), 1));
        for (destructive, open_world, expected) in [
            (Some(false), Some(false), true),
            (Some(true), Some(false), false),
            (Some(false), Some(true), false),
            (None, None, false),
        ] {
            assert_eq!(covers("t", destructive, open_world, 2), expected);
        }
        assert!(!covers("other", Some(false), Some(false), 1));
    }
}
