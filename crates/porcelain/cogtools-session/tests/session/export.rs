//! Sessions for other programs and for people.

use cogtools_test_support::str;
use serde_json::json;

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

/// A session of a server of OpenAI: the first task has a summary, and the run was ended in a call.
const OTHER: &str = r#"{"kind":"session","format":1,"session":"7f3a9c21be","time":"2026-11-22T09:00:00.000Z","project":"shop","program":"0.1.0","model":"m"}
{"id":1,"parent":null,"time":"2026-11-22T09:00:00.000Z","kind":"task","parts":[{"text":"one"}]}
{"id":2,"parent":1,"time":"2026-11-22T09:00:00.000Z","kind":"response","content":{"role":"model","parts":[{"text":"first"}],"message":{"content":"first"}}}
{"id":3,"parent":2,"time":"2026-11-22T09:00:00.000Z","kind":"task","parts":[{"text":"two"}]}
{"id":4,"parent":3,"time":"2026-11-22T09:00:00.000Z","kind":"response","content":{"role":"model","parts":[{"text":"second"}]}}
{"id":5,"parent":4,"time":"2026-11-22T09:00:00.000Z","kind":"task","parts":[{"text":"three"}]}
{"id":6,"parent":5,"time":"2026-11-22T09:00:00.000Z","kind":"compaction","up_to":2,"summary":{"role":"user","parts":[{"text":"so far"}]}}
{"id":7,"parent":6,"time":"2026-11-22T09:00:00.000Z","kind":"compaction","up_to":4,"summary":{"role":"user","parts":[{"text":"all of it"}]}}
{"id":8,"parent":7,"time":"2026-11-22T09:00:00.000Z","kind":"response","content":{"role":"model","parts":[{"text":"hm","thought":true}]}}
{"id":9,"parent":8,"time":"2026-11-22T09:00:00.000Z","kind":"response","content":{"role":"model","parts":[{"functionCall":{"id":"x","name":"a","args":{}}}],"message":{"content":null}}}
"#;

#[test]
fn what_is_sent_is_exported() {
    let project = project();
    project.file("other.jsonl", OTHER);
    let exported = session(&project, &["export", "other.jsonl", "--format", "gemini"]).json();
    let user = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let expected = json!([
        user("all of it"),
        user("three"),
        {"role": "model", "parts": [{"functionCall": {"id": "x", "name": "a", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {
            "id": "x", "name": "a", "response": {"error": "the run ended before the call did"},
        }}]},
    ]);
    assert_eq!(exported["contents"], expected);
}

#[test]
fn json_is_what_show_prints() {
    let project = project();
    let shown = session(&project, &["show", "run.jsonl", "--json"]);
    let exported = session(&project, &["export", "run.jsonl", "--format=json"]);
    assert_eq!(exported.text(), shown.text());
}
