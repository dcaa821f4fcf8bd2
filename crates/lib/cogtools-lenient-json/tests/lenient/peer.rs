//! Repairs of the tests of jsonrepair (<https://github.com/josdejong/jsonrepair>): their
//! inputs, with the values that version 3.15.0 returns. Where another value is better, or a
//! text has none, the row has it under `ours` or `none`, with the reason.

use cogtools_lenient_json::last;
use serde_json::Value;

/// Returns true if two values are equal; numbers are doubles in JavaScript.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (a, b) => a == b,
    }
}

#[test]
fn broken_json_is_repaired_as_jsonrepair_does() {
    let rows = include_str!("jsonrepair.jsonl").lines();
    let rows = rows.map(|line| serde_json::from_str::<Value>(line).expect(line));
    let mut count = (0, 0);
    let mut complaints = Vec::new();
    for row in rows {
        let text = row["input"].as_str().expect("a text");
        let expected = match row.get("ours") {
            None if row.get("none").is_some() => None,
            None => row.get("value"),
            ours => ours,
        };
        let found = last(text).ok().map(|found| Value::from(found.value));
        let is_same = match (&found, expected) {
            (Some(found), Some(expected)) => same(found, expected),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            complaints.push(format!("{text:?} is {found:?}, not {expected:?}"));
        }
        count.0 += 1;
        if let Some(why) = row.get("why") {
            count.1 += 1;
            assert!(why.as_str().is_some_and(|why| why.len() > 10), "{row}");
            let theirs = row.get("value");
            let differs = theirs
                .zip(expected)
                .is_none_or(|(theirs, ours)| !same(theirs, ours));
            assert!(differs, "no difference needs a reason: {row}");
        }
    }
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(count, (340, 41), "rows, and those that differ");
}
