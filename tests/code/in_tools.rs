//! Tools whose code calls tools: `implementation: {js: …, tools: […]}`.

use super::*;

/// A project with the tool `t`, which has this code and these tools.
fn project_of(code: &str, tools: &str) -> Project {
    let project = project();
    project.file("tools/t.yaml", tool("t", code, tools));
    project
}

fn tool(name: &str, code: &str, tools: &str) -> String {
    let code = code.lines().collect::<Vec<_>>().join("\n    ");
    format!(
        "name: {name}\ndescription: d\nparameters: {{ids: {{type: array, items: integer, \
         default: [1, 2]}}}}\nimplementation:\n  js: |\n    {code}\n  tools: {tools}\n"
    )
}

/// The configuration of the user.
const RULES: &str = "../home/.gemini/cogtoolrc.yaml";

fn call(project: &Project, name: &str) -> Outcome {
    run("cogtools-call", project).arg(name).stdin("{}").run()
}

#[track_caller]
fn fails(project: &Project, status: i32, message: &str) {
    let outcome = call(project, "t");
    assert_eq!(outcome.status, Status::Exit(status), "{outcome:?}");
    outcome.stderr_contains(message);
}

#[test]
fn code_of_a_tool_calls_the_tools_that_it_lists() {
    let code = "const mails = parallel(args.ids.map(id => () => tools.user({id})));\n\
                print('found', mails.length);\nreturn mails.map(it => it.mail)";
    let project = project_of(code, "[user]");
    call(&project, "t").outputs("[\"a@x\",\"b@x\"]");
    // Without a result, what it printed is one.
    let project = project_of("print('a', 1); print(tools.tax({amount: 100}))", "[t*]");
    call(&project, "t").outputs("a 1\n119");
    let project = project_of("tools.my_tool({})", "[my-tool]");
    call(&project, "t").outputs("");
    // What says that there is no output may be one.
    let project = project_of("print('(nothing printed; 0 calls)')", "[tax]");
    call(&project, "t").outputs("(nothing printed; 0 calls)");
    // A toolset is a folder of tools.
    let project = project_of("return tools.deep({})", "[inner]");
    project.file(
        "tools/inner/deep.yaml",
        "name: deep\ndescription: d\nimplementation: in a toolset\n",
    );
    call(&project, "t").outputs("in a toolset");
}

#[test]
fn nothing_else_is_in_scope() {
    let project = project_of(
        "const ids = args.ids;\nreturn tools.taks({amount: ids[0]})",
        "[tax]",
    );
    let outcome = call(&project, "t");
    outcome.stderr_contains("there is no tool `taks`");
    outcome.stderr_contains("did you mean `tax`?");
    outcome.stderr_contains("tools/t.yaml:7:18");
    for name in [
        "mail",
        "t",
        "run_code",
        "search_tools",
        "describe_tools",
        "../tax",
    ] {
        let code = format!(
            "const n = '{name}'; try {{ return tools[n]({{}}) }} catch (e) {{ return e.code }}"
        );
        let project = project_of(&code, "[tax, t, run_code, search_tools, describe_tools]");
        call(&project, "t").outputs("TOOL_NOT_FOUND");
    }
    let project = project_of(
        "return search_tools('mail tax').map(it => it.name)",
        "[tax]",
    );
    call(&project, "t").outputs("[\"tax\"]");
}

#[test]
fn a_call_that_needs_a_yes_is_denied_unless_a_rule_allows_it() {
    let code = "try { return tools.mail({to: 'a'}) } catch (e) { return e.code }";
    let project = project_of(code, "['*']");
    call(&project, "t").outputs("DENIED");
    assert_eq!(sent(&project), "");
    project.file(RULES, "ask: {allow: [mail]}\n");
    call(&project, "t").outputs("sent");
    assert_eq!(sent(&project), "a\n");
    project.file(RULES, "ask: {allow: [mail], deny: [mail]}\n");
    call(&project, "t").outputs("DENIED");
}

#[test]
fn what_the_caller_denies_is_denied_within() {
    let code = "try { return tools.tax({amount: 100}) } catch (e) { return e.code }";
    let project = project_of(code, "[tax]");
    project.file(RULES, "ask: {allow: [t, u, f]}\n");
    // Through another tool, too.
    project.file("tools/u.yaml", tool("u", "return tools.t({})", "[t]"));
    let flow = format!("{{nodes: {{act: {{js: {code:?}, tools: [tax]}}}}}}");
    let flow = format!("name: f\ndescription: d\nimplementation: {{flow: {flow}}}\n");
    project.file("tools/f.yaml", flow);
    for name in ["t", "u", "f"] {
        let program = format!("return tools.{name}({{}})");
        super::code(&project, &["run"], &program).outputs("119\n");
        super::code(&project, &["run", "--deny", "ta*"], &program).outputs("DENIED\n");
    }
}

#[test]
fn what_the_user_denies_is_denied_in_flows() {
    let project = project_of("return 1", "[tax]");
    project.file(
        "tools/f.yaml",
        "name: f\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      \
         act: {tool: {name: tax, arguments: {amount: 100}}}\n",
    );
    let program = "try { return tools.f({}) } catch (e) { return e.message }";
    let called = |rules: &str, args: &[&str]| {
        project.file(RULES, rules);
        code(&project, args, program).text()
    };
    let allowed = "ask: {allow: [f]}\n";
    assert_eq!(called(allowed, &["run"]), "119\n");
    for (rules, args) in [
        (allowed, &["run", "--deny", "tax"][..]),
        ("ask: {allow: [f], deny: [tax]}\n", &["run"]),
    ] {
        let denied = called(rules, args);
        assert!(denied.contains("denied by a rule of the user"), "{denied}");
    }
}

#[test]
fn a_failure_names_the_line_of_the_file() {
    let project = project_of(
        "\nconst a = 1;\nreturn tools.tax({amount: String(args.ids)})",
        "[tax]",
    );
    fails(
        &project,
        1,
        "error[TOOL_FAILED]: tools/t.yaml:8:38: ToolError: tax: /amount: ",
    );
    let project = project_of("for (;;);", "[tax]");
    project.file(
        "tools/t.yaml",
        project.read("tools/t.yaml") + "timeout: 1\n",
    );
    fails(&project, 124, "the tool timed out after 1 s");
}

#[test]
fn code_that_calls_tools_is_approved_like_a_program() {
    let project = Project::untrusted();
    project
        .file("tools/t.yaml", tool("t", "return tools.hi({})", "[hi]"))
        .file(
            "tools/hi.yaml",
            "name: hi\ndescription: d\nimplementation: hi\n",
        );
    fails(
        &project,
        77,
        "error[DENIED]: t: it runs a program, and its project is not trusted",
    );
}

#[test]
fn tools_call_each_other_only_so_deep() {
    let project = project_of("return tools.u({ids: args.ids})", "[u]");
    project.file(
        "tools/u.yaml",
        tool("u", "return tools.t({ids: args.ids})", "[t]"),
    );
    project.file(RULES, "ask: {allow: [t, u]}\n");
    fails(
        &project,
        1,
        "4 agents and flows already run within each other",
    );
}

#[test]
fn calls_are_in_a_session_of_the_tool() {
    let project = project_of("return tools.user({id: 1}).mail", "[user]");
    call(&project, "t").outputs("a@x");
    let list = |words: &[&str]| run("cogtools-session", &project).args(words).run();
    let all = list(&["list", "--all", "--json"]);
    let all: Value = serde_json::from_slice(&all.stdout).expect("JSON");
    let id = all[0]["session"].as_str();
    let shown = list(&["show", id.expect("a session"), "--json"]);
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("\"program_end\""), "{text}");
    assert!(text.contains("\"tool\": \"user\""), "{text}");
    list(&["list"]).outputs("this project has no sessions\n");
}

#[test]
fn an_example_answers_for_tools() {
    let project = project_of("return tools.mail({to: 'a'})", "[mail]");
    let tool = project.read("tools/t.yaml")
        + "examples:\n  - {arguments: {}, with: {mail: not sent}, contains: not sent}\n";
    project.file("tools/t.yaml", tool);
    run("cogtools-test", &project).arg("t").run().status(0);
    assert_eq!(sent(&project), "");
}

#[test]
fn tools_belong_to_code() {
    let check = |implementation: &str, message: &str| {
        let project = project();
        let text = format!("name: t\ndescription: d\nimplementation: {implementation}\n");
        project.file("tools/t.yaml", text);
        fails(&project, 78, message);
    };
    check("{js: return 1, tools: []}", "`tools` is empty");
    check("{js: return 1, tools: tax}", "`tools`");
    check("{exec: [ls], tools: [tax]}", "unknown key `tools`");
    check(
        "{flow: {nodes: {a: {text: x, tools: [tax]}}}}",
        "`tools` belongs to `js`",
    );
    let long = format!("{{js: 'return 1 // {}', tools: [tax]}}", "x".repeat(40_000));
    check(&long, "longer than 32 KiB");
}
