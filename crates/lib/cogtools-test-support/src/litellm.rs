//! `LiteLLM`, a server with the API of `OpenAI`, in front of a fake Gemini API.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{FakeGemini, Project, install};

/// The server and what it imports; its extra `proxy` installs twice as much.
const PACKAGES: [&str; 17] = [
    "litellm==1.106.0",
    "apscheduler==3.11.3",
    "backoff==2.2.1",
    "cryptography==50.0.2",
    "expression==5.8.0",
    "fastapi==0.165.0",
    "fastapi-sso==0.23.0",
    "mcp==2.3.0",
    "orjson==3.13.0",
    "pyjwt==2.15.1",
    "python-multipart==0.0.34",
    "redis==8.1.0",
    "rich==15.0.0",
    "soundfile==0.14.0",
    "uvicorn==0.54.0",
    "uvloop==0.23.0",
    "websockets==17.4",
];

/// The time that the server may take until it answers; it imports a lot.
const LIMIT: Duration = Duration::from_mins(4);

/// A running server, ended when it is dropped.
#[derive(Debug)]
pub struct LiteLlm {
    child: Child,
    address: SocketAddr,
    /// Its configuration and its home.
    _project: Project,
}

impl LiteLlm {
    /// The name of its only model.
    pub const MODEL: &str = "fake";

    /// Installs the server below `cache` unless it is installed already, and starts it in
    /// front of `fake`.
    #[track_caller]
    pub fn start(cache: &Path, fake: &FakeGemini) -> Self {
        let python = install::python(cache, "litellm-1.106.0", &PACKAGES);
        let project = Project::new();
        let model = json!({
            "model_name": Self::MODEL,
            "litellm_params": {
                "model": "gemini/gemini-3-flash-preview",
                "api_key": "dummy",
                "api_base": format!("{}/v1beta", fake.url()),
                "num_retries": 0,
            },
        });
        let config = json!({
            "model_list": [model],
            "router_settings": { "num_retries": 0 },
            // It listens on this machine only, and spends nothing.
            "general_settings": { "dangerously_permit_weak_or_unset_master_key": true },
        });
        project.file("config.yaml", config.to_string());
        let log = project.path("log");
        let output = std::fs::File::create(&log).expect("a log");
        let address = free_address();
        let child = Command::new(&python)
            .args([
                "-m",
                "litellm.proxy.proxy_cli",
                "--config",
                "config.yaml",
                "--host",
                "127.0.0.1",
                "--port",
            ])
            .arg(address.port().to_string())
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // What a model costs would otherwise be fetched.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a log"))
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", python.display()));
        let mut server = Self {
            child,
            address,
            _project: project,
        };
        server.wait(&log);
        server
    }

    /// The base URL of its API, for clients of `OpenAI`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The status and the body of a request for a chat completion.
    #[track_caller]
    pub fn complete(&self, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let request = format!(
            "POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = send(self.address, &request, Duration::from_mins(1));
        answer.unwrap_or_else(|error| panic!("LiteLLM: {error}"))
    }

    /// Waits until it answers.
    #[track_caller]
    fn wait(&mut self, log: &Path) {
        let end = Instant::now() + LIMIT;
        while !is_alive(self.address) {
            let ended = self.child.try_wait().expect("a child");
            if ended.is_some() || Instant::now() > end {
                let log = std::fs::read_to_string(log).unwrap_or_default();
                panic!("LiteLLM does not answer ({ended:?}):\n{log}");
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for LiteLlm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that was free a moment ago: the server cannot choose one itself.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("no free port on 127.0.0.1");
    listener.local_addr().expect("a listener has an address")
}

/// Sends a request of HTTP 1.0, so that the answer ends with the connection.
fn send(address: SocketAddr, request: &str, limit: Duration) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(limit))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Ok((status.unwrap_or(0), body.to_owned()))
}

/// Returns true if the server answers.
fn is_alive(address: SocketAddr) -> bool {
    let request = "GET /health/liveliness HTTP/1.0\r\nHost: localhost\r\n\r\n";
    let answer = send(address, request, Duration::from_secs(5));
    answer.is_ok_and(|(status, _)| status == 200)
}
