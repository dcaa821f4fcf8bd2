//! A change of a text as a model writes it: pairs of old and new text, a range of lines, or the
//! whole text.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A change.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    /// The whole text.
    Content(String),
    /// Texts that are replaced, each of which occurs once.
    Edits(Vec<Pair>),
    /// Lines that are replaced.
    Range(Lines),
}

/// A text and the one that replaces it.
#[derive(Debug, Deserialize)]
pub(super) struct Pair {
    old: String,
    new: String,
}

/// Lines, counted from 1, and the text that replaces them.
#[derive(Debug, Deserialize)]
pub(super) struct Lines {
    start_line: usize,
    /// The last line; the one before `start_line` if none is replaced.
    end_line: usize,
    new: String,
}

/// Why a text cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ChangeError {
    /// The call has no change, or several.
    #[error("give one of `content`, `edits` and `range`")]
    Ambiguous,
    /// An old text is not in the file, or more than once.
    #[error("`old` of edit {} occurs {} in the text", .0 + 1, times(*.1))]
    Occurs(usize, usize),
    /// Two edits change the same place.
    #[error("edits {} and {} overlap", .0 + 1, .1 + 1)]
    Overlap(usize, usize),
    /// There are no such lines.
    #[error("lines {} to {} are not in the text, which has {} lines", .0, .1, .2)]
    Lines(usize, usize, usize),
    /// Lines are named without the text in which they were counted.
    #[error("`range` needs the `hash` of the text in which the lines were counted")]
    NoHash,
    /// Only a whole text makes a new file.
    #[error("it does not exist")]
    NoFile,
    /// The new text is longer than an editor takes.
    #[error("the new text is longer than 1 MiB")]
    TooLong,
    /// Editors read such a text as one with other line ends, and would write them everywhere.
    #[error("its line ends are mixed")]
    MixedEnds,
    /// No editor shows it as it is.
    #[error("a text with a null character is not shown")]
    Null,
    /// The text would stay the same.
    #[error("the change leaves the text as it is")]
    Nothing,
}

fn times(count: usize) -> String {
    match count {
        0 => "nowhere".to_owned(),
        count => format!("{count} times"),
    }
}

impl ChangeError {
    /// Why a text as an editor or a file has it cannot be edited.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let count = |end: &str| text.matches(end).count();
        let (cr, lf, both) = (count("\r"), count("\n"), count("\r\n"));
        if text.contains('\0') {
            return Some(Self::Null);
        }
        (cr != both || both != 0 && both != lf).then_some(Self::MixedEnds)
    }

    /// The advice to a model.
    pub(super) const fn hint(&self) -> &'static str {
        match self {
            Self::Ambiguous => "`edits` replace texts, `range` replaces lines, `content` all",
            Self::Occurs(_, 0) => "get_current_file with `path` returns the text as it is now",
            Self::Occurs(..) => "take more of the text around it, so that it occurs once",
            Self::Overlap(..) => "make one edit of both",
            Self::Lines(..) => "count lines from 1; get_current_file with `path` returns them",
            Self::NoHash => "get_current_file with `path` returns both",
            Self::NoFile => "give `content` to make it",
            Self::TooLong => "change a smaller file",
            Self::MixedEnds => "the user has to give all lines the same end first",
            Self::Null => "change a file of text, without that character",
            Self::Nothing => "nothing has to be changed, or the new text is not the one you mean",
        }
    }
}

impl Change {
    /// Reads the change from valid arguments.
    pub(super) fn of(arguments: &Map<String, Value>) -> Result<Self, ChangeError> {
        let mut named = ["content", "edits", "range"]
            .into_iter()
            .filter(|key| arguments.get(*key).is_some_and(|value| !value.is_null()));
        let (Some(key), None) = (named.next(), named.next()) else {
            return Err(ChangeError::Ambiguous);
        };
        let value = Value::Object(Map::from_iter([(key.to_owned(), arguments[key].clone())]));
        serde_json::from_value(value).map_err(|_| ChangeError::Ambiguous)
    }

    /// Makes the new text from `text`. Lines end with LF in both.
    pub(super) fn apply(&self, text: &str) -> Result<String, ChangeError> {
        let new = match self {
            Self::Content(content) => unix(content),
            Self::Edits(pairs) => replace(text, pairs)?,
            Self::Range(lines) => lines.replace(text)?,
        };
        if new == text {
            return Err(ChangeError::Nothing);
        }
        if new.contains('\0') {
            return Err(ChangeError::Null);
        }
        Ok(new)
    }
}

/// A text with LF for each line end.
pub(super) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn replace(text: &str, pairs: &[Pair]) -> Result<String, ChangeError> {
    let mut places: Vec<(Range<usize>, usize, String)> = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let old = unix(&pair.old);
        let mut found = starts(text, &old);
        let (Some(start), 0) = (found.next(), found.count()) else {
            return Err(ChangeError::Occurs(index, starts(text, &old).count()));
        };
        places.push((start..start + old.len(), index, unix(&pair.new)));
    }
    places.sort_by_key(|(place, index, _)| (place.start, *index));
    for pair in places.windows(2) {
        if let [(one, first, _), (other, second, _)] = pair
            && other.start < one.end
        {
            return Err(ChangeError::Overlap(*first.min(second), *first.max(second)));
        }
    }
    let mut new = text.to_owned();
    for (place, _, replacement) in places.into_iter().rev() {
        new.replace_range(place, &replacement);
    }
    Ok(new)
}

/// The places where `old` begins; they may overlap.
fn starts<'t>(text: &'t str, old: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.get(from..)?.find(old)?;
        let first = text[start..].chars().next()?;
        from = start + first.len_utf8();
        Some(start)
    })
}

impl Lines {
    fn replace(&self, text: &str) -> Result<String, ChangeError> {
        let ends: Vec<usize> = text
            .split_inclusive('\n')
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .collect();
        let (start, end, total) = (self.start_line, self.end_line, ends.len());
        if start == 0 || start > total + 1 || end > total || end + 1 < start {
            return Err(ChangeError::Lines(start, end, total));
        }
        let offset = |lines: usize| lines.checked_sub(1).map_or(0, |line| ends[line]);
        let (before, after) = (&text[..offset(start - 1)], &text[offset(end)..]);
        let mut new = before.to_owned();
        let inserted = unix(&self.new);
        if !inserted.is_empty() && !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        new.push_str(&inserted);
        let is_last_line_open = after.is_empty() && !text.is_empty() && !text.ends_with('\n');
        if !inserted.is_empty() && !inserted.ends_with('\n') && !is_last_line_open {
            new.push('\n');
        }
        new.push_str(after);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, arguments: &Value, expected: Result<&str, ChangeError>) {
        let arguments = arguments.as_object().expect("an object");
        let new = Change::of(arguments).and_then(|change| change.apply(text));
        assert_eq!(new, expected.map(str::to_owned), "{arguments:?}");
    }

    #[test]
    fn texts_are_replaced_where_they_occur_once() {
        let edits = |pairs: &[[&str; 2]]| {
            let pairs = pairs
                .iter()
                .map(|[old, new]| json!({"old": old, "new": new}));
            json!({"edits": pairs.collect::<Vec<Value>>()})
        };
        let text = "one\ntwo\ntwo\nåäö\n";
        check(
            text,
            &edits(&[["åäö", "3"], ["one\r\n", ""]]),
            Ok("two\ntwo\n3\n"),
        );
        check(
            text,
            &edits(&[["e\nt", "E\nT"]]),
            Ok("onE\nTwo\ntwo\nåäö\n"),
        );
        // Each of them in the text as it is, not as another one leaves it.
        check(
            text,
            &edits(&[["one", "åä"], ["åäö", "one"]]),
            Ok("åä\ntwo\ntwo\none\n"),
        );
        check(
            text,
            &edits(&[["one", "1"], ["two", "2"]]),
            Err(ChangeError::Occurs(1, 2)),
        );
        check(
            text,
            &edits(&[["zwei", "2"]]),
            Err(ChangeError::Occurs(0, 0)),
        );
        check(
            "aaa",
            &edits(&[["aa", "b"]]),
            Err(ChangeError::Occurs(0, 2)),
        );
        check(
            text,
            &edits(&[["e\nt", "x"], ["one", "y"]]),
            Err(ChangeError::Overlap(0, 1)),
        );
        check(text, &edits(&[["one", "one"]]), Err(ChangeError::Nothing));
    }

    #[test]
    fn lines_are_replaced() {
        let range = |start: usize, end: usize, new: &str| json!({"range": {"start_line": start, "end_line": end, "new": new}});
        let text = "one\ntwo\nthree\n";
        check(text, &range(2, 2, "2"), Ok("one\n2\nthree\n"));
        check(text, &range(2, 3, "2\r\n3\r\n"), Ok("one\n2\n3\n"));
        check(text, &range(1, 0, "0"), Ok("0\none\ntwo\nthree\n"));
        check(text, &range(4, 3, "4"), Ok("one\ntwo\nthree\n4\n"));
        check(text, &range(1, 3, ""), Ok(""));
        check("one", &range(1, 1, "1"), Ok("1"));
        check("one", &range(2, 1, "2"), Ok("one\n2"));
        check("", &range(1, 0, "1"), Ok("1\n"));
        for (start, end) in [(0, 1), (5, 4), (1, 4), (3, 1)] {
            check(
                text,
                &range(start, end, "x"),
                Err(ChangeError::Lines(start, end, 3)),
            );
        }
    }

    #[test]
    fn lines_of_a_text_end_alike() {
        let check = |text: &str, expected: Option<ChangeError>| {
            assert_eq!(ChangeError::of_text(text), expected, "{text:?}");
        };
        for text in ["", "a", "a\nb\n", "a\r\nb", "a\r\nb\r\n"] {
            check(text, None);
        }
        for text in ["a\r\nb\n", "a\nb\r\n", "a\rb\r", "a\r\r\nb", "a\r\nb\r"] {
            check(text, Some(ChangeError::MixedEnds));
        }
        check("a\0", Some(ChangeError::Null));
    }

    #[test]
    fn a_call_has_one_change() {
        check("a", &json!({"content": "b\r\n"}), Ok("b\n"));
        check("a", &json!({"content": "\0"}), Err(ChangeError::Null));
        check("a", &json!({}), Err(ChangeError::Ambiguous));
        let both = json!({"content": "b", "edits": [{"old": "a", "new": "b"}]});
        check("a", &both, Err(ChangeError::Ambiguous));
    }
}
