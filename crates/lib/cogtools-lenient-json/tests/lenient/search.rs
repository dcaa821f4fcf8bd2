//! Where in a text a value is found.

use cogtools_lenient_json::Which;
use serde_json::json;

use crate::{check, none, values};

#[test]
fn fences_come_before_prose() {
    check(
        "Use {\"a\":0}:\n```json\n{\"a\":1}\n```\nnot {\"a\":2}",
        r#"{"a":1}"#,
    );
    check("```\nnull\n```", "null");
    check("```JSON\n[1]\n```", "[1]");
    check("~~~json\n[1]\n~~~", "[1]");
    check("````md\n```json\n[1]\n```\n````\n", "[1]");
    check("> ```json\n> [1]\n> ```", "[1]");
    check(
        "1. Do:\n   ```json\n   {\"a\":\n   1}\n   ```",
        r#"{"a":1}"#,
    );
    // On one line, without an end, and with the end after the value.
    check("```json {\"a\":1} ```", r#"{"a":1}"#);
    check("```42```", "42");
    check("Here:\n```json\n{\"a\":1", r#"{"a":1}"#);
    check("```json\n{\"a\":1}```\nDone.", r#"{"a":1}"#);
    // A fence with something else is prose.
    check("```python\nprint({'a': 1})\n```", r#"{"a":1}"#);
    check("```bash\nls\n```\n{\"a\":1}", r#"{"a":1}"#);
    check(
        "```json\n{\"a\":1}\n```\n```sh\nls [a-z]*\n```",
        r#"{"a":1}"#,
    );
}

#[test]
fn the_outermost_values_of_prose_are_found() {
    check("{\"a\":1}{\"b\":2}", r#"{"b":2}"#);
    check("text {\"a\":1} ```", r#"{"a":1}"#);
    check("pre {\"a\":\"{\"} post", r#"{"a":"{"}"#);
    check("}{\"a\":1}", r#"{"a":1}"#);
    check("{\"a\":1}\n}", r#"{"a":1}"#);
    check("<think>{\"a\":0}</think>\n({\"a\":1})", r#"{"a":1}"#);
    check("The array [1, 2 and then {\"a\":1}", r#"{"a":1}"#);
    check(
        "{\"a\": 1, \"b\": 2\n\nHope this helps!",
        r#"{"a":1,"b":2}"#,
    );
    check(
        "- [ ] one\n- [x] two\n{\"a\":1}\n- [ ] three\n1. [ ] four",
        r#"{"a":1}"#,
    );
    check("nothing: [ ]", "[]");
    check("[Note: see {\"a\":1}]", r#"{"a":1}"#);
    check("Result: {tags: [a, b c]}", r#"{"tags":["a","b c"]}"#);
    check("function f() { return {a: 1}; }", r#"{"a":1}"#);
}

#[test]
fn scalars_count_if_they_fill_a_line_and_nothing_else_is_there() {
    check("Answer:\n42\nbye", "42");
    check("Answer:\r\n  \"yes\"  \r\n", "\"yes\"");
    check("1\n2\nthe end\n", "2");
    check("The answer is\nTrue", "true");
    check("1\n[2]\n3", "[2]");
    check("NULL", "null");
}

#[test]
fn prose_has_no_value() {
    for text in [
        "",
        " \n\t",
        "no json here",
        "}",
        "}{",
        "{",
        "]",
        "[",
        "Answer: 42",
        "see [docs](http://x.y)",
        "Hello {name}, {{tool}} and ${HOME}",
        "'Tis the season",
        "\"Hello\" she said.",
        "it's 5",
        "a { color }",
        "if (x) { y(); }",
        "# Title\n\ntext",
        "1,2,3",
        "12 apples",
        "- [ ] todo",
        "```\nls\n```",
        "x: y",
        "\\",
        "\u{0}",
        "\"a\":1}",
        "\"key\": \"value\"",
        "usage: ls [-l] [-] [2nd] [x]",
    ] {
        if !matches!(text, "{" | "[") {
            none(text);
        }
    }
}

#[test]
fn the_first_or_all_can_be_asked_for() {
    let text = "1\n{\"a\":1} and [2], then {b: 3}";
    assert_eq!(values(text, Which::First, true), json!([{"a": 1}]));
    assert_eq!(values(text, Which::Last, true), json!([{"b": 3}]));
    assert_eq!(
        values(text, Which::All, true),
        json!([{"a": 1}, [2], {"b": 3}])
    );
    assert_eq!(values(text, Which::All, false), json!([{"a": 1}, [2]]));
    let lines = "{\"a\":1}\n{\"a\":2}\n";
    assert_eq!(
        values(lines, Which::All, false),
        json!([{"a": 1}, {"a": 2}])
    );
    assert_eq!(values("x\n1\n\"y\"\nz", Which::All, true), json!([1, "y"]));
    assert_eq!(values("[1,2]", Which::All, true), json!([[1, 2]]));
    let fences = "```json\n1\n```\n```json\n{}\n```\n```json\n2\n```\n[3]";
    assert_eq!(values(fences, Which::All, true), json!([1, {}, 2]));
    assert_eq!(values(fences, Which::First, true), json!([{}]));
    assert_eq!(values(fences, Which::Last, true), json!([{}]));
}

#[test]
fn without_repairs_what_is_broken_is_left_out() {
    assert_eq!(
        values("{a:1} {\"b\":2} [3,]", Which::All, false),
        json!([{"b": 2}])
    );
    assert_eq!(
        values("{\"a\":{\"b\":1},}", Which::Last, false),
        json!([{"b": 1}])
    );
    assert_eq!(
        values("{\"a\":{\"b\":1},}", Which::Last, true),
        json!([{"a": {"b": 1}}])
    );
}
