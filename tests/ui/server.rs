//! A running web view, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use cogtools_test_support::Project;

/// A web view, ended when it is dropped.
pub(crate) struct Server {
    child: Child,
    /// The printed URL, with its token.
    pub(crate) url: String,
    pub(crate) address: String,
    /// The secret path of its pages, once the token is exchanged.
    base: OnceLock<String>,
}

/// The answer of the server.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Server {
    pub(crate) fn start(project: &Project, args: &[&str]) -> Self {
        Self::start_with(project, args, &[])
    }

    /// Starts the server with these variables.
    pub(crate) fn start_with(project: &Project, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut child = Command::new(crate::programs().join("cogtools-ui"))
            .args(args)
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .env("PATH", "/usr/bin:/bin")
            .envs(vars.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("it prints its URL");
        let url = url.trim_end().to_owned();
        let rest = url.strip_prefix("http://").expect("a URL");
        let (address, _) = rest.split_once("/?token=").expect("a token");
        let address = address.to_owned();
        Self {
            child,
            url,
            address,
            base: OnceLock::new(),
        }
    }

    /// The token of the printed URL.
    pub(crate) fn token(&self) -> &str {
        self.url.split_once("token=").map_or("", |(_, token)| token)
    }

    /// A request as it is, with `Host` unless `headers` has one.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let limit = Some(Duration::from_mins(1));
        stream.set_read_timeout(limit).expect("a limit");
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "host") {
            request.extend(["host: ", &self.address, "\r\n"]);
        }
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.extend(["\r\n", body]);
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Reply {
            status: status.unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// The secret path of its pages.
    pub(crate) fn base(&self) -> &str {
        self.base.get().map_or("", String::as_str)
    }

    /// The path of a page; scripts and styles are no secret.
    pub(crate) fn below(&self, path: &str) -> String {
        let base = self.base();
        if path.starts_with("/assets/") {
            path.to_owned()
        } else {
            format!("{base}{path}")
        }
    }

    /// The first `count` events of a stream, each with its `id` or its name, and its `data`.
    pub(crate) fn events(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        count: usize,
    ) -> Vec<(String, String)> {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).expect("a limit");
        let path = self.below(path);
        let mut request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut events = Vec::new();
        let mut id = String::new();
        for line in BufReader::new(stream).lines() {
            let line = line.expect("an event");
            let found = line.strip_prefix("id: ");
            if let Some(found) = found.or_else(|| line.strip_prefix("event: ")) {
                found.clone_into(&mut id);
            } else if let Some(data) = line.strip_prefix("data: ") {
                events.push((std::mem::take(&mut id), data.to_owned()));
            }
            if events.len() == count {
                break;
            }
        }
        events
    }

    /// The cookie that the token is exchanged for.
    pub(crate) fn cookie(&self) -> String {
        let path = format!("/?token={}", self.token());
        let reply = self.send("GET", &path, &[], "");
        assert_eq!(reply.status, 303, "{reply:?}");
        let location = reply.header("location").expect("a location");
        let base = location.strip_suffix('/').expect("a folder");
        let cookie = reply.header("set-cookie").expect("a cookie");
        let (cookie, rest) = cookie.split_once(';').expect("attributes");
        // Another server on this machine is not sent it, since it does not know the path.
        assert!(base.len() == 65 && self.base.set(base.to_owned()).is_ok());
        assert_eq!(rest, format!(" HttpOnly; SameSite=Strict; Path={base}"));
        cookie.to_owned()
    }

    /// A page, as a browser with `cookie` gets it.
    pub(crate) fn get(&self, cookie: &str, path: &str) -> Reply {
        self.send("GET", &self.below(path), &[("cookie", cookie)], "")
    }

    /// The data of a page, as its script sends it.
    pub(crate) fn post(&self, cookie: &str, path: &str, body: &str) -> Reply {
        let page = self.get(cookie, "/").body;
        let token = between(&page, "name=\"cogtools-token\" content=\"", "\"");
        let origin = format!("http://{}", self.address);
        let headers = [
            ("cookie", cookie),
            ("origin", &origin),
            ("x-cogtools-token", token),
            ("content-type", "application/json"),
        ];
        self.send("POST", &self.below(path), &headers, body)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has ended, and returns its status.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    /// The only header of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1);
        lines.find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// The text between two texts.
#[track_caller]
pub(crate) fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).map_or(rest, |(found, _)| found)
}

/// The text of a page: what is in its elements, on lines of about 80 characters.
pub(crate) fn text(page: &str) -> String {
    let main = between(page, "<main id=\"main\" tabindex=\"-1\">", "</main>");
    let mut text = String::new();
    let mut line = 0;
    for part in main.split('<') {
        let inside = part.split_once('>').map_or(part, |(_, inside)| inside);
        let words: Vec<&str> = inside.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let inside = words.join(" ");
        if line > 0 {
            text.push_str(if line > 80 { "\n" } else { " | " });
        }
        line = if line > 80 { 0 } else { line } + inside.len() + 3;
        text.push_str(&inside);
    }
    text.push('\n');
    text
}
