//! Operands: literals, names and brackets, and their postfix forms: members,
//! indexes, calls and filters.

use super::{Parsed, Parser, bounded, fail};
use crate::ast::{Arguments, Expression, Kind, Name};
use crate::mistake::Mistake;
use crate::precedence::settle;
use crate::token;

/// More than any template needs.
const MAX_ARGUMENTS: usize = 250;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expression> {
        let operand = self.operand()?;
        self.postfix(operand)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = match &self.peek()?.kind {
            token::Kind::Mark("(" | "[" | "{") => return self.nested(Self::aggregate),
            token::Kind::Str(_)
            | token::Kind::Number(_)
            | token::Kind::Bool(_)
            | token::Kind::Null
            | token::Kind::Regex { .. }
            | token::Kind::Symbol(_) => self.next()?,
            _ => return self.unexpected("an expression"),
        };
        let kind = match start.kind {
            token::Kind::Str(text) => Kind::Str(text),
            token::Kind::Number(value) => Kind::Number(value),
            token::Kind::Bool(value) => Kind::Bool(value),
            token::Kind::Regex { body, flags } => Kind::Regex { body, flags },
            token::Kind::Symbol(name) => Kind::Name(name),
            _ => Kind::Null,
        };
        Ok(Expression::new(kind, start.span))
    }

    fn aggregate(&mut self) -> Parsed<Expression> {
        let open = self.next()?;
        let kind = match open.kind {
            token::Kind::Mark("(") => Kind::Group(self.items(")", "to close the group")?),
            token::Kind::Mark("[") => Kind::Array(self.items("]", "to close the list")?),
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
            if !items.is_empty() && !self.skip(",")? {
                let expected = format!("`,` or `{close}` {place}");
                if close == "]" && matches!(self.peek()?.kind, token::Kind::Mark(":")) {
                    return self.mistaken(&expected, Mistake::Slice);
                }
                return self.unexpected(&expected);
            }
            if close == "]" && matches!(self.peek()?.kind, token::Kind::Mark(":")) {
                return self.mistaken("an expression", Mistake::Slice);
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
                token::Kind::Str(_) | token::Kind::Symbol(_) => self.next()?,
                _ => return self.unexpected("a name or a string as key"),
            };
            let (token::Kind::Str(text) | token::Kind::Symbol(text)) = key.kind else {
                return fail("expected a name or a string as key", key.span);
            };
            self.require(":", "after the key")?;
            let name = Name {
                text,
                span: key.span,
            };
            pairs.push((name, self.expression()?));
        }
        Ok(pairs)
    }

    fn postfix(&mut self, mut target: Expression) -> Parsed<Expression> {
        loop {
            let token::Kind::Mark(mark) = self.peek()?.kind else {
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
                    Kind::Member(Box::new(target), self.member()?)
                }
                _ => return Ok(target),
            };
            target = bounded(Expression::new(kind, start.to(self.last)))?;
        }
    }

    fn member(&mut self) -> Parsed<Name> {
        self.name("the name of a member after `.`")
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
                let name = Name {
                    text,
                    span: value.span,
                };
                let value = self.expression()?;
                arguments.keyword.push((name, value));
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
            if matches!(self.peek()?.kind, token::Kind::Mark("." | "[")) {
                return self.mistaken("nothing but `|` after a filter", Mistake::MemberOfFilter);
            }
            if matches!(
                self.peek()?.kind,
                token::Kind::Str(_) | token::Kind::Number(_) | token::Kind::Mark(":")
            ) {
                let expected = "`(` before the arguments of a filter";
                return self.mistaken(expected, Mistake::FilterArguments);
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
        let has_arguments = matches!(self.peek()?.kind, token::Kind::Mark("("));
        let arguments = if has_arguments {
            self.nested(Self::arguments)?
        } else {
            Arguments::default()
        };
        Ok((name, arguments))
    }
}
