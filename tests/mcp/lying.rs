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
    let run = run.limit(std::time::Duration::from_mins(1));
    let outcome = run.args(["login", "s"]).run();
    let asked = peers.read("asked").replace(&site.url, "HERE");
    assert_eq!(logins(&project), Vec::<PathBuf>::new(), "{how}");
    (outcome, asked, site)
}

/// The last step of a login: the last thing that is asked.
#[derive(Clone, Copy)]
enum Asked {
    Server,
    Metadata,
    Authority,
}

/// A server that lies: in which way, how far a login to it gets, why it ends, and the hint.
type Lie = (&'static str, Asked, &'static str, &'static str);

const SUSPICIOUS: &str = "do not trust it before its operator has explained this";
const LIES: [Lie; 11] = [
    (
        "elsewhere",
        Asked::Server,
        "`ELSEWHERE/.well-known/oauth-protected-resource/elsewhere` is where the server has its \
         metadata, but it is another server",
        SUSPICIOUS,
    ),
    (
        "file",
        Asked::Server,
        "`file:///etc/passwd` is not an https:// URL",
        SUSPICIOUS,
    ),
    (
        "resource",
        Asked::Metadata,
        "the metadata is of `HERE/other`, which is another server",
        SUSPICIOUS,
    ),
    (
        "issuer-file",
        Asked::Metadata,
        "`file:///etc` is not an https:// URL",
        SUSPICIOUS,
    ),
    (
        "issuer-plain",
        Asked::Metadata,
        "`http://auth.example/` is reached over http, so anyone on the network could read it",
        SUSPICIOUS,
    ),
    (
        "alone",
        Asked::Metadata,
        "the server names no authorization server",
        "it may not use OAuth: pass a token in `headers` of the source",
    ),
    (
        "issuer",
        Asked::Authority,
        "the metadata of the authorization server `HERE/issuer` is of `HERE/another`",
        SUSPICIOUS,
    ),
    (
        "plain",
        Asked::Authority,
        "the authorization server `HERE/plain` does not support PKCE with S256",
        SUSPICIOUS,
    ),
    (
        "nothing",
        Asked::Authority,
        "the authorization server `HERE/nothing` does not support PKCE with S256",
        SUSPICIOUS,
    ),
    (
        "closed",
        Asked::Authority,
        "the authorization server `HERE/closed` does not register clients by itself",
        "register a client with its operator, and pass it with --client-id",
    ),
    (
        "script",
        Asked::Authority,
        "`javascript:alert(1)` is not an https:// URL",
        SUSPICIOUS,
    ),
];

/// Servers that are no use: in which way, how far a login gets, and why it ends.
const USELESS: [(&str, Asked, &str); 2] = [
    (
        "large",
        Asked::Metadata,
        "`ADDRESS` sent a response larger than 262144 bytes",
    ),
    (
        "leads",
        Asked::Metadata,
        "`ADDRESS` responded with HTTP 302 Found, a redirect to `ELSEWHERE`",
    ),
];

/// The start of the message that a login failed.
const FAILED: &str = "cannot log in to the MCP server `s`: ";

impl Asked {
    /// The requests of a login to the server that lies as `how` says.
    fn requests(self, how: &str) -> String {
        let metadata = "/.well-known/oauth-protected-resource";
        let authority = "/.well-known/oauth-authorization-server";
        match self {
            Self::Server => format!("/{how} -\n"),
            Self::Metadata => format!("/{how} -\n{metadata}/{how}\n"),
            Self::Authority => format!("/{how} -\n{metadata}/{how}\n{authority}/{how}\n"),
        }
    }
}

/// `text` with the addresses of `site`.
fn placed(text: &str, site: &Site) -> String {
    text.replace("ELSEWHERE", &site.url.replace("127.0.0.1", "localhost"))
        .replace("HERE", &site.url)
        .replace("ADDRESS", site.url.trim_start_matches("http://"))
}

#[test]
fn what_a_lying_server_points_to_is_not_asked() {
    for (how, last, why, hint) in LIES {
        let (outcome, asked, site) = lie(how);
        let why = placed(why, &site);
        let line =
            format!("cogtools-mcp-client: error[TOOL_FAILED]: {FAILED}{why}\nhint: {hint}\n");
        outcome.fails(1, line);
        assert_eq!(asked, last.requests(how), "{how}");
    }
}

#[test]
fn a_server_that_is_no_use_is_left() {
    for (how, last, why) in USELESS {
        let (outcome, asked, site) = lie(how);
        let why = placed(why, &site);
        outcome.fails(
            69,
            format!("cogtools-mcp-client: error[UNAVAILABLE]: {FAILED}{why}\n"),
        );
        assert_eq!(asked, last.requests(how), "{how}");
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
