//! Formats that are asserted.

use cogtools_test_support::str;

use super::violation::check;

#[test]
fn byte_and_uuid_are_asserted() {
    let parameters = "a: {type: string, format: byte}\nb: {type: string, format: uuid}";
    let id = "2eb8aa08-aa98-11ea-b4aa-73b441d16380";
    check(
        parameters,
        &format!(r#"{{"a": "QUI=", "b": "{id}"}}"#),
        "ok",
    );
    check(
        parameters,
        r#"{"a": "no base64", "b": "2eb8aa08"}"#,
        str![[r#"
/a: must be in the format byte, got "no base64"
hint: send a (string, in the format byte)
/b: must be in the format uuid, got "2eb8aa08"
hint: send b (string, in the format uuid)

"#]],
    );
    // Nested, and where `null` is valid.
    check(
        "a: {type: array, items: {type: string, format: byte, nullable: true}}",
        r#"{"a": ["QQ==", null, "Q"]}"#,
        str![[r#"
/a/2: must be in the format byte, got "Q"
hint: send item 2 of a (string or null, in the format byte)

"#]],
    );
}

#[test]
fn numbers_with_the_format_of_an_integer_take_no_fractions() {
    let parameters = "a: {type: number, format: int32}\nb: {type: number, format: int64}";
    check(parameters, r#"{"a": 1.0, "b": -2}"#, "ok");
    check(
        parameters,
        r#"{"a": 1.5, "b": 0.1}"#,
        str![[r#"
/a: expected integer, got number 1.5
hint: send a (number, in the format int32)
/b: expected integer, got number 0.1
hint: send b (number, in the format int64)

"#]],
    );
    check(
        "a: {type: number, format: int32, nullable: true}",
        r#"{"a": null}"#,
        "ok",
    );
    check("a: {type: number, format: double}", r#"{"a": 1.5}"#, "ok");
}
