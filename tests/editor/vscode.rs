//! Our extension for VS Code, under Node.js with a module `vscode` of the tests.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use super::{call, project};
use crate::{repository, run};

/// A window.
pub(super) struct Window {
    child: Child,
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
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let state = serde_json::from_str(&line).expect("JSON");
        Self { child, state }
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
{"path":"src/main.rs","language":"rust","text":"🦀 ","start":{"line":2,"column":8},"end":{"line":2,"column":10},"dirty":true,"source":"VS Code"}

"#]]);
    window.ask(&project, "get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"fn main() {}\n// åäö 🦀 x\n","dirty":true,"source":"VS Code"}

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
{"path":"src/main.rs","language":"rust","text":"","start":{"line":2,"column":3},"end":{"line":2,"column":3},"dirty":true,"source":"VS Code"}

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
{"path":"src/main.rs","language":"rust","text":"🦀 ","start":{"line":2,"column":8},"end":{"line":2,"column":10},"dirty":true,"source":"VS Code"}

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

#[test]
fn a_proposal_is_accepted_or_rejected_in_the_window() {
    let project = project();
    let propose = |window: &Window, path: &str| {
        run("cogtools-call", &project)
            .arg("propose_edit")
            .stdin(json!({"path": path, "content": "new\n"}).to_string())
            .env("COGTOOLS_EDITOR", window.socket())
            .run()
    };
    let window = Window::open(&project, &json!({"choice": "Reject"}));
    propose(&window, "src/main.rs").outputs(str![[r#"
{"accepted":false,"source":"VS Code"}

"#]]);
    let window = Window::open(&project, &json!({"choice": "Accept"}));
    propose(&window, "src/main.rs").outputs(str![[r#"
{"accepted":true,"source":"VS Code"}

"#]]);
    window.ask(&project, "get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"new\n","dirty":true,"source":"VS Code"}

"#]]);
    assert_eq!(project.read("src/main.rs"), "fn main() {}\n");
}
