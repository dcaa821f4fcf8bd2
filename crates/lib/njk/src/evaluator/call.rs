//! Calls of functions and methods.

use std::sync::Arc;

use minijinja::value::Value;

use super::Evaluator;
use crate::ast::{Arguments, Expression, Kind, Name};
use crate::error::{Error, ErrorKind, Span};
use crate::globals;
use crate::methods;
use crate::mistake::Mistake;
use crate::resolve::is_super;
use crate::runtime::scope::SUPER;
use crate::suggest;
use crate::value::dict::Dict;
use crate::value::text::to_text;
use crate::value::{View, type_name, view};

impl Evaluator<'_> {
    /// A call; `caller` is the function of a call block.
    pub(super) fn call(
        &self,
        target: &Expression,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        match &target.kind {
            _ if self.here.in_block && is_super(target) => Ok(self.runtime.local(self.here, SUPER)),
            Kind::Member(object, name) => {
                self.call_member(target.span, object, &name.text, arguments, caller)
            }
            Kind::Index(object, index) => {
                self.call_index(target.span, object, index, arguments, caller)
            }
            _ => self.call_value(target, arguments, caller),
        }
    }

    fn call_member(
        &self,
        span: Span,
        object: &Expression,
        name: &str,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        let object = self.expression(object)?;
        let arguments = self.arguments(arguments, caller)?;
        self.at(span, self.method(&object, &name.into(), &arguments, span))
    }

    fn call_index(
        &self,
        span: Span,
        object: &Expression,
        index: &Expression,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        let object = self.expression(object)?;
        let index = self.expression(index)?;
        let arguments = self.arguments(arguments, caller)?;
        self.at(span, self.method(&object, &index, &arguments, span))
    }

    fn call_value(
        &self,
        target: &Expression,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        let function = self.expression(target)?;
        let arguments = self.arguments(arguments, caller)?;
        self.at(target.span, self.invoke(&function, &arguments, target.span))
    }

    /// The values of arguments; those by name are a dictionary at the end.
    pub(super) fn arguments(
        &self,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Vec<Value>, Error> {
        let mut values = self.list(&arguments.positional)?;
        if !arguments.keyword.is_empty() || caller.is_some() {
            values.push(self.keywords(&arguments.keyword, caller)?);
        }
        Ok(values)
    }

    fn keywords(
        &self,
        pairs: &[(Name, Expression)],
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        let mut entries = self.entries(pairs)?;
        if let Some(caller) = caller {
            entries.insert(Arc::from("caller"), caller.clone());
        }
        self.runtime.spend(entries.len())?;
        Ok(Value::from_object(Dict::keywords(entries)))
    }

    fn method(
        &self,
        target: &Value,
        name: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Result<Value, Error> {
        let own = match view(target) {
            View::Dict(dict) => dict.get(&to_text(name, self.runtime)?).cloned(),
            _ => None,
        };
        if own.is_none()
            && let Some(name) = name.as_str()
            && let Some(result) = methods::call(self.runtime, target, name, arguments)
        {
            return result;
        }
        let function = match own {
            Some(own) => own,
            None => methods::member(self.runtime, target, name)?,
        };
        self.invoke(&function, arguments, span)
    }

    fn invoke(&self, target: &Value, arguments: &[Value], span: Span) -> Result<Value, Error> {
        match view(target) {
            View::Function(function) => function.call(self.runtime, arguments),
            _ => Err(not_callable(target, &self.written(span))),
        }
    }
}

/// The error of calling a value that is no function, named as the template writes it.
fn not_callable(target: &Value, name: &str) -> Error {
    let message = match view(target) {
        View::Undefined | View::Null => {
            format!("`{name}` is {} and cannot be called", type_name(target))
        }
        _ => format!("`{name}` is {}, not a function", type_name(target)),
    };
    let error = Error::new(ErrorKind::NotCallable, message);
    if let Some(mistake) = Mistake::callee(name) {
        return error.with_mistake(mistake);
    }
    match suggest::nearest(name, globals::NAMES) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}
