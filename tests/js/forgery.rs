//! Attempts to change what the engine reads of a result or an error, and values that are huge.

use super::check;

/// The engine looks at results and errors with functions of the same context.
#[test]
fn nobody_can_change_how_a_result_is_read() {
    check(&[
        ("JSON = { stringify: () => '1' }; return 2", "2"),
        (
            "Object = Array = String = WeakMap = Reflect = null; return [{ a: [] }]",
            "[{\"a\":[]}]",
        ),
        (
            "self.String = () => 'x'; return undefined",
            "~\"undefined\"",
        ),
        ("Number = 1; return NaN", "~\"NaN\""),
        (
            "self.isPromise = () => false; return [Promise.resolve()]",
            "result: the value at `/0` is a promise, which is not JSON",
        ),
        ("Error = null; throw { a: 1 }", "runtime: {\"a\":1}"),
        (
            "TypeError = function () { throw 1 }; return () => 1",
            "result: the result is a function, which is not JSON",
        ),
    ]);
}

#[test]
fn what_is_not_json_is_found() {
    check(&[
        (
            "class P extends Promise {} return { p: new P(() => {}) }",
            "result: the value at `/p` is a promise, which is not JSON",
        ),
        (
            "const p = Object.setPrototypeOf(Promise.resolve(), {}); return p",
            "result: the result is a promise, which is not JSON",
        ),
        (
            "return { then() {} }",
            "result: the value at `/then` is a function, which is not JSON",
        ),
        ("return Object.create(Promise.prototype)", "{}"),
        (
            "return new Proxy(() => 1, {})",
            "result: the result is a function, which is not JSON",
        ),
        (
            "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy",
            "runtime: TypeError: revoked proxy",
        ),
        (
            "let n = 0; return { get a() { return n++ ? () => 1 : 1 } }",
            "{\"a\":1}",
        ),
        (
            "return { toJSON() { this.b = () => 1; return { b: this } } }",
            "result: the result has more than 100 levels of nesting",
        ),
        (
            "const a = [1, 2]; a[0] = { toJSON() { a.length = 0; return 3 } }; return a",
            "[3,null]",
        ),
        (
            "const k = '\\n`\\u202e'; return { [k]: () => 1 }",
            "result: the value at `/\n`\u{202e}` is a function, which is not JSON",
        ),
        (
            "return { ['k'.repeat(1e6)]: () => 1 }",
            &format!(
                "result: the value at `/{}` is a function, which is not JSON",
                "k".repeat(199)
            ),
        ),
    ]);
}

#[test]
fn nobody_can_change_how_an_error_is_read() {
    check(&[
        (
            "const e = new Error('a'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
            "runtime: an error without a text",
        ),
        (
            "const e = new Error('a'); e.toString = () => 5; throw e",
            "runtime: 5",
        ),
        (
            "throw new Proxy(new Error('a'), { get() { throw 1 } })",
            "runtime: an error without a text",
        ),
        (
            "throw new Proxy({}, { getPrototypeOf() { throw 1 } })",
            "runtime: an error without a text",
        ),
        (
            "throw Object.setPrototypeOf(new Error('a'), null)",
            "runtime: a",
        ),
        (
            "throw Object.assign(Object.create(Error.prototype), { name: 'JS', message: 'b' })",
            "runtime: JS: b",
        ),
        (
            "throw 'x'.repeat(1e6)",
            &format!("runtime: {}", "x".repeat(2_000)),
        ),
        ("throw '\\ud800'", "runtime: \u{FFFD}"),
        ("throw () => 1", "runtime: () => 1"),
        (
            "const m = new WeakMap(); m.set(Error, 1); throw new Error('a')",
            "runtime: a",
        ),
    ]);
}

#[test]
fn time_and_threads_are_not_there() {
    check(&[
        (
            "return typeof Atomics + typeof SharedArrayBuffer",
            "\"undefinedundefined\"",
        ),
        (
            "return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })",
            "runtime: ReferenceError: WebAssembly is not defined",
        ),
        ("Promise.resolve().then(() => { for (;;); }); return 1", "1"),
        (
            "(async () => { for await (const x of []); })(); return 2",
            "2",
        ),
        ("Promise.reject(new Error('a')); return 3", "3"),
        ("new Promise(() => { throw 1 }); return 4", "4"),
        (
            "return new WeakRef({})",
            "runtime: ReferenceError: WeakRef is not defined",
        ),
        (
            "using x = { [Symbol.dispose]() { console.log('end') } }; return 1",
            "1 [\"end\"]",
        ),
        (
            "const t = Date.now(); while (Date.now() - t < 20); return 'slept'",
            "\"slept\"",
        ),
    ]);
}

#[test]
fn huge_values() {
    check(&[
        (
            "return (2n ** 100n)",
            "~\"1267650600228229401496703205376\"",
        ),
        (
            "return 1n << 10000000000n",
            "runtime: RangeError: BigInt is too large to allocate",
        ),
        (
            "return new Uint8Array(-1)",
            "runtime: RangeError: invalid array index",
        ),
        ("return new Uint8Array([1, 2])", "{\"0\":1,\"1\":2}"),
        (
            "return [].concat(...Array(1e5).fill([1])).length",
            "runtime: RangeError: too many arguments in function call (only 65535 allowed)",
        ),
        (
            "return Math.max(...Array(1e6).fill(1))",
            "runtime: RangeError: too many arguments in function call (only 65535 allowed)",
        ),
        (
            "return 'a'.padEnd(2 ** 31)",
            "runtime: RangeError: invalid string length",
        ),
        (
            "const b = new ArrayBuffer(8, { maxByteLength: 16 }); b.resize(16); return b.byteLength",
            "16",
        ),
        (
            "const b = new ArrayBuffer(8); const c = b.transfer(); return [b.detached, c.byteLength]",
            "[true,8]",
        ),
        (
            "const v = new DataView(new ArrayBuffer(1)); v.setInt32(0, 1)",
            "runtime: RangeError: out of bound",
        ),
        (
            "const a = new Int32Array(4); a.set([1], 4)",
            "runtime: RangeError: invalid array length",
        ),
        (
            "return [3, 1, 2].sort((a, b) => { throw new Error('a') })",
            "runtime: a",
        ),
        (
            "return [1, 2, 3].sort(() => Math.random() - 0.5).length",
            "3",
        ),
        (
            "return Array.from({ length: 3 }, (_, i) => i ** 2)",
            "[0,1,4]",
        ),
        ("return Object.fromEntries(Array(3).entries())", "{}"),
    ]);
}
