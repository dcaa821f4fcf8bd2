//! Twelve tasks with the tools of all servers, on three roads: calls one by one, a plan, a program.
//!
//! Scripts stand in for the models and make no mistake, so that only the roads differ.

use std::fmt::{self, Display, Formatter};
use std::time::Instant;

use cogtools_test_support::{Conversation, FakeGemini, Run, Turn};
use serde_json::{Value, json};

use super::Scene;

/// A task: what the user asks for, its calls, a program that makes them, and the program's answer.
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
        name: format!("Read the files data/1.txt to data/{count}.txt, and add their numbers"),
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
        name: format!("Get the file info of data/1.txt to data/{count}.txt, and add their sizes"),
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
        name: format!("Get the sum of the numbers 1 to {count}, two at a time"),
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
        name: format!("Create {count} entities, n1 to n{count}, read the graph, and count them"),
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
    let tasks = [
        files(1),
        sums(2),
        sizes(3),
        files(6),
        sizes(8),
        sums(10),
        files(12),
        entities(14),
        sizes(18),
        files(20),
        sums(24),
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
        if calls >= 10 {
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

/// The model writes the program, unless the types that come with the task lack one that it needs:
/// then it searches before. At last it answers.
fn program(scene: &Scene, task: &Task) -> Cost {
    let in_code = |fake: &FakeGemini| {
        let run = model(scene.run("cogtools-ask"), fake);
        run.args(["-q", "--code", "--allow", "*"]).arg(&task.name)
    };
    let fake = FakeGemini::start([]);
    let dry = in_code(&fake).arg("--dry-run").run();
    fake.finish();
    let program = ("run_code", json!({"code": task.code}));
    let search = ("search_tools", json!({"query": task.name}));
    let calls = if has_types(task, &dry.text()) {
        vec![program]
    } else {
        vec![search, program]
    };
    let said = calls.iter().map(|call| json!(call).to_string());
    let said: Vec<String> = said.chain(["done".to_owned()]).collect();
    let asked = calls.len();
    let turns = calls.into_iter().map(|(name, args)| Turn::call(name, args));
    let fake = FakeGemini::start(turns.chain([Turn::text("done")]));
    let run = in_code(&fake);
    let (cost, conversation) = measure(run, fake, &said);
    let requests = conversation.main();
    // The program uses what the model has read.
    let read = requests[asked - 1].body.to_string();
    assert!(has_types(task, &read), "{}: {read}", task.name);
    let response = requests[asked].responses()[0]["response"]["output"].clone();
    assert_eq!(response, json!(task.answer), "{}", task.name);
    cost
}

/// Returns true if `text` has the types of all tools that the program of `task` calls.
fn has_types(task: &Task, text: &str) -> bool {
    let mut names = task.calls.iter().map(|(name, _)| name.replace('-', "_"));
    names.all(|name| text.contains(&format!("  {name}(args")))
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
