//! Real specifications, called: Prism makes a server of each, and validates every request to it
//! and every response of it.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, Run, install};
use serde_json::{Map, Value, json};

use super::cache;
use super::specifications::{LIMIT, SPECIFICATIONS, Specification};
use crate::mcp::session::Session;
use crate::{repository, run};

const PACKAGES: [&str; 2] = ["@stoplight/prism-cli@5.16.0", "json-schema-faker@0.5.9"];
/// The number of operations of GitHub that are called.
const OPERATIONS: usize = 300;

/// A running Prism.
struct Prism {
    child: Child,
    log: PathBuf,
}

impl Prism {
    fn start(packages: &Path, project: &Project, port: u16) -> Self {
        let log = project.root().join("prism.log");
        let child = Command::new("node")
            .arg(packages.join("node_modules/@stoplight/prism-cli/dist/index.js"))
            .args(["mock", "--errors", "--port", &port.to_string(), "api.json"])
            .current_dir(project.root())
            .stdout(File::create(&log).expect("a log"))
            .spawn()
            .expect("node");
        let mut prism = Self { child, log };
        let end = Instant::now() + LIMIT;
        while !prism.log().contains("is listening") {
            let ended = prism.child.try_wait().expect("our child");
            assert!(ended.is_none() && Instant::now() < end, "{}", prism.log());
            std::thread::sleep(Duration::from_millis(200));
        }
        prism
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("a log")
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Adds what `value` refers to in `root` to `found`, and what that refers to.
fn referred(value: &Value, root: &Value, found: &mut Map<String, Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| referred(item, root, found)),
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            if let Some(target) = target.and_then(|it| it.strip_prefix('#'))
                && let Some(value) = root.pointer(target)
                && !found.contains_key(target)
            {
                found.insert(target.to_owned(), value.clone());
                referred(value, root, found);
            }
            members
                .values()
                .for_each(|item| referred(item, root, found));
        }
        _ => {}
    }
}

/// The first paths of `root`, with `count` operations or a few more, and what they refer to.
fn first(root: &Value, count: usize) -> Value {
    let mut paths = Map::new();
    let mut operations = 0;
    for (path, item) in root["paths"].as_object().expect("paths") {
        if operations < count {
            let members = item.as_object().expect("an item").keys();
            operations += members.filter(|key| *key != "parameters").count();
            paths.insert(path.clone(), item.clone());
        }
    }
    let paths = Value::Object(paths);
    let mut found = Map::new();
    referred(&paths, root, &mut found);
    let mut components = json!({"securitySchemes": root["components"]["securitySchemes"]});
    for (target, value) in found {
        let parts: Vec<&str> = target.split('/').collect();
        components[parts[2]][parts[3]] = value;
    }
    json!({"openapi": root["openapi"], "info": root["info"], "paths": paths, "components": components})
}

/// A project with the specification as a source, whose server listens at `port`.
fn project(root: &Value, port: u16) -> Project {
    let schemes = root["components"].get("securitySchemes");
    let schemes = schemes.or(root.get("securityDefinitions"));
    let auth: Map<String, Value> = schemes
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, scheme)| {
            let value = json!({"env": "TOKEN"});
            let is_basic = scheme["scheme"] == "basic";
            let auth = if is_basic {
                json!({"user": "me", "password": value})
            } else {
                value
            };
            (name.clone(), auth)
        })
        .collect();
    let host = format!("127.0.0.1:{port}");
    let source = json!({
        "file": "api.json", "server": format!("http://{host}"), "hosts": [host], "auth": auth,
    });
    let config = json!({"tool_sources": [{"openapi": source}]});
    let project = Project::new();
    project
        .file("api.json", root.to_string())
        .file(".cogtoolrc.yaml", config.to_string())
        .file(".env", "TOKEN=t0ken\n")
        .file("text", "text");
    project
}

#[test]
fn prism_takes_the_requests_of_github() {
    let specification = SPECIFICATIONS.iter().find(|it| it.name == "github");
    let text = specification.map(Specification::text).expect("one of them");
    let root: Value = serde_json::from_str(&text).expect("JSON");
    let root = first(&root, OPERATIONS);
    let packages = install::npm(&cache(), "prism-npm-1", &PACKAGES);
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    let port = listener.expect("a port").port();
    let project = project(&root, port);
    let discover = run("cogtools-discover", &project).args(["--format", "mcp"]);
    let calls: Vec<Value> = Run::new("/usr/bin/env")
        .project(&project)
        .arg("node")
        .arg(repository().join("tests/sdk/arguments.mjs"))
        .arg(&packages)
        .stdin(discover.limit(LIMIT).run().stdout)
        .limit(LIMIT)
        .run()
        .json()
        .as_array()
        .cloned()
        .expect("a list");
    let prism = Prism::start(&packages, &project, port);
    let mut session = Session::open(&project);
    let mut failed = Vec::new();
    let mut sent = Vec::new();
    for call in &calls {
        let id = session.call(call[0].as_str().expect("a name"), &call[1]);
        let (text, is_error) = session.text(id);
        if is_error && !text.contains(": HTTP ") {
            failed.push(format!("{call}\n{text}"));
        } else {
            sent.push(call);
        }
    }
    // Prism logs after it has responded; the calls are one after the other.
    let end = Instant::now() + LIMIT;
    let mut log = prism.log();
    while !log.ends_with(&prism.log()) || log.matches("Request received").count() < sent.len() {
        assert!(Instant::now() < end, "{}", failed.join("\n"));
        log = prism.log();
        std::thread::sleep(Duration::from_millis(500));
    }
    let requests: Vec<&str> = log.split("Request received").skip(1).collect();
    assert_eq!(requests.len(), sent.len(), "{}", failed.join("\n"));
    for (call, said) in sent.iter().zip(&requests) {
        // Many an example of a response in a specification is not as its schema says.
        if !said.contains("The request passed the validation")
            || said.contains("Violation: request")
        {
            failed.push(format!("{call}\n{said}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(calls.len(), OPERATIONS + 1);
}
