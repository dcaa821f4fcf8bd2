//! Small catalogues, and a large one with questions.

use std::fmt::Write as _;
use std::sync::Arc;

use super::*;
use crate::text::Text;
use crate::tool::Provenance;

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

/// Tools like the tools of servers for clusters, browsers, code, files, chat, databases and pages:
/// a name, a description and the names of its parameters.
const CATALOGUE: &str = include_str!("../../../tests/search/catalogue.txt");
/// A question, and the tools that answer it. Those marked as `held` were written later; neither
/// half is independent of the choice of the weights.
const QUESTIONS: &str = include_str!("../../../tests/search/questions.txt");

/// A tool, and a request for it in words of everyday, which are not the tool's.
const EVERYDAY: &str = include_str!("../../../tests/search/everyday.txt");

fn rank(request: &str, tools: &[Tool]) -> Vec<usize> {
    ToolIndex::new(tools).rank(request)
}

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
    // Neither a short word nor one that begins with another letter is a misspelt one.
    check("bush", &[]);
    check("peather", &[]);
    check("recording a change", &["git_commit"]);
}

#[test]
fn a_query_without_tokens_returns_all_in_order() {
    let all = TOOLS.map(|(name, _, _)| name);
    check("", &all);
    check(" ?! ", &all);
    check("quux", &[]);
}

fn parameters_text(parameters: &str) -> String {
    let mut text = String::new();
    for parameter in parameters.split_whitespace() {
        let lead = if text.is_empty() { "parameters:\n" } else { "" };
        let _ = writeln!(text, "{lead}  {parameter}: string");
    }
    text
}

fn catalogue(text: &str) -> Vec<Tool> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut cells = line.split(" | ");
            let mut cell = || cells.next().unwrap_or_default();
            let (name, description, parameters) = (cell(), cell(), cell());
            tool(name, description, &parameters_text(parameters))
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
    let tools = catalogue(CATALOGUE);
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
fn words_of_everyday_find_their_tools() {
    let tools = catalogue(EVERYDAY);
    let missed = EVERYDAY.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let best = rank(cells[3], &tools)
            .first()
            .map(|at| tools[*at].name().as_str());
        (best != Some(cells[0])).then(|| format!("{line}: {best:?}"))
    });
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn what_no_tool_does_finds_none() {
    let tools = catalogue(CATALOGUE);
    for question in [
        "book a flight to Paris",
        "order a pizza with mushrooms",
        "what is the capital of France",
        "translate this into Latin",
        "how tall is the Eiffel tower",
        "remind me to water the plants",
        "convert 5 miles to kilometers",
        "buy shares of a company",
        "turn on the lights in the living room",
        "what is the weather like in Lisbon tomorrow",
        "play some jazz music",
        "call a taxi to the airport",
        "who won the world cup in 1998",
        "tell me a joke about penguins",
        "how do I cook risotto for four",
        "pay my electricity bill",
        "find a hotel near the beach in Nice",
        "what is the square root of 1764",
        "write a poem about autumn",
        "set the thermostat to 21 degrees",
        "lock the front door",
        "transcribe this podcast episode",
        "generate an image of a red dragon",
        "transfer 200 euros to my landlord",
        "which bus goes to the central station",
        "print this on the office printer",
        "scan the barcode on the cereal box",
        "recommend a good thriller novel",
        "solve the differential equation y'' = y",
        "order more toner for the copier",
        "teach me to play the guitar",
        "dim the bedroom lamp",
        "book a table for two at an Italian restaurant",
        "what does serendipity mean",
    ] {
        let ranked = rank(question, &tools);
        let names: Vec<&str> = ranked.iter().map(|at| tools[*at].name().as_str()).collect();
        assert_eq!(names, Vec::<&str>::new(), "{question}");
    }
}

#[test]
fn a_value_of_an_enum_is_searched() {
    let action = "parameters:\n  action: {type: string, enum: [archive, markUnread]}\n";
    let tools = [
        tool("change_mail", "Changes a mail", action),
        tool("get_mail", "Returns a mail", ""),
    ];
    assert_eq!(rank("archive a mail", &tools).first(), Some(&0));
    assert_eq!(rank("the unread mail", &tools).first(), Some(&0));
}

#[test]
fn a_meaning_that_no_tool_has_is_missed() {
    let tools = [
        tool("go_back", "Goes back to the last page", ""),
        tool("list_customers", "Lists the customers", ""),
    ];
    assert_eq!(
        rank("give the customer their money back", &tools),
        Vec::<usize>::new()
    );
}

/// Tools of sources whose names begin with their source's.
fn sources() -> Vec<Tool> {
    [
        ("parley", "parley_list_rooms", "Lists the rooms", ""),
        (
            "parley",
            "parley_post_message",
            "Posts a message to a room",
            "channel text",
        ),
        (
            "parley",
            "parley_delete_message",
            "Deletes a message from a room",
            "channel id",
        ),
        ("forge", "forge_list_issues", "Lists the issues", "limit"),
        ("forge", "forge_create_issue", "Creates an issue", "title"),
        ("forge", "forge_delete_issue", "Deletes an issue", "number"),
        (
            "desk",
            "desk_create_issue",
            "Creates an issue",
            "title email",
        ),
        ("desk", "desk_list_issues", "Lists the issues", "limit"),
        (
            "desk",
            "desk_open_attachment",
            "Opens what is attached",
            "path",
        ),
    ]
    .into_iter()
    .map(|(source, name, description, parameters)| {
        let tool = tool(name, description, &parameters_text(parameters));
        tool.from(Arc::new(Provenance {
            source: source.to_owned(),
            toolset: Some(source.to_owned()),
            ..Provenance::default()
        }))
    })
    .collect()
}

#[track_caller]
fn check_first(query: &str, expected: &str) {
    let tools = sources();
    let ranked = rank(query, &tools);
    let found = ranked.first().map(|index| tools[*index].name().as_str());
    assert_eq!(found, Some(expected), "{query}");
}

#[test]
fn the_name_of_a_source_selects_between_sources_alone() {
    check_first("create an issue in the forge", "forge_create_issue");
    check_first("create an issue in the desk", "desk_create_issue");
    check_first("post a parley message", "parley_post_message");
    // The operation outweighs the source.
    check_first(
        "the attachment that is in the parley",
        "desk_open_attachment",
    );
}

#[test]
fn reading_creating_and_deleting_differ() {
    check_first("which issues are there on the forge", "forge_list_issues");
    check_first("get rid of a message", "parley_delete_message");
    check_first("throw the forge issue away", "forge_delete_issue");
    check_first("file a new issue on the forge", "forge_create_issue");
}

#[test]
fn a_value_asks_for_its_parameter() {
    check_first("an issue from ada@example.com", "desk_create_issue");
    check_first("an issue for #12", "forge_delete_issue");
}

#[test]
fn a_name_or_a_time_is_no_reason_against_a_tool() {
    let tools = [
        tool(
            "convert_time",
            "Convert time between timezones",
            &parameters_text("source_timezone time target_timezone"),
        ),
        tool(
            "search_web",
            "Search for new pages of the web",
            &parameters_text("query"),
        ),
        tool(
            "get_zone",
            "Get a zone",
            "parameters:\n  zone: {type: string, description: 'e.g. America/New_York'}\n",
        ),
    ];
    for (query, expected) in [
        (
            "if it is 9am in Berlin, what is that in New York",
            Some("convert_time"),
        ),
        (
            "our call is at 15:00 in London, when is that for Ada",
            Some("convert_time"),
        ),
        ("order a taxi in New York", None),
    ] {
        let ranked = rank(query, &tools);
        let found = ranked.first().map(|index| tools[*index].name().as_str());
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn hostile_texts_are_bounded() {
    let mut tools = sources();
    let long = "delete the forge issue ".repeat(50_000);
    tools.push(tool("long", &long, ""));
    let ranked = rank(&long, &tools);
    assert_eq!(
        ranked.first().map(|index| tools[*index].name().as_str()),
        Some("forge_delete_issue")
    );
    assert_eq!(rank(&"x".repeat(1_000_000), &tools), Vec::<usize>::new());
    assert_eq!(
        rank(&"\u{1F3B2}'\"".repeat(100_000), &tools),
        (0..tools.len()).collect::<Vec<_>>()
    );
}
