//! The package.json of each package.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::dist::VERSION;
use crate::dist::target::{TARGETS, Target};

const ABOUT: &str = "One YAML file is one tool for an AI agent";
/// The oldest supported version of Node.
const NODE: &str = ">=18";

/// The manifest of the package that users install: a launcher for each of
/// `programs`, and the manual `pages`.
pub(super) fn launchers(
    programs: &[String],
    pages: &[String],
    repository: Option<&str>,
) -> Result<String> {
    let bin: Map<String, Value> = programs
        .iter()
        .map(|name| (name.clone(), json!(format!("bin/{name}"))))
        .collect();
    let pages: Vec<String> = pages.iter().map(|page| format!("./{page}")).collect();
    let platforms: Map<String, Value> = TARGETS
        .iter()
        .filter_map(|target| Some((name(target.npm?), json!(VERSION))))
        .collect();
    let mut manifest = head("cogtools", ABOUT, repository);
    manifest.insert("bin".to_owned(), bin.into());
    manifest.insert("man".to_owned(), pages.into());
    manifest.insert("engines".to_owned(), json!({ "node": NODE }));
    manifest.insert("preferUnplugged".to_owned(), json!(true));
    manifest.insert(
        "scripts".to_owned(),
        json!({ "postinstall": "node install.js" }),
    );
    manifest.insert("optionalDependencies".to_owned(), platforms.into());
    text(&manifest)
}

/// The manifest of the package with the programs for `target`.
pub(super) fn platform(target: &Target, repository: Option<&str>) -> Result<String> {
    let platform = target.npm.unwrap_or_default();
    let (system, processor) = platform;
    let about = format!("The programs of cogtools for {system} on {processor}");
    let mut manifest = head(&name(platform), &about, repository);
    manifest.insert("os".to_owned(), json!([system]));
    manifest.insert("cpu".to_owned(), json!([processor]));
    manifest.insert("preferUnplugged".to_owned(), json!(true));
    text(&manifest)
}

fn name((system, processor): (&str, &str)) -> String {
    format!("@cogtools/{system}-{processor}")
}

fn head(name: &str, about: &str, repository: Option<&str>) -> Map<String, Value> {
    let mut head = Map::new();
    for (key, value) in [
        ("name", name),
        ("version", VERSION),
        ("description", about),
        ("license", env!("CARGO_PKG_LICENSE")),
    ] {
        head.insert(key.to_owned(), json!(value));
    }
    if let Some(url) = repository {
        let url = format!("git+{url}.git");
        head.insert(
            "repository".to_owned(),
            json!({ "type": "git", "url": url }),
        );
    }
    head
}

fn text(manifest: &Map<String, Value>) -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(manifest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_of_programs_says_what_it_runs_on() {
        let target = Target::named("aarch64-apple-darwin").unwrap();
        let expected = format!(
            r#"{{
  "name": "@cogtools/darwin-arm64",
  "version": "{VERSION}",
  "description": "The programs of cogtools for darwin on arm64",
  "license": "MIT OR Apache-2.0",
  "repository": {{
    "type": "git",
    "url": "git+https://a/b.git"
  }},
  "os": [
    "darwin"
  ],
  "cpu": [
    "arm64"
  ],
  "preferUnplugged": true
}}
"#
        );
        assert_eq!(platform(target, Some("https://a/b")).unwrap(), expected);
    }
}
