//! Differences between versions.

use cogtools_edit::host::Version;

fn check(text: &str, expected: Option<(&str, &str, &str)>) {
    let found = Version::parse(text).map(|version| {
        let [discovery, _] = version.generation().keys();
        (version.to_string(), discovery, version.prefix())
    });
    let expected = expected.map(|(shown, key, prefix)| (shown.to_owned(), key, prefix));
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn versions() {
    let flat = "toolDiscoveryCommand";
    let nested = "tools.discoveryCommand";
    check("0.1.5", Some(("0.1.5", flat, "")));
    check("0.2.2\n", Some(("0.2.2", flat, "")));
    check("0.3.0-preview.1", Some(("0.3.0", nested, "")));
    check("0.16.9", Some(("0.16.9", nested, "")));
    check("0.17.0", Some(("0.17.0", nested, "discovered_tool_")));
    check("1.0.0+build", Some(("1.0.0", nested, "discovered_tool_")));
    for text in ["", "1.2", "1.2.3.4", "v1.2.3", "gemini 1.2.3", "1.-2.3"] {
        check(text, None);
    }
}
