//! Examples with expectations, and what hosts see of them.

use cogtools_core::text::Text;
use cogtools_core::{Target, Tool};
use serde_json::{Value, json};

/// A tool with the parameter `a` and these `examples`.
fn tool(examples: &Value) -> Tool {
    let file = json!({
        "name": "x",
        "description": "d",
        "parameters": {"a": {"type": "string", "optional": true}},
        "examples": examples,
        "implementation": "ok",
    });
    let text = Text::new("x.yaml", file.to_string().into_bytes()).expect("UTF-8");
    Tool::parse(text).expect("a valid tool")
}

#[test]
fn hosts_see_the_arguments_of_calls_that_do_not_fail() {
    let tool = tool(&json!([
        {"a": "plain"},
        {"name": "named", "arguments": {"a": "named"}, "redact": "x"},
        {"arguments": {"a": 7}, "fails": "SCHEMA_VIOLATION"},
        {"arguments": {}, "contains": ["ok"]},
    ]));
    let declared = json!([{"a": "plain"}, {"a": "named"}, {}]);
    let mcp = Target::Mcp.declare(&tool);
    assert_eq!(mcp["inputSchema"]["examples"], declared);
    let anthropic = Target::Anthropic.declare(&tool);
    assert_eq!(anthropic["input_examples"], declared);
}

#[test]
fn only_an_example_that_violates_the_schema_may_do_so() {
    let check = |example: Value, violations: usize| {
        let found = tool(&json!([example])).check_examples().len();
        assert_eq!(found, violations, "{example}");
    };
    check(json!({"arguments": {"a": 7}}), 1);
    check(json!({"arguments": {"a": 7}, "fails": "TOOL_FAILED"}), 1);
    check(
        json!({"arguments": {"a": 7}, "fails": "SCHEMA_VIOLATION"}),
        0,
    );
    check(json!({"arguments": {"b": 7}, "contains": "x"}), 1);
    check(json!({"name": "x"}), 1);
}
