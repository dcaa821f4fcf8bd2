//! The value so far of a text that is still growing.

use cogtools_lenient_json::{NoJson, Options, find};
use serde_json::Value;

use crate::Random;

fn partial(text: &str, repair: bool) -> Result<Value, NoJson> {
    let options = Options {
        repair,
        partial: true,
        ..Options::default()
    };
    let mut found = find(text, options)?;
    Ok(found.pop().expect("a value").value.into())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    for repair in [true, false] {
        let found = partial(text, repair).map(|value| value.to_string());
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn a_text_that_ends_within_its_value_is_cut() {
    let is_cut = |text: &str| cogtools_lenient_json::last(text).expect("a value").is_cut();
    let repaired = "{'a': 1},".repeat(1_000);
    for (text, expected) in [
        ("{\"a\": 1}".to_owned(), false),
        ("{'a': 1,}".to_owned(), false),
        ("{\"a\": 1".to_owned(), true),
        (format!("[{repaired} {{'b': 'c'}}]"), false),
        (format!("[{repaired} {{'b': 'c"), true),
    ] {
        assert_eq!(is_cut(&text), expected, "{}", &text[text.len() - 9..]);
    }
}

#[test]
fn what_is_certain_is_kept() {
    check("{", "{}");
    check("[", "[]");
    check("\"abc", "\"abc\"");
    check("{\"a", "{}");
    check("{\"a\"", "{}");
    check("{\"a\":", "{}");
    check("{\"a\":1,", "{\"a\":1}");
    check("{\"a\":\"b", "{\"a\":\"b\"}");
    check("{\"a\":\"b}", "{\"a\":\"b}\"}");
    check("{\"a\":\"b\\", "{\"a\":\"b\"}");
    check("{\"a\":\"b\\u00", "{\"a\":\"b\"}");
    check("{\"a\":\"b\\ud83d\\u", "{\"a\":\"b\"}");
    check("[1,2", "[1,2]");
    check("[1,-", "[1]");
    check("[1,2.", "[1,2]");
    check("[1,2e-", "[1,2]");
    check("[t", "[true]");
    check("[fals", "[false]");
    check("[{\"a\":[1,{\"b\":", "[{\"a\":[1,{}]}]");
    check("So:\n```json\n{\"a\": [1, \"te", "{\"a\":[1,\"te\"]}");
    check("So {\"a\": \"te", "{\"a\":\"te\"}");
    check("{\"a\":1}", "{\"a\":1}");
    assert_eq!(
        partial("{'a': 'x", true)
            .map(|value| value.to_string())
            .as_deref(),
        Ok("{\"a\":\"x\"}")
    );
    for text in ["", "So", "Here is the", "-"] {
        assert_eq!(partial(text, true), Err(NoJson::Absent), "{text}");
    }
}

/// Returns true if `later` only adds to `earlier`. A number may get more digits.
fn grows(earlier: &Value, later: &Value) -> bool {
    match (earlier, later) {
        (Value::Number(_), Value::Number(_)) => true,
        (Value::String(earlier), Value::String(later)) => later.starts_with(earlier.as_str()),
        (Value::Array(earlier), Value::Array(later)) => {
            earlier.len() <= later.len() && earlier.iter().zip(later).all(|(a, b)| grows(a, b))
        }
        (Value::Object(earlier), Value::Object(later)) => {
            let mut members = earlier.iter().zip(later);
            earlier.len() <= later.len() && members.all(|((k, a), (l, b))| k == l && grows(a, b))
        }
        (earlier, later) => earlier == later,
    }
}

#[test]
fn a_value_only_grows_with_its_text() {
    let mut random = Random(11);
    for _ in 0..300 {
        let text = format!("[{}]", random.json(3));
        let whole: Value = serde_json::from_str(&text).expect(&text);
        for repair in [true, false] {
            let mut earlier = Value::Array(Vec::new());
            for end in (1..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                let value = partial(&text[..end], repair).expect(&text[..end]);
                assert!(
                    grows(&earlier, &value),
                    "{earlier} {value} in {}",
                    &text[..end]
                );
                assert!(grows(&value, &whole), "{value} in {}", &text[..end]);
                earlier = value;
            }
            assert_eq!(earlier, whole);
        }
    }
}
