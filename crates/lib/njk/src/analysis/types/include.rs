//! The statements that load other templates.

use super::checker::Checker;
use super::json::Json;
use super::lattice::{Any, Type};
use super::literal::Strings;
use super::problem::Problem;
use super::scope::Role;
use crate::ast::{Expression, Kind, Statement, Value};
use crate::walk;

impl Checker<'_> {
    /// The statements that load other templates.
    pub(super) fn load(&mut self, statement: &Statement) {
        let Some(template) = super::load::template(statement) else {
            return;
        };
        let found = if let Kind::Str(name) = &template.kind {
            self.loaded[self.here].named.get(name).copied()
        } else {
            self.named_by_argument(template);
            None
        };
        match (statement, found) {
            (Statement::Include { .. } | Statement::Extends(_), Some(found)) => {
                self.json.iter_mut().for_each(Json::lose);
                self.note_include(found);
            }
            (Statement::Import { target, .. }, found) => {
                let role = found.map_or(Role::Value, Role::Module);
                self.scope
                    .bind_as(&target.text, Type::unknown(), role, true, None);
            }
            (Statement::From { names, .. }, found) => {
                for (name, alias) in names {
                    let number = found.and_then(|found| self.exported(found, &name.text));
                    if let (None, Some(found)) = (number, found) {
                        self.missing_export(found, name);
                    }
                    let role = number.map_or(Role::Value, Role::Macro);
                    self.scope
                        .bind_as(&alias.text, Type::unknown(), role, true, None);
                }
            }
            _ => {}
        }
    }

    /// Reports the name of a template that an argument decides.
    fn named_by_argument(&mut self, template: &Expression) {
        let ty = self.expression(template);
        self.escape(&ty);
        let mut argument = None;
        walk::expression(template, &mut |inner| {
            if let Kind::Name(name) = &inner.kind
                && argument.is_none()
                && self.variables.contains_key(name)
                && !self.assigned.contains(name)
            {
                argument = Some((name.clone(), inner));
            }
        });
        let Some((name, inner)) = argument else {
            if ty.any == Any::No && self.is_made_of_arguments(template) {
                let name = self.text(template.span);
                self.report(template.span, Problem::FromArgument { name });
            }
            return;
        };
        let inner = match &template.kind {
            Kind::Member(..) | Kind::Index(..) => template,
            _ => inner,
        };
        let known = self.quietly(|this| this.expression(inner));
        let is_enum = known
            .string
            .as_ref()
            .is_some_and(|it| it.of_enum().is_some());
        if !is_enum && (known.string.is_some() || known.any == Any::Data) {
            self.report(template.span, Problem::FromArgument { name });
        }
    }

    /// Whether it is a variable that is set to, or loops over, what an argument decides.
    fn is_made_of_arguments(&self, template: &Expression) -> bool {
        let Kind::Name(wanted) = &template.kind else {
            return false;
        };
        let mut found = false;
        let mut examine = |value: &Expression| {
            walk::expression(value, &mut |inner| {
                if let Kind::Name(name) = &inner.kind
                    && !self.assigned.contains(name)
                    && let Some(ty) = self.variables.get(name)
                {
                    let item = ty.list.as_deref().unwrap_or(ty);
                    let free = |strings: &Strings| strings.known.is_none();
                    found |= item.string.as_ref().is_some_and(free);
                }
            });
        };
        walk::each(
            &self.loaded[self.here].statements,
            &mut |statement| match statement {
                Statement::Set {
                    targets,
                    value: Value::Expression(value),
                } if targets.iter().any(|target| target.name.text == *wanted) => {
                    examine(value);
                }
                Statement::For {
                    names, iterable, ..
                } if names.iter().any(|name| name.text == *wanted) => {
                    examine(iterable);
                }
                _ => {}
            },
        );
        found
    }
}
