//! Our extension for VS Code, under Node.js with a module `vscode` of the tests.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use super::{call, project};
use crate::{repository, run};

/// A window.
pub(super) struct Window {
    child: Child,
    /// One line for each event that its user sees.
    seen: RefCell<BufReader<ChildStdout>>,
    /// The variables that the extension has set in terminals.
    state: Value,
}

impl Window {
    /// A window with `src/main.rs` open, changed by `scene`.
    pub(super) fn open(project: &Project, scene: &Value) -> Self {
        let mut whole = json!({
            "path": project.path("src/main.rs"),
            "text": "fn main() {}\n// åäö 🦀 x\n",
            "dirty": true,
            "selection": [1, 7, 1, 10],
            "active": "file",
            "folders": [project.root()],
        });
        for (key, value) in scene.as_object().expect("an object") {
            whole[key] = value.clone();
        }
        project.dir("../run").dir("../tmp");
        let mut child = Command::new("node")
            .arg(repository().join("tests/editor/vscode.cjs"))
            .arg(repository().join("editors/vscode/extension.js"))
            .arg(whole.to_string())
            .env("XDG_RUNTIME_DIR", project.path("../run"))
            .env("TMPDIR", project.path("../tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js is installed");
        let stdout = child.stdout.take().expect("it is piped");
        let mut window = Self {
            child,
            seen: RefCell::new(BufReader::new(stdout)),
            state: Value::Null,
        };
        window.state = window.sees();
        window
    }

    /// The next event that its user sees.
    pub(super) fn sees(&self) -> Value {
        let mut line = String::new();
        let read = self.seen.borrow_mut().read_line(&mut line);
        read.expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Does what a user does, and returns what there is to see.
    fn act(&self, act: &Value) -> Value {
        let mut stdin = self.child.stdin.as_ref().expect("it is piped");
        writeln!(stdin, "{act}").expect("it is typed");
        let seen = self.sees();
        if seen != json!({"done": true}) {
            assert_eq!(self.sees(), json!({"done": true}));
        }
        seen
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.state["variables"]["COGTOOLS_EDITOR"]
            .as_str()
            .expect("it is set")
            .into()
    }

    /// From a terminal that has the variable.
    fn ask(&self, project: &Project, tool: &str) -> Outcome {
        call(project, tool)
            .env("COGTOOLS_EDITOR", self.socket())
            .run()
    }

    fn close(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends");
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_a_window_shows() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    window.ask(&project, "get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"🦀 ","start":{"line":2,"column":8},"end":{"line":2,"column":10},"dirty":true,"hash":"65f8767369d9d8098c1c284432c70a470497548db45cec52223ff922d7289abc","source":"VS Code"}

"#]]);
    window.ask(&project, "get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"fn main() {}\n// åäö 🦀 x\n","dirty":true,"hash":"65f8767369d9d8098c1c284432c70a470497548db45cec52223ff922d7289abc","source":"VS Code"}

"#]]);
    window.ask(&project, "get_open_files").outputs(str![[r#"
{"files":[{"path":"src/main.rs","active":true,"dirty":true}],"source":"VS Code"}

"#]]);
    window.ask(&project, "get_diagnostics").outputs(str![[r#"
{"diagnostics":[{"path":"src/main.rs","line":2,"column":8,"severity":"warning","message":"odd","source":"test"}],"source":"VS Code"}

"#]]);
    let empty = Window::open(&project, &json!({"active": "none"}));
    empty.ask(&project, "get_current_file").outputs(str![[r#"
{"text":"","source":"VS Code"}

"#]]);
    let nothing = Window::open(&project, &json!({"selection": [1, 2, 1, 2]}));
    nothing.ask(&project, "get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"","start":{"line":2,"column":3},"end":{"line":2,"column":3},"dirty":true,"hash":"65f8767369d9d8098c1c284432c70a470497548db45cec52223ff922d7289abc","source":"VS Code"}

"#]]);
}

#[test]
fn a_log_in_front_does_not_hide_the_file() {
    let project = project();
    let text = "{\"path\":\"src/main.rs\"";
    for scene in [json!({"active": "output"}), json!({"then": "output"})] {
        let window = Window::open(&project, &scene);
        window
            .ask(&project, "get_current_file")
            .succeeds()
            .stdout_contains(text);
    }
}

#[test]
fn a_file_is_shown_at_its_line() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let open = |args: &[&str]| {
        run("cogtools-editor", &project)
            .arg("open")
            .args(args)
            .env("COGTOOLS_EDITOR", window.socket())
            .run()
    };
    open(&["src/main.rs", "--line", "2"]).outputs("VS Code\n");
    assert_eq!(window.sees(), json!({"shown": "main.rs", "at": [1, 0]}));
    let none = open(&["src/none.rs"]);
    none.status(74);
    assert!(
        String::from_utf8_lossy(&none.stderr).contains("`src/none.rs` cannot be opened"),
        "{none:?}"
    );
    drop(window);
    let none = run("cogtools-editor", &project)
        .args(["open", "src/main.rs"])
        .run();
    none.status(1);
    assert!(
        String::from_utf8_lossy(&none.stderr).contains("no editor shows files here"),
        "{none:?}"
    );
}

/// A terminal that was opened before the extension was active has no variable.
#[test]
fn an_early_terminal_finds_the_window_by_its_file() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let ask = || {
        call(&project, "get_selected_text")
            .env("XDG_RUNTIME_DIR", project.path("../run"))
            .run()
    };
    let file = format!("../run/cogtools/editor/{}.json", window.state["pid"]);
    let mode = |path: PathBuf| {
        let meta = path.symlink_metadata().expect("it is there");
        meta.permissions().mode() & 0o777
    };
    ask().outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"🦀 ","start":{"line":2,"column":8},"end":{"line":2,"column":10},"dirty":true,"hash":"65f8767369d9d8098c1c284432c70a470497548db45cec52223ff922d7289abc","source":"VS Code"}

"#]]);
    assert_eq!(mode(project.path(&file)), 0o600);
    assert_eq!(mode(window.socket()), 0o600);
    let folder = window.socket().parent().expect("a folder").to_path_buf();
    assert_eq!(mode(folder.clone()), 0o700);
    assert_eq!(window.state["persistent"], false);
    window.close();
    assert!(!project.path(&file).exists() && !folder.exists());
    ask().outputs("{\"text\":\"\",\"source\":\"none\"}\n");
}

/// Proposes a text for `path`, and returns the output once the user has done `acts`.
fn propose(project: &Project, window: &Window, path: &str, acts: &[Value]) -> Outcome {
    let arguments = json!({"path": path, "content": "new\n"}).to_string();
    let call = run("cogtools-call", project)
        .arg("propose_edit")
        .stdin(arguments)
        .env("COGTOOLS_EDITOR", window.socket());
    thread::scope(|scope| {
        let asked = scope.spawn(|| call.run());
        let name = path.rsplit('/').next().unwrap_or(path);
        assert_eq!(window.sees()["shown"], format!("{name}: proposed change"));
        sleep(MOMENT);
        for act in acts {
            window.act(act);
        }
        asked.join().expect("it answers")
    })
}

const MOMENT: Duration = Duration::from_millis(1_050);

#[test]
fn buttons_in_the_title_of_a_difference_accept_or_reject() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let rejected = |act: Value, reason: &str| {
        propose(&project, &window, "src/main.rs", &[act]).outputs(format!(
            "{{\"outcome\":\"rejected\"{reason},\"source\":\"VS Code\"}}\n"
        ));
    };
    rejected(json!({"press": "Reject"}), "");
    rejected(
        json!({"press": "Reject", "say": "too short"}),
        ",\"reason\":\"too short\"",
    );
    rejected(json!({"shut": true}), "");
    let press = [json!({"press": "Accept"})];
    propose(&project, &window, "src/main.rs", &press).outputs(str![[r#"
{"outcome":"accepted","hash":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","source":"VS Code"}

"#]]);
    window.ask(&project, "get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"new\n","dirty":true,"hash":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","source":"VS Code"}

"#]]);
    assert_eq!(project.read("src/main.rs"), "fn main() {}\n");
    propose(&project, &window, "src/new.rs", &press).outputs(str![[r#"
{"outcome":"accepted","hash":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","source":"VS Code"}

"#]]);
}

#[test]
fn an_edited_proposal_returns_its_text() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let acts = [json!({"edit": "newer\n"}), json!({"press": "Accept"})];
    propose(&project, &window, "src/main.rs", &acts).outputs(str![[r#"
{"outcome":"changed","diff":"--- proposed\n+++ accepted\n@@ -1 +1 @@\n-new\n+newer\n","hash":"77e30f34ca80fc7e2683e3953d0701a800862b2290d5617e8e5ef8230999e35f","source":"VS Code"}

"#]]);
    window
        .ask(&project, "get_current_file")
        .succeeds()
        .stdout_contains("\"text\":\"newer\\n\"");
}

#[test]
fn nothing_is_accepted_within_a_second_or_in_place_of_a_newer_text() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let call = run("cogtools-call", &project)
        .arg("propose_edit")
        .stdin(json!({"path": "src/main.rs", "content": "new\n"}).to_string())
        .env("COGTOOLS_EDITOR", window.socket());
    let outcome = thread::scope(|scope| {
        let asked = scope.spawn(|| call.run());
        window.sees();
        let early = window.act(&json!({"press": "Accept"}));
        assert_eq!(
            early,
            json!({"status": "Look at the change before you accept it"})
        );
        assert!(!asked.is_finished());
        sleep(MOMENT);
        window.act(&json!({"change": "other\n", "press": "Accept"}));
        asked.join().expect("it answers")
    });
    outcome.outputs(str![[r#"
{"outcome":"stale","hash":"7e4fa2eb8c7ac089739d5defc4489fad68a100d92082ca35c6b40a4524821f87","source":"VS Code"}

"#]]);
    let window = Window::open(&project, &json!({"readonly": true}));
    let press = [json!({"press": "Accept"})];
    propose(&project, &window, "src/main.rs", &press).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `main.rs` is not modifiable in VS Code
hint: make it modifiable there, or leave it as it is

"#]],
    );
}

#[test]
fn two_proposals_are_answered_each_by_itself() {
    let project = project();
    let window = Window::open(&project, &json!({}));
    let call = |path: &str| {
        run("cogtools-call", &project)
            .arg("propose_edit")
            .stdin(json!({"path": path, "content": "new\n"}).to_string())
            .env("COGTOOLS_EDITOR", window.socket())
    };
    let calls = [call("src/main.rs"), call("src/new.rs")];
    let [one, other] = thread::scope(|scope| {
        let asked = calls.map(|call| {
            let asked = scope.spawn(move || call.run());
            window.sees();
            asked
        });
        sleep(MOMENT);
        window.act(&json!({"on": "new.rs", "press": "Accept"}));
        // The second press of a double click meets the other one.
        let early = window.act(&json!({"press": "Accept"}));
        assert!(early["status"].is_string());
        window.act(&json!({"on": "main.rs", "press": "Reject", "say": "no"}));
        asked.map(|asked| asked.join().expect("it answers"))
    });
    one.outputs(str![[r#"
{"outcome":"rejected","reason":"no","source":"VS Code"}

"#]]);
    other.outputs(str![[r#"
{"outcome":"accepted","hash":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","source":"VS Code"}

"#]]);
}
