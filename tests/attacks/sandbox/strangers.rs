//! Packages and providers, which have a sandbox whether they declare one or not.

use cogtools_test_support::{Outcome, Project, Run, str};

use super::{PROBE, call, scene};
use crate::packages::depend_on_pk;
use crate::run;

const ALL: &str = "read key,read project,write project,write home,write temporary,tcp,udp";

/// A project with the package `pk`, whose tool `pk_run` makes all attempts.
fn package(sandbox: &str) -> Project {
    let project = scene();
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file("node_modules/pk/tools/probe.py", PROBE)
        .file(
            "node_modules/pk/tools/pk_run.yaml",
            format!(
                "name: pk_run\ndescription: d\n{sandbox}implementation:\n  exec: [python3, \
                 ./probe.py, {ALL:?}]\n"
            ),
        );
    project
}

fn call_package(project: &Project) -> Outcome {
    run("cogtools-trust", project)
        .args(["pk", "--yes"])
        .run()
        .status(0);
    run("cogtools-call", project).arg("pk_run").run()
}

#[test]
fn a_package_reads_the_project_and_reaches_nothing_else() {
    call_package(&package("")).outputs(str![[r#""#]]);
}

#[test]
fn a_package_has_what_it_declares_and_the_user_has_approved() {
    call_package(&package("sandbox: {write: [.], net: true}\n")).outputs(str![[r#""#]]);
}

#[test]
fn a_sandbox_that_changes_requires_a_new_approval() {
    let project = package("");
    call_package(&project).status(0);
    let tool = project.read("node_modules/pk/tools/pk_run.yaml");
    let tool = tool.replace("implementation", "sandbox: {net: true}\nimplementation");
    project.file("node_modules/pk/tools/pk_run.yaml", tool);
    run("cogtools-call", &project)
        .arg("pk_run")
        .run()
        .fails(77, str![[r#""#]]);
}

/// A project with a provider, whose tool makes all attempts.
fn provider(sandbox: &str) -> Project {
    let project = scene();
    let run = "#!/bin/sh
[ \"$1\" = call ] || exec echo '[{\"name\": \"t\", \"description\": \"d\"}]'
exec python3 \"$(dirname \"$0\")/probe.py\" 'ALL'
";
    project
        .program("pro/run", run.replace("ALL", ALL))
        .file("pro/probe.py", PROBE);
    configure(&project, sandbox);
    project
}

fn configure(project: &Project, sandbox: &str) {
    project.file(
        ".cogtoolrc.yaml",
        format!(
            "tool_sources: [{{command: {{discover: pro/run, call: pro/run call, name: p{sandbox}}}}}]\n"
        ),
    );
}

fn trust(project: &Project) -> Run {
    run("cogtools-trust", project).args(["p", "--yes"])
}

#[test]
fn a_provider_reads_the_project_and_reaches_nothing_else() {
    let project = provider("");
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#""#]]);
}

#[test]
fn a_provider_has_what_the_user_has_approved() {
    let project = provider(", sandbox: {net: true}");
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#""#]]);
    configure(&project, ", sandbox: {net: true, write: [.]}");
    call(&project).run().fails(127, str![[r#""#]]);
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#""#]]);
}

#[test]
fn discovery_is_confined_too() {
    let project = provider("");
    let probe = project
        .read("pro/run")
        .replace("|| exec echo", "|| python3 \"$(dirname \"$0\")/probe.py\" 'read key,tcp' >&2\n[ \"$1\" = call ] || exit 3\nexec echo");
    project.program("pro/run", probe);
    trust(&project).run().fails(1, str![[r#""#]]);
}
