//! Logins to servers that lie, and at authorization servers that do: none gives a token, and what
//! they point to is not asked.

use std::path::PathBuf;

use cogtools_test_support::{Outcome, Project, Status};
use serde_json::{Value, json};

use super::login::{DONE, Login, logins, project};
use super::peer::{Site, peer};

/// The login to a server that lies as `how` says: what it prints, and what was asked.
fn lie(how: &str) -> (Outcome, String, Site) {
    let peers = Project::new();
    let site = Site::start(&peers, "python3", [peer("lying.py")]);
    let project = project(&format!("{}/{how}", site.url));
    let run = crate::run("cogtools-mcp-client", &project);
    let run = run.limit(std::time::Duration::from_secs(60));
    let outcome = run.args(["login", "s"]).run();
    let asked = peers.read("asked").replace(&site.url, "HERE");
    assert_eq!(logins(&project), Vec::<PathBuf>::new(), "{how}");
    (outcome, asked, site)
}

#[test]
fn what_a_lying_server_points_to_is_not_asked() {
    let challenge = |how: &str| format!("/{how} -\n");
    let metadata = |how: &str| {
        let first = challenge(how);
        format!("{first}/.well-known/oauth-protected-resource/{how}\n")
    };
    let authority = |how: &str| {
        let first = metadata(how);
        format!("{first}/.well-known/oauth-authorization-server/{how}\n")
    };
    let suspicious = "hint: do not trust it before its operator has explained this\n";
    let refused = |why: &str, hint: &str| {
        format!(
            "cogtools-mcp-client: error[TOOL_FAILED]: cannot log in to the MCP server `s`: {why}\n{hint}"
        )
    };
    let unavailable = |why: &str| {
        format!(
            "cogtools-mcp-client: error[UNAVAILABLE]: cannot log in to the MCP server `s`: {why}\n"
        )
    };
    let table = [
        (
            "elsewhere",
            1,
            refused(
                "`ELSEWHERE/.well-known/oauth-protected-resource/elsewhere` is where the server \
                 has its metadata, but it is another server",
                suspicious,
            ),
            challenge("elsewhere"),
        ),
        (
            "file",
            1,
            refused("`file:///etc/passwd` is not an https:// URL", suspicious),
            challenge("file"),
        ),
        (
            "large",
            69,
            unavailable("`ADDRESS` sent a response larger than 262144 bytes"),
            metadata("large"),
        ),
        (
            "leads",
            69,
            unavailable("`ADDRESS` responded with HTTP 302 Found, a redirect to `ELSEWHERE`"),
            metadata("leads"),
        ),
        (
            "resource",
            1,
            refused(
                "the metadata is of `HERE/other`, which is another server",
                suspicious,
            ),
            metadata("resource"),
        ),
        (
            "issuer-file",
            1,
            refused("`file:///etc` is not an https:// URL", suspicious),
            metadata("issuer-file"),
        ),
        (
            "issuer-plain",
            1,
            refused(
                "`http://auth.example/` is reached over http, so anyone on the network could read it",
                suspicious,
            ),
            metadata("issuer-plain"),
        ),
        (
            "alone",
            1,
            refused(
                "the server names no authorization server",
                "hint: it may not use OAuth: pass a token in `headers` of the source\n",
            ),
            metadata("alone"),
        ),
        (
            "issuer",
            1,
            refused(
                "the metadata of the authorization server `HERE/issuer` is of `HERE/another`",
                suspicious,
            ),
            authority("issuer"),
        ),
        (
            "plain",
            1,
            refused(
                "the authorization server `HERE/plain` does not support PKCE with S256",
                suspicious,
            ),
            authority("plain"),
        ),
        (
            "nothing",
            1,
            refused(
                "the authorization server `HERE/nothing` does not support PKCE with S256",
                suspicious,
            ),
            authority("nothing"),
        ),
        (
            "closed",
            1,
            refused(
                "the authorization server `HERE/closed` does not register clients by itself",
                "hint: register a client with its operator, and pass it with --client-id\n",
            ),
            authority("closed"),
        ),
        (
            "script",
            1,
            refused("`javascript:alert(1)` is not an https:// URL", suspicious),
            authority("script"),
        ),
    ];
    for (how, status, diagnostic, expected) in table {
        let (outcome, asked, site) = lie(how);
        let address = site.url.trim_start_matches("http://");
        let elsewhere = site.url.replace("127.0.0.1", "localhost");
        let diagnostic = diagnostic
            .replace("ELSEWHERE", &elsewhere)
            .replace("HERE", &site.url)
            .replace("ADDRESS", address);
        outcome.fails(status, diagnostic);
        assert_eq!(asked, expected, "{how}");
    }
}

#[test]
fn a_redirect_that_never_ends_is_left() {
    let (outcome, asked, _site) = lie("loops");
    assert_eq!(outcome.status, Status::Exit(69), "{outcome:?}");
    assert_eq!(asked.lines().count(), 7, "{asked}");
}

#[test]
fn a_slow_server_is_left() {
    let (outcome, _, site) = lie("slow");
    let host = site.url.trim_start_matches("http://").split(':').next();
    outcome.fails(
        69,
        format!(
            "cogtools-mcp-client: error[UNAVAILABLE]: cannot log in to the MCP server `s`: `{}` sent \
             nothing for 20s\n",
            host.unwrap_or_default()
        ),
    );
}

/// The answer of an authorization server that lies as `how` says, and what the user sees.
#[track_caller]
fn answer(how: &str, page: &str, expected: Option<(i32, &str)>) {
    let peers = Project::new();
    let site = Site::start(&peers, "python3", [peer("lying.py")]);
    let project = project(&format!("{}/{how}", site.url));
    let mut login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), page, "{how}");
    let Some((status, why)) = expected else {
        // It goes on waiting for the answer.
        assert!(login.child.try_wait().expect("it is ours").is_none());
        login.child.kill().expect("it is ours");
        assert_eq!(logins(&project), Vec::<PathBuf>::new());
        return;
    };
    let (ended, said, errors) = login.end();
    let diagnostic = format!("cogtools-mcp-client: error{why}\n");
    assert_eq!(
        (ended, said, errors),
        (Some(status), String::new(), diagnostic),
        "{how}"
    );
    assert_eq!(logins(&project), Vec::<PathBuf>::new());
    let exchanged = format!("/{how}/token -");
    let is_exchanged = peers.read("asked").lines().any(|line| line == exchanged);
    assert_eq!(is_exchanged, ["moves", "kind", "breaks"].contains(&how));
}

#[test]
fn answers_that_lie_give_no_token() {
    let failed = "cannot log in to the MCP server `s`: ";
    let stale = "This is not the answer to the login that cogtools waits for.\n";
    answer("state", &format!("400 {stale}"), None);
    let issuer = format!(
        "[TOOL_FAILED]: {failed}the answer is not of the authorization server that was asked\n\
         hint: log in again, and use the newest URL only"
    );
    for how in ["answers", "silent"] {
        answer(how, DONE, Some((1, &issuer)));
    }
    let why = format!(
        "[DENIED]: {failed}the authorization server rejected the login: access_denied: no[31m"
    );
    answer("refuses", DONE, Some((77, &why)));
    let why = format!(
        "[TOOL_FAILED]: {failed}the authorization server gave no token: it is not a bearer token"
    );
    answer("kind", DONE, Some((1, &why)));
    let why = format!(
        "[TOOL_FAILED]: {failed}the authorization server gave no token: it is not a valid token"
    );
    answer("breaks", DONE, Some((1, &why)));
}

#[test]
fn a_token_exchange_is_not_redirected() {
    let peers = Project::new();
    let site = Site::start(&peers, "python3", [peer("lying.py")]);
    let project = project(&format!("{}/moves", site.url));
    let login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), DONE);
    let address = site.url.trim_start_matches("http://");
    let expected = format!(
        "cogtools-mcp-client: error[UNAVAILABLE]: cannot log in to the MCP server `s`: `{address}` \
         responded with HTTP 307 Temporary Redirect, a redirect to `http://127.0.0.1:1/token`\n"
    );
    assert_eq!(login.end(), (Some(69), String::new(), expected));
}

#[test]
fn a_server_that_repeats_the_token_does_not_show_it() {
    let peers = Project::new();
    let site = Site::start(&peers, "python3", [peer("lying.py")]);
    let url = format!("{}/repeats", site.url);
    let project = project(&url);
    let login = Login::start(&project, &["s"]);
    assert_eq!(login.open(), DONE);
    assert_eq!(login.end().0, Some(0));
    let server: Value = json!({"url": url, "name": "s"});
    let run = crate::run("cogtools-mcp-client", &project);
    let run = run.args(["discover", "--server", &server.to_string()]);
    run.run().fails(
        1,
        "cogtools-mcp-client: error[TOOL_FAILED]: the MCP server `s` rejected `initialize`: I do \
         not know Bearer ***\n",
    );
}
