//! Skills and plugins that we write are what the standards and the hosts that were not run ask for.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use cogtools_test_support::{Project, conformance, install};
use serde_json::{Value, json};

use crate::clients::cache;
use crate::{programs, repository, run};

/// Validates each folder by the reference implementation of Agent Skills, and prints a line for each
/// mistake.
const VALIDATE: &str = "\
import pathlib, skills_ref, sys
for folder in sys.argv[1:]:
    for mistake in skills_ref.validate(pathlib.Path(folder)):
        print(folder, mistake)
";
const PACKAGE: &str = "cogtools-package";
/// The largest `SKILL.md` that Antigravity reads, in bytes.
const MAX_SKILL: u64 = 24_000;

/// Asserts that `skills-ref` accepts each skill in `folder`, and returns their number.
pub(crate) fn are_skills(folder: &Path) -> usize {
    let python = install::python(&cache(), "skills-ref-0.1.1", &["skills-ref==0.1.1"]);
    let skills: Vec<_> = fs::read_dir(folder)
        .expect("skills")
        .map(|skill| skill.expect("a skill").path())
        .collect();
    let mut validate = Command::new(&python);
    let output = validate.args(["-c", VALIDATE]).args(&skills).output();
    let output = output.expect("a run");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    skills.len()
}

/// Asserts that a plugin is as the schemas of Agent Plugins say, if they are there.
pub(crate) fn is_standard(plugin: &Path) {
    static SCHEMAS: OnceLock<Option<[Value; 2]>> = OnceLock::new();
    let schema = |name| conformance::document(&format!("plugins/{name}.schema.json"), PACKAGE);
    let schemas = SCHEMAS.get_or_init(|| Some([schema("plugin")?, schema("mcp")?]));
    let files = ["plugin.json", "mcp.json"].into_iter();
    for (file, schema) in files.zip(schemas.iter().flatten()) {
        let validator = jsonschema::draft202012::new(schema).expect("a schema");
        let value = read(&plugin.join(file));
        let errors = validator.iter_errors(&value).map(|error| error.to_string());
        assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new(), "{file}");
    }
}

/// Asserts that a plugin follows the documentation of Antigravity, which is on no registry.
pub(crate) fn is_for_antigravity(plugin: &Path) {
    let manifest = read(&plugin.join(".antigravity-plugin/plugin.json"));
    let keys = manifest.as_object().expect("an object").keys();
    assert_eq!(keys.collect::<Vec<_>>(), ["name", "description"]);
    assert!(manifest["description"].is_string(), "{manifest}");
    assert_eq!(manifest["name"], read(&plugin.join("plugin.json"))["name"]);
    are_servers_of_antigravity(&plugin.join("mcp_config.json"));
    for skill in fs::read_dir(plugin.join("skills")).expect("skills") {
        let file = skill.expect("a skill").path().join("SKILL.md");
        let size = fs::metadata(&file).expect("a file").len();
        assert!(size <= MAX_SKILL, "{}: {size}", file.display());
    }
    has_no_link(plugin);
}

/// Asserts that Antigravity starts with `file` and drops none of its servers: strict JSON without
/// keys that it does not read.
fn are_servers_of_antigravity(file: &Path) {
    let config = read(file);
    let keys = config.as_object().expect("an object").keys();
    assert_eq!(keys.collect::<Vec<_>>(), ["mcpServers"]);
    let servers = config["mcpServers"].as_object().expect("servers");
    assert!(!servers.is_empty(), "{config}");
    for server in servers.values().map(|it| it.as_object().expect("a server")) {
        assert!(server["command"].is_string(), "{server:?}");
        for (key, value) in server {
            let texts: Vec<&Value> = match (key.as_str(), value) {
                ("command", _) => vec![value],
                ("args", Value::Array(items)) => items.iter().collect(),
                ("env", Value::Object(variables)) => variables.values().collect(),
                _ => panic!("{key}: {value}"),
            };
            assert!(texts.iter().all(|text| text.is_string()), "{key}: {value}");
            // It replaces no variables.
            assert!(!value.to_string().contains("${"), "{key}: {value}");
        }
    }
}

/// Asserts that `folder` can be copied to where Antigravity follows no links.
fn has_no_link(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("a kind");
        assert!(!kind.is_symlink(), "{}", entry.path().display());
        if kind.is_dir() {
            has_no_link(&entry.path());
        }
    }
}

fn read(file: &Path) -> Value {
    let text = fs::read(file).expect("a file");
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Asserts that the skills of `project` and its plugin are valid, and returns the number of skills.
pub(crate) fn is_valid(project: &Project) -> usize {
    run("cogtools-skill", project)
        .arg("--allow")
        .run()
        .status(0);
    let skills = are_skills(&project.path(".agents/skills"));
    let package = run(PACKAGE, project);
    package.args(["--name", "shipped", "dist"]).run().status(0);
    let plugin = project.path("dist");
    assert_eq!(are_skills(&plugin.join("skills")), skills);
    is_standard(&plugin);
    is_for_antigravity(&plugin);
    skills
}

#[test]
fn tools_of_the_repository_are_valid() {
    let project = Project::new();
    project.dir(".git").file(
        "tools/odd.yaml",
        "name: odd\ndescription: 'A \"quoted\" <b>: #text\\, with ---'\nimplementation: x\n",
    );
    let tools = repository().join("tools");
    // The folders are recordings.
    for entry in tools.read_dir().expect("tools").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        if entry.path().is_file() {
            project.copy(format!("tools/In A_set/{name}"), entry.path());
        }
    }
    assert_eq!(is_valid(&project), 2);
}

#[test]
fn examples_are_valid() {
    let mut examples = 0;
    for example in fs::read_dir(repository().join("examples")).expect("examples") {
        let example = example.expect("an example").path();
        let project = Project::new();
        project.copy_all(&example);
        assert!(is_valid(&project) > 0, "{}", example.display());
        examples += 1;
    }
    assert!(examples > 2, "{examples}");
}

/// 100 tools are the most of Antigravity: beyond them, people are told, and its server keeps it.
#[test]
fn tools_fit_into_antigravity() {
    let project = Project::new();
    for number in 1..=101 {
        project.file(
            format!("tools/t{number}.yaml"),
            format!("name: t{number}\ndescription: Does {number}\nimplementation: x\n"),
        );
    }
    let init = run("cogtools-init", &project).args(["--defaults", "--host", "antigravity"]);
    init.run()
        .status(0)
        .stdout_contains("it accepts at most 100 tools of all servers");
    let config = project.path(".agents/mcp_config.json");
    are_servers_of_antigravity(&config);
    let server = &read(&config)["mcpServers"]["cogtools"];
    assert_eq!(server["args"], json!(["mcp", "--max-tools", "100"]));
    run("cogtools-doctor", &project)
        .path(programs())
        .run()
        .status(0)
        .stdout_contains("101 tools cost")
        .stdout_contains("100 tools are reasonable");
    let request = |id: u64, method: &str, params: Value| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
    };
    let client = json!({"name": "agy", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let input = request(1, "initialize", hello) + &request(2, "tools/list", json!({}));
    let server = run("cogtools-mcp", &project).args(["--max-tools", "100"]);
    let outcome = server.stdin(input.into_bytes()).run();
    let answer = outcome.stdout.split(|byte| *byte == b'\n').nth(1);
    let answer: Value = serde_json::from_slice(answer.expect("an answer")).expect("JSON");
    let declared = answer["result"]["tools"].as_array().expect("tools");
    assert_eq!(declared.len(), 100);
    assert_eq!(declared[99]["name"], json!("call_tool"));
}
