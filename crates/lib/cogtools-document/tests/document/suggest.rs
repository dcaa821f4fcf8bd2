//! Similar names, among many and long ones.

use cogtools_document::suggest::{did_you_mean, nearest};

#[test]
fn the_most_similar_of_many_names() {
    let names: Vec<String> = (0..10_000)
        .map(|number| format!("tool_{number:05}_of_many"))
        .collect();
    let known = || names.iter().map(String::as_str);
    assert_eq!(
        nearest("tool_04711_of_mny", known())[0],
        "tool_04711_of_many"
    );
    assert_eq!(nearest("nothing like it", known()), Vec::<&str>::new());
}

#[test]
fn very_long_names_are_compared_in_part() {
    let long = "x".repeat(1 << 20);
    let longer = format!("{long}y");
    assert_eq!(nearest(&longer, [long.as_str(), "xx"]), [long.as_str()]);
    assert_eq!(nearest("tool", [long.as_str()]), Vec::<&str>::new());
    assert_eq!(nearest(&long, ["tool"]), Vec::<&str>::new());
}

#[test]
fn case_is_ignored_beyond_ascii() {
    assert_eq!(
        did_you_mean("größe", ["GRÖSSE", "grösse", "größer"]).as_deref(),
        Some("did you mean `größer`, `GRÖSSE` or `grösse`?")
    );
    assert_eq!(did_you_mean("", ["", "a"]), None);
}
