//! The code of a tool in JavaScript, as a parser understands it.

use std::collections::BTreeSet;

use cogtools_core::Location;
use cogtools_core::tool::JsSource;
use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, BindingProperty, Expression};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{NodeId, Semantic, SemanticBuilder};
use oxc_span::{GetSpan as _, SourceType, Span};

/// What the code is, as far as its text says so.
pub(crate) struct JsAnalysis<'s> {
    source: &'s JsSource,
    /// Why it is no body of a function, and where.
    pub(crate) errors: Vec<(String, Span)>,
    /// The names that it does not declare.
    pub(crate) globals: Vec<(String, Span)>,
    /// The properties of `args` that it reads.
    pub(crate) reads: Vec<(String, Span)>,
    /// Whether it uses `args` in another way: any property may be read then.
    pub(crate) reads_all: bool,
    /// What is asynchronous.
    pub(crate) awaits: Vec<(&'static str, Span)>,
}

/// What makes the parser strict, in a line of its own.
const STRICT: &str = "'use strict';\n";
/// The parameter of the function.
const ARGS: &str = "args";

impl<'s> JsAnalysis<'s> {
    /// Analyses `source`.
    pub(crate) fn of(source: &'s JsSource) -> Self {
        let mut analysis = Self {
            source,
            errors: Vec::new(),
            globals: Vec::new(),
            reads: Vec::new(),
            reads_all: false,
            awaits: Vec::new(),
        };
        let text = format!("{STRICT}{}", source.source());
        let allocator = Allocator::default();
        let options = ParseOptions {
            allow_return_outside_function: true,
            ..ParseOptions::default()
        };
        let parser = Parser::new(&allocator, &text, SourceType::script()).with_options(options);
        let parsed = parser.parse();
        analysis.errors = parsed.diagnostics.iter().map(error).collect();
        if analysis.errors.is_empty() {
            let builder = SemanticBuilder::new().with_check_syntax_error(true);
            let built = builder.with_build_nodes(true).build(&parsed.program);
            analysis.errors = built.diagnostics.iter().map(error).collect();
            analysis.add_names(&built.semantic);
            analysis.add_awaits(&built.semantic);
        }
        analysis
    }

    /// Where `span` of the parsed text is in the tool file.
    pub(crate) fn location(&self, span: Span) -> Location {
        let code = self.source.source();
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let start = offset(span.start).saturating_sub(STRICT.len());
        let start = code.floor_char_boundary(start.min(code.len()));
        let end = offset(span.end).saturating_sub(STRICT.len());
        let end = code.floor_char_boundary(end.clamp(start, code.len()));
        let line_start = code[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = code[..start].matches('\n').count() + 1;
        let column = code[line_start..start].chars().count() + 1;
        let width = code[start..end]
            .lines()
            .next()
            .unwrap_or("")
            .chars()
            .count();
        self.source.location(line, column, width.max(1))
    }

    /// Whether the code reads the property `name` of `args`.
    pub(crate) fn may_read(&self, name: &str) -> bool {
        self.reads_all || self.reads.iter().any(|(read, _)| read == name)
    }

    fn add_names(&mut self, semantic: &Semantic<'_>) {
        let scoping = semantic.scoping();
        let references = scoping.root_unresolved_references_ids().flatten();
        let nodes = references.map(|id| scoping.get_reference(id).node_id());
        let mut nodes: Vec<NodeId> = nodes.collect();
        nodes.sort_unstable_by_key(|node| semantic.nodes().kind(*node).span().start);
        for node in nodes {
            let AstKind::IdentifierReference(name) = semantic.nodes().kind(node) else {
                continue;
            };
            let parent = semantic.nodes().parent_kind(node);
            if name.name == ARGS {
                self.add_args(parent, name.span);
            } else if !is_typeof(parent) {
                self.globals.push((name.name.to_string(), name.span));
            }
        }
        // The code declares another `args`: nothing is known about the first one.
        let declared: BTreeSet<&str> = scoping.symbol_names().collect();
        self.reads_all |= declared.contains(ARGS);
    }

    /// Adds what `parent` reads of `args`, which is at `span`.
    fn add_args(&mut self, parent: AstKind<'_>, span: Span) {
        let read = match parent {
            AstKind::StaticMemberExpression(member) if member.object.span() == span => {
                Some(vec![(
                    member.property.name.to_string(),
                    member.property.span,
                )])
            }
            AstKind::ComputedMemberExpression(member) if member.object.span() == span => {
                match &member.expression {
                    Expression::StringLiteral(key) => Some(vec![(key.value.to_string(), key.span)]),
                    _ => None,
                }
            }
            AstKind::VariableDeclarator(declarator) => pattern(&declarator.id),
            _ => None,
        };
        match read {
            Some(read) => self.reads.extend(read),
            None => self.reads_all = true,
        }
    }

    fn add_awaits(&mut self, semantic: &Semantic<'_>) {
        for node in semantic.nodes().iter() {
            let found = match node.kind() {
                AstKind::Function(function) if function.r#async => {
                    ("an async function", function.span)
                }
                AstKind::ArrowFunctionExpression(arrow) if arrow.r#async => {
                    ("an async function", arrow.span)
                }
                AstKind::ImportExpression(import) => ("an import", import.span),
                _ => continue,
            };
            self.awaits.push(found);
        }
    }
}

/// The properties that `const {…} = args` reads, if the pattern names all of them.
fn pattern(pattern: &BindingPattern<'_>) -> Option<Vec<(String, Span)>> {
    let BindingPattern::ObjectPattern(pattern) = pattern else {
        return None;
    };
    if pattern.rest.is_some() {
        return None;
    }
    let name = |property: &BindingProperty<'_>| {
        let name = property.key.static_name()?;
        Some((name.to_string(), property.key.span()))
    };
    pattern.properties.iter().map(name).collect()
}

/// Whether a name in `parent` need not exist.
fn is_typeof(parent: AstKind<'_>) -> bool {
    matches!(parent, AstKind::UnaryExpression(unary) if unary.operator.is_typeof())
}

fn error(diagnostic: &OxcDiagnostic) -> (String, Span) {
    let label = diagnostic.labels.first();
    let span = label.map_or_else(Span::default, oxc_span::LabeledSpan::span);
    (diagnostic.message.to_string(), span)
}
