//! Which common mistake an unexpected token is.

use super::Parser;
use crate::error::{Span, position};
use crate::mistake::Mistake;
use crate::token::{Kind, Token};

impl Parser<'_> {
    /// The mistake behind a token where the grammar has none of its kind.
    pub(super) fn mistake(&self, token: &Token) -> Option<Mistake> {
        let rest = self.lexer.source_from(token.span.start as usize);
        let before = self.lexer.source_from(self.last.start as usize);
        match &token.kind {
            Kind::Symbol(word) if word.starts_with("&&") => Some(Mistake::LogicalAnd),
            Kind::Symbol(word) if word.starts_with("??") => Some(Mistake::Nullish),
            Kind::Symbol(word) if word.starts_with('?') => Some(Mistake::Conditional),
            Kind::Mark("|") if before.starts_with('|') => Some(Mistake::LogicalOr),
            Kind::Mark("!") => Some(Mistake::LogicalNot),
            Kind::Mark("=") if rest.starts_with("=>") => Some(Mistake::ArrowFunction),
            Kind::Mark(">") if before.starts_with("=>") => Some(Mistake::ArrowFunction),
            Kind::Mark(">") if before.starts_with("<>") => Some(Mistake::Unequal),
            Kind::Mark("=") => Some(Mistake::Assignment),
            Kind::Mark("+" | "-" | "*" | "/") if rest[1..].starts_with('=') => {
                Some(Mistake::CompoundAssignment)
            }
            _ => self.still_open(token),
        }
    }

    /// The current tag, if it began on an earlier line, or the template ends in it.
    fn still_open(&self, token: &Token) -> Option<Mistake> {
        let opener = self.opener.start as usize;
        let line = self.line(self.opener);
        if token.kind != Kind::End && self.line(token.span) == line {
            return None;
        }
        let (opener, closer) = match self.lexer.source_from(opener).get(..2) {
            Some("{{") => ("{{", "}}"),
            Some("{%") => ("{%", "%}"),
            _ => return None,
        };
        Some(Mistake::Open {
            opener,
            closer,
            line,
        })
    }

    /// The innermost tag that is still open, and its end among `ends`.
    pub(super) fn unclosed(&self, ends: &[&'static str]) -> Option<Mistake> {
        let tag = self.open.last()?;
        let end = ends.iter().copied().find(|end| end.starts_with("end"))?;
        Some(Mistake::Unclosed {
            tag: tag.text.clone(),
            line: self.line(tag.span),
            end,
        })
    }

    fn line(&self, span: Span) -> usize {
        position(self.lexer.source_from(0), span.start as usize).0
    }
}
