//! Applies JavaScript's operator precedence. Nunjucks has its own grammar but
//! compiles operators to JavaScript text without parentheses, so that
//! JavaScript's precedence applies: `not a == b` is `(not a) == b`, and
//! `1 ~ 2 + 3` is `"123"`. The tree of Nunjucks' grammar is flattened and
//! rebuilt.

use crate::ast::{Binary, Expression, Kind, Unary};
use crate::error::{Error, ErrorKind, Span};

enum Piece {
    Operand(Expression),
    Prefix(Unary, Span),
    Operator(Binary),
}

/// The tree that JavaScript would parse.
pub(crate) fn settle(expression: Expression) -> Result<Expression, (Error, Span)> {
    if !matches!(expression.kind, Kind::Binary(..) | Kind::Unary(..)) {
        return Ok(expression);
    }
    let mut pieces = Vec::new();
    flatten(expression, &mut pieces)?;
    let mut pieces = pieces.into_iter().peekable();
    climb(&mut pieces, 0)
}

fn flatten(expression: Expression, pieces: &mut Vec<Piece>) -> Result<(), (Error, Span)> {
    let span = expression.span;
    match expression.kind {
        Kind::Binary(Binary::Floor, left, right) => {
            // The text between `Math.floor(` and `)` is parsed separately.
            let quotient = Kind::Binary(Binary::Divide, left, right);
            let quotient = settle(Expression::new(quotient, span))?;
            let floor = Kind::Unary(Unary::Floor, Box::new(quotient));
            pieces.push(Piece::Operand(Expression::new(floor, span)));
        }
        Kind::Binary(Binary::Power, left, right) => {
            let (left, right) = (Box::new(settle(*left)?), Box::new(settle(*right)?));
            let power = Kind::Binary(Binary::Power, left, right);
            pieces.push(Piece::Operand(Expression::new(power, span)));
        }
        Kind::Binary(operator, left, right) => {
            flatten(*left, pieces)?;
            pieces.push(Piece::Operator(operator));
            flatten(*right, pieces)?;
        }
        Kind::Unary(operator, target) if operator != Unary::Floor => {
            if operator != Unary::Not
                && matches!(target.kind, Kind::Unary(inner, _) if inner == operator)
            {
                let message = "two signs in a row are not an expression";
                return Err((Error::new(ErrorKind::Syntax, message), span));
            }
            pieces.push(Piece::Prefix(operator, span));
            flatten(*target, pieces)?;
        }
        kind => pieces.push(Piece::Operand(Expression::new(kind, span))),
    }
    Ok(())
}

type Pieces = std::iter::Peekable<std::vec::IntoIter<Piece>>;

fn climb(pieces: &mut Pieces, floor: u8) -> Result<Expression, (Error, Span)> {
    let mut left = operand(pieces)?;
    while let Some(Piece::Operator(operator)) = pieces.peek() {
        let operator = *operator;
        let level = level(operator);
        if level < floor {
            break;
        }
        pieces.next();
        let right = climb(pieces, level + 1)?;
        let span = left.span.to(right.span);
        left = Expression::new(
            Kind::Binary(operator, Box::new(left), Box::new(right)),
            span,
        );
    }
    Ok(left)
}

fn operand(pieces: &mut Pieces) -> Result<Expression, (Error, Span)> {
    let mut prefixes = Vec::new();
    loop {
        match pieces.next() {
            Some(Piece::Prefix(operator, span)) => prefixes.push((operator, span)),
            Some(Piece::Operand(mut operand)) => {
                for (operator, span) in prefixes.into_iter().rev() {
                    let span = span.to(operand.span);
                    operand = Expression::new(Kind::Unary(operator, Box::new(operand)), span);
                }
                return Ok(operand);
            }
            Some(Piece::Operator(_)) | None => {
                let error = Error::internal("an operator without an operand");
                return Err((error, Span::default()));
            }
        }
    }
}

fn level(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Equal | Binary::Unequal | Binary::StrictEqual | Binary::StrictUnequal => 3,
        Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => 4,
        Binary::Add | Binary::Concat | Binary::Subtract => 5,
        Binary::Multiply | Binary::Divide | Binary::Remainder | Binary::Floor | Binary::Power => 6,
    }
}
