//! Returned values and thrown errors.

use super::check;

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

/// A thrown value never decides the code of the failure.
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
