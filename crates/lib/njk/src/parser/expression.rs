//! Operators, from the loosest to the tightest, as in Nunjucks' grammar. Their
//! final operands are determined by [`crate::precedence`].

use crate::ast::{Arguments, Binary, Expression, InlineIf, Kind, Name, Unary};
use crate::error::{Error, Span, fail};
use crate::lexer;
use crate::parser::{Parsed, Parser, bounded};

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

    fn inline_if(&mut self) -> Parsed<Expression> {
        let then = settle(self.or()?)?;
        if !self.skip_symbol("if")? {
            return Ok(then);
        }
        let condition = settle(self.or()?)?;
        let otherwise = if self.skip_symbol("else")? {
            Some(settle(self.or()?)?)
        } else {
            None
        };
        let span = then.span.to(self.last);
        let one = InlineIf {
            condition,
            then,
            otherwise,
        };
        bounded(Expression::new(Kind::InlineIf(Box::new(one)), span))
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
        let left = self.climb(1)?;
        if !self.skip_symbol("is")? {
            return Ok(left);
        }
        let negated = self.skip_symbol("not")?;
        let test = self.climb(1)?;
        let span = left.span.to(test.span);
        let Some((name, arguments)) = test_name(test) else {
            return fail("expected the name of a test after `is`", span);
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
        let lexer::Kind::Mark(mark) = self.peek()?.kind else {
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

fn negate(target: Expression, start: Span) -> Parsed<Expression> {
    let span = start.to(target.span);
    bounded(Expression::new(
        Kind::Unary(Unary::Not, Box::new(target)),
        span,
    ))
}

/// A test is written as a name or as a call; `none` and `null` are keywords,
/// but also tests.
fn test_name(test: Expression) -> Option<(Name, Arguments)> {
    let span = test.span;
    match test.kind {
        Kind::Name(text) => Some((Name::new(text, span), Arguments::default())),
        Kind::Null => Some((Name::new("null".to_owned(), span), Arguments::default())),
        Kind::Call(target, arguments) => match target.kind {
            Kind::Name(text) => Some((Name::new(text, target.span), arguments)),
            _ => None,
        },
        _ => None,
    }
}

/// More than any template needs.
const MAX_ARGUMENTS: usize = 250;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expression> {
        let operand = self.operand()?;
        self.postfix(operand)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = match &self.peek()?.kind {
            lexer::Kind::Mark("(" | "[" | "{") => return self.nested(Self::aggregate),
            lexer::Kind::Str(_)
            | lexer::Kind::Number(_)
            | lexer::Kind::Bool(_)
            | lexer::Kind::Null
            | lexer::Kind::Regex { .. }
            | lexer::Kind::Symbol(_) => self.next()?,
            _ => return self.unexpected("an expression"),
        };
        let kind = match start.kind {
            lexer::Kind::Str(text) => Kind::Str(text),
            lexer::Kind::Number(value) => Kind::Number(value),
            lexer::Kind::Bool(value) => Kind::Bool(value),
            lexer::Kind::Regex { body, flags } => Kind::Regex { body, flags },
            lexer::Kind::Symbol(name) => Kind::Name(name),
            _ => Kind::Null,
        };
        Ok(Expression::new(kind, start.span))
    }

    fn aggregate(&mut self) -> Parsed<Expression> {
        let open = self.next()?;
        let kind = match open.kind {
            lexer::Kind::Mark("(") => Kind::Group(self.items(")", "to close the group")?),
            lexer::Kind::Mark("[") => Kind::Array(self.items("]", "to close the list")?),
            _ => Kind::Dict(self.pairs()?),
        };
        let span = open.span.to(self.last);
        if matches!(&kind, Kind::Group(items) if items.is_empty()) {
            return fail("expected an expression between the parentheses", span);
        }
        bounded(Expression::new(kind, span))
    }

    fn items(&mut self, close: &'static str, place: &str) -> Parsed<Vec<Expression>> {
        let mut items = Vec::new();
        while !self.skip(close)? {
            let lacks_comma = !items.is_empty() && !self.skip(",")?;
            let expected = if lacks_comma {
                &format!("`,` or `{close}` {place}")
            } else {
                "an expression"
            };
            if close == "]" && matches!(self.peek()?.kind, lexer::Kind::Mark(":")) {
                return self.mistaken(expected, "write `.slice(start, end)`");
            }
            if lacks_comma {
                return self.unexpected(expected);
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    fn pairs(&mut self) -> Parsed<Vec<(Name, Expression)>> {
        let mut pairs = Vec::new();
        while !self.skip("}")? {
            if !pairs.is_empty() && !self.skip(",")? {
                return self.unexpected("`,` or `}` in the dictionary");
            }
            let key = match &self.peek()?.kind {
                lexer::Kind::Str(_) | lexer::Kind::Symbol(_) => self.next()?,
                _ => return self.unexpected("a name or a string as key"),
            };
            let (lexer::Kind::Str(text) | lexer::Kind::Symbol(text)) = key.kind else {
                return fail("expected a name or a string as key", key.span);
            };
            self.require(":", "after the key")?;
            pairs.push((Name::new(text, key.span), self.expression()?));
        }
        Ok(pairs)
    }

    fn postfix(&mut self, mut target: Expression) -> Parsed<Expression> {
        loop {
            let lexer::Kind::Mark(mark) = self.peek()?.kind else {
                return Ok(target);
            };
            let start = target.span;
            let kind = match mark {
                "(" => {
                    let arguments = self.nested(Self::arguments)?;
                    Kind::Call(Box::new(target), arguments)
                }
                "[" => {
                    self.next()?;
                    let mut items = self.nested(|this| this.items("]", "to close the index"))?;
                    match (items.pop(), items.is_empty()) {
                        (Some(index), true) => Kind::Index(Box::new(target), Box::new(index)),
                        _ => return fail("expected one index", start.to(self.last)),
                    }
                }
                "." => {
                    self.next()?;
                    let name = self.name("the name of a member after `.`")?;
                    Kind::Member(Box::new(target), name)
                }
                _ => return Ok(target),
            };
            target = bounded(Expression::new(kind, start.to(self.last)))?;
        }
    }

    /// `(…)`, with the parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Arguments> {
        self.require("(", "before the arguments")?;
        let mut arguments = Arguments::default();
        let mut first = true;
        while !self.skip(")")? {
            if !std::mem::take(&mut first) && !self.skip(",")? {
                return self.unexpected("`,` or `)` in the arguments");
            }
            let value = self.expression()?;
            if self.skip("=")? {
                let (Kind::Name(text) | Kind::Str(text)) = value.kind else {
                    return fail("expected a name before `=`", value.span);
                };
                let name = Name::new(text, value.span);
                arguments.keyword.push((name, self.expression()?));
            } else {
                arguments.positional.push(value);
            }
            if arguments.positional.len() + arguments.keyword.len() > MAX_ARGUMENTS {
                return fail("too many arguments", self.last);
            }
        }
        Ok(arguments)
    }

    pub(super) fn filters(&mut self, mut target: Expression) -> Parsed<Expression> {
        while self.skip("|")? {
            let (name, arguments) = self.filter()?;
            if matches!(self.peek()?.kind, lexer::Kind::Mark("." | "[")) {
                return self.mistaken(
                    "nothing but `|` after a filter",
                    "put the value and its filters in parentheses: `(a | b(c)).d`",
                );
            }
            if matches!(
                self.peek()?.kind,
                lexer::Kind::Str(_) | lexer::Kind::Number(_) | lexer::Kind::Mark(":")
            ) {
                let expected = "`(` before the arguments of a filter";
                return self.mistaken(expected, "put arguments in parentheses: `a | b(c)`");
            }
            let span = target.span.to(self.last);
            let kind = Kind::Filter(Box::new(settle(target)?), name, arguments);
            target = bounded(Expression::new(kind, span))?;
        }
        Ok(target)
    }

    /// The name of a filter, which may have dots, and its arguments.
    pub(super) fn filter(&mut self) -> Parsed<(Name, Arguments)> {
        let mut name = self.name("the name of a filter")?;
        while self.skip(".")? {
            let part = self.name("the name of a filter")?;
            name.text = format!("{}.{}", name.text, part.text);
            name.span = name.span.to(part.span);
        }
        let has_arguments = matches!(self.peek()?.kind, lexer::Kind::Mark("("));
        let arguments = if has_arguments {
            self.nested(Self::arguments)?
        } else {
            Arguments::default()
        };
        Ok((name, arguments))
    }
}

enum Piece {
    Operand(Expression),
    Prefix(Unary, Span),
    Operator(Binary),
}

/// The tree that JavaScript would parse.
pub(crate) fn settle(expression: Expression) -> Parsed<Expression> {
    if !matches!(expression.kind, Kind::Binary(..) | Kind::Unary(..)) {
        return Ok(expression);
    }
    let mut pieces = Vec::new();
    flatten(expression, &mut pieces)?;
    let mut pieces = pieces.into_iter().peekable();
    climb(&mut pieces, 0)
}

fn flatten(expression: Expression, pieces: &mut Vec<Piece>) -> Parsed<()> {
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
                return fail("two signs in a row are not an expression", span);
            }
            pieces.push(Piece::Prefix(operator, span));
            flatten(*target, pieces)?;
        }
        kind => pieces.push(Piece::Operand(Expression::new(kind, span))),
    }
    Ok(())
}

type Pieces = std::iter::Peekable<std::vec::IntoIter<Piece>>;

fn climb(pieces: &mut Pieces, floor: u8) -> Parsed<Expression> {
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

fn operand(pieces: &mut Pieces) -> Parsed<Expression> {
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
