//! Malicious files: each is rejected with a location, in little time and memory.

use cogtools_test_support::{assert_text, str};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::support::render_errors;

const BASE: &str = "name: x\ndescription: d\nimplementation: ok\n";

/// Asserts the first line of the errors of a file, and a short time (with a margin for
/// slow machines: quadratic algorithms take minutes).
#[track_caller]
fn check(file: &str, expected: &str) {
    let start = Instant::now();
    let errors = render_errors(file);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(errors.lines().next(), Some(expected));
}

fn error(location: &str, message: &str) -> String {
    format!("error[INVALID_TOOL]: x.yaml:{location}: {message}")
}

const DEEP: &str = "more than 64 levels of nesting";
const MANY: &str = "more than 100000 values, aliases counted in full";
const LONG: &str = "more than 32 MiB of text, aliases counted in full";

#[test]
fn deep_nesting_is_rejected() {
    let nested = |levels: usize| format!("x: {}{}\n{BASE}", "[".repeat(levels), "]".repeat(levels));
    check(&nested(63), &error("1:1", "unknown key `x`"));
    check(&nested(64), &error("1:67", DEEP));
    check(&"[".repeat(1_000_000), &error("1:256", DEEP));
    check(&"{a: ".repeat(250_000), &error("1:1021", DEEP));
    check(&"- ".repeat(500_000), &error("1:129", DEEP));
    check(
        &"? ".repeat(500_000),
        &error("1:3", "a key must be a string"),
    );
}

#[test]
fn deep_nesting_through_aliases_is_rejected() {
    let mut file = format!("{BASE}a0: &a0 [1]\n");
    for number in 1..64 {
        let _ = writeln!(file, "a{number}: &a{number} [*a{}]", number - 1);
    }
    check(&file, &error("67:12", DEEP));
}

#[test]
fn aliases_that_multiply_values_or_text_are_rejected() {
    let mut laughs = format!("{BASE}a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for number in 1..10 {
        let alias = format!("*a{}", number - 1);
        let _ = writeln!(
            laughs,
            "a{number}: &a{number} [{}]",
            vec![alias; 9].join(", ")
        );
    }
    check(&laughs, &error("9:10", MANY));
    let text = format!(
        "{BASE}a: &a {}\nb: [{}]\n",
        "x".repeat(500_000),
        vec!["*a"; 90_000].join(",")
    );
    check(&text, &error("5:203", LONG));
    let anchors = (0..60)
        .map(|number| format!("&a{number} ["))
        .collect::<Vec<_>>()
        .concat();
    let anchored = format!(
        "{BASE}x: {anchors}{}{}\n",
        vec!["a"; 90_000].join(","),
        "]".repeat(60)
    );
    check(&anchored, &error("4:347", MANY));
}

#[test]
fn too_many_values_are_rejected() {
    let list = |items: usize| format!("{BASE}x: [{}]\n", vec!["1"; items].join(","));
    check(&list(99_991), &error("4:1", "unknown key `x`"));
    check(&list(99_992), &error("4:199987", MANY));
}

#[test]
fn many_unknown_keys_are_reported_up_to_a_limit() {
    let mut keys = BASE.to_owned();
    for number in 0..49_000 {
        let _ = writeln!(keys, "key{number}: 1");
    }
    let errors = render_errors(keys.as_str());
    assert!(
        errors.starts_with(&error("4:1", "unknown key `key0`\n")),
        "{errors}"
    );
    let diagnostics = errors.lines().filter(|line| line.starts_with("error"));
    assert_eq!(diagnostics.count(), 50);
    assert!(
        errors.ends_with("\nhint: there are more: only the first 50 are shown\n"),
        "{errors}"
    );
    keys.push_str("key48999: 2\n");
    check(
        &keys,
        &error(
            "49004:1",
            "duplicate key `key48999`, first used on line 49003",
        ),
    );
}

#[test]
fn references_to_too_many_schemas_are_rejected() {
    let mut doubles = format!("{BASE}parameters:\n");
    for number in 0..40 {
        let next = format!("{{$ref: '#/properties/a{}'}}", number + 1);
        let _ = writeln!(doubles, "  a{number}: {{allOf: [{next}, {next}]}}");
    }
    doubles.push_str("  a40: string\n");
    check(
        &doubles,
        &error("5:23", "`#/properties/a33` refers to too many schemas"),
    );
    let mut chain = format!("{BASE}parameters:\n");
    for number in 0..15_000 {
        let _ = writeln!(
            chain,
            "  a{number}: {{$ref: '#/properties/a{}'}}",
            number + 1
        );
    }
    chain.push_str("  a15000: string\n");
    check(
        &chain,
        &error("5:14", "`#/properties/a33` refers to too many schemas"),
    );
}

#[test]
fn long_lists_of_names_and_nested_arrays_are_rejected() {
    let names: Vec<String> = (0..90_000).map(|number| format!("k{number}")).collect();
    let names = names.join(",");
    check(
        &format!("{BASE}parameters_schema: {{type: object, required: [{names},k0]}}\n"),
        &error(
            &format!("4:{}", 47 + names.len()),
            "`required` names `k0` twice",
        ),
    );
    let brackets = "[]".repeat(400_000);
    check(
        &format!("{BASE}parameters: {{a: 'string{brackets}'}}\n"),
        &error("4:17", &format!("`string{brackets}` is not a type")),
    );
}

#[test]
fn binary_files_are_rejected() {
    assert_text(
        render_errors(b"name: \xc3\x28".to_vec()),
        str![[r#"
error[INVALID_TOOL]: `x.yaml` is not valid UTF-8 at byte 6
hint: save it as UTF-8

"#]],
    );
    check(
        "\0\0\0\0",
        r"error[INVALID_TOOL]: x.yaml:1:1: unexpected character: `\u{0}'",
    );
}
