//! The real Emacs.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::{Read as _, Write as _};
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::{Fixture, program};

const TEXT: &str = "(one)\n(two åäö)\n";

/// An Emacs with a file open.
struct Emacs {
    fixture: Fixture,
}

impl Emacs {
    fn start() -> Self {
        let fixture = Fixture::new().set("INSIDE_EMACS", "28.2,comint");
        let (socket, file) = (
            fixture.path("run/emacs/server"),
            fixture.path("project/a.el"),
        );
        fs::write(&file, TEXT).expect("it is written");
        let mut emacs = program("emacs");
        emacs
            .args(["-Q", "--fg-daemon"])
            .env("HOME", fixture.path(""))
            .env("XDG_RUNTIME_DIR", fixture.path("run"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = emacs.spawn().expect("emacs is installed");
        let mut fixture = fixture;
        fixture.run(child);
        Fixture::wait(&socket);
        let emacs = Self { fixture };
        emacs.evaluate(&format!("(find-file {:?})", file.display().to_string()));
        emacs
    }

    fn evaluate(&self, expression: &str) {
        let output = program("emacsclient")
            .arg("--socket-name")
            .arg(self.fixture.path("run/emacs/server"))
            .args(["--eval", expression])
            .output()
            .expect("emacs is installed");
        assert!(output.status.success(), "{output:?}");
    }

    fn ask(&self, request: &Request) -> Value {
        let (answer, reasons) = self.fixture.ask(request);
        assert_eq!(reasons, [""; 0]);
        assert_eq!(answer[0], "Emacs");
        answer[1].clone()
    }
}

#[test]
fn selections_and_text_that_is_not_saved_are_returned() {
    let emacs = Emacs::start();
    let none = json!({
        "path": "[..]/project/a.el",
        "language": "emacs-lisp",
        "text": "",
        "dirty": false,
    });
    assert_eq!(emacs.ask(&Request::SelectedText), none);
    emacs.evaluate("(with-current-buffer \"a.el\" (goto-char 12) (push-mark 15 t t))");
    let selected = json!({
        "path": "[..]/project/a.el",
        "language": "emacs-lisp",
        "text": "åäö",
        "start": {"line": 2, "column": 6},
        "end": {"line": 2, "column": 9},
        "dirty": false,
    });
    assert_eq!(emacs.ask(&Request::SelectedText), selected);
    // A shell is what the user looks at, and only a part of the file is shown.
    emacs.evaluate("(with-current-buffer \"a.el\" (goto-char 1) (insert \"; \\\" & -x\\n\") (narrow-to-region 1 3) (deactivate-mark))");
    emacs.evaluate("(switch-to-buffer \"*scratch*\")");
    let whole = json!({
        "path": "[..]/project/a.el",
        "language": "emacs-lisp",
        "text": format!("; \" & -x\n{TEXT}"),
        "dirty": true,
    });
    assert_eq!(emacs.ask(&Request::CurrentFile { path: None }), whole);
    assert_eq!(emacs.ask(&Request::SelectedText)["text"], "");
    let files = json!({
        "files": [{"path": "[..]/project/a.el", "active": true, "dirty": true}],
    });
    assert_eq!(emacs.ask(&Request::OpenFiles), files);
    assert_eq!(emacs.ask(&Request::Diagnostics), json!({"diagnostics": []}));
}

#[test]
fn a_long_text_is_cut() {
    let emacs = Emacs::start();
    emacs.evaluate("(with-current-buffer \"a.el\" (insert (make-string 2000000 ?ä)))");
    // A machine that does other things may take more than a second for so much.
    let answers = (0..10).map(|_| emacs.fixture.ask(&Request::CurrentFile { path: None }).0);
    let answer = answers
        .map(|answer| answer[1].clone())
        .find(|answer| !answer.is_null());
    let answer = answer.expect("it answers in time, at least once");
    let text = answer["text"].as_str().expect("a text");
    assert_eq!((text.len(), &answer["truncated"]), (1 << 20, &json!(true)));
}

/// A frame in a terminal, whose user types.
#[cfg(target_os = "linux")]
struct Frame {
    client: Child,
    shown: Arc<Mutex<String>>,
}

#[cfg(target_os = "linux")]
impl Frame {
    fn open(emacs: &Emacs) -> Self {
        let socket = emacs.fixture.path("run/emacs/server");
        let command = format!(
            "stty rows 24 cols 80 && exec emacsclient -t --socket-name {}",
            socket.display()
        );
        let mut client = program("script")
            .args(["-qfc", &command, "/dev/null"])
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("script is installed");
        let mut output = client.stdout.take().expect("a pipe");
        let shown = Arc::new(Mutex::new(String::new()));
        let screen = Arc::clone(&shown);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let text = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default());
                screen.lock().expect("a screen").push_str(&text);
            }
        });
        let frame = Self { client, shown };
        frame.wait("When done");
        frame
    }

    /// Waits until `text` has been shown, and forgets what was shown before.
    fn wait(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let mut shown = self.shown.lock().expect("a screen");
            if let Some(at) = shown.find(text) {
                shown.drain(..at + text.len());
                return;
            }
            assert!(Instant::now() < end, "{text:?} is not in {shown:?}");
            drop(shown);
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn types(&mut self, keys: &str) {
        let input = self.client.stdin.as_mut().expect("a pipe");
        input.write_all(keys.as_bytes()).expect("it is typed");
        input.flush().expect("it is typed");
    }
}

#[cfg(target_os = "linux")]
impl Drop for Frame {
    fn drop(&mut self) {
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_proposal_is_accepted_or_rejected_by_its_user() {
    let emacs = Emacs::start();
    let mut frame = Frame::open(&emacs);
    let proposed = "(ONE) \"\\\n(two åäö)\n";
    let request = |name: &str| Request::ProposeEdit {
        path: emacs.fixture.path(&format!("project/{name}")),
        content: proposed.to_owned(),
        hash: None,
    };
    let mut answer = |name: &str, keys: &str| {
        let request = request(name);
        thread::scope(|scope| {
            let asked = scope.spawn(|| emacs.ask(&request));
            frame.wait("Accept this change");
            frame.types(keys);
            asked.join().expect("it answers")
        })
    };
    for keys in ["no\r", "\u{7}"] {
        assert_eq!(answer("a.el", keys), json!({"accepted": false}), "{keys:?}");
        assert_eq!(emacs.ask(&Request::CurrentFile { path: None })["text"], TEXT);
    }
    assert_eq!(answer("a.el", "yes\r"), json!({"accepted": true}));
    let now = emacs.ask(&Request::CurrentFile { path: None });
    assert_eq!(json!([now["text"], now["dirty"]]), json!([proposed, true]));
    // Saving is left to the user.
    let saved = fs::read_to_string(emacs.fixture.path("project/a.el"));
    assert_eq!(saved.expect("it is there"), TEXT);
    // A new file, of which nothing remains once it is rejected.
    assert_eq!(answer("new.el", "no\r"), json!({"accepted": false}));
    let files = emacs.ask(&Request::OpenFiles);
    assert_eq!(
        files,
        json!({"files": [{"path": "[..]/project/a.el", "active": true, "dirty": true}]})
    );
    let temporary = fs::read_dir(emacs.fixture.path("")).expect("a folder");
    let left = temporary.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let left: Vec<String> = left.filter(|name| name.starts_with("cogtools")).collect();
    assert_eq!(left, [""; 0]);
}

/// Without a frame no user can be asked.
#[test]
fn what_emacs_lacks() {
    let emacs = Emacs::start();
    let request = Request::ProposeEdit {
        path: emacs.fixture.path("project/a.el"),
        content: String::new(),
        hash: None,
    };
    let reason = "INSIDE_EMACS: it does not have `propose_edit`".to_owned();
    assert_eq!(emacs.fixture.ask(&request), (Value::Null, vec![reason]));
    emacs.evaluate("(kill-buffer \"a.el\")");
    assert_eq!(emacs.ask(&Request::CurrentFile { path: None }), json!({"text": ""}));
    assert_eq!(emacs.ask(&Request::OpenFiles), json!({"files": []}));
}

#[test]
fn an_emacs_without_a_server_says_how_to_start_one() {
    let fixture = Fixture::new().set("INSIDE_EMACS", "28.2,vterm");
    let reason = "INSIDE_EMACS: it has no server: run M-x server-start".to_owned();
    assert_eq!(
        fixture.ask(&Request::SelectedText),
        (Value::Null, vec![reason])
    );
}

#[test]
fn an_answer_takes_milliseconds() {
    let emacs = Emacs::start();
    emacs.ask(&Request::SelectedText);
    let start = Instant::now();
    for _ in 0..10 {
        emacs.ask(&Request::SelectedText);
    }
    let each = start.elapsed() / 10;
    println!("Emacs: {each:?}");
    assert!(each.as_millis() < 200, "{each:?}");
}
