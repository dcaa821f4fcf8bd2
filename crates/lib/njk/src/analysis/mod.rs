//! Analysis of a template without rendering it: its reads and definitions, for linters
//! that compare it with its arguments.

mod guard;
mod keywords;
mod reads;
pub mod types;

use std::collections::{HashMap, HashSet};

use guard::Guards;

use crate::ast::{Arguments, Expression, Function, Kind, Name, Statement, Target, Value};
use crate::error::{Error, Positions};
use crate::{filters, parser, tests, walk};

/// A variable that a template reads from its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The name of the variable.
    pub name: String,
    /// Every read of it is guarded: it is inside `{% if name %}`, or the
    /// read is itself a question, as in `name is defined`, `name or other`
    /// and `name | default(other)`.
    pub guarded: bool,
    /// The line of the first read, from 1.
    pub line: usize,
    /// The column of the first read, from 1 and in characters.
    pub column: usize,
}

/// The result of [`analyse`].
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The variables read from the context, in the order they first appear.
    /// The globals of Nunjucks are not among them.
    pub reads: Vec<Read>,
    /// The names that the template defines at its top level: by `set`, `macro`,
    /// `import` and `from`.
    pub sets: Vec<String>,
    /// The names that it binds anywhere, which included templates may read: all of
    /// `sets`, of loops and of macro parameters.
    pub binds: Vec<String>,
    /// Filters and tests that do not exist. Nunjucks, and so this crate,
    /// only fails when one is reached.
    pub unknown: Vec<Error>,
    /// Filters with arguments by name that they do not take, such as `truncate(length=5)`.
    /// Rendering follows Nunjucks, which passes an object instead and reports nothing.
    pub misused: Vec<Error>,
    /// The templates named by `include`, `import`, `from` and `extends` with
    /// a plain string.
    pub templates: Vec<String>,
}

struct Analyst<'a> {
    positions: Positions<'a>,
    /// Where each name is among the reads.
    places: HashMap<String, usize>,
    /// The names bound at the current position, innermost last.
    bound: Vec<String>,
    guards: Guards,
    found: Analysis,
    /// Inside a macro, nothing is set at the top level.
    inner: bool,
}

/// Analyses the source of a template.
///
/// ```
/// let found = njk::analyse("{% if b %}{{ b }}{% endif %}{{ a }}").unwrap();
/// let names: Vec<_> = found.reads.iter().map(|read| (&*read.name, read.guarded)).collect();
/// assert_eq!(names, [("b", true), ("a", false)]);
/// ```
pub fn analyse(source: &str) -> Result<Analysis, Error> {
    let statements = parser::parse("", source)?;
    let mut analyst = Analyst {
        positions: Positions::new(source),
        places: HashMap::new(),
        bound: Vec::new(),
        guards: Guards::default(),
        found: Analysis::default(),
        inner: false,
    };
    analyst.body(&statements);
    walk::statements(&statements, &mut |expression| analyst.names(expression));
    walk::filter_tags(&statements, &mut |name, arguments| {
        analyst.filter(name, arguments);
    });
    Ok(analyst.found)
}

/// The names that statements read without a check.
pub(crate) fn unguarded_reads(statements: &[Statement]) -> HashSet<String> {
    let mut analyst = Analyst {
        // Positions are not asked for.
        positions: Positions::new(""),
        places: HashMap::new(),
        bound: Vec::new(),
        guards: Guards::default(),
        found: Analysis::default(),
        inner: false,
    };
    analyst.body(statements);
    let unguarded = analyst.found.reads.into_iter().filter(|read| !read.guarded);
    unguarded.map(|read| read.name).collect()
}

impl Analyst<'_> {
    fn body(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Text(_) => {}
            Statement::Output(value) => self.read(value),
            Statement::If {
                branches,
                otherwise,
            } => self.conditions(branches, otherwise),
            Statement::For {
                names,
                iterable,
                body,
                otherwise,
            } => {
                self.question(iterable);
                self.within(
                    names.iter().map(|name| name.text.as_str()).chain(["loop"]),
                    |this| {
                        this.body(body);
                    },
                );
                self.body(otherwise);
            }
            Statement::Set { targets, value } => {
                match value {
                    Value::Expression(value) => self.read(value),
                    Value::Body(body) => self.body(body),
                }
                for Target { name: target, .. } in targets {
                    self.set(target);
                }
            }
            Statement::Macro { name, function } => {
                self.set(name);
                self.function(function);
            }
            Statement::Call { call, caller } => {
                self.read(call);
                self.function(caller);
            }
            Statement::Filter {
                arguments, body, ..
            } => {
                self.body(body);
                self.arguments(arguments);
            }
            Statement::Switch {
                subject,
                cases,
                otherwise,
            } => {
                self.question(subject);
                for (value, body) in cases {
                    self.read(value);
                    self.body(body);
                }
                self.body(otherwise);
            }
            Statement::Block { body, .. } => self.body(body),
            _ => self.reach(statement),
        }
    }

    /// The statements that load other templates.
    fn reach(&mut self, statement: &Statement) {
        match statement {
            Statement::Extends(template) | Statement::Include { template, .. } => {
                self.template(template);
            }
            Statement::Import {
                template, target, ..
            } => {
                self.template(template);
                self.set(target);
            }
            Statement::From {
                template, names, ..
            } => {
                self.template(template);
                for (_, alias) in names {
                    self.set(alias);
                }
            }
            _ => {}
        }
    }

    fn template(&mut self, template: &Expression) {
        match &template.kind {
            Kind::Str(name) => self.found.templates.push(name.clone()),
            _ => self.read(template),
        }
    }

    fn conditions(&mut self, branches: &[(Expression, Vec<Statement>)], otherwise: &[Statement]) {
        let before = self.guards.len();
        for (condition, body) in branches {
            self.question(condition);
            let outer = self.guards.len();
            self.guards.extend(guard::when_true(condition));
            self.body(body);
            self.guards.truncate(outer);
            // The following branches run if this condition is false.
            self.guards.extend(guard::when_false(condition));
        }
        self.body(otherwise);
        self.guards.truncate(before);
    }

    fn within<'n>(&mut self, names: impl Iterator<Item = &'n str>, work: impl FnOnce(&mut Self)) {
        let before = self.bound.len();
        for name in names {
            self.bind(name);
        }
        work(self);
        self.bound.truncate(before);
    }

    fn function(&mut self, function: &Function) {
        for (_, value) in &function.defaults {
            self.read(value);
        }
        let names: Vec<&str> = function
            .parameters
            .iter()
            .chain(function.defaults.iter().map(|(name, _)| name))
            .map(|name| name.text.as_str())
            .chain(["caller"])
            .collect();
        let inner = std::mem::replace(&mut self.inner, true);
        self.within(names.into_iter(), |this| this.body(&function.body));
        self.inner = inner;
    }

    fn set(&mut self, name: &Name) {
        if !self.inner && !self.found.sets.contains(&name.text) {
            self.found.sets.push(name.text.clone());
        }
        self.bind(&name.text);
    }

    fn bind(&mut self, name: &str) {
        if !self.found.binds.iter().any(|bound| bound == name) {
            self.found.binds.push(name.to_owned());
        }
        self.bound.push(name.to_owned());
    }

    /// Records a filter or a test that does not exist, or is called wrongly.
    fn names(&mut self, expression: &Expression) {
        match &expression.kind {
            Kind::Filter(_, name, arguments) => self.filter(name, arguments),
            Kind::Test(_, name, _) if tests::find(&name.text).is_none() => {
                let error = tests::unknown(&name.text);
                self.found
                    .unknown
                    .push(error.at("", self.positions.source(), name.span));
            }
            _ => {}
        }
    }

    fn filter(&mut self, name: &Name, arguments: &Arguments) {
        if filters::find(&name.text).is_none() {
            let error = filters::unknown(&name.text);
            self.found
                .unknown
                .push(error.at("", self.positions.source(), name.span));
        } else {
            let misused = keywords::check(self.positions.source(), name, arguments);
            self.found.misused.extend(misused);
        }
    }
}
