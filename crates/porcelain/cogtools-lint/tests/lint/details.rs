//! Details of single rules: what they find, and what they ignore.

use cogtools_core::file::ReadScope;
use cogtools_lint::{Levels, LintFile, Linter};
use cogtools_test_support::Project;

/// The findings in a tool file named `say.yaml`, as `line:column rule`; a missing
/// `$schema`, missing examples and a missing sandbox are ignored.
fn check(text: &str, expected: &[&str]) {
    let project = Project::new();
    project.file("say.yaml", text);
    let file = LintFile::read(
        &project.path("say.yaml"),
        "say.yaml".as_ref(),
        &ReadScope::User,
    )
    .unwrap();
    let found: Vec<String> = Linter::new(Levels::default())
        .check(&file)
        .into_iter()
        .filter(|it| !["no-schema", "no-examples", "no-sandbox"].contains(&it.rule.name))
        .map(|it| {
            format!(
                "{}:{} {}",
                it.location.line, it.location.column, it.rule.name
            )
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// Checks a tool with these parameters, which begin on line 4, implemented
/// by a command.
fn parameters(text: &str, expected: &[&str]) {
    let lines = text.replace('\n', "\n  ");
    check(
        &format!(
            "name: say\ndescription: Say it\nparameters:\n  {lines}\nimplementation: {{exec: [cat]}}\n"
        ),
        expected,
    );
}

/// Checks a template over `text` (required) and `voice` (optional), on line 7.
fn template(text: &str, expected: &[&str]) {
    let parameters = "  text: {type: string, description: What to say}\n  \
                      voice: {type: string, optional: true, description: Name of the speaker}\n";
    check(
        &format!(
            "name: say\ndescription: Say it\nparameters:\n{parameters}implementation: |\n  {text}\n"
        ),
        expected,
    );
}

#[test]
fn nested_schemas_are_checked() {
    parameters("lines: string[]", &["4:3 missing-description"]);
    parameters(
        "a:\n  type: array\n  description: Z\n  items:\n    type: object\n    properties:\n      b-c: {type: int}",
        &["10:21 type-spelling"],
    );
    parameters(
        "a:\n  type: array\n  description: Z\n  items:\n    type: object\n    properties:\n      b-c: {type: integer}",
        &["10:9 missing-description", "10:9 gemini-parameter-name"],
    );
    parameters("times: int[]", &["4:10 type-spelling"]);
    parameters("times: 'int'", &["4:10 type-spelling"]);
    parameters("list: {type: list, description: Z}", &["4:16 invalid-tool"]);
    parameters(
        "a: {type: array, description: Z, items: {type: array}}",
        &["4:50 array-without-items"],
    );
    parameters(
        "a: {description: Z, oneOf: [{type: string}, {type: integer, enum: [1]}]}",
        &[
            "4:23 gemini-keyword",
            "4:23 openai-strict",
            "4:63 gemini-enum",
        ],
    );
    parameters(
        "a: {type: number, description: Z, minimum: 0, exclusiveMinimum: true}",
        &["4:49 gemini-keyword"],
    );
    parameters(
        "a: {description: Z, type: string, enum: [b, '']}",
        &["4:37 gemini-enum"],
    );
    parameters("a: {type: integer, format: int32, description: Z}", &[]);
    parameters("a: {type: string, format: date-time, description: Z}", &[]);
    // Schema keywords are valid parameter names, and valid values.
    parameters(
        "example: {type: string, description: Z, default: {not: x}}",
        &["4:52 invalid-tool"],
    );
    parameters(
        "properties: {type: string, description: Z, enum: [not, oneOf]}",
        &[],
    );
}

#[test]
fn placeholder_descriptions_are_found() {
    for placeholder in [
        "TODO",
        "'TODO: say what'",
        "Lorem ipsum dolor",
        "Description.",
        "<what to say>",
        "'...'",
        "The text",
    ] {
        let text = format!("the_text: {{type: string, description: {placeholder}}}");
        parameters(&text, &["4:41 placeholder"]);
    }
    for fine in [
        "Find every TODO comment",
        "Text to translate",
        "A value from 1 to 3",
        "a <b> tag",
    ] {
        parameters(
            &format!("the_text: {{type: string, description: {fine}}}"),
            &[],
        );
    }
    parameters(
        "a: {type: string, description: '  '}",
        &["4:3 missing-description"],
    );
    // Generators make titles of names.
    parameters(
        "id: {type: string, title: Id, description: Its number}",
        &[],
    );
    parameters(
        "id: {type: string, title: TODO, description: Its number}",
        &["4:29 placeholder"],
    );
}

#[test]
fn templates_are_checked_against_parameters() {
    template("{{ text }}{{ voice }}", &["7:16 unguarded-optional"]);
    template("{{ text }}{{ voice or \"bass\" }}", &[]);
    template("{{ text }}{{ voice | default(\"bass\") }}", &[]);
    template("{{ text }}{% if voice %}{{ voice }}{% endif %}", &[]);
    template(
        "{% set x = text %}{{ x }}{% for v in (voice or \"\").split(\" \") %}{{ v }}{{ loop.index }}{% endfor %}",
        &[],
    );
    template(
        "{{ text }}{% if voice %}{% endif %}{{ wait_for_previous }}",
        &["7:41 undeclared-variable"],
    );
    template("{{ text }}", &["5:3 unused-parameter"]);
    template("{{ text | }}", &["7:13 template-error"]);
    template(
        "{{ text | truncate(length=5) }}{{ voice or '' }}",
        &["7:22 template-error"],
    );
    template("{{ text | truncate(5) }}{{ voice or '' }}", &[]);
    template("{{ text }}{{ voice is odd_one }}", &["7:25 template-error"]);
    template(
        "{% include \"gone.njk\" %}{{ voice or text }}",
        &["7:15 template-error"],
    );
    template(
        "{% include \"gone.njk\" ignore missing %}{{ voice or text }}",
        &[],
    );
}

#[test]
fn invisible_characters_and_secrets_are_located() {
    let tool = |description: &str| {
        format!("name: say\ndescription: {description}\nimplementation: Hello\n")
    };
    check(&tool("Say 👨\u{200d}👩 it"), &[]);
    check(&tool("Say\u{200b}\u{200b} it"), &["2:17 hidden-character"]);
    check(&tool("\"Say\\u200b it\""), &["2:14 hidden-character"]);
    check(
        &tool("Say it # \u{202e}comment"),
        &["2:23 hidden-character"],
    );
    check(&tool("Send AKIAIOSFODNN7EXAMPLE"), &["2:19 secret"]);
    check(
        &tool("Say it # api_key=Zm9vYmFyYmF6cXV4MTIzNDU2"),
        &["2:31 secret"],
    );
    check(
        &tool("The api_key: names the variable"),
        &["2:25 invalid-tool"],
    );
}

#[test]
fn names_must_suit_every_host() {
    let tool = |name: &str| format!("name: {name}\ndescription: Say it\nimplementation: Hello\n");
    check(&tool(&"a".repeat(48)), &["1:7 unportable-name"]);
    check(
        &tool("discovered_tool_say"),
        &["1:7 reserved-name", "1:7 stem-differs"],
    );
    check(&tool("mcp_say"), &["1:7 reserved-name", "1:7 stem-differs"]);
    check(
        &tool("wait_for_previous"),
        &["1:7 reserved-name", "1:7 stem-differs"],
    );
}

#[test]
fn errors_are_where_they_can_be_corrected() {
    template(
        "Hello {% if text %}{{ voice or \"\" }}",
        &["7:12 template-error"],
    );
    template("{# {{ text }}", &["7:3 template-error"]);
    let tool = |rest: &str| format!("name: say\ndescription: Say it\n{rest}\n");
    check(
        &tool("parameters:\n  a: {type: string}\n  required: [a]\nimplementation: Hello"),
        &["5:3 invalid-tool"],
    );
    check(
        &tool(
            "parameters:\n  type: object\n  properties:\n    a: {type: string}\nimplementation: Hello",
        ),
        &["5:3 invalid-tool"],
    );
    check(
        &tool("implementation:\n  njk_file: gone.njk"),
        &["4:3 template-error"],
    );
}

#[test]
fn a_byte_that_is_not_text_is_at_its_line() {
    let project = Project::new();
    project.file("say.yaml", b"name: say\n# \xc3\xa9 \xff\n".as_slice());
    let path = project.path("say.yaml");
    let file = LintFile::read(&path, "say.yaml".as_ref(), &ReadScope::User).unwrap();
    let found = Linter::new(Levels::default()).check(&file);
    let places: Vec<_> = found
        .iter()
        .map(|it| (it.rule.name, it.location.line, it.location.column))
        .collect();
    assert_eq!(places, [("invalid-tool", 2, 5)]);
}

#[test]
fn findings_in_a_scalar_of_one_line_are_where_they_are() {
    let tool = |implementation: &str| {
        let head = "name: say\ndescription: Say it\nparameters:\n  a: {type: string, description: The first}\n";
        format!("{head}implementation: {implementation}\n")
    };
    for (implementation, expected) in [
        ("\"{{ a }} {{ aa }}\"", "5:29 undeclared-variable"),
        ("'it''s {{ a }} {{ aa }}'", "5:35 undeclared-variable"),
        ("Say {{ a }} {{ aa }}", "5:32 undeclared-variable"),
        (
            "\"\\u00e9\\n{{ a }}\\t{{ aa }}\"",
            "5:38 undeclared-variable",
        ),
        (
            "{js: \"return args.a + args.aa;\"}",
            "5:44 js-undeclared-name",
        ),
    ] {
        check(&tool(implementation), &[expected]);
    }
}

#[test]
fn a_description_that_a_comment_ends_is_found() {
    let tool = |description: &str| {
        format!("name: say\ndescription: {description}\nimplementation: Hello\n")
    };
    check(&tool("Look up issue #12"), &["2:14 misleading-description"]);
    check(&tool("Look up an issue # of the project"), &[]);
    check(&tool("\"Look up issue #12\""), &[]);
    check(&tool("|\n  Look up issue #12"), &[]);
}

#[test]
fn a_script_is_judged_by_its_own_shell() {
    let tool = |line: &str, code: &str| {
        format!(
            "name: say\ndescription: Say it\nimplementation:\n  script: |\n    #!{line}\n    {code}\n"
        )
    };
    let fish = "if true; echo hi; end";
    check(&tool("/usr/bin/env fish", fish), &[]);
    check(&tool("/usr/bin/fish", fish), &[]);
    check(&tool("/bin/sh", fish), &["5:5 script-error"]);
    check(&tool("/bin/sh", "fi"), &["6:5 script-error"]);
    for name in ["bash", "dash", "zsh", "fish"] {
        let is_installed = std::path::Path::new("/usr/bin").join(name).exists();
        let expected: &[&str] = if is_installed {
            &["6:5 script-error"]
        } else {
            &[]
        };
        check(&tool(&format!("/usr/bin/env {name}"), "fi; end"), expected);
    }
}

#[test]
fn keys_of_a_call_belong_under_its_tool() {
    let project = Project::new();
    let nodes = "a: {tool: greet, arguments: {name: Ada}}\n      b: {each: {in: \"{{ [1] }}\", tool: {name: greet}, preset: {}}}";
    project.file(
        "say.yaml",
        format!(
            "name: say\ndescription: Say it\nimplementation:\n  flow:\n    nodes:\n      {nodes}\n"
        ),
    );
    let path = project.path("say.yaml");
    let file = LintFile::read(&path, "say.yaml".as_ref(), &ReadScope::User).unwrap();
    let findings = Linter::new(Levels::default()).check(&file);
    let unknown = findings
        .iter()
        .filter(|it| it.message.starts_with("unknown key"));
    let fixes: Vec<&str> = unknown.map(|it| it.fix.as_str()).collect();
    let expected = [
        "write `tool: {name: greet, arguments: …}`",
        "write `tool: {name: greet, preset: …}`",
    ];
    assert_eq!(fixes, expected);
}
