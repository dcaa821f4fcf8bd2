//! Statements that stay within the template: text, output, conditions,
//! loops, assignments and switches.

use super::{Emitter, Failure};
use crate::ast::{Expression, Name, Statement, Value};
use crate::coverage::BranchKind;
use crate::error::Span;

impl Emitter {
    pub(super) fn body(&mut self, statements: &[Statement]) -> Result<(), Failure> {
        for statement in statements {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        self.weight += 1;
        match statement {
            Statement::Text(text) => self.text(text),
            Statement::Output(value) => self.output(value)?,
            Statement::If {
                branches,
                otherwise,
            } => self.conditions(branches, otherwise)?,
            Statement::For {
                names,
                iterable,
                body,
                otherwise,
            } => self.for_loop(names, iterable, body, otherwise)?,
            Statement::Set { targets, value } => self.assignment(targets, value)?,
            Statement::Macro { name, function } => self.definition(name, function)?,
            Statement::Call { call, caller } => self.call_block(call, caller)?,
            Statement::Filter {
                name,
                arguments,
                body,
            } => {
                self.capture(body)?;
                self.out.push_str("{{ _");
                self.named("f_", name, arguments)?;
                self.out.push_str(" }}");
            }
            Statement::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(subject, cases, otherwise)?,
            Statement::Block { name, body } => self.block_call(name, body)?,
            Statement::Extends(template) => self.extends(template)?,
            Statement::Include {
                template,
                ignore_missing,
            } => self.include(template, *ignore_missing)?,
            Statement::Import {
                template,
                target,
                with_context,
            } => self.import(template, target, *with_context)?,
            Statement::From {
                template,
                names,
                with_context,
            } => self.from(template, names, *with_context)?,
        }
        Ok(())
    }

    fn output(&mut self, value: &Expression) -> Result<(), Failure> {
        self.out.push_str("{{ ");
        self.expression(value)?;
        self.out.push_str(" }}");
        Ok(())
    }

    fn conditions(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Result<(), Failure> {
        for (index, (condition, body)) in branches.iter().enumerate() {
            self.out
                .push_str(if index == 0 { "{% if " } else { "{% elif " });
            self.expression(condition)?;
            self.out.push_str(" %}");
            let kind = if index == 0 {
                BranchKind::If
            } else {
                BranchKind::Elif
            };
            self.branch(condition.span, kind);
            self.body(body)?;
        }
        if !otherwise.is_empty() {
            self.out.push_str("{% else %}");
            if let Some((condition, _)) = branches.first() {
                self.branch(condition.span, BranchKind::Else);
            }
            self.body(otherwise)?;
        }
        self.out.push_str("{% endif %}");
        Ok(())
    }

    /// Records that the branch is taken that begins here.
    fn branch(&mut self, span: Span, kind: BranchKind) {
        if let Some(number) = self.record(span, kind) {
            self.out.push_str("{% set _ = none");
            self.taken(number);
            self.out.push_str(" %}");
        }
    }

    /// The number of a branch, if they are recorded.
    pub(super) fn record(&mut self, span: Span, kind: BranchKind) -> Option<usize> {
        let branches = self.emitted.branches.as_mut()?;
        branches.push((span, kind));
        Some(branches.len() - 1)
    }

    /// The helper that notes that a branch is taken, and returns its operand.
    pub(super) fn taken(&mut self, number: usize) {
        self.open("taken");
        self.out.push_str(&number.to_string());
        self.close();
    }

    /// The helper returns an iterator that binds the variables and counts the
    /// steps.
    fn for_loop(
        &mut self,
        names: &[Name],
        iterable: &Expression,
        body: &[Statement],
        otherwise: &[Statement],
    ) -> Result<(), Failure> {
        self.out.push_str("{% for _ in ");
        self.expression(iterable)?;
        self.open_at("for", iterable.span);
        self.scope.push();
        for name in names {
            self.scope.declare(&name.text);
        }
        // The weight of the body is known only after it is written.
        let head = self.out.len();
        let weight = std::mem::replace(&mut self.weight, 1);
        let counted = std::mem::replace(&mut self.counted, true);
        for name in names {
            self.comma();
            self.string(&name.text);
        }
        self.out.push_str(") %}");
        self.branch(iterable.span, BranchKind::For);
        self.body(body)?;
        self.out.insert_str(head, &format!(", {}", self.weight));
        self.weight = weight;
        self.counted = counted;
        if !otherwise.is_empty() {
            self.out.push_str("{% else %}");
            self.branch(iterable.span, BranchKind::Empty);
            self.body(otherwise)?;
        }
        self.scope.pop();
        self.out.push_str("{% endfor %}");
        self.run("none", "end");
        Ok(())
    }

    /// `{% set _ = value|helper() %}`: a helper called for its effect.
    pub(super) fn run(&mut self, value: &str, helper: &str) {
        self.out.push_str("{% set _ = ");
        self.out.push_str(value);
        self.open(helper);
        self.out.push_str(") %}");
    }

    fn assignment(&mut self, targets: &[Name], value: &Value) -> Result<(), Failure> {
        match value {
            Value::Expression(value) => {
                self.out.push_str("{% set _ = ");
                self.expression(value)?;
            }
            Value::Body(body) => {
                self.capture(body)?;
                self.out.push_str("{% set _ = _");
            }
        }
        for target in targets {
            let enclosed = self.scope.contains(&target.text);
            self.open(if enclosed { "set_enclosed" } else { "set" });
            self.string(&target.text);
            self.close();
        }
        self.out.push_str(" %}");
        Ok(())
    }

    /// Stores the output of `body` in minijinja's variable `_`.
    fn capture(&mut self, body: &[Statement]) -> Result<(), Failure> {
        self.out.push_str("{% set _ %}");
        let counted = std::mem::replace(&mut self.counted, true);
        self.body(body)?;
        self.counted = counted;
        self.out.push_str("{% endset %}");
        Ok(())
    }

    /// A parameter's default value, evaluated when there is no argument.
    pub(super) fn default(&mut self, name: &Name, value: &Expression) -> Result<(), Failure> {
        self.out.push_str("{% if ");
        self.string(&name.text);
        self.open("absent");
        self.out.push_str(") %}{% set _ = ");
        self.expression(value)?;
        self.open("bind");
        self.string(&name.text);
        self.out.push_str(") %}{% endif %}");
        Ok(())
    }

    /// The cases become branches; an empty one falls through to the next.
    fn switch(
        &mut self,
        subject: &Expression,
        cases: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Result<(), Failure> {
        self.switches += 1;
        let name = format!("switch{}", self.switches);
        self.out.push_str("{% set ");
        self.out.push_str(&name);
        self.out.push_str(" = ");
        self.expression(subject)?;
        self.out.push_str(" %}");
        if cases.is_empty() {
            return self.body(otherwise);
        }
        let used = cases.iter().rposition(|(_, body)| !body.is_empty());
        let (cases, last) = cases.split_at(used.map_or(0, |used| used + 1));
        let mut keyword = "{% if ";
        for (value, body) in cases {
            self.case(keyword, &name, value)?;
            keyword = " or ";
            if !body.is_empty() {
                self.out.push_str(" %}");
                self.branch(value.span, BranchKind::Case);
                self.body(body)?;
                keyword = "{% elif ";
            }
        }
        // Empty cases at the end are compared, but do what the default does.
        if !last.is_empty() {
            self.out.push_str(keyword);
            for (index, (value, _)) in last.iter().enumerate() {
                self.case(if index == 0 { "(" } else { " or " }, &name, value)?;
            }
            self.out.push_str(") and false %}");
        }
        if !otherwise.is_empty() {
            self.out.push_str("{% else %}");
            self.branch(subject.span, BranchKind::Default);
            self.body(otherwise)?;
        }
        self.out.push_str("{% endif %}");
        Ok(())
    }

    /// The comparison of a `switch` with one of its cases.
    fn case(&mut self, before: &str, subject: &str, value: &Expression) -> Result<(), Failure> {
        self.out.push_str(before);
        self.out.push_str(subject);
        self.open("same");
        self.expression(value)?;
        self.close();
        Ok(())
    }
}
