//! A server with TLS: when its certificate is trusted, and the error when it is not.

use cogtools_test_support::{Expected, Project, certificates, str};

use super::peer::Site;
use super::source::{NONE, project, with};
use super::web::source;

/// Writes an authority, and a server's certificate that it has signed for `name`:
/// the files ca.pem, server.pem and key.pem of the project.
pub(crate) fn certify(project: &Project, name: &str) {
    project
        .file("ca.pem", certificates::AUTHORITY)
        .file("server.pem", certificates::of(name))
        .file("key.pem", certificates::KEY);
}

/// The output of discovery, with or without the authority's certificate.
#[track_caller]
fn check(name: &str, authority: Option<&str>, tools: &str, stderr: impl Into<Expected>) {
    let project = project();
    certify(&project, name);
    let site = Site::strict(&project, &["server.pem", "key.pem"]);
    let run = with(
        "cogtools-discover",
        &project,
        &[source(&format!("{}/json", site.url))],
    );
    let run = match authority {
        Some(file) => run.env("SSL_CERT_FILE", project.path(file)),
        None => run,
    };
    run.run().expect(
        0,
        format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}{tools}\n]\n"),
        stderr,
    );
}

/// The tools of the server.
fn tools() -> String {
    let region = "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\"}}}";
    format!(
        ",\n{{\"name\":\"first\",\"description\":\"d\",{NONE},\n\
         {{\"name\":\"t\",\"description\":\"d\",\"parameters\":{region},\"parametersJsonSchema\":{region}}}"
    )
}

#[test]
fn a_custom_authority_is_trusted() {
    check("127.0.0.1", Some("ca.pem"), &tools(), "");
}

#[test]
fn an_untrusted_certificate_is_reported_with_a_hint() {
    let unknown = str![[r#"
cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` cannot be reached: its certificate is not signed by a trusted authority
hint: if the authority is your own, set the environment variable SSL_CERT_FILE to the file with its certificate

"#]];
    check("127.0.0.1", None, "", unknown);
    let name = str![[r#"
cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` cannot be reached: its certificate is invalid: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("elsewhere.example")
hint: report this to its operator, or fix `url` of the source

"#]];
    check("elsewhere.example", Some("ca.pem"), "", name);
    for (file, why) in [
        (
            "none.pem",
            "failed to read PEM from file: No such file or directory (os error 2) at '[ROOT]/none.pem'",
        ),
        ("key.pem", "none found"),
    ] {
        let none = format!(
            "cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` cannot be reached: no \
             root certificates can be read: {why}\nhint: if SSL_CERT_FILE is set, check the file \
             that it names; otherwise install the system's certificates (ca-certificates)\n"
        );
        check("127.0.0.1", Some(file), "", &none);
    }
}

#[test]
fn a_server_without_tls_is_reached_over_http() {
    let project = project();
    let site = Site::strict(&project, &[]);
    let url = site.url.replace("http:", "https:");
    let run = with("cogtools-discover", &project, &[source(&url)]);
    run.run().expect(
        0,
        format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"),
        str![[r#"
cogtools-discover: warning[TOOL_FAILED]: the MCP server `s` cannot be reached: it does not use TLS, which https:// requires
hint: check that it is running, and check `url` of the source

"#]],
    );
}
