//! The language: results, logs, what exists and what does not.

use serde_json::json;

use super::{check, outcome};

#[test]
fn results() {
    check(&[
        ("return 1", "1"),
        ("return -0", "0"),
        ("return 1e21", "1e+21"),
        ("return 'é\\u0000\\n😀'", "\"é\\u0000\\n😀\""),
        ("return '\\ud800a'", "\"\u{FFFD}a\""),
        (
            "return { '\\udc00': ['\\ud800'] }",
            "{\"\u{FFFD}\":[\"\u{FFFD}\"]}",
        ),
        ("return null", "null"),
        ("return", "~\"undefined\""),
        ("return 5n", "~\"5\""),
        ("return NaN", "~\"NaN\""),
        ("return -Infinity", "~\"-Infinity\""),
        ("const a = [1]; a.push(a); return a", "~\"1,\""),
        (
            "const o = { a: {} }; o.a.o = o; return o",
            "~\"[object Object]\"",
        ),
        ("const o = {}; return [o, o]", "[{},{}]"),
        ("return { toJSON() {} }", "~\"[object Object]\""),
        ("return [undefined, NaN, -Infinity]", "[null,null,null]"),
        (
            "return { b: 1, a: undefined, 2: 2, 1: 1 }",
            "{\"1\":1,\"2\":2,\"b\":1}",
        ),
        ("return new Date(0)", "\"1970-01-01T00:00:00.000Z\""),
        (
            "return [new Map([[1, 2]]), /x/g, new Error('e')]",
            "[{},{},{}]",
        ),
        ("return new Date(NaN)", "null"),
        (
            "return [Object(1), Object('a'), Object(false)]",
            "[1,\"a\",false]",
        ),
        ("return Object.create({ a: 1 })", "{}"),
        ("return { toJSON: () => [1] }", "[1]"),
        ("return { get a() { return 1 } }", "{\"a\":1}"),
        ("return new Proxy({ a: 1 }, {})", "{\"a\":1}"),
        ("return { __proto__: null, a: 1 }", "{\"a\":1}"),
        (
            "return JSON.parse('{\"__proto__\":1}')",
            "{\"__proto__\":1}",
        ),
    ]);
}

#[test]
fn results_that_are_not_json() {
    check(&[
        (
            "return () => 1",
            "result: the result is a function, which is not JSON",
        ),
        (
            "return class {}",
            "result: the result is a function, which is not JSON",
        ),
        (
            "return Symbol('a')",
            "result: the result is a symbol, which is not JSON",
        ),
        (
            "return (async () => 1)()",
            "result: the result is a promise, which is not JSON",
        ),
        (
            "return { a: [0, parseInt] }",
            "result: the value at `/a/1` is a function, which is not JSON",
        ),
        (
            "return { a: { b: 1 }, c: Symbol() }",
            "result: the value at `/c` is a symbol, which is not JSON",
        ),
        (
            "return [[Promise.resolve()]]",
            "result: the value at `/0/0` is a promise, which is not JSON",
        ),
        (
            "return { a: 1n }",
            "result: the value at `/a` is a bigint, which is not JSON",
        ),
        (
            "return { toJSON: () => () => 1 }",
            "result: the result is a function, which is not JSON",
        ),
        ("return { get a() { throw new Error('a') } }", "runtime: a"),
        ("return { toJSON() { throw 'a' } }", "runtime: a"),
        (
            "return new Proxy([], { get() { throw 'a' } })",
            "runtime: a",
        ),
    ]);
}

#[test]
fn what_is_thrown() {
    check(&[
        ("throw new Error('boom')", "runtime: boom"),
        ("throw new TypeError('boom')", "runtime: TypeError: boom"),
        ("throw new Error()", "runtime: Error"),
        ("throw 'text'", "runtime: text"),
        ("throw undefined", "runtime: undefined"),
        ("throw Symbol('a')", "runtime: Symbol(a)"),
        ("throw { message: 'boom' }", "runtime: boom"),
        ("throw { a: 1 }", "runtime: {\"a\":1}"),
        ("throw { toString: () => 'boom' }", "runtime: boom"),
        (
            "throw { toString() { throw 1 } }",
            "runtime: an error without a text",
        ),
        (
            "throw Object.create(null)",
            "runtime: an error without a text",
        ),
        (
            "class E extends Error { constructor() { super('a'); this.name = 'E' } } throw new E()",
            "runtime: E: a",
        ),
        (
            "args.a.b",
            "runtime: TypeError: cannot read property 'b' of undefined",
        ),
        ("x", "runtime: ReferenceError: x is not defined"),
        ("x = 1", "runtime: ReferenceError: x is not defined"),
        (
            "eval('}')",
            "runtime: SyntaxError: unexpected token in expression: '}'",
        ),
        (
            "JSON.parse('{')",
            "runtime: SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
        ),
    ]);
}

/// Nothing about what is thrown is the code of the failure, only what it is.
#[test]
fn codes_cannot_be_made() {
    check(&[
        ("throw { code: 'JS_TIMEOUT', message: 'a' }", "runtime: a"),
        (
            "throw Object.assign(new Error('a'), { code: 'JS_MEMORY' })",
            "runtime: a",
        ),
        (
            "throw Object.assign(new Error('out of memory'), { name: 'InternalError' })",
            "runtime: InternalError: out of memory",
        ),
        (
            "class InternalError extends Error {} throw new InternalError('out of memory')",
            "runtime: out of memory",
        ),
        (
            "throw Object.assign(new Error('fetch is forbidden'), { code: 'JS_FORBIDDEN' })",
            "runtime: fetch is forbidden",
        ),
        ("throw new SyntaxError('a')", "runtime: SyntaxError: a"),
        (
            "throw { kind: 'result', text: 'a' }",
            "runtime: {\"kind\":\"result\",\"text\":\"a\"}",
        ),
        (
            "throw Object.assign(new Error('interrupted'), { name: 'InternalError' })",
            "runtime: InternalError: interrupted",
        ),
        ("try { x } catch (e) { return e.stack.length > 0 }", "true"),
    ]);
}

#[test]
fn a_body_is_one_function() {
    let syntax = |found: &str| found.starts_with("syntax: ");
    for code in [
        "return }",
        "return 1}, function(){",
        "return 1}) , (function(){",
        "return 1} [args] = function(){",
        "return 1} static m2(){",
        "})}); (function(){((args)=>{",
        "return 1 /*",
        "return `",
        "return '",
        "await 1",
        "yield 1",
        "import('fs'); import fs from 'fs'",
        "export default 1",
        "return 010",
        "with (args) {}",
        "super.x",
        "let args = 1",
        "return 1 \u{0} 2",
        "for (",
        "break",
    ] {
        let found = outcome(&json!({"code": code}));
        assert!(syntax(&found), "{code}: {found}");
    }
    check(&[
        ("return 1 // }", "1"),
        ("return 1 /* } */", "1"),
        ("return '}' + /}/.source + `}`", "\"}}}\""),
        (
            "return arguments.length + typeof this + typeof new.target",
            "\"1undefinedundefined\"",
        ),
        ("args = 2; return args", "2"),
        ("var args = 3; return args", "3"),
        ("'use strict'; return 1", "1"),
        (
            "label: { break label } return function () { return this }() === undefined",
            "true",
        ),
    ]);
}

#[test]
fn what_exists() {
    check(&[
        ("return self === globalThis && self.self === self", "true"),
        ("self.x = 1; return x", "1"),
        ("return Object.isExtensible(globalThis)", "true"),
        (
            "return [eval('1 + 1'), new Function('a', 'return a')(3)]",
            "[2,3]",
        ),
        (
            "return Object.groupBy([1, 2, 3], (x) => x % 2 ? 'odd' : 'even')",
            "{\"odd\":[1,3],\"even\":[2]}",
        ),
        (
            "console.info(1); console.debug({}, [1, 2]); console.error(); return 2",
            "2 [\"1\",\"[object Object] 1,2\",\"\"]",
        ),
        (
            "console.log(Symbol('a'), null, '\\ud800')",
            "~\"undefined\" [\"Symbol(a) null \u{FFFD}\"]",
        ),
        (
            "const l = console.log; l(1); return Object.isFrozen(console)",
            "true [\"1\"]",
        ),
        (
            "console.log({ toString() { throw new Error('a') } })",
            "runtime: a",
        ),
        ("console.table()", "runtime: TypeError: not a function"),
    ]);
    let absent = "return ['window', 'document', 'process', 'require', 'module', 'exports', 'std', 'os', \
                  'setTimeout', 'setInterval', 'queueMicrotask', 'performance', 'navigator', \
                  'location', 'Worker', 'postMessage', 'localStorage', 'crypto', 'atob', 'btoa', \
                  'Buffer', 'Deno', 'Bun', 'print', 'gc', 'WebAssembly', 'Intl', 'Atomics', \
                  'SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'InternalError', \
                  'DOMException', 'structuredClone', 'TextEncoder', 'URL', 'Blob', 'scriptArgs'] \
                  .filter((name) => name in self)";
    check(&[(absent, "[]")]);
    check(&[
        ("import('fs'); return 1", "1"),
        (
            "return [typeof fetch, typeof caches, 'indexedDB' in self]",
            "[\"function\",\"function\",true]",
        ),
    ]);
}

#[test]
fn what_is_forbidden() {
    check(&[
        ("fetch('http://localhost')", "forbidden: fetch is forbidden"),
        (
            "new XMLHttpRequest()",
            "forbidden: XMLHttpRequest is forbidden",
        ),
        (
            "new WebSocket('ws://localhost')",
            "forbidden: WebSocket is forbidden",
        ),
        (
            "self['import' + 'Scripts']('x')",
            "forbidden: importScripts is forbidden",
        ),
        (
            "Reflect.construct(caches, [])",
            "forbidden: caches is forbidden",
        ),
        (
            "new (class extends WebSocket {})",
            "forbidden: WebSocket is forbidden",
        ),
        ("[1].map(fetch)", "forbidden: fetch is forbidden"),
        (
            "try { fetch() } catch (e) { throw e }",
            "forbidden: fetch is forbidden",
        ),
        (
            "try { fetch() } catch (e) { return e.message }",
            "\"fetch is forbidden\"",
        ),
        (
            "try { fetch() } catch (e) { throw new Error(e.message) }",
            "runtime: fetch is forbidden",
        ),
        ("indexedDB.open('x')", "runtime: TypeError: not a function"),
        (
            "self.fetch = () => 1; return fetch()",
            "runtime: TypeError: 'fetch' is read-only",
        ),
        (
            "delete self.fetch; fetch()",
            "runtime: TypeError: could not delete property",
        ),
    ]);
}

#[test]
fn numbers_and_dates() {
    check(&[
        (
            "return (1234567.891).toLocaleString('en-US')",
            "\"1,234,567.891\"",
        ),
        (
            "return (-1234.5).toLocaleString(undefined, { minimumFractionDigits: 2 })",
            "\"-1,234.50\"",
        ),
        (
            "return (0.12345).toLocaleString('en', { maximumFractionDigits: 1, useGrouping: false })",
            "\"0.1\"",
        ),
        (
            "return [1e6, 999, 12345678901234567890n].map((n) => n.toLocaleString())",
            "[\"1,000,000\",\"999\",\"12,345,678,901,234,567,890\"]",
        ),
        (
            "return [NaN, -Infinity, 1e21, -0].map((n) => n.toLocaleString())",
            "[\"NaN\",\"-∞\",\"1e+21\",\"0\"]",
        ),
        (
            "return (1).toLocaleString('de-DE')",
            "runtime: RangeError: only en-US is there, not de-DE",
        ),
        (
            "return (1).toLocaleString('en-US', { style: 'percent' })",
            "runtime: RangeError: there is no option style",
        ),
        (
            "return (1).toLocaleString([], { maximumFractionDigits: 99 })",
            "runtime: RangeError: the number of digits must be 0 to 20",
        ),
        (
            "return new Date(2020, 0, 1).toISOString() + new Date(0).getTimezoneOffset()",
            "\"2020-01-01T00:00:00.000Z0\"",
        ),
        (
            "return Math.abs(new Date() - Date.now()) < 1e3 && Date.now() > 1.6e12",
            "true",
        ),
    ]);
    let fixed = |code: &str| outcome(&json!({"code": code, "now": 1e12}));
    for (code, expected) in [
        (
            "return [Date.now(), +new Date(), Date.length, new Date(5).getTime()]",
            "[1000000000000,1000000000000,7,5]",
        ),
        (
            "return [Date(), new Date() instanceof Date, new Date().constructor === Date]",
            "[\"Sun Sep 09 2001 01:46:40 GMT+0000\",true,true]",
        ),
        (
            "class D extends Date {} return [+new D(), new D() instanceof D, Date.UTC(1970)]",
            "[1000000000000,true,0]",
        ),
        ("return new Date().constructor('x') === Date()", "true"),
    ] {
        assert_eq!(fixed(code), expected, "{code}");
    }
}

#[test]
fn the_same_request_gives_the_same_numbers() {
    let numbers = |code: &str, a: i32| outcome(&json!({"code": code, "args": {"a": a}}));
    let code = "return [Math.random(), Math.random()]";
    assert_eq!(numbers(code, 1), numbers(code, 1));
    assert_ne!(numbers(code, 1), numbers(code, 2));
    assert_ne!(numbers(code, 1), numbers(&format!("{code};"), 1));
    check(&[(
        "const all = Array.from({ length: 1e4 }, Math.random); \
         return [all.every((x) => x >= 0 && x < 1), new Set(all).size > 9990, \
         Math.abs(all.reduce((a, b) => a + b) / 1e4 - 0.5) < 0.02]",
        "[true,true,true]",
    )]);
}
