//! Mistakes of authors who know Jinja, Liquid, Python or JavaScript: each has a hint that says what
//! to write instead.

use njk::{Engine, Error};
use serde_json::json;

fn error(source: &str) -> Error {
    let context = json!({"items": ["a"], "name": "x", "thing": {"k": 1}});
    let compiled = Engine::new().compile("t", source);
    let result = compiled.and_then(|compiled| compiled.render(&context));
    result.expect_err(source)
}

fn check(source: &str, expected: &str) {
    let error = error(source);
    assert_eq!(error.hint(), Some(expected), "{source}: {error}");
}

const COMPARE: &str = "write `==` to compare, or `{% set name = value %}` to assign";

const SYNTAX: [(&str, &str); 20] = [
    ("{{ a && b }}", "write `and`"),
    ("{{ a || b }}", "write `or`"),
    ("{{ !a }}", "write `not`"),
    ("{% if not !a %}{% endif %}", "write `not`"),
    ("{{ a <> b }}", "write `!=`"),
    ("{% if a = 1 %}{% endif %}", COMPARE),
    ("{{ a = 1 }}", COMPARE),
    ("{% set n += 1 %}", "write `{% set n = n + 1 %}`"),
    (
        "{% set a.b = 1 %}",
        "only a variable can be set: make a new object",
    ),
    ("{{ a ? 'b' : 'c' }}", "write `a if condition else b`"),
    ("{{ a ?? 'b' }}", "write `a | default(b)`"),
    (
        "{{ items.map(x => x.name) }}",
        "a function is a `macro`, which is passed by its name",
    ),
    ("{% if a %}{% else if b %}{% endif %}", "write `elif`"),
    ("{% for x of items %}{% endfor %}", "write `in`"),
    ("{{ items[1:3] }}", "write `.slice(start, end)`"),
    ("{{ items[:3] }}", "write `.slice(start, end)`"),
    ("{{ items[1:] }}", "write `.slice(start, end)`"),
    (
        "{{ items | join(', ').trim() }}",
        "put the value and its filters in parentheses: `(a | b(c)).d`",
    ),
    (
        "{{ name | default 'x' }}",
        "put arguments in parentheses: `a | b(c)`",
    ),
    (
        "{{ name | default: 'x' }}",
        "put arguments in parentheses: `a | b(c)`",
    ),
];

#[test]
fn syntax_of_other_languages() {
    for (source, hint) in SYNTAX {
        check(source, hint);
    }
}

#[test]
fn names_of_other_languages() {
    let pairs = "write `{% for key, value in object %}`";
    for (source, hint) in [
        (
            "{{ items | map(attribute='name') }}",
            "write `| join(', ', 'name')`, or a `for` loop",
        ),
        ("{{ items | tojson }}", "write `| dump`"),
        ("{{ name | strip }}", "write `| trim`"),
        (
            "{% for x in items %}{% break %}{% endfor %}",
            "no loop ends early: put its body under `{% if %}`",
        ),
        (
            "{% for x in items %}{% continue %}{% endfor %}",
            "put the rest of the loop's body under `{% if %}`",
        ),
        (
            "{% while x %}",
            "write `{% for i in range(10) %}`: there is no other loop",
        ),
        ("{% with x = 1 %}", "write `{% set name = value %}`"),
        ("{% do items.push(1) %}", "write `{% set _ = … %}`"),
        ("{% elsif x %}", "write `{% elif … %}`"),
        ("{% for k, v in thing.items() %}{% endfor %}", pairs),
        ("{% for k in thing.keys() %}{% endfor %}", pairs),
        (
            "{% set ns = namespace(x=1) %}",
            "`{% set %}` in a loop changes a variable that was set before the loop",
        ),
        ("{{ len(items) }}", "write `| length`"),
        ("{{ name.upper() }}", "write `| upper`"),
        ("{{ name.length() }}", "write `.length`"),
        ("{{ items.append(1) }}", "write `.push(item)`"),
    ] {
        check(source, hint);
    }
    // What is like a name that exists still gets that name.
    assert_eq!(error("{% iff x %}").hint(), Some("did you mean `if`?"));
}

#[test]
fn what_is_never_closed_names_its_opener_and_line() {
    for (source, hint) in [
        (
            "a\n{{ name\n\nb",
            "the `{{` on line 2 is still open: end it with `}}`",
        ),
        (
            "{% if name\n",
            "the `{%` on line 1 is still open: end it with `%}`",
        ),
        (
            "{{ name\nand so on }} {{ x }}",
            "the `{{` on line 1 is still open: end it with `}}`",
        ),
        (
            "a\n{% if x %}\n{% for y in x %}\n{% endfor %}",
            "the `if` on line 2 needs `{% endif %}`",
        ),
        (
            "{% if x %}\n{% for y in x %}\n{% endif %}",
            "the `for` on line 2 needs `{% endfor %}`",
        ),
        (
            "{% if x %}a{% else %}\nb",
            "the `if` on line 1 needs `{% endif %}`",
        ),
        (
            "\n{% macro m() %}",
            "the `macro` on line 2 needs `{% endmacro %}`",
        ),
        ("{% set x %}", "the `set` on line 1 needs `{% endset %}`"),
        (
            "{% switch x %}{% case 1 %}",
            "the `switch` on line 1 needs `{% endswitch %}`",
        ),
    ] {
        check(source, hint);
    }
}

#[test]
fn arguments_by_name_get_the_right_call() {
    for (source, call) in [
        ("{{ name | truncate(length=5) }}", Some("truncate(5)")),
        (
            "{{ name | truncate(end='') }}",
            Some("truncate(255, false, '')"),
        ),
        ("{{ 1.25 | round(precision=1) }}", Some("round(1)")),
        (
            "{{ name | indent(width=2, first=true) }}",
            Some("indent(2, true)"),
        ),
        ("{{ items | join(d=', ') }}", Some("join(', ')")),
        (
            "{{ items | join(', ', attribute='k') }}",
            Some("join(', ', 'k')"),
        ),
        (
            "{{ name | replace(new='b', old='a') }}",
            Some("replace('a', 'b')"),
        ),
        (
            "{% filter indent(width=2) %}{% endfilter %}",
            Some("indent(2)"),
        ),
        ("{{ name | upper(x=1) }}", None),
        ("{{ items | sort(by='k') }}", None),
    ] {
        let found = njk::analyse(source).expect(source).misused;
        let hints: Vec<Option<&str>> = found.iter().map(Error::hint).collect();
        let by_position = "pass arguments by position; only `sort` and `int` take them by name";
        let expected = call.map_or(by_position.to_owned(), |call| format!("write `{call}`"));
        assert_eq!(hints, [Some(&*expected)], "{source}");
    }
    for source in [
        "{{ items | sort(attribute='k', reverse=true) }}",
        "{{ name | int(default=1, base=16) }}",
        "{{ name | truncate(5) }}",
        "{{ macro(length=5) }}",
    ] {
        assert!(
            njk::analyse(source).expect(source).misused.is_empty(),
            "{source}"
        );
    }
    let found = njk::analyse("a\n{{ x | truncate(length=5) }}")
        .expect("a template")
        .misused;
    let (line, column, length) = (found[0].line(), found[0].column(), found[0].length());
    assert_eq!((line, column, length), (2, 17, 6));
    assert_eq!(found[0].hint(), Some("write `truncate(5)`"));
}

#[test]
fn filters_say_how_many_arguments_they_need() {
    for (source, expected) in [
        (
            "{{ name | replace('a') }}",
            Some("filter `replace` needs 2 arguments, not 1"),
        ),
        (
            "{% filter replace %}{% endfilter %}",
            Some("filter `replace` needs 2 arguments, not 0"),
        ),
        (
            "{{ items | groupby }}",
            Some("filter `groupby` needs 1 argument, not 0"),
        ),
        ("{{ name | replace('a', '') }}", None),
    ] {
        let found = njk::analyse(source).expect(source).misused;
        let message = found.first().map(Error::message);
        assert_eq!(message, expected, "{source}");
    }
}
