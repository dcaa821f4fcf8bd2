//! No repair loses a token: each one is in the value, or outside of it.

use cogtools_lenient_json::{NoJson, last};

use crate::{Random, check};

#[test]
fn text_with_commas_is_one_value() {
    check(r#"{"price": 1,234, "b": 2}"#, r#"{"price":"1,234","b":2}"#);
    check(
        r#"{"price": 1,234,567.50 EUR}"#,
        r#"{"price":"1,234,567.50 EUR"}"#,
    );
    check(r#"{"price": 1 234, "b": 2}"#, r#"{"price":"1 234","b":2}"#);
    check(r#"{"price": 1,234"#, r#"{"price":"1,234"}"#);
    check(r#"{price: 1,234, b: 2}"#, r#"{"price":"1,234","b":2}"#);
    check(
        r#"So: {"answer": yes, or no, "b": 2}"#,
        r#"{"answer":"yes, or no","b":2}"#,
    );
    check(
        "{\"a\": true, false,\n\"b\": 1}",
        r#"{"a":"true, false","b":1}"#,
    );
    // Commas that separate.
    check(
        r#"{"a": 1, b: 2, "c": [1,234]}"#,
        r#"{"a":1,"b":2,"c":[1,234]}"#,
    );
    check(r#"{"a": 1,, "b": 2,}"#, r#"{"a":1,"b":2}"#);
}

#[test]
fn text_that_belongs_to_nothing_makes_a_value_invalid() {
    for text in [
        r#"{"a": [1, 2], 3, "b": {"c": 1}}"#,
        r#"Here: {"a": {"b": 1}, 3, "c": 4}."#,
        "{\"a\": 1,\n234, \"b\": 2}",
        r#"{"a": 1}, "b": 2}"#,
        r#"[1, 2], 3]"#,
    ] {
        let found = last(text);
        assert!(matches!(found, Err(NoJson::Stray(_))), "{text}: {found:?}");
    }
}

/// A JSON text whose tokens are all different, with at most `depth` levels.
fn json(random: &mut Random, depth: usize, count: &mut usize) -> String {
    *count += 1;
    let number = 1000 + *count;
    match random.below(if depth == 0 { 3 } else { 5 }) {
        0 => number.to_string(),
        1 => format!("\"w{number}\""),
        2 => format!("\"x{number} y{number}, z{number}\""),
        3 => {
            let items: Vec<String> = (0..random.below(4))
                .map(|_| json(random, depth - 1, count))
                .collect();
            format!("[{}]", items.join(random.pick(&[",", ", ", ",\n"])))
        }
        _ => {
            let members: Vec<String> = (0..random.below(4))
                .map(|index| {
                    let value = json(random, depth - 1, count);
                    format!("\"k{number}{index}\": {value}")
                })
                .collect();
            format!("{{{}}}", members.join(random.pick(&[",", ", ", ",\n"])))
        }
    }
}

/// `text` with a mark of punctuation or a word more, or a mark less.
fn broken(random: &mut Random, text: &str) -> String {
    const MARKS: [&str; 12] = [
        ",", ":", "\"", "{", "}", "[", "]", " ", "\n", " q77 ", "88", ",99",
    ];
    let at = random.below(text.len() + 1);
    let (before, after) = text.split_at(at);
    if random.below(2) == 0 {
        return format!("{before}{}{after}", random.pick(&MARKS));
    }
    let is_mark = |c: char| !c.is_ascii_alphanumeric();
    match after.find(is_mark) {
        Some(at) => format!("{before}{}{}", &after[..at], &after[at + 1..]),
        None => text.to_owned(),
    }
}

#[test]
fn every_token_is_in_the_value_or_outside_of_it() {
    let mut random = Random(17);
    let mut found = 0;
    for _ in 0..20_000 {
        let mut text = format!("[{}]", json(&mut random, 3, &mut 0));
        for _ in 0..=random.below(2) {
            text = broken(&mut random, &text);
        }
        let Ok(value) = last(&text) else {
            continue;
        };
        found += 1;
        let output = value.value.to_string();
        let inside = &text[value.span.clone()];
        let tokens = inside.split(|c: char| !c.is_ascii_alphanumeric());
        for token in tokens.filter(|token| !token.is_empty()) {
            assert!(
                output.contains(token),
                "{token}\n{text}\n{output}\n{:?}",
                &value.repairs.listed
            );
        }
    }
    assert!(found > 10_000, "{found}");
}
