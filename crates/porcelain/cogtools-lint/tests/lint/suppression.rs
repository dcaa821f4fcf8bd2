//! Comments that allow what a rule finds.

use cogtools_test_support::{Project, outcome, str};

use crate::project::run;

/// The rules that are found in this tool file.
fn found(text: &str) -> Vec<String> {
    let project = Project::new();
    project.dir(".gemini").file("tools/say.yaml", text);
    let ended = run(&project, &["--format", "json"]);
    assert_eq!(ended.stderr, "");
    let findings: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let findings = findings.as_array().unwrap().iter();
    findings
        .map(|it| it["rule"].as_str().unwrap().to_owned())
        .collect()
}

/// A tool with these lines before the first key, before the parameter, and after it.
fn tool(top: &str, before: &str, after: &str) -> String {
    format!(
        "{top}$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: say\n\
         description: Say it\nparameters:\n{before}  text: {{nullable: true}}{after}\n\
         examples: [{{text: a}}]\nimplementation: \"{{{{ text }}}}\"\n"
    )
}

#[test]
fn a_comment_is_about_its_line_or_the_next_or_the_file() {
    let both = ["missing-description", "lone-nullable"];
    assert_eq!(found(&tool("", "", "")), both);
    let one = "# lint: allow lone-nullable";
    for (top, before, after) in [
        ("", "", format!(" {one}")),
        ("", &*format!("  {one}\n"), String::new()),
        (
            "",
            &*format!("  {one} (as in the old version)\n"),
            String::new(),
        ),
        (&*format!("# A tool.\n{one}\n\n"), "", String::new()),
    ] {
        assert_eq!(
            found(&tool(top, before, &after)),
            ["missing-description"],
            "{top}{before}{after}"
        );
    }
    let two = "  # lint: allow lone-nullable, missing-description\n";
    assert!(found(&tool("", two, "")).is_empty());
    let early = "  # lint: allow lone-nullable\n\n";
    assert_eq!(found(&tool("", early, "")), both, "a line lies between");
}

#[test]
fn what_cannot_be_allowed_is_found() {
    let unknown = "  # lint: allow lone-nulable\n";
    let expected = [
        "useless-suppression",
        "missing-description",
        "lone-nullable",
    ];
    assert_eq!(found(&tool("", unknown, "")), expected);
    let invalid =
        "# lint: allow invalid-tool\nnme: say\ndescription: Say it\nimplementation: Hello\n";
    let expected = ["useless-suppression", "invalid-tool", "invalid-tool"];
    assert_eq!(found(invalid), expected);
}

#[test]
fn invalid_tool_cannot_be_switched_off() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "lint: {rules: {invalid-tool: off}}\n");
    outcome!(run(&project, &[])).expect(
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:16: `invalid-tool` is always an error
   |
 1 | lint: {rules: {invalid-tool: off}}
   |                ^^^^^^^^^^^^
hint: correct the file, or move it out of the folders of tools

"#]],
    );
}

#[test]
fn a_comment_in_a_template_allows_what_is_on_its_line() {
    let project = Project::new();
    let tool = "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: say\n\
                description: Say it\nparameters:\n  text: {type: string, optional: true, description: What}\n\
                examples: [{text: a}, {}]\nimplementation: |\n  Said: {{ text }} {# lint: allow unguarded-optional #}\n";
    project.dir(".gemini").file("tools/say.yaml", tool);
    outcome!(run(&project, &[])).outputs("1 file: nothing to report\n");
}
