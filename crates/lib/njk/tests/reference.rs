//! The reference of the language: as it is committed, and as the real Nunjucks has it.

use std::path::Path;

use cogtools_test_support::{Expected, assert_text, conformance, nunjucks};
use njk::reference::{Entry, EntryKind, FILES, entries, markdown};
use serde_json::{Map, Value, json};

#[test]
fn the_reference_is_up_to_date() {
    let path = conformance::workspace().join("docs/reference/templates.md");
    assert_text(markdown(), Expected::file(path));
}

/// None of the known differences is in an example, so that there are no exceptions.
#[test]
fn its_examples_come_out_as_nunjucks_has_them() {
    let all: Vec<Entry> = EntryKind::ALL.into_iter().flat_map(entries).collect();
    let files = FILES
        .iter()
        .map(|(name, text)| ((*name).to_owned(), Value::from(*text)));
    let files = Value::from(files.collect::<Map<_, _>>());
    let case = |entry: &Entry| json!({"template": entry.example, "templates": files});
    let cases: Vec<Value> = all.iter().map(case).collect();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
    let texts = nunjucks::texts(&cache, &cases);
    let mut wrong = Vec::new();
    for (entry, text) in all.iter().zip(&texts) {
        if text.as_deref() != Some(entry.output) {
            let Entry { kind, name, .. } = entry;
            wrong.push(format!("{kind:?} {name}: {text:?}, not {:?}", entry.output));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() > 80, "only {} examples", all.len());
}
