//! Findings about tools, the commands that list and call them, and references to them.

use crate::fixture::{Fixture, HELLO, page};
use cogtools_test_support::{assert_text, outcome, str};

/// A second tool.
fn tool(name: &str, rest: &str) -> String {
    format!("name: {name}\ndescription: Say it\n{rest}")
}

#[test]
fn discovery_that_fails() {
    for (answer, why) in [
        ("echo no >&2; exit 3", "exited with status 3: no"),
        ("echo '{}'", "printed JSON that is not an array"),
        (
            "echo hello",
            "printed invalid JSON: expected value at line 1 column 1",
        ),
        (
            "kill -9 $$",
            "was terminated by signal 9 (SIGKILL): nothing",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.replace_program("cogtools-discover", answer);
        let discovery = format!(
            "  problem  `cogtools-discover` {why}: Gemini CLI does not start\n           hint: to see it, run: cogtools-discover\n"
        );
        fixture.check(&[("discovery", &discovery)], "1 problem, no warnings");
    }
}

#[test]
fn discovery_that_omits_tools() {
    let fixture = Fixture::new();
    fixture.replace_program(
        "cogtools-discover",
        "echo 'one is broken' >&2; echo '[{\"functionDeclarations\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}]'",
    );
    let discovery = "  ok       runs, and declares 2 tools, a to b
  problem  the discovery command does not declare hello
           hint: set the discovery command to \"cogtools-discover\"
  warning  writes to stderr, which Gemini CLI does not show: one is broken
           hint: to see all of it, run: cogtools-discover > /dev/null\n";
    let call = "  ok       skipped: there is no template to call\n";
    let headless = "  warning  headless mode (gemini -p) hides 2 of 2 tools: a, b
           fix: mkdir -p ~/.gemini/policies && cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml\n";
    fixture.check(
        &[
            ("discovery", discovery),
            ("call", call),
            ("headless", headless),
        ],
        "1 problem, 2 warnings",
    );
}

#[test]
fn discovery_that_skips_one_tool_and_repeats_another() {
    let fixture = Fixture::new();
    fixture
        .file("tools/lost.yaml", "name: lost\n")
        .replace_program(
            "cogtools-discover",
            "echo 'lost is broken' >&2; echo '[{\"name\": \"hello\"}, {\"name\": \"hello\"}]'",
        );
    let discovery = "  ok       runs, and declares 2 tools, hello to hello
  warning  declares hello more than once, and the last one wins
           hint: remove all but one of them
  warning  skips lost and reports it only on stderr, which Gemini CLI does not show: lost is broken
           hint: to see all of it, run: cogtools-discover > /dev/null\n";
    let tools = "  ok       1 tool is valid
  problem  tools/lost.yaml:1:1: `description` is missing (and 1 more): no host sees the tool
           hint: add `description: …`; cogtools lint tools/lost.yaml shows all of it\n";
    fixture.check(
        &[("discovery", discovery), ("tools", tools)],
        "1 problem, 2 warnings",
    );
}

#[test]
fn a_tool_that_the_api_rejects() {
    let fixture = Fixture::new();
    fixture.file(
        "tools/ask.yaml",
        tool("ask", "parameters: {who?: string}\nimplementation: x\n"),
    );
    let tools = "  ok       1 tool is valid
  problem  tools/ask.yaml:3:14: not declared for gemini: the Gemini API rejects the parameter name \"who?\": Gemini CLI does not see the tool
           hint: use letters from a to z, digits and `_`, at most 64, and no digit first; cogtools lint tools/ask.yaml shows all of it\n";
    fixture.check(&[("tools", tools)], "1 problem, no warnings");
}

#[test]
fn a_call_that_fails() {
    for (answer, why) in [
        (
            "echo no >&2; exit 3",
            "`cogtools-call hello` exited with status 3: no",
        ),
        (
            "echo noise >&2; echo yes",
            "`cogtools-call hello` writes to stderr, which Gemini CLI treats as a failure: noise",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.replace_program("cogtools-call", answer);
        let call = format!(
            "  problem  {why}\n           hint: to see it, run: echo '{{\"person\":\"Ada\"}}' | cogtools-call hello\n"
        );
        fixture.check(&[("call", &call)], "1 problem, no warnings");
    }
}

#[test]
fn tools_with_commands_are_not_called() {
    let fixture = Fixture::new();
    fixture.file(
        "tools/hello.yaml",
        tool("hello", "implementation: {exec: [rm, -rf, x]}\n"),
    );
    fixture
        .project
        .program("../prefix/bin/rm", "#!/bin/sh\nexit 9\n");
    let call = "  ok       skipped: there is no template to call\n";
    let budget = "  ok       1 tool costs about 32 tokens with every request\n";
    let sources = "  ok       the project is trusted\n";
    fixture.check(
        &[("sources", sources), ("call", call), ("budget", budget)],
        "no problems, no warnings",
    );
}

#[test]
fn an_invalid_example() {
    let fixture = Fixture::new();
    let tool = HELLO.replace("implementation", "  - persn: Bo\nimplementation");
    fixture.file("tools/hello.yaml", tool);
    let tools = "  ok       1 tool is valid
  warning  tools/hello.yaml:7:5: /persn: invalid example: not a parameter of this tool
           hint: correct the example in tools/hello.yaml\n";
    fixture.check(&[("tools", tools)], "no problems, 1 warning");
}

#[test]
fn invalid_shadowed_and_missing_tools() {
    let fixture = Fixture::new();
    fixture
        .file(".cogtoolrc.yaml", "tool_sources: [{local: tools}, {local: more}]\n")
        .file("more/hello.yaml", HELLO)
        .file("tools/lost.yaml", "name: lost\ndescripton: x\ndescription: x\nimplementation: x\n")
        .file("tools/odd.yaml", tool("odd", "implementation: '{{ x'\n"))
        .file(
            "README.md",
            "| Name | x |\n|--|--|\n| `gone` | x |\n\n| Tool | x |\n|---|---|\n| [`helo`](x) | x |\n| `hello` | x |\n",
        )
        .file(
            "../home/.gemini/policies/mine.toml",
            "[[rule]]\ntoolName = [\"discovered_tool_hello\", \"discovered_tool_odd\", \"discovered_tool_bye\"]\ndecision = \"allow\"\npriority = 1\n\
             [[rule]]\ntoolName = [\"discovered_tool_elsewhere\"]\ndecision = \"allow\"\npriority = 1\n",
        );
    let discovery = "  ok       runs, and declares 1 tool: hello
  problem  the discovery command does not declare odd
           hint: set the discovery command to \"cogtools-discover\"\n";
    let tools = "  ok       1 tool is valid
  problem  tools/lost.yaml:2:1: unknown key `descripton`: no host sees the tool
           hint: did you mean `description`?; cogtools lint tools/lost.yaml shows all of it
  problem  tools/odd.yaml:3:22: expected `}}` at the end of the expression, found the end of the template: every call of the tool fails
           hint: the `{{` on line 3 is still open: end it with `}}`; cogtools lint tools/odd.yaml shows all of it
  warning  more/hello.yaml is shadowed by tools/hello.yaml, which has the same name
           hint: rename or remove more/hello.yaml
  warning  ~/.gemini/policies/mine.toml names the tool `bye`, which does not exist
           hint: remove `bye` from ~/.gemini/policies/mine.toml
  warning  README.md names the tool `helo`, which does not exist
           hint: correct README.md: did you mean `hello`?\n";
    let budget = "  ok       2 tools cost about 85 tokens with every request\n";
    fixture.check(
        &[
            ("discovery", discovery),
            ("tools", tools),
            ("budget", budget),
        ],
        "3 problems, 3 warnings",
    );
}

#[test]
fn an_invalid_configuration() {
    let fixture = Fixture::new();
    fixture.file(".cogtoolrc.yaml", "tool_source: []\n");
    let configuration = "  problem  .cogtoolrc.yaml:1:1: unknown key `tool_source`
           hint: did you mean `tool_sources`?\n";
    let call = "  ok       skipped: there is no template to call\n";
    let tools = "  ok       0 tools are valid\n";
    let budget = "  ok       0 tools cost about 0 tokens with every request\n";
    fixture.check(
        &[
            ("configuration", configuration),
            ("call", call),
            ("tools", tools),
            ("budget", budget),
        ],
        "1 problem, no warnings",
    );
}

#[test]
fn manual_pages() {
    let manual = "../prefix/share/man/man1/cogtools-call.1";
    let check = |text: &str, why: &str| {
        let fixture = Fixture::new();
        fixture.file(manual, text);
        let section = format!(
            "  warning  [HERE]/prefix/share/man/man1/cogtools-call.1 {why}\n           hint: install cogtools with its manual: cargo xtask install in a clone of the source\n"
        );
        fixture.check(&[("manual", &section)], "no problems, 1 warning");
    };
    let page = page("cogtools-call");
    check(&page.replace("0.1.0", "0.0.9"), "is not for version 0.1.0");

    // The version decides, not the text.
    let fixture = Fixture::new();
    fixture.file(manual, format!("{page}\\fB\\-\\-old\\fR\n"));
    fixture.check(&[], "no problems, no warnings");

    let fixture = Fixture::new();
    std::fs::remove_file(fixture.project.path(manual)).unwrap();
    let section = "  warning  no manual page is installed for cogtools-call
           hint: install cogtools with its manual: cargo xtask install in a clone of the source\n";
    fixture.check(&[("manual", section)], "no problems, 1 warning");
}

#[test]
fn a_budget_decides_the_cost_of_a_request() {
    let fixture = Fixture::new();
    let long = "x ".repeat(9_000);
    fixture
        .file(
            "tools/heavy.yaml",
            format!("name: heavy\ndescription: {long}\nimplementation: x\n"),
        )
        .file(".cogtoolrc.yaml", "budget: 600\n");
    outcome!(fixture.run(&[])).stdout_contains(
        "2 tools cost about 9083 tokens; with the budget 3 declarations cost about ",
    );
}

#[test]
fn tools_that_cost_too_much() {
    let fixture = Fixture::new();
    let long = "x ".repeat(9_000);
    let heavy = format!("name: heavy\ndescription: {long}\nimplementation: x\n");
    fixture
        .file("tools/heavy.yaml", heavy)
        .file(
            "../home/.gemini/policies/mine.toml",
            "[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 1\n",
        )
        .replace_program(
            "cogtools-discover",
            "echo '[{\"name\": \"hello\"}, {\"name\": \"heavy\"}]'",
        );
    let discovery = "  ok       runs, and declares 2 tools, hello to heavy\n";
    let tools = "  ok       2 tools are valid\n";
    let budget = "  warning  2 tools cost about 9083 tokens with every request; up to 8000 tokens and 100 tools are reasonable; the heaviest are heavy (9030), hello (53)
           hint: shorten or remove the heaviest; cogtools list shows the cost of each\n";
    fixture.check(
        &[
            ("discovery", discovery),
            ("tools", tools),
            ("budget", budget),
        ],
        "no problems, 1 warning",
    );
}

#[test]
fn sources_that_are_not_approved() {
    let fixture = Fixture::new();
    fixture
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, node_modules, {command: {discover: ./d, call: ./c, name: other}}]\n",
        )
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file("node_modules/pk/package.json", r#"{"cogtools": {"tools": ["."]}}"#)
        .file(
            "node_modules/pk/run.yaml",
            tool("run", "implementation: {exec: [echo]}\n"),
        );
    let ended = fixture.run(&[]);
    let sources = str![[r#"
sources
  problem  the package `pk` runs programs and is not approved
           fix: cogtools trust pk
  problem  the provider `other` runs programs and is not approved
           fix: cogtools trust other

"#]];
    let (_, rest) = ended.stdout.split_once("sources\n").unwrap_or_default();
    let (found, _) = rest.split_once("gemini\n").unwrap_or_default();
    assert_text(format!("sources\n{found}"), sources);
    assert!(
        ended
            .stdout
            .starts_with("configuration\n  ok       `.cogtoolrc.yaml` is valid\nsources\n")
    );
}
