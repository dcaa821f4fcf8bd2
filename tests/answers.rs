//! `cogtools` alone, and words after it that are not programs.

use cogtools_test_support::{Project, Run, str};

use crate::porcelain::House;
use crate::programs;

const HELLO: &str = "name: hello\ndescription: d\nparameters: {person: string}\n\
                     implementation: 'Hello, {{ person }}!'\n";

#[test]
fn alone_it_lists_the_tools_and_the_next_steps() {
    let house = House::new();
    house.project.file("tools/hello.yaml", HELLO);
    house.run().run().outputs(str![[r#"
NAME   SOURCE  FILE              TOKENS  NOTES
hello  tools   tools/hello.yaml      45

1 tool, about 45 tokens with every request

Next:
  cogtools run NAME KEY=VALUE    call a tool
  cogtools new NAME              create a tool
  cogtools help cogtools         read about all programs

"#]]);
}

#[test]
fn alone_without_tools_it_says_how_to_begin() {
    let house = House::new();
    house.run().run().outputs(str![[r#"
this project has no tools yet

Next:
  cogtools init                  set the project up, with an example
  cogtools new NAME              create a tool
  cogtools help cogtools         read about all programs

"#]]);
    let elsewhere = Project::new();
    let alone = || Run::new(programs().join("cogtools")).project(&elsewhere);
    alone().run().outputs(str![[r#"
this folder is not in a project, and has no tools

Next:
  cogtools init                  set the project up, with an example
  cogtools new NAME              create a tool
  cogtools help cogtools         read about all programs

"#]]);
    elsewhere.file(".cogtoolrc.yaml", "tool_sources: [local: ./missing]\n");
    alone().run().expect(
        0,
        str![[r#"

Next:
  cogtools run NAME KEY=VALUE    call a tool
  cogtools new NAME              create a tool
  cogtools help cogtools         read about all programs

"#]],
        str![[r#"
cogtools: warning[INVALID_CONFIG]: the folder `missing` does not exist
hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)

"#]],
    );
    elsewhere.file(".cogtoolrc.yaml", "tool_sources: 7\n");
    alone().run().fails(78, str![[r#"
cogtools: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:15: `tool_sources` takes a list of sources, not `7`
   |
 1 | tool_sources: 7
   |               ^
hint: write `tool_sources: [{local: ./tools}]`

"#]]);
}

#[test]
fn words_of_other_tools_are_answered() {
    let house = House::new();
    let version = house.run().arg("--version").run().text();
    house.run().arg("version").run().outputs(version);
    for (word, expected) in [
        (
            "check",
            str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `check`
hint: cogtools lint checks the tool files
hint: cogtools test checks what the tools answer
hint: cogtools doctor checks the installation
hint: cogtools help --all lists every program

"#]],
        ),
        (
            "show",
            str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `show`
hint: cogtools list lists the tools
hint: cogtools help --all lists every program

"#]],
        ),
        (
            "setup",
            str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `setup`
hint: cogtools init sets up the project
hint: cogtools help --all lists every program

"#]],
        ),
    ] {
        house.run().arg(word).run().fails(1, expected);
    }
    // A program of that name comes first.
    house.program("path/cogtools-check", "own");
    house.run().arg("check").run().outputs("own\n");
}

#[test]
fn the_name_of_a_tool_is_answered_with_the_call() {
    let house = House::new();
    house.project.file("tools/hello.yaml", HELLO);
    let hello = house.run().args(["hello", "person=Ada L"]).run();
    hello.fails(
        1,
        str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `hello`
hint: a tool has this name: cogtools run hello 'person=Ada L' calls it

"#]],
    );
    // Nothing is started to find out.
    house.project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{command: {discover: [sh, -c, 'touch started'], call: [sh], name: a}}]\n",
    );
    house.run().arg("hello").run().fails(
        1,
        str![[r#"
cogtools: error[UNKNOWN_PROGRAM]: there is no program `hello`
hint: cogtools help --all lists every program

"#]],
    );
    assert!(!house.project.path("started").exists());
}
