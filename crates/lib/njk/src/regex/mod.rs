//! Regular expressions of JavaScript, run by `fancy-regex`, which stops after a
//! limited number of steps instead of backtracking forever.

mod cache;
mod replace;
mod translate;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fancy_regex::{Captures, RegexBuilder};
use minijinja::value::{Object, ObjectRepr};

use crate::error::{Error, ErrorKind};
use crate::runtime::Runtime;

pub(crate) use cache::Regexes;
pub(crate) use replace::{Found, expand};

/// The maximum number of steps of one search in an expression that backtracks.
const BACKTRACKS: usize = 50_000;

/// The cost of such a search, regardless of the steps it takes.
const HARD_COST: usize = 500;

/// The maximum size of a compiled expression.
const SIZE: usize = 1 << 20;

/// The maximum size of the source of an expression.
const MAX_SOURCE: usize = 2_000;

#[derive(Debug)]
struct Compiled {
    body: String,
    flags: String,
    regex: fancy_regex::Regex,
    hard: bool,
}

/// An expression as a value.
#[derive(Debug)]
pub(crate) struct Regex {
    compiled: Arc<Compiled>,
    /// Where a global or sticky search continues, in bytes.
    last: AtomicUsize,
}

impl Compiled {
    fn new(body: &str, flags: &str) -> Result<Self, Error> {
        let invalid = |reason: String| {
            let message = format!("invalid regular expression `/{body}/{flags}`: {reason}");
            Error::new(ErrorKind::BadValue, message)
        };
        if body.len() > MAX_SOURCE {
            return Err(invalid(format!("more than {MAX_SOURCE} bytes")));
        }
        if flags
            .char_indices()
            .any(|(at, flag)| flags[..at].contains(flag))
        {
            return Err(invalid("a flag is given twice".to_owned()));
        }
        let translated = translate::translate(body, flags);
        let regex = RegexBuilder::new(&translated.source)
            .backtrack_limit(BACKTRACKS)
            .delegate_size_limit(SIZE)
            .delegate_dfa_size_limit(SIZE)
            .build()
            .map_err(|error| invalid(error.to_string().to_lowercase()))?;
        Ok(Self {
            body: body.to_owned(),
            flags: flags.to_owned(),
            regex,
            hard: translated.hard,
        })
    }
}

impl Regex {
    pub(crate) fn source(&self) -> &str {
        &self.compiled.body
    }

    pub(crate) fn flags(&self) -> &str {
        &self.compiled.flags
    }

    pub(crate) fn is_global(&self) -> bool {
        self.compiled.flags.contains('g')
    }

    pub(crate) fn is_sticky(&self) -> bool {
        self.compiled.flags.contains('y')
    }

    pub(crate) fn last(&self) -> usize {
        self.last.load(Ordering::Relaxed)
    }

    fn set_last(&self, last: usize) {
        self.last.store(last, Ordering::Relaxed);
    }

    /// The first match at or after the byte `from`; of a sticky expression, only one there.
    pub(crate) fn find_at<'t>(
        &self,
        text: &'t str,
        from: usize,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let found = self.search(text, from, runtime)?;
        Ok(found.filter(|found| {
            !self.is_sticky() || found.get(0).is_some_and(|all| all.start() == from)
        }))
    }

    /// The first match at or after the byte `from`, sticky or not.
    pub(crate) fn search<'t>(
        &self,
        text: &'t str,
        from: usize,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let cost = 1 + text.len().saturating_sub(from) / 512;
        runtime.spend(if self.compiled.hard {
            cost + HARD_COST
        } else {
            cost
        })?;
        let result = self.compiled.regex.captures_from_pos(text, from);
        result.map_err(|error| {
            let message = format!(
                "`{self}` takes too long: {}",
                error.to_string().to_lowercase()
            );
            Error::new(ErrorKind::OutOfFuel, message)
        })
    }

    /// The next match, as in `exec`: a global expression continues where the
    /// last match ended.
    pub(crate) fn exec<'t>(
        &self,
        text: &'t str,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let continues = self.is_global() || self.is_sticky();
        let from = if continues { self.last() } else { 0 };
        if from > text.len() || !text.is_char_boundary(from) {
            self.set_last(0);
            return Ok(None);
        }
        let found = self.find_at(text, from, runtime)?;
        if continues {
            let end = found.as_ref().and_then(|found| found.get(0));
            self.set_last(end.map_or(0, |all| all.end()));
        }
        Ok(found)
    }

    /// All matches, in order.
    pub(crate) fn find_all<'t>(
        &self,
        text: &'t str,
        runtime: &Runtime,
    ) -> Result<Vec<Captures<'t, str>>, Error> {
        let mut all = Vec::new();
        let mut from = 0;
        while from <= text.len() {
            let Some(found) = self.find_at(text, from, runtime)? else {
                break;
            };
            let Some(whole) = found.get(0) else {
                break;
            };
            from = if whole.end() > whole.start() {
                whole.end()
            } else {
                next_char(text, whole.end())
            };
            runtime.grow(64)?;
            all.push(found);
        }
        Ok(all)
    }

    /// The names of the groups, empty for those without.
    pub(crate) fn group_names(&self) -> Vec<&str> {
        let names = self.compiled.regex.capture_names();
        names.map(Option::unwrap_or_default).collect()
    }
}

/// The start of the character after the byte `at`; past the end if there is
/// none.
pub(crate) fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.source(), self.flags())
    }
}

impl Object for Regex {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
