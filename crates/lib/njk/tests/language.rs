//! The language, area by area. What is expected was seen in Nunjucks 3.2.4.

use njk::Engine;
use serde_json::{Value as Json, json};

fn check(template: &str, context: &Json, expected: &str) {
    let compiled = Engine::new().compile("test", template);
    let result = compiled.and_then(|compiled| compiled.render(context));
    match result {
        Ok(text) => assert_eq!(text, expected, "{template}"),
        Err(error) => panic!("{template}: {error}"),
    }
}

#[test]
fn operators_have_the_order_of_javascript() {
    let none = json!({});
    for (template, expected) in [
        ("{{ 1 ~ 2 + 3 }}", "123"),
        ("{{ 1 + 2 ~ 3 }}", "33"),
        ("{{ not 1 == 2 }}", "false"),
        ("{{ 10 + 2 - 3 + 1 }}", "10"),
        ("{{ 2 * 3 % 4 }}", "2"),
        ("{{ 100 * 10 / 3 // 2 }}", "1000"),
        ("{{ -2 ** 2 }}", "4"),
        ("{{ 2 ** 3 ** 2 }}", "64"),
        ("{{ 1 < 2 < 3 }}{{ 3 > 2 > 1 }}", "truefalse"),
        ("{{ 'a' ~ 5 - 2 }}", "NaN"),
    ] {
        check(template, &none, expected);
    }
}

#[test]
fn values_are_converted_as_javascript_does() {
    let context = json!({"one": 1.0, "big": 1e21, "list": [1, [2, 3]], "nothing": null});
    for (template, expected) in [
        (
            "{{ one }} {{ big }} {{ 0.1 + 0.2 }} {{ 1 / 0 }} {{ 0 / 0 }}",
            "1 1e+21 0.30000000000000004 Infinity NaN",
        ),
        (
            "{{ list }} {{ {} }} {{ nothing }}{{ missing }}",
            "1,2,3 [object Object] ",
        ),
        (
            "{{ '5' + 1 }} {{ '5' - 1 }} {{ [1] + [2] }} {{ nothing + 1 }} {{ missing + 1 }}",
            "51 4 12 1 NaN",
        ),
        (
            "{{ '' == 0 }} {{ '1' === 1 }} {{ [] == '' }} {{ nothing == missing }} {{ nothing === missing }}",
            "true false true true false",
        ),
        (
            "{{ 'y' if [] else 'n' }}{{ 'y' if '' else 'n' }}{{ 'y' if 0 / 0 else 'n' }}{{ 'y' if '0' else 'n' }}",
            "ynny",
        ),
        (
            "{% set a = [1] %}{{ a == a }}{{ a == [1] }}{{ a == '1' }}",
            "truefalsetrue",
        ),
        (
            "{{ {b: 1, 'a': 2, '1': 3} | dump }}",
            r#"{"1":3,"b":1,"a":2}"#,
        ),
    ] {
        check(template, &context, expected);
    }
}

#[test]
fn variables_live_where_nunjucks_keeps_them() {
    let context = json!({"x": "context", "list": [1, 2]});
    for (template, expected) in [
        (
            "{% for i in list %}{% set y = i %}{% endfor %}[{{ y }}]",
            "[]",
        ),
        (
            "{% set y = 0 %}{% for i in list %}{% set y = y + i %}{% endfor %}[{{ y }}]",
            "[3]",
        ),
        (
            "{% for i in list %}{% if not n %}{% set n = 5 %}{% endif %}{% set n = n + 1 %}{{ n }}{% endfor %}",
            "67",
        ),
        ("{% macro m(x) %}{{ x }}{% endmacro %}[{{ m() }}]", "[]"),
        (
            "{% macro m() %}{{ x }}{% endmacro %}[{{ m() }}]",
            "[context]",
        ),
        (
            "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}",
            "111243",
        ),
        (
            "{% macro w(t) %}<{{ caller(t) }}>{% endmacro %}{% call(u) w('a') %}{{ u }}{{ x }}{% endcall %}",
            "<acontext>",
        ),
        (
            "{% for k, v in {a: 1, b: 2} %}{{ k }}{{ v }}{{ loop.last }};{% endfor %}",
            "a1false;b2true;",
        ),
        (
            "{% for a, b in [[1, 2], [3]] %}{{ a }}{{ b }},{% endfor %}",
            "12,3,",
        ),
        ("{% set a %}b{{ x }}{% endset %}{{ a | upper }}", "BCONTEXT"),
        ("{% set a, b = 1 %}{{ a }}{{ b }}", "11"),
        ("{% set _ = list.push(3) %}{{ list }}", "1,2,3"),
    ] {
        check(template, &context, expected);
    }
}

#[test]
fn switches_fall_through_empty_cases() {
    let template = "{% switch x %}{% case 1 %}{% case 2 %}low{% case 3 %}three{% case 4 %}{% default %}other{% endswitch %}";
    for (x, expected) in [
        (1, "low"),
        (2, "low"),
        (3, "three"),
        (4, "other"),
        (9, "other"),
    ] {
        check(template, &json!({"x": x}), expected);
    }
}

#[test]
fn dashes_trim_as_in_nunjucks() {
    let none = json!({});
    for (template, expected) in [
        ("a \n{%- if 1 -%}\n b \n{%- endif %} c", "ab c"),
        ("a {#- c -#} b", "ab"),
        ("a {{- 1 -}} b", "a1b"),
        ("{% raw -%} {{ x }} {%- endraw %}", " {{ x }}"),
        ("{% set a -%} b{% endset %}[{{ a }}]", "[ b]"),
        ("line\n", "line\n"),
        ("{{ 1 }}\n\n", "1\n\n"),
        ("a {b} # c {", "a {b} # c {"),
    ] {
        check(template, &none, expected);
    }
}

#[test]
fn regular_expressions_are_javascripts() {
    let context = json!({"s": "Hello World"});
    for (template, expected) in [
        ("{{ s | replace(r/o/g, '0') }}", "Hell0 W0rld"),
        ("{{ s.replace(r/(\\w+) (\\w+)/, '$2 $1') }}", "World Hello"),
        ("{{ s.split(r/\\s/) | join('|') }}", "Hello|World"),
        ("{{ s.match(r/l+/g) }}", "ll,l"),
        (
            "{{ r/^hello/i.test(s) }}{{ r/^hello/.test(s) }}",
            "truefalse",
        ),
        ("{{ 'aXbX'.replace(r/X(?=b)/, '-') }}", "a-bX"),
        ("{{ 'abab' | replace(r/(a)(b)\\1/, '$$[$1]') }}", "$[a]b"),
        ("{{ 'a.b' | replace(r/[.]/, '_') }}", "a_b"),
    ] {
        check(template, &context, expected);
    }
}

#[test]
fn templates_are_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>(value: T) -> T {
        value
    }
    let template = shared(
        Engine::new()
            .compile("test", "{{ n }}")
            .expect("it compiles"),
    );
    let texts: Vec<String> = std::thread::scope(|scope| {
        let render = |n: i32| {
            let template = &template;
            scope.spawn(move || template.render(&json!({"n": n})).expect("it renders"))
        };
        let threads: Vec<_> = (0..4).map(render).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
            .collect()
    });
    assert_eq!(texts, ["0", "1", "2", "3"]);
}

#[test]
fn literal_and_computed_names_of_templates() {
    for (text, names, is_computed) in [
        ("{% include \"a.njk\" %}", vec!["a.njk"], false),
        ("{%- extends 'b' -%}", vec!["b"], false),
        (
            "{% import 'b' as c %}{% from \"d\" import e %}",
            vec!["b", "d"],
            false,
        ),
        ("{% include 'x' ignore missing %}", vec!["x"], false),
        ("{% include name %}", vec![], true),
        ("{% include 'a' ~ name %}", vec![], true),
        ("{% include 'a' if b else 'c' %}", vec![], true),
        ("{% include ['a', 'b'] %}", vec![], true),
        (
            "include 'a' {{ include }} {# {% include 'a' %} #}",
            vec![],
            false,
        ),
    ] {
        let found = njk::analyse(text).expect("it parses");
        assert_eq!(found.templates, names, "{text}");
        assert_eq!(found.computes_template, is_computed, "{text}");
    }
}

#[test]
fn names_are_relative_to_their_template() {
    for (from, name, expected) in [
        ("t", "a.njk", Some("a.njk")),
        ("b/t", "a.njk", Some("a.njk")),
        ("b/t", "./a.njk", Some("b/a.njk")),
        ("b/c/t", "../a.njk", Some("b/a.njk")),
        ("b/t", "../../a.njk", None),
    ] {
        assert_eq!(
            njk::resolve(from, name).as_deref(),
            expected,
            "{name} from {from}"
        );
    }
}
