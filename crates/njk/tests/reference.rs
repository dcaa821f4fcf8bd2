//! The reference of the language as it is committed.

use cogtools_test_support::{Expected, assert_text, conformance};
use njk::reference::markdown;

#[test]
fn the_reference_is_up_to_date() {
    let path = conformance::workspace().join("docs/reference/templates.md");
    assert_text(markdown(), Expected::file(path));
}
