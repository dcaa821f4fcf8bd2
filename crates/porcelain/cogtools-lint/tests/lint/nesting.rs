//! Code that nests deeper than a parser can go: a finding, and the other files are checked.

use cogtools_test_support::Project;

use crate::project::run;

#[test]
fn deep_code_ends_no_run() {
    let shapes = [
        ("(", ""),
        ("[", ""),
        ("{", ""),
        ("!", "a"),
        ("- ", "a"),
        ("typeof ", "a"),
        ("a=>", "a"),
        ("async()=>", "a"),
        ("a?b:", "c"),
        ("a?", ""),
        ("a.", "b"),
        ("a()", ""),
        ("a[0]", ""),
        ("a+", "a"),
        ("a**", "a"),
        ("`${", ""),
        ("a``", ""),
        ("if(a)", "b"),
        ("if(a);else ", "b"),
        ("function f(){", ""),
        ("l:", "b"),
        ("x=", "x"),
        ("new ", "a"),
    ];
    let project = Project::new();
    project.dir(".gemini");
    for (index, (part, rest)) in shapes.iter().enumerate() {
        let code = format!("{}{rest}", part.repeat(10_000));
        let text = |key: &str, head: &str| {
            format!(
                "name: deep_{key}{index}\ndescription: Say it\nimplementation:\n  {key}: |\n    {head}{code}\n"
            )
        };
        project.file(format!("tools/deep_js{index}.yaml"), text("js", ""));
        let script = text("script", "#!/usr/bin/env node\n    ");
        project.file(format!("tools/deep_script{index}.yaml"), script);
    }
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: Say it\nimplementation: \"{{ text }}\"\n",
    );
    let ended = run(&project, &["--format", "json"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (78, ""));
    for rule in ["js-error", "script-error", "undeclared-variable"] {
        assert!(ended.stdout.contains(rule), "{rule}");
    }
}
