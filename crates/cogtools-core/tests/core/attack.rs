//! Files made to hurt: each is refused at a place, in little time and memory.

use cogtools_test_support::{assert_text, str};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::diagnostic::told;

const BASE: &str = "name: x\ndescription: d\nimplementation: ok\n";

/// Asserts the first line that is said of a file, and that it takes no time
/// (with much room for slow machines: what is quadratic takes minutes).
#[track_caller]
fn check(file: &str, expected: &str) {
    let start = Instant::now();
    let told = told(file);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(told.lines().next(), Some(expected));
}

fn refused(location: &str, message: &str) -> String {
    format!("error[INVALID_TOOL]: x.yaml:{location}: {message}")
}

const DEEP: &str = "more than 64 levels of nesting";
const MANY: &str = "more than 100000 values, aliases counted in full";
const LONG: &str = "more than 32 MiB of text, aliases counted in full";

#[test]
fn nesting() {
    let nested = |levels: usize| format!("x: {}{}\n{BASE}", "[".repeat(levels), "]".repeat(levels));
    check(&nested(63), &refused("1:1", "unknown key `x`"));
    check(&nested(64), &refused("1:67", DEEP));
    check(&"[".repeat(1_000_000), &refused("1:256", DEEP));
    check(&"{a: ".repeat(250_000), &refused("1:1021", DEEP));
    check(&"- ".repeat(500_000), &refused("1:129", DEEP));
    check(
        &"? ".repeat(500_000),
        &refused("1:3", "a key must be a string"),
    );
}

#[test]
fn nesting_through_aliases() {
    let mut file = format!("{BASE}a0: &a0 [1]\n");
    for number in 1..64 {
        let _ = writeln!(file, "a{number}: &a{number} [*a{}]", number - 1);
    }
    check(&file, &refused("67:12", DEEP));
}

#[test]
fn aliases_that_multiply() {
    let mut laughs = format!("{BASE}a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for number in 1..10 {
        let alias = format!("*a{}", number - 1);
        let _ = writeln!(
            laughs,
            "a{number}: &a{number} [{}]",
            vec![alias; 9].join(", ")
        );
    }
    check(&laughs, &refused("9:10", MANY));
    let text = format!(
        "{BASE}a: &a {}\nb: [{}]\n",
        "x".repeat(500_000),
        vec!["*a"; 90_000].join(",")
    );
    check(&text, &refused("5:203", LONG));
    let anchors: Vec<String> = (0..60).map(|number| format!("&a{number} [")).collect();
    let anchors = anchors.concat();
    let kept = format!(
        "{BASE}x: {anchors}{}{}\n",
        vec!["a"; 90_000].join(","),
        "]".repeat(60)
    );
    check(&kept, &refused("4:347", MANY));
}

#[test]
fn values_without_end() {
    let list = |items: usize| format!("{BASE}x: [{}]\n", vec!["1"; items].join(","));
    check(&list(99_991), &refused("4:1", "unknown key `x`"));
    check(&list(99_992), &refused("4:199987", MANY));
}

#[test]
fn keys_without_end() {
    let mut keys = BASE.to_owned();
    for number in 0..49_000 {
        let _ = writeln!(keys, "key{number}: 1");
    }
    let told = told(keys.as_str());
    assert!(
        told.starts_with(&refused("4:1", "unknown key `key0`\n")),
        "{told}"
    );
    let diagnostics = told.lines().filter(|line| line.starts_with("error"));
    assert_eq!(diagnostics.count(), 50);
    assert!(
        told.ends_with("\nhint: there are more: only the first 50 are shown\n"),
        "{told}"
    );
    keys.push_str("key48999: 2\n");
    check(
        &keys,
        &refused("49004:1", "duplicate key `key48999`, first used on line 49003"),
    );
}

#[test]
fn schemas_that_multiply() {
    let mut doubles = format!("{BASE}parameters:\n");
    for number in 0..40 {
        let next = format!("{{$ref: '#/properties/a{}'}}", number + 1);
        let _ = writeln!(doubles, "  a{number}: {{allOf: [{next}, {next}]}}");
    }
    doubles.push_str("  a40: string\n");
    check(
        &doubles,
        &refused("5:23", "`#/properties/a33` refers to too many schemas"),
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
        &refused("5:14", "`#/properties/a33` refers to too many schemas"),
    );
}

#[test]
fn names_and_types_without_end() {
    let names: Vec<String> = (0..90_000).map(|number| format!("k{number}")).collect();
    let names = names.join(",");
    check(
        &format!("{BASE}parameters_schema: {{type: object, required: [{names},k0]}}\n"),
        &refused(
            &format!("4:{}", 47 + names.len()),
            "`required` names `k0` twice",
        ),
    );
    let brackets = "[]".repeat(400_000);
    check(
        &format!("{BASE}parameters: {{a: 'string{brackets}'}}\n"),
        &refused("4:17", &format!("`string{brackets}` is not a type")),
    );
}

#[test]
fn no_text_at_all() {
    assert_text(
        told(b"name: \xc3\x28".to_vec()),
        str![[r#"
error[INVALID_TOOL]: `x.yaml` is not UTF-8: byte 6 does not begin a character
hint: save it as UTF-8

"#]],
    );
    check(
        "\0\0\0\0",
        r"error[INVALID_TOOL]: x.yaml:1:1: unexpected character: `\u{0}'",
    );
}
