//! Values in texts, and their repair.

mod linear;
mod partial;
mod peer;
mod repairs;
mod search;
mod tokens;
mod valid;

use cogtools_lenient_json::{NoJson, Options, Which, find, last};
use serde_json::Value;

/// Checks the last value of `text`, as it is printed.
#[track_caller]
fn check(text: &str, expected: &str) {
    let found = last(text).map(|found| found.value.to_string());
    assert_eq!(found.as_deref(), Ok(expected), "{text}");
}

/// Checks that `text` has no value, with or without repairs.
#[track_caller]
fn none(text: &str) {
    for repair in [true, false] {
        let options = Options {
            repair,
            ..Options::default()
        };
        assert_eq!(find(text, options), Err(NoJson::Absent), "{text}");
    }
}

/// The values of `text` that are selected by `which`, as an array.
fn values(text: &str, which: Which, repair: bool) -> Value {
    let options = Options {
        which,
        repair,
        ..Options::default()
    };
    let found = find(text, options).expect(text);
    found
        .into_iter()
        .map(|found| Value::from(found.value))
        .collect()
}

/// A generator of numbers that every run repeats (xorshift, by George Marsaglia).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).expect("it is small")).expect("it is small")
    }

    fn pick<'p>(&mut self, parts: &[&'p str]) -> &'p str {
        parts[self.below(parts.len())]
    }

    /// A valid text with at most `depth` levels.
    fn json(&mut self, depth: usize) -> String {
        const SCALARS: [&str; 12] = [
            "null",
            "true",
            "false",
            "0",
            "-1.50",
            "1E+2",
            "12345678901234567890123",
            r#""""#,
            r#""a \" b, {c}: [d]""#,
            r#""```\n\\""#,
            r#""é😀\u00e9""#,
            r#""it's, \"x\": 1""#,
        ];
        const KEYS: [&str; 4] = [r#""a""#, r#""b c""#, r#""d\"e""#, r#""""#];
        let space = self.pick(&["", " ", "\n  ", "\t"]);
        let kind = if depth == 0 { 0 } else { self.below(3) };
        let count = self.below(4);
        match kind {
            0 => self.pick(&SCALARS).to_owned(),
            1 => {
                let items: Vec<String> = (0..count).map(|_| self.json(depth - 1)).collect();
                format!("[{space}{}{space}]", items.join(&format!("{space},")))
            }
            _ => {
                let members = KEYS[..count]
                    .iter()
                    .map(|key| format!("{key}{space}:{}", self.json(depth - 1)));
                let members: Vec<String> = members.collect();
                format!("{{{space}{}{space}}}", members.join(&format!(",{space}")))
            }
        }
    }
}
