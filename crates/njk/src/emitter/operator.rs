//! Operators. Those that do not always evaluate both sides are minijinja's; all
//! others are helpers.

use super::{Emitter, Failure};
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::coverage::BranchKind;

fn operator(operator: Binary) -> &'static str {
    match operator {
        Binary::Or => "or",
        Binary::And => "and",
        Binary::Equal => "eq",
        Binary::Unequal => "ne",
        Binary::StrictEqual => "same",
        Binary::StrictUnequal => "differ",
        Binary::Less => "lt",
        Binary::Greater => "gt",
        Binary::LessEqual => "le",
        Binary::GreaterEqual => "ge",
        Binary::Add => "add",
        Binary::Concat => "concat",
        Binary::Subtract => "sub",
        Binary::Multiply => "mul",
        Binary::Divide => "div",
        Binary::Remainder => "mod",
        Binary::Floor => "floor",
        Binary::Power => "pow",
    }
}

impl Emitter {
    pub(super) fn binary(
        &mut self,
        operation: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Result<(), Failure> {
        if matches!(operation, Binary::Or | Binary::And) {
            self.out.push('(');
            self.logical(operation, left, right)?;
            self.out.push(')');
            return Ok(());
        }
        self.expression(left)?;
        self.open(operator(operation));
        self.expression(right)?;
        self.close();
        Ok(())
    }

    /// `and` and `or` are minijinja's; a chain of one of them stays flat.
    fn logical(
        &mut self,
        operation: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Result<(), Failure> {
        match &left.kind {
            Kind::Binary(inner, first, second) if *inner == operation => {
                self.logical(operation, first, second)?;
            }
            _ => self.expression(left)?,
        }
        self.out.push(' ');
        self.out.push_str(operator(operation));
        self.out.push(' ');
        self.expression(right)
    }

    pub(super) fn unary(&mut self, sign: Unary, target: &Expression) -> Result<(), Failure> {
        if sign == Unary::Not {
            self.out.push_str("(not ");
            self.expression(target)?;
            self.out.push(')');
            return Ok(());
        }
        self.expression(target)?;
        self.open(match sign {
            Unary::Minus => "neg",
            Unary::Floor => "floor",
            Unary::Plus | Unary::Not => "pos",
        });
        self.close();
        Ok(())
    }

    pub(super) fn inline_if(
        &mut self,
        condition: &Expression,
        then: &Expression,
        otherwise: Option<&Expression>,
    ) -> Result<(), Failure> {
        self.out.push('(');
        self.expression(then)?;
        if let Some(number) = self.record(condition.span, BranchKind::If) {
            self.taken(number);
        }
        self.out.push_str(" if ");
        self.expression(condition)?;
        self.out.push_str(" else ");
        match otherwise {
            Some(otherwise) => {
                self.expression(otherwise)?;
                if let Some(number) = self.record(condition.span, BranchKind::Else) {
                    self.taken(number);
                }
            }
            None => self.out.push_str("\"\""),
        }
        self.out.push(')');
        Ok(())
    }
}
