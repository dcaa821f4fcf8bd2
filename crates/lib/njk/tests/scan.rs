//! Names in templates for editors, also in those that do not parse.

use njk::scan::scan;

/// Each name with the way to its value, or `-`.
fn names(source: &str) -> Vec<String> {
    let found = scan(source);
    let name = |it: &njk::scan::Name| {
        let path = if it.path.is_empty() {
            "-".to_owned()
        } else {
            it.path.join(".")
        };
        format!("{}:{path}", &source[it.span.clone()])
    };
    found.names.iter().map(name).collect()
}

#[test]
fn names_have_the_way_to_their_values() {
    for (source, expected) in [
        ("{{ a.b }}", vec!["a:a", "b:a.b"]),
        ("{{ a['b'].c }}", vec!["a:a", "b:a.b", "c:a.b.c"]),
        ("{{ a[0].b }}", vec!["a:a", "b:a.[].b"]),
        ("{{ a | join(b, key=c) }}", vec!["a:a", "b:b", "c:c"]),
        (
            "{{ {a: b} }}{{ c if d is defined else e }}",
            vec!["b:b", "c:c", "d:d", "e:e"],
        ),
        (
            "{% for x in a.b %}{{ x.c }}{% endfor %}{{ x }}",
            vec!["a:a", "b:a.b", "x:a.b.[]", "x:a.b.[]", "c:a.b.[].c", "x:x"],
        ),
        (
            "{% for k, v in a %}{{ k }}{{ v.b }}{% endfor %}",
            vec!["a:a", "k:-", "v:-", "k:-", "v:-"],
        ),
        (
            "{% set x = a[0] %}{{ x.b }}",
            vec!["a:a", "x:a.[]", "x:a.[]", "b:a.[].b"],
        ),
        (
            "{% macro m(x, y=a) %}{{ x }}{% endmacro %}{{ m(b) }}",
            vec!["m:-", "x:-", "y:-", "a:a", "x:-", "m:-", "b:b"],
        ),
        (
            "{% from 'f' import g as h %}{{ h(a) }}{% include b %}",
            vec!["h:-", "h:-", "a:a", "b:b"],
        ),
    ] {
        assert_eq!(names(source), expected, "{source}");
    }
}

#[test]
fn what_does_not_parse_is_scanned() {
    for (source, expected) in [
        ("{{ a. ", vec!["a:a"]),
        ("{{ a.b\n{{ c }}", vec!["a:a", "b:a.b", "c:c"]),
        (
            "{% for x in a %}{{ x. {% if b %}",
            vec!["a:a", "x:a.[]", "x:a.[]", "b:b"],
        ),
        ("{{ 'open }}{{ a }}", vec!["open:open", "a:a"]),
        ("{{ a | }}{% nonsense b %}", vec!["a:a", "b:b"]),
        ("#} {{ a }} {# open", vec!["a:a"]),
        ("{% endfor %}{% for %}{% set %}{{ a }}", vec!["a:a"]),
        (
            "{% import as x %}{% from as y %}{{ a }}",
            vec!["x:-", "y:-", "a:a"],
        ),
    ] {
        assert_eq!(names(source), expected, "{source}");
    }
}

#[test]
fn variables_are_visible_in_their_blocks() {
    let source = "{% set a = 1 %}{% for b in c %}{{ b }}{% endfor %}{{ a }}";
    let found = scan(source);
    let visible = |offset: usize| -> Vec<&str> {
        let locals = found.visible(offset).into_iter();
        locals.map(|local| local.name.as_str()).collect()
    };
    assert_eq!(visible(source.find("{{ b").unwrap()), ["b", "a"]);
    assert_eq!(visible(source.len()), ["a"]);
}

#[test]
fn macros_of_other_templates() {
    let source = "{% import 'f' as m %}{% from 'g' import a, b as c %}{{ m.x(y).z }}{{ a.d }}";
    let found = scan(source);
    let shown = |part: &njk::scan::Imported| {
        let name = part.name.as_deref().unwrap_or("*");
        format!("{}/{name}", part.template)
    };
    let locals = found.locals.iter();
    let locals = locals.map(|it| format!("{}:{}", it.name, shown(it.imported.as_ref().unwrap())));
    assert_eq!(locals.collect::<Vec<_>>(), ["m:f/*", "a:g/a", "c:g/b"]);
    let macros = found.macros.iter();
    let macros = macros.map(|(part, span)| format!("{}:{}", &source[span.clone()], shown(part)));
    assert_eq!(macros.collect::<Vec<_>>(), ["b:g/b", "x:f/x"]);
}
