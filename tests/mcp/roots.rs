//! Where the tools of a server work whose client has roots.

use std::process::Command;

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::session::Session;

/// A project with a plugin's tool that prints its folder, and three folders for clients.
fn project() -> Project {
    let project = Project::new();
    project
        .file(
            "plugin/tools/here.yaml",
            "name: here\ndescription: Where it runs\nimplementation: {exec: [pwd]}\n",
        )
        .dir("data")
        .dir("work/a b")
        .dir("work/other");
    project
}

/// A session of a client with these capabilities and roots, with the tools of the plugin. The server
/// starts in `data`.
fn session(project: &Project, args: &[&str], capabilities: &Value, roots: &[String]) -> Session {
    let sources = json!([{"local": project.path("plugin/tools")}]).to_string();
    let mut command = Command::new("/usr/bin/env");
    command.args(["-C", "data", &format!("COGTOOLS_TOOL_SOURCES={sources}")]);
    command.arg(super::server()).args(args);
    let mut session = Session::with_person(project, &mut command, capabilities, &[]);
    session.roots = roots.to_vec();
    session
}

fn uri(project: &Project, folder: &str) -> String {
    let path = project.path(folder).display().to_string();
    format!("file://{}", path.replace(' ', "%20"))
}

#[track_caller]
fn works_in(session: &mut Session, project: &Project, folder: &str) {
    let id = session.call("here", &json!({}));
    let path = project.root().join(folder);
    let expected = format!("{}\n", path.display().to_string().trim_end_matches('/'));
    assert_eq!(session.text(id), (expected, false));
}

#[test]
fn tools_of_a_plugin_work_in_the_first_folder() {
    let project = project();
    let others = [
        "https://example.org/",
        "file:///nowhere",
        "/",
        "file://host",
    ];
    let mut roots: Vec<String> = others.map(str::to_owned).to_vec();
    roots.extend([uri(&project, "work/a b"), uri(&project, "work/other")]);
    let mut session = session(
        &project,
        &[],
        &json!({"roots": {"listChanged": true}}),
        &roots,
    );
    works_in(&mut session, &project, "work/a b");
    assert_eq!(session.asked_for_roots, 1);
    session.roots = vec![uri(&project, "work/other")];
    session.tell("notifications/roots/list_changed", &json!({}));
    works_in(&mut session, &project, "work/other");
    session.roots = Vec::new();
    session.tell("notifications/roots/list_changed", &json!({}));
    works_in(&mut session, &project, "data");
    assert_eq!(session.asked_for_roots, 3);
}

#[test]
fn a_client_without_roots_is_not_asked() {
    let project = project();
    let mut session = session(&project, &[], &json!({}), &[uri(&project, "work/other")]);
    works_in(&mut session, &project, "data");
    session.tell("notifications/roots/list_changed", &json!({}));
    works_in(&mut session, &project, "data");
    assert_eq!(session.asked_for_roots, 0);
}

#[test]
fn a_project_that_is_named_stays() {
    let project = project();
    let args = ["--project", "../work/other"];
    let roots = [uri(&project, "work/a b")];
    let mut session = session(&project, &args, &json!({"roots": {}}), &roots);
    works_in(&mut session, &project, "work/other");
    assert_eq!(session.asked_for_roots, 0);
}

#[test]
fn the_tools_of_a_project_stay_there() {
    let project = project();
    project.file(
        "tools/here.yaml",
        "name: here\ndescription: Where it runs\nimplementation: {exec: [pwd]}\n",
    );
    let mut command = Command::new(super::server());
    let mut session = Session::with_person(&project, &mut command, &json!({"roots": {}}), &[]);
    session.roots = vec![uri(&project, "work/other")];
    works_in(&mut session, &project, "");
    assert_eq!(session.asked_for_roots, 0);
}
