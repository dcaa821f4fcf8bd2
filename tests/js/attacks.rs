//! Attempts to get out, and to change what everything else uses.

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
    ]);
}

#[test]
fn what_the_engine_uses_is_frozen() {
    check(&[
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
}

#[test]
fn hidden_prototypes_are_frozen() {
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

/// Frozen prototypes do not keep objects from having their own members.
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
