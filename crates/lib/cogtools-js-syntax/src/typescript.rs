//! TypeScript without its types, which leave blanks behind.
//!
//! Nothing moves and nothing is rewritten, so a place in what runs is a place in what was
//! written. Syntax that has a meaning at run time is refused with what to write instead: it
//! would need code that nobody wrote.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, BinaryExpression, Class, ClassElement, Decorator,
    Expression, FormalParameter, Function, MethodDefinition, MethodDefinitionType,
    PropertyDefinition, PropertyDefinitionType, PropertyKey, TSAsExpression, TSEnumDeclaration,
    TSExternalModuleDeclaration, TSGlobalDeclaration, TSImportEqualsDeclaration,
    TSInstantiationExpression, TSInterfaceDeclaration, TSNamespaceDeclaration, TSNonNullExpression,
    TSSatisfiesExpression, TSThisParameter, TSTypeAliasDeclaration, TSTypeAnnotation,
    TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclaration,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, SourceType, Span};
use oxc_syntax::operator::BinaryOperator;
use oxc_syntax::scope::ScopeFlags;

use crate::blank::Blanks;
use crate::body_parser;
use crate::nesting::{MAX_NESTING, nesting};

/// A mistake in TypeScript.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mistake {
    /// The mistake and, if it is known, what to write instead.
    pub message: String,
    /// Offsets of it in the code.
    pub range: Range<usize>,
}

/// Replaces the types in `code`, the body of a function, by blanks. Lines, offsets and, but for
/// characters beyond U+FFFF in types, columns stay.
///
/// Returns nothing if `code` is not TypeScript, or has no types. Ask only for code that is not
/// JavaScript: a few lines, such as `a < b > (c)`, are both and mean two things.
///
/// # Errors
///
/// The first syntax that is more than a type, or that does not parse although types do.
pub fn strip_types(code: &str) -> Result<Option<String>, Mistake> {
    if nesting(code) > MAX_NESTING {
        return Ok(None);
    }
    let allocator = Allocator::default();
    let parse = |kind: SourceType| body_parser(&allocator, code, kind).parse();
    let first = |kind: SourceType| {
        let diagnostics = parse(kind).diagnostics;
        let mistakes = diagnostics.iter().map(|diagnostic| {
            let label = diagnostic.labels.first();
            let span = label.map_or_else(Span::default, oxc_span::LabeledSpan::span);
            (offsets(span), diagnostic.message.to_string())
        });
        mistakes.min_by_key(|(range, _)| range.start)
    };
    let typescript = SourceType::ts().with_script(true);
    if let Some((range, message)) = first(typescript) {
        // Only what comes after types is a mistake in TypeScript.
        let javascript = first(SourceType::script());
        return match javascript {
            Some((before, _)) if before.start < range.start => Err(Mistake { message, range }),
            _ => Ok(None),
        };
    }
    let program = parse(typescript).program;
    let mut stripper = Stripper {
        blanks: Blanks::new(code),
        mistake: None,
    };
    stripper.visit_program(&program);
    match stripper.mistake {
        Some(mistake) => Err(mistake),
        None => Ok(stripper.blanks.finish()),
    }
}

pub(crate) fn offsets(span: Span) -> Range<usize> {
    let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    offset(span.start)..offset(span.end)
}

/// Modifiers of members of a class that are gone at run time.
const MODIFIERS: [&str; 7] = [
    "abstract",
    "declare",
    "override",
    "private",
    "protected",
    "public",
    "readonly",
];

/// Visits code and blanks its types.
struct Stripper<'c> {
    blanks: Blanks<'c>,
    /// The first mistake.
    mistake: Option<Mistake>,
}

impl Stripper<'_> {
    fn blank(&mut self, span: Span) {
        self.blanks.blank(offsets(span));
    }

    /// Blanks what is after `from` until the end of `span`.
    fn blank_after(&mut self, from: Span, span: Span) {
        self.blanks.blank(offsets(from).end..offsets(span).end);
    }

    /// Replaces a whole statement, or a member of a class, by an empty one: what comes before it
    /// may rely on it to end.
    fn erase(&mut self, span: Span) {
        self.blank(span);
        self.blanks.put(offsets(span).start, b';');
    }

    fn refuse(&mut self, span: Span, message: &str) {
        let is_first = |found: &Mistake| offsets(span).start < found.range.start;
        if self.mistake.as_ref().is_none_or(is_first) {
            self.mistake = Some(Mistake {
                message: message.to_owned(),
                range: offsets(span),
            });
        }
    }

    /// Refuses a statement that is more than a type; with `declare`, it is nothing else.
    fn refuse_or_erase(&mut self, span: Span, is_declared: bool, message: &str) {
        if is_declared {
            self.erase(span);
        } else {
            self.refuse(span, message);
        }
    }

    /// Blanks the end of `whole`, a type behind `expression`. A line that goes on in JavaScript
    /// where it ended in TypeScript gets its semicolon.
    fn blank_suffix(&mut self, expression: Span, whole: Span) {
        self.blank_after(expression, whole);
        let end = offsets(whole).end;
        let next = self.blanks.next_token(end);
        let goes_on = matches!(self.blanks.character(next), Some('(' | '[' | '`'));
        if goes_on && self.blanks.has_line_end(end..next) {
            self.blanks.put(offsets(expression).end, b';');
        }
    }

    /// Blanks the modifiers of the member of a class `span`, whose name is `key`.
    fn blank_modifiers(&mut self, span: Span, key: &PropertyKey<'_>) {
        let start = offsets(span).start;
        let mut at = start;
        while at < offsets(key.span()).start {
            let word = self.blanks.word(at);
            if word.is_empty() {
                return;
            }
            if MODIFIERS.contains(&word) {
                self.blanks.blank(at..at + word.len());
                // The member before would go on with this one, if its name is computed.
                if at == start {
                    self.blanks.put(at, b';');
                }
            }
            at = self.blanks.next_token(at + word.len());
        }
    }

    /// The offset after the name of a member of a class.
    fn end_of_key(&self, key: &PropertyKey<'_>, is_computed: bool) -> usize {
        let end = offsets(key.span()).end;
        if is_computed {
            self.blanks.next_token(end) + 1
        } else {
            end
        }
    }

    /// Blanks a `?` or `!` that is next after `end`, and returns its offset.
    fn blank_mark(&mut self, end: usize) -> Option<usize> {
        let at = self.blanks.next_token(end);
        let is_mark = matches!(self.blanks.character(at), Some('?' | '!'));
        is_mark.then(|| {
            self.blanks.blank(at..at + 1);
            at
        })
    }

    fn method(&mut self, method: &MethodDefinition<'_>) {
        self.blank_modifiers(method.span, &method.key);
        if method.optional {
            let end = self.end_of_key(&method.key, method.computed);
            self.blank_mark(end);
        }
    }

    fn field(&mut self, field: &PropertyDefinition<'_>) {
        self.blank_modifiers(field.span, &field.key);
        let end = self.end_of_key(&field.key, field.computed);
        let mut first = None;
        if field.optional || field.definite {
            first = self.blank_mark(end);
        }
        if let Some(annotation) = &field.type_annotation {
            self.blank(annotation.span);
            first = first.or(Some(offsets(annotation.span).start));
        }
        // A name such as `get` would belong to the next member.
        if let Some(first) = first
            && field.value.is_none()
        {
            self.blanks.put(first, b';');
        }
    }
}

impl<'a> Visit<'a> for Stripper<'_> {
    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        let message = "`enum` is more than a type: write an object, such as \
                       `const Colour = { Red: \"red\" }`";
        self.refuse_or_erase(it.span, it.declare, message);
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.refuse_or_erase(it.span, it.declare, NAMESPACE);
    }

    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        self.refuse_or_erase(it.span, it.declare, NAMESPACE);
    }

    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        self.refuse_or_erase(it.span, it.declare, NAMESPACE);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        let message = "`import =` has no module to import from: write what is needed in the code \
                       itself";
        self.refuse(it.span, message);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        let message = "a decorator is more than a type: call the function with what it decorates";
        self.refuse(it.span, message);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        let message = "`accessor` is more than a type: write a field, or `get` and `set`";
        self.refuse(it.span, message);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let message = "a type before its value is not removed: write `value as Type`";
        self.refuse(it.span, message);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            self.erase(it.span);
        } else {
            walk::walk_variable_declaration(self, it);
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(offsets(it.id.span()).end);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        // A declaration of what another file or another line defines.
        if it.body.is_none() || it.declare {
            self.erase(it.span);
        } else {
            walk::walk_function(self, it, flags);
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        let parameters = offsets(it.params.span);
        // No line may end before `=>`, nor after `async` and `return`: a bracket moves there.
        if let Some(types) = it.type_parameters.as_ref().map(|it| offsets(it.span))
            && self.blanks.has_line_end(types.start..parameters.start)
        {
            self.blanks.blank(parameters.start..parameters.start + 1);
            self.blanks.put(types.start, b'(');
        }
        if let Some(result) = it.return_type.as_ref().map(|it| offsets(it.span))
            && self.blanks.has_line_end(parameters.end..result.end)
        {
            self.blanks.blank(parameters.end - 1..parameters.end);
            self.blanks.put_last(result.end, b')');
        }
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank(it.span);
        let next = self.blanks.next_token(offsets(it.span).end);
        if self.blanks.character(next) == Some(',') {
            self.blanks.blank(next..next + 1);
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let message = "a parameter that is a property is more than a type: declare the field, \
                           and write `this.name = name` in the constructor";
            self.refuse(it.span, message);
        }
        if it.optional {
            self.blank_mark(offsets(it.pattern.span()).end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            self.erase(it.span);
            return;
        }
        let start = offsets(it.span).start;
        if it.r#abstract && self.blanks.word(start) == "abstract" {
            self.blanks.blank(start..start + "abstract".len());
        }
        if !it.implements.is_empty() {
            let heritage = it.heritage.as_ref().map(|heritage| {
                let types = heritage.type_arguments.as_ref().map(|it| it.span);
                types.unwrap_or_else(|| heritage.expression.span())
            });
            let types = it.type_parameters.as_ref().map(|it| it.span);
            let name = it.id.as_ref().map(|it| it.span);
            let before = heritage.or(types).or(name);
            let before = before.map_or(start + "class".len(), |span| offsets(span).end);
            self.blanks.blank(before..offsets(it.body.span).start);
        }
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::TSIndexSignature(signature) => self.erase(signature.span),
            ClassElement::MethodDefinition(method)
                if method.value.body.is_none()
                    || method.r#type == MethodDefinitionType::TSAbstractMethodDefinition =>
            {
                self.erase(method.span);
            }
            ClassElement::PropertyDefinition(field)
                if field.declare
                    || field.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition =>
            {
                self.erase(field.span);
            }
            ClassElement::MethodDefinition(method) => {
                self.method(method);
                walk::walk_class_element(self, it);
            }
            ClassElement::PropertyDefinition(field) => {
                self.visit_decorators(&field.decorators);
                self.visit_property_key(&field.key);
                if let Some(value) = &field.value {
                    self.visit_expression(value);
                }
                self.field(field);
            }
            _ => walk::walk_class_element(self, it),
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        // The only operator that groups to the right: `a ** b as T ** c` is `(a ** b) ** c`.
        if it.operator == BinaryOperator::Exponential && is_typed_operation(&it.left) {
            let message = "a power before `as` needs parentheses";
            self.refuse(it.left.span(), message);
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }
}

const NAMESPACE: &str = "`namespace` is more than a type: write an object or functions";

/// Returns true for an operation of two values with a type behind it, such as `a ** b as T`.
fn is_typed_operation(expression: &Expression<'_>) -> bool {
    let inner = match expression {
        Expression::TSAsExpression(it) => &it.expression,
        Expression::TSSatisfiesExpression(it) => &it.expression,
        _ => return false,
    };
    matches!(inner, Expression::BinaryExpression(_)) || is_typed_operation(inner)
}
