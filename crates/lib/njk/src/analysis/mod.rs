//! Analysis of a template without rendering it: its reads and definitions, for linters
//! that compare it with its arguments.

pub mod types;

use std::collections::{HashMap, HashSet};

use crate::ast::{
    Arguments, Binary, Expression, Function, If, Kind, Name, Statement, Unary, Value,
};
use crate::error::{Error, ErrorKind, Positions, Span};
use crate::{filters, globals, parser, tests, walk};

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
    /// The names that it binds anywhere, which included templates may read: by `set`, `macro`,
    /// `import` and `from`, of loops and of macro parameters.
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
    /// True if such a tag computes the name of its template.
    pub computes_template: bool,
}

struct Analyst<'a> {
    positions: Positions<'a>,
    /// Where each name is among the reads.
    places: HashMap<String, usize>,
    /// The names bound at the current position, innermost last.
    bound: Vec<String>,
    /// The names that are known to be defined.
    guards: Vec<String>,
    found: Analysis,
}

/// Analyses the source of a template.
///
/// ```
/// let found = njk::analyse("{% if b %}{{ b }}{% endif %}{{ a }}").unwrap();
/// let names: Vec<_> = found.reads.iter().map(|read| (&*read.name, read.guarded)).collect();
/// assert_eq!(names, [("b", true), ("a", false)]);
/// ```
pub fn analyse(source: &str) -> Result<Analysis, Error> {
    Ok(of(&parser::parse("", source)?, source))
}

/// Analyses the statements of a template.
pub(crate) fn of(statements: &[Statement], source: &str) -> Analysis {
    let mut analyst = Analyst::new(source);
    analyst.body(statements);
    for expression in walk::all_expressions(statements) {
        analyst.names(expression);
    }
    for statement in walk::each(statements) {
        if let Statement::Filter(block) = statement {
            analyst.filter(&block.name, &block.arguments);
        }
    }
    analyst.found
}

/// The names that statements read without a check.
pub(crate) fn unguarded_reads(statements: &[Statement]) -> HashSet<String> {
    // Positions are not asked for.
    let mut analyst = Analyst::new("");
    analyst.body(statements);
    let unguarded = analyst.found.reads.into_iter().filter(|read| !read.guarded);
    unguarded.map(|read| read.name).collect()
}

impl<'a> Analyst<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            positions: Positions::new(source),
            places: HashMap::new(),
            bound: Vec::new(),
            guards: Vec::new(),
            found: Analysis::default(),
        }
    }
}

impl Analyst<'_> {
    fn body(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::If(one) => self.conditions(one),
            Statement::For(one) => {
                self.question(&one.iterable);
                let names = one.names.iter().map(|name| name.text.as_str());
                self.within(names.chain(["loop"]), |this| this.body(&one.body));
                self.body(&one.otherwise);
            }
            Statement::Set { targets, value } => {
                match value {
                    Value::Expression(value) => self.read(value),
                    Value::Body(body) => self.body(body),
                }
                for target in targets {
                    self.bind(&target.text);
                }
            }
            Statement::Macro { name, function } => {
                self.bind(&name.text);
                self.function(function);
            }
            Statement::Call { call, caller } => {
                self.read(call);
                self.function(caller);
            }
            Statement::Switch(one) => {
                self.question(&one.subject);
                for (value, body) in &one.cases {
                    self.read(value);
                    self.body(body);
                }
                self.body(&one.otherwise);
            }
            Statement::Extends(template) | Statement::Include { template, .. } => {
                self.template(template);
            }
            Statement::Import(one) => {
                self.template(&one.template);
                for (_, alias) in &one.names {
                    self.bind(&alias.text);
                }
            }
            _ => {
                for body in walk::bodies(statement) {
                    self.body(body);
                }
                for value in walk::expressions(statement) {
                    self.read(value);
                }
            }
        }
    }

    fn template(&mut self, template: &Expression) {
        if let Kind::Str(name) = &template.kind {
            self.found.templates.push(name.clone());
        } else {
            self.found.computes_template = true;
            self.read(template);
        }
    }

    fn conditions(&mut self, one: &If) {
        let before = self.guards.len();
        for (condition, body) in &one.branches {
            self.question(condition);
            let outer = self.guards.len();
            self.guards.extend(when_true(condition));
            self.body(body);
            self.guards.truncate(outer);
            // The following branches run if this condition is false.
            self.guards.extend(when_false(condition));
        }
        self.body(&one.otherwise);
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
        self.within(names.into_iter(), |this| this.body(&function.body));
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
                self.unknown(tests::unknown(&name.text), name);
            }
            _ => {}
        }
    }

    fn unknown(&mut self, error: Error, name: &Name) {
        let error = error.at("", self.positions.source(), name.span);
        self.found.unknown.push(error);
    }

    fn filter(&mut self, name: &Name, arguments: &Arguments) {
        if filters::find(&name.text).is_none() {
            self.unknown(filters::unknown(&name.text), name);
        } else {
            let misused = check(self.positions.source(), name, arguments);
            self.found.misused.extend(misused);
        }
    }
}

impl Analyst<'_> {
    /// Reads an expression whose value is only checked for being defined.
    fn question(&mut self, expression: &Expression) {
        self.expression(expression, true);
    }

    fn read(&mut self, expression: &Expression) {
        self.expression(expression, false);
    }

    fn expression(&mut self, expression: &Expression, asked: bool) {
        let expression = expression.ungrouped();
        match &expression.kind {
            Kind::Name(name) => {
                let guarded = asked || self.guards.contains(name);
                self.note(name, expression.span, guarded);
            }
            Kind::InlineIf(one) => {
                self.question(&one.condition);
                let before = self.guards.len();
                self.guards.extend(when_true(&one.condition));
                self.expression(&one.then, asked);
                self.guards.truncate(before);
                self.guards.extend(when_false(&one.condition));
                if let Some(otherwise) = &one.otherwise {
                    self.expression(otherwise, asked);
                }
                self.guards.truncate(before);
            }
            Kind::Binary(operator, left, right) => {
                let asks = asks(*operator);
                self.expression(left, asked || asks);
                let before = self.guards.len();
                self.guards.extend(after(*operator, left));
                self.expression(right, asked);
                self.guards.truncate(before);
            }
            Kind::Unary(Unary::Not, target) => self.expression(target, true),
            Kind::Test(target, _, arguments) => {
                self.expression(target, true);
                self.arguments(arguments);
            }
            Kind::Filter(target, name, arguments) => {
                let default = matches!(name.text.as_str(), "default" | "d");
                self.expression(target, default || (asked && name.text == "length"));
                self.arguments(arguments);
            }
            Kind::Member(target, _) | Kind::Index(target, _) if asked => {
                self.expression(target, true);
                if let Kind::Index(_, index) = &expression.kind {
                    self.read(index);
                }
            }
            kind => {
                for child in kind.children() {
                    self.read(child);
                }
            }
        }
    }

    fn note(&mut self, name: &str, span: Span, guarded: bool) {
        if globals::NAMES.contains(&name)
            || matches!(name, "super" | "undefined")
            || self.bound.iter().any(|bound| bound == name)
        {
            return;
        }
        if let Some(place) = self.places.get(name) {
            self.found.reads[*place].guarded &= guarded;
            return;
        }
        let (line, column) = self.positions.at(span.start as usize);
        self.places.insert(name.to_owned(), self.found.reads.len());
        self.found.reads.push(Read {
            name: name.to_owned(),
            guarded,
            line,
            column,
        });
    }

    fn arguments(&mut self, arguments: &Arguments) {
        arguments.iter().for_each(|argument| self.read(argument));
    }
}

/// Returns true if the left side of an operator is only checked for being defined:
/// of `a or b` and of comparisons with something.
pub(crate) fn asks(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Or
            | Binary::And
            | Binary::Equal
            | Binary::Unequal
            | Binary::StrictEqual
            | Binary::StrictUnequal
    )
}

/// The names that are defined when the right side of an operator is evaluated.
pub(crate) fn after(operator: Binary, left: &Expression) -> Vec<String> {
    match operator {
        Binary::And => when_true(left),
        Binary::Or => when_false(left),
        _ => Vec::new(),
    }
}

/// The first name of an expression: `a` of `a.b.c`.
pub(crate) fn root(expression: &Expression) -> Option<&str> {
    match &expression.ungrouped().kind {
        Kind::Name(name) => Some(name),
        Kind::Member(target, _) | Kind::Index(target, _) => root(target),
        Kind::Filter(target, name, _) if name.text == "length" => root(target),
        _ => None,
    }
}

fn named(expression: &Expression) -> Vec<String> {
    root(expression).map(str::to_owned).into_iter().collect()
}

fn joined(
    left: &Expression,
    right: &Expression,
    holds: fn(&Expression) -> Vec<String>,
) -> Vec<String> {
    [holds(left), holds(right)].concat()
}

/// The name that is compared with `undefined` or null.
fn other_than_nothing(left: &Expression, right: &Expression) -> Vec<String> {
    let is_nothing =
        |one: &Expression| matches!(&one.kind, Kind::Null) || one.as_name() == Some("undefined");
    match (is_nothing(left), is_nothing(right)) {
        (true, false) => named(right),
        (false, true) => named(left),
        _ => Vec::new(),
    }
}

/// The names that are defined if `condition` is true.
pub(crate) fn when_true(condition: &Expression) -> Vec<String> {
    match &condition.ungrouped().kind {
        Kind::Binary(Binary::And, left, right) => joined(left, right, when_true),
        Kind::Binary(Binary::Or, left, right) => {
            let right = when_true(right);
            let mut left = when_true(left);
            left.retain(|name| right.contains(name));
            left
        }
        Kind::Binary(
            Binary::Equal
            | Binary::StrictEqual
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual,
            left,
            right,
        ) => joined(left, right, named),
        Kind::Binary(Binary::Unequal | Binary::StrictUnequal, left, right) => {
            other_than_nothing(left, right)
        }
        Kind::Unary(Unary::Not, target) => when_false(target),
        Kind::Test(target, name, _)
            if !matches!(name.text.as_str(), "undefined" | "null" | "falsy") =>
        {
            named(target)
        }
        Kind::In(_, container) => named(container),
        _ => named(condition),
    }
}

/// The names that are defined if `condition` is false.
pub(crate) fn when_false(condition: &Expression) -> Vec<String> {
    match &condition.ungrouped().kind {
        Kind::Binary(Binary::Or, left, right) => joined(left, right, when_false),
        Kind::Binary(Binary::Equal | Binary::StrictEqual, left, right) => {
            other_than_nothing(left, right)
        }
        Kind::Unary(Unary::Not, target) => when_true(target),
        Kind::Test(target, name, _)
            if matches!(name.text.as_str(), "undefined" | "null" | "falsy") =>
        {
            named(target)
        }
        _ => Vec::new(),
    }
}

/// The filters with arguments, the names that Jinja gives these, and what stands for one that is
/// left out before another.
const PARAMETERS: [(&str, &[(&str, &str)]); 17] = [
    ("batch", &[("linecount", "1"), ("fill_with", "none")]),
    ("center", &[("width", "80")]),
    ("d", DEFAULT),
    ("default", DEFAULT),
    ("dictsort", &[("case_sensitive", "false"), ("by", "'key'")]),
    ("dump", &[("indent", "0")]),
    ("float", &[("default", "0")]),
    ("groupby", &[("attribute", "''")]),
    ("indent", &[("width", "4"), ("first", "false")]),
    ("join", &[("d", "''"), ("attribute", "''")]),
    ("replace", &[("old", "''"), ("new", "''"), ("count", "-1")]),
    ("round", &[("precision", "0"), ("method", "'common'")]),
    ("slice", &[("slices", "1"), ("fill_with", "none")]),
    ("striptags", &[("preserve_linebreaks", "false")]),
    ("sum", &[("attribute", "''"), ("start", "0")]),
    (
        "truncate",
        &[("length", "255"), ("killwords", "false"), ("end", "'...'")],
    ),
    (
        "urlize",
        &[("trim_url_limit", "1000"), ("nofollow", "false")],
    ),
];

const DEFAULT: &[(&str, &str)] = &[("default_value", "''"), ("boolean", "false")];

/// The filters that take arguments by name, and their names.
const NAMED: [(&str, &[&str]); 2] = [
    ("int", &["default", "base"]),
    ("sort", &["reverse", "case_sensitive", "attribute"]),
];

/// The filters that give nothing without arguments, and the number that they need.
const NEEDED: [(&str, usize); 6] = [
    ("batch", 1),
    ("groupby", 1),
    ("rejectattr", 1),
    ("replace", 2),
    ("selectattr", 1),
    ("slice", 1),
];

/// The error for too few arguments.
fn too_few(source: &str, name: &Name, arguments: &Arguments) -> Option<Error> {
    let filter = name.text.as_str();
    let (_, needed) = NEEDED.into_iter().find(|(it, _)| *it == filter)?;
    let count = arguments.positional.len();
    let plural = if needed == 1 { "" } else { "s" };
    let message = format!("filter `{filter}` needs {needed} argument{plural}, not {count}");
    let error = Error::new(ErrorKind::BadValue, message);
    (count < needed).then(|| error.at("", source, name.span))
}

/// The error for arguments by name that the filter does not take, or for too few.
fn check(source: &str, name: &Name, arguments: &Arguments) -> Option<Error> {
    let taken = NAMED.iter().find(|(filter, _)| *filter == name.text);
    let taken = taken.map_or([].as_slice(), |(_, names)| names);
    let mut keywords = arguments.keyword.iter().map(|(keyword, _)| keyword);
    let wrong = keywords.find(|keyword| !taken.contains(&keyword.text.as_str()));
    let Some(wrong) = wrong else {
        return too_few(source, name, arguments);
    };
    let (filter, keyword) = (&name.text, &wrong.text);
    let message = format!("filter `{filter}` takes no argument by the name `{keyword}`");
    let error = Error::new(ErrorKind::BadValue, message);
    let hint = call(source, name, arguments).map_or_else(
        || "pass arguments by position; only `sort` and `int` take them by name".to_owned(),
        |call| format!("write `{call}`"),
    );
    Some(error.with_hint(hint).at("", source, wrong.span))
}

/// The call with all arguments by position.
fn call(source: &str, name: &Name, arguments: &Arguments) -> Option<String> {
    let (_, parameters) = PARAMETERS.iter().find(|(filter, _)| *filter == name.text)?;
    let text = |span: Span| source.get(span.start as usize..span.end());
    let mut values: Vec<Option<&str>> = Vec::new();
    for argument in &arguments.positional {
        values.push(Some(text(argument.span)?));
    }
    for (keyword, value) in &arguments.keyword {
        let at = parameters
            .iter()
            .position(|(name, _)| *name == keyword.text)?;
        values.resize(values.len().max(at + 1), None);
        values[at] = Some(text(value.span)?);
    }
    let defaults = parameters.iter().map(|(_, default)| *default);
    let values = values.iter().zip(defaults);
    let values: Vec<&str> = values
        .map(|(value, default)| value.unwrap_or(default))
        .collect();
    Some(format!("{}({})", name.text, values.join(", ")))
}
