//! A server behind a proxy that the user's environment names.

use cogtools_test_support::{Outcome, Project};

use super::peer::Site;
use super::source::{NONE, project, with};
use super::web::source;

/// Discovery of a server that only a proxy knows, with these variables.
fn discover(project: &Project, vars: &[(&str, &str)]) -> Outcome {
    let run = with(
        "cogtools-discover",
        project,
        &[source("http://mcp.example/400")],
    );
    let run = vars
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value));
    run.run()
}

/// The port of a server, with the proof of a user in front of it.
fn through(site: &Site) -> String {
    site.url.replace("://", "://user:passw0rd@")
}

#[test]
fn a_proxy_is_used_with_its_password() {
    let project = project();
    let site = Site::strict(&project, &[]);
    let rejected = "cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` rejected \
                    `initialize`: HTTP 400 Bad Request\n";
    discover(&project, &[("http_proxy", &through(&site))]).expect(
        0,
        format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"),
        rejected,
    );
    // The newer era is tried after the older one.
    let asked = "400 with nothing, Basic dXNlcjpwYXNzdzByZA==\n";
    assert_eq!(project.read("asked"), asked.repeat(2));
}

#[test]
fn a_proxy_that_is_absent_is_named_without_its_password() {
    let project = project();
    // A port that was free a moment ago.
    let url = through(&Site::strict(&project, &[]));
    let host = url.rsplit('@').next().unwrap_or_default();
    discover(&project, &[("ALL_PROXY", &url)]).expect(
        0,
        format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"),
        format!(
            "cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` cannot be reached through \
             the proxy `{host}`: it cannot be reached: tcp connect error: Connection refused (os \
             error 111)\nhint: check the environment variables HTTPS_PROXY, http_proxy and \
             ALL_PROXY, or list the host in NO_PROXY\n"
        ),
    );
}

#[test]
fn a_project_does_not_choose_a_proxy() {
    let project = project();
    let site = Site::strict(&project, &[]);
    let proxy = through(&site);
    project.file(".env", format!("http_proxy={proxy}\nALL_PROXY={proxy}\n"));
    let outcome = discover(&project, &[]);
    assert!(!project.path("asked").exists(), "{outcome:?}");
}
