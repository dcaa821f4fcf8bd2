//! Small catalogues, and a large one with questions.

use std::fmt::Write as _;

use super::*;
use crate::text::Text;

const TOOLS: [(&str, &str, &str); 6] = [
    ("deploy_site", "Puts the site on the servers", ""),
    (
        "git_commit",
        "Records changes of the working tree",
        "git.commit",
    ),
    (
        "git_push",
        "Sends commits to another repository",
        "git.push",
    ),
    ("facepalm", "Say what went wrong", "think.reflect"),
    ("weather", "Tells how the weather will be in a city", ""),
    ("wetter", "Sagt, wie das Wetter in 京都 wird", ""),
];

/// Tools as those of servers for clusters, browsers, code, files, chat, databases and pages:
/// a name, a description and the names of its parameters.
const CATALOGUE: &str = include_str!("../../../tests/search/catalogue.txt");
/// A question, and the tools that answer it. Those marked as `held` were written later; neither
/// half is independent of the choice of the weights.
const QUESTIONS: &str = include_str!("../../../tests/search/questions.txt");

fn tool(name: &str, description: &str, rest: &str) -> Tool {
    let text = format!("name: {name}\ndescription: {description:?}\nimplementation: a\n{rest}");
    let text = Text::new(name, text.into_bytes()).expect("it is text");
    Tool::parse(text).expect("it is a tool")
}

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let tools: Vec<Tool> = TOOLS
        .iter()
        .map(|(name, description, capability)| {
            let rest = if capability.is_empty() {
                String::new()
            } else {
                format!("capabilities: [{capability}]\n")
            };
            tool(name, description, &rest)
        })
        .collect();
    let ranked = rank(query, &tools);
    let found: Vec<&str> = ranked.iter().map(|index| TOOLS[*index].0).collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn the_best_match_comes_first() {
    check("git_push", &["git_push", "git_commit"]);
    check("commit", &["git_commit", "git_push"]);
    check("Weather in the city", &["weather"]);
    check("reflect", &["facepalm"]);
    check("servers deploy", &["deploy_site"]);
    check("京都", &["wetter"]);
}

#[test]
fn forms_prefixes_and_typos_match() {
    check("weath", &["weather"]);
    check("facpalm", &["facepalm"]);
    check("deployment", &["deploy_site"]);
    check("reposotory", &["git_push"]);
    check("recording a change", &["git_commit"]);
}

#[test]
fn a_query_without_tokens_returns_all_in_order() {
    let all = TOOLS.map(|(name, _, _)| name);
    check("", &all);
    check(" ?! ", &all);
    check("quux", &[]);
}

fn catalogue() -> Vec<Tool> {
    let lines = CATALOGUE.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut cells = line.split(" | ");
            let mut cell = || cells.next().unwrap_or_default();
            let (name, description, parameters) = (cell(), cell(), cell());
            let mut rest = String::new();
            for parameter in parameters.split_whitespace() {
                let lead = if rest.is_empty() { "parameters:\n" } else { "" };
                let _ = writeln!(rest, "{lead}  {parameter}: string");
            }
            tool(name, description, &rest)
        })
        .collect()
}

/// Of the questions with this mark, how many are answered by the first tool and by one of the
/// first five, and those that are not.
fn answered(mark: &str, tools: &[Tool]) -> (usize, usize, usize, Vec<String>) {
    let (mut first, mut early, mut all) = (0, 0, 0);
    let mut missed = Vec::new();
    for line in QUESTIONS.lines() {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [line_mark, question, answers] = cells.as_slice() else {
            panic!("{line}");
        };
        if *line_mark != mark {
            continue;
        }
        let ranked = rank(question, tools);
        let names: Vec<&str> = ranked
            .iter()
            .map(|at| tools[*at].name().as_str())
            .take(5)
            .collect();
        let is_answer = |name: &&str| answers.split(' ').any(|answer| answer == *name);
        all += 1;
        first += usize::from(names.first().is_some_and(is_answer));
        early += usize::from(names.iter().any(is_answer));
        if !names.first().is_some_and(is_answer) {
            missed.push(format!("{question}: {}", names.join(" ")));
        }
    }
    (first, early, all, missed)
}

#[test]
fn questions_find_their_tools() {
    let tools = catalogue();
    for (mark, least_first, least_early) in [("used", 70, 90), ("held", 80, 95)] {
        let (first, early, all, missed) = answered(mark, &tools);
        assert!(
            first * 100 >= all * least_first && early * 100 >= all * least_early,
            "{mark}: {first} and {early} of {all}:\n{}",
            missed.join("\n")
        );
    }
}

#[test]
fn what_no_tool_does_finds_none() {
    let tools = catalogue();
    for question in [
        "book a flight to Paris",
        "order a pizza with mushrooms",
        "how tall is the Eiffel tower",
        "remind me to water the plants",
        "convert 5 miles to kilometers",
        "buy shares of a company",
    ] {
        let ranked = rank(question, &tools);
        let names: Vec<&str> = ranked.iter().map(|at| tools[*at].name().as_str()).collect();
        assert_eq!(names, Vec::<&str>::new(), "{question}");
    }
}
