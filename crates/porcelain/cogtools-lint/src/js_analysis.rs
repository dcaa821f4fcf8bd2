//! The code of a tool in JavaScript, as a parser understands it.

use std::ops::Range;
use std::path::Path;
use std::slice;

use cogtools_core::tool::{Flow, FlowNode, JsSource, Output};
use cogtools_core::{Location, Tool};
use cogtools_js_syntax::{MAX_NESTING, body_parser, nesting, on_large_stack, strip_types};
use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, BindingProperty, Expression, Statement, SwitchCase};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{Parser, ParserReturn};
use oxc_semantic::{NodeId, Semantic, SemanticBuilder};
use oxc_span::{GetSpan as _, SourceType, Span};
use serde_json::{Map, Value, json};

use crate::js_types::{self, Code, Misuse, Named, Schema};

/// Names, reads and mistakes of the code.
#[derive(Debug)]
pub(crate) struct JsAnalysis {
    source: JsSource,
    /// The node of a flow that has it.
    pub(crate) node: Option<String>,
    /// The properties of `args`, if they are known.
    pub(crate) names: Option<Vec<String>>,
    /// Why it is no body of a function, and where.
    pub(crate) errors: Vec<(String, Span)>,
    /// The names that it does not declare.
    pub(crate) globals: Vec<(String, Span)>,
    /// The properties of `args` that it reads.
    pub(crate) reads: Vec<(String, Span)>,
    /// True if it uses `args` in another way: any property may be read then.
    pub(crate) reads_all: bool,
    /// It has a `return` with a value that is of no inner function.
    pub(crate) returns: bool,
    /// Its end can be reached, where it returns nothing.
    pub(crate) falls_through: bool,
    /// The asynchronous parts.
    pub(crate) awaits: Vec<(&'static str, Span)>,
    /// The uses of `args` that the parameters contradict, and results that `output` contradicts.
    pub(crate) misuses: Vec<Misuse>,
    /// The names of values of the call.
    pub(crate) values: Vec<Named>,
    /// The schema of `args`, if it is known.
    schema: Option<Schema>,
}

/// A directive that makes the parser strict, in a line of its own.
const STRICT: &str = "'use strict';\n";
/// The parameter of the function.
const ARGS: &str = "args";
/// The member that stands for one that is being written.
const MEMBER: &str = "member";
/// The property of `args` with the number of an item of a list.
const INDEX: &str = "index";

impl JsAnalysis {
    /// Analyses the code of `tool`, and of the nodes of its flow.
    pub(crate) fn all(tool: &Tool) -> Vec<Self> {
        let own = tool.js().map(|source| Self::of(source, tool, None));
        let nodes = tool.flow().into_iter().flat_map(Flow::nodes);
        let of_nodes = nodes.filter_map(|node| {
            let source = node.js(tool.text())?;
            Some(Self::of(source, tool, Some(node)))
        });
        own.into_iter().chain(of_nodes).collect()
    }

    fn of(source: JsSource, tool: &Tool, node: Option<&FlowNode>) -> Self {
        let others = node.into_iter().flat_map(|node| {
            let item = node.item_variable();
            let needs = node.needs.iter().map(|need| need.node.as_str());
            needs.chain(item).chain(item.map(|_| INDEX))
        });
        let others: Vec<&str> = others.collect();
        let names = tool.schema.names().map(|mut names| {
            names.extend(&others);
            names.into_iter().map(str::to_owned).collect()
        });
        let mut analysis = Self {
            source,
            node: node.map(|node| node.id.clone()),
            names,
            errors: Vec::new(),
            globals: Vec::new(),
            reads: Vec::new(),
            reads_all: false,
            returns: true,
            falls_through: false,
            awaits: Vec::new(),
            misuses: Vec::new(),
            values: Vec::new(),
            schema: None,
        };
        if nesting(analysis.source.source()) > MAX_NESTING {
            let message = "the code nests too deeply to be checked";
            analysis.errors.push((message.to_owned(), Span::default()));
            analysis.reads_all = true;
            return analysis;
        }
        // Results of nodes and items of lists can be anything.
        let mut schema = tool.schema.as_object().clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.extend(others.iter().map(|name| ((*name).to_owned(), json!({}))));
        }
        // Only an optional need has no result at times.
        let is_optional = |name: &&str| {
            let mut needs = node.into_iter().flat_map(|node| &node.needs);
            needs.any(|need| need.node == *name && need.is_optional)
        };
        let present = others.iter().filter(|name| !is_optional(name));
        let present = present.map(|name| json!(name));
        match schema.get_mut("required").and_then(Value::as_array_mut) {
            Some(required) => required.extend(present),
            None => drop(schema.insert("required".to_owned(), present.collect())),
        }
        analysis.schema = (!tool.schema.is_recovered()).then_some(schema);
        on_large_stack(|| analysis.analyse(tool));
        analysis
    }

    fn analyse(&mut self, tool: &Tool) {
        let code = self.source.source().to_owned();
        if self.analyse_as(&code, tool) {
            return;
        }
        // What is no JavaScript can be TypeScript.
        match strip_types(&code) {
            Ok(Some(code)) => {
                self.analyse_as(&code, tool);
            }
            Ok(None) => {}
            Err(mistake) => {
                let offset = |at: usize| u32::try_from(at + STRICT.len()).unwrap_or(u32::MAX);
                let Range { start, end } = mistake.range;
                let span = Span::new(offset(start), offset(end));
                self.errors = vec![(mistake.message, span)];
            }
        }
    }

    /// Analyses `code` as JavaScript, and returns true if it parses.
    fn analyse_as(&mut self, code: &str, tool: &Tool) -> bool {
        let text = format!("{STRICT}{code}");
        let allocator = Allocator::default();
        let parsed = self.parse(&allocator, &text);
        self.errors = parsed.diagnostics.iter().map(error).collect();
        if !self.errors.is_empty() {
            return false;
        }
        let builder = SemanticBuilder::new().with_check_syntax_error(true);
        let built = builder.with_build_nodes(true).build(&parsed.program);
        self.errors = built.diagnostics.iter().map(error).collect();
        self.add_names(&built.semantic);
        if !self.calls_tools() {
            self.add_awaits(&built.semantic);
            self.returns = returns(&built.semantic);
            // A node without a value is like one that is skipped.
            self.falls_through = self.node.is_none() && !ends(&parsed.program.body);
        }
        let schema = self.schema.as_ref();
        let schema = schema.filter(|_| self.errors.is_empty() && !declares_args(&built.semantic));
        if let Some(schema) = schema {
            let code = Code {
                // As it was written, with the types that `code` lacks.
                text: &format!("{STRICT}{}", self.source.source()),
                schema,
                output: match &tool.output {
                    Output::Json(Some(schema)) if self.node.is_none() => Some(schema.as_object()),
                    _ => None,
                },
                is_program: false,
            };
            (self.misuses, self.values) = js_types::check(&built.semantic, code);
        }
        true
    }

    fn parse<'a>(&self, allocator: &'a Allocator, text: &'a str) -> ParserReturn<'a> {
        // Code that calls tools may await them.
        let kind = if self.calls_tools() {
            SourceType::mjs()
        } else {
            SourceType::script()
        };
        body_parser(allocator, text, kind).parse()
    }

    /// The value of the call that the code before the offset `end` ends with, although a member of
    /// it is still being written: the way to it, and its schema. The code goes on at `rest`.
    pub(crate) fn value_before(&self, end: usize, rest: usize) -> Option<(Vec<String>, Schema)> {
        let code = self.source.source();
        let before = format!("{STRICT}{}.{MEMBER}", code.get(..end)?);
        let owner = |semantic: &Semantic<'_>, text: &str, at| {
            let code = Code {
                text,
                schema: self.schema.as_ref()?,
                output: None,
                is_program: false,
            };
            (!declares_args(semantic)).then(|| js_types::owner(semantic, code, at))?
        };
        self.unfinished(&before, code.get(rest..)?, owner)
    }

    /// The names that can stand at the offset `end`, of variables and functions, although one is
    /// still being written there. The code goes on at `rest`.
    pub(crate) fn names_before(&self, end: usize, rest: usize) -> Option<Vec<String>> {
        let code = self.source.source();
        let before = format!("{STRICT}{}{MEMBER}", code.get(..end)?);
        let names = |semantic: &Semantic<'_>, _: &str, at| {
            let mut nodes = semantic.nodes().iter();
            let node = nodes.find(|node| {
                matches!(node.kind(), AstKind::IdentifierReference(it) if it.span.start as usize == at)
            })?;
            let scoping = semantic.scoping();
            let scopes = scoping.scope_ancestors(node.scope_id());
            let symbols = scopes.flat_map(|scope| scoping.iter_bindings_in(scope));
            let names = symbols.map(|symbol| scoping.symbol_name(symbol).to_owned());
            Some(names.collect())
        };
        self.unfinished(&before, code.get(rest..)?, names)
    }

    /// Calls `find` with code that ends with [`MEMBER`], and the offset of that: with the rest, which
    /// parses, or the last statement has no end, or a condition without a statement is it.
    fn unfinished<T: Send>(
        &self,
        before: &str,
        rest: &str,
        find: impl Fn(&Semantic<'_>, &str, usize) -> Option<T> + Sync,
    ) -> Option<T> {
        let at = before.len() - MEMBER.len();
        let closed = format!("{before}{}", closing(before));
        let texts = [
            format!("{before}{rest}"),
            format!("{closed};"),
            format!("{closed}{{}}"),
        ];
        on_large_stack(|| {
            texts
                .iter()
                .find_map(|text| self.with_semantic(text, |semantic| find(semantic, text, at))?)
        })?
    }

    fn with_semantic<T>(&self, text: &str, find: impl FnOnce(&Semantic<'_>) -> T) -> Option<T> {
        if nesting(text) > MAX_NESTING {
            return None;
        }
        let allocator = Allocator::default();
        let stripped = strip_types(text).ok()?;
        let parsed = self.parse(&allocator, stripped.as_deref().unwrap_or(text));
        let built = SemanticBuilder::new()
            .with_build_nodes(true)
            .build(&parsed.program);
        parsed.diagnostics.is_empty().then(|| find(&built.semantic))
    }

    /// Returns true if it is a program that calls tools.
    pub(crate) fn calls_tools(&self) -> bool {
        !self.source.tools().is_empty()
    }

    /// The code.
    pub(crate) const fn source(&self) -> &JsSource {
        &self.source
    }

    /// Where `span` of the parsed text is in the tool file.
    pub(crate) fn location(&self, span: Span) -> Location {
        let code = self.source.source();
        let offset = |at: u32| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            at.saturating_sub(STRICT.len()).min(code.len())
        };
        let place = Location::of(Path::new(""), code, offset(span.start)..offset(span.end));
        self.source.location(place.line, place.column, place.width)
    }

    /// Returns true if the code reads the property `name` of `args`.
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
        self.reads_all |= declares_args(semantic);
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

/// The brackets that close what is open at the end of `code`.
fn closing(code: &str) -> String {
    let mut open: Vec<char> = Vec::new();
    let (mut quote, mut last) = (None, ' ');
    for c in code.chars() {
        match (quote, open.last(), c) {
            _ if last == '\\' => {}
            (Some(mark), ..) if c == mark || c == '\n' => quote = None,
            (Some(_), ..) => {}
            (_, Some('`'), '{') if last == '$' => open.push('}'),
            (_, Some('`'), '`') => drop(open.pop()),
            (_, Some('`'), _) => {}
            (.., ')' | ']' | '}') => drop(open.pop()),
            (.., '\'' | '"') => quote = Some(c),
            (.., '(') => open.push(')'),
            (.., '[') => open.push(']'),
            (.., '{') => open.push('}'),
            (.., '`') => open.push('`'),
            _ => {}
        }
        last = if last == '\\' { ' ' } else { c };
    }
    open.into_iter().rev().collect()
}

/// Returns true if the code has an `args` of its own.
fn declares_args(semantic: &Semantic<'_>) -> bool {
    semantic.scoping().symbol_names().any(|name| name == ARGS)
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

/// Returns true if a name in `parent` need not exist.
fn is_typeof(parent: AstKind<'_>) -> bool {
    matches!(parent, AstKind::UnaryExpression(unary) if unary.operator.is_typeof())
}

fn error(diagnostic: &OxcDiagnostic) -> (String, Span) {
    let label = diagnostic.labels.first();
    let span = label.map_or_else(Span::default, oxc_span::LabeledSpan::span);
    (diagnostic.message.to_string(), span)
}

/// Returns true if the code gives a result: by a `return` with a value outside inner functions. A
/// body that only throws gives none on purpose.
fn returns(semantic: &Semantic<'_>) -> bool {
    let nodes = semantic.nodes();
    let is_own = |id: NodeId| !nodes.ancestor_kinds(id).any(AstKind::is_function_like);
    nodes.iter().any(|node| match node.kind() {
        AstKind::ReturnStatement(one) => one.argument.is_some() && is_own(node.id()),
        AstKind::ThrowStatement(_) => is_own(node.id()),
        _ => false,
    })
}

/// Returns true if nothing behind `statements` runs: every way ends in a `return` or a `throw`, as
/// far as their form says.
fn ends(statements: &[Statement<'_>]) -> bool {
    statements.iter().any(|statement| match statement {
        // A loop is left where its condition says, or by a `return`.
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::WhileStatement(_)
        | Statement::DoWhileStatement(_)
        | Statement::ForStatement(_) => true,
        Statement::BlockStatement(block) => ends(&block.body),
        Statement::LabeledStatement(labeled) => ends(slice::from_ref(&labeled.body)),
        Statement::IfStatement(one) => {
            let other = one.alternate.as_ref();
            ends(slice::from_ref(&one.consequent))
                && other.is_some_and(|other| ends(slice::from_ref(other)))
        }
        Statement::SwitchStatement(one) => {
            let last = one.cases.last();
            one.cases.iter().any(SwitchCase::is_default_case)
                && last.is_some_and(|case| ends(&case.consequent))
        }
        Statement::TryStatement(one) => {
            let handler = one.handler.as_ref();
            let cleanup = one.finalizer.as_ref();
            cleanup.is_some_and(|block| ends(&block.body))
                || ends(&one.block.body) && handler.is_none_or(|it| ends(&it.body.body))
        }
        _ => false,
    })
}

/// The message of a parser, and its place.
pub(crate) type Mistake = (String, Span);

/// The first mistake of a script in JavaScript, as a module or not, with its place; without one,
/// the uses of its arguments that `schema` contradicts.
pub(crate) fn script(text: &str, schema: &Map<String, Value>) -> Result<Vec<Misuse>, Mistake> {
    if nesting(text) > MAX_NESTING {
        let message = "the code nests too deeply to be checked".to_owned();
        return Err((message, Span::default()));
    }
    let mut found = Ok(Vec::new());
    on_large_stack(|| {
        for kind in [SourceType::mjs(), SourceType::cjs()] {
            let allocator = Allocator::default();
            let parsed = Parser::new(&allocator, text, kind).parse();
            if let Some(diagnostic) = parsed.diagnostics.first() {
                let (message, span) = error(diagnostic);
                found = Err((message.trim_end_matches('.').to_owned(), span));
                continue;
            }
            let builder = SemanticBuilder::new().with_build_nodes(true);
            let built = builder.build(&parsed.program);
            let code = Code {
                text,
                schema,
                output: None,
                is_program: true,
            };
            found = Ok(js_types::check(&built.semantic, code).0);
            break;
        }
    });
    found
}
