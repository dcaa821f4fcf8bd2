//! Errors say what, where and what to do.

use std::collections::HashMap;

use njk::{Engine, ErrorKind};
use serde_json::json;

/// Checks what `source` fails with: the kind, and in one string line, column,
/// length, message and hint.
fn check(source: &str, kind: ErrorKind, expected: &str) {
    let compiled = Engine::new().compile("tool", source);
    let result = compiled.and_then(|compiled| compiled.render(&json!({"name": "x"})));
    let error = result.expect_err(source);
    let (line, column, length) = (error.line(), error.column(), error.length());
    let mut seen = format!("{line}:{column}+{length} {}", error.message());
    if let Some(hint) = error.hint() {
        seen = format!("{seen}; {hint}");
    }
    assert_eq!(seen, expected, "{source}");
    assert_eq!(error.kind(), kind, "{source}");
    assert_eq!(error.template(), "tool", "{source}");
}

#[test]
fn syntax_errors_point_at_the_token() {
    let syntax = ErrorKind::Syntax;
    check(
        "a\n{{ foo",
        syntax,
        "2:7+0 expected `}}` at the end of the expression, found the end of the template; \
         the `{{` on line 2 is still open: end it with `}}`",
    );
    check(
        "{% iff x %}",
        syntax,
        "1:4+3 unknown tag `iff`; did you mean `if`?",
    );
    check(
        "{% if x %}é{% endfor %}",
        syntax,
        "1:15+6 `endfor` does not belong here; the `if` on line 1 needs `{% endif %}`",
    );
    check(
        "{% if x %}",
        syntax,
        "1:4+2 expected `elif`, `elseif`, `else` or `endif`, found the end of the template; \
         the `if` on line 1 needs `{% endif %}`",
    );
    check(
        "{{ foo(bar baz) }}",
        syntax,
        "1:12+3 expected `,` or `)` in the arguments, found `baz`",
    );
    check(
        "x {# y",
        syntax,
        "1:3+2 the comment is never closed; end it with `#}`",
    );
    check("{{ 'a }}", syntax, "1:4+1 the string is never closed");
    check(
        "{% raw %}",
        syntax,
        "1:1+9 `raw` is never closed by `endraw`; end it with `{% endraw %}`",
    );
    check(
        "{% block a %}{% endblock %}{% block a %}{% endblock %}",
        syntax,
        "1:37+1 block `a` is defined twice",
    );
    check(
        "{% asyncEach a in b %}",
        syntax,
        "1:4+9 unknown tag `asyncEach`; use `for`: nothing here is asynchronous",
    );
    check(
        "{{ {a: {b: 1}} }}",
        syntax,
        "1:13+2 expected `,` or `}` in the dictionary, found `}}`; put a space between braces that close one after another",
    );
}

#[test]
fn errors_of_rendering_point_at_the_operation() {
    check(
        "a\n b {{ name | uper }}",
        ErrorKind::UnknownFilter,
        "2:14+4 unknown filter `uper`; did you mean `upper`?",
    );
    check(
        "{{ name is defind }}",
        ErrorKind::UnknownTest,
        "1:12+6 unknown test `defind`; did you mean `defined`?",
    );
    check(
        "{{ foo.bar(1) }}",
        ErrorKind::NotCallable,
        "1:4+7 `foo.bar` is undefined and cannot be called",
    );
    check(
        "{{ name() }}",
        ErrorKind::NotCallable,
        "1:4+4 `name` is a string, not a function",
    );
    check(
        "{{ rnage(3) }}",
        ErrorKind::NotCallable,
        "1:4+5 `rnage` is undefined and cannot be called; did you mean `range`?",
    );
    check(
        "{{ 'a' in 1 }}",
        ErrorKind::BadValue,
        "1:4+8 `in` needs an array, a string or an object, not a number",
    );
    check(
        "{{ [1] | upper }}",
        ErrorKind::BadValue,
        "1:10+5 expected a string, not an array",
    );
    check(
        "{% macro m() %}\n{{ 1 | lower }}{% endmacro %}{{ m() }}",
        ErrorKind::BadValue,
        "2:8+5 expected a string, not a number",
    );
    check(
        "{% include 'x.njk' %}",
        ErrorKind::TemplateNotFound,
        "1:12+7 template `x.njk` not found",
    );
    check(
        "{% for i in range(10000000) %}{% endfor %}",
        ErrorKind::OutOfFuel,
        "1:13+5 the template runs too long; a template may run 5000000 steps",
    );
}

#[test]
fn errors_in_other_templates_name_them() {
    let files: HashMap<String, String> = [
        ("parts/row.njk".to_owned(), "\n{{ cell | uper }}".to_owned()),
        (
            "parts/table.njk".to_owned(),
            "{% include './row.njk' %}".to_owned(),
        ),
        (
            "macros.njk".to_owned(),
            "{% macro bold(x) %}<b>{{ x }}</b>{% endmacro %}".to_owned(),
        ),
    ]
    .into();
    let engine = Engine::builder().loader(files).build();
    let render = |source: &str| {
        engine
            .compile("main", source)
            .and_then(|main| main.render(&json!({})))
    };
    let error = render("{% include 'parts/table.njk' %}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "parts/row.njk:2:11: unknown filter `uper`"
    );
    let error = render("{% from 'macros.njk' import blod %}").unwrap_err();
    assert_eq!(error.to_string(), "main:1:29: cannot import `blod`");
    assert_eq!(error.hint(), Some("did you mean `bold`?"));
    let error = render("{% include '../secret' %}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TemplateNotFound);
    assert_eq!(
        render("{% from 'macros.njk' import bold %}{{ bold('x') }}").unwrap(),
        "<b>x</b>"
    );
}

#[test]
fn analysis_finds_reads_and_guards() {
    let check = |source: &str, reads: &[(&str, bool)]| {
        let found = njk::analyse(source).unwrap();
        let seen: Vec<(&str, bool)> = found
            .reads
            .iter()
            .map(|read| (&*read.name, read.guarded))
            .collect();
        assert_eq!(seen, reads, "{source}");
    };
    check(
        "{{ a.b }}{{ c | default('x') }}{{ d or 'y' }}",
        &[("a", false), ("c", true), ("d", true)],
    );
    check(
        "{% if a %}{{ a }}{% else %}{{ b }}{% endif %}",
        &[("a", true), ("b", false)],
    );
    check(
        "{% if a is defined and b %}{{ a }}{{ b }}{% endif %}{{ b }}",
        &[("a", true), ("b", false)],
    );
    check(
        "{% if not a %}none{% else %}{{ a }}{% endif %}",
        &[("a", true)],
    );
    check(
        "{% set a = b %}{{ a }}{% macro m(c) %}{{ c }}{{ d }}{% endmacro %}{{ m(1) }}",
        &[("b", false), ("d", false)],
    );
    check(
        "{% for i in items %}{{ i }}{{ loop.index }}{{ x }}{% endfor %}{{ range(3) }}",
        &[("items", true), ("x", false)],
    );
    check(
        "{{ a if a else 'none' }}{{ b ~ 'c' }}",
        &[("a", true), ("b", false)],
    );
    let found = njk::analyse("a\n {{ x | uper }}{% include 'p.njk' %}").unwrap();
    assert_eq!((found.reads[0].line, found.reads[0].column), (2, 5));
    assert_eq!(found.unknown[0].hint(), Some("did you mean `upper`?"));
    assert_eq!(found.templates, ["p.njk"]);
}

#[test]
fn the_end_of_another_tag_is_named_with_the_right_one() {
    for (source, message, hint) in [
        ("{% for x in y %}{% end %}", "unknown tag `end`", "endfor"),
        (
            "{% for x in y %}{% endif %}",
            "`endif` does not belong here",
            "endfor",
        ),
        (
            "{% for x in y %}{% else %}{% end %}",
            "unknown tag `end`",
            "endfor",
        ),
        ("{% if x %}{% end %}", "unknown tag `end`", "endif"),
        (
            "{% if x %}{% else %}{%- end -%}",
            "unknown tag `end`",
            "endif",
        ),
        (
            "{% if x %}{% elif y %}{% end %}",
            "unknown tag `end`",
            "endif",
        ),
        ("{% macro m() %}{% end %}", "unknown tag `end`", "endmacro"),
        ("{% block b %}{% end %}", "unknown tag `end`", "endblock"),
        ("{% set x %}{% end %}", "unknown tag `end`", "endset"),
        (
            "{% filter upper %}{% end %}",
            "unknown tag `end`",
            "endfilter",
        ),
        ("{% call m() %}{% end %}", "unknown tag `end`", "endcall"),
        (
            "{% switch x %}{% case 1 %}{% end %}",
            "unknown tag `end`",
            "endswitch",
        ),
        (
            "{% for x in y %}{% if x %}{% endfor %}",
            "`endfor` does not belong here",
            "endif",
        ),
    ] {
        let error = Engine::new().compile("t", source).unwrap_err();
        let tag = hint.replace("end", "");
        let expected = format!("the `{tag}` on line 1 needs `{{% {hint} %}}`");
        assert_eq!(
            (error.message(), error.hint()),
            (message, Some(&*expected)),
            "{source}"
        );
    }
}

#[test]
fn what_says_nothing_is_no_text_where_results_are_legible() {
    let engine = Engine::builder().legible(true).build();
    let context = json!({"o": {"a": 1}, "text": "x", "none": null, "list": [1, [2]]});
    let render = |source: &str| engine.compile("t", source)?.render(&context);
    for source in [
        "{{ o }}",
        "x{{ [o] }}",
        "{{ [[o]] | join }}",
        "{{ '' ~ o }}",
        "{{ o + 'x' }}",
        "{{ o | string }}",
        "{{ o | safe }}",
        "{{ o | e }}",
        "{{ o.toString() }}",
        "{{ text.concat(o) }}",
        "{{ text | replace('x', o) }}",
        "{% set y = o ~ text %}",
    ] {
        let error = render(source).expect_err(source);
        assert_eq!(error.message(), "an object prints as `[object Object]`");
        assert_eq!(error.kind(), ErrorKind::BadValue, "{source}");
    }
    for source in [
        "{{ text ~ o.b }}",
        "{{ o.b + 'x' }}",
        "{{ text.concat(b) }}",
    ] {
        let error = render(source).expect_err(source);
        let message = "a value that is not there prints as `undefined`";
        assert_eq!(error.message(), message, "{source}");
    }
    // What is compared, or only looked up, is no text that anyone reads.
    for (source, expected) in [
        ("{{ o.b }}{{ none }}{{ list }}", "1,2"),
        ("{{ 1 if o.b in 'abc' else 2 }}{{ o[b] }}", "2"),
        (
            "{{ o | int(5) }}{{ o == 'x' }}{{ o | dump }}",
            "5false{\"a\":1}",
        ),
        (
            "[object Object] {{ 'undefined' }}",
            "[object Object] undefined",
        ),
    ] {
        assert_eq!(render(source).expect(source), expected, "{source}");
    }
}

#[test]
fn a_value_is_json_with_its_type() {
    let context = json!({"o": {"a": 1}, "big": 9_007_199_254_740_993_u64});
    let value = |source: &str| Engine::new().compile("t", source)?.json(&context);
    for (source, expected) in [
        ("{{ ' a ' | safe | trim }}", Some("\"a\"")),
        ("{{ '<' | e }}", Some("\"&lt;\"")),
        (
            "{{ {'t': ['a' | safe], 'u': o.b} }}",
            Some(r#"{"t":["a"]}"#),
        ),
        (
            "{{ 'a' | safe | dump }}",
            Some(r#""{\"val\":\"a\",\"length\":1}""#),
        ),
        ("{{ [1 / 0] | dump }}", Some("\"[null]\"")),
        ("{{ [none, big] }}", Some("[null,9007199254740993]")),
        ("{{ o.b }}", None),
    ] {
        assert_eq!(
            value(source).expect(source).as_deref(),
            expected,
            "{source}"
        );
    }
    for (source, message) in [
        (
            "{{ [1 / 0] }}",
            "the value is Infinity, which is no number in JSON",
        ),
        (
            "{{ {'t': 0 / 0} }}",
            "the value is NaN, which is no number in JSON",
        ),
        ("{{ o }}{{ o }}", "the template is not one expression"),
        ("x", "the template is not one expression"),
    ] {
        assert_eq!(
            value(source).expect_err(source).message(),
            message,
            "{source}"
        );
    }
}
