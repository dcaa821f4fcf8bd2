//! Sessions for other programs and for people.

use cogtools_test_support::str;

use crate::{project, session};

#[test]
fn a_session_is_a_document() {
    session(&project(), &["export", "run.jsonl"]).outputs(str![[r##"
# Session 7f3a9c21be

- project: shop
- began: 2026-11-22T09:00:00.000Z
- model: gemini-flash-latest

## Task

Why does the test fail?

## Turn 1

*1.2 s, 850 tokens*

### `run_tests`

```json
{
  "filter": "price"
}
```

*failed (TOOL_FAILED), 400 ms*

```text
exit status 1
not ok 3 - price: expected 4.2, got 42
```

### `read_file`

```json
{
  "path": "price.js"
}
```

*denied, 0 ms*

```text
the user did not approve it
```

## Turn 2

*800 ms, 930 tokens, 80 % cached*

The price is parsed without its decimal point.

---

completed

"##]]);
}

#[test]
fn a_session_is_a_request_to_gemini() {
    let args = ["export", "run.jsonl", "--format", "gemini"];
    session(&project(), &args).outputs(str![[r#"
{
  "contents": [
    {
      "role": "user",
      "parts": [
        {
          "text": "Why does the test fail?"
        }
      ]
    },
    {
      "role": "model",
      "parts": [
        {
          "functionCall": {
            "name": "run_tests",
            "args": {
              "filter": "price"
            }
          },
          "thoughtSignature": "c2ln"
        },
        {
          "functionCall": {
            "name": "read_file",
            "args": {
              "path": "price.js"
            }
          }
        }
      ]
    },
    {
      "role": "user",
      "parts": [
        {
          "functionResponse": {
            "name": "run_tests",
            "response": {
              "error": "exit status 1\nnot ok 3 - price: expected 4.2, got 42"
            }
          }
        },
        {
          "functionResponse": {
            "name": "read_file",
            "response": {
              "error": "the user did not approve it"
            }
          }
        }
      ]
    },
    {
      "role": "model",
      "parts": [
        {
          "text": "The price is parsed without its decimal point."
        }
      ]
    }
  ]
}

"#]]);
}

#[test]
fn a_session_is_a_request_to_a_compatible_server() {
    let args = ["export", "run.jsonl", "--format", "openai"];
    session(&project(), &args).outputs(str![[r#"
{
  "messages": [
    {
      "role": "user",
      "content": "Why does the test fail?"
    },
    {
      "role": "assistant",
      "content": null,
      "tool_calls": [
        {
          "id": "call00001",
          "type": "function",
          "function": {
            "name": "run_tests",
            "arguments": "{\"filter\":\"price\"}"
          }
        },
        {
          "id": "call00002",
          "type": "function",
          "function": {
            "name": "read_file",
            "arguments": "{\"path\":\"price.js\"}"
          }
        }
      ]
    },
    {
      "role": "tool",
      "tool_call_id": "call00001",
      "content": "exit status 1\nnot ok 3 - price: expected 4.2, got 42"
    },
    {
      "role": "tool",
      "tool_call_id": "call00002",
      "content": "the user did not approve it"
    },
    {
      "role": "assistant",
      "content": "The price is parsed without its decimal point."
    }
  ]
}

"#]]);
}

#[test]
fn json_is_what_show_prints() {
    let project = project();
    let shown = session(&project, &["show", "run.jsonl", "--json"]);
    let exported = session(&project, &["export", "run.jsonl", "--format=json"]);
    assert_eq!(exported.text(), shown.text());
}
