//! Programs that call tools: `cogtools code`.

mod attacks;
mod in_tools;
pub(crate) mod resuming;

use std::path::Path;

use cogtools_test_support::{FakeGemini, Outcome, Project, Run, Status, Turn, str};
use serde_json::{Value, json};

use crate::output_schema::conforms;
use crate::run;

/// A project with a template, a read-only program, one that destroys, and a name with a hyphen.
fn project() -> Project {
    let project = Project::new();
    project
        .file(
            "tools/tax.yaml",
            "name: tax\ndescription: Add a tax\nparameters:\n  amount: number\n  \
             rate: {type: number, default: 0.19, description: The tax}\nexamples:\n  - amount: 100\n\
             implementation: '{{ amount * (1 + rate) }}'\n",
        )
        .file(
            "tools/user.yaml",
            r#"name: user
description: Get a user
parameters: {id: integer}
annotations: {read_only: true}
output:
  type: json
  schema: {type: object, properties: {mail: {type: string}}, required: [mail]}
examples:
  - id: 1
implementation:
  exec:
    - sh
    - -c
    - 'echo "$0" >> users; if [ "$0" = 1 ]; then echo "{\"mail\": \"a@x\"}"; else echo "{\"mail\": \"b@x\"}"; fi'
    - '{{ id }}'
"#,
        )
        .file("tools/user.1.golden", "{\"mail\": \"example@x\"}\n")
        .file(
            "tools/mail.yaml",
            "name: mail\ndescription: Send a mail\nparameters: {to: string}\n\
             annotations: {destructive: true}\n\
             implementation: {exec: [sh, -c, 'echo \"$0\" >> sent; echo sent', '{{ to }}']}\n",
        )
        .file(
            "tools/my-tool.yaml",
            "name: my-tool\ndescription: Mine\nimplementation: hi\n",
        );
    project.trust(".");
    project
}

/// Runs `cogtools code` with `words` and the program `code`.
fn code(project: &Project, words: &[&str], code: &str) -> Outcome {
    run("cogtools-code", project).args(words).stdin(code).run()
}

/// The report of a run as JSON.
fn report(project: &Project, words: &[&str], program: &str) -> Value {
    let words: Vec<&str> = ["run", "--json"].iter().chain(words).copied().collect();
    let outcome = code(project, &words, program);
    let report = serde_json::from_slice(&outcome.stdout).expect("a report");
    conforms("code run", &report);
    report
}

/// The step, tool and status of each call.
fn calls(report: &Value) -> Vec<String> {
    let calls = report["calls"].as_array().expect("calls").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    calls
        .map(|it| {
            [&it["step"], &it["tool"], &it["status"]]
                .map(text)
                .join(" ")
        })
        .collect()
}

/// The table of examples: the program, its calls, its output.
#[test]
fn a_program_calls_tools_and_prints() {
    let project = project();
    let table: &[(&str, &[&str], &str)] = &[
        (
            "print(tools.tax({amount: 100}))",
            &["1 tax succeeded"],
            "119",
        ),
        (
            "return [1,2].map(n => tools.user({id: n}).mail)",
            &["1 user succeeded", "2 user succeeded"],
            r#"["a@x","b@x"]"#,
        ),
        (
            "return parallel([() => tools.tax({amount: 1}), async () => (await tools.user({id: 2})).mail])",
            &["1.1.1 tax succeeded", "1.2.1 user succeeded"],
            r#"["1.19","b@x"]"#,
        ),
        (
            "try { tools.tax(args) } catch (e) { print(e.code, e.violations[0].pointer) }",
            &["1 tax rejected"],
            "SCHEMA_VIOLATION /amount",
        ),
        (
            "try { tools.mail({to: 'a'}) } catch (e) { print(e.code) }",
            &["1 mail denied"],
            "DENIED",
        ),
        (
            "tools['my-tool']({}); tools.my_tool({})",
            &["1 my-tool succeeded", "2 my-tool succeeded"],
            "(nothing printed; 2 calls)",
        ),
        (
            "print('a', {b: [1]}, 2); return 3",
            &[],
            "a {\"b\":[1]} 2\n3",
        ),
        // JSON would have null for it.
        (
            "return [{amount: NaN}, {amount: 1, 'a/b': [0, {c: -Infinity}]}].map((it) => { \
             try { return tools.tax(it) } catch (e) { return [e.code, e.message, e.violations[0].pointer] } })",
            &[],
            r#"[["SCHEMA_VIOLATION","/amount: NaN is no number in JSON","/amount"],["SCHEMA_VIOLATION","/a~1b/1/c: -Infinity is no number in JSON","/a~1b/1/c"]]"#,
        ),
        // A call in a getter of the arguments comes first.
        (
            "return tools.tax({get amount() { return Number(tools.tax({amount: 100})) }})",
            &["1 tax succeeded", "2 tax succeeded"],
            "141.60999999999999",
        ),
        (
            "return parallel([() => tools.tax(args), () => 3], {errors: 'keep'}).map((it) => it.code ?? it)",
            &["1.1.1 tax rejected"],
            r#"["SCHEMA_VIOLATION",3]"#,
        ),
        (
            "const all = []; await parallel([async () => { all.push(await tools.tax({amount: 1})); \
             all.push(await tools.tax({amount: 2})) }, async () => all.push(await tools.tax({amount: 3}))]); \
             return all",
            &[
                "1.1.1 tax succeeded",
                "1.2.1 tax succeeded",
                "1.1.2 tax succeeded",
            ],
            r#"["1.19","3.57","2.38"]"#,
        ),
        (
            "return [search_tools('send a mail', 1)[0].name, describe('tax').includes('amount: number')]",
            &[],
            r#"["mail",true]"#,
        ),
        (
            "const name = 'taks'; try { tools[name]({}) } catch (e) { return [e.code, e.tool, e.hints[0]] }",
            &["1 taks rejected"],
            r#"["TOOL_NOT_FOUND","taks","did you mean `tax`?"]"#,
        ),
    ];
    for (program, expected, output) in table {
        let report = report(&project, &[], program);
        assert_eq!(calls(&report), *expected, "{program}\n{report:#}");
        assert_eq!(report["output"], *output, "{program}");
        assert_eq!(report["status"], "completed", "{program}");
    }
}

#[test]
fn types_are_checked_before_anything_runs() {
    let project = project();
    code(
        &project,
        &["run"],
        "tools.tax({amount: 1}); tools.taks({amount: 1})",
    )
    .fails(
        65,
        str![[r#"
cogtools-code: error[CODE_TYPES]: <code>:1:31: there is no tool `taks`
   |
 1 | tools.tax({amount: 1}); tools.taks({amount: 1})
   |                               ^^^^
hint: did you mean `tax`?

"#]],
    );
    let check = |program: &str| code(&project, &["check"], program);
    check("const u = tools.user({id: 1});\nreturn u.mial").fails(
        65,
        str![[r#"
cogtools-code: error[CODE_TYPES]: <code>:2:10: the result has no member `mial`
   |
 2 | return u.mial
   |          ^^^^
hint: did you mean `mail`?

"#]],
    );
    check("tools.tax({amount: args.a, rat: 1}); tools.user({})").fails(
        65,
        str![[r#"
cogtools-code: error[CODE_TYPES]: <code>:1:11: /rat: not a parameter of this tool
   |
 1 | tools.tax({amount: args.a, rat: 1}); tools.user({})
   |           ^^^^^^^^^^^^^^^^^^^^^^^^
hint: did you mean `rate`?
cogtools-code: error[CODE_TYPES]: <code>:1:49: /id: required but missing
   |
 1 | tools.tax({amount: args.a, rat: 1}); tools.user({})
   |                                                 ^^
hint: send id (integer)

"#]],
    );
    for fine in [
        "tools.tax({amount: args.a}); tools.tax({...args}); tools.tax(args)",
        "for (const t of [1]) tools.user({id: t}).mail.length",
        "let tools = {taks() {}}; tools.taks()",
        "const {mail} = tools.user({id: 1}); return mail",
    ] {
        check(fine).outputs("");
    }
}

#[test]
fn a_reader_sees_what_a_program_will_do() {
    let project = project();
    let program =
        "tools.mail({to: 'a'});\nfor (const n of [1]) tools.user({id: n}); tools[args.x]({})";
    code(&project, &["explain"], program).outputs(str![[r#"
mail: line 1, may change something, ask (it may destroy something), {"to":"a"}
user: line 2, changes nothing, allow (it changes nothing), computed
tools with computed names

"#]]);
    let outcome = code(&project, &["explain", "--json"], program);
    let explained: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    conforms("code explain", &explained);
    assert_eq!(
        explained,
        json!({
            "tools": [
                {"tool": "mail", "changes": true, "approval": "ask",
                 "calls": [{"line": 1, "arguments": {"to": "a"}}]},
                {"tool": "user", "changes": false, "approval": "allow",
                 "calls": [{"line": 2, "arguments": null}]},
            ],
            "computed": true,
        }),
    );
    let dry = "const m = tools.mail({to: 'a'}); return [m, tools.user({id: 1}).mail, tools.tax({amount: 100})]";
    code(&project, &["run", "--dry-run"], dry).outputs(str![[r#"
1 mail {"to":"a"} -> "" (example)
2 user {"id":1} -> {"mail":"example@x"} (example)
3 tax {"amount":100} -> "119"
["","example@x","119"]

"#]]);
    assert!(!project.path("sent").exists());
    assert!(!project.path("users").exists());
}

#[test]
fn a_dry_run_runs_no_flow_that_runs_a_program() {
    let project = project();
    project.file(
        "tools/mailing.yaml",
        "name: mailing\ndescription: d\n\
         implementation: {flow: {nodes: {a: {tool: {name: user, arguments: {id: 1}}}}}}\n",
    );
    code(&project, &["run", "--dry-run"], "return tools.mailing({})").outputs(str![[r#"
1 mailing {} -> "" (example)


"#]]);
    assert!(!project.path("users").exists());
}

#[test]
fn tools_are_typescript() {
    code(&project(), &["types"], "").outputs(str![[r#"
declare const tools: {
  /** Send a mail
   * @param args.to */
  mail(args: {to: string}): string;
  /** Mine */
  "my-tool"(args?: {}): string;
  /** Mine */
  my_tool(args?: {}): string;
  /** Add a tax
   * @param args.amount
   * @param args.rate The tax @default 0.19
   * @example tools.tax({"amount":100}) */
  tax(args: {amount: number; rate?: number}): string;
  /** Get a user
   * @param args.id
   * @example tools.user({"id":1}) */
  user(args: {id: number}): {mail: string};
};

"#]]);
    code(&project(), &["types", "--budget", "10"], "").outputs(str![[r#"
mail: Send a mail
my-tool: Mine
tax: Add a tax
user: Get a user

"#]]);
}

#[test]
fn agents_of_a_program_spend_one_budget() {
    let project = project();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: d\nimplementation: {agent: {system: Be brief, prompt: Say it}}\n",
    );
    // A token that is received costs a tenth of the money: the first answer spends all of it.
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        "ask: {allow: [say], prices: prices.yaml, budget: {money: 0.01}}\n",
    );
    project.file(
        "../home/.gemini/prices.yaml",
        "date: 2026-11-01\ncurrency: USD\nmodels: {'*': {input: 0, output: 1000}}\n",
    );
    let fake = FakeGemini::start([Turn::text("word ".repeat(200))]);
    let program =
        "for (let n = 0; n < 3; n++) try { tools.say({}) } catch (e) { print(e.message) }";
    let outcome = run("cogtools-code", &project)
        .args(["run"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .stdin(program)
        .run();
    outcome.stdout_contains("the budget of money is spent");
    assert_eq!(fake.finish().main().len(), 1);
}

#[test]
fn a_store_is_kept_between_programs_of_a_session() {
    let project = project();
    let count =
        "store.n = (store.n ?? 0) + 1; if (store.n === 2) throw new Error('two'); return store.n";
    let next = |expected: &str| {
        let report = report(&project, &["--session", "s.jsonl"], count);
        assert_eq!(report["output"], expected);
        report["program"].as_str().expect("a name").to_owned()
    };
    assert_eq!(next("1"), "p1");
    assert_eq!(next(""), "p2");
    assert_eq!(next("3"), "p3");
    let large = report(
        &project,
        &["--session", "s.jsonl"],
        "store.a = 'x'.repeat(2 ** 21)",
    );
    assert_eq!(large["error"]["code"], "JS_RESULT");
    assert_eq!(next("4"), "p5");
}

#[test]
fn code_that_is_not_awaited_runs_to_its_end() {
    let project = project();
    let twice =
        "[1, 2].forEach(async n => { await tools.user({id: n}); await tools.user({id: n}) })";
    code(&project, &["run"], twice).outputs("(nothing printed; 4 calls)\n");
    for (program, place) in [
        (
            "(async () => { throw new Error('lost') })(); return 1",
            "1:26",
        ),
        (
            "print(1);\n[1].forEach(async n => { tools.mail({to: 'a'}) })",
            "2:32",
        ),
        ("Promise.reject(new Error('lost'));", "1:20"),
    ] {
        let outcome = code(&project, &["run"], program);
        outcome.status(1).stderr_contains("error[JS_RUNTIME]");
        outcome.stderr_contains(place);
    }
    // What is handled later is no failure.
    let late =
        "const p = Promise.reject(new Error('x')); await null; return p.catch(e => e.message)";
    code(&project, &["run"], late).outputs("x\n");
}

#[test]
fn errors_name_the_line_and_have_a_status() {
    let project = project();
    for (program, status, code_name) in [
        ("\nthrow new Error('x')", 1, "JS_RUNTIME"),
        ("return {", 1, "JS_SYNTAX"),
        ("fetch('http://x')", 1, "JS_FORBIDDEN"),
        ("return Symbol()", 1, "JS_RESULT"),
        (
            "const a = []; for (;;) a.push(new Array(10000).fill(1))",
            1,
            "JS_MEMORY",
        ),
        ("await new Promise(() => {})", 1, "JS_RUNTIME"),
        ("for (;;) tools.tax({amount: 1})", 4, "BUDGET_SPENT"),
        (" ", 65, "SCHEMA_VIOLATION"),
    ] {
        let outcome = code(&project, &["run", "--calls", "20"], program);
        assert_eq!(
            outcome.status,
            Status::Exit(status),
            "{program}: {outcome:?}"
        );
        outcome.stderr_contains(&format!("error[{code_name}]"));
    }
    let report = report(
        &project,
        &["--calls", "20"],
        "print('a');\nfor (;;) tools.tax({amount: 1})",
    );
    assert_eq!(report["status"], "stopped");
    assert_eq!(report["output"], "a");
    assert_eq!(calls(&report).len(), 20);
    let long = format!("return {:?}", "x".repeat(32_768));
    code(&project, &["run"], &long).status(65);
}

/// Nothing is known of it, which is no report without mistakes.
#[test]
fn code_that_does_not_parse_is_neither_checked_nor_explained() {
    let project = project();
    for command in ["check", "explain"] {
        code(&project, &[command], "tools.mail({to: 'a'})\nreturn {").fails(
            1,
            str![[r#"
cogtools-code: error[JS_SYNTAX]: <code>:2:9: Expected `}` but found `EOF`
   |
 2 | return {
   |         ^

"#]],
        );
    }
}

/// Nothing is lost where JavaScript nests deeper than JSON may.
#[test]
fn deep_values_are_errors() {
    let project = project();
    let deep = "let a = 1; for (let i = 0; i < 300; i++) a = [a];";
    for rest in ["return a", "store.a = a; return 1", "return tools.tax(a)"] {
        let report = report(&project, &[], &format!("{deep} {rest}"));
        assert_eq!(report["status"], "failed", "{rest}: {report}");
        assert_eq!(report["result"], json!(null), "{rest}");
    }
}

/// The content of the file `sent`.
fn sent(project: &Project) -> String {
    std::fs::read_to_string(project.path("sent")).unwrap_or_default()
}

/// Runs a program that a tool may kill: its number is in the file `pid`.
fn run_with_pid(project: &Project, words: &[&str], program: &str) -> Outcome {
    Run::new("/bin/sh")
        .args(["-c", "echo $$ > pid; exec \"$@\"", "sh"])
        .arg(crate::programs().join("cogtools-code"))
        .args(words)
        .project(project)
        .stdin(program)
        .run()
}

/// Returns true if the file is there.
fn exists(path: &Path) -> bool {
    path.exists()
}
