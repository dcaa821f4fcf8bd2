//! Results of tools that are files or content blocks: at a shell, over MCP, and in tests.

use std::fs::File;
use std::process::{Command, Stdio};

use cogtools_test_support::{Project, Run, str};
use serde_json::json;

use crate::mcp::session::Session;
use crate::{programs, run};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\xff";

/// A project with the tool `shot`, which prints `pic.png`.
fn project() -> Project {
    let project = Project::new();
    project.file("pic.png", PNG).file(
        "tools/shot.yaml",
        "name: shot\ndescription: d\noutput: {type: image/png}\n\
         annotations: {read_only: true}\nexamples: [{}]\nimplementation: {exec: [cat, pic.png]}\n",
    );
    project
}

/// The content of the file `name` after a call with the output redirected to it.
fn redirected(project: &Project, name: &str) -> Vec<u8> {
    let file = File::create(project.path(name)).expect("a file");
    let status = Command::new(programs().join("cogtools-call"))
        .arg("shot")
        .env_clear()
        .env("HOME", project.home())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(project.root())
        .stdin(Stdio::null())
        .stdout(file)
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    std::fs::read(project.path(name)).expect("a file")
}

#[test]
fn a_picture_is_a_line_where_text_is_read() {
    let project = project();
    let line = "[image: image/png, 9 bytes, omitted: results are text only]";
    run("cogtools-call", &project)
        .arg("shot")
        .stdin(json!({}))
        .run()
        .outputs(line);
    if cfg!(not(windows)) {
        // The shells of agents redirect the output of each command to a file.
        assert_eq!(redirected(&project, "output"), line.as_bytes());
        assert_eq!(redirected(&project, "page.gif"), line.as_bytes());
        assert_eq!(redirected(&project, "page.PNG"), PNG);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_bytes() {
    let project = project();
    let line = "cogtools-call shot; cogtools run shot";
    let terminal = crate::pseudo_terminal::Terminal::open(&project, line);
    let line = "image/png, 9 bytes; `> FILE.png` writes them\n";
    assert_eq!(terminal.end(""), (Some(0), format!("{line}{line}")));
}

#[test]
fn an_mcp_client_gets_blocks() {
    let project = project();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: d\noutput: {type: content}\nimplementation:\n  js: |\n    \
         return {content: [{type: 'text', text: 'Hi'}], structuredContent: {a: 1}}\n",
    );
    let mut session = Session::open(&project);
    let id = session.call("shot", &json!({}));
    assert_eq!(
        session.answer(id)["result"],
        json!({"content": [
            {"type": "image", "data": "iVBORw0KGgr/", "mimeType": "image/png"},
        ], "isError": false})
    );
    let id = session.call("say", &json!({}));
    assert_eq!(
        session.answer(id)["result"],
        json!({
            "content": [{"type": "text", "text": "Hi"}],
            "structuredContent": {"a": 1},
            "isError": false,
        })
    );
    project.file("pic.png", "no browser\n");
    let id = session.call("shot", &json!({}));
    assert_eq!(session.answer(id)["result"]["isError"], true);
}

#[test]
fn a_golden_file_has_the_bytes() {
    let project = project();
    let test = |args: &[&str]| {
        let test = Run::new(programs().join("cogtools")).project(&project);
        test.arg("test").args(args).run()
    };
    test(&["--update"]).succeeds();
    assert_eq!(
        std::fs::read(project.path("tools/shot.1.golden")).expect("a file"),
        PNG
    );
    test(&["--spawn"]).succeeds();
    project.file("pic.png", b"\x89PNG\r\n\x1a\n\xfe");
    test(&[]).status(1);
}

#[test]
fn what_is_no_picture_is_none() {
    let project = project();
    let call = || {
        run("cogtools-call", &project)
            .arg("shot")
            .stdin(json!({}))
            .run()
    };
    project.file("pic.png", "no browser\n");
    call().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: shot: the result is not image/png, as `output` declares: it is 11 bytes of another type
  | no browser
hint: the tool's author has to fix it: the result must match `output`

"#]]);
    project.file("pic.png", "");
    call().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: shot: the result is not image/png, as `output` declares: it is 0 bytes of another type
hint: the tool's author has to fix it: the result must match `output`

"#]]);
    project.file(
        "pic.png",
        [b"\x89PNG".as_slice(), &vec![0; 16 << 20]].concat(),
    );
    call().fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: shot: the result is larger than 16 MiB
hint: ask the tool for less

"#]],
    );
    // A secret cannot be masked there.
    project
        .file("pic.png", b"%PDF-1.7 8dhf7ashfi3h9shd9fh3")
        .file(".env", "TOKEN=8dhf7ashfi3h9shd9fh3\n")
        .file(
            "tools/shot.yaml",
            "name: shot\ndescription: d\noutput: {type: application/pdf}\nenv: [TOKEN]\n\
             implementation: {exec: [cat, pic.png]}\n",
        );
    call().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: shot: the file that the program printed contains the value of a variable under `env`
hint: the tool's author has to keep it out of the file

"#]]);
}
