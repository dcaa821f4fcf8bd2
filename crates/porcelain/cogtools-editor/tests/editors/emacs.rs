//! The real Emacs.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::{Read as _, Write as _};
#[cfg(target_os = "linux")]
use std::os::unix::fs::symlink;
#[cfg(target_os = "linux")]
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::{Fixture, hash, program};

const TEXT: &str = "(one)\n(two åäö)\n";

/// An Emacs with a file open, and with what `cogtools editor print emacs` prints.
struct Emacs {
    fixture: Fixture,
    server: PathBuf,
}

impl Emacs {
    fn start() -> Self {
        let mut fixture = Fixture::new();
        let (server, file) = (
            fixture.path("run/emacs/server"),
            fixture.path("project/a.el"),
        );
        fs::write(&file, TEXT).expect("it is written");
        let printed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/print/emacs.el");
        let mut emacs = program("emacs");
        emacs
            .args(["-Q", "--fg-daemon", "-l", printed])
            .env("HOME", fixture.path(""))
            .env("XDG_RUNTIME_DIR", fixture.path("run"))
            .env("TMPDIR", fixture.path(""))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        fixture.run(emacs.spawn().expect("emacs is installed"));
        Fixture::wait(&server);
        let mut emacs = Self { fixture, server };
        let socket = emacs.evaluate("(getenv \"COGTOOLS_EDITOR\")");
        emacs.fixture = emacs
            .fixture
            .set("COGTOOLS_EDITOR", socket.trim_matches('"'));
        emacs.evaluate(&format!("(find-file {:?})", file.display().to_string()));
        emacs
    }

    fn evaluate(&self, expression: &str) -> String {
        let output = program("emacsclient")
            .arg("--socket-name")
            .arg(&self.server)
            .args(["--eval", expression])
            .output()
            .expect("emacs is installed");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Waits until an expression has a value.
    fn wait(&self, expression: &str, expected: &str) {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let found = self.evaluate(expression);
            if found == expected {
                return;
            }
            assert!(Instant::now() < end, "{expression}: {found}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the proposal for the file `name` is shown.
    fn shows(&self, name: &str) {
        let window = format!("(and (get-buffer-window \"*proposal: {name}*\" t) t)");
        self.wait(&window, "t");
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
        "hash": hash(TEXT),
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
        "hash": hash(TEXT),
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
        "hash": hash(&format!("; \" & -x\n{TEXT}")),
    });
    assert_eq!(emacs.ask(&Request::CurrentFile { path: None }), whole);
    assert_eq!(emacs.ask(&Request::SelectedText)["text"], "");
    let files = json!({
        "files": [{"path": "[..]/project/a.el", "active": true, "dirty": true}],
    });
    assert_eq!(emacs.ask(&Request::OpenFiles), files);
    assert_eq!(emacs.ask(&Request::Diagnostics), json!({"diagnostics": []}));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_is_shown_at_its_line() {
    let emacs = Emacs::start();
    let _frame = Frame::open(&emacs);
    let path = emacs.fixture.path("project/shown.txt");
    fs::write(&path, "one\ntwo\nthree\n").expect("a file");
    let open = Request::OpenFile { path, line: 2 };
    assert_eq!(emacs.ask(&open), json!(true));
    let place = "(with-current-buffer \"shown.txt\" (line-number-at-pos))";
    emacs.wait(place, "2");
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
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let mut shown = self.shown.lock().expect("a screen");
            if let Some(at) = shown.find(text) {
                shown.drain(..at + text.len());
                return;
            }
            assert!(Instant::now() < end, "{text:?} is not in {shown:?}");
            drop(shown);
            sleep(Duration::from_millis(10));
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

/// Ends Emacs if a test fails while a proposal waits for its user.
#[cfg(target_os = "linux")]
struct Ends<'e>(&'e Emacs);

#[cfg(target_os = "linux")]
impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut client = program("emacsclient");
            client.arg("--socket-name").arg(&self.0.server);
            let _ = client.args(["--eval", "(kill-emacs)"]).output();
        }
    }
}

#[cfg(target_os = "linux")]
const PROPOSED: &str = "(ONE) \"\\\n(two åäö)\n";

#[cfg(target_os = "linux")]
const MOMENT: Duration = Duration::from_millis(1_100);

#[cfg(target_os = "linux")]
fn proposal(emacs: &Emacs, name: &str, base: Option<&str>) -> Request {
    Request::ProposeEdit {
        path: emacs.fixture.path(&format!("project/{name}")),
        content: PROPOSED.to_owned(),
        hash: base.map(hash),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_proposal_is_accepted_or_rejected_by_its_user() {
    let emacs = Emacs::start();
    let mut frame = Frame::open(&emacs);
    let mut answer = |name: &str, base: Option<&str>, keys: &str| {
        let request = proposal(&emacs, name, base);
        thread::scope(|scope| {
            let asked = scope.spawn(|| emacs.ask(&request));
            let _ends = Ends(&emacs);
            emacs.shows(name);
            let header = format!(
                "(buffer-local-value 'header-line-format (get-buffer \"*proposal: {name}*\"))"
            );
            let header = emacs.evaluate(&header);
            let help = format!("{name}: 1 change(s)   accept: C-c C-c, reject: C-c C-k\"");
            assert!(header.ends_with(&help), "{header}");
            // Typed before anyone can have read it; what was typed before has gone elsewhere.
            frame.types(&format!("\u{18}b*proposal: {name}*\r\u{3}\u{3}"));
            // Emacs goes on.
            let refused = "(with-current-buffer \"*Messages*\" (prog1 (how-many \"Look at the change\" 1) (let ((inhibit-read-only t)) (erase-buffer))))";
            emacs.wait(refused, "1");
            sleep(MOMENT);
            assert!(!asked.is_finished());
            frame.types(keys);
            asked.join().expect("it answers")
        })
    };
    let rejected = json!({"outcome": "rejected"});
    for keys in ["\u{3}\u{b}\r", "\u{18}k\r"] {
        assert_eq!(answer("a.el", Some(TEXT), keys), rejected, "{keys:?}");
        let now = emacs.ask(&Request::CurrentFile { path: None });
        assert_eq!(now["text"], TEXT);
    }
    assert_eq!(
        answer("a.el", None, "\u{3}\u{b}not now\r"),
        json!({"outcome": "rejected", "reason": "not now"})
    );
    assert_eq!(
        answer("a.el", Some(TEXT), "\u{3}\u{3}"),
        json!({"outcome": "accepted", "hash": hash(PROPOSED)})
    );
    let now = emacs.ask(&Request::CurrentFile { path: None });
    assert_eq!(json!([now["text"], now["dirty"]]), json!([PROPOSED, true]));
    // Saving is left to the user.
    let saved = fs::read_to_string(emacs.fixture.path("project/a.el"));
    assert_eq!(saved.expect("it is there"), TEXT);
    // A new file, of which nothing remains once it is rejected.
    assert_eq!(answer("new.el", None, "\u{3}\u{b}\r"), rejected);
    let files = emacs.ask(&Request::OpenFiles);
    assert_eq!(
        files,
        json!({"files": [{"path": "[..]/project/a.el", "active": true, "dirty": true}]})
    );
}

#[cfg(target_os = "linux")]
#[test]
fn two_proposals_are_answered_each_by_itself_or_closed_with_their_program() {
    let emacs = Emacs::start();
    let mut frame = Frame::open(&emacs);
    let requests = ["a.el", "b.el"].map(|name| proposal(&emacs, name, None));
    let [one, other] = thread::scope(|scope| {
        let _ends = Ends(&emacs);
        let asked = requests.each_ref().map(|request| {
            let asked = scope.spawn(|| emacs.ask(request));
            let Request::ProposeEdit { path, .. } = request else {
                unreachable!("it is a proposal")
            };
            let name = path.file_name().and_then(|name| name.to_str());
            emacs.shows(name.expect("a name"));
            asked
        });
        frame.types("\u{18}b*proposal: b.el*\r");
        sleep(MOMENT);
        frame.types("\u{3}\u{3}");
        while !asked[1].is_finished() {
            sleep(Duration::from_millis(20));
        }
        emacs.evaluate("(kill-buffer \"*proposal: a.el*\")");
        asked.map(|asked| asked.join().expect("it answers"))
    });
    assert_eq!(one, json!({"outcome": "rejected"}));
    assert_eq!(other["outcome"], "accepted");
    let socket = emacs.evaluate("(getenv \"COGTOOLS_EDITOR\")");
    let mut gone = UnixStream::connect(socket.trim_matches('"')).expect("it listens");
    let path = emacs.fixture.path("project/a.el");
    let params = json!({"path": path, "content": "new"});
    let request = json!({"id": 1, "method": "propose_edit", "params": params});
    writeln!(gone, "{request}").expect("it is sent");
    emacs.shows("a.el");
    drop(gone);
    let end = Instant::now() + Duration::from_secs(10);
    while emacs.evaluate("(get-buffer \"*proposal: a.el*\")") != "nil" {
        assert!(Instant::now() < end, "it stays");
        sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_that_has_changed_or_cannot_be_changed_is_said_so() {
    let emacs = Emacs::start();
    let mut frame = Frame::open(&emacs);
    let stale = json!({"outcome": "stale", "hash": hash(TEXT)});
    assert_eq!(emacs.ask(&proposal(&emacs, "a.el", Some("other"))), stale);
    // While its user looks at it.
    let outcome = thread::scope(|scope| {
        let asked = scope.spawn(|| emacs.ask(&proposal(&emacs, "a.el", Some(TEXT))));
        let _ends = Ends(&emacs);
        frame.wait("1 change(s)   accept: C-c C-c, reject: C-c C-k");
        emacs.evaluate("(with-current-buffer \"a.el\" (goto-char 1) (insert \"x\"))");
        frame.types("\u{18}b*proposal: a.el*\r");
        sleep(MOMENT);
        frame.types("\u{3}\u{3}");
        asked.join().expect("it answers")
    });
    let now = format!("x{TEXT}");
    assert_eq!(outcome, json!({"outcome": "stale", "hash": hash(&now)}));
    emacs.evaluate("(with-current-buffer \"a.el\" (setq buffer-read-only t))");
    let refused = |name: &str| emacs.ask(&proposal(&emacs, name, None));
    assert_eq!(
        refused("a.el"),
        json!({"outcome": "refused", "kind": "not_modifiable"})
    );
    // A file that another Emacs is changing.
    let lock = emacs.fixture.path("project/.#b.el");
    symlink("ada@elsewhere.1:2", lock).expect("a link");
    assert_eq!(
        refused("b.el"),
        json!({"outcome": "refused", "kind": "open_elsewhere"})
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_to_a_file_under_version_control_is_opened_without_a_question() {
    let emacs = Emacs::start();
    let _frame = Frame::open(&emacs);
    let git = |arguments: &[&str]| {
        let mut git = program("git");
        git.current_dir(emacs.fixture.path("project"));
        git.args(arguments).output().expect("git is installed");
    };
    fs::write(emacs.fixture.path("project/b.el"), TEXT).expect("it is written");
    git(&["init"]);
    git(&["add", "b.el"]);
    symlink("b.el", emacs.fixture.path("project/link.el")).expect("a link");
    let request = proposal(&emacs, "link.el", Some(TEXT));
    let outcome = thread::scope(|scope| {
        let asked = scope.spawn(|| emacs.ask(&request));
        let _ends = Ends(&emacs);
        emacs.shows("link.el");
        emacs.evaluate("(kill-buffer \"*proposal: link.el*\")");
        asked.join().expect("it answers")
    });
    assert_eq!(outcome, json!({"outcome": "rejected"}));
}

#[cfg(target_os = "linux")]
#[test]
fn carriage_returns_in_lines_stay() {
    let emacs = Emacs::start();
    let mut frame = Frame::open(&emacs);
    let path = emacs.fixture.path("project/a.el");
    fs::write(path, TEXT.replace('\n', "\r\n")).expect("it is written");
    emacs.evaluate(
        "(with-current-buffer \"a.el\" (let ((coding-system-for-read 'utf-8-unix)) (revert-buffer t t)))",
    );
    let request = proposal(&emacs, "a.el", Some(TEXT));
    let outcome = thread::scope(|scope| {
        let asked = scope.spawn(|| emacs.ask(&request));
        let _ends = Ends(&emacs);
        emacs.shows("a.el");
        frame.types("\u{18}b*proposal: a.el*\r");
        sleep(MOMENT);
        frame.types("\u{3}\u{3}");
        asked.join().expect("it answers")
    });
    assert_eq!(outcome["outcome"], "accepted");
    let now = emacs.ask(&Request::CurrentFile { path: None });
    assert_eq!(now["text"], PROPOSED.replace('\n', "\r\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_is_no_request_has_an_error() {
    let emacs = Emacs::start();
    let socket = emacs.evaluate("(getenv \"COGTOOLS_EDITOR\")");
    for line in ["none\n", "5\n", "{\"id\": 1, \"method\": \"\\u0000\"}\n"] {
        let mut stream = UnixStream::connect(socket.trim_matches('"')).expect("it listens");
        stream.write_all(line.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_str(&answer).expect("it is JSON");
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
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
    let reason = "COGTOOLS_EDITOR: it does not have `propose_edit`".to_owned();
    assert_eq!(emacs.fixture.ask(&request), (Value::Null, vec![reason]));
    emacs.evaluate("(kill-buffer \"a.el\")");
    assert_eq!(
        emacs.ask(&Request::CurrentFile { path: None }),
        json!({"text": ""})
    );
    assert_eq!(emacs.ask(&Request::OpenFiles), json!({"files": []}));
}

#[test]
fn an_emacs_without_a_server_says_how_to_start_one() {
    let fixture = Fixture::new().set("INSIDE_EMACS", "28.2,vterm");
    let reason =
        "INSIDE_EMACS: it has no server: load the output of cogtools editor print emacs".to_owned();
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
