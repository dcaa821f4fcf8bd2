//! The real Neovim and the real Emacs, asked by a cold `cogtools-call`.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};
use serde_json::{Value, json};

use super::{call, project};
use crate::run;

/// A running editor.
struct Editor(Child);

impl Editor {
    fn start(program: &str, project: &Project, args: &[&str], socket: &Path) -> Self {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", project.path("../"))
            .env("LANG", "C.UTF-8")
            .env("XDG_RUNTIME_DIR", project.path("../run"))
            .current_dir(project.root())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("{program}: {error}; `cargo xtask ci --needs` installs it")
        });
        let editor = Self(child);
        let end = Instant::now() + Duration::from_secs(30);
        while UnixStream::connect(socket).is_err() {
            assert!(Instant::now() < end, "{program} does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        editor
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a client of an editor, and returns its standard output.
fn client(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let output = output.expect("it is installed");
    assert!(output.status.success(), "{output:?}");
    // Neovim 0.7 prints the value of an expression there.
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn neovim_has_text_that_is_not_saved() {
    let project = project();
    let socket = project.path("../nvim");
    let listen = socket.display().to_string();
    let args = ["--headless", "--clean", "--listen", &listen, "src/main.rs"];
    let _neovim = Editor::start("nvim", &project, &args, &socket);
    let keys = ["--server", &listen, "--remote-send", "O// new<Esc>jwviw"];
    client("nvim", &keys);
    client("nvim", &["--server", &listen, "--remote-expr", "1"]);
    let ask = |tool: &str| call(&project, tool).env("NVIM", &socket).run();
    ask("get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"()","start":{"line":2,"column":8},"end":{"line":2,"column":10},"dirty":true,"hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Neovim"}

"#]]);
    ask("get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"rust","text":"// new\nfn main() {}\n","dirty":true,"hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Neovim"}

"#]]);
}

#[test]
fn emacs_has_text_that_is_not_saved() {
    let project = project();
    std::fs::create_dir(project.path("../run")).expect("a folder");
    let socket = project.path("../run/emacs/server");
    let printed = run("cogtools-editor", &project)
        .args(["print", "emacs"])
        .run()
        .text();
    project.file("../cogtools.el", printed);
    let args = ["-Q", "--fg-daemon", "-l", "../cogtools.el"];
    let _emacs = Editor::start("emacs", &project, &args, &socket);
    let server = socket.display().to_string();
    let evaluate = |text: &str| client("emacsclient", &["--socket-name", &server, "--eval", text]);
    let file = project.path("src/main.rs").display().to_string();
    evaluate(&format!("(find-file {file:?})"));
    evaluate(
        "(with-current-buffer \"main.rs\" (insert \"// new\\n\") (goto-char 11) (push-mark 15 t t))",
    );
    let socket = evaluate("(getenv \"COGTOOLS_EDITOR\")");
    let socket = socket.trim().trim_matches('"');
    let ask = |tool: &str| call(&project, tool).env("COGTOOLS_EDITOR", socket).run();
    ask("get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","language":"fundamental","text":"main","start":{"line":2,"column":4},"end":{"line":2,"column":8},"dirty":true,"hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Emacs"}

"#]]);
    ask("get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"fundamental","text":"// new\nfn main() {}\n","dirty":true,"hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Emacs"}

"#]]);
}

/// A model changes texts and lines of what its user sees, and learns what has become of it.
#[test]
fn a_proposal_is_made_of_the_text_in_the_editor() {
    let project = project();
    project.file("src/lib.rs", "one\r\ntwo\r\n");
    let socket = project.path("../nvim");
    let listen = socket.display().to_string();
    let args = ["--headless", "--clean", "--listen", &listen, "src/main.rs"];
    let _neovim = Editor::start("nvim", &project, &args, &socket);
    let types = |keys: &str| {
        client("nvim", &["--server", &listen, "--remote-send", keys]);
        client("nvim", &["--server", &listen, "--remote-expr", "1"]);
    };
    types("O// new<Esc>");
    let call = |tool: &str, arguments: Value| {
        run("cogtools-call", &project)
            .arg(tool)
            .stdin(arguments.to_string())
            .env("NVIM", &socket)
    };
    let propose = |arguments: Value| call("propose_edit", arguments);
    // Not saved, and with a hash that another text has.
    let edits = json!([{"old": "// new\nfn", "new": "pub fn"}]);
    let stale = json!({"path": "src/main.rs", "edits": edits, "hash": "0"});
    propose(stale).run().outputs(str![[r#"
{"outcome":"stale","hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Neovim"}

"#]]);
    let other = json!({"path": "src/main.rs", "edits": [{"old": "n", "new": "m"}]});
    propose(other).run().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `src/main.rs` cannot be changed: `old` of edit 1 occurs 3 times in the text
hint: take more of the text around it, so that it occurs once

"#]]);
    let line = json!({"start_line": 2, "end_line": 2, "new": "fn other() {}"});
    let range = json!({"path": "src/main.rs", "range": line});
    propose(range.clone()).run().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `src/main.rs` cannot be changed: `range` needs the `hash` of the text in which the lines were counted
hint: get_current_file with `path` returns both

"#]]);
    let answered = |arguments: Value, keys: &str| {
        let run = propose(arguments);
        thread::scope(|scope| {
            let asked = scope.spawn(|| run.run());
            let tabs = ["--server", &listen, "--remote-expr", "tabpagenr('$')"];
            while !asked.is_finished() && client("nvim", &tabs).trim() != "2" {
                thread::sleep(Duration::from_millis(20));
            }
            thread::sleep(Duration::from_millis(1_100));
            if !asked.is_finished() {
                types(keys);
            }
            asked.join().expect("it answers")
        })
    };
    let accepted = json!({"path": "src/main.rs", "edits": edits});
    answered(accepted, "ga").outputs(str![[r#"
{"outcome":"accepted","hash":"fe9173ab98cdb46c52f1ea0ae76eadc73892f28c589a97f1c48bc8f1113653a7","source":"Neovim"}

"#]]);
    // Lines of another file, as they were read.
    let read = call("get_current_file", json!({"path": "src/lib.rs"})).run();
    read.outputs(str![[r#"
{"path":"src/lib.rs","text":"one\ntwo\n","dirty":false,"hash":"c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8","source":"file"}

"#]]);
    let hash = "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8";
    let lines = json!({"path": "src/lib.rs", "range": line, "hash": hash});
    answered(lines, ":CogtoolsReject no<CR>").outputs(str![[r#"
{"outcome":"rejected","reason":"no","source":"Neovim"}

"#]]);
    types(":set nomodifiable<CR>");
    let refused = json!({"path": "src/main.rs", "content": "new\n"});
    propose(refused).run().fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `main.rs` is not modifiable in Neovim
hint: make it modifiable there, or leave it as it is

"#]],
    );
}

/// A program that is ended takes its question with it.
#[test]
fn a_proposal_ends_with_the_program_that_makes_it() {
    let project = project();
    let socket = project.path("../nvim");
    let listen = socket.display().to_string();
    let args = ["--headless", "--clean", "--listen", &listen, "src/main.rs"];
    let _neovim = Editor::start("nvim", &project, &args, &socket);
    let question = json!({
        "method": "propose_edit",
        "directory": project.root(),
        "path": project.path("src/main.rs"),
        "content": "new\n",
    });
    project.file("../question", question.to_string());
    let question = std::fs::File::open(project.path("../question")).expect("it is there");
    let mut asked = Command::new(crate::programs().join("cogtools-editor"))
        .arg("ask")
        .env("NVIM", &socket)
        .stdin(question)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let tabs = |expected: &str| {
        let end = Instant::now() + Duration::from_secs(10);
        let tabs = ["--server", &listen, "--remote-expr", "tabpagenr('$')"];
        while client("nvim", &tabs).trim() != expected {
            assert!(Instant::now() < end, "there are not {expected} tabs");
            thread::sleep(Duration::from_millis(20));
        }
    };
    tabs("2");
    asked.kill().expect("it runs");
    asked.wait().expect("it has run");
    tabs("1");
}
