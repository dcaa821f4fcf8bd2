//! Durations as protobuf and Go write them: `34.07s`, `500ms`, `2h24m55s`.

use std::time::Duration;

/// The units with their seconds.
const UNITS: &[(&str, f64)] = &[
    ("h", 3_600.0),
    ("m", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ns", 1e-9),
];

/// Reads a whole text; `None` if it is not a duration.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let (number, after) = rest.split_at(rest.find(|letter| !is_number(letter))?);
        let (unit, after) = after.split_at(after.find(is_number).unwrap_or(after.len()));
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        seconds += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    if text.is_empty() {
        return None;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// The duration after one of `introductions` in a sentence.
pub(super) fn find(sentence: &str, introductions: &[&str]) -> Option<Duration> {
    introductions.iter().find_map(|introduction| {
        let (_, rest) = sentence.split_once(introduction)?;
        let word = rest.split_whitespace().next()?;
        parse(word.trim_end_matches(['.', ',', ';', ')', '!']))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{find, parse};

    #[test]
    fn durations() {
        let cases = [
            ("34.074824224s", Some(34_074_824_224)),
            ("0s", Some(0)),
            ("500ms", Some(500_000_000)),
            ("2h24m55s", Some(8_695_000_000_000)),
            ("1.5m", Some(90_000_000_000)),
            (".5s", Some(500_000_000)),
            ("3us", Some(3_000)),
            ("", None),
            ("3", None),
            ("s", None),
            ("-3s", None),
            ("1e5s", None),
            ("NaNs", None),
            ("infs", None),
            ("1.2.3s", None),
            ("3 s", None),
            ("99999999999999999999999s", None),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(
                parse(text),
                nanoseconds.map(Duration::from_nanos),
                "{text:?}"
            );
        }
    }

    #[test]
    fn durations_in_sentences() {
        let found = |text| find(text, &["retry in ", "reset after "]);
        assert_eq!(
            found("Please retry in 29.5s."),
            Some(Duration::from_millis(29_500))
        );
        assert_eq!(found("will reset after 2m."), Some(Duration::from_mins(2)));
        assert_eq!(
            found("retry in a while; reset after 3s, or so"),
            Some(Duration::from_secs(3))
        );
        assert_eq!(found("retry in "), None);
        assert_eq!(found("never"), None);
    }
}
