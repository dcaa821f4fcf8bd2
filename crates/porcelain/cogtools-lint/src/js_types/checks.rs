//! The checks of each node: members, comparisons, operands and results.

use cogtools_core::Hint;
use cogtools_core::suggest::Suggestion;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrayExpressionElement, CallExpression, Expression, ObjectExpression, ObjectPropertyKind,
};
use oxc_semantic::{AstNode, NodeId};
use oxc_span::{GetSpan as _, Span};
use serde_json::{Map, Value};

use super::{Checker, GLOBALS, MEMBERS, OF_ALL, Schema, Shape, is_assigned};
use crate::program::is_in;

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn check(&mut self, node: &AstNode<'a>) {
        let parent = self.semantic.nodes().parent_kind(node.id());
        match node.kind() {
            AstKind::StaticMemberExpression(member) => {
                let (name, span) = (member.property.name.as_str(), member.property.span);
                let Some(owner) = self.shape(&member.object) else {
                    self.member_of_global(&member.object, name, span);
                    return;
                };
                let text = self.text(member.object.span());
                if !member.optional {
                    self.there(&owner, member.object.span(), node.id(), "?.");
                }
                if !is_assigned(parent, member.span) {
                    self.member(&owner, name, span, text);
                }
            }
            AstKind::ComputedMemberExpression(member) => {
                let Some(owner) = self.shape(&member.object) else {
                    return;
                };
                let text = self.text(member.object.span());
                if !member.optional {
                    self.there(&owner, member.object.span(), node.id(), "?.");
                }
                if let Expression::StringLiteral(name) = &member.expression
                    && !is_assigned(parent, member.span)
                {
                    self.member(&owner, &name.value, name.span, text);
                }
            }
            AstKind::BinaryExpression(one) if one.operator.is_equality() => {
                self.equality(&one.left, &one.right, one.span);
                self.equality(&one.right, &one.left, one.span);
            }
            AstKind::BinaryExpression(one) if one.operator.is_arithmetic() => {
                self.arithmetic(&one.left, &one.right, one.operator.as_str());
            }
            AstKind::SwitchStatement(one) => {
                for case in &one.cases {
                    if let Some(test) = &case.test {
                        self.equality(&one.discriminant, test, test.span());
                    }
                }
            }
            AstKind::TemplateLiteral(one) => {
                for value in &one.expressions {
                    self.printed(value);
                }
            }
            AstKind::ForOfStatement(one) => {
                self.iterated(&one.right);
                self.spread(&one.right, node.id());
            }
            // An object takes what is missing for nothing.
            AstKind::SpreadElement(one) if !matches!(parent, AstKind::ObjectExpression(_)) => {
                self.spread(&one.argument, node.id());
            }
            AstKind::CallExpression(call) => self.includes(call),
            AstKind::ReturnStatement(one) => {
                let mut around = self.semantic.nodes().ancestor_kinds(node.id());
                let is_inner = around.any(AstKind::is_function_like);
                let output = self
                    .code
                    .output
                    .filter(|_| !is_inner && !self.code.is_program);
                if let (Some(value), Some(output)) = (&one.argument, output) {
                    self.result(value, output);
                }
            }
            _ => {}
        }
    }

    /// Reports a list whose items the node `id` takes, and which may be missing.
    fn spread(&mut self, list: &'a Expression<'a>, id: NodeId) {
        if let Some(shape) = self.shape(list) {
            self.there(&shape, list.span(), id, " ?? []");
        }
    }

    /// Reports a value at `span` that may be missing where the node `id` reads a part of it; `guard`
    /// behind it would be a check.
    fn there(&mut self, owner: &Shape<'c>, span: Span, id: NodeId, guard: &str) {
        if !owner.is_absent || self.guarded.contains(&owner.path) {
            return;
        }
        let text = self.text(span);
        // After `?.`, the rest of the chain does not run.
        let mut around = self.semantic.nodes().ancestor_kinds(id);
        if around.any(|kind| matches!(kind, AstKind::TryStatement(_))) {
            return;
        }
        let message = format!("`{text}` may be missing, and the code does not check");
        let fix = format!("write `{text}{guard}`, or give the parameter a default");
        self.report("js-unguarded-optional", span, message, Some(fix.into()));
    }

    /// Reports a member that a value does not have.
    pub(super) fn member(&mut self, owner: &Shape<'c>, name: &str, span: Span, text: &str) {
        if is_in(name, OF_ALL) || (owner.path == "args" && !self.code.is_program) {
            return;
        }
        if let Some(properties) = owner.properties().filter(|_| !owner.is_open()) {
            if !properties.contains_key(name) {
                let known = properties.keys().map(String::as_str);
                let fix = Suggestion::of(name, known).map(Hint::from);
                let message = if owner.path == "args" {
                    format!("no parameter is named `{name}`")
                } else {
                    format!("`{text}` has no member `{name}`")
                };
                self.report("js-unknown-member", span, message, fix);
            }
            return;
        }
        let Some(kind) = owner.kind() else { return };
        let Some((_, members)) = MEMBERS.iter().find(|(it, _)| *it == kind) else {
            return;
        };
        if !is_in(name, members) && name.parse::<usize>().is_err() {
            let kind = article(kind);
            let message = format!("`{text}` is {kind}, which has no member `{name}`");
            let fix = Suggestion::of(name, members.split_ascii_whitespace()).map(Hint::from);
            self.report("js-unknown-member", span, message, fix);
        }
    }

    /// Reports a member that an object of the language does not have.
    fn member_of_global(&mut self, object: &'a Expression<'a>, name: &str, span: Span) {
        let Expression::Identifier(global) = object else {
            return;
        };
        let reference = self.semantic.scoping().get_reference(global.reference_id());
        let known = GLOBALS.iter().find(|(known, _)| *known == global.name);
        let Some((global, members)) = known.filter(|_| reference.symbol_id().is_none()) else {
            return;
        };
        if !is_in(name, members) && !is_in(name, OF_ALL) {
            let message = format!("`{global}` has no member `{name}`");
            let fix = Suggestion::of(name, members.split_ascii_whitespace()).map(Hint::from);
            self.report("js-unknown-member", span, message, fix);
        }
    }

    /// Reports a comparison of a value with one that it never is.
    fn equality(&mut self, value: &'a Expression<'a>, other: &'a Expression<'a>, span: Span) {
        let (Some(shape), Some(literal)) = (self.shape(value), literal(other)) else {
            return;
        };
        let known = shape.schema.get("enum").and_then(Value::as_array);
        let kind = match &literal {
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            _ => return,
        };
        let fix = match known {
            Some(known) if !known.contains(&literal) => {
                let texts = known.iter().filter_map(Value::as_str);
                let meant = literal.as_str().and_then(|it| Suggestion::of(it, texts));
                let all = known.iter().take(8).map(ToString::to_string);
                let all = || format!("it can be {}", all.collect::<Vec<_>>().join(", "));
                Some(meant.map_or_else(|| all().into(), Hint::from))
            }
            None if shape.kind().is_some_and(|own| own != kind) => {
                Some(format!("it is {}", shape.kind().map(article).unwrap_or_default()).into())
            }
            _ => return,
        };
        let (value, other) = (self.text(value.span()), self.text(other.span()));
        let message = format!("`{value}` is never `{other}`");
        self.report("js-impossible-comparison", span, message, fix);
    }

    /// Reports `["a", "b"].includes(value)` with a value that is never there.
    fn includes(&mut self, call: &'a CallExpression<'a>) {
        let (Expression::StaticMemberExpression(callee), [argument]) =
            (&call.callee, call.arguments.as_slice())
        else {
            return;
        };
        let (Expression::ArrayExpression(list), "includes", Some(value)) = (
            callee.object.without_parentheses(),
            callee.property.name.as_str(),
            argument.as_expression(),
        ) else {
            return;
        };
        let items = list.elements.iter();
        for item in items.filter_map(ArrayExpressionElement::as_expression) {
            self.equality(value, item, item.span());
        }
    }

    fn arithmetic(&mut self, left: &'a Expression<'a>, right: &'a Expression<'a>, operator: &str) {
        if operator == "+" {
            let is_text = |it: &&Expression<'a>| {
                it.is_string_literal() || matches!(it, Expression::TemplateLiteral(_))
            };
            if [left, right].iter().any(is_text) {
                self.printed(left);
                self.printed(right);
            }
            return;
        }
        for operand in [left, right] {
            let Some(shape) = self.shape(operand) else {
                continue;
            };
            let is_wrong = shape.is_free_text() || matches!(shape.kind(), Some("array" | "object"));
            if let Some(kind) = shape.kind().filter(|_| is_wrong) {
                let (text, kind) = (self.text(operand.span()), article(kind));
                let message = format!("`{operator}` is applied to `{text}`, which is {kind}");
                let fix = "declare a number, or write `Number(…)`";
                self.report(
                    "js-wrong-operand",
                    operand.span(),
                    message,
                    Some(fix.into()),
                );
            }
        }
    }

    fn iterated(&mut self, list: &'a Expression<'a>) {
        let kind = self.shape(list).and_then(|shape| shape.kind());
        if let Some(kind) = kind.filter(|kind| !matches!(*kind, "array" | "string")) {
            let text = self.text(list.span());
            let message = format!("`{text}` is {}, not a list", article(kind));
            let fix = "loop over a list, or over `Object.entries(…)`";
            self.report("js-wrong-operand", list.span(), message, Some(fix.into()));
        }
    }

    /// Reports an object that becomes text.
    fn printed(&mut self, one: &'a Expression<'a>) {
        if self.shape(one).is_some_and(|it| it.prints_as_object()) {
            let text = self.text(one.span());
            let message = format!("`{text}` prints as `[object Object]`");
            let fix = format!("print its members, or write `JSON.stringify({text})`");
            self.report("js-wrong-operand", one.span(), message, Some(fix.into()));
        }
    }

    /// Reports a result that the output's schema does not allow.
    fn result(&mut self, value: &'a Expression<'a>, output: &'c Schema) {
        let expected = Shape::new(output, "");
        let (Some(own), Some(wanted)) = (self.kind_of(value), expected.kind()) else {
            return;
        };
        let text = self.text(value.span());
        if own != wanted {
            let (own, wanted) = (article(own), article(wanted));
            let message = format!("the result is {own}, and `output` says {wanted}");
            let is_encoded = text.starts_with("JSON.stringify(");
            let fix = is_encoded.then(|| "return the value itself".into());
            return self.report("js-result", value.span(), message, fix);
        }
        if let Expression::ObjectExpression(object) = value.without_parentheses() {
            self.object_result(object, &expected);
        }
    }

    fn object_result(&mut self, object: &'a ObjectExpression<'a>, expected: &Shape<'c>) {
        let mut names: Vec<String> = Vec::new();
        let mut is_whole = true;
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                is_whole = false;
                continue;
            };
            let Some(name) = property.key.static_name() else {
                is_whole = false;
                continue;
            };
            names.push(name.to_string());
            let Some(declared) = expected.member(&name) else {
                if !expected.is_open() {
                    let known = expected.properties().into_iter().flat_map(Map::keys);
                    let fix = Suggestion::of(&name, known.map(String::as_str)).map(Hint::from);
                    let message = format!("`output` declares no `{name}`");
                    self.report("js-result", property.key.span(), message, fix);
                }
                continue;
            };
            if let (Some(own), Some(wanted)) = (self.kind_of(&property.value), declared.kind())
                && own != wanted
            {
                let (own, wanted) = (article(own), article(wanted));
                let message = format!("`{name}` is {own}, and `output` says {wanted}");
                self.report("js-result", property.value.span(), message, None);
            }
        }
        let required = expected.schema.get("required").and_then(Value::as_array);
        let mut required = required.into_iter().flatten().filter_map(Value::as_str);
        let missing = required.find(|name| !names.iter().any(|it| it == name));
        if let Some(name) = missing.filter(|_| is_whole) {
            let message = format!("the result has no `{name}`, which `output` requires");
            self.report("js-result", object.span, message, None);
        }
    }

    /// The type of an expression, if it is certain.
    fn kind_of(&self, one: &'a Expression<'a>) -> Option<&'c str> {
        match one.without_parentheses() {
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => Some("string"),
            Expression::NumericLiteral(_) => Some("number"),
            Expression::BooleanLiteral(_) => Some("boolean"),
            Expression::ArrayExpression(_) => Some("array"),
            Expression::ObjectExpression(_) => Some("object"),
            Expression::BinaryExpression(one)
                if one.operator.is_equality() || one.operator.is_compare() =>
            {
                Some("boolean")
            }
            Expression::CallExpression(call)
                if self.text(call.callee.span()) == "JSON.stringify" =>
            {
                Some("string")
            }
            Expression::CallExpression(call) if self.shape(one).is_none() => {
                let Expression::StaticMemberExpression(callee) = &call.callee else {
                    return None;
                };
                let list = self.shape(&callee.object)?;
                let is_map = is_in(&callee.property.name, "map flatMap");
                (list.kind() == Some("array") && is_map).then_some("array")
            }
            _ => self.shape(one).filter(|it| !it.is_absent)?.kind(),
        }
    }
}

fn literal(one: &Expression<'_>) -> Option<Value> {
    match one.without_parentheses() {
        Expression::StringLiteral(text) => Some(Value::from(text.value.as_str())),
        Expression::NumericLiteral(number) if number.value.fract() == 0.0 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
            Some(Value::from(number.value as i64))
        }
        Expression::NumericLiteral(number) => Some(Value::from(number.value)),
        Expression::BooleanLiteral(flag) => Some(Value::from(flag.value)),
        _ => None,
    }
}

/// A type in words.
fn article(kind: &str) -> &'static str {
    match kind {
        "array" => "a list",
        "string" => "a text",
        "number" => "a number",
        "boolean" => "a boolean",
        _ => "an object",
    }
}
