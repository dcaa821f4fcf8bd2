//! Providers that fail to declare their tools.

use std::thread;
use std::time::{Duration, Instant};

use super::{Scene, declaring};

const AUTHOR: &str = "hint: its other tools are not affected; report this to its author\n";
const FORM: &str =
    "hint: it should print a JSON array of objects with name, description and parameters\n";

/// A provider that has no tools, and the warning about it.
#[track_caller]
fn none(script: &str, settings: &str, warnings: &str) {
    Scene::new(script, settings).declares(&[], warnings);
}

/// A provider that prints `json`, its tools, and the warning about it.
#[track_caller]
fn some(json: &str, tools: &[&str], warnings: &str) {
    Scene::new(&declaring(json), "").declares(tools, warnings);
}

#[test]
fn no_program() {
    let scene = Scene::new("", "");
    let hint = "hint: install it, or correct `command` under `tool_sources`\n";
    let warning = format!(
        "warning[INVALID_CONFIG]: the provider `other` cannot be run: program `[HOME]/p` not found\n{hint}"
    );
    scene.project.mode("../home/p", 0o644);
    scene.declares(&[], &warning);
    scene.project.remove("../home/p");
    scene.declares(&[], &warning);
    scene
        .project
        .file("../home/p", "#!/no/such/interpreter\n")
        .mode("../home/p", 0o755);
    scene.declares(
        &[],
        "warning[INVALID_CONFIG]: the provider `other` cannot be started: No such file or directory (os error 2)\n\
         hint: check that it is an executable program\n",
    );
}

#[test]
fn failure() {
    none(
        "echo 'no database' >&2; echo '[]'; exit 3",
        "",
        "warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 3\n  \
         | no database\n",
    );
    none(
        "kill -9 $$",
        "",
        "warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it was terminated by signal 9 (SIGKILL)\n",
    );
}

#[test]
fn output_that_is_not_declarations() {
    let says = |what: &str| {
        format!(
            "warning[TOOL_FAILED]: the provider `other` printed invalid declarations: {what}\n{FORM}"
        )
    };
    none("", "", &says("it printed nothing"));
    none("echo; echo", "", &says("it printed nothing"));
    none(
        "echo 'Welcome!'; echo '[]'",
        "",
        &says("its output is not JSON (expected value at line 1 column 1)"),
    );
    none(
        "echo '[{\"name\": \"x\"'",
        "",
        &says("its output is not JSON (EOF while parsing an object at line 2 column 0)"),
    );
    for json in [
        "{}",
        "7",
        "\"tools\"",
        "null",
        "{\"functionDeclarations\": 7}",
    ] {
        none(
            &format!("echo '{json}'"),
            "",
            &says("its output is not a JSON array"),
        );
    }
}

#[test]
fn one_bad_tool_affects_only_itself() {
    let no_tool = |what: &str| {
        format!(
            "warning[INVALID_TOOL]: the provider `other` has an invalid declaration: {what}\n{AUTHOR}"
        )
    };
    let good = r#"{"name": "good", "description": "d"}"#;
    let with = |bad: &str| format!("[{bad}, {good}]");
    for (bad, what) in [
        ("7", "declaration 1 has no name"),
        (r#"{"description": "d"}"#, "declaration 1 has no name"),
        (
            r#"{"name": "a", "description": "d", "parameters": []}"#,
            "`parameters` of `a` is not an object",
        ),
        (
            r#"{"name": "a", "description": "d", "inputSchema": {"type": "string"}}"#,
            "`inputSchema` of `a` does not describe an object",
        ),
    ] {
        some(&with(bad), &["good"], &no_tool(what));
    }
    some(
        r#"[{"name": "good", "description": "d"}, {"name": "good", "description": "other"}]"#,
        &["good"],
        &format!(
            "warning[INVALID_TOOL]: the provider `other` declares `good` more than once\n{AUTHOR}"
        ),
    );
    some(
        "\u{feff}[{\"name\": \"good\", \"description\": \"d\"}]",
        &["good"],
        "",
    );
    // Hosts do not accept its name.
    some(
        &with(r#"{"name": "a b", "description": "d"}"#),
        &["a_b", "good"],
        "",
    );
    some(
        &with(
            r#"{"name": "a", "description": "d", "parameters": {"properties": {"x": {"type": "strin"}}}}"#,
        ),
        &["good"],
        "\
warning[INVALID_TOOL]: other: a: /parameters/properties/x/type: `strin` is not a type
hint: write `string`
",
    );
}

#[test]
fn forms_that_others_print() {
    for json in [
        r#"{"functionDeclarations": [{"name": "good", "description": "d"}]}"#,
        r#"{"function_declarations": [{"name": "good", "description": "d"}]}"#,
        r#"[{"functionDeclarations": [{"name": "good", "description": "d"}]}]"#,
        r#"{"tools": [{"name": "good", "description": "d", "inputSchema": {"type": "object", "properties": {}}}]}"#,
        r#"[{"name": "good", "description": "d", "parameters": {"type": "OBJECT"}}]"#,
        r#"[{"name": "good", "description": "d", "parameters": null}]"#,
    ] {
        some(json, &["good"], "");
    }
}

#[test]
fn twenty_megabytes() {
    let flood = "head -c 20000000 /dev/zero | tr '\\0' ' '";
    let good = declaring(r#"[{"name": "good", "description": "d"}]"#);
    none(
        &format!("{flood}\n{good}"),
        "",
        "warning[TOOL_FAILED]: the provider `other` declares more than 10 MiB\n\
         hint: hosts accept no more; make it declare less\n",
    );
    Scene::new(&format!("{flood} >&2\n{good}"), "").declares(&["good"], "");
    Scene::new(&format!("{flood} >&2\nexit 3"), "").declares(
        &[],
        "warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 3\n",
    );
}

#[test]
fn a_hanging_provider_is_ended_with_its_children() {
    let late = "warning[TIMEOUT]: the provider `other` timed out: it did not declare its tools within 500ms\n\
                hint: give it more time with `timeout` under `command`, or cache its declarations with `cache`\n";
    for script in [
        "trap '' TERM; echo $$ > ${0%/*}/pids; sleep 300 & echo $! >> ${0%/*}/pids; wait; sleep 300",
        "echo $$ > ${0%/*}/pids; exec >&- 2>&-; sleep 300",
        "echo $$ > ${0%/*}/pids; echo '[]'; sleep 300",
    ] {
        let scene = Scene::new(script, ", timeout: 0.5");
        scene.declares(&[], late);
        let pids = scene.project.read("../home/pids");
        let end = Instant::now() + Duration::from_secs(5);
        for pid in pids.lines() {
            while std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| !stat.contains(") Z "))
            {
                assert!(Instant::now() < end, "{script}: {pid} lives");
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

#[test]
fn slow_ones_wait_together() {
    let slow = declaring(r#"[{"name": "good", "description": "d"}]"#);
    let scene = Scene::new(&format!("[ \"$1\" = call ] || sleep 1\n{slow}"), "");
    let p = scene.project.home().join("p");
    let one = |name: &str| {
        format!(
            "{{command: {{discover: [{0}], call: [{0}, call], name: {name}, prefix: {name}_, wait: 30}}}}",
            p.display()
        )
    };
    let sources = format!("[{}, {}, {}]", one("a"), one("b"), one("c"));
    let begin = Instant::now();
    let found = scene
        .run("cogtools-discover")
        .env("COGTOOLS_TOOL_SOURCES", sources)
        .run()
        .json();
    let names: Vec<&str> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["a_good", "b_good", "c_good"]);
    assert!(
        begin.elapsed() < Duration::from_millis(2_800),
        "{:?}",
        begin.elapsed()
    );
}
