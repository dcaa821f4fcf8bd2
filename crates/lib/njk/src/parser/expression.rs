//! Operators, from the loosest to the tightest, as in Nunjucks' grammar. Their
//! final operands are determined by [`crate::precedence`].

use super::{Parsed, Parser, bounded};
use crate::ast::{Binary, Expression, Kind, Name, Unary};
use crate::precedence::settle;
use crate::token;

/// The binary operators on values, each with its precedence in Nunjucks'
/// grammar: comparisons, then each other operator on a separate level.
const OPERATORS: [(&str, u8, Binary); 16] = [
    ("==", 1, Binary::Equal),
    ("===", 1, Binary::StrictEqual),
    ("!=", 1, Binary::Unequal),
    ("!==", 1, Binary::StrictUnequal),
    ("<", 1, Binary::Less),
    (">", 1, Binary::Greater),
    ("<=", 1, Binary::LessEqual),
    (">=", 1, Binary::GreaterEqual),
    ("~", 2, Binary::Concat),
    ("+", 3, Binary::Add),
    ("-", 4, Binary::Subtract),
    ("*", 5, Binary::Multiply),
    ("/", 6, Binary::Divide),
    ("//", 7, Binary::Floor),
    ("%", 8, Binary::Remainder),
    ("**", 9, Binary::Power),
];

fn binary(operator: Binary, left: Expression, right: Expression) -> Parsed<Expression> {
    let span = left.span.to(right.span);
    let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
    bounded(Expression::new(kind, span))
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(Self::inline_if)
    }

    /// Returns true if the expression ends here: most are a single operand.
    fn ended(&mut self) -> Parsed<bool> {
        use token::Kind::{BlockEnd, Mark, VariableEnd};
        let next = &self.peek()?.kind;
        Ok(matches!(
            next,
            VariableEnd(_) | BlockEnd(_) | Mark("," | ")")
        ))
    }

    fn inline_if(&mut self) -> Parsed<Expression> {
        let then = settle(self.or()?)?;
        if self.ended()? {
            return Ok(then);
        }
        if !self.skip_symbol("if")? {
            return Ok(then);
        }
        let condition = settle(self.or()?)?;
        let otherwise = if self.skip_symbol("else")? {
            Some(Box::new(settle(self.or()?)?))
        } else {
            None
        };
        let span = then.span.to(self.last);
        let kind = Kind::InlineIf {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise,
        };
        bounded(Expression::new(kind, span))
    }

    fn or(&mut self) -> Parsed<Expression> {
        let mut left = self.and()?;
        while self.skip_symbol("or")? {
            left = binary(Binary::Or, left, self.and()?)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed<Expression> {
        let mut left = self.not()?;
        while self.skip_symbol("and")? {
            left = binary(Binary::And, left, self.not()?)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed<Expression> {
        let start = self.peek()?.span;
        if !self.skip_symbol("not")? {
            return self.containment();
        }
        let target = self.nested(Self::not)?;
        negate(target, start)
    }

    fn containment(&mut self) -> Parsed<Expression> {
        let mut left = self.test()?;
        loop {
            let start = self.last;
            let negated = self.skip_symbol("not")?;
            if !self.skip_symbol("in")? {
                if negated {
                    return self.unexpected("`in` after `not`");
                }
                return Ok(left);
            }
            let (item, container) = (settle(left)?, settle(self.test()?)?);
            let span = item.span.to(container.span);
            let kind = Kind::In(Box::new(item), Box::new(container));
            left = bounded(Expression::new(kind, span))?;
            if negated {
                left = negate(left, start)?;
            }
        }
    }

    fn test(&mut self) -> Parsed<Expression> {
        let left = self.comparison()?;
        if !self.skip_symbol("is")? {
            return Ok(left);
        }
        let negated = self.skip_symbol("not")?;
        let test = self.comparison()?;
        let span = left.span.to(test.span);
        let Some((name, arguments)) = test_name(test) else {
            return super::fail("expected the name of a test after `is`", span);
        };
        let start = left.span;
        let kind = Kind::Test(Box::new(settle(left)?), name, arguments);
        let test = bounded(Expression::new(kind, span))?;
        if negated {
            negate(test, start)
        } else {
            Ok(test)
        }
    }

    /// The next operator, if it binds at least as tightly as `least`.
    fn operator(&mut self, least: u8) -> Parsed<Option<(u8, Binary)>> {
        let token::Kind::Mark(mark) = self.peek()?.kind else {
            return Ok(None);
        };
        let found = OPERATORS
            .iter()
            .find(|(text, ..)| *text == mark)
            .filter(|(_, level, _)| *level >= least);
        if found.is_some() {
            self.next()?;
        }
        Ok(found.map(|(_, level, operator)| (*level, *operator)))
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        self.climb(1)
    }

    fn climb(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.unary()?;
        while let Some((level, operator)) = self.operator(least)? {
            left = binary(operator, left, self.climb(level + 1)?)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let operand = self.signed()?;
        self.filters(operand)
    }

    fn signed(&mut self) -> Parsed<Expression> {
        let start = self.peek()?.span;
        let sign = if self.skip("-")? {
            Unary::Minus
        } else if self.skip("+")? {
            Unary::Plus
        } else {
            return self.primary();
        };
        let target = self.nested(Self::signed)?;
        let span = start.to(target.span);
        bounded(Expression::new(Kind::Unary(sign, Box::new(target)), span))
    }
}

fn negate(target: Expression, start: crate::error::Span) -> Parsed<Expression> {
    let span = start.to(target.span);
    bounded(Expression::new(
        Kind::Unary(Unary::Not, Box::new(target)),
        span,
    ))
}

/// A test is written as a name or as a call; `none` and `null` are keywords,
/// but also tests.
fn test_name(test: Expression) -> Option<(Name, crate::ast::Arguments)> {
    let span = test.span;
    match test.kind {
        Kind::Name(text) => Some((Name { text, span }, crate::ast::Arguments::default())),
        Kind::Null => {
            let text = "null".to_owned();
            Some((Name { text, span }, crate::ast::Arguments::default()))
        }
        Kind::Call(target, arguments) => match target.kind {
            Kind::Name(text) => Some((
                Name {
                    text,
                    span: target.span,
                },
                arguments,
            )),
            _ => None,
        },
        _ => None,
    }
}
