//! The search for values: the whole text, then fences, then prose.

use std::ops::Range;

use crate::json::Json;
use crate::parser::{MAX_DEPTH, MAX_VALUES, Mode};
use crate::repair::Repairs;
use crate::{fence, line, prose, whole};

/// Which of the values to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The first object or array, else the first scalar.
    First,
    /// The last object or array, else the last scalar.
    #[default]
    Last,
    /// All, in the order of the text.
    All,
}

/// How to search. The default is the last value, with repairs, of a complete text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which of the values to return.
    pub which: Which,
    /// Whether to repair what is not valid.
    pub repair: bool,
    /// Whether the text is still growing: what is certain of a value that is cut off is
    /// returned, and the rest of it is left out.
    pub partial: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            which: Which::Last,
            repair: true,
            partial: false,
        }
    }
}

/// A value, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Json,
    /// What was repaired; empty if the text of the value is valid.
    pub repairs: Repairs,
    /// Where the value is: offsets in bytes into the text.
    pub span: Range<usize>,
}

/// Why there is no value. Offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoJson {
    /// The text has none.
    #[error("no JSON value in the text")]
    Absent,
    /// The value is nested too deeply at this offset.
    #[error("a value is nested more than {MAX_DEPTH} levels deep")]
    TooDeep(usize),
    /// There are too many values.
    #[error("more than {MAX_VALUES} values")]
    TooMany,
    /// The number at this offset is beyond a double.
    #[error("a number is beyond the range of a double")]
    NumberRange(usize),
    /// The text has more beginnings of values than can be tried.
    #[error("too many brackets that begin no value")]
    TooIntricate,
}

/// Finds values in `text`. There is at least one, and exactly one unless all are wanted.
///
/// A valid value is returned as it is. Time and memory are linear in the length of the text.
///
/// ```
/// use cogtools_lenient_json::{Options, find};
///
/// let found = find("Sure!\n```json\n{'ok': True,}\n```", Options::default())?;
/// assert_eq!(found[0].value.to_string(), r#"{"ok":true}"#);
/// assert_eq!(found[0].repairs.count(), 3);
/// # Ok::<(), cogtools_lenient_json::NoJson>(())
/// ```
pub fn find(text: &str, options: Options) -> Result<Vec<Found>, NoJson> {
    let modes = Modes(options);
    if let Some(found) = whole::value(text, modes)? {
        return found.map(|found| vec![found]);
    }
    for stage in [fence::values, prose::values, whole::scalar, line::values] {
        let mut values = Values::new(options.which);
        stage(text, modes, &mut values)?;
        if let Some(found) = values.finish() {
            return found;
        }
    }
    Err(NoJson::Absent)
}

/// Finds the last object or array in `text`, else the last scalar, and repairs it.
pub fn last(text: &str) -> Result<Found, NoJson> {
    find(text, Options::default())?.pop().ok_or(NoJson::Absent)
}

/// The ways to parse a text, strictest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modes(pub(crate) Options);

impl Modes {
    /// The modes; in `prose`, text without quotes and brackets is no JSON.
    pub(crate) fn all(self, prose: bool) -> impl Iterator<Item = Mode> {
        let Options {
            repair, partial, ..
        } = self.0;
        let mode = |repair, partial| Mode {
            repair,
            partial,
            prose,
        };
        let cut = partial.then_some(mode(false, true));
        let lenient = repair.then_some(mode(true, partial));
        [Some(mode(false, false)), cut, lenient]
            .into_iter()
            .flatten()
    }
}

/// A value that was found, or that would have been if it were within the limits.
pub(crate) type Candidate = Result<Found, NoJson>;

/// The values of one stage.
pub(crate) struct Values {
    which: Which,
    containers: Option<Candidate>,
    scalars: Option<Candidate>,
    all: Vec<Candidate>,
}

impl Values {
    const fn new(which: Which) -> Self {
        Self {
            which,
            containers: None,
            scalars: None,
            all: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, candidate: Candidate) -> Result<(), NoJson> {
        if self.which == Which::All {
            if self.all.len() == MAX_VALUES {
                return Err(NoJson::TooMany);
            }
            self.all.push(candidate);
            return Ok(());
        }
        let is_scalar = matches!(&candidate, Ok(found) if !found.value.is_container());
        let place = if is_scalar {
            &mut self.scalars
        } else {
            &mut self.containers
        };
        if place.is_none() || self.which == Which::Last {
            *place = Some(candidate);
        }
        Ok(())
    }

    fn finish(self) -> Option<Result<Vec<Found>, NoJson>> {
        if self.which == Which::All {
            return (!self.all.is_empty()).then(|| self.all.into_iter().collect());
        }
        let found = self.containers.or(self.scalars)?;
        Some(found.map(|found| vec![found]))
    }
}
