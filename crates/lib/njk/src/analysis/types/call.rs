//! Calls of macros, methods and globals.

use super::checker::Checker;
use super::lattice::{Absent, Any, FALSE, LOOP, NULL, SAFE, TRUE, Type};
use super::problem::Problem;
use super::scope::Role;
use crate::ast::{Arguments, Expression, Kind, Name};
use crate::globals;
use crate::methods::{self, Owner};
use crate::mistake::Mistake;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        one: &Expression,
        target: &Expression,
        arguments: &Arguments,
    ) -> Type {
        if let Some(number) = self.callee(target) {
            self.printing = false;
            self.call_macro(number, one, arguments, false);
            return Type::simple(SAFE);
        }
        match &target.kind {
            Kind::Name(name) => self.call_name(target, name, arguments),
            Kind::Member(owner, name) => self.call_method(target, owner, name, arguments),
            _ => {
                self.quietly(|this| {
                    let ty = this.expression(target);
                    this.escape(&ty);
                });
                self.arguments(arguments);
                Type::unknown()
            }
        }
    }

    /// The macro that an expression names.
    pub(super) fn callee(&mut self, target: &Expression) -> Option<usize> {
        match &target.kind {
            Kind::Name(name) => match self.scope.get(name)?.role {
                Role::Macro(number) => Some(number),
                _ => None,
            },
            Kind::Member(owner, name) => {
                let Kind::Name(module) = &owner.kind else {
                    return None;
                };
                let Role::Module(template) = self.scope.get(module)?.role else {
                    return None;
                };
                let number = self.exported(template, &name.text);
                if number.is_none() {
                    self.missing_export(template, name);
                }
                number
            }
            _ => None,
        }
    }

    fn call_name(&mut self, target: &Expression, name: &str, arguments: &Arguments) -> Type {
        let types = self.arguments(arguments);
        let Some(binding) = self.scope.get(name) else {
            return match name {
                "range" => {
                    for (bound, ty) in arguments.positional.iter().zip(&types) {
                        self.number_operand(name, bound, ty);
                    }
                    Type::list(Type::number())
                }
                "super" | "caller" => Type::simple(SAFE),
                _ => Type::unknown(),
            };
        };
        let ty = binding.ty.clone();
        let is_value = binding.role == Role::Value;
        if is_value && is_data(&ty) && !globals::NAMES.contains(&name) {
            let problem = Problem::NotCallable {
                callee: self.text(target.span),
                instead: Mistake::function(name),
            };
            self.report(target.span, problem);
        }
        Type::unknown()
    }

    fn call_method(
        &mut self,
        target: &Expression,
        owner: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Type {
        let ty = self.expression(owner);
        self.need(owner, &ty);
        if ty.simple & NULL != 0 && ty.absent == Absent::Never && self.is_declared(owner) {
            // A method of null ends the call.
            self.need(owner, &ty.clone().optional());
        }
        let printing = std::mem::replace(&mut self.printing, false);
        let types = self.arguments(arguments);
        self.printing = printing;
        let is_printing = match name.text.as_str() {
            "join" => ty.is_only_list(),
            "toString" | "concat" => ty.is_only_object(),
            _ => false,
        };
        if is_printing {
            self.printed(owner, &ty);
        }
        if is_data(&ty) && !has_method(&ty, &name.text) {
            let callee = self.text(target.span);
            let instead = Mistake::method(&name.text);
            self.report(name.span, Problem::NotCallable { callee, instead });
        }
        self.escape(&ty);
        method_result(&ty, &name.text, &types)
    }
}

/// Whether a value is one of JSON, and so no function.
fn is_data(ty: &Type) -> bool {
    match ty.any {
        Any::Anything => false,
        Any::Data => true,
        Any::No => !ty.is_nothing() && ty.simple & SAFE == 0,
    }
}

/// Whether some value of the type has the method.
fn has_method(ty: &Type, name: &str) -> bool {
    let any = ty.any != Any::No;
    let owners = [
        (
            any || ty.string.is_some() || ty.simple & SAFE != 0,
            Owner::Text,
        ),
        (any || ty.list.is_some(), Owner::Array),
        (any || ty.number.is_some(), Owner::Number),
        (true, Owner::Object),
    ];
    owners
        .iter()
        .any(|(is, owner)| *is && methods::exists(*owner, name))
}

fn method_result(ty: &Type, name: &str, arguments: &[Type]) -> Type {
    if ty.any != Any::No || ty.simple & (SAFE | LOOP | TRUE | FALSE) != 0 {
        return Type::unknown().defined();
    }
    let is_text = ty.string.is_some() && ty.list.is_none() && ty.object.is_none();
    match name {
        "split" if is_text => Type::list(Type::string()),
        "toUpperCase" | "toLowerCase" | "trim" | "trimStart" | "trimEnd" | "padStart"
        | "padEnd" | "repeat" | "replace" | "replaceAll" | "substring" | "charAt"
            if is_text =>
        {
            Type::string()
        }
        "slice" if is_text => Type::string(),
        "slice" | "reverse" if ty.is_only_list() => ty.present().unsized_list(),
        "concat" if ty.is_only_list() && arguments.iter().all(Type::is_only_list) => {
            let all = arguments
                .iter()
                .fold(ty.present(), |all, one| all.union(one));
            all.present().unsized_list()
        }
        "includes" | "startsWith" | "endsWith" if arguments.len() == 1 => Type::boolean(),
        "indexOf" | "lastIndexOf" | "search" => Type::number(),
        "join" | "toFixed" | "toString" => Type::string(),
        _ => Type::unknown(),
    }
}
