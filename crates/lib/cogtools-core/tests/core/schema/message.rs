//! The message for each kind of violation.

use super::violation::render_violations;
use cogtools_test_support::{Expected, assert_text, str};

/// Checks the violation by one value of one parameter, without the last hint.
#[track_caller]
fn check(schema: &str, value: &str, expected: impl Into<Expected>) {
    let violations = render_violations(&format!("a: {schema}"), &format!("{{\"a\": {value}}}"));
    let message = violations.strip_prefix("/a: ").unwrap_or(&violations);
    let (message, _) = message
        .split_once("\nhint: send a (")
        .unwrap_or((message, ""));
    assert_text(message, expected);
}

#[test]
fn values_of_the_wrong_type() {
    check("string", "5", str!["expected string, got number 5"]);
    check("string", "null", str!["expected string, got null"]);
    check(
        "integer",
        "\"5\"",
        str![[r#"expected integer, got string "5""#]],
    );
    check("integer", "1.5", str!["expected integer, got number 1.5"]);
    check(
        "boolean",
        "\"true\"",
        str![[r#"expected boolean, got string "true""#]],
    );
    check("number", "[1]", str!["expected number, got array [1]"]);
    check(
        "string[]",
        "\"a\"",
        str![[r#"expected array, got string "a""#]],
    );
    check(
        "{type: object}",
        "true",
        str!["expected object, got boolean true"],
    );
    check(
        "{type: string, nullable: true}",
        "5",
        str!["expected string or null, got number 5"],
    );
}

#[test]
fn numbers_out_of_bounds() {
    check(
        "{type: integer, minimum: 3}",
        "2",
        str!["must be at least 3, got 2"],
    );
    check(
        "{type: integer, maximum: 3}",
        "4",
        str!["must be at most 3, got 4"],
    );
    check(
        "{type: number, minimum: 3, exclusiveMinimum: true}",
        "3",
        str!["must be more than 3, got 3"],
    );
    check(
        "{type: number, maximum: 3, exclusiveMaximum: true}",
        "3.0",
        str!["must be less than 3, got 3.0"],
    );
    check(
        "{type: number, multipleOf: 0.1}",
        "0.35",
        str!["must be a multiple of 0.1, got 0.35"],
    );
    check(
        "{type: integer, format: int32}",
        "3000000000",
        str!["must be at most 2147483647, got 3000000000"],
    );
}

#[test]
fn values_of_the_wrong_size() {
    check(
        "{type: string, minLength: 2}",
        "\"ä\"",
        str!["needs at least 2 characters, has 1"],
    );
    check(
        "{type: string, maxLength: 1}",
        "\"äö\"",
        str!["may have at most 1 character, has 2"],
    );
    check(
        "{type: 'string[]', minItems: 1}",
        "[]",
        str!["needs at least 1 item, has 0"],
    );
    check(
        "{type: 'string[]', maxItems: 2}",
        "[\"a\",\"b\",\"c\"]",
        str!["may have at most 2 items, has 3"],
    );
    check(
        "{type: 'string[]', uniqueItems: true}",
        "[\"a\",\"a\"]",
        str!["has the same item twice"],
    );
    check(
        "{type: object, minProperties: 1}",
        "{}",
        str!["needs at least 1 key, has 0"],
    );
    check(
        "{type: object, maxProperties: 2}",
        "{\"b\":1,\"c\":2,\"d\":3}",
        str!["may have at most 2 keys, has 3"],
    );
}

#[test]
fn strings_that_do_not_match() {
    check(
        "{type: string, pattern: '^[a-z]+$'}",
        "\"A\"",
        str![[r#"must match the pattern `^[a-z]+$`, got "A""#]],
    );
    check(
        "{type: string, format: date}",
        "\"soon\"",
        str![[r#"must be in the format date, got "soon""#]],
    );
    check(
        "{enum: [left, right]}",
        "\"Left\"",
        str![[r#"
expected one of "left", "right", got "Left"
hint: did you mean `left`?
"#]],
    );
    check("{enum: [1, 2]}", "3", str!["expected one of 1, 2, got 3"]);
    check(
        "{enum: [left]}",
        "\"up\"",
        str![[r#"expected one of "left", got "up""#]],
    );
}
