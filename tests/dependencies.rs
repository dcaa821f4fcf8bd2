//! The dependencies of crates: only what each uses, and each for one purpose.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::layout::{files, list, metadata, none, read};
use crate::{CONFINE, OWN, binary, programs, repository};

/// Crates that only a server or a client of MCP needs: a runtime, TLS and HTTP.
const HEAVY: [&str; 7] = ["axum", "hyper", "mio", "ring", "rmcp", "rustls", "tokio"];
/// The engine of JavaScript, which one program has, and the parser, which it and the linter have.
const ENGINE: &str = "rquickjs-sys";
const PARSER: &str = "oxc_parser";

/// Functions that write to a file system, in the standard library and in `tempfile`.
const WRITES: [&str; 13] = [
    "fs::write(",
    "fs::rename(",
    "fs::copy(",
    "fs::hard_link(",
    "fs::create_dir",
    "fs::remove_",
    "fs::set_permissions(",
    "DirBuilder",
    "File::create",
    "File::options",
    "OpenOptions",
    "fs::symlink(",
    "tempfile::",
];

/// The one writer, and the other modules that write.
const WRITERS: [&str; 19] = [
    "crates/lib/cogtools-document/src/file/",
    // The private copies of packages are below the user's state directory, which nothing
    // of a repository names.
    "crates/lib/cogtools-process/src/digest/",
    "crates/lib/cogtools-process/src/store/",
    // Sessions are removed with their blobs from the user's state directory only.
    "crates/lib/cogtools-log/src/store.rs",
    // A script runs from a new directory that only its user may enter.
    "crates/lib/cogtools-core/src/tool/script.rs",
    // A run of a program has a temporary folder of its own, which its process keeps.
    "crates/lib/cogtools-process/src/process/mod.rs",
    // A text that the user edits is a new file in the temporary folder, which only they can read.
    "crates/lib/cogtools-program/src/terminal/editor.rs",
    // Programs that run nodes and flows get events through descriptors that they have opened.
    "crates/porcelain/cogtools-flow/src/recorder.rs",
    // The recording of a node is in a temporary folder of its own; its process reads it.
    "crates/lib/cogtools-code/src/tape.rs",
    // What the agents of a flow spend is in a temporary folder of the run, which only its user may
    // enter.
    "crates/lib/cogtools-agent/src/limits/shared_money.rs",
    // A trial has a temporary folder of its own, and what a comparison reads of git another.
    "crates/porcelain/cogtools-eval/src/files.rs",
    "crates/porcelain/cogtools-eval/src/run.rs",
    // The output of an example that is a picture goes into a file of its type, in the temporary folder.
    "crates/porcelain/cogtools-test/src/invocation.rs",
    // The lock is on a file of the user, which stays empty.
    "crates/lib/cogtools-core/src/trust/record.rs",
    // The lock on a source that is asked is an empty file in the user's cache.
    "crates/lib/cogtools-core/src/source/provider/cache.rs",
    // A call is one line at the end of a file in the user's state, which several processes write.
    "crates/lib/cogtools-core/src/budget.rs",
    // The socket of the daemon and its lock are in a folder that only its user may enter.
    "crates/porcelain/cogtools-mcp/src/daemon.rs",
    // The users of a namespace are set through files of the kernel, about the process itself.
    "crates/plumbing/cogtools-confine/src/sandbox/namespaces.rs",
    // A trace is a new file in a temporary folder of its reader.
    "crates/plumbing/cogtools-confine/src/confinement.rs",
];

#[test]
fn files_are_written_in_one_place() {
    let mut complaints = Vec::new();
    for file in files("rs") {
        let name = file.display().to_string();
        let program = name.starts_with("crates/") && name.contains("/src/");
        let tests = name.starts_with("crates/lib/cogtools-test-support/");
        if !program || tests || WRITERS.iter().any(|writer| name.starts_with(writer)) {
            continue;
        }
        // A module of tests, in a file of its own.
        if name.ends_with("/tests.rs") {
            continue;
        }
        let text = read(&file);
        let text = text.split("\nmod tests {").next().unwrap_or_default();
        for write in WRITES.iter().filter(|write| text.contains(**write)) {
            let place = "`cogtools_core::file`";
            complaints.push(format!(
                "{name} has `{write}`; files are written by {place}"
            ));
        }
    }
    none(&complaints);
}

#[test]
fn find_tool_is_used() {
    let metadata = metadata();
    let sources = files("rs");
    let mut complaints = Vec::new();
    for package in list(&metadata, "packages") {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(manifest);
        let folder = folder.strip_prefix(repository()).unwrap_or(folder);
        let sources = sources.iter().filter(|file| {
            // Dev-dependencies are used by tests only.
            file.starts_with(folder.join("src"))
        });
        let text: String = sources.map(|file| read(file)).collect();
        let needed = list(package, "dependencies").filter(|other| other["kind"].is_null());
        for needed in needed {
            let name = needed["rename"].as_str().or(needed["name"].as_str());
            let name = name.unwrap_or_default();
            let path = format!("{}::", name.replace('-', "_"));
            if !text.contains(&path) {
                let folder = folder.display();
                complaints.push(format!("{folder} asks for {name} and does not use it"));
            }
        }
    }
    none(&complaints);
}

/// The names of the binaries whose sources are in `folder` of the package.
fn sources(folder: &str) -> BTreeSet<String> {
    let folder = Path::new("crates/porcelain/cogtools/src").join(folder);
    let sources = files("rs")
        .into_iter()
        .filter(|file| file.starts_with(&folder));
    let stems = sources.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
    stems.collect()
}

#[test]
fn only_four_programs_have_their_own_binary() {
    let own = OWN.into_iter().filter(|name| binary(name).is_none());
    let own = own.chain([CONFINE]).map(str::to_owned);
    assert_eq!(sources("bin"), own.collect());
    assert_eq!(sources("stub"), ["cogtools-stub".to_owned()].into());
}

/// A host starts them for every call, so they link only what they need.
#[test]
fn separate_programs_link_no_runtime_and_no_tls() {
    for name in OWN.iter().filter(|name| **name != "cogtools") {
        let file = binary(name).unwrap_or(name);
        let main = read(&Path::new("crates/porcelain/cogtools/src/bin").join(format!("{file}.rs")));
        let library = name.replace('-', "_");
        let mains = ["use {}::PROGRAM as ", "{}::main()"];
        let mut mains = mains.iter().map(|text| text.replace("{}", &library));
        let is_own = mains.any(|text| main.contains(&text)) && !main.contains("cogtools::");
        assert!(is_own, "{name} is another program");
        let needed = crates_of(&["--package", name]);
        assert!(needed.contains("jsonschema"), "{name}: {needed:?}");
        let heavy: Vec<_> = HEAVY
            .iter()
            .filter(|heavy| needed.contains(**heavy))
            .collect();
        assert!(heavy.is_empty(), "{name} needs {heavy:?}");
        for part in [ENGINE, PARSER] {
            assert_eq!(needed.contains(part), *name == "cogtools-js", "{name}");
        }
    }
}

/// It is started for each program of a tool, and takes all rights from itself: it links
/// nothing but the interface of the system.
#[test]
fn the_program_that_confines_others_is_small() {
    let needed = crates_of(&["--package", CONFINE, "--target=x86_64-unknown-linux-musl"]);
    let expected = [
        "bitflags",
        "cfg-if",
        CONFINE,
        "cogtools-hosts",
        "enumflags2",
        "enumflags2_derive",
        "errno",
        "fork",
        "landlock",
        "libc",
        "linux-raw-sys",
        "nix",
        "proc-macro2",
        "quote",
        "rustix",
        "seccompiler",
        "signal-hook",
        "signal-hook-registry",
        "syn",
        "thiserror",
        "thiserror-impl",
        "unicode-ident",
    ];
    assert_eq!(needed, expected.map(str::to_owned).into());
}

/// The crates that this package links, itself among them.
fn crates_of(package: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges=normal"])
        .arg("--prefix=none")
        .args(package)
        .current_dir(repository())
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8_lossy(&tree.stdout);
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// Test builds contain the names of functions.
#[test]
fn linked_libraries_are_the_required_ones() {
    let has = |program: &str, name: &str| {
        let mut grep = Command::new("grep");
        grep.args(["-aqF", name]).arg(programs().join(program));
        let code = grep.status().expect("grep runs").code();
        assert!(matches!(code, Some(0 | 1)), "{program}: {code:?}");
        code == Some(0)
    };
    assert!(has("cogtools-js", "JS_NewRuntime2"));
    assert!(!has("cogtools", "JS_NewRuntime2"));
    for (program, core, runtime) in [
        ("cogtools", true, true),
        ("cogtools-call", true, false),
        ("cogtools-discover", true, false),
        ("cogtools-js", true, false),
        ("cogtools-yaml", true, false),
    ] {
        assert_eq!(has(program, "13cogtools_core"), core, "{program}");
        assert_eq!(has(program, "5tokio"), runtime, "{program}");
        assert_eq!(has(program, "6rustls"), runtime, "{program}");
    }
}

#[test]
fn command_lines_are_typed_values() {
    let mut complaints = Vec::new();
    for file in files("rs").iter().filter(|file| in_sources(file)) {
        let text = read(file);
        let file = file.display();
        // Clap's matches are read next to the definition of their arguments.
        let derives = text.contains("#[arg(") || text.contains("#[command(");
        let builds = derives || text.contains("Arg::new(") || text.contains(" -> Command {");
        let runs = text.contains("const PROGRAM: Program");
        if text.contains("ArgMatches") && !builds && !runs {
            complaints.push(format!("{file} reads matches of clap"));
        }
        // With a fallible getter, a misspelled option goes unnoticed.
        for method in [".try_get_one", ".try_get_many", ".try_contains_id"] {
            if text.contains(method) {
                complaints.push(format!("{file} asks for an option by `{method}`"));
            }
        }
    }
    none(&complaints);
}

fn in_sources(file: &Path) -> bool {
    file.starts_with("crates") && file.components().any(|part| part.as_os_str() == "src")
}

#[test]
fn texts_are_sanitized_in_one_place() {
    let mut complaints = Vec::new();
    for file in files("rs").iter().filter(|file| in_sources(file)) {
        let text = read(file);
        let file = file.display().to_string();
        let styles = file.starts_with("crates/lib/cogtools-program/src/terminal");
        // Only a program that keeps running clears the terminal.
        let clears = file == "crates/porcelain/cogtools-test/src/watch.rs";
        let escapes = text.split("#[cfg(test)]").next().unwrap_or_default();
        if escapes.contains("\\u{1b}[") && !styles && !clears {
            complaints.push(format!("{file} paints by itself"));
        }
        // The manual names the variable, which only one module reads.
        let colours =
            ["io.rs", "man.rs"].map(|name| format!("crates/lib/cogtools-program/src/{name}"));
        if text.contains("\"NO_COLOR\"") && !colours.contains(&file) {
            complaints.push(format!("{file} decides on colour by itself"));
        }
    }
    none(&complaints);
}

#[test]
fn the_workspace_apart_has_the_same_lints() {
    let table = |file: &str| -> Vec<String> {
        let text = read(Path::new(file));
        let lines = text.lines();
        let lines = lines.skip_while(|line| !line.ends_with("lints.rust]"));
        let lines = lines.take_while(|line| !line.starts_with("[profile."));
        let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(|line| line.replace("workspace.", "")).collect()
    };
    let apart = table("crates/porcelain/cogtools-restate/Cargo.toml");
    assert!(apart.len() > 20, "{apart:?}");
    assert_eq!(apart, table("Cargo.toml"));
}
