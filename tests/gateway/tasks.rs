//! Twelve tasks with the tools of all servers, on three roads: calls one by one, a plan, a program.
//!
//! Scripts stand in for the models and make no mistake, so that only the roads differ.

use std::fmt::{self, Display, Formatter};
use std::time::Instant;

use cogtools_test_support::{Conversation, FakeGemini, Run, Turn};
use serde_json::{Value, json};

use super::Scene;

/// A task: its name, its calls, a program that makes them, and the program's answer.
struct Task {
    name: String,
    calls: Vec<(&'static str, Value)>,
    code: String,
    answer: String,
}

/// Requests to the model, and what they and its responses have: a token is four bytes.
struct Cost {
    requests: usize,
    sent: usize,
    received: usize,
    seconds: f32,
}

impl Cost {
    fn bytes(&self) -> usize {
        self.sent + self.received
    }
}

/// Requests, thousands of tokens sent, tokens received, and seconds.
impl Display for Cost {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (sent, received) = (self.sent / 4000, self.received / 4);
        write!(
            f,
            "{}, {sent}k, {received}, {:.0} s",
            self.requests, self.seconds
        )
    }
}

/// A file with a number.
fn path(number: usize) -> String {
    format!("data/{number}.txt")
}

/// The sum of the numbers in `count` files.
fn files(count: usize) -> Task {
    let read = |number| ("filesystem_read_text_file", json!({"path": path(number)}));
    Task {
        name: format!("add the numbers in {count} files"),
        calls: (1..=count).map(read).collect(),
        code: format!(
            "let sum = 0;\nfor (let i = 1; i <= {count}; i++) {{\n  \
             sum += Number(tools.filesystem_read_text_file({{path: `data/${{i}}.txt`}}).content);\n}}\n\
             return sum;"
        ),
        answer: (count * (count + 1) / 2).to_string(),
    }
}

/// The sizes of `count` files.
fn sizes(count: usize) -> Task {
    let info = |number| ("filesystem_get_file_info", json!({"path": path(number)}));
    let size = |number: usize| number.to_string().len() + 1;
    Task {
        name: format!("add the sizes of {count} files"),
        calls: (1..=count).map(info).collect(),
        code: format!(
            "let size = 0;\nfor (let i = 1; i <= {count}; i++) {{\n  \
             const info = tools.filesystem_get_file_info({{path: `data/${{i}}.txt`}});\n  \
             size += Number(/size: (\\d+)/.exec(JSON.stringify(info))[1]);\n}}\nreturn size;"
        ),
        answer: (1..=count).map(size).sum::<usize>().to_string(),
    }
}

/// The sums of `count` pairs, of which each needs the one before.
fn sums(count: usize) -> Task {
    let sum = |number: usize| {
        let before = number * (number - 1) / 2;
        ("everything_get-sum", json!({"a": before, "b": number}))
    };
    Task {
        name: format!("add {count} numbers, two at a time"),
        calls: (1..=count).map(sum).collect(),
        code: format!(
            "let sum = 0;\nfor (let i = 1; i <= {count}; i++) {{\n  \
             const text = tools.everything_get_sum({{a: sum, b: i}});\n  \
             sum = Number(/is (\\d+)/.exec(JSON.stringify(text))[1]);\n}}\nreturn sum;"
        ),
        answer: (count * (count + 1) / 2).to_string(),
    }
}

/// `count` entities with one observation each, and all that is known then.
fn entities(count: usize) -> Task {
    let create = |number| {
        let entity =
            json!({"name": format!("n{number}"), "entityType": "number", "observations": ["new"]});
        ("memory_create_entities", json!({"entities": [entity]}))
    };
    let read = ("memory_read_graph", json!({}));
    Task {
        name: format!("note {count} things, and count them"),
        calls: (1..=count).map(create).chain([read]).collect(),
        code: format!(
            "for (let i = 1; i <= {count}; i++) {{\n  tools.memory_create_entities({{entities: [\n    \
             {{name: `n${{i}}`, entityType: \"number\", observations: [\"new\"]}}]}});\n}}\n\
             const named = tools.memory_read_graph({{}}).entities.filter(it => it.entityType === \"number\");\n\
             return named.length;"
        ),
        answer: count.to_string(),
    }
}

#[test]
fn a_program_costs_a_fifth_of_many_calls() {
    let scene = Scene::shared();
    for number in 1..=40 {
        scene.project.file(path(number), format!("{number}\n"));
    }
    // From less to more: what is noted stays.
    let tasks = [
        files(1),
        sums(2),
        sizes(3),
        entities(3),
        sums(5),
        files(6),
        sizes(8),
        entities(20),
        files(20),
        sums(24),
        sizes(30),
        files(40),
    ];
    for task in tasks {
        let calls = task.calls.len();
        let one_by_one = one_by_one(&scene, &task);
        let plan = plan(&scene, &task);
        let program = program(&scene, &task);
        eprintln!(
            "{} | {calls} | {one_by_one} | {plan} | {program}",
            task.name
        );
        assert_eq!((one_by_one.requests, plan.requests), (calls + 1, 1));
        assert_eq!(program.requests, 4);
        if calls >= 20 {
            assert!(program.requests * 5 <= one_by_one.requests, "{}", task.name);
            assert!(program.bytes() * 5 <= one_by_one.bytes(), "{}", task.name);
        }
    }
}

/// The model calls each tool, and then answers.
fn one_by_one(scene: &Scene, task: &Task) -> Cost {
    let calls = task.calls.iter().cloned();
    let said = calls.clone().map(|call| json!(call).to_string());
    let said: Vec<String> = said.chain(["done".to_owned()]).collect();
    let turns = calls.map(|(name, args)| Turn::call(name, args));
    let fake = FakeGemini::start(turns.chain([Turn::text("done")]));
    let run = model(scene.run("cogtools-ask"), &fake)
        .args([
            "-q", "--allow", "*", "--budget", "turns=99", "--budget", "calls=99",
        ])
        .arg(&task.name);
    measure(run, fake, &said).0
}

/// The model plans all calls; the reply has the last result.
fn plan(scene: &Scene, task: &Task) -> Cost {
    let steps = task.calls.iter().enumerate().map(|(index, (tool, args))| {
        let save_as = format!("r{index}");
        json!({"need_tool": true, "tool": tool, "reason": "why", "args": args, "save_as": save_as})
    });
    let plan = json!({
        "restatement": task.name, "visible_reply": "done", "thinking_log": [],
        "tool_plan": steps.collect::<Value>(),
    });
    let said = [plan.to_string()];
    let fake = FakeGemini::start([Turn::text(&said[0])]);
    let run = model(scene.run("cogtools-plan"), &fake).args(["--yes", &task.name]);
    measure(run, fake, &said).0
}

/// The model searches, reads the types, writes the program, and answers.
fn program(scene: &Scene, task: &Task) -> Cost {
    let mut names: Vec<&str> = task.calls.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let calls = [
        ("search_tools", json!({"query": task.name})),
        ("describe_tools", json!({"names": names})),
        ("run_code", json!({"code": task.code})),
    ];
    let said = calls.clone().map(|call| json!(call).to_string());
    let said: Vec<String> = said.into_iter().chain(["done".to_owned()]).collect();
    let turns = calls.map(|(name, args)| Turn::call(name, args));
    let fake = FakeGemini::start(turns.into_iter().chain([Turn::text("done")]));
    let run = model(scene.run("cogtools-ask"), &fake)
        .args(["-q", "--code", "--allow", "*"])
        .arg(&task.name);
    let (cost, conversation) = measure(run, fake, &said);
    let response = conversation.main()[3].responses()[0]["response"]["output"].clone();
    assert_eq!(response, json!(task.answer), "{}", task.name);
    cost
}

fn model(run: Run, fake: &FakeGemini) -> Run {
    // A request of the API has at most 512 tools.
    run.args(["--exclude", "chrome_*", "--exclude", "playwright_*"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
}

/// Runs a road whose model says this, and prints `done`.
fn measure(run: Run, fake: FakeGemini, said: &[String]) -> (Cost, Conversation) {
    let begin = Instant::now();
    run.run().outputs("done\n");
    let seconds = begin.elapsed().as_secs_f32();
    let conversation = fake.finish();
    let requests = conversation.main();
    let cost = Cost {
        requests: requests.len(),
        sent: requests.iter().map(|it| it.body.to_string().len()).sum(),
        received: said.iter().map(String::len).sum(),
        seconds,
    };
    (cost, conversation)
}
