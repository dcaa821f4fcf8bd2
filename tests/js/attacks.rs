//! Attempts to get out, to change what the engine uses afterwards, and to lie about the outcome.

use super::check;

#[test]
fn intrinsics_are_frozen() {
    check(&[
        (
            "String.prototype.trim = null",
            "runtime: TypeError: 'trim' is read-only",
        ),
        ("Math.PI = 3", "runtime: TypeError: 'PI' is read-only"),
        (
            "JSON.stringify = () => 1",
            "runtime: TypeError: 'stringify' is read-only",
        ),
        (
            "Date.now = () => 5",
            "runtime: TypeError: 'now' is read-only",
        ),
        (
            "Object.prototype.x = 1",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "Object.prototype.toString = () => 'a'",
            "runtime: TypeError: 'toString' is read-only",
        ),
        (
            "Object.prototype.__proto__ = {}",
            "runtime: TypeError: 'Immutable prototype object 'Object.prototype' cannot have their prototype set'",
        ),
        (
            "({}).__proto__.x = 1",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "[].constructor.prototype.push = null",
            "runtime: TypeError: 'push' is read-only",
        ),
        (
            "Array.prototype[0] = 1",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "Object.defineProperty(Array.prototype, '0', { set() {} })",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "Object.setPrototypeOf(Array.prototype, null)",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "delete Array.prototype.map",
            "runtime: TypeError: could not delete property",
        ),
        (
            "Function.prototype.call = null",
            "runtime: TypeError: 'call' is read-only",
        ),
        (
            "WeakMap.prototype.has = () => true",
            "runtime: TypeError: 'has' is read-only",
        ),
        (
            "Reflect.apply = null",
            "runtime: TypeError: 'apply' is read-only",
        ),
        (
            "RegExp.prototype[Symbol.replace] = null",
            "runtime: TypeError: 'Symbol.replace' is read-only",
        ),
        (
            "Error.prepareStackTrace = () => 1",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "Error.stackTraceLimit = 0",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "Promise.prototype.then = null",
            "runtime: TypeError: 'then' is read-only",
        ),
        (
            "Error.prototype.message = 'a'",
            "runtime: TypeError: 'message' is read-only",
        ),
    ]);
    let hidden = "const all = [
          Object.getPrototypeOf(function* () {}), Object.getPrototypeOf(async () => {}),
          Object.getPrototypeOf(async function* () {}), Object.getPrototypeOf(Int8Array),
          Object.getPrototypeOf([].values()), Object.getPrototypeOf(new Map().keys()),
          Object.getPrototypeOf(new Set().keys()), Object.getPrototypeOf(''.matchAll(/x/g)),
          Object.getPrototypeOf(''[Symbol.iterator]()), Object.getPrototypeOf([].values().take(1)),
          Object.getPrototypeOf(Iterator.from({ next() {} })),
          Object.getPrototypeOf(function* () {}.prototype),
          Object.getPrototypeOf(async function* () {}.prototype),
        ];
        let last = all[12];
        while ((last = Object.getPrototypeOf(last))) all.push(last);
        return all.map(Object.isFrozen).join()";
    let all = ["true"; 15].join(",");
    check(&[(hidden, &format!("\"{all}\""))]);
    let names = "return Object.getOwnPropertyNames(globalThis).filter((name) => {
          const value = globalThis[name];
          if (value === globalThis || Object(value) !== value) return false;
          return !Object.isFrozen(value) || value.prototype && !Object.isFrozen(value.prototype);
        })";
    check(&[(names, "[]")]);
}

/// What is frozen does not keep objects from having their own.
#[test]
fn objects_may_have_what_their_prototypes_have() {
    check(&[
        (
            "const o = {}; o.toString = () => 'a'; return `${o}`",
            "\"a\"",
        ),
        (
            "function F() {} F.prototype.toString = () => 'b'; return `${new F()}`",
            "\"b\"",
        ),
        (
            "class E extends RangeError { constructor() { super(); this.message = 'c' } } return new E().message",
            "\"c\"",
        ),
        (
            "const o = Object.create({}); o.constructor = 1; return Object.keys(o)",
            "[\"constructor\"]",
        ),
        (
            "const o = Object.freeze({}); o.valueOf = 1",
            "runtime: TypeError: object is not extensible",
        ),
        (
            "const e = new Error('a'); e.name = 'N'; return String(e)",
            "\"N: a\"",
        ),
        (
            "return JSON.stringify({ valueOf: 1, name: 2 })",
            "\"{\\\"valueOf\\\":1,\\\"name\\\":2}\"",
        ),
    ]);
}

#[test]
fn constructors_lead_nowhere() {
    check(&[
        ("return this", "~\"undefined\""),
        ("return (0, eval)('this') === globalThis", "true"),
        (
            "return [].constructor.constructor('return this')() === globalThis",
            "true",
        ),
        (
            "return console.log.constructor('return typeof process')()",
            "\"undefined\"",
        ),
        (
            "return (async () => {}).constructor('return 1')() instanceof Promise",
            "true",
        ),
        (
            "return (function* () {}).constructor('yield 1')().next().value",
            "1",
        ),
        (
            "return Object.getOwnPropertyNames(fetch).sort()",
            "[\"length\",\"name\",\"prototype\"]",
        ),
        (
            "return fetch.caller",
            "runtime: TypeError: invalid property access",
        ),
        (
            "return arguments.callee",
            "runtime: TypeError: invalid property access",
        ),
        (
            "try { fetch() } catch (e) { return e.constructor === Error && e.stack.includes('/') }",
            "false",
        ),
        ("return Error('a').stack.includes('main (body:2:')", "true"),
        (
            "const t = {}; Error.captureStackTrace(t); return typeof t.stack",
            "\"string\"",
        ),
        ("return new Error('a', { cause: 1 }).cause", "1"),
        (
            "return Object.keys(console.log.toString().length > 0 ? {} : 1)",
            "[]",
        ),
        ("let n = 0; for (const k in self) n += 1; return n", "0"),
    ]);
}

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
