//! An npm registry on this machine.

use std::process::Command;
use std::time::Duration;

use cogtools_test_support::{Project, Run};
use serde_json::{Value, json};

use crate::distribution::directory_of;
use crate::distribution::server::{Manner, serve};
use crate::programs;

/// A registry, and a project whose user has configured it.
pub(super) struct Registry {
    pub(super) project: Project,
    address: String,
    hits: Vec<Value>,
}

impl Registry {
    pub(super) fn new(project: Project) -> Self {
        project
            .dir("../home/registry/tarballs")
            .dir("../home/registry/-/v1");
        let address = serve(&project.path("../home/registry"), Manner::Whole);
        project.file(
            "../home/.npmrc",
            format!(
                "registry={address}/\ncache={}\n",
                project.path("../home/cache").display()
            ),
        );
        Self {
            project,
            address,
            hits: Vec::new(),
        }
    }

    /// Publishes the package `name` with these files and further keys in its `package.json`.
    pub(super) fn publish(
        &mut self,
        name: &str,
        more: &Value,
        files: &[(&str, &str)],
    ) -> &mut Self {
        let flat = name.replace(['@', '/'], "-");
        let folder = format!("../home/sources/{flat}/package");
        let mut manifest = json!({
            "name": name, "version": "1.0.0", "keywords": ["cogtools-tool"],
            "description": "d", "cogtools": {"tools": ["tools"]}, "maintainers": [],
        });
        for (key, value) in more.as_object().expect("an object") {
            manifest[key] = value.clone();
        }
        self.project
            .file(format!("{folder}/package.json"), manifest.to_string());
        for (file, text) in files {
            self.project.file(format!("{folder}/{file}"), text);
        }
        let archive = format!("tarballs/{flat}.tgz");
        let tar = Command::new("tar")
            .arg("-czf")
            .arg(self.project.path(format!("../home/registry/{archive}")))
            .arg("-C")
            .arg(self.project.path(format!("../home/sources/{flat}")))
            .arg("package")
            .status();
        assert!(tar.expect("tar is there").success());
        manifest["dist"] = json!({"tarball": format!("{}/{archive}", self.address)});
        let document = json!({
            "name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest.clone()},
        });
        let file = format!("../home/registry/{}", name.replace('/', "%2f"));
        self.project.file(file, document.to_string());
        self.hits.push(json!({"package": manifest}));
        let found = json!({"objects": self.hits, "total": self.hits.len(), "time": "now"});
        self.project
            .file("../home/registry/-/v1/search", found.to_string());
        self
    }

    pub(super) fn run(&self, args: &[&str]) -> Run {
        Run::new(programs().join("cogtools"))
            .project(&self.project)
            .path(directory_of("npm"))
            .path(directory_of("node"))
            .redact(&self.address, "REGISTRY")
            .limit(Duration::from_mins(1))
            .args(args)
    }

    pub(super) fn tools(&self) -> String {
        let list = self.run(&["list", "--json"]).run().json();
        let tools = list["tools"].as_array().cloned().unwrap_or_default();
        let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
        tools.iter().map(name).collect::<Vec<_>>().join(" ")
    }
}
