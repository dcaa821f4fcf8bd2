//! Runs templates: it walks their trees, and prints. Statements append to a text, and
//! expressions have a value. What fails has no position when it leaves a filter, a method
//! or a function; the innermost node that has one adds it.

mod statement;
mod templates;

use std::cmp::Ordering;
use std::rc::Rc;

pub(crate) use templates::{json, render};

use crate::ast::{Arguments, Binary, Expression, InlineIf, Kind, Name, Statement, Unary};
use crate::coverage::BranchKind;
use crate::error::{self, Error, ErrorKind, FUNCTIONS, METHODS, Span, instead};
use crate::native::Native;
use crate::resolve::is_super;
use crate::runtime::{Activation, Runtime, SUPER};
use crate::value::compare::{loose, order, strict};
use crate::value::text::{legible, to_number, to_primitive, to_text};
use crate::value::{Dict, Entries, Value, escape};
use crate::{filters, globals, methods, tests};

/// The number of characters of a template that an error repeats.
const MAX_WRITTEN: usize = 60;

/// Runs one activation of a template.
#[derive(Clone, Copy)]
struct Evaluator<'r> {
    runtime: &'r Runtime,
    here: &'r Rc<Activation>,
}

impl<'r> Evaluator<'r> {
    fn new(runtime: &'r Runtime, here: &'r Rc<Activation>) -> Self {
        Self { runtime, here }
    }
}

impl Evaluator<'_> {
    /// Prints what the statements print.
    fn body(&self, statements: &[Statement], out: &mut String) -> Result<(), Error> {
        for statement in statements {
            let level = self.runtime.enter()?;
            self.statement(statement, out)?;
            self.runtime.leave(level);
        }
        Ok(())
    }

    /// The output of the statements.
    fn capture(&self, statements: &[Statement]) -> Result<String, Error> {
        let mut text = String::new();
        self.body(statements, &mut text)?;
        Ok(text)
    }

    /// Prints text that is not escaped.
    fn text(&self, text: &str, out: &mut String) -> Result<(), Error> {
        self.runtime.print(out.len(), text)?;
        out.push_str(text);
        Ok(())
    }

    /// Prints a value as Nunjucks does.
    fn print(&self, value: &Value, out: &mut String) -> Result<(), Error> {
        match value {
            Value::Undefined | Value::Null => Ok(()),
            Value::Safe(text) => self.text(text, out),
            _ => {
                let text = legible(value, self.runtime)?;
                if self.runtime.shared.autoescape {
                    self.text(&escape(&text), out)
                } else {
                    self.text(&text, out)
                }
            }
        }
    }

    /// The text at a position of this template, as an error repeats it.
    fn written(&self, span: Span) -> String {
        let text = self.here.program.text(span).trim();
        if text.chars().count() <= MAX_WRITTEN {
            return text.to_owned();
        }
        let start = text.chars().take(MAX_WRITTEN - 3);
        start.chain("...".chars()).collect()
    }

    /// Returns true if the name there is a variable of an enclosing loop or function.
    fn is_local(&self, span: Span) -> bool {
        self.here.program.resolved.locals.contains(&span)
    }

    /// Adds the position to the error of a result, unless it has one.
    fn at<T>(&self, span: Span, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| self.here.program.locate(error, span))
    }
}

impl Evaluator<'_> {
    /// A call; `caller` is the function of a call block.
    fn call(
        &self,
        target: &Expression,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Value, Error> {
        let span = target.span;
        let (object, name) = match &target.kind {
            _ if self.here.in_block && is_super(target) => {
                return Ok(self.runtime.local(self.here, SUPER));
            }
            Kind::Member(object, name) => (self.expression(object)?, name.text.as_str().into()),
            Kind::Index(object, index) => (self.expression(object)?, self.expression(index)?),
            _ => {
                let function = self.expression(target)?;
                let arguments = self.arguments(arguments, caller)?;
                return self.at(span, self.invoke(&function, &arguments, span));
            }
        };
        let arguments = self.arguments(arguments, caller)?;
        self.at(span, self.method(&object, &name, &arguments, span))
    }

    /// The values of arguments; those by name are a dictionary at the end.
    fn arguments(
        &self,
        arguments: &Arguments,
        caller: Option<&Value>,
    ) -> Result<Vec<Value>, Error> {
        let mut values = self.list(&arguments.positional)?;
        let mut entries = self.entries(&arguments.keyword)?;
        entries.extend(caller.map(|caller| (Rc::from("caller"), caller.clone())));
        if !entries.is_empty() {
            self.runtime.spend(entries.len())?;
            values.push(Value::Dict(Rc::new(Dict::new(entries, true))));
        }
        Ok(values)
    }

    fn method(
        &self,
        target: &Value,
        name: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Result<Value, Error> {
        let own = match target {
            Value::Dict(dict) => dict.get(&to_text(name, self.runtime)?).cloned(),
            _ => None,
        };
        let method = name.as_str().and_then(|name| methods::method(target, name));
        if let Some(method) = method.filter(|_| own.is_none()) {
            return method(self.runtime, target, arguments);
        }
        let function = match own {
            Some(own) => own,
            None => methods::member(self.runtime, target, name)?,
        };
        self.invoke(&function, arguments, span)
    }

    fn invoke(&self, target: &Value, arguments: &[Value], span: Span) -> Result<Value, Error> {
        match target {
            Value::Function(function) => function.call(self.runtime, arguments),
            _ => Err(not_callable(target, &self.written(span))),
        }
    }
}

/// The error of calling a value that is no function, named as the template writes it.
fn not_callable(target: &Value, name: &str) -> Error {
    let message = match target {
        Value::Undefined | Value::Null => {
            format!("`{name}` is {} and cannot be called", target.type_name())
        }
        _ => format!("`{name}` is {}, not a function", target.type_name()),
    };
    let error = Error::new(ErrorKind::NotCallable, message);
    let hint = match name.rsplit_once('.') {
        Some((_, method)) => instead(&METHODS, method),
        None => instead(&FUNCTIONS, name),
    };
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error.with_nearest(name, error::nearest(name, globals::NAMES)),
    }
}

impl Evaluator<'_> {
    fn expression(&self, one: &Expression) -> Result<Value, Error> {
        let level = self.at(one.span, self.runtime.enter())?;
        let result = self.value(one);
        self.runtime.leave(level);
        self.at(one.span, result)
    }

    /// The value of an expression. It calls itself for the parts of it, so that whatever
    /// takes room on the stack is in a function of its own.
    fn value(&self, one: &Expression) -> Result<Value, Error> {
        match &one.kind {
            Kind::Str(text) => Ok(Value::from(text.as_str())),
            Kind::Number(number) => Ok(Value::from(*number)),
            Kind::Bool(value) => Ok(Value::from(*value)),
            Kind::Null => Ok(Value::Null),
            Kind::Regex { body, flags } => {
                let regex = self.runtime.regexes.get(body, flags, self.runtime);
                regex.map(Value::Regex)
            }
            Kind::Name(name) if self.is_local(one.span) => Ok(self.runtime.local(self.here, name)),
            Kind::Name(name) => Ok(self.runtime.variable(self.here, name)),
            Kind::Member(target, name) => self.member(target, name),
            Kind::Index(target, index) => self.index(target, index),
            Kind::Call(target, arguments) => self.call(target, arguments, None),
            Kind::Filter(target, name, arguments) => self.filtered(target, name, arguments),
            Kind::Test(target, name, arguments) => self.tested(target, name, arguments),
            Kind::Array(items) => self.array(items),
            Kind::Group(items) => self.group(items),
            Kind::Dict(pairs) => self.dict(pairs),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Unary(operator, target) => self.unary(*operator, target),
            Kind::In(item, container) => self.contains(item, container),
            Kind::InlineIf(one) => self.inline_if(one),
        }
    }

    fn member(&self, target: &Expression, name: &Name) -> Result<Value, Error> {
        let target = self.expression(target)?;
        methods::named_member(&target, &name.text)
    }

    fn index(&self, target: &Expression, index: &Expression) -> Result<Value, Error> {
        let target = self.expression(target)?;
        let index = self.expression(index)?;
        methods::member(self.runtime, &target, &index)
    }

    fn array(&self, items: &[Expression]) -> Result<Value, Error> {
        let items = self.list(items)?;
        self.runtime.array(items)
    }

    fn group(&self, items: &[Expression]) -> Result<Value, Error> {
        let mut last = Value::Undefined;
        for item in items {
            last = self.expression(item)?;
        }
        Ok(last)
    }

    fn dict(&self, pairs: &[(Name, Expression)]) -> Result<Value, Error> {
        let entries = self.entries(pairs)?;
        self.runtime.dict(entries)
    }

    fn contains(&self, item: &Expression, container: &Expression) -> Result<Value, Error> {
        let item = self.expression(item)?;
        let container = self.expression(container)?;
        contains(self.runtime, &item, &container)
    }

    fn list(&self, items: &[Expression]) -> Result<Vec<Value>, Error> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.expression(item)?);
        }
        Ok(values)
    }

    fn entries(&self, pairs: &[(Name, Expression)]) -> Result<Entries, Error> {
        let mut entries = Entries::with_capacity(pairs.len());
        for (key, value) in pairs {
            entries.insert(Rc::from(&*key.text), self.expression(value)?);
        }
        Ok(entries)
    }

    fn filtered(
        &self,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let target = self.expression(target)?;
        self.filter(&target, name, arguments)
    }

    fn tested(
        &self,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let target = self.expression(target)?;
        let test = tests::find(&name.text);
        let test = test.ok_or_else(|| tests::unknown(&self.written(name.span)));
        self.native(test, &target, name, arguments)
    }

    /// Applies the filter that the template names.
    fn filter(&self, target: &Value, name: &Name, arguments: &Arguments) -> Result<Value, Error> {
        let filter = filters::find(&name.text);
        let filter = filter.ok_or_else(|| filters::unknown(&self.written(name.span)));
        self.native(filter, target, name, arguments)
    }

    /// Applies a filter or a test, if there is one of that name.
    fn native(
        &self,
        native: Result<Native, Error>,
        target: &Value,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let arguments = self.arguments(arguments, None)?;
        let result = native.and_then(|native| native(self.runtime, target, &arguments));
        self.at(name.span, result)
    }

    fn binary(
        &self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Result<Value, Error> {
        let left = self.expression(left)?;
        match operator {
            Binary::Or if left.is_true() => Ok(left),
            Binary::And if !left.is_true() => Ok(left),
            Binary::Or | Binary::And => self.expression(right),
            _ => apply(self.runtime, operator, &left, &self.expression(right)?),
        }
    }

    fn unary(&self, operator: Unary, target: &Expression) -> Result<Value, Error> {
        let target = self.expression(target)?;
        apply_unary(self.runtime, operator, &target)
    }

    fn inline_if(&self, one: &InlineIf) -> Result<Value, Error> {
        if self.expression(&one.condition)?.is_true() {
            self.take(one.condition.span, BranchKind::If);
            return self.expression(&one.then);
        }
        let Some(otherwise) = &one.otherwise else {
            return Ok(Value::from(""));
        };
        self.take(one.condition.span, BranchKind::Else);
        self.expression(otherwise)
    }
}

/// The result of a binary operator that needs both its operands.
fn apply(runtime: &Runtime, operator: Binary, left: &Value, right: &Value) -> Result<Value, Error> {
    let numeric = |operation: fn(f64, f64) -> f64| -> Result<Value, Error> {
        let (left, right) = (to_number(left, runtime)?, to_number(right, runtime)?);
        Ok(Value::from(operation(left, right)))
    };
    let ordered = |wanted: fn(Ordering) -> bool| -> Result<Value, Error> {
        let order = order(left, right, runtime)?;
        Ok(Value::from(order.is_some_and(wanted)))
    };
    match operator {
        Binary::Or => Ok(if left.is_true() { left } else { right }.clone()),
        Binary::And => Ok(if left.is_true() { right } else { left }.clone()),
        Binary::Equal => Ok(Value::from(loose(left, right, runtime)?)),
        Binary::Unequal => Ok(Value::from(!loose(left, right, runtime)?)),
        Binary::StrictEqual => Ok(Value::from(strict(left, right))),
        Binary::StrictUnequal => Ok(Value::from(!strict(left, right))),
        Binary::Less => ordered(Ordering::is_lt),
        Binary::Greater => ordered(Ordering::is_gt),
        Binary::LessEqual => ordered(Ordering::is_le),
        Binary::GreaterEqual => ordered(Ordering::is_ge),
        Binary::Add => add(runtime, left, right),
        Binary::Concat => joined(runtime, left, right),
        Binary::Subtract => numeric(|left, right| left - right),
        Binary::Multiply => numeric(|left, right| left * right),
        Binary::Divide => numeric(|left, right| left / right),
        Binary::Remainder => numeric(|left, right| left % right),
        Binary::Floor => numeric(|left, right| (left / right).floor()),
        Binary::Power => numeric(power),
    }
}

fn apply_unary(runtime: &Runtime, operator: Unary, target: &Value) -> Result<Value, Error> {
    let number = || to_number(target, runtime);
    Ok(match operator {
        Unary::Not => Value::from(!target.is_true()),
        Unary::Minus => Value::from(-number()?),
        Unary::Plus => Value::from(number()?),
        Unary::Floor => Value::from(number()?.floor()),
    })
}

/// `+`: strings are joined, everything else is added.
pub(crate) fn add(runtime: &Runtime, left: &Value, right: &Value) -> Result<Value, Error> {
    let operands = (to_primitive(left, runtime)?, to_primitive(right, runtime)?);
    if operands.0.as_str().is_some() || operands.1.as_str().is_some() {
        return joined(runtime, left, right);
    }
    let sum = to_number(&operands.0, runtime)? + to_number(&operands.1, runtime)?;
    Ok(Value::from(sum))
}

fn joined(runtime: &Runtime, left: &Value, right: &Value) -> Result<Value, Error> {
    let (left, right) = (legible(left, runtime)?, legible(right, runtime)?);
    runtime.string(left.len() + right.len())?;
    let mut text = String::with_capacity(left.len() + right.len());
    text.push_str(&left);
    text.push_str(&right);
    Ok(Value::from(text))
}

/// JavaScript's power is not a number where IEEE's is 1. Its digits equal the same
/// algorithm that V8 uses, on every platform.
#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    libm::pow(base, exponent)
}

/// `item in container`.
fn contains(runtime: &Runtime, item: &Value, container: &Value) -> Result<Value, Error> {
    let found = match container {
        Value::Array(array) => {
            let items = array.items();
            runtime.spend(items.len())?;
            items.iter().any(|other| strict(other, item))
        }
        Value::Text(text) | Value::Safe(text) => {
            runtime.spend(text.len() / 16)?;
            text.contains(&*to_text(item, runtime)?)
        }
        Value::Dict(_) | Value::Special(_) => methods::has(runtime, container, item)?,
        _ => {
            let message = format!(
                "`in` needs an array, a string or an object, not {}",
                container.type_name()
            );
            return Err(Error::bad_value(message));
        }
    };
    Ok(Value::from(found))
}
