//! The templates that a check goes through: the first one and those that it names.

use std::collections::HashMap;

use crate::ast::{Expression, Kind, Statement};
use crate::error::Error;
use crate::{loader, parser, walk};

/// How many templates are read, and how many bytes of them.
const MAX_TEMPLATES: usize = 100;
const MAX_BYTES: usize = 1 << 20;

/// A template that was parsed.
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) statements: Vec<Statement>,
    /// The templates that it names, by the name that it uses.
    pub(super) named: HashMap<String, usize>,
    /// It extends another.
    pub(super) extends: bool,
    /// Everything that it names was found.
    pub(super) complete: bool,
}

/// The template `source` and those that it reaches. Those that do not exist or do not parse are
/// left out.
pub(super) fn load(
    name: &str,
    source: &str,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Loaded>, Error> {
    let mut loaded = vec![parse(name, source)?];
    let mut bytes = source.len();
    let mut at = 0;
    while at < loaded.len() {
        let mut named = HashMap::new();
        let mut complete = true;
        for wanted in names(&loaded[at].statements) {
            let Some(wanted) = wanted else {
                complete = false;
                continue;
            };
            let full = loader::resolve(&loaded[at].name, &wanted);
            let known = full
                .as_ref()
                .and_then(|full| loaded.iter().position(|it| it.name == *full));
            let found = known.or_else(|| {
                let full = full.filter(|_| loaded.len() < MAX_TEMPLATES)?;
                let source = find(&full).filter(|it| it.len() + bytes <= MAX_BYTES)?;
                bytes += source.len();
                loaded.push(parse(&full, &source).ok()?);
                Some(loaded.len() - 1)
            });
            complete &= found.is_some();
            named.extend(found.map(|found| (wanted, found)));
        }
        loaded[at].named = named;
        loaded[at].complete = complete;
        at += 1;
    }
    Ok(loaded)
}

fn parse(name: &str, source: &str) -> Result<Loaded, Error> {
    let statements = parser::parse(name, source)?;
    let extends = |one: &Statement| matches!(one, Statement::Extends(_));
    Ok(Loaded {
        name: name.to_owned(),
        source: source.to_owned(),
        extends: statements.iter().any(extends),
        statements,
        named: HashMap::new(),
        complete: false,
    })
}

/// The names of templates in these statements; `None` for one that is computed.
fn names(statements: &[Statement]) -> Vec<Option<String>> {
    let mut names = Vec::new();
    walk::each(statements, &mut |statement| {
        names.extend(template(statement).map(literal));
    });
    names
}

/// The expression with the name of the template that a statement loads.
pub(super) fn template(statement: &Statement) -> Option<&Expression> {
    match statement {
        Statement::Extends(template)
        | Statement::Include { template, .. }
        | Statement::Import { template, .. }
        | Statement::From { template, .. } => Some(template),
        _ => None,
    }
}

fn literal(template: &Expression) -> Option<String> {
    match &template.kind {
        Kind::Str(name) => Some(name.clone()),
        _ => None,
    }
}
