//! `required`, `best-effort` and `off`: who may choose, and what each means.

use cogtools_test_support::{Project, Run, str};
use serde_json::json;

use super::{call, probe, scene};
use crate::{CONFINE, programs, run, whole};

/// A tool whose sandbox denies it the key.
fn project() -> Project {
    let project = scene();
    probe(&project, "{}", "read key");
    project
}

const CONFIG: &str = ".cogtoolrc.yaml";
const USERS: &str = "../home/.gemini/cogtoolrc.yaml";

#[test]
fn only_the_user_turns_sandboxes_off() {
    let project = project();
    project.file(CONFIG, "sandbox: off\n");
    call(&project).run().outputs(str![[r#"
read key: denied

"#]]);
    project.file(".env", "COGTOOLS_SANDBOX=off\n");
    call(&project).run().outputs(str![[r#"
read key: denied

"#]]);
    // As a host does that has loaded the file.
    call(&project)
        .env("COGTOOLS_SANDBOX", "off")
        .run()
        .outputs(str![[r#"
read key: denied

"#]]);
    project.remove(".env");
    call(&project)
        .env("COGTOOLS_SANDBOX", "off")
        .run()
        .outputs(str![[r#"
read key: done

"#]]);
    project.file(USERS, "sandbox: off\n");
    call(&project).run().outputs(str![[r#"
read key: done

"#]]);
    project.file(CONFIG, "sandbox: best-effort\n");
    call(&project).run().outputs(str![[r#"
read key: denied

"#]]);
    call(&project).arg("--sandbox=off").run().outputs(str![[r#"
read key: done

"#]]);
}

#[test]
fn every_program_that_runs_tools_has_the_option() {
    let project = project();
    for program in ["cogtools-call", "cogtools-run", "cogtools-yaml"] {
        let what = if program == "cogtools-yaml" {
            "tools/t.yaml"
        } else {
            "t"
        };
        let with = |mode: &str| {
            run(program, &project)
                .args([what, mode])
                .env("OUTSIDE", "1")
                .run()
        };
        with("--sandbox=off").outputs(str![[r#"
read key: done

"#]]);
        with("--sandbox=required").outputs(str![[r#"
read key: denied

"#]]);
    }
}

/// A run of a `cogtools-call` that has no `cogtools-confine` beside it.
fn alone(project: &Project) -> Run {
    project.copy("../bin/cogtools-call", programs().join("cogtools-call"));
    assert!(!project.path("../bin").join(CONFINE).exists());
    Run::new(project.path("../bin/cogtools-call"))
        .project(project)
        .arg("t")
        .env("OUTSIDE", "1")
}

#[test]
fn without_the_program_that_confines_a_warning_says_what_is_missing() {
    let project = project();
    alone(&project)
        .run()
        .expect(0, str![[r#"
read key: done

"#]], str![[r#"
cogtools-call: warning[SANDBOX_UNAVAILABLE]: `cogtools-confine` is not installed, which enforces `sandbox`: files and the network are unprotected
hint: put all programs of cogtools into one directory; with --sandbox=required nothing runs

"#]]);
}

#[test]
fn over_mcp_the_warning_comes_once() {
    let project = project();
    let server = project.path("../bin/cogtools-mcp");
    project.copy("../bin/cogtools-mcp", whole("cogtools-mcp"));
    let call = |id: u32| {
        let params = json!({"name": "t", "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let messages = [initialize, initialized, call(2), call(3)].map(|it| format!("{it}\n"));
    let outcome = Run::new(server)
        .project(&project)
        .env("OUTSIDE", "1")
        .stdin(messages.concat())
        .run();
    outcome.status(0).stderr_is(str![[r#"
cogtools-mcp: warning[SANDBOX_UNAVAILABLE]: `cogtools-confine` is not installed, which enforces `sandbox`: files and the network are unprotected
hint: put all programs of cogtools into one directory; with --sandbox=required nothing runs

"#]]);
    let stdout = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert_eq!(stdout.matches("read key: done").count(), 2, "{stdout}");
}

#[test]
fn spawned_programs_have_the_same_mode() {
    let project = project();
    let tool = project.read("tools/t.yaml") + "annotations: {read_only: true}\nexamples: [{}]\n";
    project.file("tools/t.yaml", tool);
    for (mode, expected) in [("off", "done"), ("required", "denied")] {
        project.file("tools/t.1.golden", format!("read key: {expected}\n"));
        run("cogtools-test", &project)
            .args(["--spawn", &format!("--sandbox={mode}")])
            .env("OUTSIDE", "1")
            .run()
            .status(0);
    }
}

#[test]
fn what_is_required_and_missing_is_refused() {
    let project = project();
    alone(&project)
        .arg("--sandbox=required")
        .run()
        .fails(77, str![[r#"
cogtools-call: error[SANDBOX_UNAVAILABLE]: t: its sandbox is required, and this system does not enforce files and the network
hint: cogtools doctor says what is missing
hint: to run it with less, set `sandbox: best-effort` in your own configuration, or --sandbox=best-effort

"#]]);
    // A project may ask for it.
    project.file(CONFIG, "sandbox: required\n");
    alone(&project).run().fails(77, str![[r#"
cogtools-call: error[SANDBOX_UNAVAILABLE]: t: its sandbox is required, and this system does not enforce files and the network
hint: cogtools doctor says what is missing
hint: to run it with less, set `sandbox: best-effort` in your own configuration, or --sandbox=best-effort

"#]]);
}

#[test]
fn a_tool_without_a_sandbox_needs_none() {
    let project = project();
    project.file(
        "tools/t.yaml",
        "name: t\ndescription: d\nimplementation: {exec: [echo, done]}\n",
    );
    alone(&project)
        .arg("--sandbox=required")
        .run()
        .outputs(str![[r#"
done

"#]]);
}

/// The documents, `doctor` and `trust` have the same table.
#[test]
fn what_is_not_stopped_is_in_the_documents() {
    for one in cogtools_core::sandbox::LIMITATIONS {
        let row = format!("| {} | {} |", one.what, one.note);
        let name = "docs/how-to/confine-a-tool.md";
        assert!(crate::docs::shows(name, &row), "{name}: {row}");
    }
}
