//! Valid JSON is never altered.

use cogtools_lenient_json::{Json, MAX_DEPTH, NoJson, Number, Options, RepairKind, find, last};
use serde_json::Value;

use crate::{Random, check};

#[test]
fn a_valid_text_keeps_its_values_and_numbers() {
    for (text, expected) in [
        (r#"{"a":"```json\n{}\n```"}"#, r#"{"a":"```json\n{}\n```"}"#),
        (
            r#"{"a": "use ```json here"}"#,
            r#"{"a":"use ```json here"}"#,
        ),
        (r#""{\"a\": 1}""#, r#""{\"a\": 1}""#),
        (r#""```json\n{}\n```""#, r#""```json\n{}\n```""#),
        ("[1.0, 1e2, 1E+2, -0, 0.10]", "[1.0,1e2,1E+2,-0,0.10]"),
        ("[12345678901234567890123]", "[12345678901234567890123]"),
        ("1e-400", "1e-400"),
        (
            r#"{"b":1,"a":{"__proto__":2}}"#,
            r#"{"b":1,"a":{"__proto__":2}}"#,
        ),
        (r#""\u0041\/\ud83d\ude00""#, r#""A/😀""#),
        ("\u{feff} null \n", "null"),
        ("[[[]]]", "[[[]]]"),
    ] {
        check(text, expected);
        let found = last(text).expect(text);
        assert_eq!(found.repairs.count, 0, "{text}");
    }
}

#[test]
fn random_valid_texts_are_what_serde_reads_and_are_not_repaired() {
    let mut random = Random(42);
    for _ in 0..5_000 {
        let text = random.json(4);
        let expected: Value = serde_json::from_str(&text).expect(&text);
        let found = last(&text).expect(&text);
        assert_eq!(found.repairs.count, 0, "{text}");
        let printed = found.value.to_string();
        let read: Value = serde_json::from_str(&printed).expect(&printed);
        assert_eq!(read, expected, "{text}");
        assert_eq!(Value::from(found.value), expected, "{text}");
    }
}

/// Without repairs, this parser and `serde_json` accept the same texts.
#[test]
fn without_repairs_only_valid_texts_are_whole_values() {
    const PARTS: [&str; 24] = [
        "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "'a'", "1", "-", "01", ".5", "1.", "1e5",
        "true", "nul", " ", "\n", "\\", "\\u12", "//", "\u{a0}", "x",
    ];
    let mut random = Random(7);
    let options = Options {
        repair: false,
        ..Options::default()
    };
    let mut valid = 0;
    for _ in 0..200_000 {
        let count = 1 + random.below(7);
        let text: String = (0..count).map(|_| random.pick(&PARTS)).collect();
        let trimmed = text.trim();
        let expected = serde_json::from_str::<Value>(trimmed).ok();
        let found = find(trimmed, options)
            .ok()
            .and_then(|mut found| found.pop());
        let whole = found.filter(|found| found.span == (0..trimmed.len()));
        // The spelling is kept, so that both round doubles in the same way.
        let whole = whole.map(|found| found.value.to_string());
        let whole = whole.map(|text| serde_json::from_str::<Value>(&text).expect(&text));
        // A key of a text such as `{"a":1,"a":1}` occurs twice for both.
        assert_eq!(whole, expected, "{trimmed:?}");
        valid += usize::from(expected.is_some());
    }
    assert!(valid > 1_000, "{valid} texts were valid");
}

#[test]
fn what_is_valid_but_means_less_than_it_says_is_noted() {
    let found = last(r#"{"a":"\ud83d","a":"\udc00\ud800x"}"#).expect("a value");
    assert_eq!(found.value.to_string(), "{\"a\":\"\u{fffd}\u{fffd}x\"}");
    let kinds: Vec<RepairKind> = found
        .repairs
        .listed
        .iter()
        .map(|repair| repair.kind)
        .collect();
    let surrogate = RepairKind::Surrogate;
    assert_eq!(
        kinds,
        [surrogate, RepairKind::DuplicateKey, surrogate, surrogate]
    );
    assert!(kinds.iter().all(|kind| kind.is_valid()));
}

#[test]
fn numbers_beyond_a_double_are_no_values() {
    for (text, offset) in [
        ("1e999", 0),
        (r#"{"n":1e999}"#, 5),
        ("x [1, -1e400]", 6),
        ("{n: 1e999,}", 4),
        ("```json\n[1e999]\n```", 9),
    ] {
        assert_eq!(last(text), Err(NoJson::NumberRange(offset)), "{text}");
    }
    let number = Json::Number(Number::Integer(7));
    assert_eq!(
        last("1e999\n[7]").map(|found| found.value),
        Ok(Json::Array(vec![number]))
    );
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    check(&nested(MAX_DEPTH), &nested(MAX_DEPTH));
    assert_eq!(
        last(&nested(MAX_DEPTH + 1)),
        Err(NoJson::TooDeep(MAX_DEPTH + 1))
    );
    // What is inside of it is a part, and not a value of the text.
    let text = format!("so {} it is", nested(300));
    assert_eq!(last(&text), Err(NoJson::TooDeep(3 + MAX_DEPTH + 1)));
    check(&format!("{} and {{\"a\":1}}", nested(300)), r#"{"a":1}"#);
    let objects = r#"{"a":"#.repeat(100_000);
    assert!(matches!(last(&objects), Err(NoJson::TooDeep(_))));
    let calls = "f(".repeat(200) + "1";
    assert_eq!(last(&calls), Err(NoJson::Absent));
}
