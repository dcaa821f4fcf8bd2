//! `cogtools mcp --code`: three tools instead of all, and one program instead of many calls.

use std::process::Command;

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::Session;
use super::http::Service;
use super::living::names;
use super::person::call;

const TAX: &str = "\
name: tax
description: Add a tax
parameters: {amount: number, rate: {type: number, default: 0.19}}
implementation: '{{ amount * (1 + rate) }}'
";
const MAIL: &str = "\
name: mail
description: Send a mail
parameters: {to: string}
annotations: {destructive: true}
implementation: {exec: [sh, -c, 'echo $1 >> sent; printf ok', _, '{{ to }}']}
";

fn project() -> Project {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/tax.yaml", TAX)
        .file("tools/mail.yaml", MAIL);
    project
}

/// A client whose user answers forms so; without answers it shows none.
fn session(project: &Project, args: &[&str], answers: &[Value]) -> Session {
    let mut command = Command::new(super::server());
    command.arg("--code").args(args);
    let capabilities = if answers.is_empty() {
        json!({})
    } else {
        json!({"elicitation": {}})
    };
    Session::with_person(project, &mut command, &capabilities, answers)
}

/// The result of `run_code`.
fn run(session: &mut Session, arguments: &Value) -> Value {
    let id = session.call("run_code", arguments);
    session.answer(id)["result"].clone()
}

/// The decision of the user in a form.
fn decides(decision: &str, reason: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision, "reason": reason}})
}

fn sent(project: &Project) -> String {
    std::fs::read_to_string(project.path("sent")).unwrap_or_default()
}

#[test]
fn three_tools_stand_for_all() {
    let project = project();
    let mut session = session(&project, &[], &[]);
    assert_eq!(
        names(&mut session),
        ["search_tools", "describe_tools", "run_code"]
    );
    let id = session.ask("tools/list", &json!({}));
    let tools = session.answer(id)["result"]["tools"].clone();
    let description = tools[2]["description"].as_str().expect("a description");
    let types = "tax(args: {amount: number; rate?: number}): string;";
    assert!(description.contains(types), "{description}");
    let id = session.call("search_tools", &json!({"query": "add a tax"}));
    let result = session.answer(id)["result"].clone();
    let found = &result["structuredContent"];
    assert_eq!(
        found["tools"][0],
        json!({"name": "tax", "description": "Add a tax"})
    );
    assert!(
        found["types"]
            .as_str()
            .is_some_and(|text| text.contains(types))
    );
    assert_eq!(result["content"][0]["text"], found["types"]);
    let id = session.call("describe_tools", &json!({"names": ["tax", "taks"]}));
    let described = session.answer(id)["result"]["structuredContent"].clone();
    assert_eq!(
        described["missing"],
        json!([{"name": "taks", "nearest": "tax"}])
    );
    assert!(
        described["types"]
            .as_str()
            .is_some_and(|text| text.contains(types))
    );
    // A tool of the project is called in a program alone.
    let id = session.call("tax", &json!({"amount": 1}));
    assert_eq!(session.answer(id)["error"]["code"], -32602);
}

#[test]
fn many_tools_are_searched() {
    let project = project();
    for number in 0..200 {
        let text = TAX.replace("tax", &format!("tax{number}"));
        project.file(format!("tools/tax{number}.yaml"), text);
    }
    let mut session = session(&project, &[], &[]);
    let id = session.ask("tools/list", &json!({}));
    let tools = session.answer(id)["result"]["tools"].clone();
    let description = tools[2]["description"].as_str().expect("a description");
    assert!(
        description.ends_with("prints the types of others."),
        "{description}"
    );
    assert!(description.contains("There are 202 tools"), "{description}");
    // Beyond a budget, only names are found.
    let id = session.call("search_tools", &json!({"query": "", "limit": 50}));
    let result = session.answer(id)["result"].clone();
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.len() < 12_000, "{}", text.len());
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains(": Add a tax"), "{text}");
    assert!(text.starts_with("declare const tools: {\n"), "{text}");
    assert_eq!(
        result["structuredContent"]["tools"]
            .as_array()
            .map(Vec::len),
        Some(50)
    );
}

#[test]
fn a_program_calls_tools() {
    let project = project();
    let mut session = session(&project, &[], &[]);
    let code = "print(tools.tax({amount: 100})); store.n = 1; return args.of.map(amount => tools.tax({amount}))";
    let done = run(&mut session, &json!({"code": code, "args": {"of": [1, 2]}}));
    assert_eq!(
        done["content"][0]["text"], "119\n[\"1.19\",\"2.38\"]",
        "{done}"
    );
    let report = &done["structuredContent"];
    assert_eq!(report["result"], json!(["1.19", "2.38"]));
    assert_eq!(report["calls"].as_array().map(Vec::len), Some(3));
    assert_eq!(done["isError"], false);
    // Values stay as long as the connection.
    let done = run(&mut session, &json!({"code": "return store.n + 1"}));
    assert_eq!(done["structuredContent"]["result"], 2, "{done}");
    // A mistake is found before anything runs.
    let wrong = run(
        &mut session,
        &json!({"code": "tools.tax({amount: 1}); tools.taks({})"}),
    );
    assert_eq!(wrong["isError"], true);
    let error = &wrong["structuredContent"]["error"];
    assert_eq!(error["code"], "CODE_TYPES", "{wrong}");
    assert_eq!(wrong["structuredContent"]["calls"], json!([]));
    // It has a name of its own, which no program that runs has.
    assert_eq!(wrong["structuredContent"]["program"], "p3", "{wrong}");
    let next = run(&mut session, &json!({"code": "return 1"}));
    assert_eq!(next["structuredContent"]["program"], "p4", "{next}");
    for arguments in [
        json!({}),
        json!({"code": "1", "resume": "p1"}),
        json!({"code": 1}),
    ] {
        let refused = run(&mut session, &arguments);
        let text = refused["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("SCHEMA_VIOLATION"), "{refused}");
    }
}

#[test]
fn the_user_sees_the_whole_program() {
    let project = project();
    let code = "return tools.mail({to: \"ada\"})";
    let answers = [
        decides("run", ""),
        decides("no", "not today"),
        decides("ask", ""),
        decides("no", "never"),
        json!({"action": "decline"}),
    ];
    let mut session = session(&project, &[], &answers);
    let done = run(&mut session, &json!({"code": code}));
    assert_eq!(done["content"][0]["text"], "ok", "{done}");
    let shown = "Run this program? These calls may change something:\n\
                 line 1: mail {\"to\":\"ada\"} (it may destroy something)\n\n\
                 return tools.mail({to: \"ada\"})";
    assert_eq!(session.asked, [shown]);
    let denied = run(&mut session, &json!({"code": code}));
    let text = denied["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("DENIED") && text.contains("not today"),
        "{denied}"
    );
    // The question about a call comes when the program makes it.
    let caught = "try { tools.mail({to: \"bob\"}) } catch (error) { return error.code }";
    let denied = run(&mut session, &json!({"code": caught}));
    assert_eq!(denied["content"][0]["text"], "DENIED", "{denied}");
    assert_eq!(session.asked.len(), 4);
    assert!(
        session.asked[3].starts_with("Run mail {\"to\":\"bob\"}?"),
        "{:?}",
        session.asked
    );
    let declined = run(&mut session, &json!({"code": code}));
    assert_eq!(declined["isError"], true, "{declined}");
    assert_eq!(sent(&project), "ada\n");
}

#[test]
fn without_forms_only_rules_allow() {
    let project = project();
    let code = json!({"code": "try { return tools.mail({to: \"a\"}) } catch (error) { return error.code }"});
    let mut strict = session(&project, &[], &[]);
    let denied = run(&mut strict, &code);
    assert_eq!(denied["content"][0]["text"], "DENIED", "{denied}");
    let mut allowed = session(&project, &["--allow", "mail"], &[]);
    let done = run(&mut allowed, &code);
    assert_eq!(done["content"][0]["text"], "ok", "{done}");
    assert_eq!(sent(&project), "a\n");
}

#[test]
fn a_program_that_was_stopped_goes_on() {
    let project = project();
    // It ends once the file is there, or with the program.
    let wait = MAIL.replace("name: mail", "name: wait");
    let wait = wait.replace("destructive: true", "read_only: true");
    let script = "while [ ! -e go ]; do sleep 0.02; done; printf ok";
    let wait = wait.replace("echo $1 >> sent; printf ok", script);
    project.file("tools/wait.yaml", wait);
    let mut session = session(&project, &["--allow", "*"], &[]);
    let code = "tools.mail({to: \"ada\"}); return tools.wait({to: \"x\"})";
    let stopped = run(&mut session, &json!({"code": code, "timeoutMs": 700}));
    let report = &stopped["structuredContent"];
    let ends = (
        &report["status"],
        &report["error"]["code"],
        &stopped["isError"],
    );
    let expected = (&json!("stopped"), &json!("JS_TIMEOUT"), &json!(true));
    assert_eq!(ends, expected, "{stopped}");
    project.file("go", "");
    let again = run(&mut session, &json!({"resume": report["program"]}));
    assert_eq!(again["content"][0]["text"], "ok", "{again}");
    assert_eq!(sent(&project), "ada\n", "an effect happens once");
    let unknown = run(&mut session, &json!({"resume": "p9"}));
    let text = unknown["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("no program `p9`"), "{unknown}");
}

#[test]
fn clients_over_http_share_no_values() {
    let project = project();
    let service = Service::start_with(&project, &["--code"], &[("PATH", "/usr/bin:/bin")]);
    let call = |code: &str| {
        let params = json!({"name": "run_code", "arguments": {"code": code}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [("mcp-protocol-version", "2025-11-25")];
        service.post("/mcp", &headers, &body.to_string()).1
    };
    let first = call("store.secret = 1; return tools.tax({amount: 100})");
    assert!(first.contains("\"text\":\"119\""), "{first}");
    let second = call("return store.secret === undefined");
    assert!(second.contains("\"text\":\"true\""), "{second}");
}

/// A stateless client gets the form as the result of its call, and repeats the call with the answer.
#[test]
fn a_stateless_client_is_asked_by_the_result() {
    let project = project();
    let service = Service::start_with(&project, &["--code"], &[("PATH", "/usr/bin:/bin")]);
    let arguments = json!({"code": "return tools.mail({to: \"ada\"})"});
    let ask = || {
        let asked = call(&service, "run_code", &json!({"arguments": arguments}));
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        asked["result"].clone()
    };
    let answer = |asked: &Value, arguments: &Value, action: &str, decision: &str| {
        let content = json!({"decision": decision, "reason": "not today"});
        let parameters = json!({
            "arguments": arguments,
            "requestState": asked["requestState"],
            "inputResponses": {"answer": {"action": action, "content": content}},
        });
        call(&service, "run_code", &parameters)
    };
    let text = |done: &Value| done["result"]["content"][0]["text"].to_string();
    let asked = ask();
    let form = &asked["inputRequests"]["answer"]["params"];
    let shown = "run_code: Run this program? These calls may change something:\n\
                 line 1: mail {\"to\":\"ada\"} (it may destroy something)\n\n\
                 return tools.mail({to: \"ada\"})";
    assert_eq!(form["message"], shown, "{asked}");
    let choices = &form["requestedSchema"]["properties"]["decision"]["enum"];
    assert_eq!(*choices, json!(["run", "no"]));
    // The answer is for this program.
    let other = json!({"code": "return tools.mail({to: \"bob\"})"});
    let refused = answer(&asked, &other, "accept", "run");
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let done = answer(&asked, &arguments, "accept", "run");
    assert_eq!(text(&done), "\"ok\"", "{done}");
    assert_eq!(sent(&project), "ada\n");
    for (action, decision) in [("accept", "no"), ("decline", "run"), ("accept", "ask")] {
        let denied = answer(&ask(), &arguments, action, decision);
        assert_eq!(denied["result"]["isError"], true, "{denied}");
    }
    let denied = answer(&ask(), &arguments, "accept", "no");
    assert!(text(&denied).contains("not today"), "{denied}");
    // It is for the tools as they were.
    let asked = ask();
    project.file("tools/mail.yaml", MAIL.replace("ok", "changed"));
    let again = answer(&asked, &arguments, "accept", "run");
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    assert_eq!(sent(&project), "ada\n");
}
