//! A result at a glance, for a cell of a table.

use std::borrow::Cow;

use serde_json::{Number, Value};

use crate::tool_name;

/// How many elements of a list are shown.
const MAX_ELEMENTS: usize = 6;
/// Numbers from here on have separators of thousands, and at most [`DECIMALS`] decimals.
const THOUSAND: f64 = 1000.0;
const DECIMALS: usize = 3;

/// What a person looks for in the `result` of `tool`: of JavaScript what it returned, of the
/// clock the local time.
pub(crate) fn of(tool: Option<&str>, result: &Value) -> String {
    let member = |names: &[&str]| names.iter().find_map(|name| result.get(name));
    let main = match tool {
        Some(tool_name::RUN_JS) => member(&["result"]),
        Some(tool_name::CLOCK) => member(&["local", "iso", "epochMs"]),
        _ => None,
    };
    text(main.unwrap_or(result)).into_owned()
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Number(number) => grouped(number).into(),
        Value::Array(elements) => {
            let shown: Vec<Cow<'_, str>> = elements.iter().take(MAX_ELEMENTS).map(text).collect();
            let more = if elements.len() > MAX_ELEMENTS {
                " …"
            } else {
                ""
            };
            format!("[{}{more}]", shown.join(", ")).into()
        }
        value => value.to_string().into(),
    }
}

/// A number as in `1,234.5`.
fn grouped(number: &Number) -> String {
    let plain = number.to_string();
    let value = number.as_f64().unwrap_or_default();
    if value.abs() < THOUSAND {
        return plain;
    }
    let digits = if number.is_f64() {
        format!("{value:.DECIMALS$}")
    } else {
        plain
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let decimals = decimals.trim_end_matches('0');
    if !decimals.is_empty() {
        text.push('.');
        text.push_str(decimals);
    }
    text
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::conformance;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_short() {
        for (tool, result, expected) in [
            ("x", json!("a text"), "a text"),
            ("x", json!(null), "null"),
            ("x", json!(999.5), "999.5"),
            ("x", json!(1000), "1,000"),
            ("x", json!(-1_234_567), "-1,234,567"),
            ("x", json!(1234.5), "1,234.5"),
            ("x", json!(123_456.0), "123,456"),
            ("x", json!(1e21), "1,000,000,000,000,000,000,000"),
            ("x", json!(u64::MAX), "18,446,744,073,709,551,615"),
            ("x", json!([]), "[]"),
            (
                "x",
                json!([1, [2, "b"], {"a": 1000}]),
                "[1, [2, b], {\"a\":1000}]",
            ),
            ("x", json!([1, 2, 3, 4, 5, 6]), "[1, 2, 3, 4, 5, 6]"),
            ("x", json!({"result": 1}), "{\"result\":1}"),
            (
                "run_js",
                json!({"result": 5040, "logs": [], "ms": 1}),
                "5,040",
            ),
            ("run_js", json!("not its own shape"), "not its own shape"),
        ] {
            assert_eq!(of(Some(tool), &result), expected);
        }
    }

    #[test]
    fn recorded_results_are_short() {
        let test = "recorded_results_are_short";
        let Some(rows) = conformance::recorded("agents/002_format.jsonl", test) else {
            return;
        };
        for row in rows {
            let (tool, result) = match row["fn"].as_str() {
                Some("formatToolResult") => {
                    (row["input"]["tool"].as_str(), &row["input"]["result"])
                }
                _ => (None, &row["input"]),
            };
            let id = row["id"].as_str().expect("an id");
            let expected = match id {
                // JSON has neither; as a result each is a text already.
                "fv-2" | "fv-16" => continue,
                // What a list has instead of `undefined` is null.
                "fv-26" => "[a, null, null, true]",
                // 0 and null are values.
                "fv-45" => "0",
                "fv-50" => "null",
                // A text looks the same wherever it comes from.
                "fv-46" => "str",
                _ => row["expected"]["ok"].as_str().expect("a text"),
            };
            assert_eq!(of(tool, result), expected, "{id}");
        }
    }
}
