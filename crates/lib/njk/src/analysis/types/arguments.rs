//! What macros and included templates are called with, from everywhere.

use std::collections::HashSet;
use std::sync::Arc;

use super::checker::Checker;
use super::function::{MAX_SITES, Macro, parameters};
use super::lattice::{Absent, Type};
use super::object::Presence;
use super::problem::Problem;
use crate::ast::{Arguments, Expression, Name, Statement};
use crate::suggest::nearest;
use crate::walk;

impl Checker<'_> {
    /// Reports an import of what the template does not define.
    pub(super) fn missing_export(&mut self, template: usize, name: &Name) {
        let loaded = &self.loaded[template];
        let mut defined: HashSet<&str> = HashSet::new();
        walk::each(&loaded.statements, &mut |statement| match statement {
            Statement::Macro { name, .. } | Statement::Import { target: name, .. } => {
                defined.insert(&name.text);
            }
            Statement::Set { targets, .. } => {
                defined.extend(targets.iter().map(|target| target.name.text.as_str()));
            }
            Statement::From { names, .. } => {
                defined.extend(names.iter().map(|(_, alias)| alias.text.as_str()));
            }
            _ => {}
        });
        let inherits = |statement: &Statement| matches!(statement, Statement::Extends(_));
        if defined.contains(name.text.as_str()) || loaded.statements.iter().any(inherits) {
            return;
        }
        let mut sorted: Vec<&str> = defined.into_iter().collect();
        sorted.sort_unstable();
        let problem = Problem::MissingExport {
            template: loaded.name.clone(),
            meant: nearest(&name.text, sorted).map(str::to_owned),
            name: name.text.clone(),
        };
        self.report(name.span, problem);
    }

    /// Checks a call of a macro, and notes the types of its arguments.
    pub(super) fn call_macro(
        &mut self,
        number: usize,
        one: &Expression,
        arguments: &Arguments,
        block: bool,
    ) {
        let Macro { function, name, .. } = self.macros[number];
        let max = function.parameters.len() + function.defaults.len();
        let mut given: Vec<Option<Type>> = vec![None; max];
        for (index, argument) in arguments.positional.iter().enumerate() {
            let ty = self.argument(argument);
            if let Some(slot) = given.get_mut(index) {
                *slot = Some(ty);
            } else {
                let name = name.text.clone();
                self.report(argument.span, Problem::ExtraArgument { name, max });
            }
        }
        for (keyword, value) in &arguments.keyword {
            let ty = self.argument(value);
            let mut names = parameters(function);
            match names.position(|parameter| parameter.text == keyword.text) {
                Some(index) => given[index] = Some(ty),
                None if keyword.text == "caller" => {}
                None => {
                    let known = parameters(function).map(|it| it.text.as_str());
                    let problem = Problem::UnknownArgument {
                        name: name.text.clone(),
                        argument: keyword.text.clone(),
                        meant: nearest(&keyword.text, known).map(str::to_owned),
                    };
                    self.report(keyword.span, problem);
                }
            }
        }
        let missing = function
            .parameters
            .iter()
            .zip(&given)
            .find(|(parameter, ty)| {
                ty.is_none() && self.macros[number].needs.contains(&parameter.text)
            });
        if let Some((parameter, _)) = missing
            && !block
        {
            let problem = Problem::MissingArgument {
                name: name.text.clone(),
                parameter: parameter.text.clone(),
            };
            self.report(one.span, problem);
        }
        self.note_arguments(number, given);
    }

    /// The type of an argument, with what is known of its members.
    fn argument(&mut self, argument: &Expression) -> Type {
        let ty = self.expression(argument);
        let (Some(place), Some(object)) = (self.place(argument), &ty.object) else {
            return ty;
        };
        let mut object = object.as_ref().clone();
        let mut changed = false;
        for (name, property) in &mut object.properties {
            if let Some(fact) = self.scope.fact(&place.member(name)) {
                property.presence = match fact.ty.absent {
                    Absent::Never => Presence::Required,
                    Absent::Perhaps => Presence::Unclear,
                    Absent::Declared => property.presence,
                };
                changed = true;
            }
        }
        if !changed {
            return ty;
        }
        Type {
            object: Some(Arc::new(object)),
            ..ty
        }
    }

    fn note_arguments(&mut self, number: usize, given: Vec<Option<Type>>) {
        let before = std::mem::take(&mut self.macros[number].parameters);
        let mut after = Vec::with_capacity(before.len());
        for (known, ty) in before.iter().zip(given) {
            let ty = match ty {
                Some(ty) => ty.widened(),
                None => Type {
                    absent: Absent::Perhaps,
                    ..Type::default()
                },
            };
            after.push(if known.is_never() {
                ty
            } else {
                self.union(known, &ty)
            });
        }
        self.changed |= before != after || !self.macros[number].called;
        self.macros[number].parameters = after;
        self.macros[number].called = true;
    }

    /// Notes the variables at a point where a template is included.
    pub(super) fn note_include(&mut self, template: usize) {
        let mut included = std::mem::take(&mut self.included[template]);
        included.sites += 1;
        if included.sites > MAX_SITES + 1 {
            self.included[template] = included;
            return;
        }
        let names: Vec<(String, Type)> = self
            .scope
            .names()
            .map(|(name, binding)| (name.clone(), binding.ty.clone()))
            .collect();
        let many = included.sites > MAX_SITES;
        for (name, ty) in names {
            let ty = ty.lenient();
            let before = included.variables.get(&name).cloned();
            let unsure = many || self.assigned.contains(&name) || self.tainted.contains(&name);
            let after = if unsure {
                self.escape(&ty);
                Type::unknown()
            } else {
                match &before {
                    Some(before) => self.union(before, &ty),
                    None => ty,
                }
            };
            if before.as_ref() != Some(&after) {
                self.changed = true;
                included.variables.insert(name, after);
            }
            if many {
                break;
            }
        }
        if many {
            for ty in included.variables.values_mut() {
                self.escape(ty);
                *ty = Type::unknown();
            }
        }
        self.included[template] = included;
    }
}
