//! The layers of the configuration: their precedence, and the errors in each.

use cogtools_test_support::{Project, Run, str};

use crate::run;

#[test]
fn mistakes_of_all_layers_are_reported_at_once() {
    let project = project();
    project.file(".cogtoolrc.yaml", "env_prio: x\n");
    run("cogtools-config", &project)
        .arg("list")
        .env("COGTOOLS_ENV_PRIORITY", "nope")
        .env("COGTOOLS_BUDGET", "x")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-config: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:1: unknown key `env_prio`
   |
 1 | env_prio: x
   | ^^^^^^^^
hint: did you mean `env_priority`?
cogtools-config: error[INVALID_CONFIG]: $COGTOOLS_BUDGET:1:1: `budget` takes a whole number of tokens, not `x`
   |
 1 | x
   | ^
hint: write `budget: 4000`
cogtools-config: error[INVALID_CONFIG]: $COGTOOLS_ENV_PRIORITY:1:1: `env_priority` takes `project` or `process`, not `nope`
   |
 1 | nope
   | ^^^^
hint: write `env_priority: project` or `env_priority: process`

"#]],
        );
}

/// The path of the system's settings file.
const SYSTEM: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// Where each layer is written, lowest first; `[VAR]` is a variable.
const LAYERS: [&str; 6] = [
    "../machine/cogtoolrc.yaml",
    "../home/.gemini/cogtoolrc.yaml",
    ".gemini/cogtoolrc.yaml",
    "package.json",
    ".cogtoolrc.yaml",
    "[VAR]",
];

/// Every key that all layers can set, its variable, and two values for it.
const KEYS: [(&str, &str, &str, &str); 4] = [
    (
        "env_priority",
        "COGTOOLS_ENV_PRIORITY",
        "process",
        "project",
    ),
    ("filter.tools", "COGTOOLS_TOOLS", "[low]", "[high]"),
    ("filter.exclude", "COGTOOLS_EXCLUDE", "[low]", "[high]"),
    (
        "tool_sources",
        "COGTOOLS_TOOL_SOURCES",
        "[node_modules]",
        "[]",
    ),
];

pub(crate) fn project() -> Project {
    let project = Project::new();
    project.dir(".git").dir("tools");
    project
}

/// A program in `project` that knows the system's file.
pub(crate) fn layered(program: &str, project: &Project) -> Run {
    let machine = project.home().with_file_name("machine");
    run(program, project)
        .env(SYSTEM, machine.join("settings.json"))
        .redact(machine.as_os_str(), "[MACHINE]")
}

/// Puts `key: value` into the layer, and returns the variable that this requires.
fn write(project: &Project, layer: &str, key: &str, value: &str) -> bool {
    let nested = key.split('.').rev();
    let json = nested.fold(value.to_owned(), |inner, key| {
        format!("{{\"{key}\": {inner}}}")
    });
    match layer {
        "package.json" => {
            let words = ["process", "project", "low", "high", "node_modules"];
            let json = words.iter().fold(json, |json, word| {
                json.replace(word, &format!("\"{word}\""))
            });
            project.file(layer, format!("{{\n\t\"devDependencies\": {{\"cogtools\": \"1\"}},\n\t\"cogtools\":\n\t{json}\n}}\n"));
            false
        }
        "[VAR]" => true,
        _ => {
            project.file(layer, format!("# a layer\n{json}\n"));
            false
        }
    }
}

/// Returns true if the user writes this layer, rather than the author of the project.
fn is_users(layer: &str) -> bool {
    layer.starts_with("..") || layer == "[VAR]"
}

/// The effective value of a key that protects, and its origins, if the user and the
/// project set it to these values at these places.
fn combined(key: &str, user: (&str, &str), project: (&str, &str)) -> String {
    let item = |value: &str| value.trim_matches(['[', ']']).to_owned();
    let (one, other) = (item(user.0), item(project.0));
    let origins = format!("{}, {}", user.1, project.1);
    match key {
        "env_priority" if one == "process" => format!("{}\tprocess\n", user.1),
        "env_priority" => format!("{}\tprocess\n", project.1),
        "filter.tools" => format!("{origins}\t[[{one}], [{other}]]\n"),
        _ => format!("{origins}\t[{one}, {other}]\n"),
    }
}

/// The effective sources and their origins: the sources of `upper` and perhaps of a lower layer.
fn joined(upper: &str, above: (&str, &str), below: Option<(&str, String)>) -> String {
    let is_file = |place: &str| place.starts_with("[HOME]") || place.starts_with("[MACHINE]");
    let (high, place) = above;
    match below {
        _ if is_file(place) => format!("{place}, built-in\t[{{local: ./tools}}]\n"),
        Some((low, file)) if is_file(&file) && !is_users(upper) => {
            format!("{file}, {place}\t{low}\n")
        }
        _ => format!("{place}\t{high}\n"),
    }
}

/// The name of the layer in `config get --show-origin`.
fn origin(layer: &str, variable: &str) -> String {
    match layer {
        "../machine/cogtoolrc.yaml" => "[MACHINE]/cogtoolrc.yaml:2".to_owned(),
        "../home/.gemini/cogtoolrc.yaml" => "[HOME]/.gemini/cogtoolrc.yaml:2".to_owned(),
        "package.json" => "package.json:4".to_owned(),
        "[VAR]" => format!("${variable}"),
        other => format!("{other}:2"),
    }
}

#[test]
fn every_layer_overrides_those_below_it_and_the_project_loosens_nothing() {
    for (key, variable, low, high) in KEYS {
        for (at, upper) in LAYERS.iter().enumerate() {
            for lower in LAYERS[..at].iter().map(Some).chain([None]) {
                let project = project();
                let mut get = layered("cogtools-config", &project);
                if let Some(lower) = lower {
                    write(&project, lower, key, low);
                }
                if write(&project, upper, key, high) {
                    get = get.env(variable, high);
                }
                let at = |layer: &str| origin(layer, variable);
                let (above, below) = ((high, at(upper)), lower.map(|lower| (low, at(lower))));
                let above = (above.0, above.1.as_str());
                let expected = match (lower, &below) {
                    _ if key == "tool_sources" => joined(upper, above, below),
                    (Some(lower), Some((low, below))) if is_users(upper) != is_users(lower) => {
                        if is_users(upper) {
                            combined(key, above, (low, below))
                        } else {
                            combined(key, (low, below), above)
                        }
                    }
                    _ => format!("{}\t{high}\n", above.1),
                };
                get.args(["get", "--show-origin", key])
                    .run()
                    .outputs(expected);
            }
        }
    }
}

#[test]
fn keys_of_a_map_are_layered_one_by_one() {
    let project = project();
    project
        .file("../machine/cogtoolrc.yaml", "filter: {tools: [a], exclude: [b]}\nlint: {rules: {no-examples: off, no-schema: off}}\n")
        .file("../home/.gemini/cogtoolrc.yaml", "filter:\n  exclude: [c]\nhosts: {mcp: {tools: [x]}}\n")
        .file("package.json", "{\"cogtools\": {\"tools\": [\"for others\"], \"lint\": {\"rules\": {\"no-schema\": \"warn\"}}}}")
        .file(".cogtoolrc.yaml", "hosts: {mcp: {exclude: [y]}}\n");
    layered("cogtools-config", &project)
        .args(["list", "--show-origin"])
        .env("COGTOOLS_TOOLSETS", "git, web")
        .run()
        .outputs(str![[r#"
built-in	tool_sources=[{local: ./tools}]
built-in	env_priority=project
[MACHINE]/cogtoolrc.yaml:1	filter.tools=[a]
[HOME]/.gemini/cogtoolrc.yaml:2	filter.exclude=[c]
$COGTOOLS_TOOLSETS	filter.toolsets=[git, web]
[HOME]/.gemini/cogtoolrc.yaml:3	hosts.mcp.tools=[x]
.cogtoolrc.yaml:1	hosts.mcp.exclude=[y]
built-in	sandbox=best-effort
[MACHINE]/cogtoolrc.yaml:2	lint.rules.no-examples=off
package.json:1	lint.rules.no-schema=warn

"#]]);
}

#[test]
fn a_folder_is_relative_to_the_file_that_names_it() {
    let tool = |said: &str| format!("name: it\ndescription: d\nimplementation: {said}\n");
    let project = project();
    project
        .file("../machine/own/it.yaml", tool("machine"))
        .file("../home/.gemini/own/it.yaml", tool("home"))
        .file(".gemini/own/it.yaml", tool("host"))
        .file("own/it.yaml", tool("project"));
    for (layer, said) in [
        (LAYERS[0], str!["machine"]),
        (LAYERS[1], str!["home"]),
        (LAYERS[2], str!["host"]),
        (LAYERS[3], str!["project"]),
        (LAYERS[4], str!["project"]),
        (LAYERS[5], str!["project"]),
    ] {
        let mut call = layered("cogtools-call", &project);
        match layer {
            "package.json" => drop(project.file(
                layer,
                "{\t\"cogtools\": {\"tool_sources\": [{\"local\": \"./own\"}]}}",
            )),
            "[VAR]" => call = call.env("COGTOOLS_TOOL_SOURCES", "[{local: own}]"),
            _ => drop(project.file(layer, "tool_sources: [{local: own}]\n")),
        }
        call.arg("it").run().outputs(said);
        if !matches!(layer, "[VAR]") {
            project.remove(layer);
        }
    }
}

#[test]
fn options_override_everything() {
    let tool = |name: &str| format!("name: {name}\ndescription: d\nimplementation: {name}\n");
    let project = project();
    project
        .file("tools/a.yaml", tool("a"))
        .file("tools/set/b.yaml", tool("b"))
        .file(".cogtoolrc.yaml", "filter: {tools: [a], exclude: [b]}\n");
    let called = |args: &[&str]| {
        layered("cogtools-call", &project)
            .env("COGTOOLS_TOOLS", "[a]")
            .args(args)
            .run()
    };
    called(&["a"]).outputs(str!["a"]);
    called(&["--tools", "b", "--exclude", "c", "b"]).outputs(str!["b"]);
    called(&["--tools", "*", "--exclude", "c", "--toolset", "set", "b"]).outputs(str!["b"]);
    let filtered = |file: &str| {
        let name = file.trim_start_matches("set/");
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: {name}: no such tool\n\
             hint: a filter excludes `tools/{file}.yaml`: an option such as --exclude, or \
             `filter` or `hosts` in the configuration\n\
             hint: cogtools-discover lists all tools\n"
        )
    };
    called(&["b"]).fails(127, filtered("set/b"));
    called(&["--exclude", "a", "a"]).fails(127, filtered("a"));
    called(&["--toolset", "set", "a"]).fails(127, filtered("a"));
}

#[test]
fn an_invalid_layer_is_fatal_and_located() {
    for (layer, text, place) in [
        (
            LAYERS[0],
            "env_prio: x\n",
            "[MACHINE]/cogtoolrc.yaml:1:1: unknown key `env_prio`\n   |\n 1 | env_prio: x\n   | ^^^^^^^^\n",
        ),
        (
            LAYERS[1],
            "# c\nenv_prio: x\n",
            "[HOME]/.gemini/cogtoolrc.yaml:2:1: unknown key `env_prio`\n   |\n 2 | env_prio: x\n   | ^^^^^^^^\n",
        ),
        (
            LAYERS[2],
            "env_prio: x\n",
            ".gemini/cogtoolrc.yaml:1:1: unknown key `env_prio`\n   |\n 1 | env_prio: x\n   | ^^^^^^^^\n",
        ),
        (
            LAYERS[3],
            "{\n\t\"dependencies\": {\"cogtools\": \"1\"},\n\t\"cogtools\": {\n\t\t\"env_prio\": 1}}",
            "package.json:4:3: unknown key `env_prio`\n   |\n 4 | ··\"env_prio\": 1}}\n   |   ^^^^^^^^^^\n",
        ),
        (
            LAYERS[4],
            "env_prio: x\n",
            ".cogtoolrc.yaml:1:1: unknown key `env_prio`\n   |\n 1 | env_prio: x\n   | ^^^^^^^^\n",
        ),
    ] {
        let project = project();
        project.file(layer, text);
        for (program, args) in [
            ("cogtools-discover", &[][..]),
            ("cogtools-call", &["it"]),
            ("cogtools-list", &[]),
            ("cogtools-config", &["list"]),
        ] {
            let words = format!(
                "{program}: error[INVALID_CONFIG]: {place}hint: did you mean `env_priority`?\n"
            );
            let outcome = layered(program, &project).args(args).run();
            match program {
                // A host always gets a list.
                "cogtools-discover" => outcome.expect(0, "[]\n", words),
                // An invalid layer of the project costs itself only.
                "cogtools-call" if !is_users(layer) => outcome.fails(
                    127,
                    format!("cogtools-call: error[TOOL_NOT_FOUND]: it: no such tool\nhint: cogtools-discover lists all tools\n{words}"),
                ),
                _ => outcome.fails(78, words),
            };
        }
    }
}
