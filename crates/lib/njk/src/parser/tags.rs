//! The tags that use other templates: extends, include, import, from.

use super::{Parsed, Parser, fail};
use crate::ast::{Name, Statement};
use crate::error::{Error, ErrorKind};
use crate::mistake::Mistake;
use crate::{suggest, token};

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
        let target = self.name("a name for what is imported")?;
        let with_context = self.with_context()?.unwrap_or_default();
        self.block_end("import")?;
        Ok(Statement::Import {
            template,
            target,
            with_context,
        })
    }

    pub(super) fn import_names(&mut self) -> Parsed<Statement> {
        let template = self.expression()?;
        if !self.skip_symbol("import")? {
            return self.unexpected("`import` after the template");
        }
        let mut names: Vec<(Name, Name)> = Vec::new();
        let mut with_context = None;
        while !matches!(self.peek()?.kind, token::Kind::BlockEnd(_)) {
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
            names.push((name, alias));
            with_context = self.with_context()?;
        }
        if names.is_empty() {
            return self.unexpected("at least one name to import");
        }
        self.block_end("from")?;
        Ok(Statement::From {
            template,
            names,
            with_context: with_context.unwrap_or_default(),
        })
    }

    fn with_context(&mut self) -> Parsed<Option<bool>> {
        let with = self.skip_symbol("with")?;
        if !with && !self.skip_symbol("without")? {
            return Ok(None);
        }
        if !self.skip_symbol("context")? {
            return self.unexpected("`context` after `with` or `without`");
        }
        Ok(Some(with))
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
pub(super) fn unknown_tag(tag: &Name) -> super::Failure {
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
    } else if let Some(mistake) = Mistake::tag(&tag.text) {
        unknown.with_mistake(mistake)
    } else {
        match suggest::nearest(&tag.text, TAGS) {
            Some(near) => unknown.with_hint(format!("did you mean `{near}`?")),
            None => unknown,
        }
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
