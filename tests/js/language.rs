//! The language: what a body is, what exists and what does not.

use serde_json::json;

use super::{check, outcome};

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
                  'location', 'Worker', 'postMessage', 'localStorage', \
                  'Buffer', 'Deno', 'Bun', 'print', 'gc', 'WebAssembly', 'Atomics', \
                  'SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'InternalError', \
                  'DOMException', 'Blob', 'scriptArgs'] \
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
            "[\"NaN\",\"-∞\",\"1,000,000,000,000,000,000,000\",\"0\"]",
        ),
        (
            "return (1).toLocaleString('de-DE')",
            "runtime: RangeError: only en-US is there, not de-DE",
        ),
        (
            "return (1).toLocaleString('en-US', { style: 'unit' })",
            "runtime: RangeError: there is no style unit, only decimal, percent, currency",
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

/// Node.js gives the same texts.
#[test]
fn dates_and_numbers_of_en_us_are_right_or_an_error() {
    let date = "const d = new Date(Date.UTC(2026, 6, 4, 3, 5, 9)); return d.";
    for (code, expected) in [
        (
            "toLocaleString('en-US', { timeZone: 'America/New_York', weekday: 'long', year: \
             'numeric', month: 'long', day: 'numeric', hour: 'numeric', timeZoneName: 'short' })",
            "\"Friday, July 3, 2026 at 11 PM EDT\"",
        ),
        (
            "toLocaleDateString('en-US', { timeZone: 'Asia/Tokyo', weekday: 'short' })",
            "\"Sat\"",
        ),
        ("toLocaleString()", "\"7/4/2026, 3:05:09 AM\""),
        (
            "toLocaleTimeString('en', { hour12: false, timeZone: 'Asia/Kolkata' })",
            "\"08:35:09\"",
        ),
        (
            "toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' })",
            "\"Jul 4, 2026, 3:05 AM\"",
        ),
        (
            "toLocaleString('en-US', { timeZone: 'Mars/Base' })",
            "runtime: RangeError: there is no time zone Mars/Base",
        ),
        (
            "toLocaleString('de-DE')",
            "runtime: RangeError: only en-US is there, not de-DE",
        ),
        (
            "toLocaleString('en-US', { era: 'long' })",
            "runtime: RangeError: there is no option era",
        ),
    ] {
        check(&[(&format!("{date}{code}"), expected)]);
    }
    check(&[
        (
            "return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })\
             .format(-1234.5)",
            "\"-$1,234.50\"",
        ),
        (
            "return [1234567, 999950, 12].map(new Intl.NumberFormat('en', { notation: 'compact' })\
             .format)",
            "[\"1.2M\",\"1M\",\"12\"]",
        ),
        (
            "return (0.256).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })",
            "\"25.6%\"",
        ),
        (
            "return ['b', 'a10', 'a9', 'C', 'é'].sort(new Intl.Collator('en', { numeric: true })\
             .compare)",
            "[\"a9\",\"a10\",\"b\",\"C\",\"é\"]",
        ),
        (
            "new Intl.PluralRules('en')",
            "runtime: TypeError: Intl.PluralRules is not there: only NumberFormat, \
             DateTimeFormat and Collator are, for en-US",
        ),
    ]);
}

#[test]
fn what_code_of_the_web_uses() {
    check(&[
        (
            "const u = new URL('../x?a=1#h', 'https://user:pw@Ex.com:443/a/b/c'); \
             u.searchParams.append('q', 'é&'); return [u.href, u.host, [...u.searchParams]]",
            "[\"https://user:pw@ex.com/a/x?a=1&q=%C3%A9%26#h\",\"ex.com\",\
             [[\"a\",\"1\"],[\"q\",\"é&\"]]]",
        ),
        (
            "return [URL.canParse('x'), new URLSearchParams({ a: 'b c' }).toString(), \
             new URL('http://[1:0:0::2]/').hostname, new URL('http://0x7f.1').host]",
            "[false,\"a=b+c\",\"[1::2]\",\"127.0.0.1\"]",
        ),
        ("new URL('x')", "runtime: TypeError: Invalid URL: x"),
        (
            "return [btoa('hé'), atob('aGVsbG8='), new TextEncoder().encode('é').length, \
             new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 0xC3, 0xA9]))]",
            "[\"aOk=\",\"hello\",2,\"é\"]",
        ),
        (
            "return new Uint8Array(crypto.subtle.digestSync('SHA-256', 'abc')).slice(0, 2).join()",
            "\"186,120\"",
        ),
        (
            "return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/\
             .test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID()",
            "true",
        ),
        (
            "const a = { m: new Map([['x', new Date(0)]]) }; a.self = a; \
             const b = structuredClone(a); return [b.self === b, b !== a, b.m.get('x')]",
            "[true,true,\"1970-01-01T00:00:00.000Z\"]",
        ),
        (
            "structuredClone(() => 1)",
            "runtime: TypeError: a function cannot be cloned",
        ),
        ("Intl = 5; return Intl", "5"),
    ]);
}

/// Types leave blanks behind, so errors are where they were written.
#[test]
fn types_are_stripped() {
    check(&[
        (
            "interface Row { price: number; name?: string }\n\
             const total = (rows: Row[]): number => rows.reduce((sum, row) => sum + row.price, 0)\n\
             type Answer = { total: number }\n\
             return { total: total([{ price: 2 }] as Row[]) } satisfies Answer",
            "{\"total\":2}",
        ),
        (
            "class Box<T> { private readonly value: T; constructor(value: T) { this.value = value } \
             get(): T { return this.value! } }\nreturn new Box<number>(3).get()",
            "3",
        ),
        // What is JavaScript means what it meant.
        ("const a = 1, b = 2, c = 0; return a < b > (c)", "true"),
        (
            "enum Colour { Red }",
            "syntax: `enum` is more than a type: write an object, such as \
             `const Colour = { Red: \"red\" }`",
        ),
        (
            "class A { constructor(public a: number) {} }",
            "syntax: a parameter that is a property is more than a type: declare the field, and \
             write `this.name = name` in the constructor",
        ),
        ("let a: number = 1; let b = ;", "syntax: unexpected token"),
        (
            "let a: number = await b",
            "syntax: `await` is only allowed within async functions and at the top levels of \
             modules: `await` is needless: nothing here is asynchronous",
        ),
        // The end of the function is found with types as without.
        (
            "let a: T; return }, x(args) { return 1",
            "syntax: unexpected token",
        ),
    ]);
    let request = json!({"code": "let a: string[] = []\nreturn (a as any).b.c"});
    let error = String::from_utf8(super::evaluate(&request).stderr).expect("text");
    let error: serde_json::Value = serde_json::from_str(&error).expect(&error);
    assert_eq!(error["line"], 2, "{error}");
    assert_eq!(error["column"], 9, "{error}");
}

/// Messages for missing features say what to write instead.
#[test]
fn errors_say_what_to_write() {
    for (code, expected) in [
        (
            "setTimeout(f, 5)",
            "nothing here is asynchronous: call the function itself",
        ),
        (
            "return await f()",
            "`await` is needless: nothing here is asynchronous",
        ),
        ("import fs from 'fs'", "there are no modules: write"),
        ("const fs = require('fs')", "there are no modules: write"),
        (
            "return (async () => 1)()",
            "promises never end: return the value itself",
        ),
        (
            "crypto.subtle.digest('SHA-256', 'x')",
            "use crypto.subtle.digestSync",
        ),
        ("return 'a\u{0}b'", "the code has a NUL character"),
    ] {
        let outcome = super::evaluate(&json!({"code": code}));
        let error = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(error.contains(expected), "{code}: {error}");
    }
}
