//! Runs templates: it walks their trees, and prints. Statements append to a text, and
//! expressions have a value. What fails has no position when it leaves a filter, a method
//! or a function; the innermost node that has one adds it.

mod call;
mod expression;
mod function;
mod iteration;
pub(crate) mod operator;
mod statement;
mod templates;

use std::rc::Rc;

use minijinja::value::Value;

use crate::ast::Statement;
use crate::error::{Error, Span};
use crate::runtime::Runtime;
use crate::runtime::scope::Activation;
use crate::value::safe::escape;
use crate::value::text::to_text;
use crate::value::{View, view};
pub(crate) use templates::render;

/// The number of characters of a template that an error repeats.
const MAX_WRITTEN: usize = 60;

/// Runs one activation of a template.
#[derive(Clone, Copy)]
struct Evaluator<'r> {
    runtime: &'r Runtime,
    here: &'r Rc<Activation>,
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
        match view(value) {
            View::Undefined | View::Null => Ok(()),
            View::Safe(text) => self.text(text, out),
            _ => {
                let text = to_text(value, self.runtime)?;
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

    /// The error at a position of this template, unless it has one.
    fn locate(&self, error: Error, span: Span) -> Error {
        self.here.program.locate(error, span)
    }

    /// Adds the position to the error of a result, unless it has one.
    fn at<T>(&self, span: Span, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| self.locate(error, span))
    }
}
