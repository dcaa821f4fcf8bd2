//! Completions, in the real shells that people use.

use std::time::Duration;

use cogtools_test_support::{Expected, Outcome, Project, Run, str};

use crate::distribution::directory_of;
use crate::{programs, run};

const TRIP: &str = "\
name: trip
description: Plan a trip
parameters:
  city: {type: string, description: 'Where to go: a city'}
  wild: {type: boolean, optional: true}
  mood: {enum: [calm, curious, 7], optional: true}
  hour: {enum: [early, 'very late'], optional: true}
  stop: {type: object, optional: true, properties: {name: string, nights: integer}}
  $(touch evil): {type: string, optional: true}
implementation: t
";

/// A project with tools, one of them in a toolset, and a source that must not start.
fn project() -> Project {
    let project = Project::new();
    let tool = |name: &str| format!("name: {name}\ndescription: d\nimplementation: t\n");
    project
        .file("tools/trip.yaml", TRIP)
        .file("tools/travel/train.yaml", tool("train"))
        .file("tools/$(touch evil)/bus.yaml", tool("bus"))
        .file("tools/`touch evil`.yaml", "")
        .file("tools/\u{1b}[2J.yaml", "")
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {command: {discover: [touch, evil], call: [sh], name: a}}]\n",
        );
    project
}

/// Runs a script in `shell`, with our programs on PATH.
fn shell(shell: &str, project: &Project, script: &str, line: &str) -> Outcome {
    let name = directory_of(shell).join(shell);
    let options: &[&str] = match shell {
        "fish" => &["--no-config", "-c"],
        "zsh" => &["-f", "-c"],
        _ => &["--norc", "--noprofile", "-c"],
    };
    let run = Run::new(name)
        .project(project)
        .path(programs())
        .args(options)
        .arg(script);
    // fish has no name of a script before its arguments.
    let run = if shell == "fish" { run } else { run.arg(shell) };
    run.arg(line).limit(Duration::from_mins(1)).run()
}

/// The candidates of bash at the end of `line`, `|` at the end of each.
#[track_caller]
fn bash(project: &Project, line: &str, expected: &str) {
    let script = r#"
        source <(cogtools completions bash)
        COMP_LINE=$1; COMP_POINT=${#COMP_LINE}
        read -ra words <<< "$1"
        function=$(complete -p "${words[0]}"); function=${function#*-F }; function=${function%% *}
        "$function"
        printf '%s|' "${COMPREPLY[@]}"
    "#;
    shell("bash", project, script, line).outputs(format!("{expected}|"));
}

/// The candidates of fish at the end of `line`, with the descriptions.
#[track_caller]
fn fish(project: &Project, line: &str, expected: impl Into<Expected>) {
    let script = "cogtools completions fish | source; complete -C $argv[1]";
    shell("fish", project, script, line).outputs(expected);
}

/// The candidates of zsh at the end of `line`: words, then descriptions.
#[track_caller]
fn zsh(project: &Project, line: &str, expected: impl Into<Expected>) {
    let script = r#"
        autoload -U compinit; compinit -D -u
        source <(cogtools completions zsh)
        compadd() {
            local -a options; local values
            while [[ $1 != -- ]]; do options+=("$1"); shift; done
            values=$2
            print -r -- "${options[*]}"
            print -rl -- "${(@P)values}"
            local shown=${options[$((${options[(i)-d]} + 1))]}
            print -rl -- "${(@P)shown}"
            return 0
        }
        _files() { print files; }
        words=("${(@z)1}"); [[ $1 == *' ' ]] && words+=('')
        CURRENT=$#words
        _cogtools || print nothing
    "#;
    shell("zsh", project, script, line).outputs(expected);
}

fn nothing_was_started(project: &Project) {
    assert!(!project.path("evil").exists());
}

#[test]
fn every_program_completes_its_options() {
    let project = project();
    for program in cogtools::PROGRAMS.iter().map(|program| program.name) {
        let line = format!("{program} --");
        let found = run("cogtools-completions", &project)
            .args(["bash", "--", &line])
            .run();
        let text = String::from_utf8_lossy(&found.status(0).stdout).into_owned();
        assert!(text.contains("--help\n"), "{program}: {text}");
    }
}

#[test]
fn bash_completes_everything() {
    let project = project();
    for (line, expected) in [
        ("cogtools dis", "discover "),
        ("cogtools discover --st", "--strict "),
        ("cogtools -C . discover --format a", "anthropic "),
        ("cogtools help cogt", "cogtoolrc "),
        ("cogtools config s", "set "),
        ("cogtools run t", "trip |train "),
        ("cogtools-call t", "trip |train "),
        ("cogtools list --tools bus,t", "bus,trip |bus,train "),
        ("cogtools list --toolset=", "travel "),
        (
            "cogtools run trip ",
            "city=|wild=|mood=|hour=|stop.name=|stop.nights=",
        ),
        ("cogtools run trip city=x wi", "wild="),
        ("cogtools run trip wild=", "true |false "),
        ("cogtools run trip mood=c", "calm |curious "),
        ("cogtools run nothing ", ""),
        ("cogtools run trip hour=", ""),
        ("cogtools lint ", ""),
        ("cogtools lint --ex", "--explain "),
        ("cogtools-call --y", "--yaml "),
    ] {
        bash(&project, line, expected);
    }
    nothing_was_started(&project);
}

#[test]
fn fish_completes_everything() {
    let project = project();
    fish(
        &project,
        "cogtools dis",
        str![[r#"
discover	Declare the tools of the current project to a host

"#]],
    );
    fish(
        &project,
        "cogtools run t",
        str![[r#"
train	d
trip	Plan a trip

"#]],
    );
    fish(
        &project,
        "cogtools run trip ",
        str![[r#"
city=	Where to go: a city
hour=
mood=
stop.name=
stop.nights=
wild=

"#]],
    );
    fish(
        &project,
        "cogtools run trip mood=c",
        str![[r#"
mood=calm
mood=curious

"#]],
    );
    fish(
        &project,
        "cogtools list --toolset ",
        str![[r#"
travel

"#]],
    );
    fish(
        &project,
        "cogtools-call tr",
        str![[r#"
train	d
trip	Plan a trip

"#]],
    );
    fish(
        &project,
        "cogtools lint too",
        str![[r#"
tools/

"#]],
    );
    nothing_was_started(&project);
}

#[test]
fn zsh_completes_tools_and_arguments() {
    let project = project();
    zsh(
        &project,
        "cogtools dis",
        str![[r#"
-l -d whole_shown -a
discover
discover  -- Declare the tools of the current project to a host

"#]],
    );
    zsh(
        &project,
        "cogtools run t",
        str![[r#"
-l -d whole_shown -a
trip
train
trip  -- Plan a trip
train  -- d

"#]],
    );
    zsh(
        &project,
        "cogtools run trip ",
        str![[r#"
-l -S  -d open_shown -a
city=
wild=
mood=
hour=
stop.name=
stop.nights=
city=  -- Where to go: a city
wild=
mood=
hour=
stop.name=
stop.nights=

"#]],
    );
    zsh(
        &project,
        "cogtools run trip mood=c",
        str![[r#"
-l -d whole_shown -a
mood=calm
mood=curious
mood=calm
mood=curious

"#]],
    );
    nothing_was_started(&project);
}

#[test]
fn zsh_completes_options_and_files() {
    let project = project();
    zsh(
        &project,
        "cogtools list --toolset ",
        str![[r#"
-l -d whole_shown -a
travel
travel

"#]],
    );
    zsh(
        &project,
        "cogtools-call tr",
        str![[r#"
-l -d whole_shown -a
trip
train
trip  -- Plan a trip
train  -- d

"#]],
    );
    zsh(
        &project,
        "cogtools lint too",
        str![[r#"
files

"#]],
    );
    nothing_was_started(&project);
}

/// Types into an interactive shell on a terminal, and returns the line that it has made.
#[track_caller]
fn types(shell: &str, begin: &str) {
    let project = project();
    let script = r#"
        zmodload zsh/zpty
        zpty -b shell "$1"
        zpty -w shell "$2; echo rea''dy"
        until [[ $out == *ready* ]]; do
            zpty -r shell part && out+=$part || sleep 0.05
        done
        zpty -w -n shell $'cogtools run tri\tmo\tca\t\x01echo \x05 > typed; exit\n'
        while zpty -t shell; do zpty -r shell part || sleep 0.05; done
    "#;
    let zsh = Run::new(directory_of("zsh").join("zsh")).project(&project);
    let command = directory_of(shell.split(' ').next().unwrap_or(shell)).join(shell);
    zsh.path(programs())
        .env("TERM", "dumb")
        .args(["-f", "-c", script, "zsh"])
        .arg(command)
        .arg(begin)
        .limit(Duration::from_mins(1))
        .run()
        .outputs("");
    assert_eq!(
        project.read("typed"),
        "cogtools run trip mood=calm\n",
        "{shell}"
    );
}

#[test]
fn a_tab_completes_on_a_terminal() {
    types(
        "bash --norc --noprofile -i",
        "source <(cogtools completions bash)",
    );
    types(
        "zsh -f -i",
        "autoload -U compinit; compinit -D -u; source <(cogtools completions zsh)",
    );
    types("fish --no-config -i", "cogtools completions fish | source");
}

#[test]
fn a_broken_configuration_completes_programs() {
    let project = project();
    project.file(".cogtoolrc.yaml", "tool_sources: 7\n");
    let complete = |words: &[&str]| {
        run("cogtools", &project)
            .args(["completions", "fish", "--"])
            .args(words)
            .run()
    };
    complete(&["cogtools", "run", "t"]).outputs(str![[r#"
trip	Plan a trip
train	d

"#]]);
    complete(&["cogtools", "dis"]).outputs(str![[r#"
discover	Declare the tools of the current project to a host

"#]]);
    complete(&["cogtools", "-C", "nowhere", "run", "t"]).outputs(str![[r#"
trip	Plan a trip
train	d

"#]]);
    complete(&[""]).outputs(str![[r#"
:files

"#]]);
    complete(&["cogtools-list", "--nonsense", "x", "--tools", "\u{1b}["]).outputs(str![]);
}

#[test]
fn an_installation_s_scripts_are_the_same() {
    let project = Project::new();
    for name in ["bash", "zsh", "fish"] {
        let script = run("cogtools", &project)
            .args(["completions", name])
            .run()
            .text();
        for program in cogtools::PROGRAMS.iter() {
            assert!(script.contains(program.name), "{name}: {}", program.name);
        }
    }
}
