//! Limits of time, memory, results and logs.

use std::time::{Duration, Instant};

use cogtools_test_support::Status;
use serde_json::json;

use super::{check, check_ended, evaluate, outcome, text};

#[test]
fn what_does_not_end_is_ended() {
    let over = "timeout: exceeded 100 ms";
    check_ended(
        100,
        &[
            ("for (;;) {}", over),
            ("for (;;) { try { for (;;); } catch {} }", over),
            ("try { for (;;); } finally { return 1 }", over),
            (
                "a: for (;;) { try { for (;;); } finally { continue a } }",
                over,
            ),
            (
                "function* f() { try { for (;;) yield 1 } finally { for (;;); } } for (const x of f());",
                over,
            ),
            ("const f = async () => { for (;;); }; f()", over),
            ("/^(a+)+$/.test('a'.repeat(40) + 'b')", over),
            (
                "return Array.prototype.indexOf.call({length: 3e8}, 1)",
                over,
            ),
            ("[3, 2, 1].sort(() => { for (;;); })", over),
            ("[1].forEach(function f() { for (;;); })", over),
            ("return { get a() { for (;;); } }", over),
            ("return { toJSON() { for (;;); } }", over),
            ("return new Proxy({}, { ownKeys() { for (;;); } })", over),
            ("throw { get message() { for (;;); } }", over),
            ("throw { toString() { for (;;); } }", over),
            (
                "throw new Proxy({}, { getPrototypeOf() { for (;;); } })",
                over,
            ),
            (
                "class E extends Error { get name() { for (;;); } } throw new E()",
                over,
            ),
            ("console.log({ toString() { for (;;); } })", over),
            (
                "for (const x of { [Symbol.iterator]: () => ({ next: () => ({}) }) });",
                over,
            ),
            ("eval('for (;;);')", over),
            ("new Function('for (;;);')()", over),
            ("`${{ [Symbol.toPrimitive]() { for (;;); } }}`", over),
            ("new (class { static { for (;;); } })", over),
            (
                "const p = new Proxy({}, { has() { for (;;); } }); 'a' in p",
                over,
            ),
            ("JSON.parse('[1]', () => { for (;;); })", over),
            ("'a'.replace(/a/, () => { for (;;); })", over),
            ("let s = 0; for (const k of Array(1e9).keys()) s += k", over),
        ],
    );
}

/// These do not ask the engine whether the time is over.
#[test]
fn what_cannot_be_interrupted_is_killed() {
    check_ended(
        100,
        &[
            (
                "console.log('before'); return (7n ** 300000n).toString()",
                "timeout: exceeded 100 ms [\"before\"]",
            ),
            ("return new Array(5e7) + ''", "timeout: exceeded 100 ms"),
        ],
    );
}

#[test]
fn a_time_limit_is_brought_within_bounds() {
    for (ms, expected) in [(json!(1), "50"), (json!(-5), "50"), (json!(333.3), "333.3")] {
        let found = outcome(&json!({"code": "for (;;);", "timeoutMs": ms}));
        assert_eq!(found, format!("timeout: exceeded {expected} ms"));
    }
    let start = Instant::now();
    let found = outcome(&json!({"code": "for (;;);", "timeoutMs": 1e9}));
    assert_eq!(found, "timeout: exceeded 1500 ms");
    assert!(start.elapsed() >= Duration::from_millis(1_500));
}

#[test]
fn memory_has_a_limit() {
    let over = "memory: exceeded 64 MiB of memory";
    check(&[
        (
            "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
            over,
        ),
        (
            "self.a = []; for (;;) self.a.push(new Uint8Array(1e6))",
            over,
        ),
        ("let s = 'x'; for (;;) s += s", over),
        ("let s = '\\u1234'; for (;;) s = s + s + s.length", over),
        ("return new ArrayBuffer(1e9).byteLength", over),
        ("return new Array(1e9).fill(0).length", over),
        ("let o = {}; for (;;) o = { o }", over),
        ("const f = []; for (;;) f.push(() => f)", over),
        (
            "const s = Symbol.for('a'); const l = [s]; for (;;) l.push(Symbol())",
            over,
        ),
        ("return 'ab'.repeat(5e8)", over),
        ("return JSON.stringify(Array(3e7).fill('xxxx'))", over),
    ]);
    // Who catches it has its memory again, or runs out of it again.
    check(&[
        (
            "try { new ArrayBuffer(1e9) } catch { return 'caught' }",
            "\"caught\"",
        ),
        ("try { new ArrayBuffer(1e9) } catch (e) { throw e }", over),
        (
            "try { new ArrayBuffer(1e9) } catch (e) { e.message = 'x'; throw e }",
            over,
        ),
    ]);
}

#[test]
fn the_stack_has_a_limit() {
    let over = "runtime: RangeError: Maximum call stack size exceeded";
    check(&[
        ("const f = () => f() + 1; f()", over),
        ("const a = []; a[0] = a; return a.flat(Infinity)", over),
        (
            "const o = { toString() { return `${this}` } }; `${o}`",
            over,
        ),
        (
            "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a",
            over,
        ),
        (
            "const f = () => { try { f() } finally { f() } }; f()",
            "timeout: exceeded 1500 ms",
        ),
        (
            "return JSON.stringify(Array(1e5).fill().reduce((a) => [a], []))",
            over,
        ),
        ("return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))", over),
        (
            "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')",
            "runtime: SyntaxError: too many captures",
        ),
        ("return eval('('.repeat(1e5) + '1' + ')'.repeat(1e5))", over),
    ]);
}

#[test]
fn a_result_has_a_limit() {
    let large = "result: the result is larger than 1 MiB";
    let deep = "result: the result has more than 100 levels of nesting";
    check(&[
        ("return 'x'.repeat(2 ** 20 + 1)", large),
        ("return 'é'.repeat(2 ** 19 + 1)", large),
        ("return Array(3e5).fill(0)", large),
        ("return new Array(4e9)", large),
        (
            "let o = [1, 2, 3]; for (let i = 0; i < 40; i += 1) o = [o, o]; return o",
            large,
        ),
        (
            "let o = []; for (let i = 0; i < 100; i += 1) o = [o]; return o",
            deep,
        ),
        (
            "let o = {}; for (let i = 0; i < 100; i += 1) o = { o }; return o",
            deep,
        ),
        ("const o = { toJSON: () => ({ o }) }; return o", deep),
    ]);
    check(&[
        ("return 'x'.repeat(2 ** 20 - 100).length", "1048476"),
        (
            "let o = 1; for (let i = 0; i < 100; i += 1) o = [o]; return JSON.stringify(o).length",
            "201",
        ),
    ]);
    let nested =
        outcome(&json!({"code": "let o = 1; for (let i = 0; i < 100; i += 1) o = [o]; return o"}));
    assert_eq!(nested, format!("{}1{}", "[".repeat(100), "]".repeat(100)));
}

#[test]
fn logs_have_a_limit() {
    let found = evaluate(
        &json!({"timeoutMs": 1_500, "code": "for (let i = 0; i < 5e3; i += 1) console.log(i % 10)"}),
    );
    assert_eq!(found.status, Status::Exit(0));
    let found: serde_json::Value = serde_json::from_str(&text(&found.stdout)).expect("JSON");
    let logs = found["logs"].as_array().expect("logs");
    // 64 KiB, of which each takes 17 bytes.
    assert_eq!(logs.len(), 3_855 + 1);
    assert_eq!(logs[3_855], "[further logs are left out]");
    assert_eq!(logs[3_854], "4");
    check(&[(
        "console.log('x'.repeat(1e6)); console.log('y'); return 1",
        "1 [\"[further logs are left out]\"]",
    )]);
}
