//! The web view in a real Chromium, driven by playwright-core: what a user sees, hears and does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cogtools_test_support::{FakeGemini, Project, Turn, assert_text, install, is_blessing, str};
use serde_json::json;

use crate::ui::answers::{FLOW, NOTE};
use crate::ui::evals::evaluated;
use crate::ui::server::Server;
use crate::ui::sessions::long;
use crate::{repository, run};

const DEMO: &str = include_str!("demo.jsonl");

/// A tool with an enumeration, an object and a list.
const ORDER: &str = "name: order
description: Orders *things* of a kind
parameters:
  kind: {type: string, enum: [book, pen]}
  count: {type: integer, minimum: 1, maximum: 9}
  to:
    type: object
    properties:
      street: {type: string, minLength: 2}
  notes: {type: array, items: {type: string}, optional: true}
examples:
  - {kind: book, count: 2, to: {street: Main}}
implementation: \"# {{ count }} of {{ kind }} to {{ to.street }}\\n
  {% for note in notes %}\\n- {{ note }}\\n{% endfor %}\"
";

/// A tool with alternatives and null.
const SHAPES: &str = "name: shapes
description: Takes values of all shapes
parameters_schema:
  type: object
  properties:
    at:
      oneOf:
        - {type: object, title: A city, properties: {city: {type: string}}, required: [city]}
        - {type: object, title: A point, properties: {x: {type: number}, y: {type: number}}, required: [x, y]}
    limit: {type: integer, nullable: true}
    deep: {type: array, items: {type: object, properties: {on: {type: boolean}}}}
  required: [at, limit, deep]
examples:
  - {at: {city: Oslo}, limit: null, deep: [{on: true}]}
implementation: '{{ {at: at, limit: limit, deep: deep} | dump }}'
";

/// A tool whose texts try to be more than text.
const EVIL: &str = "name: evil
description: \"<script>globalThis.pwned=1</script> [x](javascript:globalThis.pwned=2) ![](http://evil.example/)\"
implementation: \"<img src=x onerror=globalThis.pwned=3> [x](javascript:globalThis.pwned=4) **<script>globalThis.pwned=5</script>**\"
";

/// The lines of a session after a header: each follows the one before it.
fn session(events: &[serde_json::Value]) -> String {
    let header = DEMO.lines().next().expect("a header");
    let entries = events.iter().zip(1..).map(|(event, id)| {
        let mut line = event.clone();
        line["id"] = id.into();
        line["parent"] = (id > 1).then_some(id - 1).into();
        line["time"] = "2026-11-22T09:00:00.000Z".into();
        format!("{line}\n")
    });
    std::iter::once(format!("{header}\n"))
        .chain(entries)
        .collect()
}

/// A session of a model that wants to be more than text, with a result of ten megabytes.
fn hostile() -> String {
    let evil = "<script>globalThis.pwned=1</script><img src=x onerror=globalThis.pwned=2>\u{202e}\u{1b}[31m";
    let link = format!("[a](javascript:globalThis.pwned=3) ![](http://evil.example/x.png) {evil}");
    session(&[
        json!({"kind": "task", "parts": [{"text": evil}]}),
        json!({"kind": "response", "content": {"role": "model", "parts": [{"text": link}]}}),
        json!({"kind": "call", "call": evil, "tool": evil, "arguments": {evil: evil},
            "approval": {"decision": "allowed", "why": "pure"}}),
        json!({"kind": "result", "call": evil, "status": "succeeded", "ms": 1,
            "content": {"output": format!("{evil}{}", "<b>x</b>".repeat(1_300_000))}}),
    ])
}

/// The session that goes on while the page is open: what there is, and what comes.
fn live() -> (String, Vec<String>) {
    let events = [
        json!({"kind": "task", "parts": [{"text": "What time is it?"}]}),
        json!({"kind": "request", "hash": "1", "layers": [], "model": "m", "turn": 1}),
        json!({"kind": "call", "call": "2.1", "tool": "clock", "arguments": {},
            "approval": {"decision": "allowed", "why": "pure"}}),
        json!({"kind": "result", "call": "2.1", "status": "succeeded", "content": {"output": "23:00"}, "ms": 5}),
        json!({"kind": "response", "content": {"role": "model", "parts": [{"text": "It is late."}]}}),
        json!({"kind": "end", "status": "completed"}),
    ];
    let all = session(&events);
    let lines: Vec<&str> = all.lines().collect();
    let (now, later) = lines.split_at(4);
    let later = later.iter().map(|line| (*line).to_owned());
    (format!("{}\n", now.join("\n")), later.collect())
}

/// The browser of the system.
pub(crate) fn chromium() -> PathBuf {
    let names = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let found = names.iter().map(Path::new).find(|path| path.exists());
    found
        .expect("chromium is missing: apt-get install chromium")
        .to_path_buf()
}

/// The session files that the pages show, in the order of their numbers.
const FILES: [&str; 10] = [
    "demo.jsonl",
    "evil.jsonl",
    "live.jsonl",
    "long.jsonl",
    "flow.jsonl",
    "ask.jsonl",
    "broken.jsonl",
    "killed.jsonl",
    "swap.jsonl",
    "code.jsonl",
];

/// A tool whose result is not what its golden file says.
const GOLDEN: &str = "name: golden
description: Greets
parameters: {who: string}
examples: [{who: Ada}]
implementation: Hello {{ who }}
";

/// A tool that always fails.
const DANGER: &str = "name: danger
description: Fails
implementation: {exec: [sh, -c, 'echo no >&2; exit 3']}
";

/// A session that asks this, and has an answer.
fn asked(question: &str) -> String {
    session(&[
        json!({"kind": "task", "parts": [{"text": question}]}),
        json!({"kind": "end", "status": "completed"}),
    ])
}

/// A project with everything that the pages are about, and the lines that come later.
fn project() -> (Project, Vec<String>) {
    let project = Project::new();
    let (now, lines) = live();
    project
        .file("tools/order.yaml", ORDER)
        .file("tools/shapes.yaml", SHAPES)
        .file("tools/evil.yaml", EVIL)
        .file("tools/publish.yaml", FLOW)
        .file("tools/note.yaml", NOTE)
        .file("tools/golden.yaml", GOLDEN)
        .file("tools/golden.1.golden", "Hello Bob")
        .file("tools/danger.yaml", DANGER)
        .file("tools/broken.yaml", "name: broken\n")
        .file("demo.jsonl", DEMO)
        .file("evil.jsonl", hostile())
        .file("killed.jsonl", &now)
        .file("live.jsonl", now)
        .file("broken.jsonl", "no session\n")
        .file("swap.jsonl", asked("What is old?"))
        .file("swap.1.jsonl", asked("What is new?"))
        .file("swap.2.jsonl", asked("What is next?"))
        .file("long.jsonl", long(100_000));
    run("cogtools-flow", &project)
        .args(["run", "publish", "what=it", "--session", "flow.jsonl"])
        .run()
        .status(75);
    evaluated(&project);
    (project, lines)
}

/// Opens the pages, and writes pictures into the folder `pictures`.
fn open_pages(pictures: &Path) -> (Output, FakeGemini) {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
    let packages = ["playwright-core@1.65.1", "@axe-core/playwright@4.14.0"];
    let modules = install::npm(&cache, "browser-1.65.1", &packages);
    let (project, lines) = project();
    let fake = FakeGemini::start([
        Turn::call("note", json!({"text": "one"})),
        Turn::call(
            "run_code",
            json!({"code": "return tools.note({text: 'first'})"}),
        ),
        // For the flow, which knows nothing to say.
        Turn::error(400),
        Turn::text("Noted."),
        Turn::text("Of another model."),
        Turn::text("It ran."),
        Turn::text("Begun."),
        Turn::text("The first way."),
        Turn::text("The second way."),
    ]);
    let url = fake.url();
    let vars = [
        ("GEMINI_API_KEY", "a-key-for-tests"),
        ("GOOGLE_GEMINI_BASE_URL", url.as_str()),
    ];
    for (file, more) in [("ask.jsonl", "--code=off"), ("code.jsonl", "--code")] {
        let ask = ["-q", "--session", file, "--pause", more, "Note <b>one</b>"];
        let ask = run("cogtools-ask", &project).args(ask);
        let ask = vars
            .iter()
            .fold(ask, |ask, (name, value)| ask.env(name, value));
        ask.run().status(75);
    }
    let args: Vec<&str> = FILES.iter().flat_map(|file| ["--session", file]).collect();
    let server = Server::start_with(&project, &args, &vars);
    let empty = Project::new();
    let empty_server = Server::start(&empty, &[]);
    let second_server = Server::start(&empty, &[]);
    let swap = ["swap.1.jsonl", "swap.2.jsonl", "swap.jsonl"].map(|file| project.path(file));
    let setup = json!({
        "url": server.url,
        "emptyUrl": empty_server.url,
        "secondUrl": second_server.url,
        "secondId": second_server.id(),
        "modules": modules,
        "chromium": chromium(),
        "pictures": pictures,
        "live": project.path("live.jsonl"),
        "killed": project.path("killed.jsonl"),
        "swap": swap,
        "lines": lines,
        "note": project.path("tools/note.yaml"),
        "newTool": project.path("tools/fresh.yaml"),
    });
    let mut node = Command::new("node");
    node.arg(repository().join("tests/browser/browser.mjs"))
        .arg(setup.to_string())
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    let output = node.output().expect("Node.js is installed");
    (output, fake)
}

#[test]
fn the_pages_in_a_real_browser() {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("pictures");
    fs::create_dir_all(&pictures).expect("a folder");
    let (output, fake) = open_pages(&pictures);
    assert_text(&output.stderr, str![""]);
    assert_text(
        &output.stdout,
        str![[r#"
ok the token becomes a cookie that scripts cannot read
ok another server on this machine gets no cookie
ok axe finds nothing, in light and dark, in any state of any page: 320 pixels
ok axe finds nothing, in light and dark, in any state of any page: 1440 pixels
ok axe finds nothing where there is nothing, and for strangers
ok axe finds nothing in forced colours
ok a session is a conversation with its timeline beside it
ok the timeline has times, tokens and all that is known about each step
ok a prompt is there as it was sent, layer by layer, with what has changed
ok the timeline opens and closes with the line of its turn, by keyboard
ok the border moves by keyboard and by mouse, from 280 to 640 pixels
ok keys lead through a page, and can be turned off
ok every block is copied
ok tools are searched by keyboard, and say what they cost
ok a tool is called by keyboard alone
ok nullable, alternative and nested parameters have fields
ok examples run when they are asked to, and differences are shown
ok a list of tools is loaded again when files change, and a form says so
ok nothing is cut off: 320 pixels wide
ok nothing is cut off: 200 % zoom
ok nothing moves for those who do not want it
ok without scripts the whole run is there
ok hostile content is inert
ok ten megabytes of a result are a link away
ok a long session opens in under a second and scrolls to its beginning
ok a session is followed, and focus and panels stay
ok a run whose process is gone is interrupted, and the next message may be sent
ok a question is answered by keyboard, and the page goes on
ok a call is allowed by keyboard, and a message goes to a chosen model
ok a program is edited, asked about again, and run
ok another session in the same file is shown, and what was typed stays
ok the address names the turn, and going back leads to the one before
ok a session opens at its end
ok only fields that were touched turn red, and the call is shown as a command
ok the list of sessions is live, searched over all texts, and says what waits
ok a session is begun, goes on from any message, and a call becomes an example
ok the end of the server is said on an open page

"#]],
    );
    fake.finish();
    if is_blessing() {
        for name in ["light", "dark", "list", "question", "branches"] {
            let name = format!("ui-{name}.png");
            let to = repository().join("docs/pictures").join(&name);
            fs::copy(pictures.join(name), to).expect("a picture");
        }
    }
}
