//! The daemon: hosts get what a process of their own would give them, and share what is shared.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::{Value, json};

use super::living::{count, living, names, wait_for_log};
use super::session::{Session, gone, signal};
use super::{cache, server};

/// The status of a client whose daemon has gone.
const IO_FAILED: i32 = 74;

/// Where sockets are.
fn runtime(project: &Project) -> PathBuf {
    let folder = project.home().join("run");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The command of a host, with more variables and options.
fn command(project: &Project, variables: &[&str], options: &[&str]) -> Command {
    let mut command = Command::new("/usr/bin/env");
    let runtime = runtime(project);
    command.arg(format!("XDG_RUNTIME_DIR={}", runtime.display()));
    command.args(variables).arg(server()).args(options);
    command
}

/// A host whose daemon ends two seconds after the last one.
fn host(project: &Project) -> Session {
    host_with(project, &[])
}

fn host_with(project: &Project, variables: &[&str]) -> Session {
    Session::start(project, &mut command(project, variables, &["--daemon=2"]))
}

/// The processes of daemons.
fn daemons(project: &Project) -> Vec<u32> {
    let mut ps = Command::new("/bin/ps");
    let listed = ps.args(["-eo", "pid=,stat=,args="]).output();
    let listed = String::from_utf8(listed.expect("there is `ps`").stdout).expect("text");
    let socket = format!("daemon {}/", runtime(project).display());
    let lines = listed.lines().filter(|line| line.contains(&socket));
    let mut fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut pids = Vec::new();
    while let Some([pid, state, ..]) = fields.next().as_deref() {
        if !state.starts_with('Z') {
            pids.push(pid.parse().expect("a number"));
        }
    }
    pids
}

/// The only daemon.
#[track_caller]
fn daemon(project: &Project) -> u32 {
    let all = daemons(project);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
}

/// The files of the folder of sockets.
fn files(project: &Project) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(runtime(project).join("cogtools/mcp"));
    let entries = entries.into_iter().flatten();
    let mut files: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
    files.sort();
    files
}

fn sockets(project: &Project) -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| path.extension().is_none();
    files(project).into_iter().filter(is_socket).collect()
}

#[test]
fn each_host_has_its_own_sessions() {
    let project = living(&json!({}));
    let mut hosts = [host(&project), host(&project), host(&project)];
    let mut processes = Vec::new();
    for session in &mut hosts {
        assert_eq!(names(session), ["count", "dies", "more", "wait", "ok"]);
        let (first, process) = count(session);
        assert_eq!(first, "count 1");
        assert!(!processes.contains(&process));
        processes.push(process);
    }
    let id = daemon(&project);
    // One that leaves takes its own with it, and no other.
    hosts[0].hang_up();
    assert_eq!(hosts[0].end(), 0);
    gone(processes[0]);
    assert_eq!(count(&mut hosts[1]), ("count 2".to_owned(), processes[1]));
    hosts[2].signal("KILL");
    gone(processes[2]);
    assert_eq!(count(&mut hosts[1]), ("count 3".to_owned(), processes[1]));
    hosts[1].hang_up();
    assert_eq!(hosts[1].end(), 0);
    gone(id);
    assert!(sockets(&project).is_empty());
    // The next one starts another.
    assert_eq!(count(&mut host(&project)).0, "count 1");
}

#[test]
fn a_shared_source_runs_once() {
    let project = living(&json!({"shared": true}));
    let mut hosts = [host(&project), host(&project), host(&project)];
    let counted: Vec<_> = hosts.iter_mut().map(count).collect();
    let process = counted[0].1;
    for (index, (text, of)) in counted.into_iter().enumerate() {
        assert_eq!((text, of), (format!("count {}", index + 1), process));
    }
    wait_for_log(&project, "starts\n");
    // What it declares anew reaches all.
    let more = hosts[0].call("more", &json!({}));
    assert!(!hosts[0].text(more).1);
    for session in &mut hosts {
        session.wait_for_change();
        assert!(names(session).contains(&"new".to_owned()));
    }
    // It stays without a host, as long as the daemon does.
    for session in &mut hosts {
        session.hang_up();
        session.end();
    }
    assert_eq!(count(&mut host(&project)), ("count 5".to_owned(), process));
    gone(daemon(&project));
    wait_for_log(&project, "starts\nends\n");
}

#[test]
fn a_changed_source_is_another() {
    let project = living(&json!({"shared": true}));
    let (mut one, mut other) = (host(&project), host(&project));
    let (_, before) = count(&mut one);
    assert_eq!(count(&mut other).1, before);
    let file = project.home().join(".gemini/cogtoolrc.yaml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    std::fs::write(&file, text.replace(r#""0""#, r#""0.01""#)).expect("a file");
    let (text, after) = count(&mut one);
    assert_ne!(after, before);
    assert_eq!((text, count(&mut other).1), ("count 1".to_owned(), after));
    gone(before);
}

#[test]
fn other_values_of_variables_have_another_session() {
    let project = living(&json!({"shared": true, "env": ["ACCOUNT"]}));
    let mut one = host_with(&project, &["ACCOUNT=one"]);
    let mut two = host_with(&project, &["ACCOUNT=two"]);
    let mut again = host_with(&project, &["ACCOUNT=one", "UNRELATED=1"]);
    let (_, first) = count(&mut one);
    let (text, second) = count(&mut two);
    assert_eq!(text, "count 1");
    assert_ne!(second, first);
    assert_eq!(count(&mut again), ("count 2".to_owned(), first));
    daemon(&project);
}

#[test]
fn a_killed_daemon_ends_its_hosts_and_is_replaced() {
    let project = living(&json!({"shared": true}));
    let mut session = host(&project);
    let (_, process) = count(&mut session);
    let first = daemon(&project);
    assert!(signal(first, "KILL"));
    assert_eq!(session.end(), IO_FAILED);
    gone(process);
    assert_eq!(sockets(&project).len(), 1, "nobody could remove it");
    let (text, other) = count(&mut host(&project));
    assert_eq!(text, "count 1");
    assert_ne!(other, process);
    assert_ne!(daemon(&project), first);
}

#[test]
fn a_signal_ends_all() {
    let project = living(&json!({"shared": true}));
    let mut hosts = [host(&project), host(&project)];
    let (_, process) = count(&mut hosts[0]);
    let daemon = daemon(&project);
    assert!(signal(daemon, "TERM"));
    for session in &mut hosts {
        assert_eq!(session.end(), 143);
    }
    gone(process);
    gone(daemon);
    assert!(sockets(&project).is_empty());
    wait_for_log(&project, "starts\nends\n");
}

#[test]
fn hosts_that_start_at_once_have_one() {
    let project = living(&json!({"shared": true}));
    let processes: Vec<u32> = std::thread::scope(|scope| {
        let start = || count(&mut host(&project)).1;
        let all: Vec<_> = (0..6).map(|_| scope.spawn(start)).collect();
        let all = all.into_iter().map(|it| it.join().expect("it counts"));
        all.collect()
    });
    assert!(
        processes.iter().all(|it| *it == processes[0]),
        "{processes:?}"
    );
    daemon(&project);
}

/// Calls a tool without a daemon; returns standard error.
#[track_caller]
fn alone(project: &Project) -> String {
    let message = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let call = json!({"name": "ok", "arguments": {}});
    let lines = [
        message(1, "initialize", client),
        message(2, "tools/call", call),
    ];
    let mut command = command(project, &[], &["--daemon=2", "--verbose"]);
    command
        .env_clear()
        .env("HOME", project.home())
        .current_dir(project.root());
    let pipes = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
    let [stdin, stdout, stderr] = pipes;
    let mut child = command
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all((lines.join("\n") + "\n").as_bytes())
        .expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(stdout.contains(r#""id":2,"result":{"content""#), "{stdout}");
    assert_eq!(daemons(project), [0; 0]);
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_folder_of_others_is_not_used() {
    let project = super::source::project();
    let folder = runtime(&project).join("cogtools");
    let elsewhere = project.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    symlink(&elsewhere, &folder).expect("a link");
    let reason = "the daemon does not serve this client: no private folder for its socket: ";
    let note = alone(&project);
    assert!(note.contains(reason), "{note}");
    std::fs::remove_file(&folder).expect("it is there");
    std::fs::create_dir_all(folder.join("mcp")).expect("a folder");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("mcp"), open).expect("it is ours");
    assert!(alone(&project).contains("cogtools/mcp` is not private"));
    assert!(files(&project).is_empty());
}

/// Sends a first line to the daemon; returns its answer up to the first frame.
fn greet(project: &Project, hello: &Value) -> Vec<u8> {
    let socket = sockets(project);
    let mut stream = UnixStream::connect(&socket[0]).expect("it listens");
    let timeout = Some(Duration::from_secs(20));
    stream.set_read_timeout(timeout).expect("a socket");
    let _ = writeln!(stream, "{hello}");
    let mut answer = [0; 5];
    let count = stream.read(&mut answer).unwrap_or(0);
    answer[..count].to_vec()
}

#[test]
fn strangers_are_not_served() {
    let project = super::source::project();
    let mut session = host(&project);
    assert!(names(&mut session).contains(&"ok".to_owned()));
    let all = files(&project);
    let modes = all
        .iter()
        .map(|path| path.metadata().expect("a file").permissions().mode());
    assert!(modes.into_iter().all(|mode| mode & 0o777 == 0o600));
    let lock = all
        .iter()
        .find(|path| path.extension().is_some())
        .expect("a lock");
    let token = std::fs::read_to_string(lock).expect("ours");
    let text = |text: &str| json!({"Unix": text.as_bytes()});
    let variable = |name: &str, value: &str| json!([text(name), text(value)]);
    let home = project.home().display().to_string();
    let runtime = runtime(&project).display().to_string();
    let hello = |token: &str, home: &str| {
        json!({
            "token": token, "arguments": [], "directory": text("/"),
            "variables": [variable("HOME", home), variable("XDG_RUNTIME_DIR", &runtime)],
        })
    };
    assert_eq!(greet(&project, &hello(&token, &home)), [1, 0, 0, 0, 0]);
    let nothing: [u8; 0] = [];
    assert_eq!(greet(&project, &hello("", &home)), nothing);
    // Approvals of another home would be approvals of whoever wrote them.
    assert_eq!(greet(&project, &hello(&token, "/tmp")), nothing);
    assert_eq!(greet(&project, &json!("GET / HTTP/1.1")), nothing);
    // Neither has done anything to the others.
    assert!(names(&mut session).contains(&"ok".to_owned()));
}

#[test]
fn options_and_failures_are_those_of_the_host() {
    let project = super::project();
    let mut few = command(
        &project,
        &[],
        &["--daemon=2", "--tools", "sum", "--api=openai"],
    );
    let mut few = Session::start(&project, &mut few);
    assert_eq!(names(&mut few), ["sum"]);
    assert_eq!(names(&mut host(&project)), ["greet", "sum"]);
    project.file(".cogtoolrc.yaml", "hosts: [\n");
    let run = |options: &[&str]| {
        let folder = format!("XDG_RUNTIME_DIR={}", runtime(&project).display());
        let run = Run::new("/usr/bin/env").arg(folder).arg(server());
        let run = run.args(options.iter().copied()).cwd(project.root());
        let outcome = run.home(project.home()).stdin("").run();
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (outcome.status, text(outcome.stdout), text(outcome.stderr))
    };
    let alone = run(&["--error-format=json"]);
    assert!(alone.2.contains("INVALID"), "{alone:?}");
    assert_eq!(run(&["--error-format=json", "--daemon=2"]), alone);
}

/// Three hosts at once on a server that remembers, and on one with state in each session.
#[test]
fn real_servers_mix_nothing() {
    let programs = cache().join("mcp-servers-15-1/node_modules/.bin");
    if !programs.exists() {
        return;
    }
    let node = install::node(&cache()).join("node");
    let project = Project::new();
    let home = project.home();
    let memory = |name: &str, shared: bool| {
        // Each process of its own has its own file.
        let script = r#"MEMORY_FILE_PATH=$0-$$ exec "$@""#;
        let file = home.join(name);
        let program = programs.join("mcp-server-memory");
        json!({"mcp": {
            "command": ["sh", "-c", script, file, node, program],
            "name": name, "prefix": format!("{name}_"), "wait": 30, "shared": shared,
        }})
    };
    let sources = json!({"tool_sources": [memory("own", false), memory("all", true)]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut hosts = [host(&project), host(&project), host(&project)];
    let entity =
        |name: &str| json!({"entities": [{"name": name, "entityType": "t", "observations": []}]});
    for (session, name) in hosts.iter_mut().zip(["one", "two", "three"]) {
        for tool in ["own_create_entities", "all_create_entities"] {
            let created = session.call(tool, &entity(name));
            assert!(!session.text(created).1);
        }
    }
    let read = |session: &mut Session, tool: &str| -> Vec<String> {
        let id = session.call(tool, &json!({}));
        let graph: Value = serde_json::from_str(&session.text(id).0).expect("a graph");
        let entities = graph["entities"].as_array().expect("entities").clone();
        let name = |it: Value| it["name"].as_str().expect("a name").to_owned();
        entities.into_iter().map(name).collect()
    };
    for (session, name) in hosts.iter_mut().zip(["one", "two", "three"]) {
        assert_eq!(read(session, "own_read_graph"), [name]);
        assert_eq!(read(session, "all_read_graph"), ["one", "two", "three"]);
    }
    let of = |name: &str| {
        let names = std::fs::read_dir(&home).expect("a home");
        let names = names.map(|it| {
            it.expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        });
        names.filter(|it| it.starts_with(name)).count()
    };
    assert_eq!((of("own-"), of("all-")), (3, 1));
}
