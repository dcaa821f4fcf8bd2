//! The bytes that are written.

use cogtools_test_support::{outcome, str};

use super::{END, TABLE, block, project, read, run};

/// Checks that a run changes a file from `before` to `after`, and that a second run changes
/// nothing.
#[track_caller]
fn check(before: &[u8], after: &[u8]) {
    let project = project();
    project.file("GEMINI.md", before);
    let ended = run(&project, &["GEMINI.md"]);
    outcome!(ended).outputs(str![[r#"
updated GEMINI.md

"#]]);
    let found = read(&project, "GEMINI.md");
    assert_eq!(
        String::from_utf8_lossy(&found),
        String::from_utf8_lossy(after)
    );
    assert_eq!(found, after);
    let ended = run(&project, &["--check"]);
    outcome!(ended).outputs(str![[r#"
unchanged GEMINI.md

"#]]);
    outcome!(run(&project, &[])).outputs(str![[r#"
unchanged GEMINI.md

"#]]);
    assert_eq!(read(&project, "GEMINI.md"), after);
}

#[test]
fn a_missing_file_is_created() {
    let project = project();
    let ended = run(&project, &["GEMINI.md"]);
    outcome!(ended).outputs(str![[r#"
created GEMINI.md

"#]]);
    assert_eq!(read(&project, "GEMINI.md"), block().as_bytes());
}

#[test]
fn markers_are_appended() {
    let block = block();
    let crlf = block.replace('\n', "\r\n");
    check(b"", block.as_bytes());
    check(b"# Us\n", format!("# Us\n\n{block}").as_bytes());
    check(b"# Us", format!("# Us\n\n{block}").as_bytes());
    check(
        b"\xef\xbb\xbf# Us\r\nText",
        format!("\u{feff}# Us\r\nText\r\n\r\n{crlf}").as_bytes(),
    );
}

#[test]
fn every_other_byte_is_preserved() {
    let inner = format!("\n{TABLE}\n");
    let begin = "<!-- cogtools:begin -->";
    for (head, tail) in [
        ("", ""),
        ("# Us\n\n", "\nmore"),
        ("```\n<!-- cogtools:begin -->\n```\n", "\n\n\n"),
    ] {
        check(
            format!("{head}{begin}\nold\n{END}{tail}").as_bytes(),
            format!("{head}{begin}\n{inner}{END}{tail}").as_bytes(),
        );
    }
    // Invalid UTF-8, mixed line endings, a byte order mark, no line ending at the end.
    let surround = |inner: &str, end: &str| {
        let mut bytes = b"\xef\xbb\xbfa\xff\xfe\n\r\n".to_vec();
        bytes.extend(format!("{begin}{end}{inner}<!-- cogtools:end stays -->").bytes());
        bytes.extend(b"\n\n\xc3(\n  x");
        bytes
    };
    check(&surround("| old |\n", "\n"), &surround(&inner, "\n"));
    check(
        &surround("", "\r\n"),
        &surround(&inner.replace('\n', "\r\n"), "\r\n"),
    );
}

#[test]
fn a_table_in_a_list_stays_indented() {
    let rows = format!("  {}\n", TABLE.trim_end().replace('\n', "\n  "));
    check(
        format!("- a\n\n  <!-- cogtools:begin -->\n  {END}\n- b\n").as_bytes(),
        format!("- a\n\n  <!-- cogtools:begin -->\n\n{rows}\n  {END}\n- b\n").as_bytes(),
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let project = project();
    project.file("CLAUDE.md", block().replace("ping", "pong"));
    std::os::unix::fs::symlink("CLAUDE.md", project.path("AGENTS.md")).expect("a link");
    outcome!(run(&project, &[])).outputs(str![[r#"
updated AGENTS.md

"#]]);
    assert!(project.path("AGENTS.md").is_symlink());
    assert_eq!(read(&project, "CLAUDE.md"), block().as_bytes());

    std::os::unix::fs::symlink("gone", project.path("GEMINI.md")).expect("a link");
    let text = str![[r#"
cogtools-docs: error[INVALID_CONFIG]: `GEMINI.md` is a link to a file that does not exist
hint: correct the link, or remove it

"#]];
    outcome!(run(&project, &["GEMINI.md"])).fails(78, text);
}
