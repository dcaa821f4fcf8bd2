//! Invalid packages, each with one error.

use super::{TOOLS, listed, package, project, tool, with};
use cogtools_test_support::str;

/// One package has one error; the tools of the other one are still there.
#[track_caller]
fn faulty(manifest: &[u8], diagnostic: &str) {
    let project = project(&["bad", "good"]);
    package(&project, "node_modules/good", TOOLS);
    project
        .file("node_modules/bad/package.json", manifest)
        .file("node_modules/bad/file", "")
        .file("secret/secret.yaml", "name: secret\nkey: hunter2\n")
        .link("node_modules/bad/out", "../../secret");
    let said = if diagnostic.is_empty() {
        String::new()
    } else {
        format!(
            "cogtools-list: warning[INVALID_CONFIG]: the package `bad` cannot be used: \
             `node_modules/bad/package.json`: {diagnostic}\n\
             hint: `\"cogtools\": {{\"tools\": [\"tools\"]}}` names folders of the package; \
             report this to its author, or remove it\n"
        )
    };
    let good = "good good node_modules/good/tools/good.yaml\n".to_owned();
    assert_eq!(
        listed(with("cogtools-list", &project)),
        (good, said),
        "{diagnostic}"
    );
}

#[test]
fn an_error_affects_only_its_package_and_names_it() {
    let tools = |value: &str| format!("{{\"cogtools\": {{\"tools\": {value}}}}}");
    for (value, diagnostic) in [
        (r#""tools""#, "`cogtools.tools` is not a list of folders"),
        ("{}", "`cogtools.tools` is not a list of folders"),
        ("[1]", "`1` is not a folder inside the package"),
        (r#"[""]"#, "`\"\"` is not a folder inside the package"),
        (
            r#"["/etc"]"#,
            "`\"/etc\"` is not a folder inside the package",
        ),
        (
            r#"["a/../../x"]"#,
            "`\"a/../../x\"` is not a folder inside the package",
        ),
        (r#"["tools"]"#, "the folder `tools` does not exist"),
        (r#"["file"]"#, "`file` is not a folder"),
        (
            r#"["out"]"#,
            "`out` is a link that points outside the package",
        ),
        ("[]", ""),
        ("null", ""),
    ] {
        faulty(tools(value).as_bytes(), diagnostic);
    }
    faulty(
        b"{\"cogtools\": ",
        "not JSON: EOF while parsing a value at line 1 column 13",
    );
    faulty(b"{\"cogtools\": true}", "`cogtools` is not an object");
    faulty(b"{\"cogtools\": {}}", "");
    faulty(b"{\"dependencies\": {\"cogtools\": \"1\"}}", "");
    faulty(b"{\"no\": \xff", "");
    faulty(&vec![b' '; (4 << 20) + 1], "larger than 4 MiB");
}

#[test]
fn no_link_leads_out_of_a_package() {
    let project = project(&["bad"]);
    package(&project, "node_modules/bad", TOOLS);
    tool(&project, "node_modules/bad/other/inside.yaml");
    project
        .file("secret/secret.yaml", "name: secret\nkey: hunter2\n")
        .link(
            "node_modules/bad/tools/secret.yaml",
            "../../../secret/secret.yaml",
        )
        .link("node_modules/bad/tools/folder", "../../../secret")
        .link("node_modules/bad/tools/inner", "../other");
    let hint =
        "hint: a package may only use its own files; report this to its author, or remove it\n";
    let diagnostics = |program: &str, severity: &str| {
        let diagnostic = |link: &str| {
            format!(
                "{program}: {severity}[INVALID_CONFIG]: the link \
                 `node_modules/bad/tools/{link}` points outside the package `bad`\n{hint}"
            )
        };
        diagnostic("folder") + &diagnostic("secret.yaml")
    };
    let expected = "bad bad node_modules/bad/tools/bad.yaml\n\
                    bad/inner inside node_modules/bad/tools/inner/inside.yaml\n";
    let found = listed(with("cogtools-list", &project));
    assert_eq!(
        found,
        (expected.to_owned(), diagnostics("cogtools-list", "warning"))
    );
    with("cogtools-call", &project)
        .arg("secret")
        .run()
        .fails(127, str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: secret: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[INVALID_CONFIG]: the link `node_modules/bad/tools/folder` points outside the package `bad`
hint: a package may only use its own files; report this to its author, or remove it
cogtools-call: error[INVALID_CONFIG]: the link `node_modules/bad/tools/secret.yaml` points outside the package `bad`
hint: a package may only use its own files; report this to its author, or remove it

"#]]);
}
