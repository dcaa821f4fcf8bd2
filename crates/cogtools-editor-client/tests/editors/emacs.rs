//! The real Emacs.

use std::fs;
use std::process::Stdio;
use std::time::Instant;

use cogtools_editor_client::Request;
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
    assert_eq!(emacs.ask(&Request::CurrentFile), whole);
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
    let answers = (0..10).map(|_| emacs.fixture.ask(&Request::CurrentFile).0);
    let answer = answers
        .map(|answer| answer[1].clone())
        .find(|answer| !answer.is_null());
    let answer = answer.expect("it answers in time, at least once");
    let text = answer["text"].as_str().expect("a text");
    assert_eq!((text.len(), &answer["truncated"]), (1 << 20, &json!(true)));
}

#[test]
fn what_emacs_lacks() {
    let emacs = Emacs::start();
    let request = Request::ProposeEdit {
        path: emacs.fixture.path("project/a.el"),
        content: String::new(),
    };
    let reason = "INSIDE_EMACS: it does not have `propose_edit`".to_owned();
    assert_eq!(emacs.fixture.ask(&request), (Value::Null, vec![reason]));
    emacs.evaluate("(kill-buffer \"a.el\")");
    assert_eq!(emacs.ask(&Request::CurrentFile), json!({"text": ""}));
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
