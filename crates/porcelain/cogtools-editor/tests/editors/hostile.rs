//! Editors that hang, talk without end, or answer something else.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// The reason why the editor at `a.sock` did not answer, with that socket named by `variable`.
fn reason(variable: &str, request: &Request, begin: impl Fn(&Fixture)) -> String {
    let fixture = Fixture::new();
    let socket = fixture.path("a.sock");
    let fixture = fixture.set(variable, socket);
    begin(&fixture);
    let start = Instant::now();
    let (answer, reasons) = fixture.ask(request);
    assert!(
        start.elapsed() < Duration::from_millis(2_500),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(answer, Value::Null);
    reasons.join("\n")
}

fn protocol(answer: fn(&Value) -> Value) -> String {
    reason("COGTOOLS_EDITOR", &Request::SelectedText, |fixture| {
        fixture.editor("a.sock", answer);
    })
}

/// Sends `bytes` as often as possible.
fn flood(variable: &str, bytes: &'static [u8]) -> String {
    reason(variable, &Request::SelectedText, |fixture| {
        fixture.listen(
            "a.sock",
            move |mut stream| {
                while stream.write_all(bytes).is_ok() {}
            },
        );
    })
}

#[test]
fn answers_are_checked() {
    let check = |answer: fn(&Value) -> Value, expected: &str| {
        assert_eq!(protocol(answer), format!("COGTOOLS_EDITOR: {expected}"));
    };
    check(
        |_| json!({}),
        "its answer is not valid: it has neither `result` nor `error`",
    );
    check(
        |_| json!({"result": {}}),
        "its answer is not valid: it has no `text`",
    );
    check(
        |_| json!({"result": {"text": 1}}),
        "its answer is not valid: invalid type: integer `1`, expected a string",
    );
    check(
        |_| json!({"error": {"code": -32601, "message": "no"}}),
        "it does not have `get_selected_text`",
    );
    let long =
        |_: &Value| json!({"error": {"code": 1, "message": format!("no\n{}", "x".repeat(999))}});
    check(long, "it answered: no");
}

#[test]
fn other_programs_are_recognised() {
    let check = |bytes: &'static [u8], expected: &str| {
        let reason = reason("COGTOOLS_EDITOR", &Request::SelectedText, |fixture| {
            fixture.listen("a.sock", move |mut stream| {
                // Bytes that were not read would reset the connection.
                let _ = stream.read(&mut [0; 1 << 10]);
                let _ = stream.write_all(bytes);
            });
        });
        assert_eq!(reason, format!("COGTOOLS_EDITOR: {expected}"));
    };
    check(b"", "it closed the connection without an answer");
    check(b"\n", "it closed the connection without an answer");
    check(
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        "its answer is not valid: expected value at line 1 column 1",
    );
    check(
        b"\xff\n",
        "its answer is not valid: expected value at line 1 column 1",
    );
}

#[test]
fn deep_answers_are_refused() {
    let answer = |_: &Value| {
        let mut deep = json!(0);
        for _ in 0..120 {
            deep = json!([deep]);
        }
        json!({"result": deep})
    };
    assert!(protocol(answer).contains("its answer is not valid"));
    let reason = flood("COGTOOLS_EDITOR", b"[");
    let expected = "COGTOOLS_EDITOR: its answer is longer than 8 MiB";
    assert!(
        reason == expected || reason.ends_with("within 1 s"),
        "{reason}"
    );
}

#[test]
fn answers_have_a_limit() {
    let expected = "its answer is longer than 8 MiB";
    assert_eq!(
        flood("COGTOOLS_EDITOR", &[b'x'; 16_384]),
        format!("COGTOOLS_EDITOR: {expected}")
    );
    // A text of four gibibytes.
    let reason = reason("NVIM", &Request::SelectedText, |fixture| {
        fixture.listen("a.sock", |mut stream| {
            let _ = stream.write_all(b"\x94\x01\x01\xc0\xdb\xff\xff\xff\xff");
            while stream.write_all(&[b'x'; 16_384]).is_ok() {}
        });
    });
    assert_eq!(reason, format!("NVIM: {expected}"));
}

#[test]
fn an_editor_that_hangs_is_left_after_a_second() {
    let hang = |variable: &str| {
        reason(variable, &Request::SelectedText, |fixture| {
            fixture.listen("a.sock", |mut stream| {
                let _ = stream.read_to_end(&mut Vec::new());
            });
        })
    };
    assert_eq!(
        hang("COGTOOLS_EDITOR"),
        "COGTOOLS_EDITOR: it did not answer within 1 s"
    );
    assert_eq!(hang("NVIM"), "NVIM: it did not answer within 1 s");
    // It says something, again and again.
    let slow = reason("COGTOOLS_EDITOR", &Request::SelectedText, |fixture| {
        fixture.listen("a.sock", |mut stream| {
            while stream.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        });
    });
    assert_eq!(slow, "COGTOOLS_EDITOR: it did not answer within 1 s");
}

#[test]
fn an_editor_that_accepts_nobody_is_left_as_well() {
    let full = reason("COGTOOLS_EDITOR", &Request::SelectedText, |fixture| {
        let socket = fixture.path("a.sock");
        let listener = UnixListener::bind(&socket).expect("a socket");
        // No one accepts, until the queue is full.
        let queue = thread::spawn(move || {
            let mut streams = Vec::new();
            for _ in 0..200 {
                let socket = socket.clone();
                streams.push(thread::spawn(move || {
                    std::os::unix::net::UnixStream::connect(socket)
                }));
            }
            thread::sleep(Duration::from_secs(5));
            drop(listener);
        });
        thread::sleep(Duration::from_millis(300));
        drop(queue);
    });
    assert_eq!(full, "COGTOOLS_EDITOR: it did not answer within 1 s");
}

#[test]
fn neovim_may_send_anything() {
    let check = |bytes: &'static [u8], expected: &str| {
        let reason = reason("NVIM", &Request::SelectedText, |fixture| {
            fixture.listen("a.sock", move |mut stream| {
                let _ = stream.write_all(bytes);
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read_to_end(&mut Vec::new());
            });
        });
        assert_eq!(reason, format!("NVIM: {expected}"));
    };
    check(b"", "its answer is not valid: it ends too early");
    check(
        b"\x01",
        "its answer is not valid: it is not a response of MessagePack-RPC",
    );
    check(
        b"\x93\x02\xa1x\x90\x94\x01\x01\x92\x00\xa2no\xc0",
        "it answered: no",
    );
    check(
        b"\x94\x01\x01\xc0\xc0",
        "it does not have `get_selected_text`",
    );
    check(
        b"\x94\x01\x01\xc0\xa3abc",
        "its answer is not valid: expected value at line 1 column 1",
    );
    check(
        b"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91",
        "invalid data",
    );
}

#[test]
fn long_texts_are_cut_between_characters() {
    let fixture = Fixture::new();
    let socket = fixture.path("a.sock");
    let fixture = fixture.set("COGTOOLS_EDITOR", socket);
    // Two bytes each, after one.
    fixture.editor("a.sock", |_| {
        json!({"result": {"text": format!("a{}", "ä".repeat(1 << 20)), "name": "\u{1b}[31mred\n"}})
    });
    let (answer, reasons) = fixture.ask(&Request::CurrentFile { path: None });
    assert_eq!(reasons, [""; 0]);
    assert_eq!(answer[0], "[31mred");
    let text = answer[1]["text"].as_str().expect("a text");
    assert_eq!(
        (text.len(), &answer[1]["truncated"]),
        ((1 << 20) - 1, &json!(true))
    );
}

#[test]
fn a_file_or_a_folder_is_no_socket() {
    let check = |value: &str, expected: &str| {
        let fixture = Fixture::new();
        let value = value.replace("ROOT", &fixture.path("").display().to_string());
        let fixture = fixture
            .set("COGTOOLS_EDITOR", &value)
            .set("NVIM", "127.0.0.1:6666");
        let (answer, reasons) = fixture.ask(&Request::SelectedText);
        assert_eq!(answer, Value::Null);
        let neovim = "NVIM: `127.0.0.1:6666` is not the path of a socket";
        assert_eq!(
            reasons,
            [format!("COGTOOLS_EDITOR: {expected}"), neovim.to_owned()]
        );
    };
    check("ROOTproject", "`[..]/project` is not the path of a socket");
    check("relative", "`relative` is not the path of a socket");
    check("ROOTgone", "there is no socket at `[..]/gone`");
}
