//! No repair loses a token: each one is in the value, or outside of it.

use cogtools_lenient_json::{NoJson, Options, Which, find, last};

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
        // A bracket too early.
        r#"{"a":} 1, "c": 3}"#,
        r#"{"a": ]1, 2], "c": 3}"#,
        r#"{"a": [1, "b": 2}], "c": 3}"#,
        r#"{"a": 1}], "c": 3}"#,
        r#"{"a": 1}} , "c": 3}"#,
        r#"{"a": 1} "b": 2}"#,
        r#"{"a": 1}, b: 2}"#,
        r#"{"x": [{"a": 1}}, {"b": 2}]}"#,
        r#"{"a": 1}, "b": "a ] and [1]", "c": [2]}"#,
        r#"Here: {"a": 1}, "b": 2}. Done."#,
        "```json\n{\"a\":} 1, \"c\": 3}\n```\n",
        // A mark too many, or another one.
        r#"{"a":: 5, "list": [1, 2]}"#,
        r#"{"n":: 5, "items": [{"id": 1}, {"id": 2}]}"#,
        r#"{"a": -"bb", "list": [1, 2]}"#,
        r#"{"a": he said "hi" to me, "b": 1}"#,
        r#"{a:: 5, list: [1, 2]}"#,
        r#"{"a", 5, "c": [1, 2]}"#,
        r#"{{"a": 1}, "b": [2]}"#,
        r#"{[1, 2], "b": 3}"#,
        r#""a": [1, 2], "c": 3}"#,
    ] {
        for which in [Which::First, Which::Last, Which::All] {
            let options = Options {
                which,
                ..Options::default()
            };
            let found = find(text, options);
            let is_stray = matches!(found, Err(NoJson::Stray(_)));
            assert!(is_stray, "{which:?} {text}: {found:?}");
        }
    }
    // The value that is meant last.
    let found = last(r#"Not {"a": 1} but {"b":: 2}."#);
    assert_eq!(found, Err(NoJson::Stray(22)));
    check("{'a: 'b', 'list': [1, 2]}", r#"{"a":"b","list":[1,2]}"#);
}

#[test]
fn text_around_values_makes_none_invalid() {
    for text in [
        r#"So [see {"a": 1}, 3 of them]"#,
        r#"[see below] {"a": 1}"#,
        r#"[12:30:05] {"a": 1}"#,
        r#"So [2nd one] Result: {"a": 1}}"#,
        r#"{"a": 0}, {"a": 1}"#,
        r#"Use {"a": 0}, or {"a": 1}]."#,
        r#"The "answer": {"a": 1}"#,
        "{\"a\": 1}\n\n1. It ends with }.",
        "{\"a\": 0}\n{\"a\": 1}\nIt ends with }.",
        "function f() { return {a: 1}, 3; }",
        "{\"a\":: 0}\nSorry, this is right:\n{\"a\": 1}",
        "{\"a\": 0}, \"b\": 2}\nSorry, this is right:\n{\"a\": 1}",
    ] {
        check(text, r#"{"a":1}"#);
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

/// `text` with a mark of its structure more, less, or in place of another.
fn misplaced(random: &mut Random, text: &str) -> String {
    const MARKS: [&str; 8] = ["{", "}", "[", "]", ",", ":", "\"", "'"];
    let is_mark = |c: char| "{}[],:\"".contains(c);
    let marks: Vec<usize> = text.match_indices(is_mark).map(|(at, _)| at).collect();
    let at = marks[random.below(marks.len())].max(1);
    let mark = random.pick(&MARKS);
    match random.below(3) {
        0 => format!("{}{mark}{}", &text[..at], &text[at..]),
        1 => format!("{}{}", &text[..at], &text[at + 1..]),
        _ => format!("{}{mark}{}", &text[..at], &text[at + 1..]),
    }
}

/// One mark of structure that is wrong costs no token; two may make another text of it.
#[test]
fn a_value_that_broke_is_not_answered_by_a_part_of_it() {
    const AROUND: [(&str, &str); 3] =
        [("", ""), ("So: ", " it is."), ("```json\n", "\n```\nDone.")];
    let mut random = Random(23);
    let (mut found, mut lost) = (0, Vec::new());
    for _ in 0..20_000 {
        let first = json(&mut random, 3, &mut 0);
        let second = json(&mut random, 2, &mut 500);
        let valid = format!("{{\"k1\": {first}, \"k2\": {second}}}");
        let mut text = misplaced(&mut random, &valid);
        let is_twice = random.below(2) == 0;
        if is_twice {
            text = misplaced(&mut random, &text);
        }
        let (before, after) = AROUND[random.below(3)];
        let text = format!("{before}{text}{after}");
        let Ok(value) = last(&text) else {
            continue;
        };
        found += 1;
        let output = value.value.to_string();
        let mut tokens = valid.split(|c: char| !c.is_ascii_alphanumeric());
        if let Some(token) = tokens.find(|token| !output.contains(token)) {
            assert!(is_twice, "{token}\n{text}\n{output}");
            lost.push(format!("{token}\n{text}\n{output}"));
        }
    }
    assert!(found > 10_000, "{found}");
    assert!(lost.len() < found / 25, "{}", lost.join("\n\n"));
}
