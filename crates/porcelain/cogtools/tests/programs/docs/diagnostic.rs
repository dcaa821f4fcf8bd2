//! Errors and warnings.

use cogtools_program::CapturedRun;
use cogtools_test_support::{outcome, str};

use super::{END, TABLE, block, project, read, run};

#[test]
fn without_markers_the_hint_says_how_to_add_them() {
    let project = project();
    project.file("CLAUDE.md", "# nothing\n");
    let text = str![[r#"
cogtools-docs: error[USAGE]: none of GEMINI.md, AGENTS.md and CLAUDE.md contains the markers of the table
hint: cogtools docs GEMINI.md appends them with the table
hint: move them to where the table belongs

"#]];
    outcome!(run(&project, &[])).fails(2, text);
    outcome!(run(&project, &["--check"])).fails(2, text);
}

#[test]
fn an_error_in_markers_has_a_location() {
    let project = project();
    project.file("GEMINI.md", "\u{feff}é\n\n  <!-- cogtools:begin -->\n");
    project.file("AGENTS.md", END);
    let text = str![[r#"
cogtools-docs: error[INVALID_CONFIG]: GEMINI.md:3:3: `cogtools:begin` without a `cogtools:end` after it
   |
 3 |   <!-- cogtools:begin -->
   |   ^^^^^^^^^^^^^^^^^^^^^^^
hint: write `<!-- cogtools:end -->` on a separate line after it
cogtools-docs: error[INVALID_CONFIG]: AGENTS.md:1:1: `cogtools:end` without a `cogtools:begin` before it
   |
 1 | <!-- cogtools:end -->
   | ^^^^^^^^^^^^^^^^^^^^^
hint: remove it, or move it after `cogtools:begin`

"#]];
    for args in [&[][..], &["--check"], &["GEMINI.md", "AGENTS.md"]] {
        outcome!(run(&project, args)).fails(78, text);
    }
}

#[test]
fn an_unclosed_code_block_would_contain_the_table() {
    let project = project();
    project.file("GEMINI.md", "```\ncode\n");
    let text = str![[r#"
cogtools-docs: error[INVALID_CONFIG]: `GEMINI.md` ends inside a block of code or HTML, which would contain the table
hint: close the block, or write the markers where the table belongs

"#]];
    outcome!(run(&project, &["GEMINI.md"])).fails(78, text);
    assert_eq!(read(&project, "GEMINI.md"), b"```\ncode\n");
}

#[test]
fn invalid_tools_are_reported_and_left_out() {
    let project = project();
    project.file("tools/bad.yaml", "name: bad\nimplementation: x\n");
    let warning = "\
cogtools-docs: warning[INVALID_TOOL]: tools/bad.yaml:1:1: `description` is missing
   |
 1 | name: bad
   | ^
hint: add `description: …`
";
    for (args, stdout) in [
        (&["GEMINI.md"][..], "created GEMINI.md\n"),
        (&["--check"], "unchanged GEMINI.md\n"),
        (&["--print"], TABLE),
    ] {
        let expected = CapturedRun {
            status: 0,
            stdout: stdout.into(),
            stderr: warning.into(),
        };
        assert_eq!(run(&project, args), expected, "{args:?}");
    }
    assert_eq!(read(&project, "GEMINI.md"), block().as_bytes());
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_reported() {
    let project = project();
    let stale = block().replace("ping", "pong");
    project.file("GEMINI.md", &stale).mode("GEMINI.md", 0o444);
    let text = str![[r#"
cogtools-docs: error[IO_FAILED]: `GEMINI.md` cannot be written: it is read-only
hint: make it writable, then run this again

"#]];
    outcome!(run(&project, &[])).fails(74, text);
    assert_eq!(read(&project, "GEMINI.md"), stale.as_bytes());
    let text = str![[r#"
cogtools-docs: error[INVALID_CONFIG]: `tools` is not a regular file
hint: put a regular file there, or a link to one

"#]];
    outcome!(run(&project, &["tools"])).fails(78, text);
    assert_eq!(run(&project, &["tools/ask.yaml/x.md"]).status, 74);
    assert_eq!(run(&project, &["--print", "GEMINI.md"]).status, 2);
}

#[test]
fn a_file_outside_the_project_is_refused() {
    let project = project();
    project.file("../other/FILE.md", "mine\n");
    let absolute = project.path("../other/FILE.md").display().to_string();
    for file in ["../other/FILE.md", "../other/NEW.md", &absolute] {
        let message = format!(
            "cogtools-docs: error[USAGE]: `{file}` is outside the project\n\
             hint: name a file of the project; with `-C DIR`, the project is that of DIR\n"
        );
        outcome!(run(&project, &[file])).fails(2, message.as_str());
    }
    #[cfg(unix)]
    {
        project.link("LINK.md", "../other/FILE.md");
        outcome!(run(&project, &["LINK.md"]))
            .status(78)
            .stderr_contains("points outside the project");
    }
    assert_eq!(read(&project, "../other/FILE.md"), b"mine\n");
}

#[test]
fn a_file_in_utf_16_is_refused() {
    let project = project();
    let text: Vec<u8> = "\u{feff}# Notes\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    project.file("NOTES.md", &text);
    outcome!(run(&project, &["NOTES.md"])).fails(
        78,
        str![[r#"
cogtools-docs: error[INVALID_CONFIG]: `NOTES.md` is not valid UTF-8 at byte 0
hint: save it as UTF-8

"#]],
    );
    assert_eq!(read(&project, "NOTES.md"), text);
}

/// A table at its end would be an error in a file of another program.
#[test]
fn a_table_is_appended_to_markdown_only() {
    let project = project();
    let config = "[core]\n\tbare = false\n";
    project
        .file(".git/config", config)
        .file(".git/a.md", config);
    project
        .file("notes.MD", "# Notes\n")
        .file("m.rs", "fn main() {}\n");
    let refused = |file: &str| {
        let text = format!(
            "cogtools-docs: error[USAGE]: `{file}` has no markers of the table, and is no Markdown \
             file\nhint: name a file that ends in .md, or write `<!-- cogtools:begin -->` and \
             `<!-- cogtools:end -->` into it\n"
        );
        outcome!(run(&project, &[file])).fails(2, text);
    };
    for file in [
        ".git/config",
        ".git/a.md",
        ".GIT/b.md",
        "tools/ask.yaml",
        "m.rs",
        "new.txt",
    ] {
        refused(file);
    }
    #[cfg(unix)]
    {
        project.link("LINK.md", "tools/ask.yaml");
        refused("LINK.md");
    }
    assert_eq!(read(&project, ".git/config"), config.as_bytes());
    outcome!(run(&project, &["notes.MD"])).outputs("updated notes.MD\n");
    project.file(
        "m.rs",
        format!("/*\n{}*/\n", block()).replace("ping", "pong"),
    );
    outcome!(run(&project, &["m.rs"])).outputs("updated m.rs\n");
}
