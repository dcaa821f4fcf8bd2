//! The base protocol of the language server: what is not a message, and requests out of turn.

use std::io::Cursor;

use cogtools_program::Input;
use serde_json::{Value, json};

use crate::project::serve;
use crate::server::project;

fn request(id: u8, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}).to_string()
}

/// Asserts the ids and the codes of the answers to these bodies; 0 is a result.
fn check(bodies: &[String], expected: &[(Value, i32)]) {
    let framed = bodies
        .iter()
        .map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    let stdin: String = framed.collect();
    let ended = serve(
        &project(),
        Input::new(Cursor::new(stdin.into_bytes()), false),
    );
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let found: Vec<(Value, i32)> = ended
        .stdout
        .split("Content-Length: ")
        .skip(1)
        .map(|part| {
            let (_, body) = part.split_once("\r\n\r\n").unwrap();
            let answer: Value = serde_json::from_str(body).unwrap();
            let code = answer["error"]["code"].as_i64().unwrap_or_default();
            (answer["id"].clone(), i32::try_from(code).unwrap())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_no_message_is_told_and_the_server_goes_on() {
    check(
        &[
            request(1, "initialize"),
            "{\"jsonrpc\": ".into(),
            "[1]".into(),
            request(2, "shutdown"),
        ],
        &[
            (json!(1), 0),
            (Value::Null, -32700),
            (Value::Null, -32600),
            (json!(2), 0),
        ],
    );
}

#[test]
fn a_message_that_is_too_long_is_not_kept() {
    let stdin = "Content-Length: 99999999999999\r\n\r\n{}";
    let ended = serve(&project(), Input::new(Cursor::new(stdin.as_bytes()), false));
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains("-32600"), "{}", ended.stdout);
}

#[test]
fn requests_have_their_turn() {
    check(
        &[
            request(1, "textDocument/hover"),
            request(2, "initialize"),
            request(3, "initialize"),
            request(4, "shutdown"),
            request(5, "textDocument/hover"),
        ],
        &[
            (json!(1), -32002),
            (json!(2), 0),
            (json!(3), -32600),
            (json!(4), 0),
            (json!(5), -32600),
        ],
    );
}
