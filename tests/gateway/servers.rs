//! The fifteen servers: their packages, and how each starts without an account.

use std::path::{Path, PathBuf};

use cogtools_test_support::{Project, install};
use serde_json::{Value, json};

use crate::clients::cache;

/// A server, as a source of the same name.
pub(super) struct Server {
    pub(super) name: &'static str,
    /// Its package of npm, with the version.
    package: &'static str,
    program: &'static str,
    pub(super) args: &'static [&'static str],
    /// Variables in the project's `.env` that it requires at its start.
    pub(super) env: &'static [(&'static str, &'static str)],
    /// The option with the path of the browser.
    browser: Option<&'static str>,
    /// The variable with the file that it keeps its data in, which a project's `.env` cannot set.
    keeps: Option<&'static str>,
    /// The folders in HOME that it must be able to write to or read.
    writes: &'static [&'static str],
    reads: &'static [&'static str],
}

const fn server(name: &'static str, package: &'static str, program: &'static str) -> Server {
    Server {
        name,
        package,
        program,
        args: &[],
        env: &[],
        browser: None,
        keeps: None,
        writes: &[],
        reads: &[],
    }
}

pub(super) const SERVERS: [Server; 15] = [
    Server {
        env: &[("GITHUB_PERSONAL_ACCESS_TOKEN", "none")],
        ..server(
            "github",
            "@modelcontextprotocol/server-github@2025.4.8",
            "mcp-server-github",
        )
    },
    Server {
        // The project itself.
        args: &["."],
        ..server(
            "filesystem",
            "@modelcontextprotocol/server-filesystem@2026.8.31",
            "mcp-server-filesystem",
        )
    },
    Server {
        keeps: Some("MEMORY_FILE_PATH"),
        ..server(
            "memory",
            "@modelcontextprotocol/server-memory@2026.8.31",
            "mcp-server-memory",
        )
    },
    Server {
        env: &[("SLACK_BOT_TOKEN", "none"), ("SLACK_TEAM_ID", "none")],
        ..server(
            "slack",
            "@modelcontextprotocol/server-slack@2025.4.25",
            "mcp-server-slack",
        )
    },
    Server {
        args: &[
            "--headless",
            "--isolated",
            "--no-sandbox",
            "--output-dir=data",
        ],
        browser: Some("--executable-path"),
        writes: &[".cache/ms-playwright"],
        ..server("playwright", "@playwright/mcp@0.0.83", "playwright-mcp")
    },
    Server {
        args: &["--headless"],
        ..server(
            "chrome",
            "chrome-devtools-mcp@1.11.0",
            "chrome-devtools-mcp",
        )
    },
    Server {
        env: &[
            ("GITLAB_PERSONAL_ACCESS_TOKEN", "none"),
            ("GITLAB_API_URL", "http://127.0.0.1:9/api/v4"),
        ],
        ..server("gitlab", "@zereight/mcp-gitlab@2.1.64", "mcp-gitlab")
    },
    Server {
        env: &[("NOTION_TOKEN", "none")],
        ..server(
            "notion",
            "@notionhq/notion-mcp-server@2.5.2",
            "notion-mcp-server",
        )
    },
    Server {
        args: &["mongodb://127.0.0.1:9"],
        writes: &[".mongodb"],
        ..server("mongodb", "mongodb-mcp-server@3.0.4", "mongodb-mcp-server")
    },
    Server {
        reads: &[".kube"],
        ..server(
            "kubernetes",
            "mcp-server-kubernetes@4.1.7",
            "mcp-server-kubernetes",
        )
    },
    server("git", "@cyanheads/git-mcp-server@2.15.3", "git-mcp-server"),
    Server {
        writes: &[".ms-365-mcp-server"],
        ..server(
            "ms365",
            "@softeria/ms-365-mcp-server@0.155.0",
            "ms-365-mcp-server",
        )
    },
    Server {
        env: &[("TAVILY_API_KEY", "none")],
        ..server("tavily", "tavily-mcp@0.2.22", "tavily-mcp")
    },
    Server {
        env: &[("AIRTABLE_API_KEY", "pat.none")],
        ..server(
            "airtable",
            "airtable-mcp-server@1.14.0",
            "airtable-mcp-server",
        )
    },
    server(
        "everything",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "mcp-server-everything",
    ),
];

/// A cluster that does not answer.
const CLUSTER: &str = "\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]
users: [{name: u, user: {token: none}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
";

/// Installs all of them, without what is optional for them: 44 seconds and 540 MB the first time.
pub(super) fn install() -> PathBuf {
    let packages: Vec<&str> = SERVERS.iter().map(|server| server.package).collect();
    let place = install::npm_required(&cache(), "mcp-servers-15-1", &packages);
    place.join("node_modules")
}

/// Makes all of them sources of the project, as its author does.
pub(super) fn configure(project: &Project) {
    let modules = install();
    let sources: Vec<Value> = SERVERS.iter().map(|it| it.source(&modules)).collect();
    project
        .file(
            ".cogtoolrc.yaml",
            json!({"tool_sources": sources}).to_string(),
        )
        .dir("data")
        .file("hello.txt", "Good day\n")
        .file("../home/.kube/config", CLUSTER);
    let folders = SERVERS.iter().flat_map(|server| server.writes);
    for folder in folders {
        project.dir(format!("../home/{folder}"));
    }
    let lines = SERVERS.iter().flat_map(|server| server.env);
    let lines = lines.map(|(name, value)| format!("{name}={value}\n"));
    project.file(".env", lines.collect::<String>());
}

impl Server {
    pub(super) fn source(&self, modules: &Path) -> Value {
        let home = |folder: &&str| format!("~/{folder}");
        let reads = self.reads.iter().map(home);
        let writes = self.writes.iter().map(home);
        let reads = reads.chain([modules.display().to_string(), ".".to_owned()]);
        // A browser shares memory with its processes.
        let writes = writes.chain(["data".to_owned(), "/dev/shm".to_owned()]);
        let names: Vec<&str> = self.env.iter().map(|(name, _)| *name).collect();
        let file = self.file(modules).display().to_string();
        let mut command = match self.keeps {
            // The server finds a relative path from its own folder.
            Some(name) => {
                let script = format!("{name}=\"$PWD/data/{}\" exec \"$0\"", self.name);
                vec!["/bin/sh".to_owned(), "-c".to_owned(), script, file]
            }
            None => vec![file],
        };
        command.extend(self.args.iter().map(|arg| (*arg).to_owned()));
        if let Some(option) = self.browser {
            let browser = crate::browser::chromium();
            command.extend([option.to_owned(), browser.display().to_string()]);
        }
        json!({"mcp": {
            "command": command, "name": self.name,
            "prefix": format!("{}_", self.name), "env": names,
            "sandbox": {
                "net": true,
                "read": reads.collect::<Vec<_>>(),
                "write": writes.collect::<Vec<_>>(),
            },
        }})
    }

    /// Its program.
    pub(super) fn file(&self, modules: &Path) -> PathBuf {
        modules.join(".bin").join(self.program)
    }
}
