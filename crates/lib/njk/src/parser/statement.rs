//! The tags that contain other statements: if, for, set, macro, call, filter,
//! switch and block.

use std::sync::Arc;

use crate::ast::{
    self, Expression, FilterBlock, For, Function, If, Import, Kind, Name, Statement, Switch,
};
use crate::error::{self, Error, ErrorKind, Failure, fail, instead};
use crate::lexer;
use crate::parser::{Parsed, Parser};

/// More than any template needs: one with more of them wants a dictionary.
const MAX_BRANCHES: usize = 100;

/// Parameters, and those with a default.
type Signature = (Vec<Name>, Vec<(Name, Expression)>);

impl Parser<'_> {
    /// A statement; its `{%` has been consumed.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let tag = self.name("the name of a tag")?;
        self.open.push(tag.clone());
        match tag.text.as_str() {
            "if" => self.if_tag(),
            "for" => self.for_tag(),
            "set" => self.set_tag(),
            "macro" => self.macro_tag(),
            "call" => self.call_tag(),
            "filter" => self.filter_tag(),
            "switch" => self.switch_tag(),
            "block" => self.block_tag(),
            "extends" => self.extends_tag(),
            "include" => self.include_tag(),
            "import" => self.import_tag(),
            "from" => self.import_names(),
            _ => Err(unknown_tag(&tag)),
        }
    }

    fn if_tag(&mut self) -> Parsed<Statement> {
        let mut branches = Vec::new();
        loop {
            let condition = self.expression()?;
            self.block_end("if")?;
            let (body, end) = self.body(&["elif", "elseif", "else", "endif"])?;
            branches.push((condition, body));
            if branches.len() > MAX_BRANCHES {
                return fail("too many branches: use `switch` or a dictionary", self.last);
            }
            if end == "elif" || end == "elseif" {
                continue;
            }
            if end == "else"
                && matches!(&self.peek()?.kind, lexer::Kind::Symbol(word) if word == "if")
            {
                return self.mistaken("`%}` at the end of `else`", "write `elif`");
            }
            let otherwise = self.otherwise(end, "endif")?;
            return Ok(Statement::If(If {
                branches,
                otherwise,
            }));
        }
    }

    /// Fails at the end of another tag, or at `end`, within a body that ends with `ends`.
    pub(super) fn check_end(&mut self, ends: &[&'static str]) -> Parsed<()> {
        let token = self.peek()?;
        let lexer::Kind::Symbol(word) = &token.kind else {
            return Ok(());
        };
        let is_end = word == "end" || word.starts_with("end") && TAGS.contains(&word.as_str());
        let Some(close) = ends.iter().find(|end| end.starts_with("end")) else {
            return Ok(());
        };
        if !is_end || word == "endeach" {
            return Ok(());
        }
        let message = if word == "end" {
            "unknown tag `end`".to_owned()
        } else {
            format!("`{word}` does not belong here")
        };
        let error = Error::new(ErrorKind::Syntax, message);
        let span = token.span;
        Err((self.unclosed(&[*close], error), span))
    }

    fn for_tag(&mut self) -> Parsed<Statement> {
        let mut names = vec![self.name("the name of the loop's variable")?];
        while self.skip(",")? {
            names.push(self.name("the name of the loop's variable")?);
        }
        if !self.skip_symbol("in")? {
            let expected = "`in` after the loop's variables";
            if matches!(&self.peek()?.kind, lexer::Kind::Symbol(word) if word == "of") {
                return self.mistaken(expected, "write `in`");
            }
            return self.unexpected(expected);
        }
        let iterable = self.expression()?;
        self.block_end("for")?;
        let (body, end) = self.body(&["endfor", "else"])?;
        let otherwise = self.otherwise(end, "endfor")?;
        Ok(Statement::For(For {
            names,
            iterable,
            body,
            otherwise,
        }))
    }

    fn set_tag(&mut self) -> Parsed<Statement> {
        let mut targets = vec![self.name("the name of a variable")?];
        while self.skip(",")? {
            targets.push(self.name("the name of a variable")?);
        }
        if self.skip("=")? {
            let value = ast::Value::Expression(self.expression()?);
            self.block_end("set")?;
            return Ok(Statement::Set { targets, value });
        }
        if !matches!(self.peek()?.kind, lexer::Kind::BlockEnd(_)) {
            let expected = "`=` or `%}` after the variable";
            if matches!(self.peek()?.kind, lexer::Kind::Mark("." | "[")) {
                return self.mistaken(expected, "only a variable can be set: make a new object");
            }
            return self.unexpected(expected);
        }
        // Nunjucks trims nothing here, dash or not.
        self.next()?;
        let value = ast::Value::Body(self.body_to("endset")?);
        Ok(Statement::Set { targets, value })
    }

    fn macro_tag(&mut self) -> Parsed<Statement> {
        let name = self.name("the name of the macro")?;
        let signature = self.signature()?;
        self.block_end("macro")?;
        let function = self.function(signature, "endmacro")?;
        Ok(Statement::Macro { name, function })
    }

    /// The body up to the tag `end`, with that.
    fn body_to(&mut self, end: &'static str) -> Parsed<Vec<Statement>> {
        let (body, _) = self.body(&[end])?;
        self.block_end(end)?;
        Ok(body)
    }

    /// The rest of a statement whose body ended with `found`: another body, unless that is `end`.
    fn otherwise(&mut self, found: &str, end: &'static str) -> Parsed<Vec<Statement>> {
        self.block_end(found)?;
        if found == end {
            return Ok(Vec::new());
        }
        self.body_to(end)
    }

    fn function(&mut self, signature: Signature, end: &'static str) -> Parsed<Arc<Function>> {
        let (parameters, defaults) = signature;
        let body = self.body_to(end)?;
        Ok(Arc::new(Function {
            parameters,
            defaults,
            body,
        }))
    }

    fn signature(&mut self) -> Parsed<Signature> {
        let arguments = self.nested(Self::arguments)?;
        let mut parameters = Vec::new();
        for parameter in arguments.positional {
            let Kind::Name(text) = parameter.kind else {
                return fail("expected the name of a parameter", parameter.span);
            };
            parameters.push(Name::new(text, parameter.span));
        }
        Ok((parameters, arguments.keyword))
    }

    fn call_tag(&mut self) -> Parsed<Statement> {
        let signature = match self.peek()?.kind {
            lexer::Kind::Mark("(") => self.signature()?,
            _ => (Vec::new(), Vec::new()),
        };
        let call = self.primary()?;
        if !matches!(call.kind, Kind::Call(..)) {
            return fail("expected the call of a macro", call.span);
        }
        self.block_end("call")?;
        let caller = self.function(signature, "endcall")?;
        Ok(Statement::Call { call, caller })
    }

    fn filter_tag(&mut self) -> Parsed<Statement> {
        let (name, arguments) = self.filter()?;
        self.block_end("filter")?;
        let body = self.body_to("endfilter")?;
        Ok(Statement::Filter(FilterBlock {
            name,
            arguments,
            body,
        }))
    }

    fn switch_tag(&mut self) -> Parsed<Statement> {
        let subject = self.expression()?;
        self.block_end("switch")?;
        let ends = ["case", "default", "endswitch"];
        let (_, mut end) = self.body(&ends)?;
        let mut cases = Vec::new();
        while end == "case" {
            let value = self.expression()?;
            self.block_end("case")?;
            let (body, next) = self.body(&ends)?;
            cases.push((value, body));
            if cases.len() > MAX_BRANCHES {
                return fail("too many cases: use a dictionary", self.last);
            }
            end = next;
        }
        let otherwise = self.otherwise(end, "endswitch")?;
        Ok(Statement::Switch(Switch {
            subject,
            cases,
            otherwise,
        }))
    }

    fn block_tag(&mut self) -> Parsed<Statement> {
        let name = self.name("the name of the block")?;
        self.block_end("block")?;
        let (body, _) = self.body(&["endblock"])?;
        self.skip_symbol(&name.text)?;
        self.block_end("endblock")?;
        let body = Arc::new(body);
        Ok(Statement::Block { name, body })
    }
}

impl Parser<'_> {
    pub(super) fn extends_tag(&mut self) -> Parsed<Statement> {
        let template = self.expression()?;
        self.block_end("extends")?;
        Ok(Statement::Extends(template))
    }

    pub(super) fn include_tag(&mut self) -> Parsed<Statement> {
        let template = self.expression()?;
        let mut ignore_missing = false;
        if self.skip_symbol("ignore")? {
            if !self.skip_symbol("missing")? {
                return self.unexpected("`missing` after `ignore`");
            }
            ignore_missing = true;
        }
        self.block_end("include")?;
        Ok(Statement::Include {
            template,
            ignore_missing,
        })
    }

    pub(super) fn import_tag(&mut self) -> Parsed<Statement> {
        let template = self.expression()?;
        if !self.skip_symbol("as")? {
            return self.unexpected("`as` after the template to import");
        }
        let names = vec![(None, self.name("a name for what is imported")?)];
        let with_context = self.with_context()?;
        self.block_end("import")?;
        Ok(Statement::Import(Import {
            template,
            names,
            with_context,
        }))
    }

    pub(super) fn import_names(&mut self) -> Parsed<Statement> {
        let template = self.expression()?;
        if !self.skip_symbol("import")? {
            return self.unexpected("`import` after the template");
        }
        let mut names = Vec::new();
        let mut with_context = false;
        while !matches!(self.peek()?.kind, lexer::Kind::BlockEnd(_)) {
            if !names.is_empty() && !self.skip(",")? {
                return self.unexpected("`,` or `%}` after an imported name");
            }
            let name = self.name("a name to import")?;
            if name.text.starts_with('_') {
                let message = "a name that starts with an underscore cannot be imported";
                return fail(message, name.span);
            }
            let alias = if self.skip_symbol("as")? {
                self.name("a name after `as`")?
            } else {
                name.clone()
            };
            names.push((Some(name), alias));
            with_context = self.with_context()?;
        }
        if names.is_empty() {
            return self.unexpected("at least one name to import");
        }
        self.block_end("from")?;
        Ok(Statement::Import(Import {
            template,
            names,
            with_context,
        }))
    }

    fn with_context(&mut self) -> Parsed<bool> {
        let with = self.skip_symbol("with")?;
        let is_written = with || self.skip_symbol("without")?;
        if is_written && !self.skip_symbol("context")? {
            return self.unexpected("`context` after `with` or `without`");
        }
        Ok(with)
    }
}

/// Every tag that begins, continues or ends a statement.
pub(super) const TAGS: [&str; 33] = [
    "if",
    "for",
    "set",
    "macro",
    "call",
    "filter",
    "switch",
    "block",
    "extends",
    "include",
    "import",
    "from",
    "raw",
    "verbatim",
    "elif",
    "elseif",
    "else",
    "endif",
    "endfor",
    "endset",
    "endmacro",
    "endcall",
    "endfilter",
    "case",
    "default",
    "endswitch",
    "endblock",
    "endraw",
    "endverbatim",
    "asyncEach",
    "asyncAll",
    "ifAsync",
    "endeach",
];

/// The tags that begin a statement.
#[cfg(test)]
pub(crate) fn opening_tags() -> impl Iterator<Item = &'static str> {
    let others = ["elif", "elseif", "else", "case", "default"];
    let asynchronous = ["asyncEach", "asyncAll", "ifAsync"];
    let opening = TAGS.into_iter().filter(|tag| !tag.starts_with("end"));
    opening.filter(move |tag| !others.contains(tag) && !asynchronous.contains(tag))
}

/// The error for a tag that does not exist, or not here.
pub(super) fn unknown_tag(tag: &Name) -> Failure {
    let message = format!("unknown tag `{}`", tag.text);
    let unknown = Error::new(ErrorKind::Syntax, message);
    let error = if TAGS.contains(&tag.text.as_str()) {
        match tag.text.as_str() {
            "asyncEach" | "asyncAll" | "endeach" => {
                unknown.with_hint("use `for`: nothing here is asynchronous")
            }
            "ifAsync" => unknown.with_hint("use `if`: nothing here is asynchronous"),
            _ => {
                let message = format!("`{}` does not belong here", tag.text);
                Error::new(ErrorKind::Syntax, message).with_hint(out_of_place(&tag.text))
            }
        }
    } else if let Some(hint) = instead(&error::TAGS, &tag.text) {
        unknown.with_hint(hint)
    } else {
        unknown.with_nearest(&tag.text, error::nearest(&tag.text, TAGS))
    };
    (error, tag.span)
}

/// The hint for a tag that only has a place inside another one.
fn out_of_place(tag: &str) -> String {
    match tag.strip_prefix("end") {
        Some(opened) => format!("remove it, or begin the block with `{{% {opened} … %}}`"),
        None => "remove it, or put it into the block that it belongs to".to_owned(),
    }
}
