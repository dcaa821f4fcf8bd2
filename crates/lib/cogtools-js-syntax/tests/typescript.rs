//! TypeScript without its types: what is left, what is refused, and what is no TypeScript.

use cogtools_js_syntax::{MAX_NESTING, strip_types};

/// `~` stands for a blank in `expected`, so that rows show what has gone.
fn check(code: &str, expected: &str) {
    let stripped = strip_types(code).expect(code).expect(code);
    assert_eq!(stripped, expected.replace('~', " "), "{code}");
    assert_eq!(strip_types(&stripped), Ok(None), "{code}");
}

#[test]
fn types_leave_blanks() {
    for (code, expected) in [
        ("let a: number = 1", "let a~~~~~~~~ = 1"),
        (
            "let a!: T; let {b}: {b: T} = c",
            "let a~~~~; let {b}~~~~~~~~ = c",
        ),
        (
            "function f<T>(this: X, a?: T, ...b: T[]): a is T { return a! }",
            "function f~~~(~~~~~~~~ a~~~~, ...b~~~~~)~~~~~~~~ { return a~ }",
        ),
        (
            "const f = (a?, b?: T): T => b as T",
            "const f = (a~, b~~~~)~~~ => b~~~~~",
        ),
        (
            "const f = async <T,>(a: T) => a",
            "const f = async ~~~~(a~~~) => a",
        ),
        (
            "try {} catch (e: unknown) {}",
            "try {} catch (e~~~~~~~~~) {}",
        ),
        (
            "return f<T>(a)<U>`b` + new M<K, V>()",
            "return f~~~(a)~~~`b` + new M~~~~~~()",
        ),
        ("a?.b!.c; e!.f! = d!", "a?.b~.c; e~.f~ = d~"),
        ("const f = g<T>;", "const f = g~~~;"),
        (
            "const a = {b: 1} satisfies T as const;",
            "const a = {b: 1}~~~~~~~~~~~~~~~~~~~~~;",
        ),
        (
            "return (a as any as B).c * 2 as C",
            "return (a~~~~~~~~~~~~).c * 2~~~~~",
        ),
        ("return a as number * 2", "return a~~~~~~~~~~ * 2"),
        ("return a + b as number < 2", "return a + b~~~~~~~~~~ < 2"),
        ("type A = B\nreturn 1", ";~~~~~~~~~\nreturn 1"),
        (
            "interface A { b: C }\nreturn 1",
            ";~~~~~~~~~~~~~~~~~~~\nreturn 1",
        ),
        (
            "declare const a: T; return a",
            ";~~~~~~~~~~~~~~~~~~ return a",
        ),
        ("declare enum A { B }", ";~~~~~~~~~~~~~~~~~~~"),
        ("declare global { let a: T }", ";~~~~~~~~~~~~~~~~~~~~~~~~~~"),
        ("declare namespace A { }", ";~~~~~~~~~~~~~~~~~~~~~~"),
        ("declare class A { b: T }", ";~~~~~~~~~~~~~~~~~~~~~~~"),
        (
            "function f(a: A): A;\nfunction f(a: any) {}",
            ";~~~~~~~~~~~~~~~~~~~\nfunction f(a~~~~~) {}",
        ),
        (
            "abstract class A<T> extends B<T> implements C, D { abstract e(): T; f?: T }",
            "~~~~~~~~ class A~~~ extends B~~~~~~~~~~~~~~~~~~~ { ;~~~~~~~~~~~~~~~ f;~~~ }",
        ),
        (
            "return new class implements C { private readonly a = 1; declare b: T }",
            "return new class~~~~~~~~~~~~~ { ;~~~~~~~~~~~~~~~ a = 1; ;~~~~~~~~~~~ }",
        ),
        (
            "class A { [k: string]: T; static override a?(): T { } [b]!: T; #c: T = 1 }",
            "class A { ;~~~~~~~~~~~~~~~static~~~~~~~~~~a~()~~~ { } [b];~~~; #c~~~ = 1 }",
        ),
        (
            "class A { f(): T; f(a?: T) {} }",
            "class A { ;~~~~~~~f(a~~~~) {} }",
        ),
        // The same number of bytes.
        ("let a: 'é…' = 1 // é", "let a~~~\u{A0}\u{2003}~ = 1 // é"),
        ("let a: '\u{1F600}' = 1", "let a~~~\u{A0}\u{A0}~ = 1"),
        ("let a /* b */ : T = 1", "let a /* b */ ~~~ = 1"),
    ] {
        check(code, expected);
    }
}

/// A line must not go on in JavaScript where it ended in TypeScript, nor the other way.
#[test]
fn statements_end_where_they_did() {
    for (code, expected) in [
        ("a = b as T\n(c)", "a = b;~~~~\n(c)"),
        ("a = b as T // c\n[d]", "a = b;~~~~ // c\n[d]"),
        ("a = b satisfies T\n`c`", "a = b;~~~~~~~~~~~\n`c`"),
        ("a = b as T + (c)", "a = b~~~~~ + (c)"),
        ("a = (b as T)\n(c)", "a = (b~~~~~)\n(c)"),
        ("a = b!\n(c)", "a = b~\n(c)"),
        ("a = 1\ntype A = B\n(c)", "a = 1\n;~~~~~~~~~\n(c)"),
        (
            "class A { a = 1\nprivate [b] = 2 }",
            "class A { a = 1\n;~~~~~~~[b] = 2 }",
        ),
        ("class A { get: T\nb() {} }", "class A { get;~~\nb() {} }"),
        (
            "f((a):\nT => a)",
            "f((a~~\n)=> a)".replace(")=>", ") =>").as_str(),
        ),
        ("return <\nT\n>(a) => a", "return (\n~\n~~a) => a"),
    ] {
        check(code, expected);
    }
}

#[test]
fn javascript_and_other_texts_are_left_alone() {
    for code in [
        "return args.a + 1",
        "let a = 1 +",
        "let a = 1; a b",
        "import a from 'b'",
        "await a",
        "\u{0}",
        "",
        // No later mistake than the parser of JavaScript finds.
        "let a = ; let b: T = 1",
    ] {
        assert_eq!(strip_types(code), Ok(None), "{code}");
    }
}

#[test]
fn more_than_a_type_is_refused() {
    for (code, message, at) in [
        (
            "let a: T; enum A { B }",
            "`enum` is more than a type: write an object, such as `const Colour = { Red: \"red\" }`",
            "enum A { B }",
        ),
        (
            "const enum A { B }",
            "`enum` is more than a type: write an object, such as `const Colour = { Red: \"red\" }`",
            "const enum A { B }",
        ),
        (
            "namespace A { let b = 1 }",
            "`namespace` is more than a type: write an object or functions",
            "namespace A { let b = 1 }",
        ),
        (
            "class A { constructor(private a: T) {} }",
            "a parameter that is a property is more than a type: declare the field, and write \
             `this.name = name` in the constructor",
            "private a: T",
        ),
        (
            "import a = b.c",
            "`import =` has no module to import from: write what is needed in the code itself",
            "import a = b.c",
        ),
        (
            "@a class B { c: T }",
            "a decorator is more than a type: call the function with what it decorates",
            "@a",
        ),
        (
            "class A { accessor b: T }",
            "`accessor` is more than a type: write a field, or `get` and `set`",
            "accessor b: T",
        ),
        (
            "return <T>a",
            "a type before its value is not removed: write `value as Type`",
            "<T>a",
        ),
        (
            "return a ** b as T ** c",
            "a power before `as` needs parentheses",
            "a ** b as T",
        ),
    ] {
        let mistake = strip_types(code).expect_err(code);
        assert_eq!(mistake.message, message, "{code}");
        assert_eq!(&code[mistake.range], at, "{code}");
    }
}

#[test]
fn a_mistake_behind_types_is_the_one_that_counts() {
    let code = "let a: number = 1;\nlet b = ;";
    let mistake = strip_types(code).expect_err(code);
    assert_eq!(mistake.message, "Unexpected token");
    assert_eq!(&code[mistake.range], ";");
}

/// The stack is as small as a main thread has it.
#[test]
fn deep_code_ends() {
    let types = |open: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("let a: {open}T{close} = 1")
    };
    let values = |open: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("let a: T = {open}1{close}")
    };
    std::thread::Builder::new()
        .stack_size(8 << 20)
        .spawn(move || {
            for depth in [10, MAX_NESTING / 4, MAX_NESTING / 2, MAX_NESTING, 100_000] {
                for (open, close) in [("A<", ">"), ("(", ")"), ("[", "]"), ("() => ", "")] {
                    let _ = strip_types(&types(open, close, depth));
                }
                for (open, close) in [("(", ")"), ("[", "]"), ("() => ", ""), ("!", "")] {
                    let _ = strip_types(&values(open, close, depth));
                }
            }
        })
        .expect("it starts")
        .join()
        .expect("it ends");
}
