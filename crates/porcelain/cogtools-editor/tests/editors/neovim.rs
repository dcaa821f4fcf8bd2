//! The real Neovim.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::{Fixture, hash, program};

pub(crate) const TEXT: &str = "one\ntwo åäö\n\tthree\nfour\n";

/// A Neovim with a file open.
pub(crate) struct Neovim {
    pub(crate) fixture: Fixture,
}

impl Neovim {
    fn start() -> Self {
        let mut headless = program("nvim");
        headless.args(["--headless"]).stdin(Stdio::null());
        Self::start_as(headless)
    }

    /// With a terminal, in which it can ask its user.
    pub(crate) fn start_in_terminal() -> Self {
        let mut terminal = program("script");
        terminal
            .args([
                "-q",
                "-c",
                "exec nvim --clean --listen ../nvim.sock a.txt",
                "/dev/null",
            ])
            .env("TERM", "xterm")
            .stdin(Stdio::piped());
        Self::start_as(terminal)
    }

    fn start_as(mut neovim: Command) -> Self {
        let fixture = Fixture::new();
        let (socket, file) = (fixture.path("nvim.sock"), fixture.path("project/a.txt"));
        fs::write(&file, TEXT).expect("it is written");
        if neovim.get_program() == "nvim" {
            neovim.args(["--clean", "--listen"]).arg(&socket).arg(file);
        }
        neovim
            .env("HOME", fixture.path(""))
            .current_dir(fixture.path("project"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = neovim.spawn().expect("neovim is installed");
        let mut fixture = fixture.set("NVIM", &socket);
        fixture.run(child);
        Fixture::wait(&socket);
        Self { fixture }
    }

    /// Types `keys`, in the notation of Neovim, and waits until they are done.
    pub(crate) fn types(&self, keys: &str) -> &Self {
        self.remote("--remote-send", keys);
        self.remote("--remote-expr", "1");
        self
    }

    /// Types `keys`, after which Neovim may be gone.
    pub(crate) fn types_last(&self, keys: &str) {
        self.remote("--remote-send", keys);
    }

    /// Ends it, if it has not ended.
    pub(crate) fn end(&self) {
        let mut client = program("nvim");
        client.arg("--server").arg(self.fixture.path("nvim.sock"));
        let _ = client
            .args(["--remote-send", "<C-Bslash><C-n>:qa!<CR>"])
            .output();
    }

    fn remote(&self, how: &str, text: &str) -> String {
        let output = program("nvim")
            .arg("--server")
            .arg(self.fixture.path("nvim.sock"))
            .args([how, text])
            .output()
            .expect("neovim is installed");
        assert!(output.status.success(), "{output:?}");
        // Neovim 0.7 prints the value of an expression there.
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&printed).trim().to_owned()
    }

    /// Evaluates an expression.
    pub(crate) fn evaluate(&self, expression: &str) -> String {
        self.remote("--remote-expr", expression)
    }

    pub(crate) fn ask(&self, request: &Request) -> Value {
        let (answer, reasons) = self.fixture.ask(request);
        assert_eq!(reasons, [""; 0]);
        assert_eq!(answer[0], "Neovim");
        answer[1].clone()
    }

    /// The selected text and its range.
    fn selected(&self) -> Value {
        let answer = self.ask(&Request::SelectedText);
        json!([answer["text"], answer["start"], answer["end"]])
    }
}

fn at(line: u64, column: u64) -> Value {
    json!({"line": line, "column": column})
}

#[test]
fn nothing_is_selected_at_first() {
    let neovim = Neovim::start();
    let expected = json!({
        "path": "[..]/project/a.txt",
        "language": "text",
        "text": "",
        "dirty": false,
        "hash": hash(TEXT),
    });
    assert_eq!(neovim.ask(&Request::SelectedText), expected);
}

#[test]
fn selections_are_returned() {
    let neovim = Neovim::start();
    let check = |keys: &str, expected: Value| {
        neovim.types(&format!("<Esc>gg0{keys}"));
        assert_eq!(neovim.selected(), expected, "{keys}");
    };
    // While it is made, in both directions.
    check("jwve", json!(["åäö", at(2, 5), at(2, 8)]));
    check("j$vb", json!(["åäö", at(2, 5), at(2, 8)]));
    check("jwvj0", json!(["åäö\n\t", at(2, 5), at(3, 2)]));
    check("jVj", json!(["two åäö\n\tthree\n", at(2, 1), at(3, 7)]));
    check("l<C-v>j$", json!(["ne\nwo åäö", at(1, 2), at(2, 8)]));
    check("jwv$", json!(["åäö\n", at(2, 5), at(3, 1)]));
    check("Gv$", json!(["four", at(4, 1), at(4, 5)]));
    check("jw<C-v>jl", json!(["åäö\nt", at(2, 5), at(3, 3)]));
    // And after it.
    check("jwve<Esc>", json!(["åäö", at(2, 5), at(2, 8)]));
    // From the terminal in another window.
    check(
        "jVy<C-w>v:enew<CR>:terminal<CR>i",
        json!(["two åäö\n", at(2, 1), at(2, 8)]),
    );
}

#[test]
fn text_that_is_not_saved_is_returned() {
    let neovim = Neovim::start();
    neovim.types("ggOnew<Esc>");
    let expected = json!({
        "path": "[..]/project/a.txt",
        "language": "text",
        "text": format!("new\n{TEXT}"),
        "dirty": true,
        "hash": hash(&format!("new\n{TEXT}")),
    });
    assert_eq!(neovim.ask(&Request::CurrentFile { path: None }), expected);
    let files = json!({
        "files": [{"path": "[..]/project/a.txt", "active": true, "dirty": true}],
    });
    assert_eq!(neovim.ask(&Request::OpenFiles), files);
}

#[test]
fn an_editor_without_a_file_has_no_text() {
    let neovim = Neovim::start();
    neovim.types(":%bwipeout!<CR>:terminal<CR>");
    assert_eq!(
        neovim.ask(&Request::CurrentFile { path: None }),
        json!({"text": ""})
    );
    assert_eq!(neovim.ask(&Request::OpenFiles), json!({"files": []}));
    assert_eq!(
        neovim.ask(&Request::Diagnostics),
        json!({"diagnostics": []})
    );
}

#[test]
fn long_texts_and_other_encodings() {
    let neovim = Neovim::start();
    let long = "ä".repeat(800_000);
    fs::write(neovim.fixture.path("project/long.txt"), long).expect("it is written");
    neovim.types(":e long.txt<CR>");
    let answer = neovim.ask(&Request::CurrentFile { path: None });
    let text = answer["text"].as_str().expect("a text");
    assert_eq!((text.len(), &answer["truncated"]), (1 << 20, &json!(true)));
    fs::write(neovim.fixture.path("project/latin.txt"), b"a\xffb\n").expect("it is written");
    neovim.types(":e ++enc=utf-8 ++bad=keep latin.txt<CR>");
    let answer = neovim.ask(&Request::CurrentFile { path: None });
    assert_eq!(answer["text"], "a\u{fffd}b\n");
    fs::write(neovim.fixture.path("project/null.txt"), b"a\0b\n").expect("it is written");
    neovim.types(":e null.txt<CR>");
    let answer = neovim.ask(&Request::CurrentFile { path: None });
    assert_eq!(
        json!([answer["text"], answer["hash"]]),
        json!(["a\0b\n", null])
    );
}

#[test]
fn findings_are_returned() {
    let neovim = Neovim::start();
    let set = "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, \
               {{lnum = 1, col = 6, severity = 2, message = 'odd', source = 'test'}})";
    neovim.types(&format!(":lua {}<CR>", set.replace('<', "<lt>")));
    let expected = json!({"diagnostics": [{
        "path": "[..]/project/a.txt",
        "line": 2,
        "column": 6,
        "severity": "warning",
        "message": "odd",
        "source": "test",
    }]});
    assert_eq!(neovim.ask(&Request::Diagnostics), expected);
}

#[test]
fn a_file_is_shown_at_its_line_beside_what_is_typed() {
    let neovim = Neovim::start();
    let path = neovim.fixture.path("project/a %#b.txt");
    fs::write(&path, "one\ntwo\nthree\n").expect("a file");
    neovim.types("itext");
    let open = |line: u64| {
        let path = path.clone();
        neovim.ask(&Request::OpenFile { path, line })
    };
    assert_eq!(open(2), json!(true));
    assert_eq!(
        neovim.evaluate("expand('%:t') .. line('.') .. mode()"),
        "a %#b.txt2n"
    );
    // Again, in the same tab page, and not behind the end.
    assert_eq!(open(99), json!(true));
    assert_eq!(neovim.evaluate("line('.') .. ',' .. tabpagenr('$')"), "3,2");
    assert_eq!(
        fs::read_to_string(&path).expect("a file"),
        "one\ntwo\nthree\n"
    );
    let path = neovim.fixture.path("project/a\nb.txt");
    fs::write(&path, "one\n").expect("a file");
    assert_eq!(
        neovim.ask(&Request::OpenFile { path, line: 1 }),
        json!(true)
    );
    let shown =
        "string([fnamemodify(bufname(), ':t') == \"a\\nb.txt\", getline(1), tabpagenr('$')])";
    assert_eq!(neovim.evaluate(shown), "[1, 'one', 3]");
}

#[test]
fn an_answer_takes_milliseconds() {
    let neovim = Neovim::start();
    neovim.ask(&Request::SelectedText);
    let start = Instant::now();
    for _ in 0..10 {
        neovim.ask(&Request::SelectedText);
    }
    let each = start.elapsed() / 10;
    println!("Neovim: {each:?}");
    // Ten times what it takes, for a machine that does other things.
    assert!(each.as_millis() < 100, "{each:?}");
}
