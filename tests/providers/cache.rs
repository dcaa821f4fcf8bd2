//! Cached declarations.

use cogtools_test_support::str;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{Scene, declaring};

/// A provider that counts how often it is run.
fn counting(settings: &str) -> Scene {
    let script = declaring(r#"[{"name": "say", "description": "d"}]"#);
    Scene::new(
        &format!("[ \"$1\" = call ] || echo >> \"${{0%/*}}/../project/asked\"\n{script}"),
        settings,
    )
}

fn asked(scene: &Scene) -> usize {
    scene.project.read("asked").len()
}

fn files(scene: &Scene) -> Vec<PathBuf> {
    let folder = scene.project.home().join(".cache/cogtools/declarations");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).collect()
}

/// Makes the cached declarations older than their limit.
fn age(scene: &Scene) {
    for file in files(scene) {
        let file = fs::File::options()
            .write(true)
            .open(file)
            .expect("it is there");
        let then = SystemTime::now() - Duration::from_mins(2);
        file.set_modified(then).expect("it has a time");
    }
}

#[test]
fn nothing_is_cached_by_default() {
    let scene = counting("");
    scene.declares(&["say"], "");
    scene.discover().json();
    assert_eq!(asked(&scene), 3);
    assert_eq!(files(&scene), Vec::<PathBuf>::new());
}

#[test]
fn a_provider_runs_once_within_the_cache_time() {
    let scene = counting(", cache: 60");
    scene.declares(&["say"], "");
    scene.declares(&["say"], "");
    scene.call("say").outputs(str![[r#"
say: {}

"#]]);
    assert_eq!(asked(&scene), 1);
    age(&scene);
    scene.declares(&["say"], "");
    assert_eq!(asked(&scene), 2);
}

#[test]
fn another_environment_is_another_entry() {
    let scene = counting(", cache: 60, env: [TOKEN]");
    for token in ["a", "b", "a", "b"] {
        scene
            .run("cogtools-discover")
            .env("TOKEN", token)
            .run()
            .json();
    }
    assert_eq!(asked(&scene), 2);
    for file in files(&scene) {
        let text = fs::read_to_string(&file).expect("it is text");
        assert_eq!(text, r#"[{"name":"say","description":"d"}]"#);
    }
}

#[test]
fn a_changed_program_is_run_again() {
    let scene = counting(", cache: 60");
    scene.declares(&["say"], "");
    let script = declaring(r#"[{"name": "tell", "description": "d"}]"#);
    scene
        .project
        .program("../home/p", format!("#!/bin/sh\n{script}\n"));
    scene.declares(&["tell"], "");
}

#[test]
fn a_broken_cache_entry_is_ignored() {
    for content in ["", "[", "7", "\u{0}"] {
        let scene = counting(", cache: 60");
        scene.declares(&["say"], "");
        for file in files(&scene) {
            fs::write(file, content).expect("it can be written");
        }
        scene.declares(&["say"], "");
        assert_eq!(asked(&scene), 2, "{content:?}");
    }
}

#[test]
fn without_a_cache_directory_nothing_is_cached() {
    let scene = counting(", cache: 60");
    scene.project.file("../home/.cache", "no folder");
    scene.declares(&["say"], "");
    scene
        .run("cogtools-discover")
        .env("HOME", "relative")
        .run()
        .json();
    assert_eq!(asked(&scene), 3);
}

#[test]
fn failures_are_not_cached() {
    let scene = Scene::new("cd \"${0%/*}/../project\"; cat list", ", cache: 60");
    scene.declares(
        &[],
        "warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 1\n  \
         | cat: list: No such file or directory\n",
    );
    scene
        .project
        .file("list", r#"[{"name": "say", "description": "d"}]"#);
    scene.declares(&["say"], "");
}

/// Completions read what is cached, and start nothing.
#[test]
fn cached_tools_are_completed() {
    let scene = counting(", cache: 60");
    let complete = |words: &[&str]| {
        let args = ["completions", "fish", "--", "cogtools", "run"];
        scene.run("cogtools").args(args).args(words).run()
    };
    complete(&["s"]).outputs("");
    assert!(!scene.project.path("asked").exists());
    scene.declares(&["say"], "");
    complete(&["s"]).outputs(str![[r#"
say	d

"#]]);
    complete(&["say", ""]).outputs("");
    // The tool is known by its name alone, too.
    scene.run("cogtools").arg("say").run().fails(
        1,
        str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `say`
hint: a tool has this name: cogtools run say calls it

"#]],
    );
    assert_eq!(asked(&scene), 1);
    age(&scene);
    complete(&["s"]).outputs("");
    assert_eq!(asked(&scene), 1);
}
