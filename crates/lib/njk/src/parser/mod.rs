//! Parses tokens into a tree by the grammar of Nunjucks 3. This module has the
//! parser itself: one token of lookahead, the limits on nesting, and the text
//! between tags with its white space control.

mod expression;
mod statement;

use crate::ast::{Expression, Name, Statement};
use crate::error::{Error, ErrorKind, Failure, Span, fail, position};
use crate::lexer::{Kind, Lexer, Token, is_space};

#[cfg(test)]
pub(crate) use statement::opening_tags;

/// The maximum nesting of tags and brackets. The parser and all that walk the tree
/// call themselves at each level.
const MAX_NESTING: usize = 40;

/// The maximum depth of the tree of an expression, long chains included.
const MAX_HEIGHT: u16 = 120;

pub(crate) type Parsed<T> = Result<T, Failure>;

pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    peeked: Option<Token>,
    last: Span,
    /// The `{{` or `{%` of the current tag.
    opener: Span,
    /// The tags whose ends are still to come.
    open: Vec<Name>,
    /// True if the last tag ended with a dash, so that leading white space of
    /// the next text is removed.
    drop_space: bool,
    nesting: usize,
}

/// The statements of a template.
pub(crate) fn parse(name: &str, source: &str) -> Result<Vec<Statement>, Error> {
    if u32::try_from(source.len()).is_err() {
        return Err(Error::new(ErrorKind::TooLarge, "the template is too long"));
    }
    let mut parser = Parser {
        lexer: Lexer::new(source),
        peeked: None,
        last: Span::default(),
        opener: Span::default(),
        open: Vec::new(),
        drop_space: false,
        nesting: 0,
    };
    let body = parser.body(&[]);
    let body = body.and_then(|(body, _)| parser.expect_end().map(|()| body));
    body.map_err(|(error, span)| error.at(name, source, span))
}

impl Parser<'_> {
    fn next(&mut self) -> Parsed<Token> {
        let token = match self.peeked.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        self.last = token.span;
        Ok(token)
    }

    fn peek(&mut self) -> Parsed<&Token> {
        let token = match self.peeked.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        Ok(self.peeked.insert(token))
    }

    fn skip(&mut self, mark: &'static str) -> Parsed<bool> {
        let found = matches!(self.peek()?.kind, Kind::Mark(seen) if seen == mark);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn skip_symbol(&mut self, word: &str) -> Parsed<bool> {
        let found = matches!(&self.peek()?.kind, Kind::Symbol(seen) if seen == word);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn require(&mut self, mark: &'static str, place: &str) -> Parsed<()> {
        if self.skip(mark)? {
            return Ok(());
        }
        self.unexpected(&format!("`{mark}` {place}"))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !matches!(self.peek()?.kind, Kind::Symbol(_)) {
            return self.unexpected(what);
        }
        let token = self.next()?;
        match token.kind {
            Kind::Symbol(text) => Ok(Name::new(text, token.span)),
            _ => fail("expected a name", token.span),
        }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let token = self.peek()?.clone();
        let hint = match &token.kind {
            Kind::VariableEnd(_) if expected.contains('}') => {
                Some("put a space between braces that close one after another")
            }
            _ => self.mistake(&token),
        };
        if let Some(hint) = hint {
            return self.mistaken(expected, hint);
        }
        let error = Error::new(ErrorKind::Syntax, token.instead_of(expected));
        Err((self.still_open(&token, error), token.span))
    }

    /// Like `unexpected`, where the hint is known.
    fn mistaken<T>(&mut self, expected: &str, hint: &str) -> Parsed<T> {
        let token = self.peek()?;
        let error = Error::new(ErrorKind::Syntax, token.instead_of(expected));
        Err((error.with_hint(hint), token.span))
    }

    fn block_end(&mut self, tag: &str) -> Parsed<()> {
        if let Kind::BlockEnd(dash) = self.peek()?.kind {
            self.next()?;
            self.drop_space = dash;
            return Ok(());
        }
        self.unexpected(&format!("`%}}` at the end of `{tag}`"))
    }

    fn expect_end(&mut self) -> Parsed<()> {
        match self.peek()?.kind {
            Kind::End => Ok(()),
            _ => self.unexpected("the end of the template"),
        }
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err((too_deep(), self.last));
        }
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Statements up to one of the tags `ends`, whose name is consumed and
    /// returned; with an empty list, statements up to the end of the template.
    fn body(&mut self, ends: &[&'static str]) -> Parsed<(Vec<Statement>, &'static str)> {
        let mut statements = Vec::new();
        loop {
            let token = self.next()?;
            if matches!(token.kind, Kind::VariableStart(_) | Kind::BlockStart(_)) {
                self.opener = token.span;
            }
            match token.kind {
                Kind::Data(text) => self.data(text, &mut statements)?,
                Kind::Raw { text, trim } => {
                    self.drop_space = trim.after;
                    statements.push(Statement::Text(text));
                }
                Kind::Comment(trim) => self.drop_space = trim.after,
                Kind::VariableStart(_) => {
                    let value = self.expression()?;
                    let Kind::VariableEnd(dash) = self.peek()?.kind else {
                        return self.unexpected("`}}` at the end of the expression");
                    };
                    self.next()?;
                    self.drop_space = dash;
                    statements.push(Statement::Output(value));
                }
                Kind::BlockStart(_) => {
                    self.drop_space = false;
                    if let Some(end) = self.end_tag(ends)? {
                        return Ok((statements, end));
                    }
                    self.check_end(ends)?;
                    statements.push(self.nested(Self::statement)?);
                    self.open.pop();
                }
                Kind::End if ends.is_empty() => return Ok((statements, "")),
                Kind::End => {
                    let error = Error::new(ErrorKind::Syntax, unclosed(ends));
                    // The place to look at is where the block begins.
                    let span = self.open.last().map_or(token.span, |tag| tag.span);
                    return Err((self.unclosed(ends, error), span));
                }
                _ => return fail("unexpected token outside of tags", token.span),
            }
        }
    }

    fn end_tag(&mut self, ends: &[&'static str]) -> Parsed<Option<&'static str>> {
        let end = match &self.peek()?.kind {
            Kind::Symbol(word) => ends.iter().copied().find(|end| end == word),
            _ => None,
        };
        if end.is_some() {
            self.next()?;
        }
        Ok(end)
    }

    fn data(&mut self, text: String, statements: &mut Vec<Statement>) -> Parsed<()> {
        let mut trimmed = text.as_str();
        if std::mem::take(&mut self.drop_space) {
            trimmed = trimmed.trim_start_matches(is_space);
        }
        let trims = match &self.peek()?.kind {
            Kind::BlockStart(dash) | Kind::VariableStart(dash) => *dash,
            Kind::Comment(trim) | Kind::Raw { trim, .. } => trim.before,
            _ => false,
        };
        if trims {
            trimmed = trimmed.trim_end_matches(is_space);
        }
        let whole = trimmed.len() == text.len();
        let text = if whole { text } else { trimmed.to_owned() };
        // Even an empty text makes a `case` one that does not fall through.
        statements.push(Statement::Text(text));
        Ok(())
    }
}

fn unclosed(ends: &[&str]) -> String {
    let ends: Vec<String> = ends.iter().map(|end| format!("`{end}`")).collect();
    match ends.split_last() {
        Some((last, [])) => format!("expected {last}, found the end of the template"),
        Some((last, rest)) => {
            let rest = rest.join(", ");
            format!("expected {rest} or {last}, found the end of the template")
        }
        None => String::new(),
    }
}

fn too_deep() -> Error {
    Error::new(ErrorKind::TooDeep, "the template is nested too deeply")
}

/// Returns `expression` unless its tree is too deep.
fn bounded(expression: Expression) -> Parsed<Expression> {
    if expression.height > MAX_HEIGHT {
        let message = "the expression is too long: give a part of it a name with `set`";
        return Err((Error::new(ErrorKind::TooDeep, message), expression.span));
    }
    Ok(expression)
}

impl Parser<'_> {
    /// The hint for a token where the grammar has none of its kind.
    fn mistake(&self, token: &Token) -> Option<&'static str> {
        let rest = self.lexer.source_from(token.span.start as usize);
        let before = self.lexer.source_from(self.last.start as usize);
        match &token.kind {
            Kind::Symbol(word) if word.starts_with("&&") => Some("write `and`"),
            Kind::Symbol(word) if word.starts_with("??") => Some("write `a | default(b)`"),
            Kind::Symbol(word) if word.starts_with('?') => Some("write `a if condition else b`"),
            Kind::Mark("|") if before.starts_with('|') => Some("write `or`"),
            Kind::Mark("!") => Some("write `not`"),
            Kind::Mark("=") if rest.starts_with("=>") => {
                Some("a function is a `macro`, which is passed by its name")
            }
            Kind::Mark(">") if before.starts_with("=>") => {
                Some("a function is a `macro`, which is passed by its name")
            }
            Kind::Mark(">") if before.starts_with("<>") => Some("write `!=`"),
            Kind::Mark("=") => Some("write `==` to compare, or `{% set name = value %}` to assign"),
            Kind::Mark("+" | "-" | "*" | "/") if rest[1..].starts_with('=') => {
                Some("write `{% set n = n + 1 %}`")
            }
            _ => None,
        }
    }

    /// Adds the current tag to `error`, if it began on an earlier line, or the template ends in it.
    fn still_open(&self, token: &Token, error: Error) -> Error {
        let line = self.line(self.opener);
        if token.kind != Kind::End && self.line(token.span) == line {
            return error;
        }
        let start = self.opener.start as usize;
        let (opener, closer) = match self.lexer.source_from(start).get(..2) {
            Some("{{") => ("{{", "}}"),
            Some("{%") => ("{%", "%}"),
            _ => return error,
        };
        let hint = format!("the `{opener}` on line {line} is still open: end it with `{closer}`");
        error.with_hint_on(line, hint)
    }

    /// Adds the innermost tag that is still open to `error`, and its end among `ends`.
    fn unclosed(&self, ends: &[&str], error: Error) -> Error {
        let end = ends.iter().find(|end| end.starts_with("end"));
        let Some((tag, end)) = self.open.last().zip(end) else {
            return error;
        };
        let line = self.line(tag.span);
        let hint = format!("the `{}` on line {line} needs `{{% {end} %}}`", tag.text);
        error.with_hint_on(line, hint)
    }

    fn line(&self, span: Span) -> usize {
        position(self.lexer.source_from(0), span.start as usize).0
    }
}
