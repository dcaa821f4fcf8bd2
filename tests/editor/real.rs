//! The real Neovim and the real Emacs, asked by a cold `cogtools-call`.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};

use super::{call, project};

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

/// Runs a client of an editor.
fn client(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output();
    let output = output.expect("it is installed");
    assert!(output.status.success(), "{output:?}");
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
    let _emacs = Editor::start("emacs", &project, &["-Q", "--fg-daemon"], &socket);
    let socket = socket.display().to_string();
    let evaluate = |text: &str| client("emacsclient", &["--socket-name", &socket, "--eval", text]);
    let file = project.path("src/main.rs").display().to_string();
    evaluate(&format!("(find-file {file:?})"));
    evaluate(
        "(with-current-buffer \"main.rs\" (insert \"// new\\n\") (goto-char 11) (push-mark 15 t t))",
    );
    let ask = |tool: &str| {
        call(&project, tool)
            .env("INSIDE_EMACS", "28.2,comint")
            .env("XDG_RUNTIME_DIR", project.path("../run"))
            .run()
    };
    ask("get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","language":"fundamental","text":"main","start":{"line":2,"column":4},"end":{"line":2,"column":8},"dirty":true,"source":"Emacs"}

"#]]);
    ask("get_current_file").outputs(str![[r#"
{"path":"src/main.rs","language":"fundamental","text":"// new\nfn main() {}\n","dirty":true,"hash":"84b5711f92d6338a58c9f85440e209e708955f6a8e2987047c38f667c3b150d1","source":"Emacs"}

"#]]);
}
