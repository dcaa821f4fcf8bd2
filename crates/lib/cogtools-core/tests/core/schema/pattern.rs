//! Patterns: what is valid, and how long a comparison may take.

use std::time::{Duration, Instant};

use cogtools_test_support::str;

use super::violation::{check, render_violations};
use crate::support::check_parameters;

#[test]
fn invalid_pattern_is_found_wherever_it_is() {
    check_parameters(
        "a: {type: array, items: {type: string, pattern: '('}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:51: `(` is not a regular expression of ECMA-262
   |
 5 |   a: {type: array, items: {type: string, pattern: '('}}
   |                                                   ^^^
hint: put it in single quotes, so that YAML leaves the backslashes alone

"#]],
    );
    check_parameters(
        "a: {type: object, properties: {b: {anyOf: [{type: string, pattern: '(?=a)['}]}}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:70: `(?=a)[` is not a regular expression of ECMA-262
   |
 5 | e: object, properties: {b: {anyOf: [{type: string, pattern: '(?=a)['}]}}}
   |                                                             ^^^^^^^^
hint: put it in single quotes, so that YAML leaves the backslashes alone

"#]],
    );
    check_parameters("a: {type: string, pattern: '(a)(?<=a)(?!c)\\1'}", "ok");
}

#[test]
fn patterns_with_look_around_and_back_references_are_asserted() {
    let parameters = r"a: {type: string, pattern: '^(?!.*secret).+$'}";
    check(parameters, r#"{"a": "open"}"#, "ok");
    check(
        parameters,
        r#"{"a": "a secret"}"#,
        str![[r#"
/a: must match the pattern `^(?!.*secret).+$`, got "a secret"
hint: send a (string, matching `^(?!.*secret).+$`)

"#]],
    );
    let parameters = r"a: {type: array, items: {type: string, pattern: '^(.)\1$'}}";
    check(parameters, r#"{"a": ["aa", "bb"]}"#, "ok");
    check(
        parameters,
        r#"{"a": ["aa", "ab"]}"#,
        str![[r#"
/a/1: must match the pattern `^(.)\1$`, got "ab"
hint: send item 1 of a (string, matching `^(.)\1$`)

"#]],
    );
    // A text that is long and a pattern that is easy.
    let long = format!(r#"{{"a": "{}"}}"#, "x ".repeat(200_000));
    check(r"a: {type: string, pattern: '^(?!\s*$).+'}", &long, "ok");
    // Data that looks like a schema stays as it is.
    let parameters = r#"a: {enum: [{pattern: "(?=a)"}]}"#;
    check(parameters, r#"{"a": {"pattern": "(?=a)"}}"#, "ok");
}

#[test]
fn pattern_that_backtracks_is_stopped() {
    for (size, count) in [(100_000, 1), (16_000, 40)] {
        let text = format!("\"{}\"", "a".repeat(size));
        let texts = vec![text; count].join(",");
        let start = Instant::now();
        let violations = render_violations(
            r"a: {type: array, items: {type: string, pattern: '(?=(a+))\1*b'}}",
            &format!(r#"{{"a": [{texts}]}}"#),
        );
        assert!(
            violations
                .starts_with("/a/0: takes too long to compare with the pattern of this parameter"),
            "{violations}"
        );
        // 35 seconds and more without the limits.
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
    }
}
