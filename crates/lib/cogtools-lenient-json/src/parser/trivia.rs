//! What separates values: white space, and when repairing, comments and ellipses.

use super::{Parser, Stop};
use crate::character::{is_json_space, is_other_space, is_space};
use crate::repair::RepairKind;

impl Parser<'_> {
    /// Goes past white space and comments.
    pub(crate) fn trivia(&mut self) -> Result<(), Stop> {
        loop {
            match self.peek() {
                Some(c) if is_json_space(c) => self.pos += 1,
                Some(c) if self.mode.repair && is_other_space(c) => {
                    self.repair(RepairKind::Space, self.pos)?;
                    self.bump();
                }
                Some('/' | '#') if self.mode.repair => match self.comment_end(self.pos) {
                    Some(end) => {
                        self.repair(RepairKind::Comment, self.pos)?;
                        self.pos = end;
                    }
                    None => return Ok(()),
                },
                Some('`') if self.mode.repair && self.text[self.pos..].starts_with("```") => {
                    self.repair(RepairKind::Fence, self.pos)?;
                    let rest = self.text[self.pos..].trim_start_matches('`');
                    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                    self.pos = self.text.len() - rest.len();
                }
                _ => return Ok(()),
            }
        }
    }

    /// Whether a comment begins at `at`.
    pub(crate) fn is_comment(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        ["/*", "//", "#"].iter().any(|mark| rest.starts_with(mark))
    }

    /// The end of the comment at `at`, if there is one.
    pub(crate) fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map(|end| at + 2 + end + 2);
            return Some(end.unwrap_or(self.text.len()));
        }
        if !rest.starts_with("//") && !rest.starts_with('#') {
            return None;
        }
        Some(rest.find('\n').map_or(self.text.len(), |end| at + end))
    }

    /// Goes past an ellipsis, if there is one.
    pub(crate) fn ellipsis(&mut self) -> Result<bool, Stop> {
        if !self.mode.repair {
            return Ok(false);
        }
        let length = match &self.text[self.pos..] {
            rest if rest.starts_with("...") => 3,
            rest if rest.starts_with('…') => '…'.len_utf8(),
            _ => return Ok(false),
        };
        self.repair(RepairKind::Ellipsis, self.pos)?;
        self.pos += length;
        Ok(true)
    }

    /// The first offset from `at` on that is no white space.
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + rest.len() - rest.trim_start_matches(is_space).len()
    }
}
