//! The time of a whole call, of the compilation, and of the rendering alone.

use divan::{Bencher, black_box};
use serde_json::{Value as Json, json};

const TEMPLATE: &str = "\
# Facepalm

{{ facepalm }}

## What Happened?

{{ what_happened }}

## But, Really...

{{ but_really }}

## Therefore

{{ therefore }}

## Next

{{ next }}

{% if remarks %}
## Remarks

{{ remarks }}

{% endif %}
";

fn context() -> Json {
    json!({
        "facepalm": "I did not apologize to the user",
        "what_happened": "I utterly failed, my behavior has no excuse",
        "but_really": "In peer environment, mistakes are expected, and apologies are redundant.",
        "therefore": "I should reevaluate the situation, and call `facepalm` again.",
        "next": "Consult `facepalm` tool documentation carefully and call it again.",
    })
}

/// A whole call's work: an engine, the template, the text.
#[divan::bench]
fn njk(bencher: Bencher<'_, '_>) {
    let context = context();
    bencher.bench(|| {
        let engine = njk::Engine::new();
        let template = engine
            .compile("facepalm", black_box(TEMPLATE))
            .expect("it works");
        template.render(black_box(&context)).expect("it works")
    });
}

/// Only the compilation.
#[divan::bench]
fn njk_compile(bencher: Bencher<'_, '_>) {
    let engine = njk::Engine::new();
    bencher.bench(|| {
        engine
            .compile("facepalm", black_box(TEMPLATE))
            .expect("it works")
    });
}

/// Only the rendering.
#[divan::bench]
fn njk_render(bencher: Bencher<'_, '_>) {
    let context = context();
    let template = njk::Engine::new()
        .compile("facepalm", TEMPLATE)
        .expect("it works");
    bencher.bench(|| template.render(black_box(&context)).expect("it works"));
}

const LOOP: &str = "{% for row in rows %}{{ loop.index }}: {{ row.name | upper }} {% if row.on %}on{% else %}off{% endif %}\n{% endfor %}";

fn rows() -> Json {
    let row = |n: usize| json!({"name": format!("row {n}"), "on": n.is_multiple_of(2)});
    json!({"rows": (0..1000).map(row).collect::<Vec<_>>()})
}

/// A loop of a thousand rows.
#[divan::bench]
fn njk_loop(bencher: Bencher<'_, '_>) {
    let context = rows();
    let template = njk::Engine::new().compile("loop", LOOP).expect("it works");
    bencher.bench(|| template.render(black_box(&context)).expect("it works"));
}

fn main() {
    divan::main();
}
