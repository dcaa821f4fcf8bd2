//! Generated templates: as many as Nunjucks renders in half a minute, made by a grammar
//! from a seed. `COGTOOLS_NJK_SEED` sets another one.

use std::collections::HashMap;
use std::thread;

use cogtools_test_support::nunjucks::{self, Case};
use njk::Engine;
use serde_json::Value;

use super::generator;

/// The number of templates of a run.
const COUNT: usize = 20_000;

/// The number of mismatches in a failure, the shortest templates first.
const SHOWN: usize = 20;

fn seed() -> u64 {
    match std::env::var("COGTOOLS_NJK_SEED") {
        Ok(seed) => seed.parse().expect("a seed is a number"),
        Err(_) => 1,
    }
}

fn render(case: &Value) -> Result<String, String> {
    let case = Case::read(case);
    let templates: HashMap<String, String> = case.templates.iter().cloned().collect();
    let engine = Engine::builder()
        .autoescape(case.autoescape)
        .loader(templates)
        .build();
    let template = engine.compile("case", &case.template);
    let text = template.and_then(|template| template.render(&case.context));
    text.map_err(|error| error.to_string())
}

/// Returns true if Nunjucks compiled the template to JavaScript that does not run.
fn is_compiled_wrongly(result: &Result<String, String>) -> bool {
    let wrong = |error: &String| error.contains("SyntaxError") || error.contains("ReferenceError");
    result.as_ref().is_err_and(wrong)
}

#[test]
fn generated_templates_come_out_as_nunjucks_has_them() {
    let cases = generator::cases(seed(), COUNT);
    let (expected, results) = thread::scope(|scope| {
        let nunjucks = scope.spawn(|| nunjucks::results(&crate::clients::cache(), &cases));
        let results: Vec<Result<String, String>> = cases.iter().map(render).collect();
        (nunjucks.join().expect("Nunjucks ran"), results)
    });
    let failed = expected.iter().filter(|result| result.is_err()).count();
    assert!(
        failed < COUNT / 10,
        "{failed} templates of {COUNT} only fail"
    );
    let mut mismatches = Vec::new();
    for ((case, expected), result) in cases.iter().zip(expected).zip(results) {
        if is_compiled_wrongly(&expected) {
            continue;
        }
        let case = Case {
            expected: expected.ok(),
            ..Case::read(case)
        };
        mismatches.extend(case.mismatch(result.as_deref().map_err(Clone::clone)));
    }
    mismatches.sort_by_key(String::len);
    let count = mismatches.len();
    mismatches.truncate(SHOWN);
    assert!(count == 0, "{count} of {COUNT}:\n{}", mismatches.join("\n"));
}
