//! The search for values: the whole text, then fences, then prose, then lines.

use std::ops::Range;

use crate::character::{is_quote, is_space, narrow};
use crate::json::Json;
use crate::parser::{MAX_DEPTH, MAX_VALUES, Mode, Parser, Stop, other_keyword};
use crate::repair::{RepairKind, Repairs};
use crate::whole::{self, attempt, part, trim};

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

/// Options of a search. The default is the last value, with repairs, of a complete text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which of the values to return.
    pub which: Which,
    /// True if what is not valid is repaired.
    pub repair: bool,
    /// True if the text is still growing: what is certain of a value that is cut off is returned,
    /// and the rest of it is left out.
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
    /// Repairs; empty if the text of the value is valid.
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
    /// The text at this offset is in a value, and belongs to nothing in it.
    #[error("a value with text in it that belongs to nothing")]
    Stray(usize),
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
/// assert_eq!(found[0].repairs.count, 3);
/// # Ok::<(), cogtools_lenient_json::NoJson>(())
/// ```
pub fn find(text: &str, options: Options) -> Result<Vec<Found>, NoJson> {
    let modes = Modes(options);
    if let Some(found) = whole::value(text, modes)? {
        return found.map(|found| vec![found]);
    }
    for stage in [fenced, in_prose, whole::scalar, on_lines] {
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

impl Found {
    /// Returns true if the text ends within the value: there was more to say.
    pub fn is_cut(&self) -> bool {
        let mut repairs = self.repairs.listed.iter();
        repairs.any(|repair| repair.kind == RepairKind::Cut)
    }
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

    /// Adds an error in place of the values from `begin` on.
    fn replace(&mut self, begin: usize, error: NoJson) -> Result<(), NoJson> {
        let is_earlier = |it: &Candidate| !matches!(it, Ok(found) if found.span.start >= begin);
        self.containers = self.containers.take().filter(is_earlier);
        self.add(Err(error))
    }

    fn finish(self) -> Option<Result<Vec<Found>, NoJson>> {
        if self.which == Which::All {
            return (!self.all.is_empty()).then(|| self.all.into_iter().collect());
        }
        let found = self.containers.or(self.scalars)?;
        Some(found.map(|found| vec![found]))
    }
}

/// Adds the values of the fences whose whole content is one.
fn fenced(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut at = 0;
    while let Some(fence) = Fence::find(text, at) {
        let (start, end) = trim(text, fence.start, fence.end);
        for mode in modes.all(false) {
            if let Some(found) = part(text, start, end, mode)? {
                values.add(found)?;
                break;
            }
        }
        at = fence.next;
    }
    Ok(())
}

/// The content of a fence, and where the text continues after it.
struct Fence {
    start: usize,
    end: usize,
    next: usize,
}

impl Fence {
    /// The first fence that begins at `at` or later; `at` is the beginning of a line.
    fn find(text: &str, at: usize) -> Option<Self> {
        let mut line = at;
        loop {
            let rest = &text[line..];
            let end = rest.find('\n').map_or(text.len(), |end| line + end);
            if let Some(length) = marker(&text[line..end]) {
                let indent = rest.len() - rest.trim_start_matches([' ', '\t', '>']).len();
                let after = line + indent + length;
                let mark = text[..after].chars().next_back()?;
                return Some(Self::close(
                    text,
                    after + label(&text[after..]),
                    mark,
                    length,
                ));
            }
            if end == text.len() {
                return None;
            }
            line = end + 1;
        }
    }

    /// The fence whose content begins at `start`.
    fn close(text: &str, start: usize, mark: char, length: usize) -> Self {
        let mut line = start;
        loop {
            let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
            let next = (end + 1).min(text.len());
            let content = text[line..end].trim_end();
            let body = content.trim_end_matches(mark);
            if content.len() - body.len() >= length {
                return Self {
                    start,
                    end: line + body.len(),
                    next,
                };
            }
            if end == text.len() {
                return Self { start, end, next };
            }
            line = next;
        }
    }
}

/// The length of the fence that the line begins with.
fn marker(line: &str) -> Option<usize> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then_some(length)
}

/// The length of the name of a language.
fn label(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let is_word = matches!(&text[..end], "true" | "false" | "null");
    if is_number || is_word { 0 } else { end }
}

/// Adds the scalars that are alone on their lines.
fn on_lines(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut line = 0;
    while line < text.len() {
        let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
        let (start, stop) = trim(text, line, end);
        line = end + 1;
        let Some(mode) = modes.all(true).next().filter(|_| start < stop) else {
            continue;
        };
        if let Some(found) = part(text, start, stop, mode)? {
            values.add(found)?;
        } else if modes.0.repair
            && let Some(value) = other_keyword(&text[start..stop])
        {
            let mut repairs = Repairs::default();
            repairs.add(RepairKind::Keyword, start);
            values.add(Ok(Found {
                value,
                repairs,
                span: start..stop,
            }))?;
        }
    }
    Ok(())
}

/// Number of bytes that failing attempts may read for each byte of the text.
const MAX_WORK: usize = 8;

/// The longest comment between a bracket and what it begins, in bytes.
const MAX_COMMENT: usize = 1 << 10;

/// The longest mark of an item in a list, with its indentation, in bytes.
const MAX_MARK: usize = 32;

/// Adds the outermost objects and arrays.
fn in_prose(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut left = text.len().saturating_mul(MAX_WORK).saturating_add(1 << 16);
    let mut run = Run::new(text, modes);
    let mut at = 0;
    while let Some(offset) = text[at..].find(|c| matches!(narrow(c), '{' | '[' | '}' | ']')) {
        let start = at + offset;
        let bracket = text[start..].chars().next().unwrap_or('{');
        at = start + bracket.len_utf8();
        if matches!(narrow(bracket), '}' | ']') {
            run.close(start, at, values)?;
            continue;
        }
        let mut is_value = false;
        for mode in modes.all(true) {
            if mode.repair && !is_plausible(text, start, mode) {
                continue;
            }
            let attempt = attempt(text, start, text.len(), mode, false);
            match attempt.result {
                Ok(candidate) => {
                    at = attempt.end.max(at);
                    is_value = true;
                    if is_checkbox(text, start, &candidate) {
                        break;
                    }
                    let is_kept = run.part(start, at);
                    if values.which != Which::All && is_closed_early(text, start, at, mode) {
                        run.is_broken = true;
                        values.add(Err(NoJson::Stray(at)))?;
                    } else if is_kept {
                        values.add(candidate)?;
                    }
                    break;
                }
                Err(Stop::TooMany) => return Err(NoJson::TooMany),
                Err(stop @ (Stop::TooDeep(offset) | Stop::Stray(offset))) => {
                    let is_deep = matches!(stop, Stop::TooDeep(_));
                    let error = if is_deep {
                        NoJson::TooDeep
                    } else {
                        NoJson::Stray
                    };
                    is_value = true;
                    at = skip(text, start).max(at);
                    run.part(start, at);
                    run.is_broken = true;
                    values.add(Err(error(offset)))?;
                    break;
                }
                Err(Stop::Invalid(_) | Stop::Escaped) => {
                    let work = attempt.end.saturating_sub(start) + 1;
                    left = left.checked_sub(work).ok_or(NoJson::TooIntricate)?;
                }
            }
        }
        if !is_value {
            run.open(start, at);
        }
    }
    Ok(())
}

/// Values behind each other without prose between them. They are parts of one that broke if a
/// bracket behind them closes nothing, and there is something between or before them.
struct Run<'t> {
    parser: Parser<'t>,
    /// Number of brackets of prose that are open.
    depth: usize,
    /// True if a bracket is open that is rather one of JSON.
    is_open: bool,
    /// The begin of the first part.
    begin: usize,
    /// The end of the last part.
    end: Option<usize>,
    /// Where something begins that belongs to the parts, and is in none of them.
    lost: Option<usize>,
    /// True if the last part is behind a key or another item.
    is_member: bool,
    /// True if an error stands for the parts.
    is_broken: bool,
}

impl<'t> Run<'t> {
    fn new(text: &'t str, modes: Modes) -> Self {
        let mode = Mode {
            repair: modes.0.repair,
            partial: false,
            prose: true,
        };
        Self {
            parser: Parser::new(text, 0, mode),
            depth: 0,
            is_open: false,
            begin: 0,
            end: None,
            lost: None,
            is_member: false,
            is_broken: false,
        }
    }

    /// Notes a bracket that begins no value. If it is prose, so is the one that closes it.
    fn open(&mut self, start: usize, end: usize) {
        let next = self.parser.skip_space(end);
        let is_prose = !is_plausible(self.parser.text, start, self.parser.mode)
            && !self.parser.begins_value(next)
            && self.parser.punctuation_at(next) != Some(':');
        self.depth += usize::from(is_prose);
        self.is_open |= !is_prose;
    }

    /// Notes a value. Returns false if it is a part of one that broke.
    fn part(&mut self, start: usize, end: usize) -> bool {
        let mut is_kept = true;
        match self.end {
            Some(end) if self.goes_on(end, start) => {
                let next = self.parser.skip_space(end);
                is_kept = !self.is_broken || next == start;
                self.lost.get_or_insert(next);
            }
            _ => {
                self.lost = None;
                self.is_broken = false;
                self.begin = start;
            }
        }
        self.is_member = self.is_member_at(start);
        self.end = Some(end);
        is_kept
    }

    /// Notes a closing bracket. If it closes nothing, and something is lost, no part is a value.
    fn close(&mut self, start: usize, end: usize, values: &mut Values) -> Result<(), NoJson> {
        let is_prose = self.depth > 0 && !self.is_member;
        self.is_open &= self.depth > 0;
        self.depth = self.depth.saturating_sub(1);
        let Some(before) = self.end.filter(|_| self.parser.mode.repair && !is_prose) else {
            return Ok(());
        };
        let next = self.parser.skip_space(before);
        let is_lost = next < start || self.is_member;
        self.end = Some(end);
        if !self.goes_on(before, start) {
            self.end = None;
        } else if is_lost || self.lost.is_some() {
            self.is_broken = true;
            self.is_member = false;
            let lost = *self.lost.get_or_insert(next);
            return values.replace(self.begin, NoJson::Stray(lost));
        }
        Ok(())
    }

    /// Returns true if what is behind a part, from `end` to the bracket at `start`, is no prose.
    fn goes_on(&self, end: usize, start: usize) -> bool {
        let next = self.parser.skip_space(end);
        let is_lost_in_line = self.lost.is_some() && !self.parser.text[end..start].contains('\n');
        is_lost_in_line || next == start || self.parser.goes_on(end, next)
    }

    /// Returns true if what is in front of the value at `start` is a key or another item.
    fn is_member_at(&self, start: usize) -> bool {
        let before = self.parser.text[..start].trim_end();
        let Some(key) = before.strip_suffix([':', ',']) else {
            return false;
        };
        let is_item = |c: char| c.is_ascii_digit() || matches!(c, '}' | ']');
        let is_name = |c: char| c.is_alphanumeric() && before.ends_with(':');
        key.trim_end()
            .ends_with(|c| is_quote(c) || self.is_open && (is_item(c) || is_name(c)))
    }
}

/// Returns true if the value `text[start..end]` begins the text, and a comma and a scalar or a
/// key follow it, so that its last bracket is one too early.
fn is_closed_early(text: &str, start: usize, end: usize, mode: Mode) -> bool {
    let parser = Parser::new(text, end, mode);
    let comma = parser.skip_space(end);
    let next = parser.skip_space((comma + 1).min(text.len()));
    text[comma..].starts_with(',')
        && text[..start].trim().is_empty()
        && !text[next..].starts_with(['{', '['])
        && parser.begins_value(next)
        && text.trim_end().ends_with(['}', ']'])
}

/// Returns true if what begins with the bracket at `start` looks like JSON, and not like prose.
fn is_plausible(text: &str, start: usize, mode: Mode) -> bool {
    let bracket = text[start..].chars().next().unwrap_or('{');
    let parser = Parser::new(text, start + bracket.len_utf8(), mode);
    let mut at = parser.skip_space(parser.pos);
    while let Some(end) = comment(text, at) {
        at = parser.skip_space(end);
    }
    if parser.punctuation_at(at) == Some(',') {
        at = parser.skip_space(at + parser.char_at(at).map_or(0, char::len_utf8));
    }
    let rest = &text[at..];
    if rest.starts_with(['"', '“']) || rest.starts_with("\\\"") {
        return true;
    }
    if narrow(bracket) == '[' {
        return parser.begins_value(at) || rest.starts_with(']');
    }
    if parser.is_quote_at(at) {
        return parser.is_certainly_key(at) || parser.unclosed_key(at).is_some();
    }
    rest.starts_with('}') || parser.bare_key_end(at).is_some()
}

/// The end of the comment at `at`.
fn comment(text: &str, at: usize) -> Option<usize> {
    let end = text.floor_char_boundary(at.saturating_add(MAX_COMMENT));
    let rest = &text[at..end];
    if rest.starts_with("/*") {
        return rest.find("*/").map(|end| at + end + 2);
    }
    let is_line = rest.starts_with("//") || rest.starts_with("# ");
    is_line.then(|| rest.find('\n').map_or(end, |end| at + end))
}

/// Returns true if the array is the empty box of a task in a Markdown list.
fn is_checkbox(text: &str, start: usize, candidate: &Candidate) -> bool {
    let is_box = matches!(candidate, Ok(found) if &text[found.span.clone()] == "[ ]");
    if !is_box {
        return false;
    }
    let begin = text.ceil_char_boundary(start.saturating_sub(MAX_MARK));
    let line = text[begin..start].rsplit('\n').next().unwrap_or_default();
    let mark = line.trim_matches(is_space);
    let is_number = mark.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    matches!(mark, "-" | "*" | "+") || is_number
}

/// Where the brackets that open at `start` are closed again, strings left aside.
fn skip(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut is_string = false;
    let mut is_escaped = false;
    for (offset, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => depth += 1,
            b']' | b'}' if !is_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return offset + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}
