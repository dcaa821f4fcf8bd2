//! Expressions. Everything written here can be followed by `|helper(…)`.

use super::{Emitter, Failure, source};
use crate::ast::{Arguments, Expression, Kind, Name};
use crate::methods;

/// Whether a member of that name can only be an own member, which minijinja can
/// look up itself.
fn is_own(name: &str) -> bool {
    source::is_plain(name)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !methods::is_builtin(name)
}

/// Whether the expression consists of names separated by dots.
fn is_path(expression: &Expression) -> bool {
    match &expression.kind {
        Kind::Name(name) => source::is_plain(name),
        Kind::Member(target, name) => is_path(target) && is_own(&name.text),
        _ => false,
    }
}

impl Emitter {
    pub(super) fn expression(&mut self, expression: &Expression) -> Result<(), Failure> {
        self.weight += 1;
        match &expression.kind {
            Kind::Str(text) => self.string(text),
            Kind::Number(number) => self.number(*number),
            Kind::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Kind::Null => self.out.push_str("none"),
            Kind::Regex { body, flags } => {
                self.string(body);
                self.open_at("regex", expression.span);
                self.comma();
                self.string(flags);
                self.close();
            }
            Kind::Name(name) => self.variable(name),
            Kind::Member(target, name) => self.member(target, &name.text)?,
            Kind::Index(target, index) => {
                self.expression(target)?;
                self.open("member");
                self.expression(index)?;
                self.close();
            }
            Kind::Call(target, arguments) => self.call(target, arguments, None)?,
            Kind::Filter(target, name, arguments) => {
                self.expression(target)?;
                self.named("f_", name, arguments)?;
            }
            Kind::Test(target, name, arguments) => {
                self.expression(target)?;
                self.named("t_", name, arguments)?;
            }
            Kind::Array(items) => self.list(items, "array")?,
            Kind::Group(items) => match items.as_slice() {
                [only] => self.expression(only)?,
                _ => self.list(items, "last")?,
            },
            Kind::Dict(pairs) => {
                self.pairs(pairs, None)?;
                self.open("dict");
                self.close();
            }
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Kind::Unary(sign, target) => self.unary(*sign, target)?,
            Kind::In(item, container) => {
                self.expression(item)?;
                self.open_at("in", expression.span);
                self.comma();
                self.expression(container)?;
                self.close();
            }
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => self.inline_if(condition, then, otherwise.as_deref())?,
        }
        Ok(())
    }

    /// A variable: `l_` one that is resolved by position, `v_` any other.
    fn variable(&mut self, name: &str) {
        let enclosed = self.scope.contains(name);
        if source::is_plain(name) {
            self.out.push_str(if enclosed { "l_" } else { "v_" });
            self.out.push_str(name);
            return;
        }
        self.string(name);
        self.open(if enclosed { "enclosed" } else { "variable" });
        self.close();
    }

    fn member(&mut self, target: &Expression, name: &str) -> Result<(), Failure> {
        self.expression(target)?;
        if is_path(target) && is_own(name) {
            self.out.push('.');
            self.out.push_str(name);
            return Ok(());
        }
        self.open("member");
        self.string(name);
        self.close();
        Ok(())
    }

    fn list(&mut self, items: &[Expression], helper: &str) -> Result<(), Failure> {
        self.out.push('[');
        for item in items {
            self.comma();
            self.expression(item)?;
        }
        self.out.push(']');
        self.open(helper);
        self.close();
        Ok(())
    }

    /// Keys and values as one list, whose order minijinja preserves.
    fn pairs(
        &mut self,
        pairs: &[(Name, Expression)],
        caller: Option<usize>,
    ) -> Result<(), Failure> {
        self.out.push('[');
        for (key, value) in pairs {
            self.comma();
            self.string(&key.text);
            self.out.push_str(", ");
            self.expression(value)?;
        }
        if let Some(function) = caller {
            self.comma();
            self.string("caller");
            self.out.push_str(", ");
            self.out.push_str(&function.to_string());
            self.open("caller");
            self.close();
        }
        self.out.push(']');
        Ok(())
    }

    pub(super) fn arguments(
        &mut self,
        arguments: &Arguments,
        caller: Option<usize>,
    ) -> Result<(), Failure> {
        for argument in &arguments.positional {
            self.comma();
            self.expression(argument)?;
        }
        if !arguments.keyword.is_empty() || caller.is_some() {
            self.comma();
            self.pairs(&arguments.keyword, caller)?;
            self.open("keywords");
            self.close();
        }
        Ok(())
    }

    /// A call; `caller` is the function of a call block.
    pub(super) fn call(
        &mut self,
        target: &Expression,
        arguments: &Arguments,
        caller: Option<usize>,
    ) -> Result<(), Failure> {
        match &target.kind {
            Kind::Name(name) if name == "super" && self.in_block => {
                self.out.push_str("s_super");
                return Ok(());
            }
            Kind::Member(object, name) => {
                self.expression(object)?;
                self.open_at("method", target.span);
                self.comma();
                self.string(&name.text);
            }
            Kind::Index(object, index) => {
                self.expression(object)?;
                self.open_at("method", target.span);
                self.comma();
                self.expression(index)?;
            }
            _ => {
                self.expression(target)?;
                self.open_at("call", target.span);
            }
        }
        self.arguments(arguments, caller)?;
        self.close();
        Ok(())
    }

    /// Applies a filter or a test that the template named.
    pub(super) fn named(
        &mut self,
        prefix: &str,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<(), Failure> {
        let known = if prefix == "f_" {
            crate::filters::find(&name.text).is_some()
        } else {
            crate::tests::find(&name.text).is_some()
        };
        if known {
            self.open_at(&format!("{prefix}{}", name.text), name.span);
        } else {
            self.open_at(
                if prefix == "f_" {
                    "no_filter"
                } else {
                    "no_test"
                },
                name.span,
            );
        }
        self.arguments(arguments, None)?;
        self.close();
        Ok(())
    }
}
